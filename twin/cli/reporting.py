"""A run as its report needs it, put together from what its folder holds."""

from datetime import datetime
from pathlib import Path

from recordings import RecordingReader
from twin.cli.config import RunConfig
from twin.cli.run_directory import RunDirectory, results_config, results_in
from twin.core.errors import RecordingError
from twin.report import RunData, RunLabel, write_csv, write_html


def load_run(run: RunDirectory) -> tuple[RunData, RunConfig]:
    """Results of a run and the configuration they were made with; RecordingError where there are none."""
    results = list(results_in(run))
    config = results_config(run.results)
    data = RunData.build(
        results,
        label=_label(run, config),
        places=config.places,
        direction=config.run.direction,
        cant_base=config.track.cant_base,
    )
    return data, config


def write_report(run: RunDirectory, *, page: Path, table: Path) -> RunData:
    """Write the page and the table; returns what they show."""
    data, config = load_run(run)
    try:
        write_html(data, page, config.report)
        write_csv(data, table)
    except OSError as error:
        raise RecordingError(f"{error.filename}: cannot be written ({error.strerror}); choose another --out") from None
    return data


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
