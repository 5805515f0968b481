"""Branches of contact: every local minimum of a wheel's gap, followed while the wheelset is moved across the track.

On the way minima are born and die (each together with a maximum), and the touching one changes. Positions are added
until these events are closed in between two neighbours, so that what belongs together is beyond doubt.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from pydantic import Field

from twin.contact.points import CAPACITY, FIELDS, SLOPE, VERTICAL_GAP, Y_W
from twin.contact.seating import SEATED, SeatingError, WheelsetPair, gap_over_roll, seat_batch
from twin.core.arrays import Array, BoolArray, IntArray
from twin.core.settings import Settings

FINEST = 1e-7
"""Distance of neighbours between which an event is left [m]."""

FARTHEST = 5e-4
"""How far a contact may move on the wheel from one position to the next and still be the same [m]. Between surfaces
of nearly one radius it wanders fast: there positions are added as well."""


LEVER = 0.5
"""How far a wheel's foot moves across with the roll [m]: as it climbs the flange's flank, eight times as far as y."""

NEAREST = 0.1
"""Distance of positions that are kept, in steps: events leave many close ones, which a curve does not need."""


class BranchConfig(Settings):
    """How a wheelset is moved across the track to follow its contacts."""

    reach: float = Field(
        default=0.014,
        ge=1e-3,
        le=0.03,
        description="largest lateral position to either side [m], 1 to 30 mm: 14 mm is near the flange's tip; "
        "as far as the wheelset can be seated",
    )
    step: float = Field(
        default=5e-5,
        ge=1e-5,
        le=5e-4,
        description="distance of positions [m], 0.01 to 0.5 mm: finer follows jumps of curvature better, "
        "coarser makes smaller tables",
    )


class Followed(NamedTuple):
    """One branch of one wheel at n positions of the wheelset, left-hand form."""

    y: Array
    """Lateral position (n,) [m], rising."""
    roll: Array
    """Roll of the seated wheelset (n,) [rad]."""
    z: Array
    """Height of the axle at which this branch touches, at that roll (n,) [m]."""
    roll_y: Array
    """Derivative of the roll with y (n,) [rad/m]."""
    z_y: Array
    """Derivative of z with y (n,)."""
    rows: Array
    """The contact points (n, FIELDS)."""
    touching: BoolArray
    """Where this branch carries the wheel (n,)."""
    breaks: BoolArray
    """Where the motion has a kink just before: another branch of either wheel has taken over (n,)."""


@dataclass(frozen=True)
class _Sweep:
    """The seated wheelset at n positions; wheels: left, right."""

    y: Array
    roll: Array
    height: Array
    rows: tuple[Array, Array]
    """(n, CAPACITY, FIELDS), NaN where there is no point."""
    touching: tuple[IntArray, IntArray]
    """(n,)"""


def follow(wheelset: WheelsetPair, config: BranchConfig) -> tuple[list[Followed], list[Followed]]:
    """The branches of the left and of the right wheel."""
    steps = int(np.ceil(config.reach / config.step))
    sweep = _closed_in(wheelset, _seated(wheelset, np.linspace(-config.reach, config.reach, 2 * steps + 1)), config)
    roll_y = _roll_rate(sweep)
    kinks = np.zeros(sweep.y.size, dtype=bool)
    for number in (0, 1):
        kinks[1:] |= _events(sweep, number)
    return _branches(sweep, 0, roll_y, kinks, config), _branches(sweep, 1, roll_y, kinks, config)


def _swept(wheelset: WheelsetPair, y: Array) -> tuple[_Sweep, BoolArray]:
    """The wheelset at every y (n,), and where it is seated (n,)."""
    results = np.empty((y.size, 5))
    rows = np.empty((y.size, CAPACITY, FIELDS)), np.empty((y.size, CAPACITY, FIELDS))
    seat_batch(wheelset.left, wheelset.right, np.column_stack([y, np.zeros(y.size)]), results, *rows)
    touching = []
    for wheel, counts in zip(rows, (results[:, 2], results[:, 3]), strict=True):
        wheel[np.arange(CAPACITY) >= counts[:, None]] = np.nan
        gaps = np.where(np.isnan(wheel[:, :, VERTICAL_GAP]), np.inf, wheel[:, :, VERTICAL_GAP])
        touching.append(np.argmin(gaps, axis=1))
    return _Sweep(y, results[:, 0], results[:, 1], rows, (touching[0], touching[1])), results[:, 4] == SEATED


def _seated(wheelset: WheelsetPair, y: Array) -> Array:
    """The positions about the middle of y (n,), n odd, at which the wheelset can be seated throughout."""
    lost = np.flatnonzero(~_swept(wheelset, y)[1])
    middle = y.size // 2
    if middle in lost:
        raise SeatingError("the wheels do not stand on the rails: look at gauge, profiles and the wheels' distance")
    first = int(lost[lost < middle].max(initial=-1)) + 1
    return y[first : int(lost[lost > middle].min(initial=y.size))]


def _closed_in(wheelset: WheelsetPair, y: Array, config: BranchConfig) -> _Sweep:
    """The wheelset at y (n,) and at middles between, until its wheels move little and events lie between neighbours."""
    while True:
        sweep, _ = _swept(wheelset, y)
        moved = np.diff(y) + LEVER * np.abs(np.diff(sweep.roll))
        unclear = (_events(sweep, 0) | _events(sweep, 1) | (moved > 2.0 * config.step)) & (np.diff(y) > FINEST)
        if not unclear.any():
            return sweep
        left = np.flatnonzero(unclear)
        y = np.insert(y, left + 1, (y[left] + y[left + 1]) / 2)


def _events(sweep: _Sweep, number: int) -> BoolArray:
    """Between which neighbours (n - 1,) points of a wheel come, go, take over, or move too far to be told apart."""
    y_w = np.nan_to_num(sweep.rows[number][:, :, Y_W], nan=np.inf)
    with np.errstate(invalid="ignore"):
        moved = np.nan_to_num(np.abs(np.diff(y_w, axis=0)), nan=0.0)  # where none was and none is: inf - inf
    touching = sweep.touching[number]
    return np.asarray((moved.max(axis=1) > FARTHEST) | (touching[1:] != touching[:-1]))


def _roll_rate(sweep: _Sweep) -> Array:
    """Derivative of the roll with y (n,): both touching points stay in contact, dz = b' dy - dD/droll droll."""
    slope, rate = np.zeros(sweep.y.size), np.zeros(sweep.y.size)
    for rows, touching, sign in zip(sweep.rows, sweep.touching, (1.0, -1.0), strict=True):
        points = rows[np.arange(sweep.y.size), touching]
        slope += points[:, SLOPE]
        rate += _gaps_over_roll(points, sign * sweep.roll)
    return slope / rate


