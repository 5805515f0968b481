"""Steps of rail and wheel: their plain forms, and the way between speeds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from twin.simulation.short_wave import HalfWheelset, InteractionConfig, WheelsetBending, reduced_rail
from twin.simulation.short_wave.half_wheelset import wheelset_step
from twin.vehicle.track_flexibility.moving_modes import MovingModes, deflection_matrix, step_matrices
from twin.vehicle.track_flexibility.rail_steps import advance_rail, rail_at_speed

DT = 1 / 25600.0


@pytest.fixture(scope="module")
def modes() -> MovingModes:
    config = InteractionConfig(to_frequency=800.0, tolerance=0.02)
    return reduced_rail(config, places=np.array([1.28, -1.28]))


def test_under_constant_forces_the_rail_moves_as_its_plain_form(modes: MovingModes) -> None:
    rail = rail_at_speed(modes, V=30.0, dt=DT)
    f = np.array([3e3, -1e3])
    x = np.zeros(modes.states)
    zeta, deflection = rail.poles(x, f), np.empty(2)
    Phi, Gamma = step_matrices(modes, V=30.0, dt=DT)
    for _ in range(200):
        advance_rail(rail.step, zeta, f, deflection)
        x = Phi @ x + Gamma @ f
    assert_allclose(rail.state(zeta, f), x, atol=1e-9 * np.abs(x).max())
    assert_allclose(deflection + rail.step.D @ f, deflection_matrix(modes) @ x, rtol=1e-8)


def test_a_change_of_speed_keeps_the_state(modes: MovingModes) -> None:
    x = np.random.default_rng(2).standard_normal(modes.states)
    f = np.array([1e3, 2e3])
    slow, fast = rail_at_speed(modes, V=20.0, dt=DT), rail_at_speed(modes, V=21.0, dt=DT)
    assert_allclose(fast.state(fast.poles(slow.state(slow.poles(x, f), f), f), f), x, atol=1e-9)


def test_all_poles_of_a_rail_decay(modes: MovingModes) -> None:
    for V in (0.0, 30.0, 60.0):
        step = rail_at_speed(modes, V=V, dt=DT).step
        assert np.hypot(step.turn_real, step.turn_imaginary).max() < 1.0


@pytest.mark.parametrize("bending", [None, WheelsetBending()])
def test_half_a_wheelset_moves_as_its_differential_equation(bending: WheelsetBending | None) -> None:
    wheelset = HalfWheelset(bending=bending)
    A, b = wheelset.system()
    start, before, after = np.array([1e-5, 2e-3, -2e-5, 1e-3]), 1e3, 4e3
    exact = solve_ivp(
        lambda t, x: A @ x + b * (before + (after - before) * t / DT), (0.0, DT), start, rtol=1e-11, atol=1e-16
    ).y[:, -1]
    step = wheelset_step(wheelset, dt=DT)
    assert_allclose(step.Phi @ start + step.Gamma_0 * before + step.Gamma_1 * after, exact, rtol=1e-8)


def test_receptance_of_a_wheelset_is_that_of_its_states() -> None:
    wheelset = HalfWheelset(bending=WheelsetBending())
    A, b = wheelset.system()
    wheel, box = wheelset.shapes
    omega = 2 * np.pi * np.array([30.0, 85.0, 400.0])
    states = np.array([np.linalg.solve(1j * w * np.eye(4) - A, b) for w in omega])
    at_wheel, at_box = wheelset.receptances(omega)
    assert_allclose(states @ wheel, at_wheel, rtol=1e-9)
    assert_allclose(states @ box, at_box, rtol=1e-9)
