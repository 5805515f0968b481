"""`railtwin doctor`: is this machine ready for a run?"""

from pathlib import Path
from typing import Annotated

import typer

from twin.cli.console import ExitCode, stop, terminal

STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}


def doctor(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="CONFIG", help="Check its ports and its disk.", show_default=False),
    ] = None,
) -> None:
    """Check interpreter, packages, compiler, clock, disk and serial ports; say what to do.

    Ends with 1 if anything fails; a warning costs comfort, not the run.
    """
    from rich.table import Table
    from rich.text import Text

    from twin.cli.machine import Verdict, check_machine

    directory, ports = _asked_for(file)
    table = Table("check", "", "found", "what to do")
    verdicts = []
    for check in check_machine(directory=directory, ports=ports):
        verdicts.append(check.verdict)
        table.add_row(check.subject, Text(check.verdict, STYLES[check.verdict]), check.finding, check.remedy)
    terminal().show(table)
    if Verdict.FAIL in verdicts:
        stop(ExitCode.PROBLEM)


def _asked_for(file: Path | None) -> tuple[Path, list[str]]:
    """Where the run would record, and the ports it would open."""
    if file is None:
        return Path.cwd(), []
    from twin.cli.config import load_config

    config = load_config(file)
    return Path(config.recording.directory), [device.port for device in config.device if device.port]
