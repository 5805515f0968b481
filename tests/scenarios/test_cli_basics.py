"""The command line as a person and a script meet it: help, exit codes, errors, streams."""

import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest
import typer

from firmware_interface.chunk import Chunk
from recordings.header import RecordingHeader
from recordings.writer import RecordingWriter
from tests.command_line import Railtwin
from twin.cli import simulate
from twin.cli.app import app
from twin.cli.console import Terminal
from twin.core.estimate import OperatorEvent
from twin.version import __version__

READS, PERIOD_NS, START_NS = 200, 20_000_000, 5_000_000_000
BYTES = bytes(range(250))


@pytest.fixture
def railtwin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Railtwin:
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.setenv("NO_COLOR", "1")
    return Railtwin(monkeypatch, capsys)


@pytest.fixture
def config(tmp_path: Path, railtwin: Railtwin) -> Path:
    path = tmp_path / "run.toml"
    assert railtwin("config", "new", path).code == 0
    return path


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Four seconds of two devices, 50 reads a second each, and one remark."""
    path = tmp_path / "recording"
    header = RecordingHeader(version="0.1.test", started="2026-05-04T03:02:01+00:00", devices=("imu", "encoder"))
    with RecordingWriter(path, header) as writer:
        for i in range(READS):
            for device in header.devices:
                writer.write_when_room(Chunk(device, START_NS + i * PERIOD_NS, BYTES))
        writer.write_event(OperatorEvent(START_NS, "note", "bridge [7]"))
    return path


def damage(recording: Path) -> None:
    """Spoil a stretch in the middle of the first segment."""
    segment = min(recording.glob("*.mcap"))
    data = bytearray(segment.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 16] = bytes(byte ^ 0xFF for byte in data[middle : middle + 16])
    segment.write_bytes(data)


def python(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_version_is_the_package_version(railtwin: Railtwin) -> None:
    assert railtwin("--version") == (0, f"railtwin {__version__}\n", "")


def test_help_groups_the_commands_and_shows_examples(railtwin: Railtwin) -> None:
    code, out, _ = railtwin("--help")
    assert code == 0
    assert all(word in out for word in ("Recordings", "Set up", "info", "repair", "config", "doctor", "Examples"))


@pytest.mark.parametrize("command", ["info", "repair", "config", "doctor"])
def test_every_command_explains_itself(railtwin: Railtwin, command: str) -> None:
    code, out, _ = railtwin(command, "--help")
    assert code == 0
    assert "Usage: railtwin" in out


def _bracketed(command: object, names: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], set[str]]]:
    """Every command by its names with the words in square brackets that its own help says."""
    speakers = (command, *getattr(command, "params", ()))
    texts = [getattr(each, name, None) or "" for each in speakers for name in ("help", "epilog")]
    yield names, {word for text in texts for word in re.findall(r"\[[^]]*]+", text)}
    for name, below in getattr(command, "commands", {}).items():
        yield from _bracketed(below, (*names, name))


def test_help_keeps_words_in_square_brackets(railtwin: Railtwin) -> None:
    told = {names: words for names, words in _bracketed(typer.main.get_command(app)) if words}
    assert {"[dynamics]", "[faults.DEVICE]"} <= told["simulate",]
    for names, words in told.items():
        shown = "".join(re.split(r"[\s│]+", railtwin(*names, "--help").out))
        assert [word for word in words if "".join(word.split()) not in shown] == [], names


def test_help_does_not_load_the_numerical_packages() -> None:
    code = (
        "import sys\nfrom twin.cli import main\nsys.argv = ['railtwin', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([name for name in ('numpy', 'scipy', 'numba', 'pydantic', 'mcap') if name in sys.modules])"
    )
    out, err = python(code).communicate(timeout=30)
    assert out.splitlines()[-1] == "[]", err


def test_wrong_argument_is_a_usage_error(railtwin: Railtwin) -> None:
    code, out, err = railtwin("doctor", "--nonsense")
    assert (code, out) == (2, "")
    assert "--nonsense" in err


def test_new_configuration_is_good(railtwin: Railtwin, config: Path) -> None:
    code, out, err = railtwin("config", "check", config)
    assert (code, err) == (0, "")
    assert out.startswith(f"{config}: good.")


def test_new_configuration_never_replaces_a_file_unasked(railtwin: Railtwin, config: Path) -> None:
    config.write_text("mine")
    assert railtwin("config", "new", config).code == 2
    assert config.read_text() == "mine"
    assert railtwin("config", "new", config, "--force").code == 0
    assert config.read_text() != "mine"


def test_configuration_that_cannot_be_written_is_one_line(railtwin: Railtwin, tmp_path: Path) -> None:
    code, out, err = railtwin("config", "new", tmp_path / "nowhere" / "run.toml")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")


def test_shown_configuration_is_itself_a_configuration(railtwin: Railtwin, config: Path, tmp_path: Path) -> None:
    shown = railtwin("config", "show", config).out
    again = tmp_path / "again.toml"
    again.write_text(shown)
    assert railtwin("config", "show", again).out == shown
    assert tomllib.loads(shown)["vehicle"]["wheel_radius"] == 0.46


def test_wrong_configuration_is_one_line_on_stderr_and_code_2(railtwin: Railtwin, config: Path) -> None:
    config.write_text(config.read_text().replace("wheel_radius =", "wheel_radios ="))
    for command in (("config", "check"), ("config", "show"), ("doctor",)):
        code, out, err = railtwin(*command, config)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert err.startswith(f"error: {config}: unknown key 'vehicle.wheel_radios'")


def test_explained_key_shows_its_unit_with_brackets(railtwin: Railtwin) -> None:
    code, out, _ = railtwin("config", "explain", "vehicle.wheel_radius")
    assert code == 0
    assert "[m]" in out
    assert "default 0.46" in out


def test_quiet_silences_remarks_but_not_results(railtwin: Railtwin, tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    assert railtwin("--quiet", "config", "new", path) == (0, "", "")
    assert railtwin("--quiet", "config", "check", path).out != ""


def test_doctor_fails_for_a_port_that_is_not_there(railtwin: Railtwin, config: Path, tmp_path: Path) -> None:
    lost = tmp_path / "lost-port"
    config.write_text(config.read_text().replace("/dev/ttyUSB0", str(lost)))
    code, out, _ = railtwin("doctor", config)
    assert code == 1
    assert any("lost-port" in line and "fail" in line for line in out.splitlines())


def test_info_of_a_clean_recording_ends_with_0(railtwin: Railtwin, recording: Path) -> None:
    code, out, err = railtwin("info", recording)
    assert (code, err) == (0, "")
    assert all(word in out for word in ("imu", "encoder", "4.0 s", "0.1.test", "no damage"))


def test_info_as_json_counts_what_was_recorded(railtwin: Railtwin, recording: Path) -> None:
    found = json.loads(railtwin("info", recording, "--json").out)
    assert found["duration_s"] == pytest.approx((READS - 1) * PERIOD_NS / 1e9)
    assert found["damage"]["clean"] is True
    assert {stream["device"]: stream["reads"] for stream in found["streams"]} == {"imu": READS, "encoder": READS}
    assert sum(stream["bytes"] for stream in found["streams"]) == 2 * READS * len(BYTES)
    assert found["events"] == [{"t_ns": START_NS, "kind": "note", "text": "bridge [7]", "s": None}]


def test_info_of_a_damaged_recording_ends_with_1_and_says_what_is_lost(railtwin: Railtwin, recording: Path) -> None:
    damage(recording)
    code, out, err = railtwin("info", recording)
    assert (code, err) == (1, "")
    assert "checksum does not match" in out
    code, out, _ = railtwin("info", recording, "--json")
    assert code == 1
    assert json.loads(out)["damage"]["lost_bytes"] > 0


def test_repaired_copy_is_clean_and_the_original_untouched(railtwin: Railtwin, recording: Path, tmp_path: Path) -> None:
    damage(recording)
    before = {path.name: path.read_bytes() for path in recording.iterdir()}
    copy = tmp_path / "copy"
    assert railtwin("repair", recording, "-o", copy).code == 1
    assert {path.name: path.read_bytes() for path in recording.iterdir()} == before
    saved = json.loads(railtwin("info", copy, "--json").out)
    damaged = json.loads(railtwin("info", recording, "--json").out)
    assert saved["streams"] == damaged["streams"]
    assert saved["damage"]["lost_bytes"] == 0


def test_repair_of_a_clean_recording_ends_with_0(railtwin: Railtwin, recording: Path, tmp_path: Path) -> None:
    assert railtwin("repair", recording, "-o", tmp_path / "copy").code == 0


def test_repair_never_writes_into_an_existing_folder(railtwin: Railtwin, recording: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    code, out, err = railtwin("repair", recording, "-o", tmp_path / "copy")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")


@pytest.mark.parametrize("command", [("info",), ("repair", "-o", "copy")])
def test_path_without_a_recording_is_one_line_and_code_2(
    railtwin: Railtwin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = railtwin(*command, tmp_path / "nowhere")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")


def test_progress_without_a_terminal_is_a_few_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with Terminal().progress("replay", total=1000) as update:
        for done in range(1001):
            update(done)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == ["replay: 25 %", "replay: 50 %", "replay: 75 %", "replay: 100 %"]


def test_quiet_progress_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with Terminal(quiet=True).progress("replay") as update:
        update(1.0)
    assert capsys.readouterr() == ("", "")


def test_interrupt_ends_with_130_and_one_line(tmp_path: Path) -> None:
    fifo = tmp_path / "run.toml"
    os.mkfifo(fifo)
    code = "import sys\nfrom twin.cli import main\nsys.argv = ['railtwin', 'config', 'check', sys.argv[1]]\nmain()"
    process = python(code, str(fifo))
    with fifo.open("w"):  # returns once the command reads, and keeps it waiting
        out, err = interrupted(process)
    assert (process.returncode, out, err) == (130, "", "error: interrupted\n")


def interrupted(process: "subprocess.Popen[str]") -> tuple[str, str]:
    """What a process says that gets Ctrl-C, again where it came in the instant before the command began to wait."""
    for _ in range(6):
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=10)
    raise AssertionError("it goes on")


def test_unexpected_exception_shows_its_traceback() -> None:
    code = (
        "import sys\nfrom twin.cli import app\nsys.argv = ['railtwin', 'bug']\n"
        "app.app.command(name='bug')(lambda: 1 / 0)\napp.run()"
    )
    process = python(code)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert err.startswith("Traceback")
    assert "ZeroDivisionError" in err


def test_interrupted_worker_ends_its_scenario_and_begins_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Path] = []

    def interrupted(file: Path, out: Path, seed: int | None) -> None:
        begun.append(file)
        simulate._end_quietly(signal.SIGINT, None)

    monkeypatch.setattr(simulate, "ENDED", Event())
    monkeypatch.setattr("twin.cli.simulating.simulate_file", interrupted)
    assert [simulate._in_worker(Path(name), Path("out"), None) for name in ("a", "b")] == ["interrupted"] * 2
    assert begun == [Path("a")]
