"""The classical comparators of [Fal 1, 5.2]: minima of D(x_w, y_w) by comparing values, without its derivatives.

D is the vertical difference of wheel and rail over a point of the wheel [Fal eq. 39]. Three searches share it:

- GRID: D at every node of a grid, 0.1 mm apart in x_w and y_w; a node below its eight neighbours is a minimum. A
  minimum is known to a node. Where the valley of D runs askew to the grid (the fillet of a yawed wheel) several nodes
  of one valley may count.
- SIMPLEX: Nelder and Mead [Fal ref. 10] with their coefficients 1, 2, 1/2, 1/2, from several starts.
- COMPASS: compass search [Fal ref. 9], a cross of four places that is halved when none is lower, from the same starts.

[Fal] does not print starts or tolerances. Here starts lie START_STEP apart across the wheel, at x_w = 0, and a search
ends when its simplex or cross is smaller than 1 um. Searches that end in one place are one minimum; one that ends at
the edge of the range is none.

All look within the same range as search.py does, and along x_w within REACH to either side: x_w = r u is largest on
the flank, where at a yaw of 1 degree and r' = tan 70 deg it is about 0.48 m * sin(1 deg) * 2.75 = 23 mm.
"""

from typing import NamedTuple

import numpy as np

from twin.contact.curve import value_at
from twin.contact.locus import Placement, attitude
from twin.contact.pair import Pair
from twin.contact.points import GAP, SLOPE, VERTICAL_GAP, X_R, X_W, Z_R, fill_surfaces
from twin.core.arrays import Array, IntArray
from twin.numerics.compiled import compiled

GRID, SIMPLEX, COMPASS = 2, 3, 4
"""Which search; the numbers go on after those of search.py."""

NODE_STEP = 1e-4
"""Distance of the grid's nodes in both directions [m]."""

REACH = 25e-3
"""How far to either side of the axle's plane x_w is looked at [m]."""

START_STEP = 10e-3
"""Distance of the starts across the wheel [m]."""

FIRST_SIZE = 2e-3
"""Edge of the first simplex and arm of the first cross [m]."""

SMALLEST = 1e-6
"""Size at which a search ends [m]."""

SAME = 1e-4
"""Minima nearer to each other than this are one [m]."""

MOST_STEPS = 2000
"""Steps after which a search gives up; a hundred do."""


class Area(NamedTuple):
    """A wheel in one pose and the range of y_w that is searched [m]."""

    place: Placement
    low: float
    high: float


@compiled
def difference(wheel: Array, rail: Array, place: Placement, x_w: float, y_w: float) -> float:
    """D(x_w, y_w) [m]: how far the wheel's point lies above the rail [Fal eq. 39]."""
    t = place.turn
    r = value_at(wheel, y_w)
    down = np.sqrt(r * r - x_w * x_w)
    z = place.G_z + t.r32 * y_w - t.r33 * down
    return float(z - value_at(rail, place.G_y + t.r21 * x_w + t.r22 * y_w - t.r23 * down))


@compiled
def _corner(wheel: Array, rail: Array, area: Area, x_w: float, y_w: float) -> tuple[float, float, float]:
    """D, x_w, y_w; D is infinite beyond the range of the search."""
    if abs(x_w) > REACH or y_w < area.low or y_w > area.high:
        return np.inf, x_w, y_w
    return difference(wheel, rail, area.place, x_w, y_w), x_w, y_w


@compiled
def _keep(pair: Pair, place: Placement, x_w: float, y_w: float, rows: Array, count: int) -> int:
    """Write the minimum into the next row, if it lies on the rail; count on when the rows are full."""
    t = place.turn
    row = rows[count] if count < rows.shape[0] else np.empty(rows.shape[1])
    r = value_at(pair.wheel, y_w)
    down = np.sqrt(r * r - x_w * x_w)
    y = place.G_y + t.r21 * x_w + t.r22 * y_w - t.r23 * down
    fill_surfaces(pair.wheel, pair.rail, y_w, y, row)
    row[X_W] = x_w
    row[X_R] = t.r11 * x_w + t.r12 * y_w - t.r13 * down
    row[VERTICAL_GAP] = place.G_z + t.r32 * y_w - t.r33 * down - row[Z_R]
    row[GAP] = row[VERTICAL_GAP] / np.sqrt(1.0 + row[SLOPE] * row[SLOPE])
    return count + 1 if pair.rail_from <= y <= pair.rail_to else count


@compiled
def _grid_line(wheel: Array, rail: Array, place: Placement, y_w: float, line: Array) -> None:
    """D at all nodes (n,) of one y_w."""
    t = place.turn
    r = value_at(wheel, y_w)
    y_0, z_0 = place.G_y + t.r22 * y_w, place.G_z + t.r32 * y_w
    for i in range(line.size):
        x_w = NODE_STEP * i - REACH
        down = np.sqrt(r * r - x_w * x_w)
        line[i] = z_0 - t.r33 * down - value_at(rail, y_0 + t.r21 * x_w - t.r23 * down)


@compiled
def _lowest_of_nine(before: Array, line: Array, after: Array, i: int) -> bool:
    """Whether node i of the line lies below its eight neighbours; of two equal ones the first counts."""
    D = line[i]
    earlier = min(line[i - 1], before[i - 1], before[i], before[i + 1])
    later = min(line[i + 1], after[i - 1], after[i], after[i + 1])
    return bool(earlier > D and later >= D)


