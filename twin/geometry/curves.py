"""Curves found in measured curvature where no design is given: tangents, transitions and arcs with their places.

Curvature is averaged over short cells (by medians, so that a wild point moves nothing). The cells are cut into
straight pieces by the least sum of squared residuals plus a price per piece, found exactly by dynamic programming
(Killick, Fearnhead, Eckley 2012, with their pruning). Pieces that hardly bend are tangents or arcs at their mean;
the others are transitions, whose ends lie where their line meets the neighbours'.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

import numpy as np
from pydantic import Field

from twin.core.arrays import Array, frozen
from twin.core.places import Places
from twin.core.settings import Settings
from twin.geometry.rails import STEP, stretches


class Shape(StrEnum):
    """What a piece of track is in plan."""

    TANGENT = "tangent"
    TRANSITION = "transition"
    ARC = "arc"


class CurveConfig(Settings):
    """What counts as a curve."""

    cell: float = Field(5.0, ge=1, le=20, description="length of a cell [m]; places are finer than it")
    shortest: float = Field(20.0, ge=5, le=200, description="shortest piece [m]; a shorter one is a rail's own wave")
    straight: float = Field(
        1.25e-4, gt=0, le=1e-3, description="curvature below which a piece is a tangent [1/m]; 8000 m of radius"
    )
    steady: float = Field(
        2e-4, gt=0, le=1e-2, description="change of curvature along a piece below which it is no transition [1/m]"
    )
    wander: float = Field(
        100.0, ge=20, le=500, description="window about which the noise is taken [m]; longer than waves of D2"
    )
    price: float = Field(
        60.0,
        gt=0,
        le=1000,
        description="of a piece, in variances of the noise: 2 ln(n) of n cells, three times over as the rails' waves "
        "make neighbours alike",
    )
    noise: float = Field(
        2e-5, gt=0, le=1e-2, description="least noise of a cell assumed [1/m]; alignment D1 over 20 m turns by as much"
    )


@dataclass(frozen=True, slots=True)
class Piece:
    """A tangent, transition or arc."""

    shape: Shape
    start: float
    """Arc length along the line [m]."""
    end: float
    curvature_start: float
    """[1/m], left positive"""
    curvature_end: float
    cant_start: float
    """Right minus left rail height [m], positive in left curves; NaN where unknown."""
    cant_end: float
    kilometre: float
    """Of the start [km]."""

    @property
    def length(self) -> float:
        """[m]"""
        return self.end - self.start

    @property
    def radius(self) -> float:
        """Of the middle [m], left positive; infinite on a tangent."""
        curvature = (self.curvature_start + self.curvature_end) / 2
        return float("inf") if self.shape is Shape.TANGENT or curvature == 0.0 else 1 / curvature


@dataclass(frozen=True, slots=True)
class _Cells:
    """Curvature of cells; sums that give the residual of a line through any run of them in closed form."""

    s: Array
    """(n,) middle of each cell [m]."""
    kappa: Array
    """(n,) [1/m]"""
    sums: Array
    """(n + 1, 5) of x, x^2, y, xy, y^2 over the cells before each."""

    @classmethod
    def of(cls, s: Array, kappa: Array) -> "_Cells":
        x = np.arange(s.size, dtype=np.float64)
        terms = np.stack((x, x**2, kappa, x * kappa, kappa**2), axis=1)
        sums = np.concatenate((np.zeros((1, 5)), np.cumsum(terms, axis=0)))
        return cls(frozen(s), frozen(kappa), frozen(sums))

    def residual(self, start: Array, stop: int) -> Array:
        """Sum of squares about the best line through the cells from each start on, before stop."""
        n = stop - start
        x, xx, y, xy, yy = (self.sums[stop] - self.sums[start.astype(np.int64)]).T
        spread, shared = xx - x**2 / n, xy - x * y / n
        slope = np.divide(shared, spread, out=np.zeros_like(shared), where=spread > 0)
        return np.asarray(np.maximum(yy - y**2 / n - slope * shared, 0.0))

    def line(self, start: int, stop: int) -> tuple[float, float]:
        """Slope [1/m^2] and value at s = 0 [1/m] of the best line."""
        slope, value = np.polyfit(self.s[start:stop] - self.s[start], self.kappa[start:stop], 1)
        return float(slope), float(value - slope * self.s[start])


_Run = tuple[int, int, Shape, tuple[float, float]]
"""First cell, end, shape, and slope and value of its line."""


def find_curves(s: Array, curvature: Array, cant: Array, config: CurveConfig, *, places: Places) -> tuple[Piece, ...]:
    """Tangents, transitions and arcs along s (n,) [m], of curvature (n,) [1/m] and cant (n,) [m].

    Unknown curvature parts the line; a stretch shorter than two of the shortest pieces gives none.
    """
    found: list[Piece] = []
    for start, stop in stretches(np.isfinite(curvature)):
        if (stop - start) * STEP < 2 * config.shortest:
            continue
        cells = _cells(s[start:stop], curvature[start:stop], config)
        pieces = _pieces(cells, _cuts(cells, config), config, ends=(float(s[start]), float(s[stop - 1])))
        found += [_with_cant(piece, s, cant) for piece in pieces]
    starts = places.kilometre(np.array([piece.start for piece in found]))
    return tuple(replace(piece, kilometre=float(km)) for piece, km in zip(found, starts, strict=True))


def _cells(s: Array, curvature: Array, config: CurveConfig) -> _Cells:
    points = max(round(config.cell / STEP), 1)
    whole = s.size // points
    shape = (whole, points)
    return _Cells.of(
        s[: whole * points].reshape(shape).mean(axis=1), np.median(curvature[: whole * points].reshape(shape), axis=1)
    )


def _cuts(cells: _Cells, config: CurveConfig) -> list[int]:
    """Cells at which pieces start, and the end: the cheapest partition."""
    n, shortest = cells.s.size, max(round(config.shortest / config.cell), 2)
    price = config.price * _noise(cells, config) ** 2
    cost, before = np.full(n + 1, np.inf), np.zeros(n + 1, dtype=np.int64)
    cost[0] = -price
    candidates = np.zeros(1)
    for stop in range(shortest, n + 1):
        if stop >= 2 * shortest:
            candidates = np.append(candidates, float(stop - shortest))
        at = candidates.astype(np.int64)
        totals = cost[at] + cells.residual(candidates, stop) + price
        best = int(np.argmin(totals))
        cost[stop], before[stop] = totals[best], at[best]
        candidates = candidates[totals - price <= cost[stop]]
    cuts = [n]
    while cuts[-1] > 0:
        cuts.append(int(before[cuts[-1]]))
    return cuts[::-1]


def _noise(cells: _Cells, config: CurveConfig) -> float:
    """Standard deviation of a cell about the course of the line [1/m], from most cells: curves' corners are few."""
    from scipy.ndimage import median_filter  # here, as it is slow to load and a live run does without

    window = 2 * round(config.wander / config.cell / 2) + 1
    wandering = np.abs(cells.kappa - median_filter(cells.kappa, size=window, mode="nearest"))
    return max(config.noise, 1.4826 * float(np.median(wandering)))


