"""Where a laser line may cross the columns of an image: the best few ridges of each column.

A ridge is bright against what lies above and below it: its score is the light of a box of rows less that of a box of
the same height on either side, so that foreign light, even or sloping, counts for nothing. Scores come from sums of
rows kept in 16 bits: they wrap around, and their differences are right all the same.
"""

import numpy as np
from numpy.typing import NDArray

from twin.core.arrays import Array
from twin.numerics.compiled import compiled

Image = NDArray[np.uint8]
Sums = NDArray[np.uint16]
Scores = NDArray[np.int16]

HALF = 3
"""Rows on either side of a ridge's middle that belong to it."""
GAP = 2
"""Rows left out between the ridge and the boxes beside it."""
REACH = HALF + GAP + 2 * HALF + 1
"""Rows from the middle of a ridge to the end of the boxes beside it."""
BAND = 32
"""Rows of a band: of each column and band the best ridge is kept."""


@compiled
def add_rows(image: Image, sums: Sums) -> None:
    """Fill sums (rows + 1, columns) with the light above every row, modulo 65536."""
    rows, columns = image.shape
    for c in range(columns):
        sums[0, c] = 0
    for r in range(rows):
        for c in range(columns):
            sums[r + 1, c] = np.uint16(sums[r, c] + image[r, c])


@compiled
def best_of_bands(sums: Sums, score: Scores, place: Scores) -> None:
    """Fill score [counts] and place (bands, columns): those of the best ridge of each band of rows."""
    rows, columns = sums.shape[0] - 1, sums.shape[1]
    for band in range(score.shape[0]):
        best, at = score[band], place[band]
        for c in range(columns):
            best[c] = -1
            at[c] = 0
        for r in range(max(band * BAND, REACH), min((band + 1) * BAND, rows - REACH)):
            top, bottom = sums[r - REACH], sums[r + REACH + 1]
            above, below = sums[r - HALF - GAP], sums[r + HALF + GAP + 1]
            start, end = sums[r - HALF], sums[r + HALF + 1]
            row = np.int16(r)
            for c in range(columns):
                light = np.uint16(end[c] - start[c])
                beside = np.uint16(above[c] - top[c]) + np.uint16(bottom[c] - below[c])
                # a box holds at most 7 x 255: twice that fits 16 bits
                value = np.int16(light) - np.int16(beside >> 1)
                better = value > best[c]
                best[c] = value if better else best[c]
                at[c] = row if better else at[c]


@compiled
def choose_ridges(score: Scores, place: Scores, least: float, row: Array, light: Array) -> None:
    """Fill row and light (columns, choices) with the brightest ridges of every column; -1 where there are fewer.

    least: smallest score of a ridge. Of two closer than a box the brighter one stays: the other is its edge, cut off
    by the border of a band.
    """
    bands, columns = score.shape
    choices = row.shape[1]
    for c in range(columns):
        for k in range(choices):
            row[c, k] = -1.0
            light[c, k] = 0.0
        for band in range(bands):
            value = float(score[band, c])
            if value < least:
                continue
            at = place[band, c]
            edge = False
            for other in (band - 1, band + 1):
                if 0 <= other < bands and score[other, c] > score[band, c] and abs(place[other, c] - at) <= 2 * HALF:
                    edge = True
            if edge or value <= light[c, choices - 1]:
                continue
            k = choices - 1
            while k > 0 and light[c, k - 1] < value:
                row[c, k] = row[c, k - 1]
                light[c, k] = light[c, k - 1]
                k -= 1
            row[c, k] = float(at)
            light[c, k] = value
