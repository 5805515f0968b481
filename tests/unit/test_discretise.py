"""Closed forms of discretised noise against Van Loan's, and against what they mean."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import solve_continuous_lyapunov

from twin.core.arrays import Array
from twin.numerics.discretise import Step, gauss_markov, oscillator, random_walk, van_loan, white_jerk

STEPS = (1e-4, 2e-3, 0.1, 3.0)


def driven(F: list[list[float]], q: float, dt: float) -> Step:
    """Van Loan's step of a model whose last state is driven by noise of density q."""
    L = np.zeros((len(F), 1))
    L[-1] = 1.0
    return van_loan(np.array(F), L, np.array([[q]]), dt)


def assert_same(step: Step, expected: Step, rtol: float = 1e-12) -> None:
    for got, wanted in zip(step, expected, strict=True):
        assert_allclose(got, wanted, rtol=rtol, atol=0)


def oscillator_matrix(omega: float, zeta: float) -> Array:
    return np.array([[0.0, 1.0], [-(omega**2), -2 * zeta * omega]])


@pytest.mark.parametrize("dt", STEPS)
def test_random_walk_is_van_loans(dt: float) -> None:
    assert_same(random_walk(dt=dt, q=0.7), driven([[0.0]], 0.7, dt))


@pytest.mark.parametrize("dt", STEPS)
def test_white_jerk_is_van_loans(dt: float) -> None:
    assert_same(white_jerk(dt=dt, q=0.7), driven([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]], 0.7, dt))


@pytest.mark.parametrize("dt", STEPS)
def test_gauss_markov_is_van_loans(dt: float) -> None:
    tau, sd = 2.0, 0.3
    assert_same(gauss_markov(dt=dt, tau=tau, sd=sd), driven([[-1 / tau]], 2 * sd**2 / tau, dt))


@pytest.mark.parametrize("zeta", [0.02, 0.3, 0.707, 0.99])
@pytest.mark.parametrize("turn", [1e-6, 1e-3, 0.3, 0.999, 1.001, 3.0])
def test_oscillator_is_van_loans_for_any_part_of_a_turn(turn: float, zeta: float) -> None:
    dt, sd = 2e-3, 0.3
    omega = turn / dt
    expected = driven(oscillator_matrix(omega, zeta).tolist(), 4 * zeta * omega**3 * sd**2, dt)
    assert_same(oscillator(dt=dt, omega=omega, zeta=zeta, sd=sd), expected, rtol=1e-10)


def test_oscillator_settles_at_its_standard_deviation() -> None:
    omega, zeta, sd = 20.0, 0.3, 0.4
    noise = np.diag([0.0, 4 * zeta * omega**3 * sd**2])
    stationary = solve_continuous_lyapunov(oscillator_matrix(omega, zeta), -noise)
    assert_allclose(np.diag(stationary), [sd**2, (omega * sd) ** 2], rtol=1e-12)
    Phi, Qd = oscillator(dt=100.0, omega=omega, zeta=zeta, sd=sd)
    assert_allclose(Phi, 0, atol=1e-12)
    assert_allclose(np.diag(Qd), np.diag(stationary), rtol=1e-12)


def test_two_half_steps_make_a_whole_one() -> None:
    models = [
        lambda dt: random_walk(dt=dt, q=0.3),
        lambda dt: white_jerk(dt=dt, q=0.3),
        lambda dt: gauss_markov(dt=dt, tau=0.5, sd=0.3),
        lambda dt: oscillator(dt=dt, omega=9.0, zeta=0.2, sd=0.3),
    ]
    for model in models:
        Phi, Qd = model(0.08)
        assert_same((Phi @ Phi, Phi @ Qd @ Phi.T + Qd), model(0.16), rtol=1e-12)


def test_a_whole_run_is_scheduled_in_one_call() -> None:
    dt, omega = np.array([0.002, 0.002, 0.5]), np.array([0.1, 40.0, 40.0])
    Phi, Qd = oscillator(dt=dt, omega=omega, zeta=0.4, sd=0.2)
    assert Phi.shape == Qd.shape == (3, 2, 2)
    for i in range(3):
        assert_same((Phi[i], Qd[i]), oscillator(dt=dt[i], omega=omega[i], zeta=0.4, sd=0.2), rtol=0)
    assert white_jerk(dt=dt, q=1.0)[1].shape == (3, 3, 3)
    assert np.all(np.linalg.eigvalsh(Qd) > 0)


def test_an_oscillator_that_does_not_swing_is_refused() -> None:
    with pytest.raises(ValueError, match="0 < zeta < 1"):
        oscillator(dt=0.1, omega=1.0, zeta=1.0, sd=1.0)
