"""Wheels pressed on their rails by a load: how deep they sink, over one zone of contact or several, without friction.

The gap of DIFF keeps its shape when the axle is lifted, so it is scanned once, and Newton's steps find the height from
the vertical force of all zones (zones.py), which is convex in it. A wheelset rolls until both wheels ask for the same
height; as each wheel's height is continuous in the roll, there is such a roll wherever both stay on the rail.
"""

from dataclasses import dataclass

import numpy as np

from twin.contact.hertz import Ellipse, Material, ellipse_under_force
from twin.contact.locus import Placement, attitude
from twin.contact.pair import Pair
from twin.contact.points import CAPACITY, FIELDS, ContactPoints, Pose, Side, contact_points
from twin.contact.search import DIFFERENCE, search
from twin.contact.seating import OFF_THE_RAIL, SEATED, UNSETTLED, SeatingError, WheelsetPair
from twin.contact.zones import (
    ANGLE,
    RADIUS,
    RATE,
    X_W,
    Y_W,
    ZONE_FIELDS,
    ContactZones,
    Scan,
    closed_range,
    contact_zones,
    lowest_gap,
    scan_gap,
    scan_room,
    vertical_force,
    zones,
)
from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.numerics.compiled import compiled

STEPS = 80
"""Most steps of a height or a roll; a handful do, and halving alone would need 60."""

CLOSE = 1e-13
"""Step of the height at which the wheel counts as settled [m]; of the roll for a wheelset [rad]."""

LEVEL = 1e-10
"""Largest difference between the heights both wheels ask for [m]; rounding makes 1e-12."""


@dataclass(frozen=True)
class PressedWheel:
    """A wheel under load: the wheelset's pose, all minima of the gap, and the zones that carry with a patch for each.

    The points are those of rigid surfaces; a zone may hold several of them, and its centre lies where its force does.
    """

    pose: Pose
    points: ContactPoints
    zones: ContactZones
    patches: tuple[Ellipse, ...]
    """Hertz's ellipse of each zone's force on the parabola of its depth and area."""


@compiled
def lift_for_load(pair: Pair, scan: Scan, load: float) -> float:
    """By how much the axle must be lifted for a scanned wheel to carry a load over E* > 0 [m^2]; NaN if it never can.

    Newton from below: the force is convex and falling in the lift, so the steps come from one side and never overshoot.
    """
    touch = -lowest_gap(scan.places)
    if not touch > -np.inf:
        return np.nan
    lift, force, rate = touch, 0.0, 0.0
    depth = 1.2 * np.cbrt(load * load)  # Hertz's, of a wheel on a rail head
    first, after = 0, 0
    for _ in range(STEPS):  # sink until the load is exceeded
        lift = touch - depth
        first, after = closed_range(scan.places, lift)
        force, rate = vertical_force(pair, lift, scan, first, after)
        if force >= load:
            break
        depth *= min(1.05 * np.cbrt((load / force) ** 2), 4.0) if force > 0.0 else 4.0
    for _ in range(STEPS):
        step = (load - force) / rate
        lift += step
        if abs(step) < CLOSE:
            break
        force, rate = vertical_force(pair, lift, scan, first, after)
    return float(lift)


@compiled
def press_kernel(pair: Pair, held: Pose, load: float, E_star: float, scan: Scan, rows: Array) -> tuple[float, int]:
    """Height of the axle at which a left wheel carries a load, and the number of its zones; rows as of zones().

    held: y, yaw and roll; its G_z is not used. No zone at all means that the wheel lies beyond its rail.
    """
    place = Placement(attitude(held.yaw, held.roll), held.G_y, 0.0)
    scan_gap(pair, place, scan)
    height = lift_for_load(pair, scan, load / E_star)
    if not np.isfinite(height):
        return 0.0, 0
    return height, zones(pair, place, height, E_star, scan, rows)


@compiled
def _height_over_roll(rows: Array, count: int, held: Pose) -> float:
    """How the height of a pressed wheel follows the roll [m/rad]: the gaps' derivatives, weighted by stiffness."""
    sum_rate, sum_weight = 0.0, 0.0
    for k in range(min(count, rows.shape[0])):
        row = rows[k]
        down = np.sqrt(row[RADIUS] ** 2 - row[X_W] ** 2)
        cos, sin = np.cos(held.roll), np.sin(held.roll)
        y_over_roll = np.cos(held.yaw) * (cos * down - sin * row[Y_W])
        sum_rate += row[RATE] * (cos * row[Y_W] + sin * down - np.tan(row[ANGLE]) * y_over_roll)
        sum_weight += row[RATE]
    return -sum_rate / sum_weight if sum_weight > 0.0 else 0.0


