"""What the commands about contact have in common: a wheelset on its track, named on the command line."""

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from twin.core.errors import ConfigError

if TYPE_CHECKING:
    from twin.contact.pair import Pair

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

    @property
    def title(self) -> str:
        """One line that names it."""
        wheels = self.wheel_left if self.wheel_left == self.wheel_right else f"{self.wheel_left} / {self.wheel_right}"
        radii = f"r {self.radius_left:g} mm"
        if self.radius_left != self.radius_right:
            radii = f"r {self.radius_left:g} / {self.radius_right:g} mm"
        return f"{wheels} on {self.rail} {self.cant}, gauge {self.gauge:g} mm, {radii}"

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

    def pairs(self) -> tuple["Pair", "Pair"]:
        """The left wheel on its rail, and the right one mirrored."""
        from twin.contact.pair import pair
        from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile

        rail = laid_rail(rail_profile(self.rail), cant=cant_of(self.cant), gauge=self.gauge * MM)
        left, right = (
            wheel_curve(wheel_profile(name), radius=radius * MM, taping_line=self.taping_line)
            for name, radius in ((self.wheel_left, self.radius_left), (self.wheel_right, self.radius_right))
        )
        return pair(left, rail), pair(right, rail)


def cant_of(text: str) -> float:
    """The inclination a person writes as 1/40, 0.025 or 0."""
    try:
        value = float(Fraction(text))
    except (ValueError, ZeroDivisionError):
        raise ConfigError(f"--cant {text}: write the rails' inclination as 1/40, 1/20 or 0") from None
    if not 0.0 <= value <= 0.1:
        raise ConfigError(f"--cant {text}: rails are inclined by 0 to 1/10, mostly 1/40 or 1/20")
    return value
