"""Cameras in the configuration: calibrations by file or inline, mistakes named, and what a simulation is told."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibration.store import read_calibration
from sensors.camera import CameraDevice
from tests.laser_cases import calibration_of
from twin.cli.camera_config import calibrated, camera_devices
from twin.cli.config import RunConfig, load_config, parse_config
from twin.cli.example import CAMERA_HEAD, commented_example, example_config
from twin.cli.run import _found_from
from twin.cli.toml_text import to_toml
from twin.core.errors import ConfigError
from twin.geometry.laser import LaserPlaneCalibration
from twin.simulation import Dynamics, dynamics_scenario
from twin.simulation.dynamic.config import ImagingConfig
from twin.simulation.rail_head import FanConfig, PinholeConfig, camera_truth
from twin.simulation.survey import EXACT, Survey, SurveyConfig

PLANE = calibration_of(camera_truth(PinholeConfig(), FanConfig(), rail=0))
CALIBRATION = {
    "calibration": {"kind": "camera", "date": "2026-03-01", "source": "poses"},
    "camera": PLANE.model_dump(mode="json"),
}


def text(*cameras: dict[str, Any]) -> str:
    data = example_config().model_dump(mode="json")
    return to_toml(data | {"camera": list(cameras)})


def camera(**changes: object) -> dict[str, Any]:
    return {"name": "camera_left", "rail": "left", "path": "/dev/video0", "file": "left.toml"} | changes


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "left.toml").write_text(to_toml(CALIBRATION))
    assert read_calibration(tmp_path / "left.toml").camera
    return tmp_path / "run.toml"


def refused(file: Path, *cameras: dict[str, Any]) -> str:
    file.write_text(text(*cameras))
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    return str(caught.value)


def test_the_effective_configuration_holds_the_content_of_the_calibration_file(file: Path) -> None:
    file.write_text(text(camera()))
    config = load_config(file)
    (left,) = config.camera
    assert left.file is None
    assert left.plane == PLANE
    assert left.origin == "left.toml of 2026-03-01, from poses"
    assert parse_config(config.to_toml(), where="recording") == config


def test_a_configuration_without_cameras_does_not_speak_of_them() -> None:
    assert "camera" not in {line.strip("[]") for line in example_config().to_toml().splitlines()}


def test_mistakes_are_named_with_their_remedy(file: Path) -> None:
    assert "camera 'camera_left' has no calibration: name a 'file'" in refused(file, camera(file=None))
    both = camera(plane=PLANE.model_dump(mode="json"))
    assert "give either 'file' or [camera.plane]" in refused(file, both)
    assert "no such file; make one with: railtwin calibrate" in refused(file, camera(file="lost.toml"))
    (file.parent / "static.toml").write_text(to_toml({"calibration": CALIBRATION["calibration"] | {"kind": "static"}}))
    assert "static.toml: calibrates no camera; correct camera.file" in refused(file, camera(file="static.toml"))
    assert "two cameras see the left rail" in refused(file, camera(), camera(name="other"))
    assert "two devices share the name 'imu'" in refused(file, camera(name="imu"))
    assert "did you mean 'rail'?" in refused(file, camera(rial="left"))


def test_a_commented_camera_can_be_used(file: Path) -> None:
    head, _, camera_part = commented_example().partition(CAMERA_HEAD)
    used = "".join(line[2:] if line.startswith("# ") else line[1:] for line in camera_part.splitlines(keepends=True))
    file.write_text(head + used.replace("camera-left.toml", "left.toml"))
    assert load_config(file).camera[0].rail == "left"


def test_folders_are_meant_where_the_configuration_lies(file: Path) -> None:
    file.write_text(text(camera(source="folder", path="images/left")))
    (left,) = _found_from(load_config(file), file.parent).camera
    assert left.path == str(file.parent / "images" / "left")
    file.write_text(text(camera(path="")))
    with pytest.raises(ConfigError, match="camera 'camera_left' has no path"):
        _found_from(load_config(file), file.parent)


def with_cameras(survey: SurveyConfig) -> tuple[CameraDevice, ...]:
    dynamics = Dynamics(cameras=ImagingConfig())
    return camera_devices(dynamics_scenario().model_copy(update={"dynamics": dynamics, "survey": survey}))


def test_an_exact_survey_tells_the_true_cameras() -> None:
    left, right = with_cameras(EXACT)
    assert (left.rail, right.rail) == ("left", "right")
    pixels = np.random.default_rng(1).uniform((0, 0), (1280, 512), (50, 2))
    for told, rail in ((left, 0), (right, 1)):
        true = calibration_of(camera_truth(PinholeConfig(), FanConfig(), rail=rail))
        assert np.abs(told.calibration.points_b(pixels) - true.points_b(pixels)).max() < 1e-9


def test_a_survey_with_errors_tells_cameras_as_a_calibration_finds_them() -> None:
    pixels = np.array([[640.0, 256.0], [400.0, 200.0], [900.0, 350.0]])
    off, moved = [], []
    for seed in range(40):
        for rail in (0, 1):
            truth = camera_truth(PinholeConfig(), FanConfig(), rail=rail)
            told: LaserPlaneCalibration = calibrated(truth, Survey(SurveyConfig(seed=seed)).camera(str(rail)))
            error = told.points_b(pixels)[:, 1:] - calibration_of(truth).points_b(pixels)[:, 1:]
            off.append(np.abs(error).max())
            moved.append(np.abs(error - error[0]).max())
    assert 0.05e-3 < np.median(off) < 0.25e-3
    assert np.quantile(moved, 0.95) < 0.1e-3  # the bound that calibrate camera puts on mapped points


def test_a_run_that_sees_its_rails_by_cameras_says_so() -> None:
    config = RunConfig.load(example_config().model_dump(mode="json"), where="test")
    assert config.geometry.prefer == "cameras"
