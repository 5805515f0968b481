"""Wheels pressed on their rails by a load: how deep they sink, over one patch or several, without friction.

Each local minimum of the gap that is closed is a Hertzian patch of its own, pressed by the penetration there; their
vertical forces add up to the load. DIFF's points do not move with the height, so they are searched once, and the height
is found by Newton's steps on a sum of convex functions.

The patches stay centred on the rigid contact points. Where the surfaces are nearly conformal a real patch spreads and
its centre wanders (S1002 on 60E1 at 1/40 and y = 0: rigid 3.2 mm from the taping line, by CONTACT 1.9 mm under 10 kN
and 0.6 mm under 50 kN), and where two patches grow together their overlap carries twice.

A minimum that vanishes while it is pressed takes its force with it, and shortly before, its curvature nears zero and
Hertz makes it too stiff: S1002 on 60E1 at 1/40, y = 0.5 mm, pressed by 0.11 mm, has a second patch that would carry
300 kN, flagged conformal, and a hair further has none. The height jumps there, by 0.4 mm where the flange takes over
under 60 kN, and a wheelset has no rest in between: in 2 % of its lateral positions at that load.
"""

from dataclasses import dataclass

import numpy as np

from twin.contact.hertz import Ellipse, Material, ellipse_at_approach, stiffness
from twin.contact.pair import Pair
from twin.contact.points import (
    CAPACITY,
    FIELDS,
    GAP,
    K_RAIL,
    K_ROLLING,
    K_WHEEL,
    SLOPE,
    VERTICAL_GAP,
    ContactPoints,
    Pose,
    Side,
    contact_points,
)
from twin.contact.search import DIFFERENCE, search
from twin.contact.seating import (
    OFF_THE_RAIL,
    SEATED,
    UNSETTLED,
    SeatingError,
    WheelsetPair,
    gap_over_roll,
    raise_gaps,
)
from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.numerics.compiled import compiled

STEPS = 60
"""Most Newton steps; a handful do."""

CLOSE = 1e-13
"""Step of the height at which the wheel counts as settled [m]; of the roll for a wheelset [rad]."""

LEVEL = 1e-10
"""Largest difference between the heights both wheels ask for [m]; rounding makes 1e-12."""


@dataclass(frozen=True)
class PressedWheel:
    """A wheel under load: the wheelset's pose, all minima of the gap, and a patch for each (of zeros where open)."""

    pose: Pose
    points: ContactPoints
    patches: tuple[Ellipse, ...]


@compiled
def half_curvatures(row: Array) -> tuple[float, float]:
    """A along the rolling direction and B across of a contact point [1/m]: half the summed curvatures."""
    return 0.5 * row[K_ROLLING], 0.5 * (row[K_WHEEL] + row[K_RAIL])


@compiled
def vertical_load(rows: Array, count: int, E_star: float, lift: float) -> tuple[float, float]:
    """Vertical force of all closed minima, the axle lifted by lift [m], and its derivative with the lift [N, N/m]."""
    force, rate = 0.0, 0.0
    for k in range(min(count, rows.shape[0])):
        cos = 1.0 / np.sqrt(1.0 + rows[k, SLOPE] ** 2)
        depth = -(rows[k, VERTICAL_GAP] + lift) * cos
        if depth > 0.0:
            A, B = half_curvatures(rows[k])
            k_h = stiffness(A, B, E_star)
            root = np.sqrt(depth)
            force += cos * k_h * depth * root
            rate -= cos * cos * 1.5 * k_h * root
    return force, rate


@compiled
def lift_for_load(rows: Array, count: int, E_star: float, load: float) -> float:
    """By how much the axle must be lifted for the closed minima to carry the load [m]; load > 0.

    Newton from below: the force is convex and falling in the lift, so the steps come from one side and never overshoot.
    """
    touch = -np.inf
    for k in range(min(count, rows.shape[0])):
        touch = max(touch, -rows[k, VERTICAL_GAP])
    lift = touch - 1e-6
    force, rate = vertical_load(rows, count, E_star, lift)
    while force < load:  # sink until the load is exceeded
        lift = touch - 2.0 * (touch - lift)
        force, rate = vertical_load(rows, count, E_star, lift)
    for _ in range(STEPS):
        step = (load - force) / rate
        lift += step
        if abs(step) < CLOSE:
            break
        force, rate = vertical_load(rows, count, E_star, lift)
    return lift


@compiled
def press_kernel(
    pair: Pair, G_y: float, yaw: float, roll: float, load: float, E_star: float, rows: Array
) -> tuple[float, int]:
    """Height of the axle at which a left wheel carries a load, and the number of its points; rows as of search()."""
    count = search(pair, DIFFERENCE, G_y, 0.0, yaw, roll, rows)
    if count == 0:
        return 0.0, 0
    height = lift_for_load(rows, count, E_star, load)
    raise_gaps(rows, count, height)
    return height, count


