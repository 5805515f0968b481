"""Contact points of one wheel by any of six methods, behind one signature."""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from twin.contact import direct_search as direct
from twin.contact import search as exact
from twin.contact.network import OUTSIDE, ContactNetwork, OutsideTrainingError, Packed, network_search
from twin.contact.pair import Pair
from twin.contact.points import CAPACITY, FIELDS, SLOPE, Y_R, Y_W, ContactPoints, Pose, Side, contact_points
from twin.core.arrays import Array, IntArray, frozen
from twin.core.errors import ConfigError
from twin.numerics.compiled import compiled


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
    NETWORK = 5
    """Perceptrons trained on DIFFERENCE [Fal 4]; within their ranges only."""


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


def locate(
    pair: Pair,
    pose: Pose,
    *,
    side: Side = Side.LEFT,
    method: Method = Method.DIFFERENCE,
    network: ContactNetwork | None = None,
) -> ContactPoints:
    """The contact points of one wheel: local minima of the gap, touching or not, of any number.

    pair: the wheel on its rail, in left-hand form; a right wheel's pair is that of its mirror image. network: what
    NETWORK needs, trained for the pair; a pose it does not know is an OutsideTrainingError. A wheel beyond its rail
    has no points. A pose that is no number is a ConfigError.
    """
    batch = locate_many(pair, np.array([pose]), side=side, method=method, network=network)
    return contact_points(batch.rows[0, : batch.counts[0]], Side.LEFT)  # the batch has turned them to their side


def locate_many(
    pair: Pair,
    poses: Array,
    *,
    side: Side = Side.LEFT,
    method: Method = Method.DIFFERENCE,
    network: ContactNetwork | None = None,
) -> ContactBatch:
    """locate() for every pose (n, 4: G_y, G_z [m], yaw, roll [rad])."""
    if poses.ndim != 2 or poses.shape[1] != 4:
        raise ConfigError(f"poses must have shape (n, 4): G_y, G_z, yaw, roll; got {poses.shape}")
    strange = np.flatnonzero(~np.isfinite(poses).all(axis=1))
    if strange.size:
        raise ConfigError(f"pose {strange[0]} is not finite: {poses[strange[0]].tolist()}; give metres and radians")
    sign = float(side.value)
    left_hand = np.ascontiguousarray(poses * (sign, 1.0, sign, sign), dtype=np.float64)
    if method is Method.NETWORK:
        rows, counts = _ask(network, pair, left_hand)
    else:
        rows, counts = _search(pair, left_hand, method, CAPACITY)
        if int(counts.max(initial=0)) > CAPACITY:
            rows, counts = _search(pair, left_hand, method, int(counts.max()))
    rows[np.arange(rows.shape[1]) >= counts[:, None]] = np.nan
    rows[:, :, (Y_W, Y_R, SLOPE)] *= sign
    return ContactBatch(frozen(rows), frozen(counts))


def _search(pair: Pair, poses: Array, method: Method, capacity: int) -> tuple[Array, IntArray]:
    """Rows (n, capacity, FIELDS) and counts (n,), which may exceed the capacity, in left-hand form."""
    rows, counts = np.empty((poses.shape[0], capacity, FIELDS)), np.empty(poses.shape[0], dtype=np.int64)
    batch = exact.search_batch if method in (Method.DIFFERENCE, Method.DISTANCE) else direct.direct_search_batch
    batch(pair, method.value, poses, rows, counts)
    return rows, counts


def _ask(network: ContactNetwork | None, pair: Pair, poses: Array) -> tuple[Array, IntArray]:
    """Rows (n, capacity, FIELDS) and counts (n,) by the network, in left-hand form."""
    if network is None:
        raise ConfigError("NETWORK needs a network: load one, or train it with `railtwin calibrate contact-network`")
    most = network.counts[-1]
    rows, counts = np.empty((poses.shape[0], most, FIELDS)), np.empty(poses.shape[0], dtype=np.int64)
    _network_batch(network.packed, pair, poses, np.empty(network.most_hidden), np.empty((most, 2)), rows, counts)
    unknown = np.flatnonzero(counts == OUTSIDE)
    if unknown.size:
        raise OutsideTrainingError(
            f"{unknown.size} of {counts.size} poses, the first of them {Pose(*poses[unknown[0]].tolist())}, seen as a "
            f"left wheel, lie outside what the network was trained for ({network.ranges}); train it on wider ranges, "
            "or use DIFFERENCE"
        )
    return rows, counts


@compiled
def _network_batch(
    packed: Packed, pair: Pair, poses: Array, hidden: Array, xy: Array, rows: Array, counts: IntArray
) -> None:
    """network_search() for every pose (n, 4); rows (n, capacity, FIELDS), counts (n,)."""
    for k in range(poses.shape[0]):
        counts[k] = network_search(
            packed, pair, poses[k, 0], poses[k, 1], poses[k, 2], poses[k, 3], hidden, xy, rows[k]
        )
