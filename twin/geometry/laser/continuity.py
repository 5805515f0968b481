"""Which ridge of each column belongs to the line: the path of most light that is continuous, by dynamic programming.

A path gains by the light of its ridges and pays for every row it climbs, for columns left out, and once for each break,
after which it may go on anywhere. So a spot of glare does not pay its break, a second reflection loses against the
brighter first, and a line behind a drop of rain is taken up again.
"""

from typing import NamedTuple

import numpy as np

from twin.core.arrays import Array, IntArray
from twin.numerics.compiled import compiled

NONE = -1
"""No ridge: the beginning of a path, or a column without one."""


class Continuity(NamedTuple):
    """Prices of a path in columns of full light."""

    half: float = 150.0
    """Score of a ridge that gains half a column [counts]."""
    climb: float = 0.02
    """Price of a row between neighbours: speckle moves ridges by a row or two."""
    steepest: float = 6.0
    """Most rows per column within a stretch; a rail's flank at the edge of sight has four."""
    skip: float = 0.05
    """Price of a column left out."""
    longest: int = 6
    """Most columns from one ridge of a stretch to its next."""
    gap: float = 10.0
    """Price of a break: more columns than a spot of glare has."""


@compiled
def follow(row: Array, light: Array, prices: Continuity, value: Array, back: IntArray, path: IntArray) -> None:
    """Fill path (columns,) with the choice of each column, NONE where the line is not seen.

    row, light: (columns, choices) of ridges, row < 0 for none; value, back: workspace of the same shape.
    """
    columns, choices = row.shape
    best_value, best_code = 0.0, NONE
    ended_value, ended_code = 0.0, NONE  # the best path that ended before the column at hand
    for c in range(columns):
        for k in range(choices):
            if row[c, k] < 0.0:
                break
            reached, code = ended_value - (prices.gap if ended_code != NONE else 0.0), ended_code
            if reached < 0.0:
                reached, code = 0.0, NONE
            for d in range(1, min(prices.longest, c) + 1):
                for j in range(choices):
                    if row[c - d, j] < 0.0:
                        break
                    climbed = abs(row[c, k] - row[c - d, j])
                    if climbed <= prices.steepest * d:
                        other = value[c - d, j] - prices.climb * climbed - prices.skip * (d - 1)
                        if other > reached:
                            reached, code = other, (c - d) * choices + j
            value[c, k] = reached + light[c, k] / (light[c, k] + prices.half)
            back[c, k] = code
            if value[c, k] > best_value:
                best_value, best_code = value[c, k], c * choices + k
        ended_value, ended_code = best_value, best_code
    path[:] = NONE
    while best_code != NONE:
        path[best_code // choices] = best_code % choices
        best_code = back[best_code // choices, best_code % choices]


def workspace(columns: int, choices: int) -> tuple[Array, IntArray]:
    """value and back of follow()."""
    return np.zeros((columns, choices)), np.zeros((columns, choices), dtype=np.int64)
