"""A run on the disk: what lies where, and what to say when it does not."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from twin.cli.config import RunConfig, parse_config
from twin.core.errors import RecordingError
from twin.version import __version__

if TYPE_CHECKING:
    from recordings import RecordingReader
    from twin.core.estimate import Result


@dataclass(frozen=True, slots=True)
class RunDirectory:
    """The folder of one run. Only the recording cannot be made again."""

    path: Path

    @property
    def recording(self) -> Path:
        """Raw bytes, in segments."""
        return self.path / "recording"

    @property
    def results(self) -> Path:
        """What the twin found as the train ran, live or replayed."""
        return self.path / "results.mcap"

    @property
    def smoothed(self) -> Path:
        """What it found with the whole run in view; apart, so that results stay comparable."""
        return self.path / "smoothed.mcap"

    @property
    def config(self) -> Path:
        """The effective configuration, for people; programs read it from the recording or the results."""
        return self.path / "config.toml"

    @property
    def truth(self) -> Path:
        """What really happened, of a simulated run."""
        return self.path / "truth.npz"

    @property
    def images(self) -> Path:
        """Images of the rail heads, a folder for each camera."""
        return self.path / "images"

    @property
    def report(self) -> Path:
        return self.path / "report.html"

    @property
    def table(self) -> Path:
        return self.path / "track.csv"

    def make(self) -> None:
        """Create the folder, or raise RecordingError."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RecordingError(f"{self.path}: cannot be made ({error.strerror}); choose another --out") from None


def recording_of(path: Path) -> Path:
    """The recording a person means: that of a run, or the folder or file itself."""
    held = RunDirectory(path).recording
    return held if held.is_dir() else path


def recorded_config(reader: "RecordingReader") -> RunConfig:
    """The configuration inside a recording."""
    text = reader.header.config_toml
    if not text:
        raise RecordingError(f"{reader.path}: holds no configuration; give it with --config FILE")
    return parse_config(text, where=f"{reader.path}: configuration in the recording")


def result_metadata(config: RunConfig) -> dict[str, str]:
    """What results say about their origin: enough to report on them, nothing that differs between equal runs."""
    return {"config": config.to_toml(), "version": __version__}


def results_config(path: Path) -> RunConfig:
    """The configuration inside a result file."""
    from recordings import ResultReader

    text = ResultReader(path).metadata.get("config")
    if text is None:
        raise RecordingError(f"{path}: its configuration is lost; make it anew with: railtwin replay {path.parent}")
    return parse_config(text, where=f"{path}: configuration in the results")


def results_in(run: RunDirectory) -> Iterator["Result"]:
    """Results of a run, smoothed ones last; RecordingError where there are none yet."""
    from recordings import ResultReader
    from twin.core.estimate import Fusion

    if not run.results.is_file():
        raise RecordingError(f"{run.results}: no such file; make it with: railtwin replay {run.path}")
    for path in (run.results, run.smoothed):
        if path.is_file():
            yield from (result for result in ResultReader(path) if not isinstance(result, Fusion))
