"""What [Fal] measured in its Tables 2, 5, 7, 10 and 11, measured here: counts, disagreements, errors and times."""

import time
from collections.abc import Callable
from math import pi
from typing import NamedTuple

import numpy as np

from calibration.contact_network import NetworkConfig, train_network
from twin.contact.agreement import agreement
from twin.contact.direct_search import COMPASS, GRID, SIMPLEX, direct_search_batch
from twin.contact.methods import ContactBatch, Method, locate_many
from twin.contact.network import ContactNetwork, network_batch
from twin.contact.network_file import NetworkCard
from twin.contact.pair import Pair, SearchConfig, pair
from twin.contact.points import CAPACITY, FIELDS, GAP, SLOPE, VERTICAL_GAP, X_R, Y_R, Z_R
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.search import DIFFERENCE, DISTANCE, search, search_batch
from twin.core.arrays import Array, BoolArray, IntArray
from twin.numerics.compiled import compiled

CANTS = (1 / 40, 1 / 20)
DEEPEST = 0.33e-3
"""Largest normal indentation [m] [Fal 5.2]."""
AXLE_HEIGHT = 0.46
"""G_z where its value does not matter [m]."""
MOST = 9
"""Counts told apart: 0 to 8."""
WHOLE_HEAD = SearchConfig(wheel=(0.700, 0.790))
"""Where [Fal 3.2.2] looks for the minima of the difference: y_w is bounded, y on the rail is not."""
NARROW_HEAD = SearchConfig(wheel=(0.700, 0.790), rail=(0.720, 0.780))
"""Where [Fal 3.1.2] inverts the rail's slope for DIST."""


class Effort(NamedTuple):
    """How much is measured."""

    every: int
    """Every n-th roll and G_y of [Fal Table 1]'s grid; 1 is all."""
    every_yaw: int
    every_yaw_of_variants: int
    poses: int
    """Random poses of Table 10, for all but GRID."""
    grid_poses: int
    network: NetworkConfig
    as_paper: NetworkConfig
    """Networks of [Fal 4.1.2]'s size and training."""
    timed: int
    """Poses of a timing loop of the fast methods."""
    repeats: int
    """Timing loops, of which the fastest counts."""


FULL = Effort(1, 1, 4, 100_000, 6000, NetworkConfig(), NetworkConfig(hidden=25, epochs=150, starts=1), 5000, 25)
_SMALL = NetworkConfig(
    poses=12_000, training=600, validation=300, test=300, least=300, hidden=8, epochs=12, class_epochs=6, starts=1
)
QUICK = Effort(8, 16, 40, 2000, 10, _SMALL, _SMALL, 1000, 5)


class Track(NamedTuple):
    """A rail as laid."""

    rail: str = "60E1-EN"
    nearer: float = 0.0
    """How far both rails lie nearer to the track's centre than a gauge of 1435 mm puts them [m]."""
    search: SearchConfig = WHOLE_HEAD

    def pair(self, cant: float) -> Pair:
        """An S1002 wheel on it."""
        rail = laid_rail(rail_profile(self.rail), cant=cant, gauge=1.435 - 2.0 * self.nearer)
        return pair(wheel_curve(wheel_profile("S1002")), rail, self.search)


@compiled
def _tally(pair: Pair, yaws: Array, rolls: Array, places: Array, rows: Array, tally: IntArray) -> None:
    """Add to tally (MOST,) how many poses of the grid have 0, 1, 2 ... local minima."""
    for yaw in yaws:
        for roll in rolls:
            for G_y in places:
                tally[search(pair, DIFFERENCE, G_y, AXLE_HEIGHT, yaw, roll, rows)] += 1


def counted(pair: Pair, *, every: int, every_yaw: int) -> IntArray:
    """Poses of [Fal Table 1]'s grid, 161 values a side, with 0, 1, 2 ... local minima (MOST,)."""
    yaws = np.linspace(-pi / 180, pi / 180, 161)[::every_yaw].copy()
    rolls = np.linspace(-pi / 240, pi / 240, 161)[::every].copy()
    places = np.linspace(-10e-3, 10e-3, 161)[::every].copy()
    tally = np.zeros(MOST, dtype=np.int64)
    _tally(pair, yaws, rolls, places, np.empty((MOST, FIELDS)), tally)
    return tally


def random_poses(n: int, *, seed: int = 0) -> Array:
    """Poses (n, 4: G_y, G_z, yaw, roll), even over the ranges of [Fal Table 9]."""
    low, high = (0.0, AXLE_HEIGHT, 0.0, -0.01), (10e-3, AXLE_HEIGHT, 0.01, 0.01)
    return np.random.default_rng(seed).uniform(low, high, (n, 4))


def random_depths(n: int, *, seed: int = 1) -> Array:
    """Indentations (n,) [m] up to the deepest."""
    return np.random.default_rng(seed).uniform(0.0, DEEPEST, (n,))


def sunk(pair: Pair, poses: Array, depth: Array) -> Array:
    """The poses with G_z such that the deepest normal indentation of DIFF's points [Fal eq. 50] is depth (n,) [m]."""
    batch = locate_many(pair, poses)
    cosine = 1.0 / np.hypot(1.0, batch.column(SLOPE))
    lowering = np.fmin.reduce(batch.column(VERTICAL_GAP) + depth[:, None] / cosine, axis=1)
    moved = poses.copy()
    moved[:, 1] -= np.where(batch.counts > 0, lowering, 0.0)
    return moved


class Points(NamedTuple):
    """Places on the rail that count as contact points in n poses."""

    xyz: Array
    """(n, capacity, 3) [m], the counted ones first."""
    counts: IntArray


