"""Static calibration against biases, noise and attitudes that are known because they were put in."""

import datetime
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from calibration.static import Static, StaticConfig, calibrate_static, gravity_in_body, noise_density
from sensors.imu import ImuCalibration
from twin.core.arrays import Array
from twin.core.blocks import Epoch, SampleBlock
from twin.core.errors import CalibrationError
from twin.core.quality import Quality
from twin.core.track import DesignTrack, HorizontalElement, VerticalElement
from twin.core.vehicle import Mounting, VehicleParameters
from twin.navigation.chain import Setup
from twin.navigation.config import NavigationConfig

RATE, EPOCH = 500, 0.2
ACCEL_BIAS, GYRO_BIAS = np.array([0.03, -0.05, 0.04]), np.array([2e-3, -1e-3, 3e-3])
ACCEL_NOISE, GYRO_NOISE = 1.2e-3, 9e-5
WIDE = ImuCalibration(sd_accel_bias=(1.0, 1.0, 1.0))
"""Nothing is known about the accelerometer: the track decides."""


@pytest.fixture
def setup() -> Setup:
    """A vehicle that stands in a canted curve on a ramp."""
    horizontal = HorizontalElement(length=500, curvature_start=2e-3, curvature_end=2e-3, cant_start=0.1, cant_end=0.1)
    vertical = VerticalElement(length=500, gradient_start=0.01, gradient_end=0.01)
    return Setup(
        config=NavigationConfig(),
        design=DesignTrack.from_elements([horizontal], [vertical]),
        vehicle=VehicleParameters(),
        mounting=Mounting(),
        start=200.0,
        start_sd=1.0,
    )


def gravity(setup: Setup) -> Array:
    pose = setup.design.pose(np.array([setup.start]))
    return gravity_in_body(gravity=setup.config.gravity, roll=float(pose.roll[0]), pitch=float(pose.pitch[0]))


def epochs(setup: Setup, speed: Array, *, missing: float = 0.0, encoder: bool = True, seed: int = 1) -> Iterator[Epoch]:
    """Epochs of a vehicle whose wheel turns at a speed [m/s] in each of them; the body does not move."""
    rng = np.random.default_rng(seed)
    n, k = round(EPOCH * RATE), round(EPOCH * 200)
    mean = np.concatenate([gravity(setup) + ACCEL_BIAS, GYRO_BIAS, [293.0]])
    noise = np.array([ACCEL_NOISE] * 3 + [GYRO_NOISE] * 3 + [0.0]) * np.sqrt(RATE / 2)
    angle = 0.0
    for i, v in enumerate(speed):
        lost = rng.random(n) < missing
        values = mean + noise * rng.standard_normal((n, 7))
        values[lost] = np.nan
        t0_ns = round(i * EPOCH * 1e9)
        samples = {"imu": SampleBlock("imu", t0_ns, 1e9 / RATE, values, lost * np.uint8(Quality.MISSING))}
        if encoder:
            angles = angle + np.arange(k) / 200 * v / setup.vehicle.wheel_radius
            samples["encoder"] = SampleBlock("encoder", t0_ns, 5e6, angles[:, None], np.zeros(k, np.uint8))
        angle += EPOCH * v / setup.vehicle.wheel_radius
        yield Epoch(i, t0_ns, t0_ns + round(EPOCH * 1e9), samples)


def rest(seconds: float) -> Array:
    return np.zeros(round(seconds / EPOCH))


def run(seconds: float) -> Array:
    return np.full(round(seconds / EPOCH), 10.0)


@pytest.fixture
def found(setup: Setup) -> Static:
    return calibrate_static(setup, epochs(setup, rest(30)), current=WIDE)


def test_biases_are_found_in_a_canted_curve_on_a_ramp(found: Static) -> None:
    assert_allclose(found.gyro_bias, GYRO_BIAS, atol=4e-5)
    assert_allclose(found.accel_bias, ACCEL_BIAS, atol=1e-3)
    assert np.all(np.abs(found.gyro_bias - GYRO_BIAS) < 4 * found.sd_gyro_bias)
    assert np.all(found.sd_gyro_bias < 3e-5)


def test_uncertainty_of_the_level_is_that_of_the_track(found: Static, setup: Setup) -> None:
    config = StaticConfig()
    expected = setup.config.gravity * np.array([config.sd_pitch, config.sd_roll])
    assert_allclose(found.sd_accel_bias[:2], expected, rtol=0.01)
    assert found.sd_accel_bias[2] < 1e-3


def test_an_accelerometer_better_than_the_track_is_not_levelled_on_it(setup: Setup) -> None:
    good = ImuCalibration(sd_accel_bias=(5e-4, 5e-4, 5e-4))
    found = calibrate_static(setup, epochs(setup, rest(20)), current=good)
    assert abs(found.accel_bias[1]) < 0.01 * abs(ACCEL_BIAS[1])
    assert np.all(found.sd_accel_bias <= 5e-4)


