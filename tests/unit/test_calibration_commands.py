"""`railtwin calibrate imu-noise` and `wheel-radius` on a recording: files, pictures, values, refusals."""

from pathlib import Path

import pytest

from calibration.store import read_calibration
from twin.cli.calibrate_imu_noise import imu_noise
from twin.cli.calibrate_wheel_radius import wheel_radius
from twin.cli.calibrating import calibrated
from twin.cli.config import load_config
from twin.cli.run_directory import RunDirectory
from twin.cli.simulating import record_simulated
from twin.core.errors import CalibrationError, ConfigError
from twin.simulation import ImuGrade, Leg, MotionConfig, curve_scenario
from twin.simulation.sensors import CONSUMER


@pytest.fixture(scope="module")
def scenario_radius() -> float:
    return curve_scenario(grade=ImuGrade.CONSUMER, seed=7).vehicle.wheel_radius


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty seconds of rest, then through a curve at 20 m/s."""
    path = tmp_path_factory.mktemp("runs") / "line7"
    motion = MotionConfig(legs=(Leg(speed=20, duration=25),), standstill=40)
    scenario = curve_scenario(grade=ImuGrade.CONSUMER, seed=7).model_copy(update={"motion": motion})
    record_simulated(scenario, RunDirectory(path), progress=lambda share: None)
    return path


def test_the_radius_of_the_simulated_wheel_is_found_in_one_curve(
    run: Path, scenario_radius: float, tmp_path: Path
) -> None:
    out = tmp_path / "wheel.toml"
    wheel_radius(run=run, out=out)
    sd = read_calibration(out).calibration.uncertainty["vehicle.wheel_radius"]
    config = load_config(RunDirectory(run).config)
    after = calibrated(config, out)
    assert (
        abs(after.vehicle.wheel_radius - scenario_radius) < 3 * sd < abs(config.vehicle.wheel_radius - scenario_radius)
    )
    assert (tmp_path / "wheel.png").stat().st_size > 10_000


def test_noise_of_the_simulated_sensor_is_found_and_a_short_rest_refused(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "noise.toml"
    with pytest.raises(CalibrationError, match=r"longest rest lasts \d+\.\d s, at least 910 s are needed"):
        imu_noise(recording=run, out=out, shortest=900.0)
    imu_noise(recording=run, out=out, shortest=25.0)
    found = read_calibration(out)
    assert found.navigation["gyro_noise"] == pytest.approx(CONSUMER.gyroscope.noise_density, rel=0.1)
    assert found.calibration.kind == "imu-noise"
    assert (tmp_path / "noise.png").stat().st_size > 10_000


def test_a_picture_is_replaced_only_by_force(run: Path, tmp_path: Path) -> None:
    (tmp_path / "wheel.png").write_bytes(b"mine")
    with pytest.raises(ConfigError, match=r"wheel\.png: exists"):
        wheel_radius(run=run, out=tmp_path / "wheel.toml")
