"""A wheelset moved across the track: where its wheels touch the rails, and the rolling-radius difference that makes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.contact.conicity import RollingRadiusDifference
from twin.contact.pair import Pair
from twin.contact.points import CAPACITY, FIELDS, RADIUS, VERTICAL_GAP, Y_R, Y_W
from twin.contact.search import DIFFERENCE, search_batch
from twin.contact.seating import SEATED, WheelsetPair, seat_batch
from twin.core.arrays import Array, frozen
from twin.core.errors import ConfigError

REACH = 0.011
"""How far a wheelset is moved to either side [m]: beyond the flange's steepest part on every usual gauge."""
STEP = 1e-4
"""First step of the positions [m], as in the tables of EN 15302."""
FINEST_STEP = 1e-6
"""Width to which a jump of the contact is closed in [m]."""
TOLERANCE = 1e-6
"""How far delta_r between two positions may be off the straight line [m] before a further one is put there."""


@dataclass(frozen=True, slots=True)
class WheelTraverse:
    """The contact of one wheel at n positions of the wheelset, in track axes."""

    y_w: Array
    """(n,) place on the wheel along the axle [m]."""
    y: Array
    """(n,) place on the rail [m]."""
    radius: Array
    """(n,) rolling radius [m]."""


@dataclass(frozen=True, slots=True)
class Traverse:
    """The contact of both wheels at n positions, the yaw being 0. NaN where a wheel finds no contact."""

    y: Array
    """(n,) lateral position of the wheelset [m], rising."""
    left: WheelTraverse
    right: WheelTraverse

    @property
    def delta_r(self) -> Array:
        """(n,) left minus right rolling radius [m]."""
        return np.asarray(self.left.radius - self.right.radius)

    @property
    def difference(self) -> RollingRadiusDifference:
        """The table the equivalent conicity is made of."""
        return RollingRadiusDifference(y=self.y, delta_r=frozen(self.delta_r))


Mover = Callable[[Array], Traverse]
"""Moves a wheelset to the positions (n,) [m]."""


def level(left: Pair, right: Pair) -> Mover:
    """A wheelset that stays level while it is moved, as the reference results of EN 15302 are made.

    Each wheel touches where it is lowest over its rail. The wheels do not see each other: with unequal diameters
    delta_r is that of equal ones plus a constant, which tables E5 to E8 of the standard show to the last digit.
    """

    def moved(y: Array) -> Traverse:
        wheels = []
        for pair, sign in ((left, 1.0), (right, -1.0)):
            poses = np.zeros((y.size, 4))
            poses[:, 0] = sign * y
            rows, counts = np.empty((y.size, CAPACITY, FIELDS)), np.empty(y.size, dtype=np.int64)
            search_batch(pair, DIFFERENCE, poses, rows, counts)
            wheels.append(_lowest(rows, counts, sign))
        return Traverse(frozen(y), *wheels)

    return moved


def seated(wheelset: WheelsetPair) -> Mover:
    """A wheelset that rolls so that both wheels stand on their rails; y is the position of the axle's middle.

    On the tread the conicity is a few per cent above that of the level wheelset. Towards the flange they part: the
    wheelset rolls as it climbs, and its axle moves less far than its wheels. What rolls without slip are the wheels, so
    for motions that reach the flange the level wheelset is the better judge.
    """

    def moved(y: Array) -> Traverse:
        results = np.empty((y.size, 5))
        left_rows, right_rows = np.empty((2, y.size, CAPACITY, FIELDS))
        y_yaw = np.column_stack([y, np.zeros(y.size)])
        seat_batch(wheelset.left, wheelset.right, y_yaw, results, left_rows, right_rows)
        _, _, n_left, n_right, state = results.T
        stands = state == SEATED
        left, right = _lowest(left_rows, n_left * stands, 1.0), _lowest(right_rows, n_right * stands, -1.0)
        return Traverse(frozen(y), left, right)

    return moved


def _lowest(rows: Array, counts: NDArray[Any], sign: float) -> WheelTraverse:
    """The lowest of the first counts (n,) rows (n, capacity, FIELDS) of a wheel, turned from left-hand form by sign."""
    unused = np.arange(rows.shape[1]) >= counts[:, None]
    lowest = np.argmin(np.where(unused, np.inf, rows[:, :, VERTICAL_GAP]), axis=1)
    row = rows[np.arange(counts.size), lowest]
    row[counts == 0] = np.nan
    return WheelTraverse(sign * row[:, Y_W], sign * row[:, Y_R], row[:, RADIUS].copy())


def traverse(move: Mover, *, reach: float = REACH, step: float = STEP) -> Traverse:
    """Move a wheelset from -reach to reach [m] in steps, with further ones where the contact wanders fast or jumps.

    Positions beyond the stretch about the middle on which both wheels touch are left out.
    """
    steps = int(np.ceil(reach / step))
    return move(_refined(move, _touching(move, np.linspace(-reach, reach, 2 * steps + 1))))


def _touching(move: Mover, y: Array) -> Array:
    """The positions about the middle of y (n,), n odd, with contact on both sides throughout."""
    lost = np.flatnonzero(np.isnan(move(y).delta_r))
    middle = y.size // 2
    after = np.searchsorted(lost, middle)
    if after < lost.size and lost[after] == middle:
        raise ConfigError("the wheels do not stand on the rails: look at gauge, profiles and the wheels' distance")
    first = lost[after - 1] + 1 if after > 0 else 0
    stop = lost[after] if after < lost.size else y.size
    return y[first:stop]


def _refined(move: Mover, y: Array) -> Array:
    """y (n,) and middles between, until delta_r is straight between neighbours or these are a jump's two sides."""
    delta_r = move(y).delta_r
    left = np.arange(y.size - 1)  # numbers of the positions behind which the line is not yet known to be straight
    while left.size:
        middle = (y[left] + y[left + 1]) / 2
        found = move(middle).delta_r
        off = np.abs(found - (delta_r[left] + delta_r[left + 1]) / 2)
        bent = (off > TOLERANCE) & (y[left + 1] - y[left] > 2 * FINEST_STEP)
        y, delta_r = np.insert(y, left + 1, middle), np.insert(delta_r, left + 1, found)
        moved = (left + np.arange(left.size))[bent]  # each earlier middle moves a position one on
        left = np.sort(np.concatenate((moved, moved + 1)))
    return y
