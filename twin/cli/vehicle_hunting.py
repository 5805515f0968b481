"""The nonlinear part of `railtwin vehicle critical-speed`: hunting as the vehicle itself shows it when it runs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from twin.cli.console import part_of, terminal
from twin.cli.vehicle_options import Files

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.table import Table

    from twin.report.vehicle_hunting import Hunting
    from twin.vehicle.description import Vehicle
    from twin.vehicle.hunting import Cycle, HuntingSettings
    from twin.vehicle.running import RunSettings

MM = 1e3
SLOWEST = 10.0
"""Last speed to which a hunting vehicle is slowed down [m/s]."""
AROUND = 0.15
"""Share of the linear critical speed within which that by growth is looked for, and above which cycles begin."""
GROWN, FALLEN = 0.2, 0.6
"""Shares of the progress after growth and after the falling branch."""


class Speeds(NamedTuple):
    """Which speeds are looked at [m/s]."""

    fastest: float
    step: float


def show_hunting(vehicle: "Vehicle", run: "RunSettings", speeds: Speeds, files: Files) -> None:
    """Print, draw and write the critical speeds and limit cycles of the running vehicle."""
    from twin.report.vehicle_hunting import hunting_columns, hunting_figure
    from twin.vehicle.hunting import HuntingSettings

    with terminal().progress("hunting") as progress:
        found = _hunting(vehicle, HuntingSettings(run=run), speeds, progress)
    wheels = run.wheel_rail.wheel or "its own wheels"
    mu = run.wheel_rail.friction.mu
    title = f"{vehicle.name}: hunting, {wheels} on {run.wheel_rail.rail}, friction {mu:g}"
    terminal().show(_summary(title, found, speeds))
    terminal().show(_cycles(found))
    for cycle in (*found.rising, *found.falling):
        if cycle.remark:
            terminal().warn(f"{cycle.speed:.1f} m/s: {cycle.remark}")
    files.write(lambda: hunting_figure(title, found), hunting_columns(found))


def _hunting(
    vehicle: "Vehicle", settings: "HuntingSettings", speeds: Speeds, progress: "Callable[[float], None]"
) -> "Hunting":
    import numpy as np

    from twin.report.vehicle_hunting import Hunting
    from twin.vehicle import modes
    from twin.vehicle.hunting import critical_by_growth, falling_branch, rising_branch
    from twin.vehicle.linear import LinearVehicle
    from twin.vehicle.linear_contact import Spread, wheel_rails
    from twin.vehicle.running import wheelsets_on_rails
    from twin.vehicle.symbolic import vehicle_model

    wheel_rail = settings.run.wheel_rail
    pairs = wheelsets_on_rails(vehicle, wheel_rail)
    contacts = wheel_rails(vehicle, pairs, spread=Spread.normal(shift=settings.small), friction=wheel_rail.friction)
    linear = modes.critical_speed(LinearVehicle(vehicle, contacts), slowest=SLOWEST, fastest=speeds.fastest)
    top = speeds.fastest if linear is None else min(speeds.fastest, (1 + AROUND) * linear.speed)
    model = vehicle_model(vehicle)
    growth = critical_by_growth(
        vehicle,
        slowest=SLOWEST if linear is None else max(SLOWEST, (1 - AROUND) * linear.speed),
        fastest=top,
        settings=settings,
        model=model,
        progress=part_of(progress, 0, GROWN),
    )
    down = np.arange(top, SLOWEST, -speeds.step).tolist()
    falling = falling_branch(vehicle, down, settings=settings, model=model, progress=part_of(progress, GROWN, FALLEN))
    up = [speed for speed in reversed(down) if speed >= falling[-1].speed]
    rising = rising_branch(vehicle, up, settings=settings, model=model, progress=part_of(progress, FALLEN, 1))
    progress(1.0)
    return Hunting(linear, growth, rising, falling)


def _summary(title: str, found: "Hunting", speeds: Speeds) -> "Table":
    from rich.table import Table

    from twin.vehicle.hunting import nonlinear_critical_speed

    table = Table(title=title, title_justify="left")
    table.add_column("critical speed")
    for column in ("[m/s]", "[km/h]", "[Hz]"):
        table.add_column(column, justify="right")

    def row(name: str, speed: float | None, frequency: float | None) -> None:
        cells = (f"> {speeds.fastest:g}", f"> {3.6 * speeds.fastest:.4g}", "")
        if speed is not None:
            cells = (f"{speed:.1f}", f"{3.6 * speed:.0f}", "" if frequency is None else f"{frequency:.2f}")
        table.add_row(name, *cells)

    linear, growth, died = found.linear, found.growth, nonlinear_critical_speed(found.falling)
    row(
        "linear, by eigenvalues",
        linear.speed if linear else None,
        linear.mode.damped_frequency if linear else None,
    )
    row("small disturbances grow", growth.speed if growth else None, growth.frequency if growth else None)
    if died is None:
        table.add_row("limit cycle lives on, slowing down", "not seen to die", "", "")
    else:
        row("limit cycle lives on, slowing down", died[1], found.falling[-2].frequency)
        row("limit cycle is gone", died[0], None)
    return table


def _cycles(found: "Hunting") -> "Table":
    from rich.table import Table

    table = Table(title="Amplitude of the wheelset that moves most", title_justify="left")
    for column in ("speed [m/s]", "after a small wave [mm]", "slowing down [mm]", "frequency [Hz]"):
        table.add_column(column, justify="right")
    for speed in sorted({cycle.speed for cycle in (*found.rising, *found.falling)}, reverse=True):
        up, down = _at(speed, found.rising), _at(speed, found.falling)
        frequency = next((each.frequency for each in (down, up) if each and 0 < each.frequency < float("inf")), 0.0)
        table.add_row(f"{speed:.1f}", _amplitude(up), _amplitude(down), f"{frequency:.2f}" if frequency else "")
    return table


def _at(speed: float, cycles: "Sequence[Cycle]") -> "Cycle | None":
    return next((cycle for cycle in cycles if cycle.speed == speed), None)


def _amplitude(cycle: "Cycle | None") -> str:
    if cycle is None:
        return ""
    if cycle.amplitude != cycle.amplitude:
        return "off the track"
    return f"{cycle.amplitude * MM:.2f}" if cycle.hunts else "quiet"
