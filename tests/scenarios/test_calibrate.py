"""`railtwin calibrate` on recordings: files, tables, exit codes, and what their values are good for."""

import shutil
import tomllib
from pathlib import Path

import pytest

from tests.command_line import Railtwin
from twin.cli.calibrating import calibrated
from twin.cli.config import load_config
from twin.cli.reporting import load_run
from twin.cli.run_directory import RunDirectory
from twin.cli.simulating import record_simulated
from twin.simulation import ImuGrade, Leg, MotionConfig, curve_scenario
from twin.simulation.sensors import CONSUMER

SEED = 223


@pytest.fixture
def railtwin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Railtwin:
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.setenv("NO_COLOR", "1")
    return Railtwin(monkeypatch, capsys)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A consumer-grade run: 15 s of rest, then half a minute up to 20 m/s."""
    path = tmp_path_factory.mktemp("runs") / "line7"
    motion = MotionConfig(legs=(Leg(speed=20, duration=8),), standstill=15)
    scenario = curve_scenario(grade=ImuGrade.CONSUMER, seed=SEED).model_copy(update={"motion": motion})
    record_simulated(scenario, RunDirectory(path), progress=lambda share: None)
    return path


def test_static_then_navigation_make_a_configuration_that_is_consistent(
    run: Path, tmp_path: Path, railtwin: Railtwin
) -> None:
    imu, navigation = tmp_path / "imu.toml", tmp_path / "navigation.toml"
    outcome = railtwin("calibrate", "static", run, "-o", imu)
    assert outcome.code == 0, outcome.err
    assert "gyro bias" in outcome.out
    assert f"{imu}: written, from 1" in outcome.out
    outcome = railtwin("calibrate", "navigation", run, "-o", navigation, "--calibration", imu)
    assert outcome.code == 0, outcome.out + outcome.err
    assert "trajectory.lateral_rate" in outcome.out
    assert "calibrate: 100 %" in outcome.err
    after = calibrated(calibrated(load_config(RunDirectory(run).config), imu), navigation)
    noise = CONSUMER.gyroscope.noise_density
    assert after.navigation.gyro_noise == pytest.approx(noise, rel=0.2)
    assert after.device[0].calibration.source.endswith("in line7")
    kept = tomllib.loads(navigation.read_text(encoding="utf-8"))["calibration"]
    assert (kept["kind"], kept["source"]) == ("navigation", "line7")


def test_a_calibrated_gyro_shows_nothing_at_rest(run: Path, tmp_path: Path, railtwin: Railtwin) -> None:
    first, second = tmp_path / "first.toml", tmp_path / "second.toml"
    railtwin("calibrate", "static", run, "-o", first)
    railtwin("calibrate", "static", run, "-o", second, "--calibration", first)
    once, twice = (tomllib.loads(path.read_text(encoding="utf-8"))["device"][0]["imu"] for path in (first, second))
    assert max(map(abs, once["gyro_bias"])) > 1e-3
    assert twice["gyro_bias"] == pytest.approx(once["gyro_bias"], abs=1e-6)
    assert twice["accel_bias"] == pytest.approx(once["accel_bias"], abs=0.01)


def test_a_replay_takes_calibrations(run: Path, tmp_path: Path, railtwin: Railtwin) -> None:
    imu, out = tmp_path / "imu.toml", tmp_path / "again"
    railtwin("calibrate", "static", run, "-o", imu)
    outcome = railtwin("replay", run, "--out", out, "--calibration", imu, "--no-smooth")
    assert outcome.code == 0, outcome.err
    _, used = load_run(RunDirectory(out))
    assert used == calibrated(load_config(RunDirectory(run).config), imu)
    missing = railtwin("replay", run, "--out", out, "--calibration", tmp_path / "none.toml")
    assert (missing.code, "none.toml" in missing.err) == (2, True)


def test_an_existing_file_stops_before_the_work(run: Path, tmp_path: Path, railtwin: Railtwin) -> None:
    out = tmp_path / "imu.toml"
    out.write_text("mine", encoding="utf-8")
    for command in ("static", "navigation"):
        outcome = railtwin("calibrate", command, run, "-o", out)
        assert outcome.code == 2
        assert "exists; choose another name, or --force" in outcome.err
    assert out.read_text(encoding="utf-8") == "mine"
    assert railtwin("calibrate", "static", run, "-o", out, "--force").code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("static", "nowhere", "-o", "x.toml"), "nowhere: no such run"),
        (("static", "{run}", "-o", "{tmp}/none/x.toml"), "no such folder; make it"),
        (("static", "{run}", "-o", "{tmp}/x.toml", "--device", "encoder"), "choose imu"),
        (("navigation", "{run}", "-o", "{tmp}/x.toml", "--calibration", "{tmp}/none.toml"), "none.toml: no such file"),
    ],
)
def test_what_is_wrong_is_said_with_its_remedy(
    run: Path, tmp_path: Path, railtwin: Railtwin, arguments: tuple[str, ...], message: str
) -> None:
    outcome = railtwin("calibrate", *(each.format(run=run, tmp=tmp_path) for each in arguments))
    assert outcome.code == 2
    assert message in outcome.err
    assert not (tmp_path / "x.toml").exists()


def test_a_recording_cut_before_the_rest_is_long_enough_is_refused(
    run: Path, tmp_path: Path, railtwin: Railtwin
) -> None:
    short = tmp_path / "short"
    shutil.copytree(run / "recording", short / "recording")
    first, *others = sorted((short / "recording").glob("*.mcap"))
    for segment in others:
        segment.unlink()
    with first.open("r+b") as file:
        file.truncate(first.stat().st_size // 8)
    for command, message in (("static", "the longest rest lasts"), ("navigation", "moves at 2 m/s or more for 0 s")):
        outcome = railtwin("calibrate", command, short, "-o", tmp_path / "x.toml")
        assert outcome.code == 2
        assert message in outcome.err
    assert not (tmp_path / "x.toml").exists()