@compiled
def _grid(pair: Pair, place: Placement, rows: Array) -> int:
    """Minima of D on the grid. Three lines are held at a time: they stay in the processor's nearest cache."""
    low = pair.y_w[0]
    across = int(np.round((pair.y_w[-1] - low) / NODE_STEP)) + 1
    lines = np.empty((3, int(np.round(2.0 * REACH / NODE_STEP)) + 1))
    count = 0
    for j in range(across):
        before, line, after = lines[(j + 1) % 3], lines[(j + 2) % 3], lines[j % 3]
        _grid_line(pair.wheel, pair.rail, place, low + NODE_STEP * j, after)
        if j < 2:
            continue
        for i in range(1, line.size - 1):
            if _lowest_of_nine(before, line, after, i):
                count = _keep(pair, place, NODE_STEP * i - REACH, low + NODE_STEP * (j - 1), rows, count)
    return count


@compiled
def _simplex(wheel: Array, rail: Array, area: Area, start: float) -> tuple[float, float]:
    """x_w, y_w of the minimum that Nelder and Mead's simplex reaches from (0, start)."""
    a = _corner(wheel, rail, area, 0.0, start)
    b = _corner(wheel, rail, area, FIRST_SIZE, start)
    c = _corner(wheel, rail, area, 0.0, start + FIRST_SIZE)
    for _ in range(MOST_STEPS):
        if b[0] < a[0]:  # a lowest, c highest
            a, b = b, a
        if c[0] < b[0]:
            b, c = c, b
        if b[0] < a[0]:
            a, b = b, a
        if max(abs(b[1] - a[1]), abs(c[1] - a[1]), abs(b[2] - a[2]), abs(c[2] - a[2])) < SMALLEST:
            break
        x, y = 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])
        reflected = _corner(wheel, rail, area, 2.0 * x - c[1], 2.0 * y - c[2])
        if reflected[0] < a[0]:
            expanded = _corner(wheel, rail, area, 3.0 * x - 2.0 * c[1], 3.0 * y - 2.0 * c[2])
            c = expanded if expanded[0] < reflected[0] else reflected
        elif reflected[0] < b[0]:
            c = reflected
        else:
            better = reflected if reflected[0] < c[0] else c
            c = _corner(wheel, rail, area, 0.5 * (x + better[1]), 0.5 * (y + better[2]))
            if c[0] >= better[0]:  # draw all corners towards the lowest
                b = _corner(wheel, rail, area, 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2]))
                c = _corner(wheel, rail, area, 0.5 * (a[1] + better[1]), 0.5 * (a[2] + better[2]))
    return a[1], a[2]


@compiled
def _compass(wheel: Array, rail: Array, area: Area, start: float) -> tuple[float, float]:
    """x_w, y_w of the minimum that a compass search reaches from (0, start): the first lower arm is taken."""
    at = _corner(wheel, rail, area, 0.0, start)
    arm = FIRST_SIZE
    for _ in range(MOST_STEPS):
        if arm < SMALLEST:
            break
        lower = _corner(wheel, rail, area, at[1], at[2] + arm)
        if lower[0] >= at[0]:
            lower = _corner(wheel, rail, area, at[1], at[2] - arm)
        if lower[0] >= at[0]:
            lower = _corner(wheel, rail, area, at[1] + arm, at[2])
        if lower[0] >= at[0]:
            lower = _corner(wheel, rail, area, at[1] - arm, at[2])
        if lower[0] < at[0]:
            at = lower
        else:
            arm *= 0.5
    return at[1], at[2]


@compiled
def _from_starts(pair: Pair, method: int, place: Placement, rows: Array) -> int:
    """The minima that searches from all starts reach, in order of y_w."""
    low, high = pair.y_w[0], pair.y_w[-1]
    area, wheel, rail = Area(place, low, high), pair.wheel, pair.rail
    starts = max(int((high - low) / START_STEP), 1)
    found = np.empty((starts, 2))
    n = 0
    for k in range(starts):
        start = low + (high - low) * (k + 0.5) / starts
        x, y = _simplex(wheel, rail, area, start) if method == SIMPLEX else _compass(wheel, rail, area, start)
        new = min(REACH - abs(x), y - low, high - y) > 2.0 * SMALLEST
        for i in range(n):
            new = new and max(abs(found[i, 0] - x), abs(found[i, 1] - y)) > SAME
        if new:
            found[n, 0], found[n, 1] = x, y
            n += 1
    count = 0
    for k in np.argsort(found[:n, 1]):
        count = _keep(pair, place, found[k, 0], found[k, 1], rows, count)
    return count


@compiled
def direct_search(pair: Pair, method: int, G_y: float, G_z: float, yaw: float, roll: float, rows: Array) -> int:
    """All contact points of a left wheel by GRID, SIMPLEX or COMPASS; arguments and result are those of search()."""
    if not np.isfinite(G_y + G_z + yaw + roll):
        return 0
    place = Placement(attitude(yaw, roll), G_y, G_z)
    if method == GRID:
        return _grid(pair, place, rows)
    return _from_starts(pair, method, place, rows)


@compiled
def direct_search_batch(pair: Pair, method: int, poses: Array, rows: Array, counts: IntArray) -> None:
    """direct_search() for every pose (n, 4: G_y, G_z, yaw, roll); rows (n, capacity, FIELDS), counts (n,)."""
    for k in range(poses.shape[0]):
        counts[k] = direct_search(pair, method, poses[k, 0], poses[k, 1], poses[k, 2], poses[k, 3], rows[k])
