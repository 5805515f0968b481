"""Wheels under load in plain numpy and scipy: forces of plain zones, heights and rolls closed in on by halving.

The compiled form (`twin.contact.pressed`) takes tables and Newton's steps instead.
"""

import numpy as np
from scipy.optimize import brentq

from twin.contact.curve import Curve
from twin.contact.pair import Pair
from twin.contact.plain.points import profile
from twin.contact.plain.zones import gap_along, zones
from twin.contact.points import Pose

DEEPEST = 1e-3
"""A penetration that no load of a railway reaches [m]."""


def vertical_force(wheel: Curve, rail: Curve, pair: Pair, pose: Pose, *, E_star: float) -> float:
    """Of all zones of a left wheel [N]."""
    return float(sum(zone.N * np.cos(zone.angle) for zone in zones(wheel, rail, pair, pose, E_star=E_star)))


def height_for_load(wheel: Curve, rail: Curve, pair: Pair, pose: Pose, *, load: float, E_star: float) -> float:
    """Of the axle at the pose's y, yaw and roll, where a left wheel carries a vertical load > 0 [m]."""
    along = gap_along(profile(wheel), profile(rail), pair, pose._replace(G_z=0.0))
    turns = along.gap.derivative().roots(extrapolate=False)
    touch = -float(np.min(along.gap([along.Y[0], *turns, along.Y[-1]])))

    def excess(height: float) -> float:
        return vertical_force(wheel, rail, pair, pose._replace(G_z=height), E_star=E_star) - load

    return float(brentq(excess, touch - DEEPEST, touch, xtol=1e-15, rtol=1e-14))


def roll_for_loads(
    wheel: Curve, rail: Curve, pair: Pair, pose: Pose, *, loads: tuple[float, float], E_star: float
) -> float:
    """At which two equal wheels carry their loads at one height [rad], within 0.1 mrad of the pose's roll."""

    def apart(roll: float) -> float:
        both = pose._replace(roll=roll), pose._replace(roll=roll).mirrored()
        left, right = (
            height_for_load(wheel, rail, pair, held, load=load, E_star=E_star)
            for held, load in zip(both, loads, strict=True)
        )
        return left - right

    return float(brentq(apart, pose.roll - 1e-4, pose.roll + 1e-4, xtol=1e-10))