@compiled
def press_wheelset_kernel(
    wheelset: WheelsetPair,
    G_y: float,
    yaw: float,
    loads: tuple[float, float],
    E_star: float,
    scans: tuple[Scan, Scan],
    rows: Array,
) -> tuple[float, float, int, int, int]:
    """Roll, height, zones left and right, and what became of it, under a load on each wheel.

    rows (2, capacity, ZONE_FIELDS). Newton's steps take the zones where they are, which is not all that a roll changes;
    where they leave the bracket or do not halve the last step, the bracket is halved.
    """
    roll, last = 0.0, np.inf
    n_left = n_right = 0
    low, high = -np.inf, np.inf
    for _ in range(STEPS):
        left_held, right_held = Pose(G_y, 0.0, yaw, roll), Pose(-G_y, 0.0, -yaw, -roll)
        left, n_left = press_kernel(wheelset.left, left_held, loads[0], E_star, scans[0], rows[0])
        right, n_right = press_kernel(wheelset.right, right_held, loads[1], E_star, scans[1], rows[1])
        if n_left == 0 or n_right == 0:
            return roll, left, n_left, n_right, OFF_THE_RAIL
        miss = right - left  # the height the right wheel asks for over that of the left: falls below zero for low rolls
        if miss < 0.0:
            low = roll
        else:
            high = roll
        rate = -_height_over_roll(rows[1], n_right, right_held) - _height_over_roll(rows[0], n_left, left_held)
        following = roll - miss / rate if rate > 0.0 else roll - np.sign(miss) * 1e-3
        slow = abs(following - roll) > 0.5 * last and high - low < np.inf
        if slow or not low <= following <= high:
            following = 0.5 * (low + high)
        last = abs(following - roll)
        if last < CLOSE:
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
        rows = np.empty((capacity, ZONE_FIELDS))
        height, count = press_kernel(pair, held, load, material.E_star, scan_room(pair), rows)
    if count == 0:
        raise SeatingError(f"the wheel has no contact on its rail at y = {pose.G_y * 1e3:g} mm: move it back")
    return _pressed(pair, pose._replace(G_z=height), side, rows[:count], material)


def press_wheelset(
    wheelset: WheelsetPair, *, y: float, yaw: float = 0.0, loads: tuple[float, float], material: Material
) -> tuple[PressedWheel, PressedWheel]:
    """Left and right wheel of a wheelset under their vertical loads [N]: roll and height solved, or SeatingError."""
    if not all(0.0 < load < np.inf for load in loads):
        raise ConfigError(f"both loads must be above 0 N, got {loads[0]:g} and {loads[1]:g} N")
    scans = scan_room(wheelset.left), scan_room(wheelset.right)
    n_left, n_right, capacity = CAPACITY, 0, 0
    while max(n_left, n_right) > capacity:
        capacity = max(n_left, n_right)
        rows = np.empty((2, capacity, ZONE_FIELDS))
        roll, height, n_left, n_right, what = press_wheelset_kernel(
            wheelset, y, yaw, loads, material.E_star, scans, rows
        )
    if what == OFF_THE_RAIL:
        raise SeatingError(f"a wheel has no contact on its rail at y = {y * 1e3:g} mm: move the wheelset back")
    if what == UNSETTLED:
        raise SeatingError(
            f"the wheelset finds no rest at y = {y * 1e3:g} mm: a contact gives way there under the load; "
            "move the wheelset or change the load"
        )
    pose = Pose(y, height, yaw, roll)
    return (
        _pressed(wheelset.left, pose, Side.LEFT, rows[0, :n_left], material),
        _pressed(wheelset.right, pose, Side.RIGHT, rows[1, :n_right], material),
    )


def _pressed(pair: Pair, pose: Pose, side: Side, rows: Array, material: Material) -> PressedWheel:
    found = contact_zones(rows, side)
    patches = tuple(ellipse_under_force(*each, material.E_star) for each in zip(found.A, found.B, found.N, strict=True))
    return PressedWheel(pose, minima(pair, pose, side), found, patches)


def minima(pair: Pair, pose: Pose, side: Side) -> ContactPoints:
    """The points of DIFF for the wheel of that side, at any pose."""
    held = pose if side is Side.LEFT else pose.mirrored()
    count, capacity = CAPACITY, 0
    while count > capacity:
        capacity = count
        rows = np.empty((capacity, FIELDS))
        count = search(pair, DIFFERENCE, *held, rows)
    return contact_points(rows[:count], side)
