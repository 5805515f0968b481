"""What DIFF finds in many poses: the data contact networks learn from and are judged on."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from twin.contact.curve import curve_many
from twin.contact.network import Ranges
from twin.contact.pair import Pair
from twin.contact.points import CAPACITY, FIELDS, X_R, Y_R
from twin.contact.search import DIFFERENCE, search_batch
from twin.core.arrays import Array, IntArray, frozen

BATCH = 8192
"""Poses whose full rows are in memory at once: 6 MB."""

Progress = Callable[[float], None]
"""Is told the share that is done, 0 to 1."""
Locate = Callable[[Array], tuple[IntArray, Array]]
"""From poses (n, 3: yaw, roll, G_y) to counts (n,) and x, y on the rail (n, capacity, 2) in order of rising y_w [m]."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The contact points of n poses."""

    poses: Array
    """(n, 3) yaw >= 0, roll [rad], G_y [m]."""
    counts: IntArray
    """(n,)"""
    xy: Array
    """(n, capacity, 2) on the rail [m]; what is no point is zero."""

    def __len__(self) -> int:
        return int(self.counts.size)

    def part(self, chosen: slice | IntArray) -> "Survey":
        """Some of the poses."""
        return Survey(self.poses[chosen], self.counts[chosen], self.xy[chosen])

    def of_count(self, count: int) -> "Survey":
        """The poses with that many points."""
        return self.part(np.flatnonzero(self.counts == count))


def survey(
    locate: Locate, ranges: Ranges, *, poses: int, rng: np.random.Generator, progress: Progress | None = None
) -> Survey:
    """Contact points in random poses, even over the ranges; of the yaw one side, the other is its mirror image.

    Even numbers at random leave no gaps in a direction askew to the axes, as [Fal Table 3]'s grid does: the regions of
    equal count are stripes narrower than its steps.
    """
    low = np.array([0.0, ranges.roll_from, ranges.G_y_from])
    high = np.array([ranges.yaw, ranges.roll_to, ranges.G_y_to])
    asked = rng.uniform(low, high, (poses, 3))
    counts, xy = [], []
    for begin in range(0, poses, BATCH):
        found, places = locate(asked[begin : begin + BATCH])
        counts.append(found)
        xy.append(places)
        if progress is not None:
            progress(min(begin + BATCH, poses) / poses)
    return Survey(frozen(asked), frozen(np.concatenate(counts)), frozen(np.concatenate(xy)))


def by_difference(pair: Pair) -> Locate:
    """DIFF as a survey asks it. Points beyond the capacity are counted but have no place."""

    def locate(poses: Array) -> tuple[IntArray, Array]:
        n = len(poses)
        full = np.column_stack((poses[:, 2], np.zeros(n), poses[:, 0], poses[:, 1]))  # the places do not depend on G_z
        rows, counts = np.zeros((n, CAPACITY, FIELDS)), np.zeros(n, dtype=np.int64)
        search_batch(pair, DIFFERENCE, full, rows, counts)
        rows[np.arange(CAPACITY) >= counts[:, None]] = 0.0
        return counts, rows[:, :, [X_R, Y_R]]

    return locate


def rail_values(pair: Pair, y: Array) -> Array:
    """Height, slope and second derivative of the rail (n, 3) at places y (n,) [m]."""
    values = np.empty((y.size, 3))
    curve_many(pair.rail, np.ascontiguousarray(y), values)
    return values


def on_rail(pair: Pair, xy: Array) -> Array:
    """Places x, y (n, capacity, 2) as points of the rail's surface (n, capacity, 3) [m]."""
    z = rail_values(pair, xy[:, :, 1].ravel())[:, 0].reshape(xy.shape[:2])
    return np.dstack((xy, z))
