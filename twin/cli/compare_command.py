"""`railtwin compare`: two runs over the same rails, laid over each other."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.console import ExitCode, stop, terminal

if TYPE_CHECKING:
    from rich.table import Table

    from twin.report.compared import Compared


def compare(
    first: Annotated[Path, typer.Argument(metavar="RUN_A", help="Folder of a run with results.", show_default=False)],
    second: Annotated[Path, typer.Argument(metavar="RUN_B", help="Another over the same track.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="The page; comparison.html in RUN_A if left out.")
    ] = None,
) -> None:
    """Lay two runs over each other by the waves of their rails, and say how well they repeat.

    Differences are RUN_B minus RUN_A; 95 % of them should lie below the limits after EN 13848-2, which are yours to
    check. The exit code is 1 where they do not.

    Example: railtwin compare runs/monday runs/tuesday
    """
    from twin.cli.reporting import load_rails, load_shown
    from twin.cli.run_directory import RunDirectory
    from twin.core.errors import RecordingError
    from twin.report.compared import compare_runs, write_comparison

    page = out or first / "comparison.html"
    with terminal().progress("compare") as progress:
        (a, config), (b, _) = load_shown(RunDirectory(first)), load_rails(RunDirectory(second))
        progress(0.3)
        compared = compare_runs(a, b, config.report)
        progress(0.8)
        try:
            write_comparison(compared, page, config.report)
        except OSError as error:
            raise RecordingError(f"{page}: cannot be written ({error.strerror}); choose another --out") from None
        progress(1.0)
    terminal().show(_table(compared))
    curve = compared.laid.curve
    offset, sd = curve.offset[curve.matched], curve.sd[curve.matched].mean()
    share, range_ = 100 * curve.matched.mean(), f"{offset.min():+.2f} to {offset.max():+.2f} m"
    terminal().show(f"laid over each other on {share:.1f} % of the line, offset {range_}, known to {sd:.3f} m")
    terminal().show(f"{page}: open it in a browser")
    if compared.beyond:
        stop(ExitCode.PROBLEM)


def _table(compared: "Compared") -> "Table":
    from rich.table import Table

    from twin.report.track_strips import unit_of

    table = Table(box=None, pad_edge=False)
    table.add_column("quantity")
    for head in ("points", "mean", "sd", "95 % below", "limit"):
        table.add_column(head, justify="right")
    table.add_column("")
    for row in compared.rows:
        unit = unit_of(row.unit)
        limit = "" if row.limit is None else f"{1e3 * row.limit:.2f} {unit}"
        verdict = {None: "", True: "ok", False: "beyond"}[row.within]
        numbers = [f"{round(1e3 * value, 3) + 0.0:.3f} {unit}" for value in (row.mean, row.sd, row.p95)]
        table.add_row(row.name, str(row.points), *numbers, limit, verdict)
    return table
