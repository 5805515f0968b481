"""`railtwin repair`: a clean copy of a damaged recording."""

from pathlib import Path
from typing import Annotated

import typer

from twin.cli.console import ExitCode, stop, terminal


def repair(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="Recording: its folder, or one file.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="OUT", help="New folder for the copy.")],
) -> None:
    """Copy everything that can be read into a new, indexed recording; the original stays as it is.

    Ends with 1 if anything was lost, with what and where.
    """
    from recordings.repair import repair as write_copy

    report = write_copy(path, out)
    for line in report.lines():
        terminal().show(line)
    if report.left_out or not report.damage.clean:
        stop(ExitCode.PROBLEM)
