"""`railtwin contact profile`: a wheel or rail profile looked at before it is used."""

import csv
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.console import terminal
from twin.cli.contact_options import MM, Cant, Gauge, cant_of, reading_of
from twin.core.errors import ConfigError

if TYPE_CHECKING:
    from rich.table import Table

    from twin.contact.profiles import Profile

WHEEL_FILES, RAIL_FILES = (".prw", ".whl"), (".prr", ".ban", ".rail")
"""Endings that say what a file holds."""
TABLE, PICTURES = ".csv", (".png", ".pdf", ".svg")
TABLE_STEP_MM = 0.1
"""Step of the written table [mm]."""


class ProfileKind(StrEnum):
    """What a profile is of."""

    WHEEL = "wheel"
    RAIL = "rail"


Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME|FILE", help="S1002, 60E1-EN, 60E1-MB, 60E1-UIC, or a file of points.", show_default=False
    ),
]
Kind = Annotated[
    ProfileKind | None, typer.Option("--kind", help="Needed where neither name nor ending of the file says it.")
]
Reading = Annotated[
    str,
    typer.Option(
        "--reading",
        metavar="KEY,KEY=VALUE",
        help="How to read a file: flip, mirror, units=m, origin=0.07, sd_noise=0 (in m).",
        show_default=False,
    ),
]
Out = Annotated[
    list[Path] | None,
    typer.Option("--out", "-o", metavar="FILE", help="Figure (.png, .pdf, .svg) or table (.csv); may be repeated."),
]


def profile(
    name: Name, kind: Kind = None, reading: Reading = "", cant: Cant = "1/40", gauge: Gauge = 1435.0, out: Out = None
) -> None:
    """Show a wheel or rail profile: its range, zones and radii, and what was done to a file.

    The figure shows it in the track too: a wheel on 60E1-EN, a rail under S1002.

    Example: railtwin contact profile measured.whl --reading origin=0.07 -o measured.png
    """
    files = out or []
    for file in files:
        if file.suffix.lower() not in (TABLE, *PICTURES):
            raise ConfigError(f"{file}: a figure ends in {', '.join(PICTURES)}, a table in {TABLE}")
    found = _profile(name, kind, reading)
    start, end = found.span
    terminal().show(f"{found.kind} profile {found.name}: {start / MM:.3f} to {end / MM:.3f} mm")
    terminal().show(_zones(found))
    for note in found.notes:
        terminal().show(f"note: {note}")
    for file in files:
        try:
            if file.suffix.lower() == TABLE:
                _write(file, found)
            else:
                _draw(file, found, cant=cant_of(cant), gauge=gauge * MM)
        except OSError as error:
            raise ConfigError(f"{file}: cannot be written ({error.strerror}); choose another place") from None
        terminal().show(f"{file}: written")


def _profile(name: str, kind: ProfileKind | None, reading: str) -> "Profile":
    from twin.contact.profiles import RAILS, WHEELS, rail_profile, wheel_profile

    ending = Path(name).suffix.lower()
    if kind is None and (name.upper() in WHEELS or ending in WHEEL_FILES):
        kind = ProfileKind.WHEEL
    elif kind is None and (name.upper().startswith("60E1") or ending in RAIL_FILES):
        kind = ProfileKind.RAIL
    if kind is None:
        known = ", ".join((*WHEELS, *RAILS))
        raise ConfigError(f"'{name}': say --kind wheel or --kind rail for a file, or give a known name: {known}")
    options = reading_of(reading, option="--reading")
    return wheel_profile(name, options) if kind is ProfileKind.WHEEL else rail_profile(name, options)


def _zones(found: "Profile") -> "Table":
    import numpy as np
    from rich.table import Table

    from twin.report.contact_profile import radius_of

    table = Table()
    for title in ("from [mm]", "to [mm]", "slope [degrees]", "shape"):
        table.add_column(title, justify="left" if title == "shape" else "right")
    for zone in found.zones:
        radius = radius_of(zone)
        first, last = np.degrees(np.arctan(zone.slope[[0, -1]]))
        arc = "curve" if radius is None else f"{'hollow ' if radius < 0 else ''}R{abs(radius) / MM:.4g}"
        shape = "line" if radius is not None and np.isinf(radius) else arc
        table.add_row(f"{zone.y[0] / MM:.3f}", f"{zone.y[-1] / MM:.3f}", f"{first:.2f} to {last:.2f}", shape)
    return table


def _write(file: Path, found: "Profile") -> None:
    import numpy as np

    from twin.contact.curve import curve_values
    from twin.report.contact_profile import curvature

    start, end = found.span
    y = np.linspace(start, end, int(np.ceil((end - start) / (TABLE_STEP_MM * MM))) + 1)
    values = curve_values(found.curve, y)
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(("y_mm", "z_mm", "slope_deg", "curvature_per_m"))
        slopes = np.degrees(np.arctan(values[:, 1]))
        for place, z, slope, bend in zip(y / MM, values[:, 0] / MM, slopes, curvature(values), strict=True):
            writer.writerow((f"{place:.6f}", f"{z:.6f}", f"{slope:.6f}", f"{bend:.6f}"))


def _draw(file: Path, found: "Profile", *, cant: float, gauge: float) -> None:
    from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
    from twin.report.contact_profile import InPlace, profile_figure

    wheel = found if found.kind == "wheel" else wheel_profile("S1002")
    rail = found if found.kind == "rail" else rail_profile("60E1-EN")
    inclination = f"1/{1 / cant:g}" if cant else "0"
    title = f"{wheel.name} on {rail.name} at {inclination}, gauge {gauge / MM:g} mm"
    in_place = InPlace(wheel_curve(wheel), laid_rail(rail, cant=cant, gauge=gauge), title)
    profile_figure(found, in_place).savefig(file, dpi=150)
