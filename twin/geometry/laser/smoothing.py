"""The line freed of speckle: a parabola through the neighbours of every column, as wide as the line allows.

Speckle moves the centre of every column by its own share of the line's width, over one or two columns. A wide window
averages more of it, but cuts the corners of the section. So several widths are tried, and the widest one is taken whose
answer the narrower ones do not contradict [Lepskii 1991].
"""

from math import sqrt

import numpy as np

from twin.core.arrays import Array
from twin.numerics.compiled import compiled

WIDTHS = (7, 11, 17, 26)
"""Columns on either side of the windows tried."""
CONTRADICTION = 3.0
"""Standard deviations of their difference by which two widths must differ."""
FEWEST = 5
"""Points of a parabola."""


@compiled
def local_parabola(centre: Array, sd: Array, column: int, half: int) -> tuple[float, float]:
    """Value at a column of the parabola through the centres up to half columns away, and its sd if those are white.

    centre, sd: (columns,), NaN where unknown. NaN where there are too few, or none on one side.
    """
    s0 = s1 = s2 = s3 = s4 = t0 = t1 = t2 = 0.0
    before = after = count = 0
    for c in range(max(column - half, 0), min(column + half, centre.size - 1) + 1):
        if np.isnan(centre[c]):
            continue
        x = float(c - column) / half
        w = 1.0 / (sd[c] * sd[c])
        t = w * (centre[c] - centre[column])
        count += 1
        before += c < column
        after += c > column
        s0 += w
        s1 += w * x
        s2 += w * x * x
        s3 += w * x * x * x
        s4 += w * x * x * x * x
        t0 += t
        t1 += t * x
        t2 += t * x * x
    if count < FEWEST or before == 0 or after == 0:
        return np.nan, np.nan
    # first row of the inverse of the normal matrix, by cofactors
    c0, c1, c2 = s2 * s4 - s3 * s3, s2 * s3 - s1 * s4, s1 * s3 - s2 * s2
    det = s0 * c0 + s1 * c1 + s2 * c2
    if det <= 1e-12 * s0 * s2 * s4:
        return np.nan, np.nan
    return centre[column] + (c0 * t0 + c1 * t1 + c2 * t2) / det, sqrt(c0 / det)


@compiled
def smooth(centre: Array, sd: Array, correlation: float, out: Array) -> None:
    """Fill out (columns, 2) with the smoothed row and its sd; where no parabola fits, with the centre itself.

    centre, sd: (columns,) and NaN where unknown; correlation: columns that share one speckle.
    """
    spread = sqrt(correlation)
    values, errors = np.empty(len(WIDTHS)), np.empty(len(WIDTHS))
    for c in range(centre.size):
        out[c, 0], out[c, 1] = centre[c], sd[c]
        if np.isnan(centre[c]):
            continue
        for i, half in enumerate(WIDTHS):
            value, error = local_parabola(centre, sd, c, half)
            if np.isnan(value):
                break
            values[i], errors[i] = value, error * spread
            agrees = True
            for j in range(i):
                # the wider window holds the narrower one: their difference has the difference of the variances
                allowed = CONTRADICTION * sqrt(max(errors[j] ** 2 - errors[i] ** 2, 0.0))
                agrees = agrees and abs(values[j] - value) <= allowed
            if not agrees:
                break
            out[c, 0], out[c, 1] = value, min(errors[i], sd[c])
