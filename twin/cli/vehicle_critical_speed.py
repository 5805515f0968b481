"""`railtwin vehicle critical-speed`: from which speed a vehicle hunts."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.console import terminal
from twin.cli.vehicle_contacts import coned_contacts, conicities
from twin.cli.vehicle_modes import pictures, write
from twin.cli.vehicle_show import Name, Out

if TYPE_CHECKING:
    from rich.table import Table

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
    out: Out = None,
) -> None:
    """Show the linear critical speed: the first at which an oscillation of the vehicle loses its damping.

    Wheels are cones on rail heads of 0.3 m radius that grip fully; dampers act by their slope at rest.

    Example: railtwin vehicle critical-speed manchester --conicity 0.1,0.4 -o locus.png
    """
    from twin.vehicle import modes
    from twin.vehicle.library import vehicle as vehicle_of
    from twin.vehicle.linear import LinearVehicle

    files, cones = pictures(out), conicities(conicity)
    vehicle = vehicle_of(name)
    model = LinearVehicle(vehicle, coned_contacts(vehicle, cones[0]))
    models = {cone: model.with_contacts(coned_contacts(vehicle, cone)) for cone in cones}
    found = {cone: modes.critical_speed(models[cone], slowest=SLOWEST, fastest=fastest) for cone in cones}
    title = f"{vehicle.name}: linear critical speed"
    terminal().show(_table(title, found, fastest))
    if files:
        from twin.report.vehicle_modes import root_locus_figure

        speeds = range(SLOWEST, int(fastest) + 1, LOCUS_STEP)
        loci = {cone: modes.root_locus(models[cone], speeds) for cone in cones}
        write(root_locus_figure(title, loci, found), files)


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
