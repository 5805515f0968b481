"""Zones of contact in plain numpy and scipy: a spline of the gap, its roots, and strips between them; for a left wheel.

What a strip carries is explained in `twin.contact.zones`, whose kernel walks along the scan instead.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from twin.contact.curve import Curve
from twin.contact.hertz import CURVATURE_FLOOR
from twin.contact.locus import locus_points
from twin.contact.pair import Pair
from twin.contact.plain import hertz
from twin.contact.plain.points import Profile, profile, rotation
from twin.contact.points import Pose
from twin.core.arrays import Array


class Gap(NamedTuple):
    """Wheel above rail at the places of the scan (n,) that lie on the rail."""

    y_w: Array
    Y: Array
    gap: CubicHermiteSpline
    wheel_angle: Array
    rail_angle: Array
    A: Array
    B: Array
    """At the places (n,) [1/m]."""


class PlainZone(NamedTuple):
    """One zone: centre of its force, angle, rolling radius, force, depth, half curvatures, rate of vertical force."""

    centre: Array
    angle: float
    y_w: float
    radius: float
    N: float
    depth: float
    A: float
    B: float
    rate: float


def gap_along(wheel: Profile, rail: Profile, pair: Pair, pose: Pose) -> Gap:
    """The gap between wheel and rail along the contact locus."""
    r, slope, R2 = wheel.value(pair.y_w), wheel.slope(pair.y_w), rotation(pose)
    places = locus_points(y_w=pair.y_w, r=r, slope=slope, yaw=pose.yaw, roll=pose.roll)
    x_w, _, minus_down = (places @ R2).T
    _, n_y, n_z = R2 @ np.stack([x_w / r, -slope, minus_down / r])
    Y, Z = places[:, 1] + pose.G_y, places[:, 2] + pose.G_z
    on = (pair.rail_from <= Y) & (pair.rail_to >= Y) & np.isfinite(n_y)
    Y, shadow_slope, rail_slope = Y[on], (-n_y / n_z)[on], rail.slope(Y[on])
    spline = CubicHermiteSpline(Y, Z[on] - rail.value(Y), shadow_slope - rail_slope)
    A = 0.5 / (r * np.hypot(1, slope))[on]
    across = -wheel.second(pair.y_w)[on] / np.hypot(1, slope[on]) ** 3 - rail.second(Y) / np.hypot(1, rail_slope) ** 3
    return Gap(pair.y_w[on], Y, spline, np.arctan(shadow_slope), np.arctan(rail_slope), A, across / 2)


def strip_share(A: float, B: float) -> float:
    """c from Hertz's exact integrals."""
    B = max(B, CURVATURE_FLOOR)
    return float(0.75 * hertz.ellipse_at_approach(A=A, B=B, approach=1.0, E_star=1.0)[2] * np.sqrt(B))


def mean_share(along: Gap, i: int) -> float:
    """c of the interval from place i to the next."""
    both = slice(i, i + 2)
    turn = np.tan(np.diff(along.wheel_angle[both])) - np.tan(np.diff(along.rail_angle[both]))
    length = np.diff(along.Y[both]) / np.sqrt(1 - np.mean(np.sin(along.rail_angle[both])) ** 2)
    B = float(turn[0] / (2 * length[0]))
    if not np.min(along.B[both]) < B < np.max(along.B[both]):
        return strip_share(along.A[i], B)
    shares = np.array([strip_share(A, each) for A, each in zip(along.A[both], along.B[both], strict=True)])
    order = np.argsort(along.B[both])
    return float(np.interp(B, along.B[both][order], shares[order]))


def stretches(along: Gap) -> list[tuple[float, float]]:
    """From where to where the gap is closed [m]."""
    roots = along.gap.roots(extrapolate=False)
    ends = np.unique([along.Y[0], *roots[np.isfinite(roots)], along.Y[-1]])
    return [(a, b) for a, b in pairwise(ends) if along.gap((a + b) / 2) < 0]


def zones(wheel: Curve, rail: Curve, pair: Pair, pose: Pose, *, E_star: float) -> list[PlainZone]:
    """All zones of a left wheel in order of y_w."""
    w, b = profile(wheel), profile(rail)
    along = gap_along(w, b, pair, pose)
    return [_zone(along, stretch, w, b, pose, E_star) for stretch in stretches(along)]


def _zone(
    along: Gap, stretch: tuple[float, float], wheel: Profile, rail: Profile, pose: Pose, E_star: float
) -> PlainZone:
    gap, place, sine = along.gap, along.Y, np.sin(along.rail_angle)
    start, end = stretch
    inside = place[(place > start) & (place < end)]
    edges = np.array([start, *inside, end])
    low, high = edges[:-1], edges[1:]
    middle = (low + high) / 2
    sin = np.interp(middle, place, sine)
    normal = np.array([-sin, np.sqrt(1 - sin**2)])
    area = np.array([-gap.integrate(*part) for part in zip(low, high, strict=True)])
    stiff = E_star * np.array([mean_share(along, int(i)) for i in np.searchsorted(place, middle) - 1])
    force = stiff * area
    gauss = middle + np.outer([-1, 1], (high - low) / np.sqrt(12))
    Y, y_w = (
        float(np.average(np.average(at, axis=0, weights=-gap(gauss)), weights=force))
        for at in (gauss, np.interp(gauss, place, along.y_w))
    )
    turns = gap.derivative().roots(extrapolate=False)
    candidates = np.array([*inside, *turns[(turns > start) & (turns < end)]])
    depth = float(np.max(-gap(candidates) * np.sqrt(1 - np.interp(candidates, place, sine) ** 2)))
    F_y, F_z = normal @ force
    r, slope = float(wheel.value(y_w)), float(wheel.slope(y_w))
    on_wheel = {"y_w": np.array([y_w]), "r": np.array([r]), "slope": np.array([slope])}
    x = locus_points(**on_wheel, yaw=pose.yaw, roll=pose.roll)[0, 0]
    return PlainZone(
        centre=np.array([x, Y, float(rail.value(Y))]),
        angle=float(np.arctan2(-F_y, F_z)),
        y_w=y_w,
        radius=r,
        N=float(np.hypot(F_y, F_z)),
        depth=depth,
        A=float(0.5 / (r * np.hypot(1, slope))),
        B=float(16 * depth**3 / (9 * area.sum() ** 2)),
        rate=float(np.sum(stiff * (high - low) * normal[1])),
    )
