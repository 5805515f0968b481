"""`railtwin export`: results and samples for other programs."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from twin.cli.console import terminal
from twin.core.errors import ConfigError


class Format(StrEnum):
    """What other programs read."""

    CSV = "csv"


class GridForm(StrEnum):
    """Which estimate; the values are those of twin.core.estimate.Form, which the help must not load."""

    CAUSAL = "causal"
    LAGGED = "lagged"
    SMOOTHED = "smoothed"


def export(
    path: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.", show_default=False)],
    to: Annotated[Format, typer.Option("--to", help="Format.")] = Format.CSV,
    form: Annotated[
        GridForm | None, typer.Option("--form", help="Which estimate; else the one that has seen most.")
    ] = None,
    raw: Annotated[bool, typer.Option("--raw", help="Decoded samples, a file per device, not the results.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="PATH", help="File; with --raw a folder; else in the run.")
    ] = None,
) -> None:
    """Write results by kilometre, or the sensors' samples by time, as CSV.

    Example: railtwin export runs/monday --form causal --out monday.csv
    """
    if raw and form is not None:
        raise ConfigError("--raw exports samples, which have no --form: leave one of them out")
    written = _samples(path, out) if raw else [_grid(path, form, out)]
    for file in written:
        terminal().show(f"{file}: written")


def _grid(path: Path, form: GridForm | None, out: Path | None) -> Path:
    from twin.cli.reporting import load_run
    from twin.cli.run_directory import RunDirectory
    from twin.core.estimate import Form
    from twin.report import write_csv

    data, _ = load_run(RunDirectory(path))
    wanted = None if form is None else Form(form.value)
    if wanted is not None and wanted not in data.tables:
        there = ", ".join(data.tables) or "none"
        raise ConfigError(f"{path}: no {wanted} results (there are: {there}); make them with: railtwin replay {path}")
    target = out or path / f"grid{'' if wanted is None else '-' + wanted}.csv"
    write_csv(data, target, wanted)
    return target


def _samples(path: Path, out: Path | None) -> list[Path]:
    from recordings import open_recording
    from twin.cli.run_directory import recorded_config, recording_of
    from twin.cli.sample_tables import write_samples

    reader = open_recording(recording_of(path))
    config = recorded_config(reader)
    with terminal().progress("export") as progress:
        return write_samples(config, reader, out or path / "samples", progress=progress)
