"""`railtwin vehicle modes`: how a vehicle oscillates while it runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.console import terminal
from twin.cli.vehicle_contacts import coned_contacts, conicities
from twin.cli.vehicle_show import PICTURES, Name
from twin.core.errors import ConfigError

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

    from twin.vehicle.description import Vehicle
    from twin.vehicle.linear import Block
    from twin.vehicle.modes import Mode

TABLES, ANIMATION = (".csv", ".parquet"), ".gif"

Outputs = Annotated[
    list[Path] | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Figure (.png, .pdf, .svg), shapes (.csv, .parquet) or one mode moving (.gif); may be repeated.",
    ),
]
Chosen = Annotated[
    int | None,
    typer.Option("--mode", metavar="N", min=1, help="Mode of the .gif, as numbered; else the least damped one."),
]


def modes(
    name: Name,
    speed: Annotated[float, typer.Option("--speed", metavar="M/S", min=0.1, max=200.0, help="Running speed.")] = 30.0,
    conicity: Annotated[float, typer.Option("--conicity", metavar="NUMBER", help="Of its conical wheels.")] = 0.1,
    out: Outputs = None,
    mode: Chosen = None,
) -> None:
    """Show frequencies, damping and shapes of a vehicle's small oscillations on straight track.

    Wheels are cones on rail heads of 0.3 m radius that grip fully; dampers act by their slope at rest.

    Example: railtwin vehicle modes manchester --speed 40 --conicity 0.2 -o modes.png --mode 10 -o hunting.gif
    """
    from twin.vehicle.library import vehicle as vehicle_of
    from twin.vehicle.linear import LinearVehicle
    from twin.vehicle.modes import all_modes

    files = _outputs(out or [], mode)
    (cone,) = conicities(str(conicity))
    vehicle = vehicle_of(name)
    found = all_modes(LinearVehicle(vehicle, coned_contacts(vehicle, cone)), speed)
    count = sum(len(oscillations) for oscillations in found.values())
    if mode is not None and mode > count:
        raise ConfigError(f"--mode {mode}: {vehicle.name} has {count} modes")
    title = f"{vehicle.name} at {speed:g} m/s, conicity {cone:g}"
    terminal().show(_table(found, title))
    for file in files:
        _write(file, vehicle, found, title, mode)


def _outputs(files: list[Path], mode: int | None) -> list[Path]:
    known = (*PICTURES, *TABLES, ANIMATION)
    for file in files:
        if file.suffix.lower() not in known:
            raise ConfigError(f"{file}: a file of modes ends in {', '.join(known)}")
    if mode is not None and not any(file.suffix.lower() == ANIMATION for file in files):
        raise ConfigError(f"--mode {mode} chooses the mode that is shown moving: add -o FILE{ANIMATION}")
    return files


def _table(found: "Mapping[Block, Sequence[Mode]]", title: str) -> "Table":
    from rich.table import Table

    from twin.report.vehicle_modes import energy_shares

    table = Table(title=title, title_justify="left")
    table.add_column("no.", justify="right")
    for column in ("block", "mode"):
        table.add_column(column)
    for column in ("frequency [Hz]", "damped [Hz]", "damping [%]"):
        table.add_column(column, justify="right")
    table.add_column("kinetic energy")
    for number, (block, mode) in enumerate(_all(found), start=1):
        numbers = (f"{mode.frequency:.3f}", f"{mode.damped_frequency:.3f}", f"{100 * mode.damping:.1f}")
        table.add_row(str(number), block, mode.name, *numbers, energy_shares(mode))
    return table


def _all(found: "Mapping[Block, Sequence[Mode]]") -> "list[tuple[Block, Mode]]":
    return [(block, mode) for block, oscillations in found.items() for mode in oscillations]


def _write(
    file: Path, vehicle: "Vehicle", found: "Mapping[Block, Sequence[Mode]]", title: str, number: int | None
) -> None:
    from twin.report.table_file import write_table
    from twin.report.vehicle_mode_motion import shape_columns, write_motion
    from twin.report.vehicle_modes import modes_figure

    if file.suffix.lower() in PICTURES:
        write(modes_figure(vehicle, found, title), [file])
        return
    if file.suffix.lower() in TABLES:
        write_table(file, shape_columns(found))
    else:
        every = _all(found)
        chosen = min(every, key=lambda each: each[1].damping) if number is None else every[number - 1]
        write_motion(file, vehicle, *chosen)
    terminal().show(f"{file}: written")


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
