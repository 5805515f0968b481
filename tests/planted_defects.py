"""A rough line with defects planted in it, of all kinds and classes, their peaks well off every limit.

What a defect comes to in a quantity depends on the rails it is planted in, so its size is found by trial: until the
true quantity has the peak wanted.
"""

from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array
from twin.core.places import Places
from twin.core.track import DesignTrack
from twin.geometry.quantities.config import QuantityConfig
from twin.geometry.quantities.exceedances import Exceedance, ExceedanceConfig, exceedances, with_limits
from twin.geometry.quantities.geometry import track_geometry
from twin.geometry.quantities.limits import LimitTable, read_limits
from twin.geometry.quantities.quantity import Kind, Severity, TrackGeometry
from twin.geometry.rails import STEP, RailFlag, RailTrace
from twin.simulation.carriage import MARGIN
from twin.simulation.dynamic.train import REACH
from twin.simulation.irregularity import Defect, DefectRail, DefectShape, IrregularityConfig, realise
from twin.simulation.rail_head import FanConfig, RailSectionConfig, rail_section

QUANTITIES = QuantityConfig(chords=())
"""Chords have no limits."""
HALF_GAUGE = 0.7175
"""Nominal [m]."""
MARGIN_OF_PEAKS = 0.5e-3
"""Least distance of a planted peak from every limit [m]; of twist, of cross level over its base."""
ROOM = 0.05e-3
"""By how much more than that peaks are planted off limits: sizes are found by trial [m]."""
BEYOND = 2e-3
"""Farthest a peak is planted beyond the highest limit [m]."""
NARROWEST = 8.6e-3
"""Narrow gauge planted at most [m]: nominal wheelsets bind at 10 mm."""
NEAR = 10.0
"""From a defect's middle to its peak, at most [m]."""
TRIALS = 12
"""Of the sizes."""


@dataclass(frozen=True, slots=True)
class Sort:
    """One sort of defect and the quantity it is to show in."""

    quantity: str
    shape: DefectShape
    rail: DefectRail = DefectRail.BOTH
    signs: tuple[int, ...] = (-1, 1)
    """Of the size."""
    length: tuple[float, float] = (4.0, 8.0)
    """[m]"""

    @property
    def name(self) -> str:
        """In words."""
        signs = {(1,): "", (-1,): ", reversed"}.get(self.signs, ", either way")
        rails = "" if self.shape in (DefectShape.GAUGE_WIDENING, DefectShape.CROSS_LEVEL) else f" of {self.rail}"
        return f"{self.shape.replace('_', ' ')}{rails}{signs}: {self.quantity}"


SORTS = (
    Sort("longitudinal level D1 left", DefectShape.DIP, DefectRail.LEFT, (1,)),
    Sort("longitudinal level D1 right", DefectShape.DIP, DefectRail.RIGHT, (1,)),
    Sort("longitudinal level D1 left", DefectShape.DIP, DefectRail.BOTH, (1,), (5.0, 9.0)),
    Sort("alignment D1 left", DefectShape.KINK, DefectRail.LEFT, length=(7.0, 11.0)),
    Sort("alignment D1 right", DefectShape.KINK, DefectRail.RIGHT, length=(7.0, 11.0)),
    Sort("alignment D1 right", DefectShape.KINK, length=(7.0, 11.0)),
    Sort("gauge", DefectShape.GAUGE_WIDENING, signs=(1,), length=(5.0, 12.0)),
    Sort("gauge", DefectShape.GAUGE_WIDENING, signs=(-1,), length=(5.0, 12.0)),
    Sort("twist 3 m", DefectShape.CROSS_LEVEL, length=(5.0, 7.0)),
    Sort("twist 5 m", DefectShape.CROSS_LEVEL, length=(8.0, 12.0)),
    Sort("twist 9 m", DefectShape.CROSS_LEVEL, length=(11.0, 16.0)),
)


@dataclass(frozen=True, slots=True)
class Planted:
    """One defect in the line, and the exceedance it makes."""

    sort: Sort
    exceedance: Exceedance
    """By the true rails."""


@dataclass(frozen=True, slots=True)
class PlantedLine:
    """Rails with defects, and what is true of them."""

    irregularity: IrregularityConfig
    geometry: TrackGeometry
    """Without errors, with limits."""
    planted: tuple[Planted, ...]


@dataclass(frozen=True, slots=True)
class _Goal:
    sort: Sort
    s: float
    length: float
    peak: float
    """Wanted, signed as the quantity where that is gauge, else without sign."""
    severity: Severity


def plant(
    irregularity: IrregularityConfig, design: DesignTrack, *, places: Array, line_speed: float, seed: int
) -> PlantedLine:
    """Rails with a defect at each of some arc lengths [m]; line_speed [m/s] decides on their limits."""
    rng, table = np.random.default_rng(seed), read_limits()
    goals = [_goal(SORTS[i % len(SORTS)], float(s), table, line_speed, rng) for i, s in enumerate(places)]
    sizes = np.array(
        [np.sign(g.peak) * 1.5 * abs(g.peak) * (3.0 if "twist" in g.sort.quantity else 1.0) for g in goals]
    )
    for _ in range(TRIALS):
        rails = irregularity.model_copy(update={"defects": _defects(goals, sizes)})
        geometry = true_geometry(rails, design)
        peaks = np.array([_peak(geometry, goal) for goal in goals])
        sizes = sizes * np.clip([abs(g.peak) for g in goals] / np.maximum(peaks, 1e-6), 0.5, 2.0)
    limited = with_limits(geometry, table, line_speed=np.full(geometry.s.size, line_speed))
    listed = exceedances(limited, ExceedanceConfig())
    planted = tuple(Planted(goal.sort, _made_by(goal, listed)) for goal in goals)
    return PlantedLine(rails, limited, planted)


