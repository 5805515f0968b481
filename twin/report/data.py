"""What a report is made from: one run, its results ordered by increasing kilometre."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from twin.core.arrays import Array, FlagArray, IntArray, frozen
from twin.core.estimate import Form, GridBlock, Health, OperatorEvent, Result, StateLayout
from twin.core.places import Direction, Places
from twin.version import __version__

_BEST_FIRST = (Form.SMOOTHED, Form.LAGGED, Form.CAUSAL)


@dataclass(frozen=True, slots=True)
class RunLabel:
    """What the head of the report says about the run. Times are labels for people."""

    name: str
    vehicle: str = ""
    date: str = ""
    software: str = __version__
    notes: Mapping[str, str] = field(default_factory=dict)
    """Further lines of the head by their title: wheel radius, recording, operator."""


@dataclass(frozen=True, slots=True)
class GridTable:
    """Every grid point of one form of a result, once, by increasing kilometre."""

    form: Form
    step: float
    """[m]"""
    index: IntArray
    """(points,) strictly ascending"""
    t_ns: IntArray
    """(points,) when the point was first passed."""
    layout: StateLayout
    values: Array
    """(points, columns) SI"""
    quality: FlagArray
    """(points,)"""
    repeated: int = 0
    """Points passed more than once, of which the first passage was kept."""

    def __len__(self) -> int:
        return int(self.index.shape[0])

    @property
    def s(self) -> Array:
        """(points,) arc length along the line [m]."""
        return np.asarray(self.index * self.step)

    def seconds_after(self, t0_ns: int) -> Array:
        """(points,) time of passage after a moment [s]."""
        return np.asarray((self.t_ns - t0_ns) * 1e-9, dtype=np.float64)

    def column(self, name: str) -> Array:
        """(points,) one column by its name; NaN throughout if the run did not estimate it."""
        if name not in self.layout.names:
            return np.full(len(self), np.nan)
        return self.values[:, self.layout.index(name)]

    @classmethod
    def join(cls, blocks: Sequence[GridBlock]) -> Self:
        """Join the blocks of one form, in the order they were written, into one table."""
        first = blocks[0]
        if any(block.layout != first.layout or block.step != first.step for block in blocks):
            raise ValueError(f"blocks of '{first.name}' ({first.form}) differ in step or columns")
        index = np.concatenate([block.index for block in blocks])
        t_ns = np.concatenate([block.t_ns for block in blocks])
        by_place = np.lexsort((t_ns, index))
        ordered = index[by_place]
        keep = by_place[np.concatenate((np.ones(min(ordered.size, 1), bool), np.diff(ordered) > 0))]
        return cls(
            form=first.form,
            step=first.step,
            index=frozen(index[keep]),
            t_ns=frozen(t_ns[keep]),
            layout=first.layout,
            values=frozen(np.concatenate([block.values for block in blocks])[keep]),
            quality=frozen(np.concatenate([block.quality for block in blocks])[keep]),
            repeated=int(index.size - keep.size),
        )


@dataclass(frozen=True, slots=True)
class RunData:
    """One run, ready to be reported."""

    label: RunLabel
    places: Places
    direction: Direction
    tables: Mapping[Form, GridTable]
    """Forms with at least one point."""
    health: tuple[Health, ...]
    """By time."""
    events: tuple[OperatorEvent, ...]
    """By time, each with its place where the run knows it."""
    cant_base: float = 1.5
    """Distance over which cant is measured [m]."""

    @classmethod
    def build(
        cls,
        results: Iterable[Result],
        *,
        label: RunLabel,
        places: Places,
        direction: Direction,
        cant_base: float = 1.5,
        grid: str = "navigation",
    ) -> Self:
        """Sort the results of a run, in the order they were written, into what a report needs.

        grid: name of the GridBlocks reported; estimates in time are left to exports.
        """
        blocks: dict[Form, list[GridBlock]] = {}
        health: list[Health] = []
        events: list[OperatorEvent] = []
        for result in results:
            if isinstance(result, GridBlock) and result.name == grid and result.index.size:
                blocks.setdefault(result.form, []).append(result)
            elif isinstance(result, Health):
                health.append(result)
            elif isinstance(result, OperatorEvent):
                events.append(result)
        tables = {form: GridTable.join(blocks[form]) for form in Form if form in blocks}
        best = _best(tables)
        return cls(
            label=label,
            places=places,
            direction=direction,
            tables=tables,
            health=tuple(sorted(health, key=lambda record: (record.t_ns, record.source))),
            events=tuple(_placed(event, best) for event in sorted(events, key=lambda event: event.t_ns)),
            cant_base=cant_base,
        )

    @property
    def best(self) -> GridTable | None:
        """The form that has seen most of the future; None when no point was estimated."""
        return _best(self.tables)

    @property
    def t0_ns(self) -> int:
        """First moment anything is known of: the zero of times in the report."""
        starts = [int(table.t_ns.min()) for table in self.tables.values()]
        starts += [record.t_ns for record in self.health[:1]] + [event.t_ns for event in self.events[:1]]
        return min(starts, default=0)


def _best(tables: Mapping[Form, GridTable]) -> GridTable | None:
    return next((tables[form] for form in _BEST_FIRST if form in tables), None)


def _placed(event: OperatorEvent, table: GridTable | None) -> OperatorEvent:
    """The event with the place of the train at its time; without one outside the time of the table."""
    if event.s is not None and np.isfinite(event.s):
        return event
    event = replace(event, s=None)
    if table is None:
        return event
    by_time = np.argsort(table.t_ns, kind="stable")
    t = table.t_ns[by_time] - event.t_ns
    if t[0] > 0 or t[-1] < 0:
        return event
    return replace(event, s=float(np.interp(0.0, t.astype(float), table.s[by_time])))
