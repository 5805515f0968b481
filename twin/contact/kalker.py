"""Kalker's creepage coefficients C11, C22, C23, C33 by the shape of the patch and Poisson's ratio.

The table is Kalker's (Three-Dimensional Elastic Bodies in Rolling Contact, 1990, Table E.3): a/b from 0.1 to 10, nu 0,
1/4 and 1/2. Its reciprocals are nearly linear both in nu and in g = min(a/b, b/a), so 1/C is what is interpolated: by
the parabola in nu, then monotonically (Fritsch-Carlson) over the table's own places, which are equidistant in g. The
table's values come out exactly, and nothing overshoots between them. (C33 of long patches is an exception: C, not 1/C,
is linear in nu. At a/b = 5 and nu = 0.28 that is 1.3 %; one rule for all keeps to the published use of the table.)

Beyond the table stand Kalker's limits for slender patches, led from the last row by a correction that fades with g.
"""

from typing import NamedTuple

import numpy as np
from scipy.interpolate import PchipInterpolator

from twin.core.arrays import Array, frozen
from twin.numerics.compiled import compiled

FIRST = 0.1
"""Smallest g = min(a/b, b/a) of the table."""
SLENDER = 1e-6
"""Least g: more slender patches count as this one."""
POISSON = (0.0, 0.25, 0.5)
"""Poisson's ratios of the table."""
TABLE: Array = frozen(
    np.array(
        # (C11, C22, C23, C33) at nu = 0, 1/4, 1/2; a row for a/b = 0.1, 0.2 ... 1, then b/a = 0.9, 0.8 ... 0.1
        [
            ((2.51, 2.51, 0.334, 6.42), (3.31, 2.52, 0.473, 8.28), (4.85, 2.53, 0.731, 11.7)),
            ((2.59, 2.59, 0.483, 3.46), (3.37, 2.63, 0.603, 4.27), (4.81, 2.66, 0.809, 5.66)),
            ((2.68, 2.68, 0.607, 2.49), (3.44, 2.75, 0.715, 2.96), (4.8, 2.81, 0.889, 3.72)),
            ((2.78, 2.78, 0.72, 2.02), (3.53, 2.88, 0.823, 2.32), (4.82, 2.98, 0.977, 2.77)),
            ((2.88, 2.88, 0.827, 1.74), (3.62, 3.01, 0.929, 1.93), (4.83, 3.14, 1.07, 2.22)),
            ((2.98, 2.98, 0.93, 1.56), (3.72, 3.14, 1.03, 1.68), (4.91, 3.31, 1.18, 1.86)),
            ((3.09, 3.09, 1.03, 1.43), (3.81, 3.28, 1.14, 1.5), (4.97, 3.48, 1.29, 1.6)),
            ((3.19, 3.19, 1.13, 1.34), (3.91, 3.41, 1.25, 1.37), (5.05, 3.65, 1.4, 1.42)),
            ((3.29, 3.29, 1.23, 1.27), (4.01, 3.54, 1.36, 1.27), (5.12, 3.82, 1.51, 1.27)),
            ((3.4, 3.4, 1.33, 1.21), (4.12, 3.67, 1.47, 1.19), (5.2, 3.98, 1.63, 1.16)),
            ((3.51, 3.51, 1.44, 1.16), (4.22, 3.81, 1.59, 1.11), (5.3, 4.16, 1.77, 1.06)),
            ((3.65, 3.65, 1.58, 1.1), (4.36, 3.99, 1.75, 1.04), (5.42, 4.39, 1.94, 0.954)),
            ((3.82, 3.82, 1.76, 1.05), (4.54, 4.21, 1.95, 0.965), (5.58, 4.67, 2.18, 0.852)),
            ((4.06, 4.06, 2.01, 1.01), (4.78, 4.5, 2.23, 0.892), (5.8, 5.04, 2.5, 0.751)),
            ((4.37, 4.37, 2.35, 0.958), (5.1, 4.9, 2.62, 0.819), (6.11, 5.56, 2.96, 0.65)),
            ((4.84, 4.84, 2.88, 0.912), (5.57, 5.48, 3.24, 0.747), (6.57, 6.31, 3.7, 0.549)),
            ((5.57, 5.57, 3.79, 0.868), (6.34, 6.4, 4.32, 0.674), (7.34, 7.51, 5.01, 0.446)),
            ((6.96, 6.96, 5.72, 0.828), (7.78, 8.14, 6.63, 0.601), (8.82, 9.79, 7.89, 0.341)),
            ((10.7, 10.7, 12.2, 0.795), (11.7, 12.8, 14.6, 0.526), (12.9, 16.0, 18.0, 0.228)),
        ]
    )
)


