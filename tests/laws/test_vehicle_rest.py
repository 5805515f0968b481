"""Vehicles at rest: everything balances, symmetry holds, and small motions are the limit of finite ones."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from twin.core.arrays import Array
from twin.vehicle.description import Bushing, Gear, LineDamper, RollBar, TractionRod, Vector, Vehicle
from twin.vehicle.library import VEHICLES, vehicle
from twin.vehicle.library.manchester import manchester
from twin.vehicle.library.scaled import scaled
from twin.vehicle.small_motion import small_motion, stiffness, stretch
from twin.vehicle.statics import Rest, at_rest

SIMPLE = [name for name in VEHICLES if name != "feve3000"]


@pytest.mark.parametrize("name", VEHICLES)
def test_wheels_carry_the_weight(name: str) -> None:
    found = vehicle(name)
    loads = at_rest(found, gravity=9.81).wheel_loads
    assert sum(sum(pair) for pair in loads.values()) == pytest.approx(found.mass * 9.81, rel=1e-12)
    for left, right in loads.values():
        assert left == pytest.approx(right, rel=1e-9)


@pytest.mark.parametrize("name", VEHICLES)
def test_wheel_loads_balance_the_pitch_moment_of_the_weight(name: str) -> None:
    """But for the couple of springs on upright axle boxes, which the locomotive out of balance shows."""
    found = vehicle(name)
    rest = at_rest(found, gravity=9.81)
    moment = sum(sum(rest.wheel_loads[w.name]) * w.position[0] for w in found.wheelsets)
    weight = sum(body.mass * 9.81 * body.position[0] for body in found.bodies)
    assert moment == pytest.approx(weight, abs=(1e-7 if name in SIMPLE else 2e-4) * found.mass)


@pytest.mark.parametrize("name", SIMPLE)
def test_forces_and_moments_on_every_sprung_body_add_up_to_zero(name: str) -> None:
    found = vehicle(name)
    rest = at_rest(found, gravity=9.81)
    for body in found.bodies:
        if body.kind == "wheelset":
            continue
        force, moment = _load_on(found, rest, body.name)
        size = body.mass * 9.81
        np.testing.assert_allclose(force - np.array([0.0, 0.0, size]), 0.0, atol=1e-8 * size)
        np.testing.assert_allclose(moment, 0.0, atol=1e-7 * size)


def _load_on(found: Vehicle, rest: Rest, name: str) -> tuple[Array, Array]:
    """Sum of what the elements do to a body, about its centre of mass."""
    force, moment = np.zeros(3), np.zeros(3)
    centre = found.body(name).position
    for element in found.elements:
        sign = float(element.second == name) - float(element.first == name)
        preload = rest.preloads[element.name]
        if isinstance(element, Bushing):
            force += sign * preload[:3]
            moment += sign * (preload[3:] + np.cross(np.subtract(element.at_second, centre), preload[:3]))
        elif isinstance(element, RollBar):
            moment[0] += sign * preload[0]
        elif isinstance(element, TractionRod):
            line = np.subtract(element.at_second, element.at_first)
            pull = -sign * preload[0] * line / np.linalg.norm(line)
            force += pull
            moment += np.cross(np.subtract(element.at_second, centre), pull)
    return force, moment


@pytest.mark.parametrize("name", VEHICLES)
def test_shift_of_the_whole_vehicle_strains_nothing(name: str) -> None:
    found = vehicle(name)
    motion = small_motion(found)
    for axis in ("x", "y", "z"):
        free = {body.name for body in found.bodies if body.joint == "free"}
        q = np.array([float(c.direction == axis and c.body in free) for c in motion.coordinates])
        for element in found.elements:
            np.testing.assert_allclose(stretch(element, motion) @ q, 0.0, atol=1e-14)


@pytest.mark.parametrize("name", ["manchester", "crh380a"])
def test_small_motion_is_the_limit_of_finite_rotation(name: str) -> None:
    found = vehicle(name)
    motion = small_motion(found)
    rng = np.random.default_rng(4)
    q = 1e-7 * rng.standard_normal(len(motion.coordinates))
    for element in found.elements:
        first, R_1 = _moved(found, element.first, motion.frames[element.first] @ q)
        second, _ = _moved(found, element.second, motion.frames[element.second] @ q)
        p_1, p_2 = first(element.at_first), second(element.at_second)
        got = stretch(element, motion) @ q
        if isinstance(element, Bushing):
            np.testing.assert_allclose(got[:3], R_1.inv().apply(p_2 - p_1), atol=1e-11)
        elif isinstance(element, LineDamper | TractionRod):
            rest = np.linalg.norm(np.subtract(element.at_second, element.at_first))
            assert got[0] == pytest.approx(np.linalg.norm(p_2 - p_1) - rest, abs=1e-11)


def _moved(found: Vehicle, name: str, motion: Array) -> tuple[Callable[[Vector], Array], Rotation]:
    """Where a finite motion of the body takes its points, and its rotation."""
    centre = np.array(found.body(name).position)
    turn = Rotation.from_rotvec(motion[3:])
    return (lambda point: centre + motion[:3] + turn.apply(np.subtract(point, centre))), turn


def test_rolling_gears_strain_no_tooth() -> None:
    found = vehicle("feve3000")
    motion = small_motion(found)
    gear = next(element for element in found.elements if isinstance(element, Gear))
    spins = {gear.first: -gear.teeth[1] / gear.teeth[0], gear.second: 1.0}
    q = np.array([spins.get(c.body, 0.0) if c.direction == "pitch" else 0.0 for c in motion.coordinates])
    np.testing.assert_allclose(stretch(gear, motion) @ q, 0.0, atol=1e-14)


def test_reduced_vehicle_stands_as_the_large_one() -> None:
    large, small = at_rest(manchester()), at_rest(scaled())
    for name, deflection in large.deflections.items():
        assert small.deflections[name] == pytest.approx(0.1 * deflection, rel=1e-9)
    for name, (left, _) in large.wheel_loads.items():
        assert small.wheel_loads[name][0] == pytest.approx(1e-3 * left, rel=1e-9)


@pytest.mark.parametrize("name", VEHICLES)
def test_stiffness_is_symmetric_and_stores_no_negative_energy(name: str) -> None:
    found = vehicle(name)
    K = stiffness(found, small_motion(found))
    np.testing.assert_allclose(K, K.T, rtol=0.0, atol=1e-9 * np.abs(K).max())
    assert np.linalg.eigvalsh(K).min() > -1e-9 * np.abs(K).max()
