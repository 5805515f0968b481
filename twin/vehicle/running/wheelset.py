"""Kinematics of a rolling wheelset at its contacts, in the axes of its track frame."""

from typing import NamedTuple

import numpy as np

from twin.contact.wheel_forces import Motion
from twin.core.arrays import Array
from twin.numerics.compiled import compiled
from twin.vehicle.running.rails import Plane, Rails, plane_at

S, R_Y, R_Z, ROLL, SPIN, YAW = range(6)
"""Coordinates of a wheelset in its block of q."""
RHO_TW, RHO_V, RHO_H = range(3)
"""Numbers of its track frame."""

REACH = 1e-3
"""Over which the slopes of rails are taken [m]: a tenth of a contact patch."""


@compiled
def plane_slopes(rails: Rails, s: float, half: float) -> Plane:
    """Change per metre of the plane of the rails at s."""
    behind, ahead = plane_at(rails, s - 0.5 * REACH, half), plane_at(rails, s + 0.5 * REACH, half)
    return Plane(
        (ahead.roll - behind.roll) / REACH,
        (ahead.level - behind.level) / REACH,
        (ahead.y_left - behind.y_left) / REACH,
        (ahead.y_right - behind.y_right) / REACH,
    )


@compiled
def wheelset_motion(q: Array, v: Array, numbers: Array) -> Motion:
    """Velocity of the axle's centre and angular velocity against the ground, in track axes [Esc eqs. 7-9].

    q, v (6,): coordinates of the wheelset and their rates; numbers (12,): of its track frame.
    """
    sin, cos, up, level = np.sin(q[YAW]), np.cos(q[YAW]), np.sin(q[ROLL]), np.cos(q[ROLL])
    return Motion(
        v[S] * (1.0 - numbers[RHO_H] * q[R_Y] + numbers[RHO_V] * q[R_Z]),
        v[R_Y] - numbers[RHO_TW] * v[S] * q[R_Z],
        v[R_Z] + numbers[RHO_TW] * v[S] * q[R_Y],
        numbers[RHO_TW] * v[S] + cos * v[ROLL] - sin * level * v[SPIN],
        numbers[RHO_V] * v[S] + sin * v[ROLL] + cos * level * v[SPIN],
        numbers[RHO_H] * v[S] + v[YAW] + up * v[SPIN],
    )


class Arm(NamedTuple):
    """A contact seen from the axle's centre, in track axes [m], and its lateral tangent t = (0, t_y, t_z)."""

    x: float
    y: float
    z: float
    t_y: float
    t_z: float


@compiled
def add_creep_damping(C: Array, q: Array, arm: Arm, along: float, across: float) -> None:
    """Add to C (6, 6) the damping of creep forces that fall by along and across [N s/m] per sliding velocity.

    The sliding velocity of the contact's point is linear in the rates: rows j_x and j_t. [Ros eqs. 33-34] call the sum
    C_K; it makes the step implicit in what the rates change most.
    """
    sin, cos, up, level = np.sin(q[YAW]), np.cos(q[YAW]), np.sin(q[ROLL]), np.cos(q[ROLL])
    l_x, l_y, l_z = -sin * level, cos * level, up
    j_x = (1.0, 0.0, 0.0, sin * arm.z, l_y * arm.z - l_z * arm.y, -arm.y)
    j_t = (
        0.0,
        arm.t_y,
        arm.t_z,
        -cos * arm.z * arm.t_y + (cos * arm.y - sin * arm.x) * arm.t_z,
        (l_z * arm.x - l_x * arm.z) * arm.t_y + (l_x * arm.y - l_y * arm.x) * arm.t_z,
        arm.x * arm.t_y,
    )
    for i in range(6):
        for k in range(6):
            C[i, k] += along * j_x[i] * j_x[k] + across * j_t[i] * j_t[k]
