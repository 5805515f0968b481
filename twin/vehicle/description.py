"""A vehicle as data: its bodies, and the elements between them.

x forward from the middle of the vehicle, y left, z up from the top of the rails; SI units. Positions are those of the
loaded vehicle at rest on straight level track: what each element carries there (its preload) follows from equilibrium
(twin.vehicle.statics), so free lengths are not asked for. Each element acts between a point of its first body and a
point of its second one, in the axes of the first. An element on a wheelset or its axle boxes sits on bearings: it
follows the axle in every motion but the spin and stays upright [Ros 3.1], so that a couple of its springs about y is
lost to the track (5 N m of 136 kN m at rest in the worst vehicle of the library).
"""

import math
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from twin.core.settings import Settings

Vector = tuple[float, float, float]
Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
PositiveVector = tuple[Positive, Positive, Positive]
NotNegativeVector = tuple[NotNegative, NotNegative, NotNegative]
Curve = tuple[tuple[float, float], ...]
"""Points (argument, force): from (0, 0), argument rising, force not falling; straight between and beyond."""

Axis = Literal["x", "y", "z"]
Kind = Literal["carbody", "bogie", "bolster", "wheelset", "axlebox", "motor", "rotor"]
Joint = Literal["free", "fixed", "hinge_y", "hinge_z"]
NONE: Vector = (0.0, 0.0, 0.0)


class Part(Settings):
    """A body or an element."""

    name: str = Field(min_length=1, description="unique among the bodies, or among the elements, of the vehicle")


class Wheels(Settings):
    """The two wheels of a wheelset."""

    radius: float = Field(gt=0.01, lt=1.0, description="nominal rolling radius [m]: a tram has 0.3, a locomotive 0.63")
    half_distance: float = Field(
        gt=0.01, lt=1.0, description="half the distance of the rolling circles [m]: 0.75 on standard gauge"
    )
    profile: str = Field("S1002", description="name of the wheel profile, or of its file")


class Body(Part):
    """A rigid body with principal axes along x, y, z; free, or hung on another one by a joint."""

    kind: Kind = Field(description="what it is: says how it is drawn and which values are plausible")
    mass: float = Field(gt=0, description="[kg]")
    inertia: PositiveVector = Field(description="roll, pitch and yaw inertia about the centre of mass [kg m^2]")
    position: Vector = Field(description="centre of mass (x, y, z) in the vehicle at rest [m]")
    parent: str | None = Field(None, description="body it is joined to; none for a free one")
    joint: Joint = Field(
        "free", description="free (6 coordinates), fixed to the parent (0), or a hinge about y or z (1)"
    )
    pivot: Vector | None = Field(
        None, description="point on the axis of the hinge [m]; its centre of mass if not given"
    )
    wheels: Wheels | None = Field(None, description="of a wheelset")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if (self.parent is None) != (self.joint == "free"):
            raise ValueError(f"body '{self.name}': a joint needs a parent, and a parent a joint other than free")
        if (self.wheels is None) == (self.kind == "wheelset"):
            raise ValueError(f"body '{self.name}': a wheelset has wheels (radius, half_distance), no other body has")
        return self

    @property
    def hinge(self) -> Vector:
        """Point on the axis of the hinge."""
        return self.pivot or self.position


class Element(Part):
    """What acts between two bodies, at a point of each."""

    first: str = Field(description="body whose axes the element follows; the upper one by custom")
    second: str = Field(description="the other body")
    at_first: Vector = Field(description="attachment on the first body in the vehicle at rest [m]")
    at_second: Vector = Field(description="attachment on the second body in the vehicle at rest [m]")


class Bushing(Element):
    """Spring and damper along three axes and about them, in parallel: coil, rubber or air spring, axle guide.

    The force follows the displacement of the second point against the first in the axes of the first body, and acts
    on both bodies at the second point. Give both points at half the height of a spring: clamped at its ends, it has
    no moment there. The vertical force at rest carries the weight. With a series stiffness the damper of that axis
    acts through it (Maxwell).
    """

    kind: Literal["bushing"] = "bushing"
    stiffness: NotNegativeVector = Field(description="along x, y, z [N/m]")
    damping: NotNegativeVector = Field(NONE, description="along x, y, z [N s/m]")
    rotational_stiffness: NotNegativeVector = Field(NONE, description="about x, y, z [N m/rad]")
    rotational_damping: NotNegativeVector = Field(NONE, description="about x, y, z [N m s/rad]")
    series_stiffness: NotNegativeVector = Field(NONE, description="of each damper's ends [N/m]; 0 for rigid ends")


class _Line(Element):
    """Acts along the line between its two points, which therefore lie apart."""

    @model_validator(mode="after")
    def _has_direction(self) -> Self:
        if self.at_first == self.at_second:
            raise ValueError(f"element '{self.name}': at_first and at_second coincide, so it has no direction")
        return self


class LineDamper(_Line):
    """Damper along the line between its points: lateral, vertical and yaw dampers."""

    kind: Literal["damper"] = "damper"
    curve: Curve = Field(description="force over speed, (m/s, N), from (0, 0); odd: the same in compression")
    series_stiffness: float = Field(0.0, ge=0, description="of rod, oil and end rubbers in series [N/m]; 0 for rigid")

    @field_validator("curve")
    @classmethod
    def _rises(cls, curve: Curve) -> Curve:
        return rising(curve)


