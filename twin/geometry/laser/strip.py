"""The strip of an image that holds its laser line: as many rows in every column, each column at its own height.

What lies outside is not kept. A strip gives the same line as its image, to the last bit: whoever cuts one finds the
line in both before the image is let go of. Ridges outside the strip are gone, such as reflections; the path through
what is left is the same, or the strip is not used.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from pydantic import Field

from twin.core.arrays import Array, IntArray
from twin.core.settings import Settings
from twin.geometry.laser.ridges import BAND, GAP, HALF, REACH, Image, Scores
from twin.geometry.laser.subpixel import BESIDE, STEEPEST, path_slope
from twin.numerics.compiled import compiled


class StripSettings(Settings):
    """What is kept of an image around its line."""

    margin: int = Field(
        20, ge=REACH + 1, le=500, description="least rows kept above and below the line: 13 find it, the rest lets "
        "later methods see the light beside it"
    )  # fmt: skip
    beside: int = Field(16, ge=0, le=500, description="columns kept beyond the ends of the line")
    fewest: int = Field(60, ge=1, le=8192, description="columns with a line below which the whole image is kept")
    tallest: int = Field(120, ge=2 * REACH + 3, le=8192, description="rows of a strip beyond which it is the image")


@dataclass(frozen=True)
class Strip:
    """The pixels around a line."""

    shape: tuple[int, int]
    """Rows and columns of the image."""
    noise: float
    """Of a pixel of the whole image [counts]."""
    first: int
    """Column of the image that is the strip's first."""
    top: IntArray
    """(columns,) row of the image that is the strip's first, in each of its columns."""
    pixels: Image
    """(rows, columns)"""


@dataclass(frozen=True)
class Ridges:
    """Room for the ridges of every column of an image, and the path through them."""

    score: Scores
    place: Scores
    row: Array
    """(columns, choices)"""
    light: Array
    path: IntArray
    """(columns,)"""

    def rows(self) -> Array:
        """(columns,) rows of the path; NaN where there is none."""
        found = np.full(self.path.size, np.nan)
        on = np.flatnonzero(self.path >= 0)
        found[on] = self.row[on, self.path[on]]
        return found


def cut_strip(
    image: Image, ridges: Ridges, noise: float, scales: tuple[float, float], settings: StripSettings
) -> Strip | None:
    """The strip about a path; None where it would be no path to rely on, or a strip as good as the image.

    scales: sd of the line across itself [pixels], half width of the window it is measured in, in sd.
    """
    rows, columns = image.shape
    path = ridges.rows()
    on = np.flatnonzero(np.isfinite(path))
    if on.size < settings.fewest:
        return None
    half = max(settings.margin, farthest(ridges.row, ridges.path, scales))
    height = 2 * half + 1
    if height > min(settings.tallest, rows):
        return None
    first, last = max(int(on[0]) - settings.beside, 0), min(int(on[-1]) + settings.beside + 1, columns)
    middle = np.rint(np.interp(np.arange(first, last), on, path[on])).astype(np.int64)
    top = np.clip(middle - half, 0, rows - height)
    pixels = image[top + np.arange(height)[:, None], np.arange(first, last)]
    return Strip((rows, columns), noise, first, top, np.ascontiguousarray(pixels))


@compiled
def farthest(row: Array, path: IntArray, scales: tuple[float, float]) -> int:
    """Most rows from the path that measuring the line looks at: its window, moved by its half, and what is beside."""
    line, window = scales
    most = 0.0
    for c in range(path.size):
        if path[c] >= 0:
            slope = path_slope(row, path, c)
            half = window * line * sqrt(1.0 + min(slope * slope, STEEPEST * STEEPEST))
            most = max(most, 2.0 * half + BESIDE)
    return int(most) + 2


@compiled
def strip_ridges(pixels: Image, top: IntArray, first: int, rows: int, score: Scores, place: Scores) -> None:
    """What best_of_bands() finds, of the rows of a strip alone: score and place (bands, columns of the image)."""
    score[:, :] = -1
    place[:, :] = 0
    height = pixels.shape[0]
    sums = np.zeros(height + 1, dtype=np.int64)
    for j in range(pixels.shape[1]):
        for k in range(height):
            sums[k + 1] = sums[k] + pixels[k, j]
        c = first + j
        for k in range(max(REACH, REACH - top[j]), min(height - REACH, rows - REACH - top[j])):
            light = sums[k + HALF + 1] - sums[k - HALF]
            beside = sums[k - HALF - GAP] - sums[k - REACH] + sums[k + REACH + 1] - sums[k + HALF + GAP + 1]
            value = light - (beside >> 1)
            band = (top[j] + k) // BAND
            if value > score[band, c]:
                score[band, c] = value
                place[band, c] = top[j] + k


@compiled
def lay(pixels: Image, top: IntArray, first: int, image: Image) -> None:
    """Write the pixels of a strip to where they are in an image."""
    for k in range(pixels.shape[0]):
        for j in range(pixels.shape[1]):
            image[top[j] + k, first + j] = pixels[k, j]


@compiled
def wipe(height: int, top: IntArray, first: int, image: Image) -> None:
    """Set the pixels of an image that a strip has to zero."""
    for k in range(height):
        for j in range(top.size):
            image[top[j] + k, first + j] = 0
