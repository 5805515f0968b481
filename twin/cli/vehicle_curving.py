"""`railtwin vehicle curving`: how a vehicle stands in long curves."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.console import terminal
from twin.cli.vehicle_options import (
    ContactForm,
    RunFriction,
    RunOut,
    RunRail,
    RunWheel,
    files_of,
    numbers,
    run_settings,
)
from twin.cli.vehicle_show import Name
from twin.core.errors import ConfigError

if TYPE_CHECKING:
    from rich.table import Table

    from twin.vehicle.curving import Curve, CurvingWheelset, SteadyCurve
    from twin.vehicle.description import Vehicle

MM, MRAD, KN = 1e3, 1e3, 1e-3
USUAL_MM = 50.0
"""Cant deficiency where nothing else is said [mm]."""
CLIMBS = 0.8
"""Share of Nadal's limit from which a wheel is marked."""
HEADINGS = (
    "radius\n[m]",
    "cant\n[mm]",
    "speed\n[m/s]",
    "missing\n[mm]",
    "shift\n[mm]",
    "attack\n[mrad]",
    "Q outer, inner\n[kN]",
    "Y outer, inner\n[kN]",
    "Y/Q\n[-]",
    "Nadal\n[%]",
    "wear\n[kW]",
)


def curving(
    name: Name,
    radius: Annotated[
        str, typer.Option("--radius", metavar="M,...", help="Radii of the curves; a right one has the same figures.")
    ] = "300,500,800,1500,3000",
    cant: Annotated[str, typer.Option("--cant", metavar="MM,...", help="Cants: outer rail over inner one.")] = "0,100",
    speed: Annotated[float | None, typer.Option("--speed", metavar="M/S", help="The same in all curves.")] = None,
    deficiency: Annotated[
        float | None,
        typer.Option("--deficiency", metavar="MM", help="Cant that is missing; its speed follows. 50 without --speed."),
    ] = None,
    contact: Annotated[
        ContactForm, typer.Option("--contact", help="Elastic: full contact, ten times slower.")
    ] = ContactForm.KNIFE,
    wheel: RunWheel = None,
    rail: RunRail = "60E1-EN",
    friction: RunFriction = 0.3,
    out: RunOut = None,
) -> None:
    """Show how a vehicle stands in curves once it has settled: a row for each wheelset.

    Shift and angle of attack are counted towards the outer rail. Q presses a rail down, Y pushes the wheel towards the
    inside of the curve; Y/Q is that of the wheel that presses its rail outwards most, against Nadal's limit for its
    flange. Wear is the power lost to creep.

    Example: railtwin vehicle curving manchester --radius 300,600,1200 --cant 0,150 --deficiency 100 -o curving.png
    """
    from twin.vehicle.curving import CurvingSettings, curving_table
    from twin.vehicle.library import vehicle as vehicle_of

    files = files_of(out)
    vehicle = vehicle_of(name)
    curves = _curves(vehicle, radius, cant, speed, deficiency)
    settings = CurvingSettings(run=run_settings(contact, wheel=wheel, rail=rail, friction=friction))
    with terminal().progress("curving") as progress:
        found = curving_table(vehicle, curves, settings=settings, progress=progress)
    title = f"{vehicle.name}: steady curving {_pace(speed, deficiency)}, {wheel or 'its own wheels'} on {rail}"
    terminal().show(_table(title, found))
    for each in found:
        if each.remark:
            terminal().warn(f"{_place(each)}: {each.state}; {each.remark}")
    if files.pictures or files.tables:
        from twin.report.vehicle_curving import curving_columns, curving_figure

        files.write(lambda: curving_figure(title, found), curving_columns(found))


def _curves(
    vehicle: "Vehicle", radius: str, cant: str, speed: float | None, deficiency: float | None
) -> "tuple[Curve, ...]":
    from twin.vehicle.curving import curves_at_deficiency, curves_at_speed

    if speed is not None and deficiency is not None:
        raise ConfigError("--speed and --deficiency both say how fast curves are run: give one of them")
    radii = numbers(radius, option="--radius", example="300,600,1200")
    cants = [value / MM for value in numbers(cant, option="--cant", example="0,100")]
    if speed is not None:
        return curves_at_speed(vehicle, radii=radii, cants=cants, speed=speed)
    missing = USUAL_MM if deficiency is None else deficiency
    return curves_at_deficiency(vehicle, radii=radii, cants=cants, deficiency=missing / MM)


def _pace(speed: float | None, deficiency: float | None) -> str:
    if speed is not None:
        return f"at {speed:g} m/s"
    return f"at {USUAL_MM if deficiency is None else deficiency:g} mm cant deficiency"


def _place(found: "SteadyCurve") -> str:
    curve = found.curve
    return f"radius {curve.radius:g} m, cant {curve.cant * MM:g} mm, {curve.speed:.1f} m/s"


def _table(title: str, found: "Sequence[SteadyCurve]") -> "Table":
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=SIMPLE, collapse_padding=True, pad_edge=False)
    table.add_column("wheelset", no_wrap=True)
    for heading in HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    for each in found:
        for wheelset, cells in _rows(each):
            climbs = each.nadal is not None and any(of.worst > CLIMBS * each.nadal for of in each.wheelsets)
            table.add_row(wheelset, *cells, style="yellow" if each.remark or climbs else "")
        table.add_section()
    return table


def _rows(found: "SteadyCurve") -> Iterator[tuple[str, tuple[str, ...]]]:
    """The wheelsets of a vehicle in one curve; the curve itself is named in the first row only."""
    curve = found.curve
    place = (
        f"{curve.radius:g}",
        f"{curve.cant * MM:g}",
        f"{curve.speed:.1f}",
        f"{found.deficiency * MM:z.0f}",
    )
    if not found.wheelsets:
        yield found.state, (*place, *[""] * (len(HEADINGS) - len(place)))
    for wheelset in found.wheelsets:
        yield wheelset.name, (*place, *_cells(wheelset, found.nadal))
        place = ("", "", "", "")


def _cells(wheelset: "CurvingWheelset", nadal: float | None) -> tuple[str, ...]:
    outer, inner = wheelset.outer, wheelset.inner
    return (
        f"{wheelset.shift * MM:z.2f}",
        f"{wheelset.attack * MRAD:z.2f}",
        *(f"{a * KN:z.1f} {b * KN:z5.1f}" for a, b in ((outer.Q, inner.Q), (outer.Y, inner.Y))),
        f"{wheelset.worst:z.3f}",
        "-" if nadal is None else f"{100 * wheelset.worst / nadal:z.0f}",
        f"{wheelset.power * KN:.2f}",
    )
