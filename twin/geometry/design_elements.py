"""From plan, cant and profile as files give them to the elements of a design track.

Files give curvature element by element, cant at stations of its own and heights at points of the profile. A
HorizontalElement has curvature and cant that vary linearly: the plan is cut where either changes its course, and
transitions that are not clothoids are followed by short pieces of their own shape.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.core.places import KilometrePost
from twin.core.track import HorizontalElement, VerticalElement

PIECES = 16
"""Pieces of a transition that is not linear: its curvature is met to 0.3 % of its change."""
SHORTEST = 1e-4
"""Elements shorter than this are a file's rounding [m]."""
OVERLAP = 0.05
"""How far two vertical curves may run into each other [m]: files give the length of the arc, not of its plan."""

SHAPES: dict[str, Callable[[Array], Array]] = {
    "clothoid": lambda t: t,
    "linear": lambda t: t,
    "bloss": lambda t: t**2 * (3 - 2 * t),
    "cosine": lambda t: (1 - np.cos(np.pi * t)) / 2,
    "sinusoid": lambda t: t - np.sin(2 * np.pi * t) / (2 * np.pi),
    "biquadratic": lambda t: np.where(t < 0.5, 2 * t**2, 1 - 2 * (1 - t) ** 2),
}
"""Course of a transition from 0 to 1 over its length, by LandXML's and other names."""


@dataclass(frozen=True, slots=True)
class PlanElement:
    """A tangent, arc or transition of the plan."""

    length: float
    """[m]"""
    curvature_start: float
    """[1/m], left positive"""
    curvature_end: float
    shape: str = "clothoid"
    where: str = ""
    """Place in the file, for messages."""


@dataclass(frozen=True, slots=True)
class CantStation:
    """Cant at a place; its course to the next station has a shape."""

    s: float
    """Distance along the plan from its start [m]."""
    cant: float
    """Right minus left rail height [m]."""
    shape: str = "linear"


@dataclass(frozen=True, slots=True)
class ProfilePoint:
    """A point of the profile's polygon, rounded by a vertical curve."""

    s: float
    """Distance along the plan from its start [m]."""
    height: float
    """[m]"""
    curve_in: float = 0.0
    """Length of the curve before the point [m]."""
    curve_out: float = 0.0
    """Length of the curve after the point [m]."""
    where: str = ""


@dataclass(frozen=True, slots=True)
class Design:
    """One track of a design file."""

    name: str
    horizontal: tuple[HorizontalElement, ...]
    vertical: tuple[VerticalElement, ...]
    posts: tuple[KilometrePost, ...]
    """Chainage at the start and, where it jumps, on both sides of the jump."""
    start: tuple[float, float] | None = None
    """Easting and northing of the first point [m], where known."""
    heading: float | None = None
    """Direction of the first element from east to north [rad], where known."""

    @property
    def length(self) -> float:
        """Along the plan [m]."""
        return sum(element.length for element in self.horizontal)


def horizontal_elements(
    plan: Sequence[PlanElement], cant: Sequence[CantStation], *, source: str
) -> tuple[HorizontalElement, ...]:
    """Elements of the plan with their cant; constant beyond the first and last station, 0 without any."""
    s_plan, kappa = _plan_knots(plan, source)
    s_cant, heights = _cant_knots(cant)
    cuts = _merged(np.concatenate((s_plan, s_cant[(s_cant > 0) & (s_cant < s_plan[-1])])))
    found = []
    for start, stop in pairwise(cuts):
        middle = (start + stop) / 2
        k = int(np.searchsorted(s_plan, middle)) - 1
        found.append(
            HorizontalElement.load(
                {
                    "length": float(stop - start),
                    "curvature_start": _between(s_plan, kappa, k, start),
                    "curvature_end": _between(s_plan, kappa, k, stop),
                    "cant_start": float(np.interp(start, s_cant, heights)),
                    "cant_end": float(np.interp(stop, s_cant, heights)),
                },
                where=f"{source}: at {start:.3f} m",
            )
        )
    return tuple(found)


