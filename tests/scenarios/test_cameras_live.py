"""Live runs with cameras in processes of their own: recorded, killed, continued, and replayed to the same bytes."""

import json
from pathlib import Path

import numpy as np
import psutil
import pytest

from recordings import ResultReader, open_recording
from tests.served_cameras import CameraServer, camera_devices, write_images
from tests.served_run import PATIENCE, ServedRun, railtwin
from twin.cli.comparison import compare
from twin.cli.replaying import Replay, images_beside
from twin.cli.run_directory import RunDirectory, recorded_config
from twin.core.estimate import Form, GridBlock, Health

SPEED = 2.0
"""Times real time: what two cameras give must be seen as it comes."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Images of both rails."""
    folder = tmp_path_factory.mktemp("images")
    write_images(folder)
    return folder


def with_cameras(served: ServedRun, folder: Path, **images: object) -> None:
    recording = served.config.recording
    storage = recording.images.model_copy(update={"free_bytes": 0, **images})
    config = served.config.model_copy(
        update={"camera": camera_devices(folder), "recording": recording.model_copy(update={"images": storage})}
    )
    served.file.write_text(config.to_toml())


def rails(path: Path, form: Form) -> list[GridBlock]:
    return [
        each
        for each in ResultReader(path)
        if isinstance(each, GridBlock) and each.name == "geometry" and each.form is form
    ]


def replayed(run: RunDirectory, out: Path) -> Path:
    """Results of the replay, after the check found them equal to those of the live run."""
    again = RunDirectory(out)
    reader = open_recording(run.recording)
    replay = Replay(reader, recorded_config(reader), again, images=images_beside(run.recording))
    replay.results(progress=lambda share: None)
    assert str(compare(again.results, run.results)) == "equal, byte for byte"
    return again.results


def test_a_run_with_cameras_is_replayed_to_the_same_bytes(tmp_path: Path, folder: Path) -> None:
    with ServedRun(tmp_path, speed=SPEED) as served, CameraServer(folder, served.emulator, served.clock):
        with_cameras(served, folder)
        process = served.start()
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    results = replayed(served.run, tmp_path / "again")
    found = rails(results, Form.CAUSAL)
    assert np.isfinite(np.concatenate([block["y_left"] for block in found])).sum() > 300
    assert np.isfinite(np.concatenate([block["z_right"] for block in found])).sum() > 300
    said = json.loads(railtwin("info", served.run.recording, "--json").stdout)
    assert [camera["camera"] for camera in said["cameras"]] == ["camera_left", "camera_right"]
    for camera in said["cameras"]:
        assert camera["strip"] > 150
        assert camera["damaged"] == 0
    heads = {each.source: each.counts for each in ResultReader(results) if isinstance(each, Health)}
    assert heads["camera_left heads"]["samples"] == said["cameras"][0]["images"]


def test_a_killed_run_that_keeps_few_pixels_is_continued(tmp_path: Path, folder: Path) -> None:
    with ServedRun(tmp_path, speed=SPEED) as served, CameraServer(folder, served.emulator, served.clock):
        with_cameras(served, folder, keep="every", every=5)
        first = served.start()
        served.wait_until(12.0)
        processes = psutil.Process(first.pid).children(recursive=True)
        first.kill()
        first.communicate(timeout=PATIENCE)
    _, alive = psutil.wait_procs(processes, timeout=PATIENCE)
    assert len(processes) >= 2
    assert not alive  # cameras end with the run they belong to
    with (
        ServedRun(tmp_path, speed=SPEED, origin_ns=served.clock.origin_ns) as served,
        CameraServer(folder, served.emulator, served.clock),
    ):
        with_cameras(served, folder, keep="every", every=5)
        second = served.start()
        _, err = second.communicate(timeout=PATIENCE)
    assert second.returncode == 0, err
    assert "it is continued" in err
    assert open_recording(served.run.recording).sessions == 2
    assert rails(replayed(served.run, tmp_path / "again"), Form.CAUSAL)
    (left, _) = json.loads(railtwin("info", served.run.recording, "--json").stdout)["cameras"]
    assert left["line"] == pytest.approx(4 * left["strip"], abs=8)
