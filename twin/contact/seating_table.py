"""The seated wheelset from a table: what a vehicle model that holds its wheels to the rails reads at every step.

Nodes over yaw (one side; the other mirrors x) and lateral position, linear between them. Roll and height are
continuous, with kinks where another point takes over: there they are off by a quarter of a step times the change of
slope, most where the flange meets the rail, 15 rad/m. Places, radii and slopes jump at kinks: a cell is interpolated
only over corners on the nearest corner's side of the jump, which is so misplaced by up to half a step. The knife edges
(knife_edge.py) know neither error, but no yaw.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from twin.contact.points import CAPACITY, FIELDS, RADIUS, SLOPE, VERTICAL_GAP, X_R, Y_R, Y_W
from twin.contact.seating import SEATED, SeatingError, WheelsetPair, seat_batch
from twin.core.arrays import Array, frozen
from twin.core.settings import Settings
from twin.numerics.compiled import compiled

ROLL, HEIGHT = 0, 1
LEFT, RIGHT = 2, 7
"""Columns of a node: roll, height, then where the left wheel's five begin and the right wheel's."""

X, Y, WHEEL_Y, ROLLING_RADIUS, RAIL_SLOPE = range(5)
"""Of these five: x and y on the rail, y_w on the wheel, rolling radius [m], slope of the rail; track axes."""

COLUMNS = 12
EDGE = 1e-9
"""Rounding of a position on the last node, in steps."""

_FIVE = (X_R, Y_R, Y_W, RADIUS, SLOPE)
_SIGNS = np.array([[1.0, 1.0, 1.0, 1.0, 1.0], [1.0, -1.0, -1.0, 1.0, -1.0]])
"""Of the five, from left-hand form to track axes, for the left and the right wheel."""


class SeatingTableConfig(Settings):
    """The grid of a table of seatings."""

    reach: float = Field(
        default=0.01, ge=1e-3, le=0.02, description="largest lateral position [m], 1 to 20 mm: 10 mm is on the flange"
    )
    step: float = Field(
        default=2e-5, ge=1e-6, le=1e-3, description="of it [m], 1 um to 1 mm: the error at the flange goes with it"
    )
    yaw: float = Field(default=0.02, ge=1e-3, le=0.1, description="largest yaw [rad], 1 to 100 mrad: one degree is 17")
    yaw_step: float = Field(default=1e-3, ge=1e-5, le=0.02, description="of it [rad], 0.01 to 20 mrad")
    jump: float = Field(
        default=1e-3,
        gt=0.0,
        le=0.02,
        description="difference of a contact's place among the corners of a cell beyond which it jumps [m], "
        "up to 20 mm: wandering contacts stay below a millimetre a step",
    )


class SeatingArrays(NamedTuple):
    """A table as the kernel takes it; nodes (a, b) of yaw and lateral position."""

    grid: Array
    """(2, 3) of each axis: first node, nodes per unit, number of the last node."""
    whole: NDArray[np.uint8]
    """(a - 1, b - 1, 2) whether the contact of the left and right wheel does not jump within a cell."""
    nodes: Array
    """(a, b, COLUMNS)"""
    jump: float
    """As configured [m]."""


@dataclass(frozen=True)
class SeatingTable:
    """A table of seatings of one wheelset on one track."""

    arrays: SeatingArrays

    @property
    def reach(self) -> float:
        """Largest lateral position [m]."""
        return float(-self.arrays.grid[1, 0])

    @property
    def yaw(self) -> float:
        """Largest yaw [rad]."""
        return float(self.arrays.grid[0, 2] / self.arrays.grid[0, 1])

    @property
    def megabytes(self) -> float:
        """Size of its arrays [MB]."""
        return sum(np.asarray(part).nbytes for part in self.arrays) / 1e6


def seating_table(wheelset: WheelsetPair, *, config: SeatingTableConfig | None = None) -> SeatingTable:
    """The table of a wheelset, or SeatingError where it cannot be seated within the reach."""
    config = config or SeatingTableConfig()
    yaw = np.linspace(0.0, config.yaw, int(np.ceil(config.yaw / config.yaw_step - EDGE)) + 1)
    steps = int(np.ceil(config.reach / config.step - EDGE))
    y = np.linspace(-config.reach, config.reach, 2 * steps + 1)
    nodes = np.stack([seated_nodes(wheelset, y=y, yaw=np.full(y.size, angle)) for angle in yaw])
    grid = np.array([(axis[0], (axis.size - 1) / (axis[-1] - axis[0]), axis.size - 1) for axis in (yaw, y)])
    return SeatingTable(SeatingArrays(frozen(grid), frozen(_whole(nodes, config.jump)), frozen(nodes), config.jump))


def seated_nodes(wheelset: WheelsetPair, *, y: Array, yaw: Array) -> Array:
    """The columns (n, COLUMNS) of the wheelset seated at y [m] and yaw [rad] (n,)."""
    results = np.empty((y.size, 5))
    rows = np.empty((y.size, CAPACITY, FIELDS)), np.empty((y.size, CAPACITY, FIELDS))
    seat_batch(wheelset.left, wheelset.right, np.column_stack([y, yaw]), results, *rows)
    lost = np.flatnonzero(results[:, 4] != SEATED)
    if lost.size:
        nearest = lost[np.argmin(np.abs(y[lost]))]
        raise SeatingError(
            f"the wheelset cannot be seated at y = {y[nearest] * 1e3:g} mm, yaw = {yaw[nearest] * 1e3:g} mrad: "
            "make a table of less reach or yaw"
        )
    nodes = np.empty((y.size, COLUMNS))
    nodes[:, (ROLL, HEIGHT)] = results[:, (0, 1)]
    for wheel, (start, sign) in enumerate(zip((LEFT, RIGHT), _SIGNS, strict=True)):
        unused = np.arange(CAPACITY) >= results[:, 2 + wheel, None]
        touching = np.argmin(np.where(unused, np.inf, rows[wheel][:, :, VERTICAL_GAP]), axis=1)
        nodes[:, start : start + 5] = sign * rows[wheel][np.arange(y.size), touching][:, _FIVE]
    return nodes


def _whole(nodes: Array, jump: float) -> NDArray[np.uint8]:
    """Whether a wheel's contact moves by less than jump among the corners of each cell (a - 1, b - 1, 2)."""
    places = nodes[:, :, (LEFT + WHEEL_Y, RIGHT + WHEEL_Y)]
    corners = [places[:-1, :-1], places[:-1, 1:], places[1:, :-1], places[1:, 1:]]
    return np.asarray(np.max(corners, axis=0) - np.min(corners, axis=0) < jump, dtype=np.uint8)


