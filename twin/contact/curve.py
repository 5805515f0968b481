"""Cross-sections as functions in pieces: value, slope and second derivative at any place, compiled.

A profile comes as zones: stretches on which it is smooth, sampled with value, slope and second derivative. Between two
samples the curve is the polynomial of fifth degree through all six, so arcs, lines and the standards' polynomials are
met to rounding, and jumps of curvature between zones (R300 to R80 to R13) stay where they are.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from twin.core.arrays import Array, frozen
from twin.numerics.compiled import compiled

BIN = 5e-5
"""Widest bin of the index that finds a piece [m]."""
SHORTEST = 1e-7
"""Shortest piece [m]: the index has a bin for each such length, and would outgrow the memory."""


class Zone(NamedTuple):
    """A smooth stretch of a cross-section z(y): samples (n,) at rising y, n >= 2 [m, -, 1/m]."""

    y: Array
    z: Array
    slope: Array
    second: Array

    def moved(self, *, y: float, z: float) -> "Zone":
        """The zone shifted by (y, z) [m]."""
        return Zone(self.y + y, self.z + z, self.slope, self.second)

    def mirrored(self) -> "Zone":
        """The zone seen from the other side: y changes sign."""
        return Zone(-self.y[::-1], self.z[::-1], -self.slope[::-1], self.second[::-1])

    def rotated(self, angle: float) -> "Zone":
        """The zone turned about the origin, y towards z [rad].

        The curvature does not see the rotation, so value, slope and second derivative stay exact. What leans
        over the vertical is no function any more: cut it before.
        """
        cos, sin = np.cos(angle), np.sin(angle)
        across = cos - sin * self.slope  # dy of the turned curve over dy of the old one
        slope = (sin + cos * self.slope) / across
        return Zone(cos * self.y - sin * self.z, sin * self.y + cos * self.z, slope, self.second / across**3)


class Curve(NamedTuple):
    """A function z(y) in n pieces of fifth degree.

    knots (n + 1,) [m]; coefficients (n, 6) of rising powers of y - knots[i]; packed: both in the one array compiled
    code takes (a tuple of arrays costs it more time to unpack than to evaluate): first and last knot, bins per metre,
    number of bins, the place of each bin's first row, then a row of eight for each piece: start, end, coefficients.
    """

    knots: Array
    coefficients: Array
    packed: Array


HEADER, ROW = 4, 8


def join(zones: Sequence[Zone]) -> Curve:
    """One curve of zones that follow each other. Steps of value or slope between zones are kept."""
    knots = np.append(np.concatenate([zone.y[:-1] for zone in zones]), zones[-1].y[-1])
    if not np.all(np.diff(knots) > SHORTEST):
        raise ValueError("samples of a curve must rise in y, each by more than 0.1 um")
    coefficients = np.concatenate([_quintic(zone) for zone in zones])
    width = min(BIN, 0.9 * float(np.diff(knots).min()))  # so that at most one piece begins within a bin
    edges = np.arange(knots[0], knots[-1], width)
    first = np.clip(np.searchsorted(knots, edges - 1e-6 * width, side="right") - 1, 0, None)  # rounding of a place
    rows = np.column_stack([knots[:-1], np.append(knots[1:-1], np.inf), coefficients])
    header = [knots[0], knots[-1], 1.0 / width, edges.size]
    packed = np.concatenate([header, HEADER + edges.size + ROW * first, rows.ravel()])
    return Curve(frozen(knots), frozen(coefficients), frozen(packed))


def curve_values(curve: Curve, y: Array) -> Array:
    """Value, slope and second derivative (n, 3) at every y (n,)."""
    out = np.empty((y.size, 3))
    curve_many(curve.packed, np.ascontiguousarray(y), out)
    return out


def _quintic(zone: Zone) -> Array:
    """Coefficients (n - 1, 6) of the polynomials between the samples of a zone."""
    h = np.diff(zone.y)
    z, slope, second = zone.z[:-1], zone.slope[:-1], zone.second[:-1]
    # what the parabola of the left sample misses at the right one: value, slope and second derivative, over h
    rise = (zone.z[1:] - z - h * (slope + h * second / 2.0)) / h**3
    turn = (zone.slope[1:] - slope - h * second) / h**2
    bend = (zone.second[1:] - second) / h
    return np.column_stack(
        [
            z,
            slope,
            second / 2.0,
            10.0 * rise - 4.0 * turn + bend / 2.0,
            (-15.0 * rise + 7.0 * turn - bend) / h,
            (6.0 * rise - 3.0 * turn + bend / 2.0) / h**2,
        ]
    )


@compiled
def row_at(curve: Array, y: float) -> int:
    """Where the row of the piece begins that holds y, within the ends. No branch: nothing could predict it.

    NaN gets the first row: it comes out as NaN, without reading memory that is not the curve's.
    """
    place = max(min(int((y - curve[0]) * curve[2]), int(curve[3]) - 1), 0)
    row = int(curve[HEADER + place])
    return row + ROW * int(y >= curve[row + 1])


@compiled
def curve_at(curve: Array, y: float) -> tuple[float, float, float]:
    """Value, slope and second derivative at y; beyond the ends those of the straight line that goes on there."""
    inside = min(max(y, curve[0]), curve[1])
    i = row_at(curve, inside)
    t = inside - curve[i]
    c0, c1, c2, c3, c4, c5 = curve[i + 2], curve[i + 3], curve[i + 4], curve[i + 5], curve[i + 6], curve[i + 7]
    z = c0 + t * (c1 + t * (c2 + t * (c3 + t * (c4 + t * c5))))
    slope = c1 + t * (2.0 * c2 + t * (3.0 * c3 + t * (4.0 * c4 + t * 5.0 * c5)))
    second = 2.0 * c2 + t * (6.0 * c3 + t * (12.0 * c4 + t * 20.0 * c5))
    if inside != y:
        return z + slope * (y - inside), slope, 0.0
    return z, slope, second


@compiled
def value_at(curve: Array, y: float) -> float:
    """Value at y, as curve_at() gives it: for searches that compare values and nothing else."""
    inside = min(max(y, curve[0]), curve[1])
    i = row_at(curve, inside)
    t = inside - curve[i]
    c0, c1, c2, c3, c4, c5 = curve[i + 2], curve[i + 3], curve[i + 4], curve[i + 5], curve[i + 6], curve[i + 7]
    z = c0 + t * (c1 + t * (c2 + t * (c3 + t * (c4 + t * c5))))
    if inside != y:
        return float(z + (y - inside) * (c1 + t * (2.0 * c2 + t * (3.0 * c3 + t * (4.0 * c4 + t * 5.0 * c5)))))
    return float(z)


@compiled
def slope_at(curve: Array, y: float) -> float:
    """Slope at y; beyond the ends that of the end."""
    inside = min(max(y, curve[0]), curve[1])
    i = row_at(curve, inside)
    t = inside - curve[i]
    slope = curve[i + 3] + t * (
        2.0 * curve[i + 4] + t * (3.0 * curve[i + 5] + t * (4.0 * curve[i + 6] + t * 5.0 * curve[i + 7]))
    )
    return float(slope)


@compiled
def curve_many(curve: Array, y: Array, out: Array) -> None:
    """Fill out (n, 3) with value, slope and second derivative at every y (n,)."""
    for k in range(y.size):
        out[k, 0], out[k, 1], out[k, 2] = curve_at(curve, y[k])
