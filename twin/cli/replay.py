"""`railtwin replay`: the recorded bytes once more through the same program."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from twin.cli.console import ExitCode, part_of, stop, terminal
from twin.core.errors import ConfigError

if TYPE_CHECKING:
    from recordings import RecordingReader
    from twin.cli.config import RunConfig
    from twin.cli.replaying import Replay
    from twin.cli.stretch import Stretch

SMOOTH_SHARE = 0.6
"""Of the time of a whole replay that the smoothing takes."""


def replay(
    path: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run, or a recording.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="Folder for the results; else that of the run.")
    ] = None,
    config_file: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="Use this configuration, not the recorded one.")
    ] = None,
    calibration: Annotated[
        list[Path] | None,
        typer.Option("--calibration", metavar="FILE", help="Use the values of this calibration; may be repeated."),
    ] = None,
    speed: Annotated[
        float | None, typer.Option("--speed", min=0.01, help="Times real time; else as fast as it goes.")
    ] = None,
    start: Annotated[
        str | None, typer.Option("--from", metavar="WHERE", help="Keep results from here on: 12.5s or 14.2km.")
    ] = None,
    end: Annotated[str | None, typer.Option("--to", metavar="WHERE", help="Keep results up to here.")] = None,
    reference: Annotated[
        Path | None, typer.Option("--check", metavar="REFERENCE", help="Compare with these results, file or run.")
    ] = None,
    smooth: Annotated[
        bool, typer.Option("--smooth/--no-smooth", help="Also estimate with the whole run in view.")
    ] = True,
) -> None:
    """Compute the results of a recording anew: the same bytes in, the same results out.

    Ends with 1 if the recording is damaged or the check fails.

    Example: railtwin replay runs/line7 --out again --check runs/line7
    """
    if reference is not None and (start or end):
        raise ConfigError("--check compares whole runs: leave --from and --to out")
    asked = _prepared(path, out, _Settings(config_file, tuple(calibration or ())), start, end)
    sound = _made(asked, speed=speed, smooth=smooth)
    if reference is not None:
        sound = _checked(asked, reference) and sound
    if not sound:
        stop(ExitCode.PROBLEM)


class _Settings(NamedTuple):
    """Where the settings of a replay come from."""

    config: Path | None
    """None: the recording."""
    calibrations: tuple[Path, ...]


def _prepared(path: Path, out: Path | None, settings: _Settings, start: str | None, end: str | None) -> "Replay":
    """Everything that can be wrong is found here, before anything is written."""
    from recordings import open_recording
    from twin.cli.calibrating import calibrated
    from twin.cli.config import load_config
    from twin.cli.replaying import Replay, images_beside
    from twin.cli.run_directory import RunDirectory, recorded_config, recording_of

    if not path.exists():
        raise ConfigError(f"{path}: no such run; name the folder that holds its 'recording'")
    if out is None and not RunDirectory(path).recording.is_dir():
        raise ConfigError(f"{path}: a recording by itself; say where the results go with --out DIR")
    reader = open_recording(recording_of(path))
    config = load_config(settings.config) if settings.config else recorded_config(reader)
    config = calibrated(config, *settings.calibrations)
    run = RunDirectory(out or path)
    stretch = _stretch(reader, config, start, end)
    run.make()
    return Replay(reader, config, run, stretch, images_beside(recording_of(path)))


def _stretch(reader: "RecordingReader", config: "RunConfig", start: str | None, end: str | None) -> "Stretch | None":
    from twin.cli.stretch import Bound, Stretch

    if start is None and end is None:
        return None
    bounds = [None if text is None else Bound.parse(text) for text in (start, end)]
    first = next(reader.chunks(), None)
    return Stretch(bounds[0], bounds[1], config.places, t0_ns=0 if first is None else first.t_host_ns)


def _made(asked: "Replay", *, speed: float | None, smooth: bool) -> bool:
    """Write the results; False where the recording is damaged."""
    from twin.cli.heads import HeadStore

    with terminal().progress("replay") as progress:
        share = 1 - SMOOTH_SHARE if smooth else 1.0
        heads = HeadStore() if smooth else None
        earlier = asked.results(speed=speed, progress=part_of(progress, 0, share), heads=heads)
        damage = asked.damage
        if heads is not None:
            asked.smoothed(progress=part_of(progress, share, 1), heads=heads)
            heads.close()
    if earlier is not None and asked.stretch is None:
        terminal().say(f"against the results that were there: {earlier}")
    for line in () if damage.clean else damage.lines():
        terminal().warn(line)
    terminal().show(f"{asked.run.path}: results made. Look at them with: railtwin report {asked.run.path}")
    return damage.clean


def _checked(asked: "Replay", reference: Path) -> bool:
    from twin.cli.comparison import compare

    found = compare(asked.run.results, reference / "results.mcap" if reference.is_dir() else reference)
    terminal().show(f"against {reference}: {found}")
    return found.equal
