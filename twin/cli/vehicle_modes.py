"""`railtwin vehicle modes`: how a vehicle oscillates while it runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.console import terminal
from twin.cli.vehicle_contacts import coned_contacts, conicities
from twin.cli.vehicle_show import PICTURES, Name, Out
from twin.core.errors import ConfigError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def modes(
    name: Name,
    speed: Annotated[float, typer.Option("--speed", metavar="M/S", min=0.1, max=200.0, help="Running speed.")] = 30.0,
    conicity: Annotated[float, typer.Option("--conicity", metavar="NUMBER", help="Of its conical wheels.")] = 0.1,
    out: Out = None,
) -> None:
    """Show frequencies, damping and shapes of a vehicle's small oscillations on straight track.

    Wheels are cones on rail heads of 0.3 m radius that grip fully; dampers act by their slope at rest.

    Example: railtwin vehicle modes manchester --speed 40 --conicity 0.2 -o modes.png
    """
    from rich.table import Table

    from twin.report.vehicle_modes import energy_shares, modes_figure
    from twin.vehicle.library import vehicle as vehicle_of
    from twin.vehicle.linear import LinearVehicle
    from twin.vehicle.modes import all_modes

    files = pictures(out)
    (cone,) = conicities(str(conicity))
    vehicle = vehicle_of(name)
    found = all_modes(LinearVehicle(vehicle, coned_contacts(vehicle, cone)), speed)
    title = f"{vehicle.name} at {speed:g} m/s, conicity {cone:g}"
    table = Table(title=title, title_justify="left")
    for column in ("block", "mode"):
        table.add_column(column)
    for column in ("frequency [Hz]", "damped [Hz]", "damping [%]"):
        table.add_column(column, justify="right")
    table.add_column("kinetic energy")
    for block, oscillations in found.items():
        for mode in oscillations:
            numbers = (f"{mode.frequency:.3f}", f"{mode.damped_frequency:.3f}", f"{100 * mode.damping:.1f}")
            table.add_row(block, mode.name, *numbers, energy_shares(mode))
    terminal().show(table)
    if files:
        write(modes_figure(vehicle, found, title), files)


def pictures(out: list[Path] | None) -> list[Path]:
    """The files of figures, if their endings are known."""
    for file in out or []:
        if file.suffix.lower() not in PICTURES:
            raise ConfigError(f"{file}: a figure ends in {', '.join(PICTURES)}")
    return out or []


def write(figure: "Figure", files: list[Path]) -> None:
    """Write a figure into files."""
    for file in files:
        try:
            figure.savefig(file, dpi=150)
        except OSError as error:
            raise ConfigError(f"{file}: cannot be written ({error.strerror}); choose another place") from None
        terminal().show(f"{file}: written")
