"""DIFF [Fal 3.2]: contact where the vertical difference of wheel and rail has a local minimum.

On the locus (locus.py) the two-dimensional problem is one of two plane curves, the locus' shadow (Y, Z)(y_w) and the
rail b(y). With the wheel's normal n in track axes, n_x = 0, the shadow's slope is -n_y / n_z, and the derivative of the
difference along the locus is, but for a positive factor,

    F(y_w) = n_y + b'(Y) n_z,     n = R2 (u, -r', -c)

This is [Fal eq. 47] with its misprint put right: the derivative of r_32 y_w is r_32, not r_32 y_w. F rises through zero
exactly where the Hessian of D(x_w, y_w) is positive definite: on the locus F' = P det(H) / (D_xx P - D_xy Q) with
P = dy/dy_w > 0 and Q = dy/dx_w, so the minima are the roots of rising F and need no second look.
"""

import numpy as np

from twin.contact.curve import curve_at, slope_at
from twin.contact.locus import Placement, locus, placed
from twin.contact.points import GAP, SLOPE, VERTICAL_GAP, X_R, X_W, Z_R, fill_surfaces
from twin.core.arrays import Array
from twin.numerics.compiled import compiled


@compiled
def difference_residual(rail: Array, place: Placement, y_w: float, r: float, slope: float) -> float:
    """F where the wheel has radius r and slope r', near a root: where the locus exists."""
    _, Y, _, n_y, n_z, _ = placed(place, y_w, r, slope)
    return n_y + slope_at(rail, Y) * n_z


@compiled
def scan_difference(rail: Array, shadows: Array, F: Array) -> None:
    """F (n,) at all places of the scan, from their shadows (4, n) (locus.shadow)."""
    Y, n_y, n_z = shadows[0], shadows[2], shadows[3]
    for i in range(F.size):
        F[i] = n_y[i] + slope_at(rail, Y[i]) * n_z[i]


@compiled
def fill_difference(wheel: Array, rail: Array, place: Placement, y_w: float, row: Array) -> float:
    """Write the contact point at y_w into row and give its place on the rail.

    The normal gap is the vertical one times the cosine of the rail's angle [Fal eq. 50].
    """
    r, slope, _ = curve_at(wheel, y_w)
    x, Y, Z, _, _, _ = placed(place, y_w, r, slope)
    fill_surfaces(wheel, rail, y_w, Y, row)
    row[X_R] = x
    row[X_W] = r * locus(place.turn, slope)[0]
    row[VERTICAL_GAP] = Z - row[Z_R]
    row[GAP] = row[VERTICAL_GAP] / np.sqrt(1.0 + row[SLOPE] * row[SLOPE])
    return Y