def _pieces(cells: _Cells, cuts: list[int], config: CurveConfig, *, ends: tuple[float, float]) -> list[Piece]:
    """Pieces between the cuts, neighbours of one shape and curvature joined, meeting where their lines cross."""
    runs = [(start, stop, *_shape(cells, start, stop, config)) for start, stop in pairwise(cuts)]
    joined = [runs[0]]
    for run in runs[1:]:
        first = joined[-1]
        alike = run[2] is first[2] and (run[2] is Shape.TANGENT or _continues(cells, first, run, config))
        if alike:
            joined[-1] = (first[0], run[1], *_shape(cells, first[0], run[1], config))
        else:
            joined.append(run)
    meets = _meets(cells, joined, config, ends)
    while len(joined) > 2:  # the base of curvature rounds corners, which may look like a piece of their own
        short = [k for k in range(1, len(joined) - 1) if meets[k + 1] - meets[k] < config.shortest]
        if not short:
            break
        del joined[min(short, key=lambda k: meets[k + 1] - meets[k])]
        meets = _meets(cells, joined, config, ends)
    return [
        Piece(shape, start, end, _at(line, start), _at(line, end), np.nan, np.nan, np.nan)
        for (_, _, shape, line), (start, end) in zip(joined, pairwise(meets), strict=True)
    ]


def _meets(cells: _Cells, runs: list[_Run], config: CurveConfig, ends: tuple[float, float]) -> list[float]:
    """Places where runs meet [m], from one end of the line to the other."""
    meets = [ends[0]]
    for a, b in pairwise(runs):
        rough = float(cells.s[a[1] - 1] + cells.s[b[0]]) / 2
        meets.append(max(_crossing(a[3], b[3], rough=rough, reach=2 * config.shortest), meets[-1]))
    return [*meets, ends[1]]


def _shape(cells: _Cells, start: int, stop: int, config: CurveConfig) -> tuple[Shape, tuple[float, float]]:
    """What a run of cells is, and its line: level for tangents and arcs."""
    slope, value = cells.line(start, stop)
    change = slope * (cells.s[stop - 1] - cells.s[start])
    middle = float(np.median(cells.kappa[start:stop]))
    if abs(change) > config.steady:
        return Shape.TRANSITION, (slope, value)
    return (Shape.TANGENT, (0.0, 0.0)) if abs(middle) < config.straight else (Shape.ARC, (0.0, middle))


def _continues(cells: _Cells, first: _Run, second: _Run, config: CurveConfig) -> bool:
    """Whether two arcs have one radius, or two transitions one line."""
    at = float(cells.s[second[0]])
    if first[2] is Shape.ARC:
        return abs(first[3][1] - second[3][1]) < config.steady
    reach = float(cells.s[second[1] - 1])
    return all(abs(_at(first[3], s) - _at(second[3], s)) < config.steady for s in (at, reach))


def _at(line: tuple[float, float], s: float) -> float:
    return line[0] * s + line[1]


def _crossing(a: tuple[float, float], b: tuple[float, float], *, rough: float, reach: float) -> float:
    """Where two lines meet [m], if that is near the cut between them; else the cut."""
    if a[0] == b[0]:
        return rough
    meeting = (b[1] - a[1]) / (a[0] - b[0])
    return float(meeting) if abs(meeting - rough) < reach else rough


def _with_cant(piece: Piece, s: Array, cant: Array) -> Piece:
    """The piece with its cant: the median of an arc or tangent, the ends of a line through a transition."""
    inside = (s >= piece.start) & (s <= piece.end) & np.isfinite(cant)
    if inside.sum() < 2:
        return piece
    if piece.shape is not Shape.TRANSITION:
        value = float(np.median(cant[inside]))
        return replace(piece, cant_start=value, cant_end=value)
    slope, value = np.polyfit(s[inside] - piece.start, cant[inside], 1)
    return replace(piece, cant_start=float(value), cant_end=float(value + slope * piece.length))
