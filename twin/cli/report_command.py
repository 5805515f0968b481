"""`railtwin report`: the page a person looks at, and the table beside it."""

from pathlib import Path
from typing import Annotated

import typer

from twin.cli.console import terminal


def report(
    path: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run with results.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="The page; report.html in the run if left out.")
    ] = None,
) -> None:
    """Write the report of a run: one HTML page that opens offline, and a CSV table beside it.

    Example: railtwin report runs/monday
    """
    from twin.cli.reporting import write_report
    from twin.cli.run_directory import RunDirectory

    run = RunDirectory(path)
    page = out or run.report
    table = run.table if out is None else out.with_suffix(".csv")
    with terminal().progress("report") as progress:
        write_report(run, page=page, table=table)
        progress(1.0)
    terminal().show(f"{page}: open it in a browser; the same as a table: {table}")
