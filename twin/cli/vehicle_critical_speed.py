"""`railtwin vehicle critical-speed`: from which speed a vehicle hunts."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.console import terminal
from twin.cli.vehicle_contacts import coned_contacts, conicities
from twin.cli.vehicle_hunting import Speeds, show_hunting
from twin.cli.vehicle_options import (
    ContactForm,
    Files,
    RunFriction,
    RunOut,
    RunRail,
    RunWheel,
    files_of,
    run_settings,
)
from twin.cli.vehicle_show import Name

if TYPE_CHECKING:
    from rich.table import Table

    from twin.vehicle.description import Vehicle
    from twin.vehicle.modes import CriticalSpeed

LOCUS_STEP = 4
"""Between the speeds of the root locus [m/s]."""
SLOWEST = 4
"""First speed tried [m/s]."""


def critical_speed(
    name: Name,
    conicity: Annotated[
        str, typer.Option("--conicity", metavar="NUMBER,...", help="Conicities of the wheels.")
    ] = "0.1,0.2,0.4",
    fastest: Annotated[
        float, typer.Option("--fastest", metavar="M/S", min=10.0, max=400.0, help="Last speed tried.")
    ] = 150.0,
    out: RunOut = None,
    nonlinear: Annotated[
        bool, typer.Option("--nonlinear", help="Let the vehicle run: growth, limit cycles, both critical speeds.")
    ] = False,
    step: Annotated[
        float, typer.Option("--step", metavar="M/S", min=0.5, max=20.0, help="Between the speeds of limit cycles.")
    ] = 4.0,
    contact: Annotated[
        ContactForm, typer.Option("--contact", help="With --nonlinear; on knives S1002 rattles by itself.")
    ] = ContactForm.ELASTIC,
    wheel: RunWheel = None,
    rail: RunRail = "60E1-EN",
    friction: RunFriction = 0.3,
) -> None:
    """Show the critical speed: the linear one, at which an oscillation of the vehicle loses its damping.

    Wheels are cones on rail heads of 0.3 m radius that grip fully; dampers act by their slope at rest.

    With --nonlinear the vehicle itself runs, on the profiles of --wheel and --rail: where small disturbances begin to
    grow, and how far a hunting vehicle must slow down until it is quiet. That takes some minutes.

    Example: railtwin vehicle critical-speed manchester --nonlinear --wheel S1002 -o hunting.png -o hunting.csv
    """
    from twin.vehicle.library import vehicle as vehicle_of

    files, cones = files_of(out), conicities(conicity)
    vehicle = vehicle_of(name)
    if nonlinear:
        run = run_settings(contact, wheel=wheel, rail=rail, friction=friction)
        show_hunting(vehicle, run, Speeds(fastest, step), files)
    else:
        _show_linear(vehicle, cones, fastest, files)


def _show_linear(vehicle: "Vehicle", cones: list[float], fastest: float, files: Files) -> None:
    from twin.vehicle import modes
    from twin.vehicle.linear import LinearVehicle

    model = LinearVehicle(vehicle, coned_contacts(vehicle, cones[0]))
    models = {cone: model.with_contacts(coned_contacts(vehicle, cone)) for cone in cones}
    found = {cone: modes.critical_speed(models[cone], slowest=SLOWEST, fastest=fastest) for cone in cones}
    title = f"{vehicle.name}: linear critical speed"
    terminal().show(_table(title, found, fastest))
    if files.pictures or files.tables:
        from twin.report.vehicle_hunting import critical_columns
        from twin.report.vehicle_modes import root_locus_figure

        speeds = range(SLOWEST, int(fastest) + 1, LOCUS_STEP)
        loci = {cone: modes.root_locus(models[cone], speeds) for cone in cones}
        files.write(lambda: root_locus_figure(title, loci, found), critical_columns(found))


def _table(title: str, found: "Mapping[float, CriticalSpeed | None]", fastest: float) -> "Table":
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for column in ("conicity", "speed [m/s]", "speed [km/h]", "frequency [Hz]"):
        table.add_column(column, justify="right")
    table.add_column("mode")
    for cone, critical in found.items():
        if critical is None:
            table.add_row(f"{cone:g}", f"> {fastest:g}", f"> {3.6 * fastest:.4g}", "", "none loses its damping")
        else:
            speed, mode = critical.speed, critical.mode
            table.add_row(f"{cone:g}", f"{speed:.1f}", f"{3.6 * speed:.0f}", f"{mode.frequency:.2f}", mode.name)
    return table
