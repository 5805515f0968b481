"""Contact points from a table: DIFF in the nodes of a regular grid of poses, linear between them.

What [Fal 5.2] compares its networks with. The places of the local minima do not depend on G_z, so the grid has three
axes: yaw (one side; the other is its mirror image), roll, and g = G_y + lever roll, the place of the wheel's foot
across. Points come and go, and jump, nearly at the same g whatever the roll, so the roll needs but few nodes.

A cell whose corners do not have the same points is no ground for interpolation. There the nearest corner says how many
points there are, and only the corners that agree with it say where. So the border of a region is off by up to half a
step, which is the table's main error; the finer the grid the smaller, and the bigger the table.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from twin.contact.network import OUTSIDE, OutsideTrainingError, Ranges
from twin.contact.pair import Pair
from twin.contact.points import CAPACITY, FIELDS, X_R, Y_R
from twin.contact.search import DIFFERENCE, search_batch
from twin.core.arrays import Array, IntArray, frozen
from twin.core.errors import ConfigError
from twin.core.settings import Settings
from twin.numerics.compiled import compiled

FALOMI_RANGES = Ranges(yaw=0.01, roll_from=-0.01, roll_to=0.01, G_y_from=0.0, G_y_to=0.01)
"""Of [Fal Table 9]."""

BATCH = 8192
"""Poses whose full rows are in memory at once: 6 MB."""

EDGE = 1e-9
"""Rounding of a pose on the last node, in steps."""


class TableConfig(Settings):
    """The grid of a table of contact points."""

    yaw_step: float = Field(
        default=2e-3, gt=1e-5, le=0.02, description="[rad], 0.01 to 20 mrad: the points move little with the yaw"
    )
    roll_step: float = Field(
        default=5e-4, gt=1e-6, le=0.01, description="[rad], up to 10 mrad: what the foot's place leaves to it is little"
    )
    step: float = Field(
        default=5e-5, gt=1e-6, le=5e-3, description="of g [m], up to 5 mm: a jump is misplaced by up to half of it"
    )
    lever: float = Field(
        default=0.55,
        ge=0.0,
        le=1.0,
        description="of g with the roll [m], up to 1 m: a little over the wheel's radius keeps jumps at one g",
    )
    jump: float = Field(
        default=2e-3,
        gt=0.0,
        le=0.02,
        description="difference of a point's y among the corners of a cell beyond which they are two [m], "
        "up to 20 mm: [Fal]'s tolerance",
    )


class TableArrays(NamedTuple):
    """A table as the kernels take it, left-hand form; nodes (a, b, c) of yaw, roll and g."""

    grid: Array
    """(3, 3) of each axis: first node, nodes per unit, number of the last node."""
    lever: float
    """g = G_y + lever roll [m]."""
    G_y: Array
    """(2,) first and last G_y [m]."""
    counts: NDArray[np.int8]
    """(a, b, c)"""
    whole: NDArray[np.uint8]
    """(a - 1, b - 1, c - 1) whether all corners of a cell have the same points."""
    points: NDArray[np.float32]
    """(a, b, c, k, 2) x and y on the rail in order of rising y_w [m]; zero where there is no point."""
    jump: float
    """As configured [m]."""


@dataclass(frozen=True)
class ContactTable:
    """A table of contact points of one wheel on one rail."""

    ranges: Ranges
    arrays: TableArrays

    @property
    def most(self) -> int:
        """Largest number of points."""
        return int(self.arrays.points.shape[3])

    @property
    def megabytes(self) -> float:
        """Size of its arrays [MB]."""
        return sum(np.asarray(part).nbytes for part in self.arrays) / 1e6


def contact_table(pair: Pair, *, ranges: Ranges = FALOMI_RANGES, config: TableConfig | None = None) -> ContactTable:
    """The table of a pair over the ranges; its steps are those configured or a little less, to end on the ranges."""
    config = config or TableConfig()
    turned = config.lever * ranges.roll_from, config.lever * ranges.roll_to
    axes = [
        _axis(0.0, ranges.yaw, config.yaw_step, "yaw"),
        _axis(ranges.roll_from, ranges.roll_to, config.roll_step, "roll"),
        _axis(ranges.G_y_from + turned[0], ranges.G_y_to + turned[1], config.step, "G_y"),
    ]
    poses = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    poses[:, 2] -= config.lever * poses[:, 1]
    counts, xy = points_at(pair, poses)
    shape, most = tuple(axis.size for axis in axes), int(counts.max(initial=1))
    points = np.ascontiguousarray(xy[:, :most].reshape(*shape, most, 2), dtype=np.float32)
    small = counts.reshape(shape).astype(np.int8)
    arrays = TableArrays(
        grid=frozen(np.array([(axis[0], (axis.size - 1) / (axis[-1] - axis[0]), axis.size - 1) for axis in axes])),
        lever=config.lever,
        G_y=frozen(np.array([ranges.G_y_from, ranges.G_y_to])),
        counts=frozen(small),
        whole=frozen(_whole(small, points, config.jump)),
        points=frozen(points),
        jump=config.jump,
    )
    return ContactTable(ranges, arrays)


def _axis(start: float, end: float, step: float, name: str) -> Array:
    if not start < end:
        raise ConfigError(f"the range of {name} must rise, got {start:g} to {end:g}")
    return np.linspace(start, end, int(np.ceil((end - start) / step - EDGE)) + 1)


def points_at(pair: Pair, poses: Array) -> tuple[IntArray, Array]:
    """Counts (n,) and places x, y on the rail (n, CAPACITY, 2) by DIFF in poses (n, 3: yaw, roll, G_y)."""
    counts, xy = np.zeros(len(poses), dtype=np.int64), np.zeros((len(poses), CAPACITY, 2))
    for begin in range(0, len(poses), BATCH):
        part = poses[begin : begin + BATCH]
        rows, found = np.zeros((len(part), CAPACITY, FIELDS)), np.zeros(len(part), dtype=np.int64)
        search_batch(pair, DIFFERENCE, np.column_stack((part[:, 2], 0.0 * part[:, 2], part[:, :2])), rows, found)
        if found.max(initial=0) > CAPACITY:
            raise ConfigError(f"a pose has {found.max()} points, a table holds {CAPACITY}: smooth the profiles")
        rows[np.arange(CAPACITY) >= found[:, None]] = 0.0
        counts[begin : begin + BATCH], xy[begin : begin + BATCH] = found, rows[:, :, [X_R, Y_R]]
    return counts, xy


def _whole(counts: NDArray[np.int8], points: NDArray[np.float32], jump: float) -> NDArray[np.uint8]:
    """Whether the corners of each cell agree: as many points, each moving by less than jump."""
    y = points[..., 1]
    corners = [
        tuple(slice(k, n - 1 + k) for k, n in zip(offset, counts.shape, strict=True)) for offset in np.ndindex(2, 2, 2)
    ]
    same: Any = np.all([counts[corner] == counts[corners[0]] for corner in corners], axis=0)
    high, low = np.max([y[corner] for corner in corners], axis=0), np.min([y[corner] for corner in corners], axis=0)
    return np.asarray(same & np.all(high - low < jump, axis=-1), dtype=np.uint8)


@compiled
def table_kernel(table: TableArrays, alpha: float, beta: float, g_y: float, out: Array) -> int:
    """Count of points at yaw alpha, roll beta [rad] and g_y [m] of a left wheel; x and y of each in out (k, 2) [m].

    OUTSIDE for a pose beyond the grid or no number; out is then left as it is, as are its rows beyond the count.
    """
    grid = table.grid
    a = (abs(alpha) - grid[0, 0]) * grid[0, 1]
    b = (beta - grid[1, 0]) * grid[1, 1]
    c = (g_y + table.lever * beta - grid[2, 0]) * grid[2, 1]
    if not (a <= grid[0, 2] + EDGE and -EDGE <= b <= grid[1, 2] + EDGE and table.G_y[0] <= g_y <= table.G_y[1]):
        return OUTSIDE
    i, j, k = min(int(a), int(grid[0, 2]) - 1), min(int(b), int(grid[1, 2]) - 1), min(int(c), int(grid[2, 2]) - 1)
    u, v, w = a - i, b - j, c - k
    count = int(table.counts[i + int(u >= 0.5), j + int(v >= 0.5), k + int(w >= 0.5)])
    if table.whole[i, j, k]:
        _between(table.points, i, j, k, u, v, w, count, out)
    else:
        _among_like(table, i, j, k, u, v, w, out)
    if alpha < 0.0:
        for p in range(count):
            out[p, 0] = -out[p, 0]
    return count


@compiled
def _between(
    points: NDArray[np.float32], i: int, j: int, k: int, u: float, v: float, w: float, count: int, out: Array
) -> None:
    """The points of a whole cell, linear in each direction."""
    for p in range(count):
        for q in range(2):
            first = _along(points, i, j, k, v, w, p, q)
            out[p, q] = first + u * (_along(points, i + 1, j, k, v, w, p, q) - first)


@compiled
def _along(points: NDArray[np.float32], i: int, j: int, k: int, v: float, w: float, p: int, q: int) -> float:
    """One coordinate on one face of a cell."""
    low = (1.0 - w) * points[i, j, k, p, q] + w * points[i, j, k + 1, p, q]
    high = (1.0 - w) * points[i, j + 1, k, p, q] + w * points[i, j + 1, k + 1, p, q]
    return float(low + v * (high - low))


@compiled
def _among_like(table: TableArrays, i: int, j: int, k: int, u: float, v: float, w: float, out: Array) -> None:
    """The points of a cell whose corners differ: those of the nearest, averaged with the corners that agree with it."""
    counts, points = table.counts, table.points
    near = points[i + int(u >= 0.5), j + int(v >= 0.5), k + int(w >= 0.5)]
    count = int(counts[i + int(u >= 0.5), j + int(v >= 0.5), k + int(w >= 0.5)])
    total = 0.0
    for p in range(count):
        out[p, 0], out[p, 1] = 0.0, 0.0
    for corner in range(8):
        d, e, f = corner >> 2, (corner >> 1) & 1, corner & 1
        at = points[i + d, j + e, k + f]
        like = counts[i + d, j + e, k + f] == count
        for p in range(count):
            like = like and abs(at[p, 1] - near[p, 1]) < table.jump
        if like:
            weight = (u if d else 1.0 - u) * (v if e else 1.0 - v) * (w if f else 1.0 - w)
            total += weight
            for p in range(count):
                out[p, 0] += weight * at[p, 0]
                out[p, 1] += weight * at[p, 1]
    for p in range(count):  # the nearest corner has at least an eighth of the weight
        out[p, 0] /= total
        out[p, 1] /= total


@compiled
def table_batch(table: TableArrays, poses: Array, out: Array, counts: IntArray) -> None:
    """table_kernel() for every pose (n, 3: yaw, roll, G_y); out (n, k, 2), counts (n,)."""
    for n in range(poses.shape[0]):
        counts[n] = table_kernel(table, poses[n, 0], poses[n, 1], poses[n, 2], out[n])


def look_up(table: ContactTable, *, yaw: float, roll: float, G_y: float) -> Array:
    """x, y on the rail (n, 2) [m] of a left wheel, or OutsideTrainingError where the table knows nothing."""
    out = np.zeros((table.most, 2))
    count = table_kernel(table.arrays, yaw, roll, G_y, out)
    if count == OUTSIDE:
        raise OutsideTrainingError(
            f"the table knows {table.ranges}; asked were yaw {yaw:g}, roll {roll:g} rad, G_y {1e3 * G_y:g} mm"
        )
    return out[:count]
