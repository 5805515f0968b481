"""Wheels under load in plain numpy and scipy: forces from exact integrals, heights and rolls closed in on by halving.

The compiled form (`twin.contact.pressed`) takes tables and Newton's steps instead.
"""

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from twin.contact.curve import Curve
from twin.contact.hertz import CURVATURE_FLOOR
from twin.contact.plain import hertz
from twin.contact.plain.points import difference_points, profile
from twin.contact.points import ContactPoints, Pose
from twin.core.arrays import Array

DEEPEST = 1e-3
"""A penetration that no load of a railway reaches [m]."""

PointsOver = Callable[[float], ContactPoints]
"""The points of a wheel, axle at height zero, over the roll [rad]."""


def difference_contacts(wheel: Curve, rail: Curve, pose: Pose) -> ContactPoints:
    """The points of DIFF for a left wheel by plain search, and what the two surfaces are there."""
    w, b = profile(wheel), profile(rail)
    x_w, y_w, x, y, D = difference_points(wheel, rail, pose).T
    r, r1, r2 = w.value(y_w), w.slope(y_w), w.second(y_w)
    slope = b.slope(y)
    return ContactPoints(
        x_w=x_w,
        y_w=y_w,
        x=x,
        y=y,
        z=b.value(y),
        slope=slope,
        gap=D / np.hypot(1, slope),
        vertical_gap=D,
        radius=r,
        curvature_rolling=1 / (r * np.hypot(1, r1)),
        curvature_wheel=-r2 / np.hypot(1, r1) ** 3,
        curvature_rail=-b.second(y) / np.hypot(1, slope) ** 3,
    )


def patch(points: ContactPoints, k: int, *, approach: float, E_star: float) -> tuple[float, float, float]:
    """a, b [m] and N [N] of point k at an approach [m]; zeros where it is open."""
    if approach <= 0:
        return 0.0, 0.0, 0.0
    A = max(points.curvature_rolling[k] / 2, CURVATURE_FLOOR)
    B = max((points.curvature_wheel[k] + points.curvature_rail[k]) / 2, CURVATURE_FLOOR)
    return hertz.ellipse_at_approach(A=A, B=B, approach=approach, E_star=E_star)


def normal_forces(points: ContactPoints, *, lift: float, E_star: float) -> Array:
    """N of every point (n,) [N] after the axle has been lifted [m]."""
    approaches = -(points.vertical_gap + lift) / np.hypot(1, points.slope)
    return np.array([patch(points, k, approach=p, E_star=E_star)[2] for k, p in enumerate(approaches)])


def lift_for_load(points: ContactPoints, *, load: float, E_star: float) -> float:
    """By how much the axle must be lifted for the points to carry a vertical load > 0 [m]."""

    def excess(lift: float) -> float:
        return float(np.sum(normal_forces(points, lift=lift, E_star=E_star) / np.hypot(1, points.slope)) - load)

    touch = -float(np.min(points.vertical_gap))
    return float(brentq(excess, touch - DEEPEST, touch, xtol=1e-15, rtol=1e-14))


def roll_for_loads(
    left: PointsOver, right: PointsOver, *, loads: tuple[float, float], E_star: float, around: float
) -> tuple[float, float]:
    """Roll [rad] and height [m] at which both wheels carry their loads; around: a roll within 1 mrad of it."""

    def heights(roll: float) -> tuple[float, float]:
        return (
            lift_for_load(left(roll), load=loads[0], E_star=E_star),
            lift_for_load(right(roll), load=loads[1], E_star=E_star),
        )

    roll = float(brentq(lambda roll: np.subtract(*heights(roll)), around - 1e-3, around + 1e-3, xtol=1e-14))
    return roll, heights(roll)[0]
