"""The compiled filters do what their plain forms say."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.core.blocks import SampleBlock
from twin.core.track import DesignTrack, HorizontalElement
from twin.navigation import plain
from twin.navigation.attitude import Attitude
from twin.navigation.config import NavigationConfig
from twin.navigation.equations import track_terms
from twin.navigation.inputs import Inertial
from twin.navigation.odometer import Odometer
from twin.navigation.trajectory import Axis, AxisInput

DT = 0.002
CONFIG = NavigationConfig()


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def made(rng: np.random.Generator, n: int = 600) -> tuple[Inertial, np.ndarray, np.ndarray]:
    v = np.linspace(12.0, 15.0, n)
    a = np.full(n, 3.0 / (n * DT))
    f = rng.normal(0, 0.3, (n, 3)) + np.array([a[0], 0.2, 9.8])
    w = rng.normal(0, 0.004, (n, 3)) + np.array([0.0, 0.001, 0.02])
    return Inertial((np.arange(n) * 2_000_000).astype(np.int64), DT, f, w, np.zeros(n, np.uint8)), v, a


def test_compiled_attitude_equals_its_plain_form(rng):
    imu, v, a = made(rng)
    design = DesignTrack.from_elements([HorizontalElement(length=500, curvature_end=1 / 600, cant_end=0.1)], [])
    terms = track_terms(design.pose(100 + np.cumsum(v) * DT), v=v, a=a, height=0.6, gravity=9.80665, latitude=None)
    standing = np.zeros(v.size, bool)
    x, P = plain.attitude(CONFIG, imu, terms, v=v, a=a, standing=standing)
    found, _ = Attitude(CONFIG).process(imu, terms, v=v, a=a, standing=standing)
    assert_allclose(found.x, x, rtol=1e-9, atol=1e-13)
    assert_allclose(found.P, P, rtol=1e-8, atol=1e-18)


@pytest.mark.parametrize("reverse", [1.0, -1.0])
def test_compiled_trajectory_equals_its_plain_form_through_a_stop(rng, reverse):
    n = 900
    imu, _, _ = made(rng, n)
    v = reverse * np.concatenate([np.linspace(12, 15, 400), np.zeros(100), np.linspace(0.1, 9, 400)])
    given = AxisInput(
        accel=rng.normal(0, 0.4, n),
        rate=rng.normal(0, 0.005, n),
        offset=rng.normal(0, 0.003, n),
        f_x=rng.normal(0.5, 0.3, n),
        v=v,
        standing=v == 0,
    )
    axis = Axis("lateral", CONFIG, CONFIG.trajectory.lateral, level=3e-4)
    x, P = plain.axis(axis.noise, given, dt=DT)
    found, _ = axis.process(imu, given)
    assert_allclose(found.x, x, rtol=1e-8, atol=1e-13)
    assert_allclose(found.P, P, rtol=1e-7, atol=1e-18)


def test_steps_kept_for_smoothing_lead_from_state_to_state(rng):
    imu, v, _ = made(rng)
    n = v.size
    given = AxisInput(rng.normal(0, 0.4, n), rng.normal(0, 0.005, n), np.zeros(n), np.zeros(n), v, np.zeros(n, bool))
    filtered, fusions = Axis("vertical", CONFIG, CONFIG.trajectory.vertical, level=0.0).process(imu, given)
    rate = next(f for f in fusions if f.name == "trajectory.vertical_rate")
    virtual = next(f for f in fusions if f.virtual)
    compared = set(np.searchsorted(imu.t_ns, rate.t_ns).tolist())
    assert len(compared) == n // 25
    for i in (i for i in range(1, n) if i not in compared):
        predicted = filtered.F[i] @ filtered.x[i - 1] + filtered.u[i]
        P = filtered.F[i] @ filtered.P[i - 1] @ filtered.F[i].T + filtered.Q[i]
        gain = P[:, 0] / virtual.variance[i]
        assert_allclose(filtered.x[i], predicted + gain * virtual.innovation[i], rtol=1e-9, atol=1e-15)


def test_compiled_odometer_equals_its_plain_form(rng):
    imu, v, _ = made(rng)
    c = CONFIG.odometer
    angle = np.cumsum(np.interp(np.arange(240) * 2.5, np.arange(v.size), v)) * 0.005 / 0.46
    encoder = SampleBlock("encoder", 0, 5e6, angle[:, None], np.zeros(240, np.uint8))
    odometer = Odometer(c, wheel_radius=0.46, gravity=9.80665, accel_noise=0.0)
    speeds = odometer._speeds(imu, encoder)
    motion, _ = Odometer(c, wheel_radius=0.46, gravity=9.80665, accel_noise=0.0).process(imu, encoder, np.zeros(v.size))
    step = 2 * np.pi * 0.46 / c.counts_per_turn
    listed = [
        (int(row), speed, age, c.sd_speed**2 + step**2 / 6 / span**2)
        for row, speed, age, span in zip(speeds.row, speeds.speed, speeds.age, speeds.span, strict=True)
    ]
    x, _ = plain.odometer(c, dt=DT, a_x=imu.a[:, 0], r_a=c.accel.rest**2, speeds=listed)
    assert len(listed) == 23
    assert_allclose(motion.v, x[:, 1], rtol=1e-9)
    assert_allclose(motion.d, x[:, 0], rtol=1e-9, atol=1e-12)
