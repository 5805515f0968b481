"""Recordings as the calibrations want them, and calibrations as a run wants them."""

import datetime
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from calibration.allan import Allan, AllanConfig, calibrate_imu_noise
from calibration.navigation import Tuned, tune
from calibration.static import Static, calibrate_static
from calibration.store import Calibration, merge, merged, read_calibration, write_calibration
from calibration.wheel_radius import Rolled, roll_along
from firmware_interface import Chunk
from recordings import RecordingReader, open_recording
from sensors.imu import ImuCalibration
from twin.cli.config import RunConfig, load_config
from twin.cli.console import part_of
from twin.cli.processing import raw_blocks, twin_setup
from twin.cli.replaying import MESSAGE_BYTES, TOLD_EVERY
from twin.cli.run_directory import recorded_config, recording_of
from twin.cli.toml_text import to_toml
from twin.core.blocks import Epoch
from twin.core.errors import ConfigError
from twin.navigation.chain import Setup
from twin.pipeline.synchroniser import Synchroniser

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Progress = Callable[[float], None]
"""Is told the share that is done, 0 to 1."""
READ_SHARE = 0.3
"""Of the time of a tuning that reading takes."""


def calibrated(config: RunConfig, *files: Path) -> RunConfig:
    """A configuration with the values of calibration files in place of its own; later ones go before."""
    for file in files:
        values = merged(config.model_dump(mode="json"), read_calibration(file), where=str(file))
        config = RunConfig.load(values, where=f"configuration with {file}")
    return config


@dataclass(frozen=True, slots=True)
class CalibrationRun:
    """A recording to calibrate on, and the configuration to see it with."""

    path: Path
    """As it was named."""
    reader: RecordingReader
    config: RunConfig

    @classmethod
    def open(cls, path: Path, *, config_file: Path | None, earlier: Path | None, imu: str | None) -> "CalibrationRun":
        """earlier: calibration that is applied first; imu: device to calibrate instead of the navigated one."""
        if not path.exists():
            raise ConfigError(f"{path}: no such run; name the folder that holds its 'recording'")
        reader = open_recording(recording_of(path))
        config = recorded_config(reader) if config_file is None else load_config(config_file)
        if earlier is not None:
            config = calibrated(config, earlier)
        if imu is not None:
            chosen = merge(config.model_dump(mode="json"), {"navigation": {"imu": imu}})
            config = RunConfig.load(chosen, where=f"--device {imu}")
        return cls(path, reader, config)

    @property
    def source(self) -> str:
        """Name of the recording: its folder's, which alone survives a copy to another machine."""
        return self.path.resolve().name

    @property
    def setup(self) -> Setup:
        """What the navigation is told."""
        return twin_setup(self.config).navigation

    def static(self, progress: Progress) -> Static:
        """Biases and noise from the longest rest."""
        name = self.config.navigation.imu
        current = next(device.calibration for device in self.config.device if device.name == name)
        if not isinstance(current, ImuCalibration):
            raise ConfigError(f"device '{name}' is no imu")
        return calibrate_static(self.setup, self._epochs(progress), current=current)

    def imu_noise(self, progress: Progress, config: AllanConfig) -> Allan:
        """Noise of every axis from the longest rest."""
        return calibrate_imu_noise(self.setup, self._epochs(progress), config=config)

    def rolled(self, progress: Progress) -> Rolled:
        """The run as its wheel rolled."""
        return roll_along(self.setup, self._epochs(progress))

    def navigation(self, progress: Progress) -> Tuned:
        """Variances from the moving part."""
        epochs = self._epochs(part_of(progress, 0, READ_SHARE))
        return tune(self.setup, epochs, part_of(progress, READ_SHARE, 1))

    def _epochs(self, progress: Progress) -> Iterator[Epoch]:
        """Samples of the two devices that calibrations look at, on common time."""
        twin, navigation = twin_setup(self.config), self.config.navigation
        rates = {name: twin.rates[name] for name in (navigation.imu, navigation.encoder)}
        synchroniser = Synchroniser(twin.synchroniser, rates)
        for block in raw_blocks(self.config, self._chunks(progress)):
            yield from synchroniser.process(block)
        yield from synchroniser.flush()

    def _chunks(self, progress: Progress) -> Iterator[Chunk]:
        total, done = sum(segment.size for segment in self.reader.segments), 0
        for number, chunk in enumerate(self.reader.chunks()):
            yield chunk
            done += MESSAGE_BYTES + len(chunk.data)
            if number % TOLD_EVERY == 0:
                progress(min(done / max(total, 1), 1.0))
        progress(1.0)


def refuse_existing(*files: Path, force: bool) -> None:
    """Before minutes of work: files must be free, or may be replaced."""
    for file in files:
        if file.exists() and not force:
            raise ConfigError(f"{file}: exists; choose another name, or --force to replace it")
        if not file.parent.is_dir():
            raise ConfigError(f"{file.parent}: no such folder; make it, or choose another --out")


def today() -> datetime.date:
    """The day by the wall clock of this machine: a label."""
    return datetime.datetime.now().astimezone().date()


def picture_of(file: Path) -> Path:
    """Where the picture of a calibration goes: beside it."""
    return file.with_suffix(".png")


def save_picture(file: Path, figure: "Figure") -> None:
    """Write the picture of a calibration beside its file."""
    picture = picture_of(file)
    try:
        figure.savefig(picture, dpi=130)
    except OSError as error:
        raise ConfigError(f"{picture}: cannot be written ({error.strerror}); choose another place") from None


def save(file: Path, calibration: Calibration, *, force: bool) -> None:
    """Write a calibration in the form of a configuration."""
    write_calibration(file, calibration, text_of=to_toml, force=force)
