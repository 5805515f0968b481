"""`railtwin contact points`: where the wheels of a wheelset touch their rails in one pose, and how they are pressed."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from twin.cli.console import terminal
from twin.cli.contact_options import (
    MM,
    Cant,
    FlangeBack,
    Gauge,
    RadiusLeft,
    RadiusRight,
    Rail,
    RailReading,
    Wheel,
    WheelLeft,
    WheelReading,
    WheelRight,
    WheelsetOnTrack,
)
from twin.core.errors import ConfigError

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

    from twin.contact.points import Pose
    from twin.contact.pressed import PressedWheel
    from twin.contact.seating import WheelsetPair
    from twin.report.contact_points import WheelInPlace

UM, MRAD, KN, KMH, MPA = 1e-6, 1e-3, 1e3, 1 / 3.6, 1e6
"""[m/um], [rad/mrad], [N/kN], [(m/s)/(km/h)], [Pa/MPa]"""
FARTHEST_MM, LARGEST_MRAD, HEAVIEST_KN = 30.0, 100.0, 500.0
"""Beyond these another unit was meant."""
PICTURES = (".png", ".pdf", ".svg")
PATCH_CELLS = 60
"""Strips of a drawn patch, and cells of each: fine enough to show where sliding begins."""
POSE, PRESSED = "Pose", "Load"


class SearchMethod(StrEnum):
    """How contact points are found."""

    DIFFERENCE = "difference"
    DISTANCE = "distance"
    GRID = "grid"
    SIMPLEX = "simplex"
    COMPASS = "compass"


Lateral = Annotated[
    float,
    typer.Option("--y", metavar="MM", min=-FARTHEST_MM, max=FARTHEST_MM, help="To the left.", rich_help_panel=POSE),
]
Yaw = Annotated[
    float,
    typer.Option(
        "--yaw",
        metavar="MRAD",
        min=-LARGEST_MRAD,
        max=LARGEST_MRAD,
        help="About z; positive has the right wheel ahead.",
        rich_help_panel=POSE,
    ),
]
Roll = Annotated[
    float | None,
    typer.Option(
        "--roll",
        metavar="MRAD",
        min=-LARGEST_MRAD,
        max=LARGEST_MRAD,
        help="About x; positive lifts the left wheel. Without it both wheels touch.",
        rich_help_panel=POSE,
    ),
]
Height = Annotated[
    float | None,
    typer.Option(
        "--height",
        metavar="MM",
        min=100.0,
        max=1000.0,
        help="Of the axle's middle over the rails' top; goes with --roll.",
        rich_help_panel=POSE,
    ),
]
Load = Annotated[
    float | None,
    typer.Option(
        "--load",
        metavar="KN",
        min=0.001,
        max=HEAVIEST_KN,
        help="Vertical, on each wheel; solves roll and height.",
        rich_help_panel=PRESSED,
    ),
]
PatchFigure = Annotated[
    Path | None,
    typer.Option(
        "--patch",
        metavar="FILE",
        help="Draw the most pressed patch of a wheelset that rolls straight ahead; needs --load.",
        rich_help_panel=PRESSED,
    ),
]
Speed = Annotated[
    float, typer.Option("--speed", metavar="KM/H", min=1.0, max=500.0, help="For --patch.", rich_help_panel=PRESSED)
]
How = Annotated[SearchMethod, typer.Option("--method", help="Difference and distance are exact, the others coarse.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Figure (.png, .pdf, .svg).")]


class Asked(NamedTuple):
    """What the options say about pose and load, in their units."""

    y: float
    yaw: float
    roll: float | None
    height: float | None
    load: float | None
    method: SearchMethod


def points(
    wheel: Wheel = "S1002",
    rail: Rail = "60E1-EN",
    cant: Cant = "1/40",
    gauge: Gauge = 1435.0,
    flange_back: FlangeBack = 1360.0,
    wheel_left: WheelLeft = None,
    wheel_right: WheelRight = None,
    radius_left: RadiusLeft = 460.0,
    radius_right: RadiusRight = 460.0,
    wheel_reading: WheelReading = "",
    rail_reading: RailReading = "",
    y: Lateral = 0.0,
    yaw: Yaw = 0.0,
    roll: Roll = None,
    height: Height = None,
    load: Load = None,
    patch: PatchFigure = None,
    speed: Speed = 80.0,
    method: How = SearchMethod.DIFFERENCE,
    out: Out = None,
) -> None:
    """Print where both wheels touch their rails: place, contact angle, rolling radius and gap.

    The wheelset is set down on rigid rails at --y and --yaw, unless --roll and --height place it, or --load presses it
    down: then every patch comes with its semi-axes, force and pressure. A gap below zero is a penetration. Lengths are
    in mm, pose angles in mrad, loads in kN.

    Example: railtwin contact points --y 5.5 --yaw 3 --load 60 -o flange.png --patch patch.png
    """
    asked = _checked(Asked(y, yaw, roll, height, load, method), out=out, patch=patch)
    wheelset = WheelsetOnTrack(
        wheel_left=wheel_left or wheel,
        wheel_right=wheel_right or wheel,
        rail=rail,
        cant=cant,
        gauge=gauge,
        flange_back=flange_back,
        radius_left=radius_left,
        radius_right=radius_right,
        wheel_reading=wheel_reading,
        rail_reading=rail_reading,
    )
    on_rails = wheelset.on_rails()
    pressed = _pressed(on_rails, asked)
    pose = pressed[0].pose if pressed else _pose(on_rails, asked)
    wheels = _located(on_rails, pose, asked.method, pressed)
    terminal().show(wheelset.title)
    terminal().show(_in_words(pose, asked.load))
    terminal().show(_points_table(wheels))
    if load is not None:
        terminal().show(_patches_table(wheels))
    if out:
        _draw(out, f"{wheelset.title}\n{_in_words(pose, asked.load)}", pose, wheels)
    if patch:
        _draw_patch(patch, wheels, pose, speed)


def _checked(asked: Asked, *, out: Path | None, patch: Path | None) -> Asked:
    """What was asked, if it goes together."""
    for file in (out, patch):
        if file and file.suffix.lower() not in PICTURES:
            raise ConfigError(f"{file}: a figure ends in {', '.join(PICTURES)}")
    if (asked.roll is None) != (asked.height is None):
        raise ConfigError("--roll and --height place the wheelset together: give both, or none to set it down")
    if asked.load is not None and asked.roll is not None:
        raise ConfigError("--load finds roll and height: leave out --roll and --height")
    if patch and asked.load is None:
        raise ConfigError("--patch draws a patch under load: give --load as well, in kN")
    if patch and asked.method not in (SearchMethod.DIFFERENCE, SearchMethod.DISTANCE):
        raise ConfigError(f"--patch needs exact points: --method difference or distance, not {asked.method}")
    return asked


def _pressed(wheelset: "WheelsetPair", asked: Asked) -> "tuple[PressedWheel, PressedWheel] | None":
    """Both wheels under the load, if one was asked for."""
    from twin.contact.hertz import Material
    from twin.contact.pressed import press_wheelset

    if asked.load is None:
        return None
    loads = asked.load * KN, asked.load * KN
    return press_wheelset(wheelset, y=asked.y * MM, yaw=asked.yaw * MRAD, loads=loads, material=Material())


def _pose(wheelset: "WheelsetPair", asked: Asked) -> "Pose":
    """As placed, or set down."""
    from twin.contact.points import Pose
    from twin.contact.seating import seat

    y, yaw = asked.y * MM, asked.yaw * MRAD
    if asked.roll is not None and asked.height is not None:
        return Pose(y, asked.height * MM, yaw, asked.roll * MRAD)
    return seat(wheelset, y=y, yaw=yaw).pose


def _located(
    wheelset: "WheelsetPair",
    pose: "Pose",
    method: SearchMethod,
    pressed: "tuple[PressedWheel, PressedWheel] | None",
) -> "tuple[WheelInPlace, WheelInPlace]":
    """Both wheels with their points, and their patches under load."""
    from twin.contact.methods import Method, locate
    from twin.contact.points import Side
    from twin.report.contact_points import WheelInPlace

    left, right = (
        locate(pair, pose, side=side, method=Method[method.name]) for pair, side in zip(wheelset, Side, strict=True)
    )
    return (
        WheelInPlace(Side.LEFT, wheelset.left, left, pressed[0] if pressed else None),
        WheelInPlace(Side.RIGHT, wheelset.right, right, pressed[1] if pressed else None),
    )


def _in_words(pose: "Pose", load: float | None) -> str:
    words = (
        f"y {pose.G_y / MM:g} mm, yaw {pose.yaw / MRAD:g} mrad, roll {pose.roll / MRAD:z.4f} mrad, "
        f"height {pose.G_z / MM:.4f} mm"
    )
    return words if load is None else f"{words}, {load:g} kN on each wheel"


def _points_table(wheels: "Sequence[WheelInPlace]") -> "Table":
    """All local minima of the gap, touching or not."""
    from math import degrees

    table = _table("x\n[mm]", "y\n[mm]", "z\n[mm]", "on wheel\n[mm]", "angle\n[deg]", "radius\n[mm]", "gap\n[um]")
    for wheel in wheels:
        side, it = wheel.side.name.lower(), wheel.points
        for k in range(it.count):
            places = [f"{place / MM:z.3f}" for place in (it.x[k], it.y[k], it.z[k], it.y_w[k])]
            angle, radius = f"{degrees(it.contact_angle[k]):z.3f}", f"{it.radius[k] / MM:.3f}"
            table.add_row(
                side, *places, angle, radius, f"{it.gap[k] / UM:z.2f}", style="" if wheel.touching[k] else "dim"
            )
        if it.count == 0:
            table.add_row(side, *["-"] * 7)
    return table


def _patches_table(wheels: "Sequence[WheelInPlace]") -> "Table":
    from math import pi

    table = _table("y\n[mm]", "a along\n[mm]", "b across\n[mm]", "force\n[kN]", "pressure\n[MPa]")
    pressed = [(wheel.side.name.lower(), wheel.pressed) for wheel in wheels if wheel.pressed]
    if any(patch.conformal for _, wheel in pressed for patch in wheel.patches):
        table.add_column("remark")
    for side, wheel in pressed:
        for y, patch in zip(wheel.zones.y, wheel.patches, strict=True):
            peak = 1.5 * patch.N / (pi * patch.a * patch.b)
            sizes = f"{patch.a / MM:.2f}", f"{patch.b / MM:.2f}", f"{patch.N / KN:.2f}", f"{peak / MPA:.0f}"
            remark = ["conformal: beyond Hertz's theory"] if patch.conformal else []
            table.add_row(side, f"{y / MM:z.3f}", *sizes, *remark)
    return table


def _table(*titles: str) -> "Table":
    from rich.table import Table

    table = Table("wheel")
    for title in titles:
        table.add_column(title, justify="right", no_wrap=True)
    return table


def _draw(file: Path, title: str, pose: "Pose", wheels: "tuple[WheelInPlace, WheelInPlace]") -> None:
    from twin.report.contact_points import points_figure

    _save(points_figure(pose, *wheels, title=title), file)


def _draw_patch(file: Path, wheels: "Sequence[WheelInPlace]", pose: "Pose", speed: float) -> None:
    """The most pressed patch of a wheelset that rolls straight ahead and turns by the mean of its rolling radii."""
    from twin.contact.creep import Creepage, Friction, rolling_patch
    from twin.contact.fastsim import patch_field
    from twin.contact.hertz import Ellipse, Material
    from twin.contact.wheel_forces import APPROACH, ETA, PHI, XI, A, B, N, contact_law, straight_rolling, wheel_forces
    from twin.report.contact_patch import patch_figure

    material, friction, v = Material(), Friction(), speed * KMH
    law = contact_law(material, friction, n_x=PATCH_CELLS, n_y=PATCH_CELLS)
    zones = [wheel.pressed.zones for wheel in wheels if wheel.pressed]
    heaviest = [int(each.N.argmax()) for each in zones]
    radius = sum(float(each.radius[k]) for each, k in zip(zones, heaviest, strict=True)) / len(zones)
    motion = straight_rolling(pose, speed=v, radius=radius)
    wheel, _ = max(zip(wheels, zones, strict=True), key=lambda each: float(each[1].N.max()))
    found = wheel_forces(wheel.pair, pose, motion, law, side=wheel.side)
    row = found.patches[int(found.zones.N.argmax())]
    patch = rolling_patch(Ellipse(row[A], row[B], row[N], row[APPROACH], False), friction.mu, material.G, law.kalker)
    field = patch_field(Creepage(row[XI], row[ETA], row[PHI]), patch, speed=v, grid=law.grid)
    title = f"Patch of the {wheel.side.name.lower()} wheel, straight ahead at {speed:g} km/h"
    _save(patch_figure(field, patch, title=title), file)


def _save(figure: "Figure", file: Path) -> None:
    try:
        figure.savefig(file, dpi=150)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written ({error.strerror}); choose another place") from None
    terminal().show(f"{file}: written")