class Kalker(NamedTuple):
    """The coefficients for one Poisson's ratio, ready for compiled code."""

    pieces: Array
    """(18, 4, 4) between neighbouring rows: rising powers of the place, coefficient of 1/C."""
    ends: Array
    """(2, 4) first and last row over Kalker's limits there."""
    nu: float


def kalker_table(*, nu: float) -> Kalker:
    """The table for a Poisson's ratio within 0..0.5."""
    if not POISSON[0] <= nu <= POISSON[-1]:
        raise ValueError(f"Kalker's table holds Poisson's ratios 0..0.5, got {nu:g}")
    t = nu / POISSON[1]
    weights = np.array([(t - 1) * (t - 2) / 2, -t * (t - 2), t * (t - 1) / 2])
    compliance = np.einsum("n,rnc->rc", weights, 1 / TABLE)
    pieces = PchipInterpolator(np.arange(len(TABLE)), compliance).c[::-1].transpose(1, 0, 2)
    limits = np.array([asymptotes(FIRST, nu), asymptotes(1 / FIRST, nu)])
    return Kalker(np.ascontiguousarray(pieces), 1 / compliance[[0, -1]] / limits, nu)


@compiled
def asymptotes(a_over_b: float, nu: float) -> tuple[float, float, float, float]:
    """Kalker's limits of C11, C22, C23, C33 for a/b -> 0 and b/a -> 0, as quoted from his thesis (1967).

    They could be checked only against the table's ends, whose rows they meet within 8 %, most of them within 4 %.
    """
    g = min(a_over_b, 1.0 / a_over_b)
    e = 1.0 - nu
    L = np.log(16.0 / (g * g))
    if a_over_b < 1.0:
        C23 = np.pi * np.sqrt(g) / (3.0 * e) * (1.0 + nu * (0.5 * L + np.log(4.0) - 5.0))
        return np.pi**2 / (4.0 * e), np.pi**2 / 4.0, C23, np.pi**2 / (16.0 * e * g)
    k = 3.0 - np.log(4.0)
    d1, d2, d3 = L - 2.0 * nu, e * L + 2.0 * nu, e * L - 2.0 + 4.0 * nu
    C11 = 2.0 * np.pi / (g * d1) * (1.0 + k / d1)
    C22 = 2.0 * np.pi / (g * d2) * (1.0 + e * k / d2)
    C23 = 2.0 * np.pi / (3.0 * g * np.sqrt(g) * d3)
    return C11, C22, C23, np.pi / 4.0 * (1.0 - nu * (L - 2.0) / d3)


@compiled
def kalker_coefficients(table: Kalker, a_over_b: float) -> tuple[float, float, float, float]:
    """C11, C22, C23, C33 of a patch with semi-axes a along and b across the rolling direction, a/b > 0."""
    a_over_b = min(max(a_over_b, SLENDER), 1.0 / SLENDER)
    g = min(a_over_b, 1.0 / a_over_b)
    if g < FIRST:
        C11, C22, C23, C33 = asymptotes(a_over_b, table.nu)
        end, fade = table.ends[0 if a_over_b < 1.0 else 1], g / FIRST
        return (
            C11 * (1.0 + (end[0] - 1.0) * fade),
            C22 * (1.0 + (end[1] - 1.0) * fade),
            C23 * (1.0 + (end[2] - 1.0) * fade),
            C33 * (1.0 + (end[3] - 1.0) * fade),
        )
    place = 10.0 * g - 1.0 if a_over_b < 1.0 else 19.0 - 10.0 * g
    row = min(max(int(place), 0), table.pieces.shape[0] - 1)
    x, c = place - row, table.pieces[row]
    return (
        1.0 / (c[0, 0] + x * (c[1, 0] + x * (c[2, 0] + x * c[3, 0]))),
        1.0 / (c[0, 1] + x * (c[1, 1] + x * (c[2, 1] + x * c[3, 1]))),
        1.0 / (c[0, 2] + x * (c[1, 2] + x * (c[2, 2] + x * c[3, 2]))),
        1.0 / (c[0, 3] + x * (c[1, 3] + x * (c[2, 3] + x * c[3, 3]))),
    )
