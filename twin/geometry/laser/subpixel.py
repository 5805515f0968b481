"""The middle of the line in every column, to a fraction of a row.

Its centre of gravity, over a window that follows it until window and centre agree: symmetric, so that the window's
ends, a saturated top and foreign light beside the line move nothing. On a slope the section down a column is wider.
"""

from math import floor, pi, sqrt

import numpy as np

from twin.core.arrays import Array, BoolArray, IntArray
from twin.geometry.laser.ridges import Image
from twin.numerics.compiled import compiled

STEEPEST = 4.0
"""Greatest slope that widens the window [-]: beyond, it would reach over the image."""
STRIDE = 5
"""Columns on either side over which the slope is taken."""
BESIDE = 6
"""Rows on either side of the window that show the foreign light."""
ROUNDS = 4
"""Times the window is moved to the centre found."""
WHITE = 255
"""Count of a saturated pixel."""


@compiled
def path_slope(row: Array, path: IntArray, c: int) -> float:
    """Rows per column of the path around a column, from its neighbours STRIDE columns away or nearer."""
    first = last = c
    for d in range(1, STRIDE + 1):
        if c - d >= 0 and path[c - d] >= 0:
            first = c - d
        if c + d < path.size and path[c + d] >= 0:
            last = c + d
    if first == last:
        return 0.0
    return float((row[last, path[last]] - row[first, path[first]]) / (last - first))


@compiled
def light_between(image: Image, column: int, start: float, end: float) -> tuple[float, float]:
    """Sum of the counts of a column from row start to row end, and their moment about row 0.

    Row r is the stretch from r - 0.5 to r + 0.5; both ends cut a share of theirs.
    """
    total = moment = 0.0
    for r in range(max(floor(start + 0.5), 0), min(floor(end + 0.5), image.shape[0] - 1) + 1):
        low, high = max(start, r - 0.5), min(end, r + 0.5)
        counts = image[r, column] * (high - low)
        total += counts
        moment += counts * (low + high) / 2
    return total, moment


@compiled
def find_centre(image: Image, column: int, start: float, sd: float, window: float) -> tuple[float, float, float]:
    """Row of the line's centre near a row, its light and the level of foreign light beside it [counts].

    sd: of the line down the column [rows]; window: half width looked at, in sd. The row is NaN where there is no light.
    """
    rows = image.shape[0]
    half = window * sd
    centre, light, level = start, 0.0, 0.0
    for _ in range(ROUNDS):
        if not half + BESIDE < centre < rows - 1 - half - BESIDE:
            return np.nan, 0.0, 0.0
        above, _ = light_between(image, column, centre - half - BESIDE, centre - half)
        below, _ = light_between(image, column, centre + half, centre + half + BESIDE)
        level = min(above, below) / BESIDE  # the darker side: a reflection may lie on the other one
        total, moment = light_between(image, column, centre - half, centre + half)
        light = total - 2.0 * half * level
        if light <= 0.0:
            return np.nan, 0.0, level
        moved = (moment - 2.0 * half * level * centre) / light
        if abs(moved - start) > half:
            return np.nan, 0.0, level
        settled = abs(moved - centre) < 1e-3
        centre = moved
        if settled:
            break
    return centre, light, level


@compiled
def measure(
    image: Image, row: Array, path: IntArray, scales: tuple[float, float, float], out: Array, saturated: BoolArray
) -> None:
    """Fill out (columns, 4): centre [rows], sd of its noise without speckle, sd of the line down the column, its peak
    [counts] as the light of a Gaussian of that sd has it.

    row (columns, choices) and path (columns,) as follow() has them; scales: sd of the line across itself [pixels],
    half width of the window in sd, noise of a pixel [counts]. NaN where there is no line. saturated (columns,).
    """
    line, window, noise = scales
    for c in range(path.size):
        out[c, :] = np.nan
        saturated[c] = False
        if path[c] < 0:
            continue
        at = row[c, path[c]]
        slope = path_slope(row, path, c)
        sd = line * sqrt(1.0 + min(slope * slope, STEEPEST * STEEPEST))
        centre, light, _ = find_centre(image, c, at, sd, window)
        if np.isnan(centre):
            continue
        half = window * sd
        out[c, 0] = centre
        # white noise of n = 2 half rows: the moment's variance is noise^2 half^3 2 / 3
        out[c, 1] = noise * sqrt(2.0 / 3.0 * half * half * half) / light
        out[c, 2] = sd
        out[c, 3] = light / (sqrt(2.0 * pi) * sd)
        saturated[c] = image[round(centre), c] == WHITE
