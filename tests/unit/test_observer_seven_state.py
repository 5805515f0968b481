"""The observer of seven states: its equations, its loop, what it finds on rails it is right about."""

from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.core.arrays import Array
from twin.observer.config import SevenConfig
from twin.observer.plain.seven_state import follow
from twin.observer.seven_filter import Heard, SevenStateObserver
from twin.observer.seven_state import INPUTS, PSI, RHO, STATES, V_PSI, XI, SevenParameters, Y, seven_model
from twin.vehicle.library import vehicle
from twin.vehicle.wheel_rail import cones

DT, V = 0.002, 20.0
CONFIG = SevenConfig(slowest=18.0, fastest=22.0, cutoff=1000.0)
CONTACT = cones(conicity=0.1, half_distance=0.75, f11=8e6, f22=7e6)
BOGIE = SevenParameters.of(vehicle("manchester"), CONTACT)
WHEELSET = BOGIE.model_copy(update={"half_base": 0.0, "inertia": 1120.0, "m_f": 1300.0})


class Made(NamedTuple):
    heard: Heard
    xi: Array


@pytest.fixture(scope="module")
def made() -> Made:
    """A run that the model itself makes, with the noise it expects."""
    rng = np.random.default_rng(3)
    steps = SevenStateObserver(BOGIE, CONFIG, dt=DT).schedule
    k = round(np.log(V / steps.slowest) / steps.log_ratio)
    root = np.linalg.cholesky(steps.Q[k] + 1e-24 * np.eye(STATES))
    n, x = 20000, np.zeros(STATES)
    u, states, z = np.zeros((n, INPUTS)), np.empty((n, STATES)), np.empty((n, 3))
    u[:, RHO] = 1e-4
    for i in range(n):
        x = steps.F[k] @ x + steps.Gamma[k] @ u[i] + root @ rng.standard_normal(STATES)
        states[i] = x
        z[i] = steps.C[k] @ x + steps.D[k] @ u[i] + np.sqrt(steps.r[k, :3]) * rng.standard_normal(3)
    return Made(Heard(np.arange(n, dtype=np.int64), np.full(n, V), z, u), states[:, XI])


def test_compiled_loop_equals_the_plain_one(made: Made) -> None:
    few = Heard(*(each[:300] for each in made.heard))
    observer = SevenStateObserver(BOGIE, CONFIG, dt=DT)
    followed, _ = observer.process(few)
    x, P = follow(observer.schedule, few, gate=CONFIG.gate)
    assert_allclose(followed.x, x, rtol=1e-6, atol=1e-10)
    assert_allclose(followed.P, P, rtol=1e-5, atol=1e-14)


def test_errors_of_the_alignment_are_as_large_as_stated(made: Made) -> None:
    followed, fusions = SevenStateObserver(BOGIE, CONFIG, dt=DT).process(made.heard)
    x_s, P_s = followed.smoothed()
    for x, P in ((followed.x, followed.P), (x_s, P_s)):
        error = (x[1000:, XI] - made.xi[1000:]) / np.sqrt(P[1000:, XI, XI])
        assert np.sqrt(np.mean(error**2)) < 1.55  # long waves: some fifteen independent errors, three sigmas
    assert P_s[4000, XI, XI] < 0.8 * followed.P[4000, XI, XI]
    assert all(0.9 < fusion.nis.mean() < 1.1 for fusion in fusions if not fusion.virtual)


def test_wheelset_in_a_steady_curve_moves_out_to_its_rolling_line() -> None:
    """A free wheelset rolls where its radii fit the curve: y = -a r0 rho / conicity."""
    free = WHEELSET.model_copy(update={"k_psi": 0.0, "c_psi": 0.0})
    model = seven_model(free, V=V, omega_r=0.02)
    u = np.zeros(INPUTS)
    u[RHO] = 1e-3
    x = np.linalg.lstsq(model.A, -model.B @ u)[0]
    assert_allclose(x[Y] - x[XI], -free.a * free.r0 * 1e-3 / free.conicity, rtol=0.02)


def test_free_wheelset_swings_with_the_wavelength_of_klingel() -> None:
    free = WHEELSET.model_copy(
        update={"k_psi": 0.0, "k_y": 1.0, "c_y": 0.0, "k_g": 0.0, "c_psi": 0.0, "m": 1.0, "inertia": 1.0}
    )
    eigenvalues = np.linalg.eigvals(seven_model(free, V=5.0, omega_r=0.02).A)
    expected = 5.0 * np.sqrt(free.conicity / (free.a * free.r0))
    assert np.abs(np.abs(eigenvalues.imag) - expected).min() < 0.02 * expected


def test_missing_and_absurd_samples_leave_the_state_finite_and_are_recorded(made: Made) -> None:
    z = made.heard.z[:2000].copy()
    z[500:900, 0] = np.nan
    z[1200] = 1e3
    few = Heard(*(each[:2000] for each in made.heard))._replace(z=z)
    followed, fusions = SevenStateObserver(BOGIE, CONFIG, dt=DT).process(few)
    assert np.isfinite(followed.x).all()
    accel = fusions[0]
    assert len(accel.t_ns) == 1600
    assert not accel.accepted[accel.t_ns == 1200].any()


def test_too_slow_a_train_starts_anew(made: Made) -> None:
    speed = np.full(1000, V)
    speed[400:600] = 0.5
    few = Heard(*(each[:1000] for each in made.heard))._replace(V=speed)
    followed, fusions = SevenStateObserver(BOGIE, CONFIG, dt=DT).process(few)
    assert not followed.x[400:600].any()
    assert len(fusions[0].t_ns) == 800
    alone, _ = SevenStateObserver(BOGIE, CONFIG, dt=DT).process(Heard(*(each[600:1000] for each in few)))
    assert_allclose(followed.x[600:], alone.x, rtol=1e-12, atol=1e-15)


def test_yaw_gyro_shows_the_design_curve_too() -> None:
    model = seven_model(BOGIE, V=V, omega_r=0.02)
    assert model.D[1, RHO] == V
    assert model.C[1, V_PSI] == 1.0
    assert model.C[1, PSI] == 0.0