def test_noise_densities_are_found(found: Static) -> None:
    assert_allclose(found.accel_noise, ACCEL_NOISE, rtol=0.25)
    assert_allclose(np.sqrt(np.mean(found.gyro_noise**2)), GYRO_NOISE, rtol=0.15)


def test_a_wandering_bias_is_no_noise() -> None:
    rng = np.random.default_rng(5)
    t = np.arange(60 * RATE) / RATE
    white = 1e-3 * np.sqrt(RATE / 2) * rng.standard_normal((t.size, 1))
    assert_allclose(noise_density(white + 0.01 * np.sin(t / 20)[:, None], dt=1 / RATE), 1e-3, rtol=0.1)


def test_gaps_do_not_disturb(setup: Setup, found: Static) -> None:
    gappy = calibrate_static(setup, epochs(setup, rest(30), missing=0.03), current=WIDE)
    assert_allclose(gappy.gyro_bias, found.gyro_bias, atol=3e-5)
    assert_allclose(gappy.accel_noise, found.accel_noise, rtol=0.25)


def test_what_is_found_comes_on_top_of_the_calibration_in_use(setup: Setup) -> None:
    turned = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    current = ImuCalibration(
        accel_bias=(0.1, 0.2, 0.3), gyro_bias=(0.01, 0.02, 0.03), accel_matrix=turned, gyro_matrix=turned,
        sd_accel_bias=(1.0, 1.0, 1.0),
    )  # fmt: skip
    found = calibrate_static(setup, epochs(setup, rest(20)), current=current)
    x, y, z = GYRO_BIAS
    assert_allclose(found.gyro_bias - current.gyro_bias, [y, -x, z], atol=4e-5)
    x, y, z = ACCEL_BIAS
    assert_allclose(found.accel_bias - current.accel_bias, [y, -x, z], atol=1e-3)


def test_the_longest_of_several_rests_is_used(setup: Setup) -> None:
    speed = np.concatenate([rest(4), run(5), rest(20), run(5), rest(6)])
    found = calibrate_static(setup, epochs(setup, speed), current=WIDE)
    assert 15 < found.rest.duration < 19


def test_a_rest_of_hours_is_cut(setup: Setup) -> None:
    found = calibrate_static(setup, epochs(setup, rest(60)), current=WIDE, config=StaticConfig(longest=20))
    assert found.rest.duration == pytest.approx(20, abs=EPOCH)


def test_gyros_are_less_sure_of_a_line_of_unknown_heading(setup: Setup) -> None:
    north = replace(setup, config=NavigationConfig(latitude_deg=60.0))
    found = calibrate_static(north, epochs(setup, rest(20)), current=WIDE)
    earth = 7.292115e-5
    assert_allclose(found.gyro_bias[2], GYRO_BIAS[2] - earth * np.sin(np.pi / 3), atol=3e-5)
    assert np.all(found.sd_gyro_bias[:2] > earth * np.cos(np.pi / 3) / np.sqrt(2))


def test_the_file_holds_what_was_found(found: Static) -> None:
    made = found.calibration(device="imu", date=datetime.date(2026, 3, 14), source="line7").checked(where="here")
    assert_allclose(made.device[0].imu["gyro_bias"], found.gyro_bias, rtol=1e-4)
    assert made.device[0].imu["source"] == "rest of 27 s at 293.0 K in line7"
    assert made.navigation["accel_noise"] == pytest.approx(ACCEL_NOISE, rel=0.15)
    assert made.calibration.uncertainty["navigation.gyro_noise"] < 0.1 * made.navigation["gyro_noise"]


@pytest.mark.parametrize(
    ("speed", "options", "message"),
    [
        (rest(8), {}, r"longest rest lasts [678]\.\d s, at least 12 s"),
        (run(20), {}, r"longest rest lasts 0\.0 s"),
        (rest(20), {"encoder": False}, "no sample of 'encoder'"),
        (rest(20), {"missing": 0.1}, r"1[01] % of the samples at rest are missing"),
        (rest(0), {}, "no sample of 'imu'"),
    ],
)
def test_unfit_data_are_refused_with_the_reason(
    setup: Setup, speed: Array, options: dict[str, float], message: str
) -> None:
    with pytest.raises(CalibrationError, match=message):
        calibrate_static(setup, epochs(setup, speed, **options), current=WIDE)


def test_a_sensor_mounted_askew_is_no_biased_sensor(setup: Setup) -> None:
    level = replace(setup, start=200.0, design=DesignTrack.from_elements([HorizontalElement(length=500)], []))
    with pytest.raises(CalibrationError, match=r"accelerometer's y axis is off by -0\.7.*mounting"):
        calibrate_static(level, epochs(setup, rest(20)), current=WIDE)
