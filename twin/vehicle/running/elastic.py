"""Wheels on elastic contacts: every zone of penetration of every wheel, with Hertz, Kalker and FASTSIM.

The rails' irregularities move each rail as a whole and roll both by the cross level, so a wheel meets its rail at the
pose less that of the rail. The damping of the creep forces is taken without that roll, a few mrad. A rail that rises
under the wheel approaches it: that velocity enters the damping of the contact. Creepages do not see it, as the material
of the rail stands still.
"""

from typing import NamedTuple

import numpy as np

from twin.contact.kalker import kalker_coefficients
from twin.contact.pair import Pair
from twin.contact.points import Pose
from twin.contact.wheel_forces import (
    ETA,
    F_X,
    F_Y,
    PHI,
    XI,
    A,
    B,
    Buffers,
    ContactLaw,
    Motion,
    N,
    Wrench,
    wheel_forces_kernel,
)
from twin.contact.zones import ANGLE, DEPTH, RADIUS, Y_W, X, Y, Z
from twin.core.arrays import Array
from twin.numerics.compiled import compiled
from twin.vehicle.running.rails import Rails, in_plane, plane_at
from twin.vehicle.running.record import (
    WHEEL_ANGLE,
    WHEEL_OFFSET,
    WHEEL_POINTS,
    WHEEL_POWER,
    WHEEL_Q,
    WHEEL_RADIUS,
    WHEEL_X,
    WHEEL_Y,
)
from twin.vehicle.running.wheelset import R_Y, R_Z, ROLL, YAW, Arm, S, add_creep_damping, wheelset_motion

LIFTED = 0.04
"""Height over its rest at which a wheelset has left the track [m]: more than a flange is high."""
ASIDE = 0.06
"""Shift against the rails at which no part of a wheel stands on the rail head [m]."""


class ElasticWheels(NamedTuple):
    """All wheels of a vehicle on their rails: left and right of the first wheelset, of the second, and so on."""

    pairs: tuple[Pair, ...]
    law: ContactLaw
    buffers: tuple[Buffers, ...]
    """Room for each of them."""
    radius: Array
    """(wheelsets,) height of the axle at rest [m]."""
    half: Array
    """(wheelsets,) half the distance of the rolling circles [m]."""


@compiled
def add_zones(
    q: Array, pose: Pose, side: float, law: ContactLaw, count: int, buffers: Buffers, C: Array, V: float
) -> None:
    """Add the damping of each zone's creep force to C; V: speed creepages refer to [m/s].

    A force that has left Kalker's line falls by the slope of the chord to it, not by the line's own.
    """
    for k in range(count):
        zone, patch = buffers.zones[k], buffers.patches[k]
        C11, C22, C23, _ = kalker_coefficients(law.kalker, patch[A] / patch[B])
        area = patch[A] * patch[B]
        f11, f22, f23 = law.G * area * C11, law.G * area * C22, law.G * area * np.sqrt(area) * C23
        linear = np.hypot(f11 * patch[XI], f22 * patch[ETA] + f23 * patch[PHI])
        grip = min(1.0, np.hypot(patch[F_X], patch[F_Y]) / linear) if linear > 0.0 else 1.0
        cos, sin = np.cos(zone[ANGLE]), np.sin(zone[ANGLE])
        arm = Arm(
            zone[X],
            side * (zone[Y] + zone[DEPTH] * sin - pose.G_y),
            zone[Z] - zone[DEPTH] * cos - pose.G_z,
            cos,
            side * sin,
        )
        add_creep_damping(C, q, arm, grip * f11 / V, grip * f22 / V)


@compiled
def write_wheel(row: Array, wrench: Wrench, count: int, buffers: Buffers, V: float) -> None:
    """What the wheel does, into its row of the record."""
    row[WHEEL_X], row[WHEEL_Y], row[WHEEL_Q] = wrench.F_x, wrench.F_y, wrench.F_z
    row[WHEEL_POINTS] = count
    row[WHEEL_OFFSET], row[WHEEL_RADIUS], row[WHEEL_ANGLE], row[WHEEL_POWER] = 0.0, 0.0, 0.0, 0.0
    total = 0.0
    for k in range(count):
        zone, patch = buffers.zones[k], buffers.patches[k]
        force = patch[N]
        total += force
        row[WHEEL_OFFSET] += force * zone[Y_W]
        row[WHEEL_RADIUS] += force * zone[RADIUS]
        row[WHEEL_ANGLE] = max(row[WHEEL_ANGLE], abs(zone[ANGLE]))
        row[WHEEL_POWER] -= V * (patch[F_X] * patch[XI] + patch[F_Y] * patch[ETA])
    if total > 0.0:
        row[WHEEL_OFFSET] /= total
        row[WHEEL_RADIUS] /= total


@compiled
def _turned_back(force: Wrench, side: float, cos: float, sin: float) -> Wrench:
    """A wheel's wrench in left-hand form and axes of the rails' plane, in track axes."""
    F_y, M_x, M_z = side * force.F_y, side * force.M_x, side * force.M_z
    return Wrench(
        force.F_x,
        cos * F_y - sin * force.F_z,
        cos * force.F_z + sin * F_y,
        M_x,
        cos * force.M_y - sin * M_z,
        cos * M_z + sin * force.M_y,
    )


@compiled
def elastic_wheelset(
    wheels: ElasticWheels,
    w: int,
    q: Array,
    v: Array,
    numbers: Array,
    rails: Rails,
    dt: float,
    wrench: Array,
    C: Array,
    rows: Array,
) -> bool:
    """Forces of wheelset w on its rails into wrench (6,), their damping into C (6, 6), rows of its record (2, ...).

    Whether it is on the track still.
    """
    motion, law, half = wheelset_motion(q, v, numbers), wheels.law, wheels.half[w]
    plane, ahead = plane_at(rails, q[S], half), plane_at(rails, q[S] + dt * v[S], half)
    cos, sin = np.cos(plane.roll), np.sin(plane.roll)
    y, z = in_plane(plane, q[R_Y], q[R_Z])
    v_y, v_z = cos * motion.v_y + sin * motion.v_z, cos * motion.v_z - sin * motion.v_y
    w_y, w_z = cos * motion.omega_y + sin * motion.omega_z, cos * motion.omega_z - sin * motion.omega_y
    V = max(np.sqrt(motion.v_x**2 + motion.v_y**2 + motion.v_z**2), law.v_floor)
    for number in range(2):
        side = 1.0 - 2.0 * number
        y_rail = plane.y_left if number == 0 else plane.y_right
        rise = (ahead.level - plane.level + side * half * (ahead.roll - plane.roll)) / dt
        pose = Pose(side * (y - y_rail), z, side * q[YAW], side * (q[ROLL] - plane.roll))
        moving = Motion(motion.v_x, side * v_y, v_z - rise, side * motion.omega_x, w_y, side * w_z)
        buffers = wheels.buffers[2 * w + number]
        count, force = wheel_forces_kernel(wheels.pairs[2 * w + number], pose, moving, law, buffers)
        count = min(count, buffers.zones.shape[0])
        turned = _turned_back(force, side, cos, sin)
        wrench[0] += turned.F_x
        wrench[1] += turned.F_y
        wrench[2] += turned.F_z
        wrench[3] += turned.M_x
        wrench[4] += turned.M_y
        wrench[5] += turned.M_z
        add_zones(q, pose, side, law, count, buffers, C, V)
        write_wheel(rows[number], turned, count, buffers, V)
    off = 0.5 * (plane.y_left + plane.y_right)
    return bool(abs(y - off) < ASIDE and z - wheels.radius[w] < LIFTED)