def _gaps_over_roll(rows: Array, roll: Array) -> Array:
    """Derivative of the vertical gap with the roll (n,) at points (n, FIELDS), the yaw being 0 [m/rad]."""
    return np.array([gap_over_roll(row, 0.0, phi) for row, phi in zip(rows, roll, strict=True)])


def _branches(sweep: _Sweep, number: int, roll_y: Array, kinks: BoolArray, config: BranchConfig) -> list[Followed]:
    """The branches of a wheel, turned to left-hand form; those shorter than a step are left out."""
    sign, points = (1.0, -1.0)[number], sweep.rows[number]
    found = []
    for path in _paths(points[:, :, Y_W]):
        at, which = path.T
        parts = _stretches(sweep.y[at], kinks[at], apart=config.step * NEAREST)
        if not parts:
            continue
        if sign < 0.0:
            parts = [part[::-1] for part in parts[::-1]]
        at, which = at[np.concatenate(parts)], which[np.concatenate(parts)]
        breaks = np.zeros(at.size, dtype=bool)
        breaks[np.cumsum([part.size for part in parts])[:-1]] = True
        rows, roll = points[at, which], sign * sweep.roll[at]
        z = sweep.height[at] - rows[:, VERTICAL_GAP]
        z_y = rows[:, SLOPE] - _gaps_over_roll(rows, roll) * roll_y[at]
        touching = np.asarray(which == sweep.touching[number][at])
        found.append(Followed(sign * sweep.y[at], roll, z, roll_y[at], z_y, rows, touching, breaks))
    return found


def _paths(y_w: Array) -> list[IntArray]:
    """Points (n, capacity) that follow each other: for each path its positions and numbers (m, 2)."""
    done: list[list[tuple[int, int]]] = []
    live: list[list[tuple[int, int]]] = []
    for k in range(y_w.shape[0]):
        going: list[list[tuple[int, int]]] = []
        for i in np.flatnonzero(np.isfinite(y_w[k])):
            before = [path for path in live if abs(y_w[path[-1]] - y_w[k, i]) <= FARTHEST]
            path = min(before, key=lambda path: float(abs(y_w[path[-1]] - y_w[k, i])), default=[])
            live = [other for other in live if other is not path]
            path.append((k, int(i)))
            going.append(path)
        done += live
        live = going
    return [np.array(path) for path in done + live]


def _stretches(y: Array, kinks: BoolArray, *, apart: float) -> list[IntArray]:
    """Numbers of positions between kinks, at least so far apart; a stretch shorter than that is left out."""
    kept = []
    for part in np.split(np.arange(y.size), np.flatnonzero(kinks[1:]) + 1):
        chosen = [int(part[0])]
        for k in part[1:-1]:
            if min(y[k] - y[chosen[-1]], y[part[-1]] - y[k]) >= apart:
                chosen.append(int(k))
        if y[part[-1]] - y[part[0]] >= apart:
            kept.append(np.array([*chosen, int(part[-1])]))
    return kept