@compiled
def _height_over_roll(rows: Array, count: int, E_star: float, yaw: float, roll: float) -> float:
    """How the height of a pressed wheel follows the roll [m/rad]: the gaps' derivatives, weighted by stiffness."""
    sum_rate, sum_weight = 0.0, 0.0
    for k in range(min(count, rows.shape[0])):
        if rows[k, GAP] < 0.0:
            A, B = half_curvatures(rows[k])
            weight = stiffness(A, B, E_star) * np.sqrt(-rows[k, GAP]) / (1.0 + rows[k, SLOPE] ** 2)
            sum_rate += weight * gap_over_roll(rows[k], yaw, roll)
            sum_weight += weight
    return -sum_rate / sum_weight if sum_weight > 0.0 else 0.0


@compiled
def press_wheelset_kernel(
    wheelset: WheelsetPair, G_y: float, yaw: float, loads: tuple[float, float], E_star: float, rows: Array
) -> tuple[float, float, int, int, int]:
    """Roll, height, counts and what became of it, under a load on each wheel; rows (2, capacity, FIELDS)."""
    roll = 0.0
    n_left = n_right = 0
    low, high = -np.inf, np.inf
    for _ in range(STEPS):
        left, n_left = press_kernel(wheelset.left, G_y, yaw, roll, loads[0], E_star, rows[0])
        right, n_right = press_kernel(wheelset.right, -G_y, -yaw, -roll, loads[1], E_star, rows[1])
        if n_left == 0 or n_right == 0:
            return roll, left, n_left, n_right, OFF_THE_RAIL
        miss = right - left  # the height the right wheel asks for over that of the left: falls below zero for low rolls
        if miss < 0.0:
            low = roll
        else:
            high = roll
        left_rate = _height_over_roll(rows[0], n_left, E_star, yaw, roll)
        rate = -_height_over_roll(rows[1], n_right, E_star, -yaw, -roll) - left_rate
        following = roll - miss / rate if rate > 0.0 else roll - np.sign(miss) * 1e-3
        if not low <= following <= high:
            following = 0.5 * (low + high)
        if abs(following - roll) < CLOSE:
            return roll, 0.5 * (left + right), n_left, n_right, SEATED if abs(miss) < LEVEL else UNSETTLED
        roll = following
    return roll, 0.0, n_left, n_right, UNSETTLED


def press(pair: Pair, pose: Pose, *, load: float, material: Material, side: Side = Side.LEFT) -> PressedWheel:
    """One wheel at a pose's y, yaw and roll, lowered until it carries a vertical load [N]; G_z is found, not used."""
    if not 0.0 < load < np.inf:
        raise ConfigError(f"the load must be above 0 N, got {load:g} N")
    held = pose if side is Side.LEFT else pose.mirrored()
    count, capacity = CAPACITY, 0
    while count > capacity:
        capacity = count
        rows = np.empty((capacity, FIELDS))
        height, count = press_kernel(pair, held.G_y, held.yaw, held.roll, load, material.E_star, rows)
    if count == 0:
        raise SeatingError(f"the wheel has no contact on its rail at y = {pose.G_y * 1e3:g} mm: move it back")
    return PressedWheel(
        Pose(pose.G_y, height, pose.yaw, pose.roll),
        contact_points(rows[:count], side),
        _patches(rows[:count], material),
    )


def press_wheelset(
    wheelset: WheelsetPair, *, y: float, yaw: float = 0.0, loads: tuple[float, float], material: Material
) -> tuple[PressedWheel, PressedWheel]:
    """Left and right wheel of a wheelset under their vertical loads [N]: roll and height solved, or SeatingError."""
    if not all(0.0 < load < np.inf for load in loads):
        raise ConfigError(f"both loads must be above 0 N, got {loads[0]:g} and {loads[1]:g} N")
    n_left, n_right, capacity = CAPACITY, 0, 0
    while max(n_left, n_right) > capacity:
        capacity = max(n_left, n_right)
        rows = np.empty((2, capacity, FIELDS))
        roll, height, n_left, n_right, what = press_wheelset_kernel(wheelset, y, yaw, loads, material.E_star, rows)
    if what == OFF_THE_RAIL:
        raise SeatingError(f"a wheel has no contact on its rail at y = {y * 1e3:g} mm: move the wheelset back")
    if what == UNSETTLED:
        raise SeatingError(
            f"the wheelset finds no rest at y = {y * 1e3:g} mm: a contact gives way there under the load; "
            "move the wheelset or change the load"
        )
    pose = Pose(y, height, yaw, roll)
    left, right = rows[0, :n_left], rows[1, :n_right]
    return (
        PressedWheel(pose, contact_points(left, Side.LEFT), _patches(left, material)),
        PressedWheel(pose, contact_points(right, Side.RIGHT), _patches(right, material)),
    )


def _patches(rows: Array, material: Material) -> tuple[Ellipse, ...]:
    return tuple(ellipse_at_approach(*half_curvatures(row), -row[GAP], material.E_star) for row in rows)