def vertical_elements(points: Sequence[ProfilePoint], *, length: float, source: str) -> tuple[VerticalElement, ...]:
    """Elements of a profile's polygon over a plan of a length [m]; the first and last gradient go on to its ends."""
    if len(points) < 2:
        return ()
    for a, b in pairwise(points):
        if b.s <= a.s:
            raise ConfigError(f"{source}: {b.where}: profile points must ascend: {a.s:g} m before {b.s:g} m")
    gradients = [(b.height - a.height) / (b.s - a.s) for a, b in pairwise(points)]
    knots = [(0.0, gradients[0])]
    for point, before, after in zip(points[1:-1], gradients[:-1], gradients[1:], strict=True):
        start = point.s - point.curve_in
        if start < knots[-1][0] - OVERLAP:
            raise ConfigError(f"{source}: {point.where}: its curve starts at {start:.3f} m, inside the one before")
        knots += [(max(start, knots[-1][0]), before), (point.s + point.curve_out, after)]
    knots.append((max(length, knots[-1][0]), gradients[-1]))
    return tuple(
        VerticalElement.load(
            {"length": b[0] - a[0], "gradient_start": a[1], "gradient_end": b[1]}, where=f"{source}: at {a[0]:.3f} m"
        )
        for a, b in pairwise(knots)
        if b[0] - a[0] > SHORTEST
    )


def _plan_knots(plan: Sequence[PlanElement], source: str) -> tuple[Array, list[tuple[float, float]]]:
    """Ends (n + 1,) of linear pieces [m], and the curvature at start and end of each."""
    ends, kappa = [0.0], []
    for element in plan:
        if element.length <= SHORTEST:
            continue
        if element.shape not in SHAPES:
            raise ConfigError(f"{source}: {element.where}: transitions are {', '.join(SHAPES)}, got '{element.shape}'")
        share = _shares(element.shape, element.curvature_start == element.curvature_end)
        values = element.curvature_start + SHAPES[element.shape](share) * (
            element.curvature_end - element.curvature_start
        )
        kappa += [(float(a), float(b)) for a, b in pairwise(values)]
        begin = ends[-1]
        ends += [begin + float(t) * element.length for t in share[1:]]
    if not kappa:
        raise ConfigError(f"{source}: the plan has no element")
    return np.array(ends), kappa


def _cant_knots(cant: Sequence[CantStation]) -> tuple[Array, Array]:
    """Places and heights of the cant's polygon."""
    if not cant:
        return np.zeros(1), np.zeros(1)
    s, heights = [cant[0].s], [cant[0].cant]
    for a, b in pairwise(cant):
        share = _shares(a.shape, a.cant == b.cant)[1:]
        s += [a.s + float(t) * (b.s - a.s) for t in share]
        heights += [float(value) for value in a.cant + SHAPES[a.shape](share) * (b.cant - a.cant)]
    return np.array(s), np.array(heights)


def _shares(shape: str, constant: bool) -> Array:
    return np.linspace(0.0, 1.0, 2 if constant or shape in ("clothoid", "linear") else PIECES + 1)


def _merged(places: Array) -> Array:
    """Places in order, those nearer than a file's rounding as one; the last end stays."""
    ordered = np.unique(places)
    kept = [float(ordered[0])]
    for place in ordered[1:]:
        if place - kept[-1] > SHORTEST:
            kept.append(float(place))
    kept[-1] = float(ordered[-1])
    return np.array(kept)


def _between(ends: Array, kappa: list[tuple[float, float]], k: int, s: float) -> float:
    share = (s - ends[k]) / (ends[k + 1] - ends[k])
    return float(kappa[k][0] + np.clip(share, 0.0, 1.0) * (kappa[k][1] - kappa[k][0]))
