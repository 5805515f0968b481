"""`railtwin calibrate wheel-radius`: radius of the encoder's wheel."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.console import terminal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from calibration.wheel_radius import WheelRadius

MM = 1e-3


def wheel_radius(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run, or a recording.", show_default=False)],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Calibration to write, TOML; its picture stands beside.")
    ],
    distance: Annotated[
        float | None, typer.Option("--distance", metavar="M", min=10.0, help="Known distance of the whole run.")
    ] = None,
    sd_distance: Annotated[
        float, typer.Option("--sd-distance", metavar="M", min=0.001, help="Standard deviation of that distance.")
    ] = 0.2,
    config_file: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="Use this configuration, not the recorded one.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the files if they exist.")] = False,
) -> None:
    """Find the rolling radius of the encoder's wheel by a known distance, or by the curves of the line.

    How to take the data: stop with a mark of the vehicle at a surveyed post, start recording, run gently to another
    post some kilometres on without turning back, stop there with the same mark and end the recording; give the distance
    of the posts along the track. Or run over some kilometres with curves, and leave --distance out.

    Example: railtwin calibrate wheel-radius runs/posts --distance 2000.35 --sd-distance 0.1 -o wheel.toml
    """
    from calibration.wheel_radius import by_curves, by_distance
    from twin.cli.calibrating import CalibrationRun, picture_of, refuse_existing, save, save_picture, today

    refuse_existing(out, picture_of(out), force=force)
    asked = CalibrationRun.open(run, config_file=config_file, earlier=None, imu=None)
    with terminal().progress("calibrate") as progress:
        rolled = asked.rolled(progress)
    found = by_curves(rolled) if distance is None else by_distance(rolled, distance=distance, sd_distance=sd_distance)
    save(out, found.calibration(date=today(), source=asked.source), force=force)
    save_picture(out, figure_of(found, title=f"Wheel radius in {asked.source}"))
    for line in () if asked.reader.damage.clean else asked.reader.damage.lines():
        terminal().warn(line)
    off = found.radius - rolled.radius
    terminal().show(
        f"radius {found.radius / MM:.2f} ± {found.sd / MM:.2f} mm by {found.method}, "
        f"{off / MM:+.2f} mm from the configured one"
    )
    terminal().show(
        f"{out}: written, from {abs(float(rolled.d[-1])):.0f} m, {100 * rolled.slipping:.1f} % of it slipping"
    )


def figure_of(found: "WheelRadius", *, title: str) -> "Figure":
    """The radius along the run."""
    from twin.report.calibration_wheel_radius import RadiusSeen, radius_figure

    rolled = found.rolled
    radius, sd = rolled.radius * (1 + rolled.scale), rolled.radius * rolled.sd_scale
    return radius_figure(RadiusSeen(rolled.d, radius, sd, found.radius, found.sd, found.method), title=title)
