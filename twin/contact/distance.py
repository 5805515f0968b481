"""DIST [Fal 3.1, Ign eqs 1-14]: contact where the distance of the surfaces along their common normal is stationary.

From a point of the locus (locus.py) the wheel's normal is followed to the rail, at y_r. It is the rail's too where

    F(y_w) = n_y + b'(y_r) n_z = 0,     y_r - Y = -m (b(y_r) - Z),     m = -n_y / n_z

which are [Fal eqs 18, 19]. [Fal] finds y_r the other way round, by inverting the rail's slope b', and so needs a rail
whose slope falls all the way: a worn rail's does not, and its solutions multiply. The normal meets a rail of any shape
once, two steps from Y, and the solutions are the same. Roots of rising F are those whose curvatures make a
contact [Fal eq. 33].
"""

import numpy as np

from twin.contact.curve import curve_at, slope_at
from twin.contact.locus import Placement, locus, placed
from twin.contact.points import GAP, SLOPE, VERTICAL_GAP, X_R, X_W, Z_R, fill_surfaces
from twin.core.arrays import Array
from twin.numerics.compiled import compiled

STEPS = 12
"""Most steps to the rail; two do from within a centimetre."""

CLOSE = 1e-6
"""Step at which the foot counts as found [m]: the next would be its cube over the square of the rail's radius."""


@compiled
def _step_to_rail(Y: float, Z: float, m: float, y: float, b: float, b1: float, b2: float) -> float:
    """From y to where the normal meets the parabola that touches the rail there with its curvature; NaN if nowhere."""
    lean, miss = 1.0 + m * b1, Y - y - m * (b - Z)
    root = lean * lean + 2.0 * m * b2 * miss
    if lean < 0.1 or root < 0.0:  # the normal runs along the rail, or past it
        return np.nan
    return float(2.0 * miss / (lean + np.sqrt(root)))


@compiled
def normal_foot(rail: Array, Y: float, Z: float, m: float) -> tuple[float, float]:
    """Where the normal of slope -1/m through (Y, Z) meets the rail [m], and the rail's slope there.

    NaN, and so no contact, where it misses the rail: wheel and rail then lie centimetres off or within each other.
    """
    y, b1 = Y, 0.0
    for _ in range(STEPS):
        b, b1, b2 = curve_at(rail, y)
        step = _step_to_rail(Y, Z, m, y, b, b1, b2)
        if not np.isfinite(step):
            return np.nan, np.nan
        y += step
        b1 += b2 * step
        if abs(step) < CLOSE:
            break
    return y, b1


@compiled
def distance_residual(rail: Array, place: Placement, y_w: float, r: float, slope: float) -> float:
    """F where the wheel has radius r and slope r', near a root: where the locus exists."""
    _, Y, Z, n_y, n_z, _ = placed(place, y_w, r, slope)
    _, b1 = normal_foot(rail, Y, Z, -n_y / n_z)
    return n_y + b1 * n_z


@compiled
def scan_distance(rail: Array, shadows: Array, F: Array) -> None:
    """F (n,) at all places of the scan, from their shadows (4, n) (locus.shadow), with one step to the rail.

    That is the foot to a micrometre within a millimetre of the rail; search.py takes exact values before it closes in.
    """
    Y, Z, n_y, n_z = shadows[0], shadows[1], shadows[2], shadows[3]
    for i in range(F.size):
        b, b1, b2 = curve_at(rail, Y[i])
        F[i] = _step_to_rail(Y[i], Z[i], -n_y[i] / n_z[i], Y[i], b, b1, b2)
    for i in range(F.size):  # a second loop: the look-ups of the first need not wait for the steps
        if np.isfinite(F[i]):
            F[i] = n_y[i] + slope_at(rail, Y[i] + F[i]) * n_z[i]


@compiled
def fill_distance(wheel: Array, rail: Array, place: Placement, y_w: float, row: Array) -> float:
    """Write the contact point at y_w into row and give its place on the rail.

    The gap is that along the normal itself [Fal eq. 32].
    """
    r, slope, _ = curve_at(wheel, y_w)
    x, Y, Z, n_y, n_z, _ = placed(place, y_w, r, slope)
    y_r, _ = normal_foot(rail, Y, Z, -n_y / n_z)
    fill_surfaces(wheel, rail, y_w, y_r, row)
    row[X_R] = x
    row[X_W] = r * locus(place.turn, slope)[0]
    row[VERTICAL_GAP] = Z - curve_at(rail, Y)[0]
    row[GAP] = (Z - row[Z_R] - row[SLOPE] * (Y - y_r)) / np.sqrt(1.0 + row[SLOPE] * row[SLOPE])
    return y_r
