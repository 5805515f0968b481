"""A run as its report needs it, put together from what its folder holds."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from recordings import RecordingReader
from twin.cli.config import RunConfig
from twin.cli.console import part_of
from twin.cli.run_directory import RunDirectory, results_config, results_in
from twin.core.errors import ConfigError, RecordingError
from twin.core.estimate import Form, GridBlock, Result, StateLayout
from twin.geometry.quantities.line_table import read_line
from twin.report.config import ReportConfig
from twin.report.data import NAVIGATION, RAILS, RunData, RunLabel
from twin.report.html import write_html
from twin.report.judged import Judged, judge_rails
from twin.report.rails import rail_run
from twin.report.tables import write_csv

if TYPE_CHECKING:
    from twin.report.laid_over import LaidOver

_CAUSAL = ("r_y", "r_z")
"""Columns of causal navigation that are drawn beside smoothed ones."""


def _nobody(share: float) -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What a report is asked for beside its page and table."""

    previous: RunDirectory | None = None
    """Drawn in grey."""
    limits: Path | None = None
    """Table of limits; the one that comes with the program if None."""
    line: Path | None = None
    """Table of the line; what the configuration says if None."""
    pdf: Path | None = None
    """Where the sheets go; none are written if None, or if the run saw no rails."""
    progress: Callable[[float], None] = _nobody


def load_run(run: RunDirectory) -> tuple[RunData, RunConfig]:
    """Results of a run and the configuration they were made with; RecordingError where there are none."""
    return _built(run, results_in(run))


def load_shown(run: RunDirectory) -> tuple[RunData, RunConfig]:
    """The same without what no report shows: of 50 km that is most of it."""
    results = results_in(run)
    return _built(run, _shown(results) if run.smoothed.is_file() else results)


def load_rails(run: RunDirectory) -> tuple[RunData, RunConfig]:
    """The rails of a run alone, in their best form, for laying over another run."""
    best = Form.SMOOTHED if run.smoothed.is_file() else None
    rails = (result for result in results_in(run) if isinstance(result, GridBlock) and result.name == RAILS)
    return _built(run, (block for block in rails if best is None or block.form is best))


def _shown(results: Iterable[Result]) -> Iterator[Result]:
    """What is drawn where smoothed results are there too: of causal ones the path alone."""
    for result in results:
        if not isinstance(result, GridBlock) or result.form is Form.SMOOTHED:
            yield result
        elif result.form is Form.CAUSAL and result.name == NAVIGATION:
            columns = [k for k, name in enumerate(result.layout.names) if name in _CAUSAL]
            layout = StateLayout(
                *(tuple(each[k] for k in columns) for each in (result.layout.names, result.layout.units))
            )
            yield replace(result, layout=layout, values=result.values[:, columns])


def _built(run: RunDirectory, results: Iterable[Result]) -> tuple[RunData, RunConfig]:
    found = iter(results)
    first = next(found, None)  # says what is missing before the configuration is asked for
    config = results_config(run.results)
    data = RunData.build(
        _again(first, found),
        label=_label(run, config),
        places=config.places,
        direction=config.run.direction,
        cant_base=config.track.cant_base,
        design=config.track.design(),
    )
    return data, config


def _again(first: Result | None, rest: Iterator[Result]) -> Iterator[Result]:
    if first is not None:
        yield first
    yield from rest


def write_report(run: RunDirectory, *, page: Path, table: Path) -> RunData:
    """Write the page and the table of a run; returns what they show, but the rails."""
    return write_files(run, page=page, table=table, options=ReportOptions())[0]


def write_files(
    run: RunDirectory, *, page: Path, table: Path, options: ReportOptions
) -> tuple[RunData, tuple[Path, ...]]:
    """Write the page, the table and, of rails, the sheets; returns what they show, but the rails, and the files."""
    data, config = load_shown(run)
    report = asked_config(config, options.line)
    earlier = None if options.previous is None else _earlier(data, options.previous, report)
    rails = rail_run(data, long_wave=report.geometry.long_wave)
    if rails is None and (options.limits or options.line):
        raise ConfigError(f"{run.path}: saw no rails: --limits and --line are for track geometry")
    data = replace(data, rails=None)  # taken: of 50 km they are large
    judged = None if rails is None else judge_rails(rails, data, report.geometry, limits=options.limits)
    options.progress(0.3)
    files = [page, table]
    try:
        write_csv(data, table)
        if judged is None:
            write_html(data, page, report)
        else:
            write_html(data, page, report, judged=judged, earlier=earlier)
            options.progress(0.5)
            _write_sheets(data, judged, earlier, options)
            files += [] if options.pdf is None else [options.pdf]
    except OSError as error:
        raise RecordingError(f"{error.filename}: cannot be written ({error.strerror}); choose another --out") from None
    return data, tuple(files)


def _earlier(data: RunData, previous: RunDirectory, report: ReportConfig) -> "LaidOver":
    """An earlier run, laid over one before that is judged: both take much memory."""
    from twin.report.laid_over import lay_over  # here: its compiled code is loaded only where it is used

    other, _ = load_rails(previous)
    earlier = lay_over(data, other, report.geometry)
    if earlier is None:
        raise ConfigError(f"{data.label.name} or {previous.path}: saw no rails: --previous is for track geometry")
    if not earlier.curve.matched.any():
        raise ConfigError(f"{previous.path}: does not match this run anywhere: name one over the same track")
    return earlier


def _write_sheets(data: RunData, judged: Judged, earlier: "LaidOver | None", options: ReportOptions) -> None:
    if options.pdf is None:
        return
    from twin.report.pdf import write_pdf  # here: a page needs no matplotlib

    write_pdf(data, options.pdf, judged, earlier=earlier, progress=part_of(options.progress, 0.5, 1.0))


def asked_config(config: RunConfig, line: Path | None) -> ReportConfig:
    """The settings of a report, with another table of the line where one is named."""
    if line is None:
        return config.report
    geometry = config.report.geometry.model_copy(update={"line": read_line(line)})
    return config.report.model_copy(update={"geometry": geometry})


def _label(run: RunDirectory, config: RunConfig) -> RunLabel:
    """The head of the report; the recording knows the date, where it is still there."""
    try:
        started = RecordingReader(run.recording).header.started
    except (RecordingError, OSError):
        started = ""
    return RunLabel(
        name=config.run.name,
        vehicle=config.vehicle.name,
        date=_date(started),
        notes={"Wheel radius, nominal": f"{config.vehicle.wheel_radius * 1e3:.1f} mm"},
    )


def _date(started: str) -> str:
    """ISO 8601 as people write it; a label, so what cannot be read is shown as it is."""
    try:
        return datetime.fromisoformat(started).strftime("%Y-%m-%d %H:%M UTC")
    except ValueError:
        return started
