"""Springs give back what they took; dampers take what they say; the mass matrix is one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from tests.vehicle_cases import everything
from twin.core.arrays import Array
from twin.core.track import DesignTrack, HorizontalElement
from twin.vehicle.running import Rails, rails_between
from twin.vehicle.running.rails import design_at
from twin.vehicle.symbolic import VehicleModel, vehicle_model

FLIGHT = 0.05
"""[s]: many periods of the gear, some of the axle guides."""


@pytest.fixture(scope="module")
def damped() -> VehicleModel:
    return vehicle_model(everything())


@pytest.fixture(scope="module")
def undamped() -> VehicleModel:
    return vehicle_model(everything(damped=False))


def thrown(model: VehicleModel, *, speed: float, rng: np.random.Generator) -> Array:
    """State (q, v, internal states) of the vehicle off the rails: every coordinate moves."""
    n = len(model.layout.coordinates)
    angles = np.array([name.split(".")[1] not in ("s", "r_y", "r_z") for name in model.layout.coordinates])
    q = model.layout.rest + np.where(angles, 0.02, 0.01) * rng.standard_normal(n)
    v = np.where(angles, 0.3, 0.2) * rng.standard_normal(n)
    v[[model.layout.index(f"{name}.s") for name in model.layout.frames]] += speed
    return np.concatenate((q, v, np.zeros(len(model.layout.states))))


def arc(curvature: float) -> Rails:
    """An endless arc [1/m]."""
    element = HorizontalElement(length=20.0, curvature_start=curvature, curvature_end=curvature)
    return rails_between(DesignTrack.from_elements([element], []), None, first=-20.0, last=20.0)


def energy(model: VehicleModel, state: Array, rails: Rails) -> float:
    put_on(rails, model, state)
    kinetic, stored, lifted, _ = model.energies()
    return kinetic + stored + lifted


def put_on(rails: Rails, model: VehicleModel, state: Array) -> None:
    """The state, each body over its own place of an arc."""
    for block, numbers in zip(model.layout.blocks, model.track, strict=True):
        design_at(rails, state[block.start], numbers)
    put(model, state)


def put(model: VehicleModel, state: Array) -> None:
    n = len(model.q)
    model.q[:], model.v[:], model.states[:] = state[:n], state[n : 2 * n], state[2 * n : 2 * n + len(model.states)]


def flown(model: VehicleModel, start: Array, rails: Rails) -> Array:
    """State at the end of a short flight, and behind it what the dampers took [J]."""

    def rate(_: float, state: Array) -> Array:
        put_on(rails, model, state)
        dv = model.accelerations()
        return np.concatenate((model.v, dv, model.rates, [model.energies().dissipated]))

    start = np.append(start, 0.0)
    return np.asarray(solve_ivp(rate, (0, FLIGHT), start, method="DOP853", rtol=1e-8, atol=1e-8).y[:, -1])


@pytest.mark.parametrize(("curvature", "speed"), [(0.0, 0.0), (1 / 90, 20.0)])
def test_energy_is_conserved_in_free_flight_without_dampers(
    undamped: VehicleModel, curvature: float, speed: float
) -> None:
    rails = arc(curvature)
    start = thrown(undamped, speed=speed, rng=np.random.default_rng(1))
    before = energy(undamped, start, rails)
    kinetic, stored, *_ = undamped.energies()
    end = flown(undamped, start, rails)
    assert energy(undamped, end, rails) == pytest.approx(before, abs=1e-6 * stored)
    assert abs(undamped.energies().kinetic - kinetic) > 1e3


def test_what_the_dampers_take_is_missing_from_the_energy(damped: VehicleModel) -> None:
    rails = arc(0.0)
    start = thrown(damped, speed=0.0, rng=np.random.default_rng(2))
    before = energy(damped, start, rails)
    end = flown(damped, start, rails)
    assert end[-1] > 1e3
    assert before - energy(damped, end, rails) == pytest.approx(end[-1], rel=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_mass_matrix_is_symmetric_positive_definite_and_has_the_mass(damped: VehicleModel, seed: int) -> None:
    rng = np.random.default_rng(seed)
    put(damped, thrown(damped, speed=30.0, rng=rng))
    damped.track[:] = 0.01 * rng.standard_normal(damped.track.shape)
    damped.evaluate()
    M = damped.layout.matrix(damped.M)
    assert_allclose(M, M.T, atol=1e-9)
    assert np.linalg.eigvalsh(M).min() > 1.0
    vertical = [damped.layout.index(f"{name}.r_z") for name in damped.layout.frames]
    assert M[vertical, vertical].sum() == pytest.approx(everything().mass, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_jacobians_are_those_of_finite_differences(damped: VehicleModel, seed: int) -> None:
    rng = np.random.default_rng(seed)
    state = thrown(damped, speed=20.0, rng=rng)
    damped.track[:] = 0.005 * rng.standard_normal(damped.track.shape)
    put(damped, state)
    found = damped.linearised()

    def forces(at: Array) -> Array:
        put(damped, at)
        damped.evaluate()
        return np.concatenate((damped.delta, damped.rates))

    step = 1e-6
    columns = [(forces(state + e) - forces(state - e)) / (2 * step) for e in step * np.eye(state.size)]
    expected = np.array(columns).T
    n = len(damped.q)
    whole = np.block([[-found.K, -found.C, -found.S], [found.A_q, found.A_v, found.A_e]])
    scale = np.abs(expected[:n]).max(axis=1, keepdims=True)
    assert_allclose(whole[:n] / scale, expected[:n] / scale, atol=1e-6)
    assert_allclose(whole[n:], expected[n:], atol=1e-5 * np.abs(expected[n:]).max())
