"""`railtwin report`: the page a person looks at, the table beside it, and the sheets for the wall."""

from pathlib import Path
from typing import Annotated

import typer

from twin.cli.console import terminal


def report(
    path: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run with results.", show_default=False)],
    previous: Annotated[
        Path | None, typer.Option("--previous", metavar="RUN", help="An earlier run over the same track, in grey.")
    ] = None,
    limits: Annotated[
        Path | None, typer.Option("--limits", metavar="FILE", help="Your table of limits; else the one shipped.")
    ] = None,
    line: Annotated[
        Path | None,
        typer.Option("--line", metavar="FILE", help="Line speeds and places not judged; else as configured."),
    ] = None,
    pdf: Annotated[bool, typer.Option("--pdf/--no-pdf", help="A3 sheets of track geometry beside the page.")] = True,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="The page; report.html in the run if left out.")
    ] = None,
) -> None:
    """Write the report of a run: one HTML page that opens offline, a CSV table, and of track geometry A3 sheets.

    Example: railtwin report runs/monday --previous runs/april --limits limits.toml
    """
    from twin.cli.reporting import ReportOptions, write_files
    from twin.cli.run_directory import RunDirectory

    run = RunDirectory(path)
    page = out or run.report
    table, sheets = run.table if out is None else out.with_suffix(".csv"), page.with_suffix(".pdf")
    with terminal().progress("report") as progress:
        options = ReportOptions(
            previous=None if previous is None else RunDirectory(previous),
            limits=limits,
            line=line,
            pdf=sheets if pdf else None,
            progress=progress,
        )
        _, files = write_files(run, page=page, table=table, options=options)
        progress(1.0)
    terminal().show(f"{page}: open it in a browser; the same as a table: {table}")
    if sheets in files:
        terminal().show(f"{sheets}: to print on A3")
