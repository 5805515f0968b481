"""Contact points of one wheel by any of six methods, behind one signature."""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from twin.contact import direct_search as direct
from twin.contact import search as exact
from twin.contact.pair import Pair
from twin.contact.points import CAPACITY, FIELDS, SLOPE, Y_R, Y_W, ContactPoints, Pose, Side, contact_points
from twin.core.arrays import Array, IntArray, frozen
from twin.core.errors import ConfigError


class Method(Enum):
    """How contact points are found."""

    DIFFERENCE = exact.DIFFERENCE
    """Minima of the vertical difference, to rounding [Fal 3.2]. The fastest of the exact ones, and the default."""
    DISTANCE = exact.DISTANCE
    """Common normals, to rounding [Fal 3.1]. The same points where the surfaces touch; others where they penetrate."""
    GRID = direct.GRID
    """Minima of the difference on a grid, to 0.1 mm."""
    SIMPLEX = direct.SIMPLEX
    """Minima of the difference by Nelder and Mead's simplex from several starts; misses some."""
    COMPASS = direct.COMPASS
    """Minima of the difference by compass search from several starts; misses some."""


@dataclass(frozen=True)
class ContactBatch:
    """Contact points of one wheel in n poses."""

    rows: Array
    """(n, capacity, FIELDS), see points.py, y and slopes as on the wheel's own side; NaN beyond the points found."""
    counts: IntArray
    """How many points each pose has (n,)."""

    def column(self, field: int) -> Array:
        """One field of all points (n, capacity)."""
        return self.rows[:, :, field]


def locate(pair: Pair, pose: Pose, *, side: Side = Side.LEFT, method: Method = Method.DIFFERENCE) -> ContactPoints:
    """The contact points of one wheel: local minima of the gap, touching or not, of any number.

    pair: the wheel on its rail, in left-hand form; a right wheel's pair is that of its mirror image. A wheel beyond
    its rail has no points. A pose that is no number is a ConfigError.
    """
    batch = locate_many(pair, np.array([pose]), side=side, method=method)
    return contact_points(batch.rows[0, : batch.counts[0]], Side.LEFT)


def locate_many(
    pair: Pair, poses: Array, *, side: Side = Side.LEFT, method: Method = Method.DIFFERENCE
) -> ContactBatch:
    """locate() for every pose (n, 4: G_y, G_z [m], yaw, roll [rad])."""
    if poses.ndim != 2 or poses.shape[1] != 4:
        raise ConfigError(f"poses must have shape (n, 4): G_y, G_z, yaw, roll; got {poses.shape}")
    strange = np.flatnonzero(~np.isfinite(poses).all(axis=1))
    if strange.size:
        raise ConfigError(f"pose {strange[0]} is not finite: {poses[strange[0]].tolist()}; give metres and radians")
    sign = float(side.value)
    left_hand = np.ascontiguousarray(poses * (sign, 1.0, sign, sign), dtype=np.float64)
    rows, counts = _search(pair, left_hand, method, CAPACITY)
    most = int(counts.max(initial=0))
    if most > CAPACITY:
        rows, counts = _search(pair, left_hand, method, most)
    rows[np.arange(rows.shape[1]) >= counts[:, None]] = np.nan
    rows[:, :, (Y_W, Y_R, SLOPE)] *= sign
    return ContactBatch(frozen(rows), frozen(counts))


def _search(pair: Pair, poses: Array, method: Method, capacity: int) -> tuple[Array, IntArray]:
    """Rows (n, capacity, FIELDS) and counts (n,), which may exceed the capacity, in left-hand form."""
    rows, counts = np.empty((poses.shape[0], capacity, FIELDS)), np.empty(poses.shape[0], dtype=np.int64)
    batch = exact.search_batch if method in (Method.DIFFERENCE, Method.DISTANCE) else direct.direct_search_batch
    batch(pair, method.value, poses, rows, counts)
    return rows, counts