def all_points(batch: ContactBatch) -> Points:
    """Every local minimum."""
    return _points(batch, np.isfinite(batch.column(GAP)))


def touching_points(batch: ContactBatch) -> Points:
    """The minima that touch [Fal eq. 54]."""
    return _points(batch, batch.column(GAP) <= 0.0)


def _points(batch: ContactBatch, kept: BoolArray) -> Points:
    first = np.argsort(~kept, axis=1, kind="stable")
    xyz = np.take_along_axis(batch.rows[:, :, [X_R, Y_R, Z_R]], first[:, :, None], axis=1)
    return Points(np.ascontiguousarray(xyz), kept.sum(axis=1))


def _level(points: Points) -> Points:
    """The same without heights."""
    return Points(np.ascontiguousarray(points.xyz[:, :, :2]), points.counts)


class Disagreement(NamedTuple):
    """Errors of a tested search, as shares of the reference's points."""

    total: float
    """e of [Fal eq. 61]."""
    too_many: float
    too_few: float


def disagreement(reference: Points, tested: Points) -> Disagreement:
    """How far two searches disagree at 2 mm, and how much of it is in the number of points."""
    total = agreement(
        reference=reference.xyz,
        reference_counts=reference.counts,
        tested=tested.xyz,
        tested_counts=tested.counts,
    ).total
    excess, points = tested.counts - reference.counts, reference.counts.sum()
    return Disagreement(
        total, float(np.maximum(excess, 0).sum() / points), float(np.maximum(-excess, 0).sum() / points)
    )


def of_distance(pair: Pair, poses: Array, depth: Array) -> tuple[Disagreement, Disagreement]:
    """DIST against DIFF: of the points that touch, and of all local minima."""
    moved = sunk(pair, poses, depth)
    difference, distance = locate_many(pair, moved), locate_many(pair, moved, method=Method.DISTANCE)
    return (
        disagreement(touching_points(difference), touching_points(distance)),
        disagreement(all_points(difference), all_points(distance)),
    )


def disagreements(pair: Pair, network: ContactNetwork | None, effort: Effort) -> dict[str, Disagreement]:
    """[Fal Table 10] for one pair; the first DIST is nearest to how [Fal] describes it."""
    poses = random_poses(effort.poses)
    found: dict[str, Disagreement] = {}
    found["DIST"], found["DIST, all minima"] = of_distance(pair, poses, random_depths(effort.poses))
    found["DIST, every pose 0.33 mm deep"], _ = of_distance(pair, poses, np.full(effort.poses, DEEPEST))
    reference = all_points(locate_many(pair, poses))
    found["any, two points at most"] = disagreement(reference, Points(reference.xyz, np.minimum(reference.counts, 2)))
    part = slice(effort.grid_poses)
    grid = all_points(locate_many(pair, poses[part], method=Method.GRID))
    found["GRID"] = disagreement(Points(reference.xyz[part], reference.counts[part]), grid)
    for name, method in (("CS", Method.COMPASS), ("S", Method.SIMPLEX)):
        found[name] = disagreement(reference, all_points(locate_many(pair, poses, method=method)))
    if network is not None:
        batch = locate_many(pair, poses, method=Method.NETWORK, network=network)
        found["NN"] = disagreement(reference, all_points(batch))
        found["NN, in x and y only"] = disagreement(_level(reference), _level(all_points(batch)))
    return found


def trained(track: Track, cant: float, config: NetworkConfig) -> tuple[ContactNetwork, NetworkCard]:
    """Networks of one pair, and their card with the errors of [Fal Tables 5, 7]."""
    name = f"S1002 on {track.rail} at 1/{1 / cant:.0f}"
    return train_network(track.pair(cant), name=name, config=config, seed=0)


def times(pair: Pair, network: ContactNetwork, effort: Effort) -> dict[str, float]:
    """Seconds per pose in compiled loops over random poses, all methods in turn and the fastest of several turns.

    The slow methods get fewer of the poses: loops of like duration have like chances to run undisturbed.
    """
    poses = sunk(pair, random_poses(effort.timed), random_depths(effort.timed))
    some, few = poses[: effort.timed // 20], poses[: effort.timed // 1000]
    rows, counts = np.empty((effort.timed, CAPACITY, FIELDS)), np.empty(effort.timed, dtype=np.int64)
    yaw_roll_place = np.ascontiguousarray(poses[:, [2, 3, 0]])
    hidden, xy = np.empty(network.most_hidden), np.empty((effort.timed, network.counts[-1], 2))
    loops: dict[str, tuple[int, Callable[[], None]]] = {
        "GRID": (len(few), lambda: direct_search_batch(pair, GRID, few, rows, counts)),
        "S": (len(some), lambda: direct_search_batch(pair, SIMPLEX, some, rows, counts)),
        "CS": (len(some), lambda: direct_search_batch(pair, COMPASS, some, rows, counts)),
        "DIST": (len(poses), lambda: search_batch(pair, DISTANCE, poses, rows, counts)),
        "DIFF": (len(poses), lambda: search_batch(pair, DIFFERENCE, poses, rows, counts)),
        "NN": (len(poses), lambda: network_batch(network.packed, yaw_roll_place, hidden, xy, counts)),
    }
    best = dict.fromkeys(loops, np.inf)
    for turn in range(effort.repeats + 1):
        for name, (n, loop) in loops.items():
            began = time.perf_counter()
            loop()
            if turn:  # the first compiles
                best[name] = min(best[name], (time.perf_counter() - began) / n)
    return best
