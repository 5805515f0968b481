"""`railtwin vehicle show`: the bodies and elements of a vehicle, its rest on the track, and its picture."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.console import terminal
from twin.cli.vehicle_equations import show_equations
from twin.core.errors import ConfigError

if TYPE_CHECKING:
    from rich.table import Table

    from twin.vehicle.description import AnyElement, Vehicle
    from twin.vehicle.statics import Rest

PICTURES = (".png", ".pdf", ".svg")
MM = 1e3
KN = 1e-3

Name = Annotated[
    str, typer.Argument(metavar="NAME|FILE", help="A vehicle of the library, or a .toml file.", show_default=False)
]
Out = Annotated[
    list[Path] | None, typer.Option("--out", "-o", metavar="FILE", help="Figure (.png, .pdf, .svg); may be repeated.")
]


def show(name: Name, out: Out = None) -> None:
    """Show a vehicle: bodies, suspension, wheel loads, equations of motion, sources, and what is doubtful.

    Known are manchester, e464, vivalto (and e464-printed, vivalto-printed), feve3000, crh380a, scaled.

    Example: railtwin vehicle show vivalto-printed -o vivalto.png
    """
    from twin.vehicle.library import vehicle as vehicle_of
    from twin.vehicle.plausibility import doubts
    from twin.vehicle.statics import at_rest

    files = out or []
    for file in files:
        if file.suffix.lower() not in PICTURES:
            raise ConfigError(f"{file}: a figure ends in {', '.join(PICTURES)}")
    vehicle = vehicle_of(name)
    rest = at_rest(vehicle)
    terminal().show(f"{vehicle.name}: {len(vehicle.bodies)} bodies, {vehicle.mass:.6g} kg")
    terminal().show(f"source: {vehicle.source}")
    terminal().show(_bodies(vehicle))
    terminal().show(_elements(vehicle, rest))
    terminal().show(_wheels(vehicle, rest))
    show_equations(vehicle)
    for assumption in vehicle.assumptions:
        terminal().show(f"assumed: {assumption}")
    for doubt in doubts(vehicle):
        terminal().warn(doubt)
    for file in files:
        _draw(file, vehicle)


def _table(title: str, columns: Iterable[str], *, words: int) -> "Table":
    """A table whose first columns are words, the others numbers."""
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for place, column in enumerate(columns):
        table.add_column(column, justify="left" if place < words else "right", overflow="fold")
    return table


def _bodies(vehicle: "Vehicle") -> "Table":
    columns = ("body", "kind", "joint", "mass [kg]", "roll, pitch, yaw inertia [kg m^2]", "x, y, z [m]")
    table = _table("Bodies", columns, words=3)
    for body in vehicle.bodies:
        joint = "free" if body.parent is None else f"{body.joint} on {body.parent}"
        inertia = ", ".join(f"{value:.7g}" for value in body.inertia)
        place = ", ".join(f"{value:.3f}" for value in body.position)
        table.add_row(body.name, body.kind, joint, f"{body.mass:.7g}", inertia, place)
    return table


def _elements(vehicle: "Vehicle", rest: "Rest") -> "Table":
    columns = ("element", "kind", "between", "values", "carries [kN]", "gives [mm]")
    table = _table("Elements: alike in one row, with what the first carries at rest", columns, words=4)
    for element, count in _alike(vehicle):
        load, way = rest.preloads[element.name], rest.deflections.get(element.name)
        table.add_row(
            element.name if count == 1 else f"{count} x {element.name}",
            element.kind,
            f"{element.first}, {element.second}",
            _values(element),
            "" if way is None else f"{-load[2] * KN:.2f}",
            "" if way is None else f"{way * MM:.1f}",
        )
    return table


def _alike(vehicle: "Vehicle") -> list[tuple["AnyElement", int]]:
    """One element of each sort, and how many there are: images differ in names, bodies and places only."""
    sorts: dict[str, list[AnyElement]] = {}
    for element in vehicle.elements:
        strength = element.model_dump_json(exclude={"name", "first", "second", "at_first", "at_second"})
        joined = vehicle.body(element.first).kind + vehicle.body(element.second).kind
        sorts.setdefault(strength + joined, []).append(element)
    return [(alike[0], len(alike)) for alike in sorts.values()]


def _values(element: "AnyElement") -> str:
    """Stiffness, damping and curves, with their units; what is zero or absent is left out."""
    from twin.vehicle.description import BumpStop, Bushing, Gear, LineDamper, RollBar

    if isinstance(element, LineDamper):
        ends = f", ends {element.series_stiffness * KN:g} kN/m" if element.series_stiffness else ""
        return "; ".join(f"{force * KN:g} kN at {v:g} m/s" for v, force in element.curve[1:]) + ends
    if isinstance(element, BumpStop):
        return f"along {element.axis} after {element.clearance * MM:g} mm, to {element.curve[-1][1] * KN:g} kN"
    if isinstance(element, Bushing):
        along = _strengths(element.stiffness, element.damping, turning=False)
        return ", ".join((*along, *_strengths(element.rotational_stiffness, element.rotational_damping, turning=True)))
    teeth = (f"teeth {element.teeth[0]}:{element.teeth[1]}",) if isinstance(element, Gear) else ()
    turning = isinstance(element, RollBar)
    return ", ".join((*teeth, *_strengths((element.stiffness,), (element.damping,), turning=turning)))


def _strengths(stiffness: tuple[float, ...], damping: tuple[float, ...], *, turning: bool) -> Iterable[str]:
    for values, unit in (
        (stiffness, "kN m/rad" if turning else "kN/m"),
        (damping, "kN m s/rad" if turning else "kN s/m"),
    ):
        if any(values):
            yield "/".join(_short(value * KN) for value in values) + f" {unit}"


def _short(value: float) -> str:
    """Four digits of what is small, so that three values of a model vehicle fit a column."""
    return f"{value:.4g}" if abs(value) < 1.0 else f"{value:g}"


def _wheels(vehicle: "Vehicle", rest: "Rest") -> "Table":
    from twin.vehicle.description import wheels_of

    columns = ("wheelset", "profile", "radius [m]", "rolling circles apart [m]", "left load [kN]", "right load [kN]")
    table = _table("Wheels at rest on straight track", columns, words=2)
    for wheelset in vehicle.wheelsets:
        wheels = wheels_of(wheelset)
        left, right = (f"{load * KN:.4g}" for load in rest.wheel_loads[wheelset.name])
        distance = f"{2 * wheels.half_distance:.4g}"
        table.add_row(wheelset.name, wheels.profile, f"{wheels.radius:.4g}", distance, left, right)
    return table


def _draw(file: Path, vehicle: "Vehicle") -> None:
    from twin.report.vehicle_topology import topology_figure

    try:
        topology_figure(vehicle).savefig(file, dpi=150)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written ({error.strerror}); choose another place") from None
    terminal().show(f"{file}: written")
