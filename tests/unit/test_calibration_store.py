"""Calibration files: what is written is read back, what is wrong is named, what is calibrated reaches the run."""

import datetime
from pathlib import Path
from typing import Any

import pytest

from calibration.store import Calibration, DevicePart, Origin, merged, read_calibration, write_calibration
from twin.cli.calibrating import calibrated
from twin.cli.config import RunConfig
from twin.cli.scenario_config import config_of
from twin.cli.toml_text import to_toml
from twin.core.errors import ConfigError
from twin.simulation import demo_scenario

ORIGIN = Origin(
    kind="navigation",
    date=datetime.date(2026, 3, 14),
    source="line7",
    uncertainty={"navigation.trajectory.lateral.own_rate": 1e-4},
)


def made(**parts: Any) -> Calibration:
    """A calibration of one key of the navigation and one of the imu, but for the parts given."""
    usual = {
        "calibration": ORIGIN,
        "navigation": {"trajectory": {"lateral": {"own_rate": 0.003}}},
        "device": (DevicePart(name="imu", imu={"gyro_bias": [1e-3, 0.0, -2e-3], "source": "rest in line7"}),),
    }
    return Calibration.model_validate(usual | parts)


@pytest.fixture
def config() -> RunConfig:
    return config_of(demo_scenario())


def test_a_file_reads_back_equal(tmp_path: Path) -> None:
    path = tmp_path / "imu.toml"
    write_calibration(path, made(), text_of=to_toml)
    assert read_calibration(path) == made()


def test_a_file_is_replaced_only_by_force(tmp_path: Path) -> None:
    path = tmp_path / "imu.toml"
    write_calibration(path, made(), text_of=to_toml)
    before = path.read_bytes()
    with pytest.raises(ConfigError, match=r"imu\.toml: exists; .*--force"):
        write_calibration(path, made(device=()), text_of=to_toml)
    assert path.read_bytes() == before
    write_calibration(path, made(device=()), text_of=to_toml, force=True)
    assert read_calibration(path).device == ()
    assert list(tmp_path.iterdir()) == [path]


def test_a_text_that_reads_back_otherwise_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not read back"):
        write_calibration(tmp_path / "imu.toml", made(), text_of=lambda tables: to_toml({**tables, "device": []}))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            {"navigation": {"trajectory": {"lateral": {"own_rat": 0.003}}}},
            r"navigation: unknown key .*own_rat.*own_rate",
        ),
        ({"navigation": {"accel_noise": -1.0}}, r"navigation: .*accel_noise"),
        ({"device": ({"name": "imu", "imu": {"gyro_bias": [1.0]}},)}, r"device imu: imu: .*gyro_bias"),
    ],
)
def test_a_wrong_key_or_value_is_named(tmp_path: Path, parts: dict[str, Any], message: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(to_toml(made(**parts).tables()), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"bad\.toml: " + message):
        read_calibration(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"kind = ", "not valid TOML"),
        (b"\xff\xfe", "byte 0 is not UTF-8"),
        (b"[navigation]\naccel_noise = 1e-3\n", "missing key 'calibration'"),
        (b'[calibration]\nkind = "wheel"\ndate = "2026-01-01"\nsource = "x"\n', r"calibration\.kind"),
    ],
)
def test_a_file_that_is_no_calibration_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"bad\.toml: .*" + message):
        read_calibration(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: no such file"):
        read_calibration(tmp_path / "none.toml")


def test_calibrated_values_take_the_place_of_configured_ones_and_nothing_else_changes(
    tmp_path: Path, config: RunConfig
) -> None:
    path = tmp_path / "imu.toml"
    write_calibration(path, made(), text_of=to_toml)
    after = calibrated(config, path)
    assert after.navigation.trajectory.lateral.own_rate == 0.003
    imu, encoder = after.device
    assert imu.imu is not None
    assert imu.imu.gyro_bias == (1e-3, 0.0, -2e-3)
    assert imu.imu.source == "rest in line7"
    lateral = config.navigation.trajectory.lateral.model_copy(update={"own_rate": 0.003})
    trajectory = config.navigation.trajectory.model_copy(update={"lateral": lateral})
    assert after.navigation == config.navigation.model_copy(update={"trajectory": trajectory})
    assert encoder == config.device[1]
    assert after.track == config.track


def test_a_device_that_is_not_configured_is_named(config: RunConfig) -> None:
    calibration = made(device=({"name": "imu2", "imu": {}},))
    with pytest.raises(ConfigError, match=r"x\.toml: .*'imu2'.* there is imu, encoder"):
        merged(config.model_dump(), calibration, where="x.toml")


def test_radius_and_mounting_reach_the_run_and_the_rest_stays(config: RunConfig, tmp_path: Path) -> None:
    path = tmp_path / "wheel.toml"
    origin = ORIGIN.model_copy(update={"kind": "wheel-radius", "uncertainty": {"vehicle.wheel_radius": 1e-4}})
    made = Calibration(calibration=origin, vehicle={"wheel_radius": 0.4534})
    write_calibration(path, made, text_of=to_toml)
    after = calibrated(config, path)
    assert after.vehicle.wheel_radius == 0.4534
    assert after.model_copy(update={"vehicle": config.vehicle}) == config


def test_a_camera_is_not_laid_over_a_run(config: RunConfig) -> None:
    camera = {"focal": [1400.0, 1400.0], "centre": [320.0, 160.0], "plane_normal_c": [0.0, 0.0, 1.0]}
    made = Calibration(calibration=ORIGIN.model_copy(update={"kind": "camera"}), camera=camera)
    with pytest.raises(ConfigError, match=r"left\.toml: is of a camera and does not say of which"):
        merged(config.model_dump(mode="json"), made, where="left.toml")
    with pytest.raises(ConfigError, match=r"left\.toml: camera: missing key 'plane_distance'"):
        made.checked(where="left.toml")
