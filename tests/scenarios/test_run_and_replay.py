"""Live runs on real ports in real processes, and their replays: equal bytes whatever happens on the way."""

import filecmp
import signal
from pathlib import Path

import numpy as np
import pytest

from recordings import ResultReader, describe, open_recording
from sensors.emulator import FaultPlan, Unplug
from tests.served_run import PATIENCE, ServedRun, railtwin
from twin.cli.comparison import compare
from twin.cli.replaying import Replay
from twin.cli.run_directory import RunDirectory, recorded_config
from twin.core.estimate import Form, GridBlock, Health, OperatorEvent
from twin.core.quality import Quality


def grid(path: Path, form: Form = Form.CAUSAL) -> list[GridBlock]:
    return [result for result in ResultReader(path) if isinstance(result, GridBlock) and result.form is form]


def points(path: Path, form: Form = Form.CAUSAL) -> np.ndarray:
    return np.concatenate([block.index for block in grid(path, form)])


def replayed(served: ServedRun, tmp_path: Path) -> Path:
    """Results of the replay, after the check found them equal to those of the live run."""
    again = RunDirectory(tmp_path / "again")
    reader = open_recording(served.run.recording)
    Replay(reader, recorded_config(reader), again).results(progress=lambda share: None)
    assert str(compare(again.results, served.run.results)) == "equal, byte for byte"
    return again.results


def test_replay_gives_the_bytes_of_the_live_run(tmp_path: Path) -> None:
    faults = {
        "imu": FaultPlan(seed=1, bit_error_rate=1e-5, loss=1e-3, duplicate=1e-3, reorder=1e-3, drift_ppm=30),
        "encoder": FaultPlan(seed=2, loss=1e-3, drift_ppm=-20),
    }
    with ServedRun(tmp_path, faults=faults) as served:
        process = served.start()
        served.wait_until(8.0)
        process.stdin.write("bridge 7\n")
        process.stdin.flush()
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert "noted: bridge 7" in err
    assert "points estimated" in out
    again = tmp_path / "again"
    outcome = railtwin("replay", served.run.path, "--no-smooth", "--out", again, "--check", served.run.path)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert "equal, byte for byte" in outcome.stdout
    results = again / "results.mcap"
    assert filecmp.cmp(results, served.run.results, shallow=False)
    assert [event.text for event in ResultReader(results) if isinstance(event, OperatorEvent)] == ["bridge 7"]
    wires = {health.source: health.counts for health in ResultReader(results) if isinstance(health, Health)}
    assert wires["imu wire"]["bad_crc"] > 0
    assert points(results).size > 600


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_run_in_order(tmp_path: Path, number: signal.Signals) -> None:
    with ServedRun(tmp_path) as served:
        process = served.start()
        served.wait_until(12.0)
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert describe(served.run.recording).damage.faults == {}
    assert points(replayed(served, tmp_path)).size > 50


def test_a_killed_run_is_replayed_and_continued(tmp_path: Path) -> None:
    with ServedRun(tmp_path) as served:
        first = served.start()
        served.wait_until(12.0)
        first.kill()
        first.communicate(timeout=PATIENCE)
    rescued = railtwin("replay", served.run.path, "--no-smooth", "--out", tmp_path / "rescued")
    with ServedRun(tmp_path, origin_ns=served.clock.origin_ns) as served:
        second = served.start()
        _, err = second.communicate(timeout=PATIENCE)
    assert rescued.returncode in (0, 1), rescued.stderr
    assert points(tmp_path / "rescued" / "results.mcap").size > 10
    assert second.returncode == 0, err
    assert "it is continued" in err
    assert open_recording(served.run.recording).sessions == 2
    whole = points(replayed(served, tmp_path))
    assert set(points(tmp_path / "rescued" / "results.mcap")) <= set(whole)


def test_a_device_unplugged_and_back_is_a_gap_not_an_end(tmp_path: Path) -> None:
    away = Unplug(t=10.0, duration=2.0)
    with ServedRun(tmp_path, faults={"imu": FaultPlan(unplug=(away,))}) as served:
        process = served.start()
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert "imu: its port was lost and is back, 1 times by now" in err
    blocks = grid(replayed(served, tmp_path))
    flagged = np.concatenate([block.t_ns[(block.quality & Quality.MISSING) != 0] for block in blocks])
    t = (flagged - served.emulator.origin_ns) * 1e-9
    assert ((t > away.t) & (t < away.t + away.duration)).any()
    assert max(block.t_ns[-1] for block in blocks) > served.emulator.origin_ns + 18e9


def test_results_that_cannot_be_written_do_not_stop_the_recording(tmp_path: Path) -> None:
    with ServedRun(tmp_path) as served:
        served.run.make()
        served.run.results.symlink_to("/dev/full")
        process = served.start()
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "the recording is whole: replay it" in err
    served.run.results.unlink()
    assert railtwin("replay", served.run.path, "--no-smooth").returncode == 0
    assert points(served.run.results).size > 600


def test_a_device_that_is_not_there_is_named_and_the_others_are_recorded(tmp_path: Path) -> None:
    with ServedRun(tmp_path) as served:
        text = served.file.read_text()
        served.file.write_text(text.replace(str(tmp_path / "ports" / "encoder"), str(tmp_path / "ports" / "nothing")))
        process = served.start("--for", "8")
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "encoder: never heard" in err
    assert "no such port" in err
    streams = {stream.device: stream.size for stream in describe(served.run.recording).streams if not stream.sent}
    assert streams["imu"] > 0


def test_a_folder_of_another_configuration_is_refused(tmp_path: Path) -> None:
    with ServedRun(tmp_path) as served:
        process = served.start()
        served.wait_until(2.0)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        served.file.write_text(served.file.read_text().replace('name = "served"', 'name = "other"', 1))
        again = served.start()
        _, err = again.communicate(timeout=PATIENCE)
    assert again.returncode == 2
    assert "another configuration; choose another --out" in err
