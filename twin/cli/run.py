"""`railtwin run`: acquire, record and estimate, live."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.console import ExitCode, stop, terminal
from twin.core.errors import ConfigError

if TYPE_CHECKING:
    from sensors.host_clock import HostClock
    from twin.cli.config import RunConfig


def run(
    file: Annotated[Path, typer.Argument(metavar="CONFIG", help="Configuration, TOML.", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Folder of the run; named by its start if left out."),
    ] = None,
    calibration: Annotated[
        list[Path] | None,
        typer.Option("--calibration", metavar="FILE", help="Use the values of this calibration; may be repeated."),
    ] = None,
    duration: Annotated[
        float | None, typer.Option("--for", metavar="SECONDS", min=0, help="End after so long.")
    ] = None,
    idle: Annotated[
        float | None,
        typer.Option("--until-idle", metavar="SECONDS", min=0.1, help="End when all devices are silent for so long."),
    ] = None,
    clock_speed: Annotated[float, typer.Option("--clock-speed", hidden=True)] = 1.0,
    clock_origin: Annotated[int, typer.Option("--clock-origin", hidden=True)] = 0,
) -> None:
    """Read the sensors, record every byte, estimate as the train runs. Ctrl-C ends the run in order.

    Each line typed becomes an event of the run. Ends with 1 if anything was lost.

    Example: railtwin run line7.toml --out runs/monday
    """
    from twin.cli.calibrating import calibrated
    from twin.cli.config import load_config
    from twin.cli.live import record_run
    from twin.cli.processing import warm_up
    from twin.cli.run_directory import RunDirectory
    from twin.cli.watch import Ending

    config = calibrated(load_config(file), *(calibration or ()))
    for device in config.device:
        if not device.port:
            raise ConfigError(f"{file}: device '{device.name}' has no port; set 'port' (railtwin doctor lists them)")
    config = _found_from(config, file.parent)
    directory = RunDirectory(out or _named_by_start(config))
    terminal().say("warming up")
    warm_up(config)
    outcome = record_run(config, directory, _clock(clock_speed, clock_origin), Ending(duration, idle))
    problems = outcome.problems()
    for problem in problems:
        terminal().warn(problem)
    terminal().show(
        f"{directory.path}: {outcome.recording.committed - outcome.recording.lost} reads recorded, "
        f"{outcome.points} points estimated. Next: railtwin replay {directory.path}"
    )
    if problems:
        stop(ExitCode.PROBLEM)


def _found_from(config: "RunConfig", folder: Path) -> "RunConfig":
    """The configuration with folders and videos of cameras where the file that names them means them."""
    for camera in config.camera:
        if not camera.path and camera.source != "aravis":
            raise ConfigError(f"camera '{camera.name}' has no path; set 'path' to its {camera.source}")
    cameras = tuple(
        camera.model_copy(update={"path": str((folder / camera.path).absolute())})
        if camera.source in ("folder", "watched", "video")
        else camera
        for camera in config.camera
    )
    return config.model_copy(update={"camera": cameras})


def _named_by_start(config: "RunConfig") -> Path:
    started = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return config.recording.directory / f"{config.run.name}-{started}"


def _clock(speed: float, origin_ns: int) -> "HostClock":
    """The machine's clock, or one that emulated devices share."""
    from sensors.host_clock import ScaledClock, SystemClock

    return SystemClock() if speed == 1.0 else ScaledClock(speed=speed, origin_ns=origin_ns)