@compiled
def seating_kernel(table: SeatingArrays, y: float, yaw: float, out: Array) -> bool:
    """Fill out (COLUMNS,) with the seating at y [m] and yaw [rad]; False and nothing filled beyond the table."""
    grid, nodes = table.grid, table.nodes
    a, b = (abs(yaw) - grid[0, 0]) * grid[0, 1], (y - grid[1, 0]) * grid[1, 1]
    if not (a <= grid[0, 2] + EDGE and -EDGE <= b <= grid[1, 2] + EDGE):  # what is no number compares false
        return False
    i, j = min(int(a), int(grid[0, 2]) - 1), min(int(b), int(grid[1, 2]) - 1)
    u, v = a - i, b - j
    w00, w01, w10, w11 = (1.0 - u) * (1.0 - v), (1.0 - u) * v, u * (1.0 - v), u * v
    for c in range(COLUMNS):
        out[c] = (
            w00 * nodes[i, j, c] + w01 * nodes[i, j + 1, c] + w10 * nodes[i + 1, j, c] + w11 * nodes[i + 1, j + 1, c]
        )
    if not table.whole[i, j, 0]:
        _this_side(table, i, j, u, v, LEFT, out)
    if not table.whole[i, j, 1]:
        _this_side(table, i, j, u, v, RIGHT, out)
    if yaw < 0.0:
        out[LEFT + X], out[RIGHT + X] = -out[LEFT + X], -out[RIGHT + X]
    return True


@compiled
def _this_side(table: SeatingArrays, i: int, j: int, u: float, v: float, wheel: int, out: Array) -> None:
    """The five columns of a wheel whose contact jumps within the cell, from the corners on the nearest one's side."""
    nodes, place = table.nodes, wheel + WHEEL_Y
    near = nodes[i + int(u >= 0.5), j + int(v >= 0.5), place]
    total = 0.0
    for c in range(wheel, wheel + 5):
        out[c] = 0.0
    for corner in range(4):
        d, e = corner >> 1, corner & 1
        node = nodes[i + d, j + e]
        if abs(node[place] - near) < table.jump:
            weight = (u if d else 1.0 - u) * (v if e else 1.0 - v)
            total += weight
            for c in range(wheel, wheel + 5):
                out[c] += weight * node[c]
    for c in range(wheel, wheel + 5):  # the nearest corner has at least a quarter of the weight
        out[c] /= total


@compiled
def seating_many(table: SeatingArrays, y: Array, yaw: Array, out: Array) -> int:
    """seating_kernel() for all y and yaw (n,) into out (n, COLUMNS); returns how many lie within the table."""
    known = 0
    for k in range(y.size):
        known += int(seating_kernel(table, y[k], yaw[k], out[k]))
    return known


def look_up_seating(table: SeatingTable, *, y: float, yaw: float = 0.0) -> Array:
    """The columns (COLUMNS,) at y [m] and yaw [rad], or SeatingError beyond the table."""
    out = np.empty(COLUMNS)
    if not seating_kernel(table.arrays, y, yaw, out):
        raise SeatingError(
            f"the table reaches {table.reach * 1e3:g} mm to either side and a yaw of {table.yaw * 1e3:g} mrad; "
            f"asked were y = {y * 1e3:g} mm, yaw = {yaw * 1e3:g} mrad"
        )
    return out


class SeatingErrors(NamedTuple):
    """Errors of a table against the seatings themselves, in random poses."""

    poses: int
    roll_95: float
    """[rad]"""
    roll_max: float
    height_95: float
    """[m]"""
    height_max: float
    y_95: float
    """Place of the contacts on the rail [m]."""
    other_side: float
    """Share of contacts on the wrong side of a jump, more than the table's jump off."""


def seating_errors(table: SeatingTable, wheelset: WheelsetPair, *, poses: int, seed: int) -> SeatingErrors:
    """How far the table is off the seatings in poses even over its reach and yaw."""
    rng = np.random.default_rng(seed)
    y, yaw = rng.uniform(-table.reach, table.reach, poses), rng.uniform(0.0, table.yaw, poses)
    out = np.empty((poses, COLUMNS))
    seating_many(table.arrays, y, yaw, out)
    off = np.abs(out - seated_nodes(wheelset, y=y, yaw=yaw))
    places, wheels = off[:, (LEFT + Y, RIGHT + Y)], off[:, (LEFT + WHEEL_Y, RIGHT + WHEEL_Y)]
    return SeatingErrors(
        poses,
        float(np.percentile(off[:, ROLL], 95)),
        float(off[:, ROLL].max()),
        float(np.percentile(off[:, HEIGHT], 95)),
        float(off[:, HEIGHT].max()),
        float(np.percentile(places, 95)),
        float(np.mean(wheels > table.arrays.jump)),
    )
