"""A wheelset set down on rigid rails: both wheels touch, none penetrates; roll and height follow from y and yaw.

The height enters the gap as it is, so for a given roll each wheel says how high the axle must lie to touch: the largest
of -D over its local minima at G_z = 0. The roll is where both say the same. By the envelope theorem the derivative of
that height is the one of D at the contact point held fixed, so Newton's steps need no further search.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from twin.contact.pair import Pair
from twin.contact.points import (
    CAPACITY,
    FIELDS,
    GAP,
    RADIUS,
    SLOPE,
    VERTICAL_GAP,
    X_W,
    Y_W,
    ContactPoints,
    Pose,
    Side,
    contact_points,
)
from twin.contact.search import DIFFERENCE, search
from twin.core.arrays import Array
from twin.core.errors import RailTwinError
from twin.numerics.compiled import compiled

STEPS = 40
"""Most steps of the roll; four do on the tread, some more where a flange takes over."""

CLOSE = 1e-14
"""Step of the roll at which the wheelset counts as seated [rad]: 1e-14 m at the wheel."""

SEATED, OFF_THE_RAIL, UNSETTLED = 0, 1, 2
"""What became of a seating: found; a wheel has no contact point; the steps did not settle."""


class WheelsetPair(NamedTuple):
    """The two wheels of a wheelset on their rails, each in left-hand form. They may differ."""

    left: Pair
    right: Pair


class SeatingError(RailTwinError):
    """A wheelset that cannot be seated: a wheel lies beyond its rail."""


@dataclass(frozen=True)
class Seating:
    """A seated wheelset and all local minima of both wheels' gaps; the touching ones have a gap of zero to rounding."""

    pose: Pose
    left: ContactPoints
    right: ContactPoints
    touching_left: int
    """Which point of the left wheel touches."""
    touching_right: int

    @property
    def radius_difference(self) -> float:
        """Rolling radius left minus right [m]."""
        return float(self.left.radius[self.touching_left] - self.right.radius[self.touching_right])


@compiled
def lowest(rows: Array, count: int) -> int:
    """Which of the points has the smallest vertical gap."""
    best = 0
    for k in range(1, min(count, rows.shape[0])):
        if rows[k, VERTICAL_GAP] < rows[best, VERTICAL_GAP]:
            best = k
    return best


@compiled
def gap_over_roll(row: Array, yaw: float, roll: float) -> float:
    """Derivative of the vertical gap at a point of the wheel with the roll [m/rad]."""
    down = np.sqrt(row[RADIUS] ** 2 - row[X_W] ** 2)
    cos, sin = np.cos(roll), np.sin(roll)
    y_roll = np.cos(yaw) * (cos * down - sin * row[Y_W])
    return float(cos * row[Y_W] + sin * down - row[SLOPE] * y_roll)


@compiled
def raise_gaps(rows: Array, count: int, height: float) -> None:
    """The gaps of points found at G_z = 0 with the axle at its height; DIFF's points stay where they are."""
    for k in range(min(count, rows.shape[0])):
        rows[k, VERTICAL_GAP] += height
        rows[k, GAP] = rows[k, VERTICAL_GAP] / np.sqrt(1.0 + rows[k, SLOPE] ** 2)


@compiled
def seat_kernel(
    left: Pair, right: Pair, G_y: float, yaw: float, left_rows: Array, right_rows: Array
) -> tuple[float, float, int, int, int]:
    """Roll, height, both counts of points and what became of it (SEATED, OFF_THE_RAIL, UNSETTLED).

    The rows (capacity, FIELDS) hold the points of both wheels, gaps for the height found.
    """
    roll, height = 0.0, 0.0
    n_left = n_right = 0
    low, high = -np.inf, np.inf  # rolls at which the left wheel lies lower, higher than the right one
    for _ in range(STEPS):
        n_left = search(left, DIFFERENCE, G_y, 0.0, yaw, roll, left_rows)
        n_right = search(right, DIFFERENCE, -G_y, 0.0, -yaw, -roll, right_rows)
        if n_left == 0 or n_right == 0:
            return roll, height, n_left, n_right, OFF_THE_RAIL
        i, j = lowest(left_rows, n_left), lowest(right_rows, n_right)
        miss = left_rows[i, VERTICAL_GAP] - right_rows[j, VERTICAL_GAP]
        if miss < 0.0:
            low = roll
        else:
            high = roll
        rate = gap_over_roll(left_rows[i], yaw, roll) + gap_over_roll(right_rows[j], -yaw, -roll)
        following = roll - miss / rate if rate > 0.0 else roll - np.sign(miss) * 1e-3
        if not low <= following <= high:
            following = 0.5 * (low + high)
        height = -0.5 * (left_rows[i, VERTICAL_GAP] + right_rows[j, VERTICAL_GAP])
        if abs(following - roll) < CLOSE:
            raise_gaps(left_rows, n_left, height)
            raise_gaps(right_rows, n_right, height)
            return roll, height, n_left, n_right, SEATED
        roll = following
    return roll, height, n_left, n_right, UNSETTLED


@compiled
def seat_batch(left: Pair, right: Pair, y_yaw: Array, results: Array, left_rows: Array, right_rows: Array) -> None:
    """seat_kernel() for every (y, yaw) (n, 2); results (n, 5) as it returns them, rows (n, capacity, FIELDS)."""
    for k in range(y_yaw.shape[0]):
        roll, height, n_left, n_right, what = seat_kernel(
            left, right, y_yaw[k, 0], y_yaw[k, 1], left_rows[k], right_rows[k]
        )
        results[k, 0], results[k, 1], results[k, 2], results[k, 3], results[k, 4] = roll, height, n_left, n_right, what


def seat(wheelset: WheelsetPair, *, y: float, yaw: float = 0.0) -> Seating:
    """Set a wheelset down at lateral position y [m] and yaw [rad], or raise SeatingError."""
    capacity = CAPACITY
    while True:
        left_rows, right_rows = np.empty((capacity, FIELDS)), np.empty((capacity, FIELDS))
        roll, height, n_left, n_right, what = seat_kernel(wheelset.left, wheelset.right, y, yaw, left_rows, right_rows)
        if max(n_left, n_right) <= capacity:
            break
        capacity = max(n_left, n_right)  # the touching point may be one that found no row
    if what == OFF_THE_RAIL:
        wheel = "left" if n_left == 0 else "right"
        raise SeatingError(
            f"the {wheel} wheel has no contact on its rail at y = {y * 1e3:g} mm, yaw = {yaw * 1e3:g} mrad: "
            "move the wheelset back, or widen the search range"
        )
    if what == UNSETTLED:
        raise SeatingError(
            f"no roll seats the wheelset at y = {y * 1e3:g} mm, yaw = {yaw * 1e3:g} mrad: it climbs the flange"
        )
    return Seating(
        Pose(y, height, yaw, roll),
        contact_points(left_rows[:n_left], Side.LEFT),
        contact_points(right_rows[:n_right], Side.RIGHT),
        lowest(left_rows, n_left),
        lowest(right_rows, n_right),
    )
