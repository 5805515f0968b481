"""Strips along the line: what they are made of, the axis they share, and those of the navigation."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np

from twin.core.arrays import Array, FlagArray, IntArray
from twin.core.estimate import Form
from twin.core.quality import Quality
from twin.geometry.rails import STEP
from twin.report.data import GridTable, RunData
from twin.report.units import quantity


class Role(StrEnum):
    """How a line is drawn."""

    MAIN = "main"
    """The best estimate: bold, with its 2-sigma band."""
    SECOND = "second"
    THIRD = "third"
    """Beside the first, in other colours."""
    EARLIER = "earlier"
    """The causal estimate, or an earlier run: thin and grey."""
    DESIGN = "design"
    """Where the track should be: dashed."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a strip, in the unit of its strip."""

    label: str
    role: Role
    values: Array
    """(points,) NaN where not known"""
    sd: Array | None = None
    """(points,)"""


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit over a stretch, in the unit of its strip; NaN where there is none."""

    severity: str
    start: float
    """[m]"""
    end: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Strip:
    """One quantity along the line."""

    title: str
    note: str
    """Which way is positive."""
    unit: str
    decimals: int
    signed: bool
    """Drawn about zero."""
    also: str
    """A second reading of the value under the cursor: 'radius', 'degrees' or none."""
    lines: tuple[Line, ...]
    group: str = ""
    """Strips of a group are shown and hidden together."""
    name: str = ""
    """Of the quantity, where it can exceed limits."""
    limits: tuple[Limit, ...] = ()
    resolution: float | None = None
    """Smallest difference kept in the page, in its unit; a digit finer than it is read if None."""


@dataclass(frozen=True, slots=True)
class Lane:
    """One kind of trouble along the line."""

    label: str
    mask: int
    tone: str = "bad"
    """How bad: 'bad', 'design' (worth knowing) or 'soft' (no fault)."""


@dataclass(frozen=True, slots=True)
class Lanes:
    """Kinds of trouble, one below the other."""

    title: str
    lanes: tuple[Lane, ...]
    flags: FlagArray
    """(points,) on the axis."""


@dataclass(frozen=True, slots=True)
class Ribbon:
    """Stretches of the line with a class each."""

    title: str
    note: str
    group: str
    blocks: tuple[tuple[float, float, str, float], ...]
    """Start and end [m], class, and the value it rests on in the unit of the note."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The points of all forms of a run together, by increasing kilometre."""

    index: IntArray
    """(points,) strictly ascending"""
    step: float
    """[m]"""

    @classmethod
    def of(cls, tables: Iterable[GridTable], rails: IntArray | None = None) -> "Axis":
        """Every point that any table holds, and those of the rails."""
        held = list(tables)
        indices = [table.index for table in held] + ([] if rails is None else [rails])
        if not indices:
            return cls(np.empty(0, dtype=np.int64), STEP)
        if any(table.step != held[0].step for table in held):
            raise ValueError("all forms of a run share one grid step")
        return cls(np.unique(np.concatenate(indices)), held[0].step if held else STEP)

    @property
    def stretches(self) -> list[tuple[int, int]]:
        """First index and length of every stretch without a gap."""
        if not self.index.size:
            return []
        starts = np.concatenate(([0], np.flatnonzero(np.diff(self.index) > 1) + 1, [self.index.size]))
        return [(int(self.index[a]), int(b - a)) for a, b in pairwise(starts)]

    def spread(self, index: IntArray, values: Array) -> Array:
        """Values at points of the axis; NaN at the others."""
        spread = np.full(self.index.size, np.nan)
        spread[np.searchsorted(self.index, index)] = values
        return spread

    def spread_flags(self, index: IntArray, flags: FlagArray, *, elsewhere: int) -> FlagArray:
        """Flags at points of the axis; those of elsewhere at the others."""
        spread = np.full(self.index.size, elsewhere, dtype=np.uint8)
        spread[np.searchsorted(self.index, index)] = flags
        return spread


_LANES: tuple[Lane, ...] = (
    Lane("missing", int(Quality.MISSING)),
    Lane("rejected", int(Quality.SATURATED | Quality.IMPLAUSIBLE | Quality.STUCK)),
    Lane("clock", int(Quality.CLOCK_UNSURE)),
    Lane("bridged", int(Quality.BRIDGED), "design"),
    Lane("slipping", int(Quality.SLIPPING), "design"),
    Lane("standstill", int(Quality.STANDSTILL), "soft"),
)
COURSE, NAVIGATION = "Course", "Navigation"
"""Groups of strips."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """A strip before it has data."""

    column: str
    title: str
    note: str = ""
    design: str = ""
    sd: str = ""
    signed: bool = True
    decimals: int = 2
    causal: bool = False
    also: str = ""
    group: str = NAVIGATION


_PLANS: tuple[_Plan, ...] = (
    _Plan("speed", "Speed", signed=False, decimals=1, group=COURSE),
    _Plan("curvature", "Curvature", "left +", design="curvature_design", decimals=3, also="radius", group=COURSE),
    _Plan("cant_angle", "Cant", "left curve +", design="cant_angle_design", decimals=1, group=COURSE),
    _Plan("roll", "Roll against design", "left side up +", sd="sd_roll", also="degrees"),
    _Plan("r_y", "Lateral trajectory", "left +", sd="sd_r_y", causal=True),
    _Plan("r_z", "Vertical trajectory", "up +", sd="sd_r_z", causal=True),
)


def strips(data: RunData, axis: Axis) -> list[Strip]:
    """Every strip, also those the run has nothing for: a reader sees what is not there."""
    return [
        Strip(
            title=plan.title,
            note=plan.note,
            unit=quantity(plan.column).unit,
            decimals=plan.decimals,
            signed=plan.signed,
            also=plan.also,
            lines=tuple(line for line in _lines(data, axis, plan) if np.isfinite(line.values).any()),
            group=plan.group,
        )
        for plan in _PLANS
    ]


def quality_lanes(data: RunData, axis: Axis) -> list[Lanes]:
    """What is known to be wrong with the navigation; none without it."""
    best = data.best
    if best is None:
        return []
    missing = int(Quality.MISSING)
    return [Lanes("Quality", _LANES, axis.spread_flags(best.index, best.quality, elsewhere=missing))]


def _lines(data: RunData, axis: Axis, plan: _Plan) -> Iterator[Line]:
    """The lines of a strip in the order they are drawn; the design is thin and dashed, so it goes on top."""
    best, causal = data.best, data.tables.get(Form.CAUSAL)
    if best is None:
        return
    if plan.causal and causal is not None and causal is not best:
        yield Line("causal", Role.EARLIER, _values(data, axis, causal, plan.column))
    sd = _values(data, axis, best, plan.sd) if plan.sd else None
    yield Line(best.form.value, Role.MAIN, _values(data, axis, best, plan.column), sd)
    if plan.design:
        yield Line("design", Role.DESIGN, _values(data, axis, best, plan.design))


def _values(data: RunData, axis: Axis, table: GridTable, column: str) -> Array:
    """One column of a table on the axis, in the unit of the report."""
    values = quantity(column).convert(table.column(column), cant_base=data.cant_base)
    return axis.spread(table.index, values)