def true_geometry(irregularity: IrregularityConfig, design: DesignTrack) -> TrackGeometry:
    """The quantities of the rails of a run by dynamics, as they are."""
    return track_geometry(true_trace(irregularity, design), QUANTITIES, places=Places())


def true_trace(irregularity: IrregularityConfig, design: DesignTrack) -> RailTrace:
    """The rails of a run by dynamics, as they are: what the gauge faces are off nominal with heads of that section."""
    rails = realise(irregularity, s0=-MARGIN - REACH, length=design.length + 2 * REACH + 2 * MARGIN)
    s = STEP * np.arange(int(design.length / STEP) + 1)
    columns = {name: np.interp(s, rails.s, getattr(rails, name)) for name in ("y_left", "z_left", "y_right", "z_right")}
    off = FanConfig().nominal_y + rail_section(RailSectionConfig()).gauge_face() - HALF_GAUGE
    columns["y_left"] += off
    columns["y_right"] -= off
    return RailTrace(
        s=s,
        flags=np.full(s.size, RailFlag.MEASURED, dtype=np.uint8),
        speed=np.full(s.size, 20.0),
        curvature_design=design.curvature(s),
        cant_angle_design=design.cant_angle(s),
        **columns,
    )


def nearest_limit(exceedance: Exceedance, geometry: TrackGeometry) -> float:
    """Distance of a true peak from the nearest limit of its quantity [m]; of twist, of cross level over its base."""
    quantity = geometry[exceedance.name]
    at = round((exceedance.s - geometry.s[0]) / STEP)
    ends = [line.upper[at] if exceedance.peak > 0 else line.lower[at] for line in quantity.limits]
    return float(np.min(np.abs(exceedance.peak - np.array(ends)))) * in_metres(exceedance.name)


def in_metres(quantity: str) -> float:
    """What makes metres of a quantity: the base of a twist [m], else 1."""
    return float(quantity.split()[1]) if quantity.startswith("twist") else 1.0


def _goal(sort: Sort, s: float, table: LimitTable, line_speed: float, rng: np.random.Generator) -> _Goal:
    """A class and a peak of a sort, drawn."""
    sign, scale = int(rng.choice(sort.signs)), in_metres(sort.quantity)
    limits = scale * _limits(sort, table, line_speed, sign)
    off, largest = MARGIN_OF_PEAKS + ROOM, NARROWEST if _narrow(sort, sign) else np.inf
    bands = [
        (severity, low, min(high, largest + off))
        for severity, low, high in zip(Severity, limits, [*limits[1:], limits[-1] + BEYOND], strict=True)
        if low + 2 * off <= largest + off
    ]
    severity, low, high = bands[int(rng.integers(len(bands)))]
    peak = (low + high) / 2 + max((high - low) / 2 - off, 0.0) * float(rng.uniform(-1, 1))
    return _Goal(sort, s, float(rng.uniform(*sort.length)), sign * peak / scale, severity)


def _narrow(sort: Sort, sign: int) -> bool:
    return sort.quantity == "gauge" and sign < 0


def _limits(sort: Sort, table: LimitTable, line_speed: float, sign: int) -> Array:
    """(3,) limits of a quantity at a line speed, mildest first."""
    column = int(table.column(np.array([line_speed]))[0])
    side = "both" if sort.quantity != "gauge" else "narrow" if sign < 0 else "wide"
    row = next(r for r in table.limits if sort.quantity.startswith(f"{r.kind} {r.variant}".strip()) and r.side == side)
    return np.array([values[column] for values in row.limits().values()])


def _defects(goals: list[_Goal], sizes: Array) -> tuple[Defect, ...]:
    return tuple(
        Defect(shape=g.sort.shape, rail=g.sort.rail, s=g.s, size=float(np.clip(size, -0.05, 0.05)), length=g.length)
        for g, size in zip(goals, sizes, strict=True)
    )


def _peak(geometry: TrackGeometry, goal: _Goal) -> float:
    """Largest value near a defect, of the sign wanted where that counts."""
    values = geometry[goal.sort.quantity].values[np.abs(geometry.s - goal.s) <= NEAR]
    return float(np.max(values * np.sign(goal.peak) if goal.sort.quantity == "gauge" else np.abs(values)))


def _made_by(goal: _Goal, listed: tuple[Exceedance, ...]) -> Exceedance:
    """The exceedance a defect was planted to make."""
    near = [e for e in listed if e.name == goal.sort.quantity and abs(e.s - goal.s) <= NEAR]
    if goal.sort.quantity == Kind.GAUGE:
        near = [e for e in near if e.peak * goal.peak > 0]
    worst = max(near, key=lambda e: abs(e.peak))
    assert worst.severity is goal.severity, (goal, worst)
    return worst
