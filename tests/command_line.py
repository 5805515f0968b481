"""`railtwin` called from a test, as a person would call it."""

import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from twin.cli import main


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
