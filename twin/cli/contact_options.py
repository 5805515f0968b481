"""What the commands about contact have in common: a wheelset on its track, named on the command line."""

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from twin.cli.console import terminal
from twin.core.errors import ConfigError

if TYPE_CHECKING:
    from twin.contact.profile_file import ReadingOptions
    from twin.contact.seating import WheelsetPair

MM = 1e-3
"""[m/mm]"""
TAPING_LINE_MM = 70.0
"""Distance of a wheel's taping line from its flange's back [mm]."""

SHAPES = "Wheels and rails"

Wheel = Annotated[
    str, typer.Option("--wheel", metavar="NAME|FILE", help="Profile of both wheels.", rich_help_panel=SHAPES)
]
Rail = Annotated[
    str, typer.Option("--rail", metavar="NAME|FILE", help="Profile of both rails.", rich_help_panel=SHAPES)
]
WheelLeft = Annotated[
    str | None,
    typer.Option("--wheel-left", metavar="NAME|FILE", help="Left wheel, if it differs.", rich_help_panel=SHAPES),
]
WheelRight = Annotated[
    str | None,
    typer.Option("--wheel-right", metavar="NAME|FILE", help="Right wheel, if it differs.", rich_help_panel=SHAPES),
]
RadiusLeft = Annotated[
    float,
    typer.Option(
        "--radius-left", metavar="MM", min=150.0, max=1000.0, help="At the taping line.", rich_help_panel=SHAPES
    ),
]
RadiusRight = Annotated[
    float,
    typer.Option(
        "--radius-right", metavar="MM", min=150.0, max=1000.0, help="At the taping line.", rich_help_panel=SHAPES
    ),
]
Cant = Annotated[
    str, typer.Option("--cant", metavar="1/N", help="Inclination of the rails, 0 for none.", rich_help_panel=SHAPES)
]
Gauge = Annotated[
    float, typer.Option("--gauge", metavar="MM", min=500.0, max=2000.0, help="Track gauge.", rich_help_panel=SHAPES)
]
FlangeBack = Annotated[
    float,
    typer.Option(
        "--flange-back",
        metavar="MM",
        min=400.0,
        max=1900.0,
        help="Distance of the flanges' backs; the taping lines lie 70 mm outside.",
        rich_help_panel=SHAPES,
    ),
]

WheelReading = Annotated[
    str,
    typer.Option(
        "--wheel-reading",
        metavar="KEY,KEY=VALUE",
        help="How to read wheel files: flip, mirror, units=m, origin=0.07, sd_noise=0 (in m).",
        rich_help_panel=SHAPES,
        show_default=False,
    ),
]
RailReading = Annotated[
    str,
    typer.Option(
        "--rail-reading",
        metavar="KEY,KEY=VALUE",
        help="The same for rail files.",
        rich_help_panel=SHAPES,
        show_default=False,
    ),
]


class WheelsetOnTrack(NamedTuple):
    """A wheelset on its track as asked for, in mm."""

    wheel_left: str
    wheel_right: str
    rail: str
    cant: str
    gauge: float
    flange_back: float
    radius_left: float
    radius_right: float
    wheel_reading: str = ""
    """How the files of the wheels are to be read, see reading_of."""
    rail_reading: str = ""

    @property
    def title(self) -> str:
        """One line that names it."""
        left, right, rail = (Path(name).name for name in (self.wheel_left, self.wheel_right, self.rail))
        wheels = left if left == right else f"{left} / {right}"
        radii = f"{self.radius_left:g}"
        if self.radius_left != self.radius_right:
            radii += f" / {self.radius_right:g}"
        return f"{wheels} on {rail} at {self.cant}, gauge {self.gauge:g} mm, wheel radius {radii} mm"

    @property
    def taping_line(self) -> float:
        """Distance of each rolling circle from the axle's middle [m]."""
        return (self.flange_back / 2 + TAPING_LINE_MM) * MM

    @property
    def base(self) -> float:
        """Distance of the rolling circles [m]."""
        return 2 * self.taping_line

    @property
    def mean_radius(self) -> float:
        """[m]"""
        return (self.radius_left + self.radius_right) / 2 * MM

    def on_rails(self) -> "WheelsetPair":
        """The left wheel on its rail, and the right one mirrored. What was done to files is remarked."""
        from twin.contact.pair import pair
        from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
        from twin.contact.seating import WheelsetPair

        wheels = reading_of(self.wheel_reading, option="--wheel-reading")
        left, right = wheel_profile(self.wheel_left, wheels), wheel_profile(self.wheel_right, wheels)
        rail = rail_profile(self.rail, reading_of(self.rail_reading, option="--rail-reading"))
        for note in dict.fromkeys(f"{each.name}: {note}" for each in (left, right, rail) for note in each.notes):
            terminal().say(note)
        laid = laid_rail(rail, cant=cant_of(self.cant), gauge=self.gauge * MM)
        left_wheel, right_wheel = (
            wheel_curve(profile, radius=radius * MM, taping_line=self.taping_line)
            for profile, radius in ((left, self.radius_left), (right, self.radius_right))
        )
        return WheelsetPair(left=pair(left_wheel, laid), right=pair(right_wheel, laid))


def reading_of(text: str, *, option: str) -> "ReadingOptions":
    """What a person writes as flip,origin=0.07: keys of ReadingOptions, those without a value being true."""
    from twin.contact.profile_file import ReadingOptions

    pairs = (each.partition("=") for each in text.split(",") if each.strip())
    data = {key.strip(): value.strip() if given else True for key, given, value in pairs}
    return ReadingOptions.load(data, where=option)


def cant_of(text: str) -> float:
    """The inclination a person writes as 1/40, 0.025 or 0."""
    try:
        value = float(Fraction(text))
    except (ValueError, ZeroDivisionError):
        raise ConfigError(f"--cant {text}: write the rails' inclination as 1/40, 1/20 or 0") from None
    if not 0.0 <= value <= 0.1:
        raise ConfigError(f"--cant {text}: rails are inclined by 0 to 1/10, mostly 1/40 or 1/20")
    return value