class TractionRod(_Line):
    """Rod with elastic ends, spring and damper in parallel, along the line between its points."""

    kind: Literal["traction_rod"] = "traction_rod"
    stiffness: float = Field(gt=0, description="[N/m]")
    damping: float = Field(0.0, ge=0, description="[N s/m]")


class BumpStop(Element):
    """Stop that acts along one axis when the second point has moved through the clearance against the first."""

    kind: Literal["bump_stop"] = "bump_stop"
    axis: Axis = Field(description="direction of the stop")
    clearance: float = Field(ge=0, le=0.5, description="free way [m]")
    curve: Curve = Field(description="force over way beyond the clearance, (m, N), from (0, 0)")
    sides: Literal["both", "positive", "negative"] = Field("both", description="directions of motion that are stopped")

    @field_validator("curve")
    @classmethod
    def _rises(cls, curve: Curve) -> Curve:
        return rising(curve)


class RollBar(Element):
    """Torsion bar that resists the roll of the two bodies against each other."""

    kind: Literal["roll_bar"] = "roll_bar"
    stiffness: float = Field(gt=0, description="[N m/rad]")
    damping: float = Field(0.0, ge=0, description="[N m s/rad]")


class Gear(Element):
    """Spur gears that turn about y, elastic at the mesh.

    The points are the two axes; their distance is shared by the pitch radii in the ratio of the teeth. The mesh moves
    vertically where motor and axle lie at one height, so the tooth force lifts or presses the motor.
    """

    kind: Literal["gear"] = "gear"
    teeth: tuple[Annotated[int, Field(ge=8)], Annotated[int, Field(ge=8)]] = Field(description="first, second")
    stiffness: float = Field(gt=0, description="of the mesh along the pitch circles [N/m]")
    damping: float = Field(0.0, ge=0, description="of the mesh [N s/m]")


AnyElement = Annotated[Bushing | LineDamper | TractionRod | BumpStop | RollBar | Gear, Field(discriminator="kind")]


class Vehicle(Settings):
    """A vehicle: bodies and what connects them, where the numbers come from and what had to be assumed."""

    name: str = Field(min_length=1, description="as commands and reports name it")
    source: str = Field(min_length=1, description="where the numbers come from")
    assumptions: tuple[str, ...] = Field((), description="what the source leaves open, and what was taken")
    scale: float = Field(
        1.0, gt=0, le=1, description="length of the vehicle over that of a full-size one: 0.1 for 1:10"
    )
    bodies: tuple[Body, ...] = Field(min_length=2, description="parents before the bodies joined to them")
    elements: tuple[AnyElement, ...] = Field(description="springs, dampers, stops, bars, rods, gears")

    @model_validator(mode="after")
    def _connected(self) -> Self:
        names = [body.name for body in self.bodies]
        _unique("body", names)
        _unique("element", [element.name for element in self.elements])
        for place, body in enumerate(self.bodies):
            if body.parent is not None and body.parent not in names[:place]:
                raise ValueError(f"body '{body.name}': parent '{body.parent}' is not a body listed before it")
        for element in self.elements:
            for end in (element.first, element.second):
                if end not in names:
                    raise ValueError(f"element '{element.name}': no body '{end}'; the bodies are {', '.join(names)}")
            if element.first == element.second:
                raise ValueError(f"element '{element.name}': first and second are both '{element.first}'")
        if not self.wheelsets:
            raise ValueError("no body of kind wheelset: the vehicle stands on nothing")
        return self

    def body(self, name: str) -> Body:
        """The body of that name."""
        return next(body for body in self.bodies if body.name == name)

    @property
    def wheelsets(self) -> tuple[Body, ...]:
        """Wheelsets from front to rear."""
        found = (body for body in self.bodies if body.kind == "wheelset")
        return tuple(sorted(found, key=lambda body: -body.position[0]))

    @property
    def mass(self) -> float:
        """Of all bodies [kg]."""
        return sum(body.mass for body in self.bodies)


def wheels_of(wheelset: Body) -> Wheels:
    """Wheels of a body that has them."""
    if wheelset.wheels is None:
        raise ValueError(f"body '{wheelset.name}' is no wheelset")
    return wheelset.wheels


def curve_force(curve: Curve, argument: float) -> float:
    """Force of a curve at any argument: odd, straight between its points and on beyond the last two."""
    x = abs(argument)
    (x_0, force_0), (x_1, force_1) = next((pair for pair in pairwise(curve) if x <= pair[1][0]), curve[-2:])
    return math.copysign(force_0 + (force_1 - force_0) * (x - x_0) / (x_1 - x_0), argument)


def rising(curve: Curve) -> Curve:
    """The curve, if it starts at (0, 0) and no part of it falls."""
    if len(curve) < 2 or curve[0] != (0.0, 0.0):
        raise ValueError("a curve has at least two points and starts at (0, 0)")
    for (x, force), (next_x, next_force) in pairwise(curve):
        if next_x <= x or next_force < force:
            raise ValueError(
                f"a curve rises from point to point, but ({next_x:g}, {next_force:g}) follows ({x:g}, {force:g})"
            )
    return curve


def _unique(what: str, names: Iterable[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"{what} '{twice[0]}' is there twice: give each its own name")
