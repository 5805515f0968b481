"""Rotations by ZYX Euler angles: R_ab = Rz(yaw) Ry(pitch) Rx(roll) turns components in b into components in a.

Angles are numbers or arrays of one shape (...); vectors are (..., 3), matrices (..., 3, 3). As y points left, a
positive pitch lowers the nose.
"""

import numpy as np
from numpy.typing import ArrayLike

from twin.core.arrays import Array


def rotation(*, roll: ArrayLike, pitch: ArrayLike, yaw: ArrayLike) -> Array:
    """R_ab (..., 3, 3) of the angles of frame b in frame a [rad]."""
    roll, pitch, yaw = np.broadcast_arrays(roll, pitch, yaw)
    c_x, c_y, c_z = np.cos(roll), np.cos(pitch), np.cos(yaw)
    s_x, s_y, s_z = np.sin(roll), np.sin(pitch), np.sin(yaw)
    rows = [
        [c_z * c_y, c_z * s_y * s_x - s_z * c_x, c_z * s_y * c_x + s_z * s_x],
        [s_z * c_y, s_z * s_y * s_x + c_z * c_x, s_z * s_y * c_x - c_z * s_x],
        [-s_y, c_y * s_x, c_y * c_x],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def euler_angles(R_ab: Array) -> tuple[Array, Array, Array]:
    """Roll, pitch and yaw [rad] of rotations (..., 3, 3); pitch in [-pi/2, pi/2], the others in (-pi, pi].

    At a pitch of +-pi/2 only a combination of roll and yaw is defined, and the split between them is arbitrary.
    """
    roll = np.arctan2(R_ab[..., 2, 1], R_ab[..., 2, 2])
    # The arc tangent keeps its accuracy near +-pi/2, where the arc sine of R[2, 0] loses half the digits.
    pitch = np.arctan2(-R_ab[..., 2, 0], np.hypot(R_ab[..., 0, 0], R_ab[..., 1, 0]))
    yaw = np.arctan2(R_ab[..., 1, 0], R_ab[..., 0, 0])
    return roll, pitch, yaw


def skew(v: Array) -> Array:
    """Matrices (..., 3, 3) with skew(v) @ u = v x u, for v (..., 3)."""
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    none = np.zeros_like(x)
    rows = [[none, -z, y], [z, none, -x], [-y, x, none]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def angular_velocity(*, roll: ArrayLike, pitch: ArrayLike, rates: Array) -> Array:
    """Angular velocity of b relative to a, in b (..., 3) [rad/s]: what a gyroscope on b reads.

    rates: (..., 3) time derivatives of roll, pitch and yaw [rad/s].
    """
    c_x, s_x, c_y, s_y = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch)
    roll_rate, pitch_rate, yaw_rate = rates[..., 0], rates[..., 1], rates[..., 2]
    return np.stack(
        [
            roll_rate - s_y * yaw_rate,
            c_x * pitch_rate + c_y * s_x * yaw_rate,
            -s_x * pitch_rate + c_y * c_x * yaw_rate,
        ],
        axis=-1,
    )


def euler_rates(*, roll: ArrayLike, pitch: ArrayLike, omega_b: Array) -> Array:
    """Time derivatives of roll, pitch and yaw (..., 3) [rad/s] under omega_b (..., 3) of b relative to a, in b.

    Inverse of angular_velocity(); grows without bound as pitch nears +-pi/2.
    """
    c_x, s_x = np.cos(roll), np.sin(roll)
    about_x, about_y, about_z = omega_b[..., 0], omega_b[..., 1], omega_b[..., 2]
    swing = s_x * about_y + c_x * about_z
    return np.stack([about_x + np.tan(pitch) * swing, c_x * about_y - s_x * about_z, swing / np.cos(pitch)], axis=-1)
