"""`railtwin calibrate`: what a recording says about its sensors and about the navigation's variances; networks."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli import (
    calibrate_camera,
    calibrate_contact_network,
    calibrate_imu_noise,
    calibrate_mounting,
    calibrate_wheel_radius,
)
from twin.cli.console import ExitCode, stop, terminal

if TYPE_CHECKING:
    from rich.table import Table

    from calibration.navigation import Tuned
    from calibration.static import Static
    from recordings import DamageReport

NIS_BAND = (0.8, 1.25)
"""Mean nis of a row that is called consistent."""

app = typer.Typer(
    no_args_is_help=True,
    help="Calibrate sensors, cameras and their mounting, the wheel and the navigation, or train contact networks.",
    epilog="Example: railtwin calibrate static runs/line7 --out imu.toml",
)
app.command(name="contact-network")(calibrate_contact_network.contact_network)
app.command(name="camera")(calibrate_camera.camera)
app.command(name="imu-noise")(calibrate_imu_noise.imu_noise)
app.command(name="mounting")(calibrate_mounting.mounting)
app.command(name="wheel-radius")(calibrate_wheel_radius.wheel_radius)

Run = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run, or a recording.", show_default=False)]
Out = Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Calibration file to write, TOML.")]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="Use this configuration, not the recorded one.")
]
Earlier = Annotated[
    Path | None,
    typer.Option("--calibration", metavar="FILE", help="Apply this calibration first, such as a static one."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")]


@app.command()
def static(
    run: Run,
    out: Out,
    device: Annotated[
        str | None, typer.Option("--device", metavar="NAME", help="The imu to calibrate; else the navigated one.")
    ] = None,
    config_file: ConfigFile = None,
    earlier: Earlier = None,
    force: Force = False,
) -> None:
    """Find biases and noise of the inertial sensor while the vehicle stands, at least 12 s.

    The accelerometer is levelled on the design cant and gradient of the standing place, as far as sd_accel_bias of
    the device lets it: state the bias of its data sheet there.
    """
    from twin.cli.calibrating import CalibrationRun, refuse_existing, save, today

    refuse_existing(out, force=force)
    asked = CalibrationRun.open(run, config_file=config_file, earlier=earlier, imu=device)
    with terminal().progress("calibrate") as progress:
        found = asked.static(progress)
    name = asked.config.navigation.imu
    save(out, found.calibration(device=name, date=today(), source=asked.source), force=force)
    terminal().show(_static_table(found))
    _warn(asked.reader.damage)
    terminal().show(f"{out}: written, from {found.rest.duration:.0f} s of rest at s = {found.rest.s:.0f} m")


@app.command()
def navigation(
    run: Run, out: Out, config_file: ConfigFile = None, earlier: Earlier = None, force: Force = False
) -> None:
    """Find the navigation's variances under which the measurements of a run are most likely.

    Takes the first three minutes in motion. Sensors' noise densities stay as configured; the virtual sensors'
    variance cannot be learnt and follows from the cut-off wavelength. Ends with 1 if a row stays inconsistent.
    """
    from twin.cli.calibrating import CalibrationRun, refuse_existing, save, today

    refuse_existing(out, force=force)
    asked = CalibrationRun.open(run, config_file=config_file, earlier=earlier, imu=None)
    with terminal().progress("calibrate") as progress:
        found = asked.navigation(progress)
    save(out, found.calibration(date=today(), source=asked.source), force=force)
    terminal().show(_parameter_table(found))
    terminal().show(_consistency_table(found))
    _warn(asked.reader.damage)
    terminal().show(f"{out}: written, from {found.moving:.0f} s in motion")
    if doubts := _doubts(found):
        for doubt in doubts:
            terminal().warn(doubt)
        stop(ExitCode.PROBLEM)


def _static_table(found: "Static") -> "Table":
    from rich.table import Table

    table = Table("", "unit", "x", "y", "z")
    for name, unit, values, sd in (
        ("accelerometer bias", "m/s^2", found.accel_bias, found.sd_accel_bias),
        ("gyro bias", "rad/s", found.gyro_bias, found.sd_gyro_bias),
    ):
        table.add_row(name, unit, *(f"{value:.3g} ± {each:.1g}" for value, each in zip(values, sd, strict=True)))
    for name, unit, values in (
        ("accelerometer noise", "m/s^2/sqrt(Hz)", found.accel_noise),
        ("gyro noise", "rad/s/sqrt(Hz)", found.gyro_noise),
    ):
        table.add_row(name, unit, *(f"{value:.3g}" for value in values))
    return table


def _parameter_table(found: "Tuned") -> "Table":
    from rich.table import Table

    table = Table("navigation key", "before", "after", "±")
    for each in found.parameters:
        table.add_row(each.key, f"{each.start:.4g}", f"{each.value:.4g}", f"{each.sd:.1g}")
    return table


def _consistency_table(found: "Tuned") -> "Table":
    from rich.table import Table

    table = Table("measurement", "samples", "nis before", "after", "outside 95 %", "rejected")
    for before, after in zip(found.before, found.after, strict=True):
        counts = f"{100 * after.outside:.1f} %", str(after.rejected)
        table.add_row(after.name, str(after.samples), f"{before.nis:.2f}", f"{after.nis:.2f}", *counts)
    return table


def _doubts(found: "Tuned") -> list[str]:
    """What a person should know before using the values."""
    low, high = NIS_BAND
    doubts = [
        f"navigation.{each.key} ended at the bound of what is believed: look at the sensor and its data sheet values"
        for each in found.parameters
        if each.at_bound
    ]
    doubts += [
        f"{row.name}: nis {row.nis:.2f} lies outside {low:g} to {high:g}: the model does not fit this run"
        for row in found.after
        if not low <= row.nis <= high
    ]
    return doubts


def _warn(damage: "DamageReport") -> None:
    for line in () if damage.clean else damage.lines():
        terminal().warn(line)
