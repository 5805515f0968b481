"""The shapes that standards draw profiles with, as zones: lines, arcs and polynomials; and zones cut to a stretch.

Samples lie so close that the polynomials of fifth degree between them meet the shape to 1e-12 m and its slope to 1e-9.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.polynomial import Polynomial
from scipy.optimize import brentq

from twin.contact.curve import Zone, curve_values, join, slope_at
from twin.core.arrays import Array

STEP = 0.25e-3
"""Longest stretch of a shape between two samples [m]."""
STEP_STEEP = 0.018
"""Longest step of asinh(slope) between two samples of an arc: more samples where it gets steep."""

SLIVER = 1e-5
"""Shortest piece that cutting leaves [m]: the index of a curve grows with the inverse of its shortest piece."""


def line(*, start: float, end: float, value: float, slope: float) -> Zone:
    """The straight line value + slope y for y from start to end [m]."""
    y = np.array([start, end])
    return Zone(y, value + slope * y, np.full(2, slope), np.zeros(2))


def arc(
    *, start: float, end: float, centre: tuple[float, float], radius: float, side: Literal["above", "below"] = "above"
) -> Zone:
    """The part of a circle above or below its centre (y, z), for y from start to end [m].

    With the slope written as -sinh(t), the arc is y = R tanh(t), z = R / cosh(t): equal steps of t lie the closer
    in y the steeper the arc.
    """
    sign = 1.0 if side == "above" else -1.0
    t_start, t_end = np.arctanh((start - centre[0]) / radius), np.arctanh((end - centre[0]) / radius)
    pieces = int(np.ceil((t_end - t_start) / min(STEP_STEEP, STEP / radius)))
    t = np.linspace(t_start, t_end, max(pieces, 1) + 1)
    y = centre[0] + radius * np.tanh(t)
    y[0], y[-1] = start, end
    z = centre[1] + sign * radius / np.cosh(t)
    return Zone(y, z, -sign * np.sinh(t), -sign * np.cosh(t) ** 3 / radius)


def polynomial(*, start: float, end: float, coefficients: Sequence[float]) -> Zone:
    """The polynomial of rising powers of y [m], for y from start to end."""
    z = Polynomial(list(coefficients))
    steepest = float(np.max(np.abs(z.deriv()(np.linspace(start, end)))))
    pieces = int(np.ceil((end - start) * np.hypot(1.0, steepest) / STEP))
    y = np.linspace(start, end, pieces + 1)
    return Zone(y, z(y), z.deriv()(y), z.deriv(2)(y))


def refined(zone: Zone) -> Zone:
    """The zone with samples no farther apart than those of a shape."""
    length = np.hypot(np.diff(zone.y), np.diff(zone.z))
    parts = np.ceil(length / STEP - 1e-9).astype(np.int64)
    if np.all(parts <= 1):
        return zone
    starts = [
        np.linspace(start, end, n, endpoint=False)
        for start, end, n in zip(zone.y[:-1], zone.y[1:], parts.tolist(), strict=True)
    ]
    y = np.append(np.concatenate(starts), zone.y[-1])
    return Zone(y, *curve_values(join([zone]), y).T)


def trimmed(zones: Iterable[Zone], *, start: float, end: float) -> tuple[Zone, ...]:
    """What lies between start and end [m], to a sliver, of zones that follow each other."""
    return tuple(_part(zone, start, end) for zone in zones if zone.y[-1] > start + SLIVER and zone.y[0] < end - SLIVER)


def _part(zone: Zone, start: float, end: float) -> Zone:
    if start <= zone.y[0] and zone.y[-1] <= end:
        return zone
    low, high = max(start, float(zone.y[0])), min(end, float(zone.y[-1]))
    inside = zone.y[(zone.y > low + SLIVER) & (zone.y < high - SLIVER)]
    y = np.concatenate([[low], inside, [high]])
    return Zone(y, *curve_values(join([zone]), y).T)


def walkable(zones: Sequence[Zone], *, middle: float, limit: float, turned: float = 0.0) -> tuple[float, float]:
    """The stretch (start, end) around middle [m] on which no slope of the turned zones is steeper than limit [rad].

    turned: rotation, y towards z, that the zones are about to get [rad].
    """
    curve = join(zones)

    def excess(y: float) -> float:
        return abs(float(np.arctan(slope_at(curve.packed, y))) + turned) - limit

    def outwards(knots: Array) -> float:
        before = middle
        for knot in knots.tolist():
            if excess(knot) > 0.0:
                return float(brentq(excess, before, knot, xtol=1e-15))
            before = knot
        return before

    return outwards(curve.knots[curve.knots < middle][::-1]), outwards(curve.knots[curve.knots > middle])
