"""`railtwin export`: results and samples for other programs."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.console import terminal
from twin.core.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from twin.cli.config import RunConfig
    from twin.report.data import RunData
    from twin.report.judged import Judged
    from twin.report.table_file import Column


class Format(StrEnum):
    """What other programs read."""

    CSV = "csv"
    PARQUET = "parquet"
    GEOJSON = "geojson"


class GridForm(StrEnum):
    """Which estimate; the values are those of twin.core.estimate.Form, which the help must not load."""

    CAUSAL = "causal"
    LAGGED = "lagged"
    SMOOTHED = "smoothed"


class Content(StrEnum):
    """What is exported of the results."""

    NAVIGATION = "navigation"
    GEOMETRY = "geometry"
    EXCEEDANCES = "exceedances"
    DEVIATIONS = "deviations"
    CURVES = "curves"


def export(
    path: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.", show_default=False)],
    to: Annotated[Format, typer.Option("--to", help="Format; geojson holds exceedances and quality.")] = Format.CSV,
    content: Annotated[
        Content, typer.Option("--table", help="Which table; all but navigation are of track geometry.")
    ] = Content.NAVIGATION,
    form: Annotated[
        GridForm | None, typer.Option("--form", help="Which estimate of navigation; else the one that has seen most.")
    ] = None,
    limits: Annotated[
        Path | None, typer.Option("--limits", metavar="FILE", help="Your table of limits; else the one shipped.")
    ] = None,
    raw: Annotated[bool, typer.Option("--raw", help="Decoded samples, a file per device, not the results.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="PATH", help="File; with --raw a folder; else in the run.")
    ] = None,
) -> None:
    """Write results by kilometre, or the sensors' samples by time, for other programs.

    Example: railtwin export runs/monday --to parquet --table exceedances
    """
    if raw and form is not None:
        raise ConfigError("--raw exports samples, which have no --form: leave one of them out")
    if raw and to is not Format.CSV:
        raise ConfigError(f"--raw exports samples as CSV: leave --to {to} out")
    if form is not None and (content is not Content.NAVIGATION or to is Format.GEOJSON):
        raise ConfigError("--form chooses an estimate of navigation: leave it out")
    if raw:
        written = _samples(path, out)
    elif to is Format.GEOJSON:
        written = [_map(path, limits, out)]
    elif content is Content.NAVIGATION:
        written = [_grid(path, to, form, out)]
    else:
        written = [_track(path, to, content, limits, out)]
    for file in written:
        terminal().show(f"{file}: written")


def _grid(path: Path, to: Format, form: GridForm | None, out: Path | None) -> Path:
    from twin.cli.reporting import load_run
    from twin.cli.run_directory import RunDirectory
    from twin.core.estimate import Form
    from twin.report.table_file import write_table
    from twin.report.tables import write_csv
    from twin.report.track_export import navigation_columns

    data, _ = load_run(RunDirectory(path))
    wanted = None if form is None else Form(form.value)
    if wanted is not None and wanted not in data.tables:
        there = ", ".join(data.tables) or "none"
        raise ConfigError(f"{path}: no {wanted} results (there are: {there}); make them with: railtwin replay {path}")
    target = out or path / f"grid{'' if wanted is None else '-' + wanted}.{to}"
    table = data.best if wanted is None else data.tables[wanted]
    if to is Format.CSV or table is None:
        write_csv(data, target, wanted)
    else:
        write_table(target, navigation_columns(data, table))
    return target


def _track(path: Path, to: Format, content: Content, limits: Path | None, out: Path | None) -> Path:
    from twin.report.table_file import write_table

    data, judged, config = _judged(path, limits)
    target = out or path / f"{content}.{to}"
    if target.suffix.lower() != f".{to}":
        raise ConfigError(f"{target}: a table as {to} ends in .{to}")
    write_table(target, _columns(content, data, judged, config))
    return target


def _columns(content: Content, data: "RunData", judged: "Judged", config: "RunConfig") -> "Mapping[str, Column]":
    from twin.report.track_export import curve_columns, deviation_columns, exceedance_columns, geometry_columns
    from twin.report.track_tables import exceedance_rows

    if content is Content.GEOMETRY:
        return geometry_columns(judged.rails, data, config.report.geometry)
    if content is Content.EXCEEDANCES:
        return exceedance_columns(exceedance_rows(judged))
    return deviation_columns(judged) if content is Content.DEVIATIONS else curve_columns(judged)


def _map(path: Path, limits: Path | None, out: Path | None) -> Path:
    from twin.report.geojson import write_geojson

    data, judged, config = _judged(path, limits)
    target = out or path / "track.geojson"
    try:
        write_geojson(data, judged, target, origin=config.report.geometry.origin)
    except OSError as error:
        raise ConfigError(f"{target}: cannot be written ({error.strerror}); choose another place") from None
    return target


def _judged(path: Path, limits: Path | None) -> "tuple[RunData, Judged, RunConfig]":
    from twin.cli.reporting import load_shown
    from twin.cli.run_directory import RunDirectory
    from twin.report.judged import judge

    data, config = load_shown(RunDirectory(path))
    judged = judge(data, config.report.geometry, limits=limits)
    if judged is None:
        raise ConfigError(f"{path}: saw no rails: there is no track geometry to export")
    return data, judged, config


def _samples(path: Path, out: Path | None) -> list[Path]:
    from recordings import open_recording
    from twin.cli.run_directory import recorded_config, recording_of
    from twin.cli.sample_tables import write_samples

    reader = open_recording(recording_of(path))
    config = recorded_config(reader)
    with terminal().progress("export") as progress:
        return write_samples(config, reader, out or path / "samples", progress=progress)
