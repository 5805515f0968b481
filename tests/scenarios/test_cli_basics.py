"""The command line as a person and a script meet it: help, exit codes, errors, streams."""

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

from twin.cli import main
from twin.version import __version__


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


class Railtwin:
    """Runs commands in this process: fast, and everything but the interpreter's start is real."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, *arguments: str | Path) -> Outcome:
        self._monkeypatch.setattr(sys, "argv", ["railtwin", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        code = end.value.code
        assert isinstance(code, int)
        return Outcome(code, *self._capsys.readouterr())


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


def test_interrupt_ends_with_130_and_one_line(tmp_path: Path) -> None:
    fifo = tmp_path / "run.toml"
    os.mkfifo(fifo)
    code = "import sys\nfrom twin.cli import main\nsys.argv = ['railtwin', 'config', 'check', sys.argv[1]]\nmain()"
    process = python(code, str(fifo))
    with fifo.open("w"):  # returns once the command reads, and keeps it waiting
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "error: interrupted\n")


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
