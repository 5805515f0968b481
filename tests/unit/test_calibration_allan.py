"""Allan deviation against noise whose densities are known because they were put in."""

import datetime
from pathlib import Path

import numpy as np
import pytest

from calibration.allan import (
    Allan,
    AllanConfig,
    Noise,
    allan_variance,
    axis_noise,
    calibrate_imu_noise,
    filled,
    quiet,
)
from calibration.rest import Rest
from calibration.store import Calibration
from tests.unit import test_calibration_static as at_rest
from twin.cli.calibrate_imu_noise import figure_of
from twin.core.arrays import Array
from twin.core.errors import CalibrationError
from twin.core.track import DesignTrack, HorizontalElement
from twin.core.vehicle import Mounting, VehicleParameters
from twin.navigation.chain import Setup
from twin.navigation.config import NavigationConfig

RATE = 20.0
D, B, K = 3e-3, 1.5e-3, 2.4e-4
"""One-sided density, bias instability and random walk: of one size at 10 to 40 s."""
CONFIG = AllanConfig(first=0.2)


def noise(duration: float, seed: int, *, flicker: float = B, walk: float = K) -> Array:
    """White noise, flicker of the spectrum B^2 / (2 pi f), two-sided, and random walk."""
    rng, n = np.random.default_rng(seed), round(duration * RATE)
    white = D * np.sqrt(RATE / 2) * rng.standard_normal(n)
    f = np.fft.rfftfreq(2 * n, 1 / RATE)
    shape = np.zeros(f.size)
    shape[1:] = flicker / np.sqrt(2 * np.pi * f[1:])
    spectrum = np.fft.rfft(rng.standard_normal(2 * n) * np.sqrt(RATE)) * shape
    return np.asarray(
        white + np.fft.irfft(spectrum)[:n] + walk / np.sqrt(RATE) * np.cumsum(rng.standard_normal(n)), dtype=float
    )


@pytest.fixture(scope="module")
def long_rests() -> list[Noise]:
    return [axis_noise(noise(40_000, seed), dt=1 / RATE, config=CONFIG) for seed in range(6)]


def test_variance_of_white_noise_falls_with_the_averaging_time() -> None:
    values = np.random.default_rng(1).standard_normal(200_000)
    for m in (1, 10, 100):
        assert allan_variance(values, m) == pytest.approx(1 / m, rel=0.05)


def test_variance_of_a_steady_drift_is_half_its_square() -> None:
    assert allan_variance(0.5 * np.arange(1000.0), 20) == pytest.approx((0.5 * 20) ** 2 / 2)


def test_densities_are_found_within_ten_per_cent(long_rests: list[Noise]) -> None:
    found = long_rests[0]
    assert found.seen == (True, True, True)
    assert found.values == pytest.approx([D, B, K], rel=0.1)


def test_errors_agree_with_the_stated_uncertainty(long_rests: list[Noise]) -> None:
    errors = np.array([(each.values - [D, B, K]) / each.sd_values for each in long_rests])
    rms = np.sqrt(np.mean(errors**2, axis=0))
    assert np.all(rms < 1.8)  # 99.9 % of the root of a chi-square with 6 degrees of freedom
    assert np.all(rms > 0.25)


def test_deviations_agree_with_the_noise_that_was_put_in(long_rests: list[Noise]) -> None:
    for each in long_rests:
        true = np.sqrt(D**2 / (2 * each.tau) + 2 * np.log(2) / np.pi * B**2 + K**2 * each.tau / 3)
        assert np.all(np.abs(each.deviation - true) < 4.5 * each.sd)


def test_a_short_rest_shows_the_density_and_bounds_the_walk() -> None:
    found = axis_noise(noise(300, 3, flicker=0, walk=1e-5), dt=1 / RATE, config=CONFIG)
    assert found.seen[0]
    assert not found.seen[2]
    assert found.values[0] == pytest.approx(D, rel=0.1)
    assert found.values[2] > 1e-5


def test_a_rest_that_is_too_short_says_how_long_it_must_be() -> None:
    with pytest.raises(CalibrationError, match="at least 16 s are needed"):
        axis_noise(noise(10, 1), dt=1 / RATE, config=CONFIG)


def test_a_shaken_sensor_is_refused() -> None:
    values = np.random.default_rng(2).standard_normal((20 * 200, 6))
    quiet(values, 1 / RATE, CONFIG)
    values[20 * 50 : 20 * 53, 4] += 5 * np.sin(np.arange(60))
    with pytest.raises(CalibrationError, match="shaken in 3 of 200 s, first after 50 s"):
        quiet(values, 1 / RATE, CONFIG)


def test_missing_samples_are_filled_between_their_neighbours() -> None:
    values = np.array([[1.0], [np.nan], [3.0], [np.nan]])
    assert filled(values).ravel().tolist() == [1.0, 2.0, 3.0, 3.0]


def test_a_file_tells_the_navigation_and_names_every_axis(long_rests: list[Noise]) -> None:
    rest = Rest(np.zeros((10, 3)), np.zeros((10, 3)), 0.05, 0.0, 293.0)
    made = Allan(rest, tuple(long_rests)).calibration(date=datetime.date(2026, 3, 14), source="night")
    assert made.navigation["gyro_noise"] == pytest.approx(D, rel=0.05)
    assert made.navigation["accel_bias_walk"] == pytest.approx(K, rel=0.1)
    assert made.calibration.found["gyro_z.bias_instability"] == pytest.approx(B, rel=0.2)
    assert 0 < made.calibration.uncertainty["navigation.gyro_noise"] < 0.02 * D
    assert Calibration.load(made.tables(), where="file").checked(where="file") == made


def test_the_picture_shows_six_axes(long_rests: list[Noise], tmp_path: Path) -> None:
    rest = Rest(np.zeros((10, 3)), np.zeros((10, 3)), 0.05, 0.0, 293.0)
    figure = figure_of(Allan(rest, tuple(long_rests)), title="Noise")
    assert [len(axes.get_lines()) >= 6 for axes in figure.axes] == [True, True]
    figure.savefig(tmp_path / "noise.png")


def test_noise_is_found_in_the_epochs_of_a_rest_and_not_of_a_run() -> None:
    tangent = HorizontalElement(length=500, curvature_start=0, curvature_end=0, cant_start=0, cant_end=0)
    design = DesignTrack.from_elements([tangent], [])
    setup = Setup(NavigationConfig(), design, VehicleParameters(), Mounting(), start=200.0)
    quick = AllanConfig(shortest=20, settle=1, seen=2.0)
    found = calibrate_imu_noise(setup, at_rest.epochs(setup, at_rest.rest(60)), config=quick)
    for axis, density in zip(found.axes, [at_rest.ACCEL_NOISE] * 3 + [at_rest.GYRO_NOISE] * 3, strict=True):
        assert abs(axis.values[0] - density) < 4 * axis.sd_values[0] + 0.02 * density
    with pytest.raises(CalibrationError, match=r"longest rest lasts 0\.0 s, at least 22 s are needed"):
        calibrate_imu_noise(setup, at_rest.epochs(setup, at_rest.run(5)), config=quick)
