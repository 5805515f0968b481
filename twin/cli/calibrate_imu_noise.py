"""`railtwin calibrate imu-noise`: noise of an inertial sensor from a long rest."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.console import terminal

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

    from calibration.allan import Allan

UNITS = (("m/s^2/sqrt(Hz)", "m/s^2", "m/s^2/sqrt(s)"), ("rad/s/sqrt(Hz)", "rad/s", "rad/s/sqrt(s)"))
NAMES = ("noise density", "bias instability", "random walk of the bias")


def imu_noise(
    recording: Annotated[
        Path, typer.Argument(metavar="RECORDING", help="Folder of a run, or a recording.", show_default=False)
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Calibration to write, TOML; its picture stands beside.")
    ],
    device: Annotated[
        str | None, typer.Option("--device", metavar="NAME", help="The imu to look at; else the navigated one.")
    ] = None,
    shortest: Annotated[
        float, typer.Option("--shortest", metavar="S", min=10.0, help="Least rest that is accepted.")
    ] = 900.0,
    config_file: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="Use this configuration, not the recorded one.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the files if they exist.")] = False,
) -> None:
    """Find noise density, bias instability and random walk of all six axes by the Allan deviation of a rest.

    How to take the data: let the sensor warm up for half an hour. Then record at least 15 minutes, better two hours,
    in a shed at night: brakes on, engines and fans off, nobody in the vehicle, no train nearby. The random walk shows
    only in hours; what a rest does not show is given as an upper bound and left out of the file.

    Example: railtwin calibrate imu-noise runs/night -o imu-noise.toml
    """
    from calibration.allan import AllanConfig
    from twin.cli.calibrating import CalibrationRun, picture_of, refuse_existing, save, save_picture, today

    refuse_existing(out, picture_of(out), force=force)
    config = AllanConfig.load({"shortest": shortest}, where="--shortest")
    asked = CalibrationRun.open(recording, config_file=config_file, earlier=None, imu=device)
    with terminal().progress("calibrate") as progress:
        found = asked.imu_noise(progress, config)
    save(out, found.calibration(date=today(), source=asked.source), force=force)
    save_picture(out, figure_of(found, title=f"Noise of {asked.config.navigation.imu} in {asked.source}"))
    terminal().show(_table(found))
    for line in () if asked.reader.damage.clean else asked.reader.damage.lines():
        terminal().warn(line)
    terminal().show(f"{out}: written, from {found.rest.duration:.0f} s of rest at {found.rest.temperature:.1f} K")


def figure_of(found: "Allan", *, title: str) -> "Figure":
    """Allan deviations as measured and as fitted."""
    from twin.report.calibration_allan import AxisDeviation, allan_figure

    axes = [
        AxisDeviation("xyz"[i % 3], each.tau, each.deviation, each.sd, each.model(each.tau))
        for i, each in enumerate(found.axes)
    ]
    return allan_figure(axes[:3], axes[3:], title=title)


def _table(found: "Allan") -> "Table":
    from rich.table import Table

    table = Table("", "unit", "x", "y", "z")
    for kind, axes, units in (
        ("accelerometer", found.axes[:3], UNITS[0]),
        ("gyro", found.axes[3:], UNITS[1]),
    ):
        for term, (name, unit) in enumerate(zip(NAMES, units, strict=True)):
            cells = [
                f"{axis.values[term]:.3g} ± {axis.sd_values[term]:.1g}"
                if axis.seen[term]
                else f"< {axis.values[term]:.2g}"
                for axis in axes
            ]
            table.add_row(f"{kind}: {name}", unit, *cells)
    return table
