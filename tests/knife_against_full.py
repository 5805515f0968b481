"""Wheelsets on knives against the same ones on whole rails, with rails off their places to either side and in height.

The reference is the rigid seating of both profiles on rails that are moved as curves. Rails go off in two ways: with
cross level their heads tilt, as on a sleeper, which is what a run does with its irregularities; or they stay upright,
which is harder on equivalent profiles, as each wheel then rolls against its rail by what the wheelset rolls.
"""

from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from tests.running_cases import L0, R0, rough_rails, single_wheelset, straight
from twin.contact.curve import Curve, Zone, join
from twin.contact.knife_edge import Irregularity, KnifeEdge, knife_edge, stand_free
from twin.contact.pair import pair
from twin.contact.points import CAPACITY, FIELDS
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.seating import SEATED, WheelsetPair, seat_batch
from twin.core.arrays import Array
from twin.vehicle.running import Rails, WheelRailSettings, wheelsets_on_rails
from twin.vehicle.running.knife import D_ROLL, D_Z, GAP, SIDE, KnifeWheels, find_constraints
from twin.vehicle.running.rails import plane_at
from twin.vehicle.running.seats import knife_wheels

OFF = 3e-3
"""How far rails lie off at most, to either side and in height [m]."""
ACROSS = np.linspace(-6e-3, 6e-3, 25) + 1.7e-6
"""Places of the wheelset from the middle of its rails [m]: over tread and flange."""


class Error(NamedTuple):
    """Largest of height [m] and roll [rad]."""

    z: float
    roll: float


CORNERS = [Irregularity(*signs) for signs in product((-OFF, OFF), repeat=4)]
"""Both rails as far off as they go."""


def drawn_between(count: int) -> list[Irregularity]:
    """Rails less far off."""
    return [Irregularity(*map(float, row)) for row in np.random.default_rng(5).uniform(-OFF, OFF, (count, 4))]


def error_with_tilted_heads(cant: float, cases: list[Irregularity]) -> Error:
    """Of the constraints of a run."""
    vehicle, settings = single_wheelset(), WheelRailSettings(wheel="S1002", cant=cant)
    wheels = knife_wheels(vehicle, wheelsets_on_rails(vehicle, settings), settings.law())
    errors = []
    for off in cases:
        rails = _even(off)
        plane = plane_at(rails, 0.0, L0)
        turned = [
            _moved(zones, y=y, angle=angle, z=plane.level)
            for zones, y, angle in ((_rail(cant), plane.y_left, plane.roll), (_rail(cant), -plane.y_right, -plane.roll))
        ]
        middle = 0.5 * (off.y_left + off.y_right) - R0 * np.sin(plane.roll)
        y, seated = _seated(_wheelset(*turned), ACROSS + middle)
        held = np.array([_held(wheels, rails, *pose) for pose in zip(y, *seated.T, strict=True)])
        errors.append(np.abs(held - seated).max(axis=0))
    return Error(*map(float, np.max(errors, axis=0)))


def error_with_upright_heads(cant: float, cases: list[Irregularity]) -> Error:
    """Of the equivalent profiles alone."""
    rail = _rail(cant)
    edge = knife_edge(_wheelset(join(rail), join(rail)))
    errors = []
    for off in cases:
        left, right = _moved(rail, y=off.y_left, z=off.z_left), _moved(rail, y=-off.y_right, z=off.z_right)
        y, seated = _seated(_wheelset(left, right), ACROSS + 0.5 * (off.y_left + off.y_right))
        errors.append(np.abs(_standing(edge, y, off) - seated).max(axis=0))
    return Error(*map(float, np.max(errors, axis=0)))


@cache
def _rail(cant: float) -> tuple[Zone, ...]:
    """The left rail where it should lie, piece by piece."""
    curve, zones = laid_rail(rail_profile("60E1-EN"), cant=cant), []
    for start, end, c in zip(curve.knots[:-1], curve.knots[1:], curve.coefficients, strict=True):
        at = np.array([0.0, end - start])
        z, slope, second = (np.polyval(np.polyder(c[::-1], order), at) for order in range(3))
        zones.append(Zone(start + at, z, slope, second))
    return tuple(zones)


def _moved(zones: tuple[Zone, ...], *, y: float, z: float, angle: float = 0.0) -> Curve:
    """Aside, then tilted about the middle of the track, then up."""
    return join([zone.moved(y=y, z=0.0).rotated(angle).moved(y=0.0, z=z) for zone in zones])


def _wheelset(left: Curve, right: Curve) -> WheelsetPair:
    wheel = wheel_curve(wheel_profile("S1002"))
    return WheelsetPair(pair(wheel, left), pair(wheel, right))


def _seated(wheelset: WheelsetPair, y: Array) -> tuple[Array, Array]:
    """Places (n,), and height and roll there on whole rails (n, 2): all but one at most, if its roll is not found."""
    results, rows = np.empty((y.size, 5)), np.empty((2, y.size, CAPACITY, FIELDS))
    seat_batch(wheelset.left, wheelset.right, np.column_stack([y, np.zeros(y.size)]), results, rows[0], rows[1])
    found = results[:, 4] == SEATED
    assert np.count_nonzero(~found) <= 1
    return y[found], np.asarray(results[found][:, (1, 0)])


def _standing(edge: KnifeEdge, y: Array, off: Irregularity) -> Array:
    """(n, 2) height and roll on knives; between two branches the nearest one goes on, as in a run."""
    found = [stand_free(edge.left_wheel, edge.right_wheel, place, off) for place in y]
    return np.array([(each.z, each.roll) for each in found])


def _even(off: Irregularity) -> Rails:
    """Straight rails that lie off by the same everywhere."""
    return straight(length=20, rough=rough_rails([np.full(8, each) for each in off], s0=-50.0, step=10.0))


def _held(wheels: KnifeWheels, rails: Rails, y: float, z: float, roll: float) -> tuple[float, float]:
    """Height and roll at which the lowest constraint of either wheel is closed, by Newton's steps from a guess."""
    q, rest = np.array([0.0, y, z, roll, 0.0, 0.0]), np.zeros(6)
    for _ in range(20):
        assert find_constraints(wheels, 0, q, rest, rails, 0.0)
        rows = wheels.found[0, : wheels.counts[0]]
        sides = [rows[rows[:, SIDE] == side] for side in (1.0, -1.0)]
        closest = np.array([mine[np.argmin(mine[:, GAP])] for mine in sides])
        change = np.linalg.solve(closest[:, (D_Z, D_ROLL)], -closest[:, GAP])
        q[2:4] += change
        if np.abs(change).max() < 1e-12:
            return float(q[2]), float(q[3])
    raise AssertionError(f"the wheelset does not come to stand on its knives at y = {y * 1e3:g} mm")
