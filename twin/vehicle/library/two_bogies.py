"""What vehicles with two bogies of two wheelsets share: their bodies, and short ways to write an element."""

from typing import NamedTuple

from twin.vehicle.description import (
    NONE,
    Body,
    Bushing,
    Curve,
    Kind,
    LineDamper,
    NotNegativeVector,
    PositiveVector,
    Vector,
    Wheels,
)
from twin.vehicle.mirrors import bogie_mirrors, with_copies

PRIMARY = ("front bogie", "wheelset 1")
"""Bodies of the primary suspension as written down; mirrors give the others."""
SECONDARY = ("carbody", "front bogie")


class Inertia(NamedTuple):
    """Of one body."""

    mass: float
    """[kg]"""
    inertia: PositiveVector
    """[kg m^2]"""
    height: float
    """Of its centre of mass above the rails [m]."""

    def body(self, name: str, kind: Kind, *, x: float, wheels: Wheels | None = None) -> Body:
        """A free body on the centre line."""
        position = (x, 0.0, self.height)
        return Body(name=name, kind=kind, mass=self.mass, inertia=self.inertia, position=position, wheels=wheels)


class Lengths(NamedTuple):
    """Along the vehicle."""

    half_pivot: float
    """Half the distance of the bogies' middles [m]."""
    half_base: float
    """Half the distance of a bogie's wheelsets [m]."""

    @property
    def leading(self) -> float:
        """Place of the first wheelset [m]."""
        return self.half_pivot + self.half_base


def two_bogie_bodies(
    *, carbody: Inertia, bogie: Inertia, wheelset: Inertia, lengths: Lengths, wheels: Wheels
) -> tuple[Body, ...]:
    """Car body, front and rear bogie, wheelsets 1 to 4."""
    written = (
        carbody.body("carbody", "carbody", x=0.0),
        bogie.body("front bogie", "bogie", x=lengths.half_pivot),
        wheelset.body("wheelset 1", "wheelset", x=lengths.leading, wheels=wheels),
    )
    bodies = with_copies(written, *bogie_mirrors(half_pivot=lengths.half_pivot))
    order = [body.kind for body in written]
    return tuple(sorted(bodies, key=lambda body: (order.index(body.kind), -body.position[0])))


def spring(
    name: str,
    between: tuple[str, str],
    *,
    at: Vector,
    stiffness: NotNegativeVector,
    damping: NotNegativeVector = NONE,
    rotational_stiffness: NotNegativeVector = NONE,
) -> Bushing:
    """A bushing that acts at one point, half its height."""
    return Bushing(
        name=name,
        first=between[0],
        second=between[1],
        at_first=at,
        at_second=at,
        stiffness=stiffness,
        damping=damping,
        rotational_stiffness=rotational_stiffness,
    )


def damper(
    name: str, between: tuple[str, str], *, ends: tuple[Vector, Vector], curve: Curve, series_stiffness: float = 0.0
) -> LineDamper:
    """A damper from a point of the first body to one of the second."""
    return LineDamper(
        name=name,
        first=between[0],
        second=between[1],
        at_first=ends[0],
        at_second=ends[1],
        curve=curve,
        series_stiffness=series_stiffness,
    )


def linear(damping: float) -> Curve:
    """Force in proportion to speed [N s/m]."""
    return (0.0, 0.0), (1.0, damping)
