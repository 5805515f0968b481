"""The contact locus: the one line on a wheel on which a straight rail can touch it, in closed form.

The rail does not change along x, so neither does its normal: the wheel can touch only where its own normal has no x
component. [Fal eq. 23] (DIST), [Fal eq. 44] (DIFF) and Wang's cones [Bur eqs 1-3] all say this, and are the same curve.
With u = x_w / r and c = sqrt(1 - u^2) the condition is

    r_11 u - r_13 c = r_12 r'

whose lower root (c > 0 on the half of the wheel towards the rail) is written down at once. [Fal] squares, takes both
roots and rejects the false one; here nothing is squared, so there is nothing to reject but a wheel slope too steep for
the yaw, where the condition has no root.
"""

from typing import NamedTuple

import numpy as np

from twin.core.arrays import Array
from twin.numerics.compiled import compiled


class Attitude(NamedTuple):
    """Elements of R2 = R_z(yaw) R_x(roll) [Fal eq. 8], and what the locus makes of them."""

    r11: float
    r12: float
    r13: float
    r21: float
    r22: float
    r23: float
    r32: float
    r33: float
    across: float
    """r_11^2 + r_13^2."""


@compiled
def attitude(yaw: float, roll: float) -> Attitude:
    """The wheelset's attitude of yaw and roll [rad]."""
    ca, sa, cb, sb = np.cos(yaw), np.sin(yaw), np.cos(roll), np.sin(roll)
    r13 = sa * sb
    return Attitude(ca, -sa * cb, r13, sa, ca * cb, -ca * sb, sb, cb, ca * ca + r13 * r13)


@compiled
def locus(turn: Attitude, slope: float) -> tuple[float, float, bool]:
    """u = x_w / r and c = sqrt(1 - u^2) of the locus where the wheel's slope is r', and whether it exists."""
    q = turn.r12 * slope
    rest = turn.across - q * q
    if rest < 0.0:
        return 0.0, 1.0, False
    root = np.sqrt(rest)
    return (turn.r11 * q + turn.r13 * root) / turn.across, (turn.r11 * root - turn.r13 * q) / turn.across, True


class Placement(NamedTuple):
    """A wheelset's pose as the kernels need it: attitude and axle centre [m]."""

    turn: Attitude
    G_y: float
    G_z: float


@compiled
def placed(place: Placement, y_w: float, r: float, slope: float) -> tuple[float, float, float, float, float, bool]:
    """The locus at y_w in the track frame: x, y, z [m], then the wheel's normal n_y, n_z < 0, and whether it exists.

    The normal is R2 (u, -r', -c), out of the wheel, not of unit length; its x component is zero by the locus.
    """
    t = place.turn
    u, c, real = locus(t, slope)
    x_w, down = r * u, r * c
    x = t.r11 * x_w + t.r12 * y_w - t.r13 * down
    y = place.G_y + t.r21 * x_w + t.r22 * y_w - t.r23 * down
    z = place.G_z + t.r32 * y_w - t.r33 * down
    return x, y, z, t.r21 * u - t.r22 * slope - t.r23 * c, -t.r32 * slope - t.r33 * c, real


@compiled
def shadow(place: Placement, y_w: Array, r: Array, slope: Array, out: Array) -> None:
    """placed() at many places at once: out (4, n) gets y, z, n_y, n_z; n_y is NaN where the locus does not exist.

    One straight loop, which the compiler turns into vector instructions.
    """
    t, G_y, G_z = place.turn, place.G_y, place.G_z
    Y, Z, n_y, n_z = out[0], out[1], out[2], out[3]
    for i in range(y_w.size):
        q = t.r12 * slope[i]
        rest = t.across - q * q
        root = np.sqrt(max(rest, 0.0))
        u, c = (t.r11 * q + t.r13 * root) / t.across, (t.r11 * root - t.r13 * q) / t.across
        Y[i] = G_y + t.r21 * r[i] * u + t.r22 * y_w[i] - t.r23 * r[i] * c
        Z[i] = G_z + t.r32 * y_w[i] - t.r33 * r[i] * c
        n_y[i] = t.r21 * u - t.r22 * slope[i] - t.r23 * c if rest >= 0.0 else np.nan
        n_z[i] = -t.r32 * slope[i] - t.r33 * c


def locus_points(*, y_w: Array, r: Array, slope: Array, yaw: float, roll: float) -> Array:
    """The locus (n, 3) in track axes from the axle's centre [m], of wheel places y_w with radius r and slope r'.

    Rows are NaN where the wheel is too steep for the yaw.
    """
    t = attitude(yaw, roll)
    q = t.r12 * slope
    with np.errstate(invalid="ignore"):
        root = np.sqrt(t.across - q * q)
    x, down = r * (t.r11 * q + t.r13 * root) / t.across, r * (t.r11 * root - t.r13 * q) / t.across
    return np.column_stack(
        [
            t.r11 * x + t.r12 * y_w - t.r13 * down,
            t.r21 * x + t.r22 * y_w - t.r23 * down,
            t.r32 * y_w - t.r33 * down,
        ]
    )


def wang_points(*, y_w: Array, r: Array, slope: Array, yaw: float, roll: float) -> Array:
    """Wang's locus (n, 3) in the same axes, by his own formulas: the wheel as a cone at each place [Bur eqs 1-3].

    Two misprints of [Bur] are put right. Eq. 1 is not orthonormal: row one lacks cos and sin of the roll, and the axle
    must point along l = R2 e_y. Eq. 2 prints l_y where l_z belongs in the first term of dz; as printed the locus is
    0.39 mm off at a yaw of one degree. Here y is left and z up, so l_x = -cos(roll) sin(yaw).
    """
    l_x, l_y, l_z = -np.cos(roll) * np.sin(yaw), np.cos(roll) * np.cos(yaw), np.sin(roll)
    across = 1.0 - l_x * l_x
    with np.errstate(invalid="ignore"):
        m = np.sqrt(1.0 - l_x * l_x * (1.0 + slope * slope))
    x = l_x * (y_w + r * slope)
    y = l_y * y_w - r / across * (l_x * l_x * l_y * slope - l_z * m)
    z = l_z * y_w - r / across * (l_x * l_x * l_z * slope + l_y * m)
    return np.column_stack([x, y, z])
