"""What a report is made from: one run, its results ordered by increasing kilometre."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from twin.core.arrays import Array, FlagArray, IntArray, frozen
from twin.core.estimate import Form, GridBlock, Health, OperatorEvent, Result, StateLayout
from twin.core.places import Direction, Places
from twin.core.track import DesignTrack
from twin.version import __version__

NAVIGATION, RAILS = "navigation", "geometry"
"""Names of the GridBlocks that are reported."""
_ROOM = 4096
"""Points a table has room for at first."""
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

    def rows(self, which: slice) -> Self:
        """Some of the points."""
        return replace(
            self,
            index=self.index[which],
            t_ns=self.t_ns[which],
            values=self.values[which],
            quality=self.quality[which],
        )

    def column(self, name: str) -> Array:
        """(points,) one column by its name; NaN throughout if the run did not estimate it."""
        if name not in self.layout.names:
            return np.full(len(self), np.nan)
        return self.values[:, self.layout.index(name)]


class _Gathered:
    """Blocks of one form, in the order they were written, on their way into one table.

    They are copied at once into arrays that grow: a list of the blocks of 50 km is as large as their table.
    """

    def __init__(self, first: GridBlock) -> None:
        self._first = first
        self._points = 0
        self._index = np.empty(_ROOM, dtype=np.int64)
        self._t_ns = np.empty(_ROOM, dtype=np.int64)
        self._values = np.empty((_ROOM, len(first.layout.names)))
        self._quality = np.empty(_ROOM, dtype=np.uint8)

    def add(self, block: GridBlock) -> None:
        first = self._first
        if block.layout != first.layout or block.step != first.step:
            raise ValueError(f"blocks of '{first.name}' ({first.form}) differ in step or columns")
        stop = self._points + block.index.size
        for array, values in (
            (self._index, block.index),
            (self._t_ns, block.t_ns),
            (self._values, block.values),
            (self._quality, block.quality),
        ):
            if stop > array.shape[0]:
                array.resize((stop + stop // 4, *array.shape[1:]), refcheck=False)
            array[self._points : stop] = values
        self._points = stop

    def table(self) -> GridTable:
        """Every point once, the first passage of those passed again."""
        n = self._points
        order = _first_passages(self._index[:n], self._t_ns[:n])
        return GridTable(
            form=self._first.form,
            step=self._first.step,
            index=frozen(self._index[:n][order]),
            t_ns=frozen(self._t_ns[:n][order]),
            layout=self._first.layout,
            values=frozen(self._values[:n][order]),
            quality=frozen(self._quality[:n][order]),
            repeated=n - int(self._index[:n][order].size),
        )


def _first_passages(index: IntArray, t_ns: IntArray) -> slice | IntArray:
    """Rows by ascending place, each place once; a slice, which copies nothing, where the train never turned back."""
    step = np.diff(index)
    if np.all(step > 0):
        return slice(None)
    if np.all(step < 0):
        return slice(None, None, -1)
    by_place = np.lexsort((t_ns, index))
    ordered = index[by_place]
    return np.asarray(by_place[np.concatenate((np.ones(min(ordered.size, 1), bool), np.diff(ordered) > 0))])


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
    rails: GridTable | None = None
    """Both rails off the design, in the form that has seen most of the future; None where no camera saw them."""
    design: DesignTrack | None = None
    """Along growing kilometres; None where nothing is known of it."""

    @classmethod
    def build(
        cls,
        results: Iterable[Result],
        *,
        label: RunLabel,
        places: Places,
        direction: Direction,
        cant_base: float = 1.5,
        design: DesignTrack | None = None,
    ) -> Self:
        """Sort the results of a run, in the order they were written, into what a report needs.

        Of what lies on the grid of the line, navigation and rails are reported; estimates in time are left to exports.
        """
        grids: dict[str, dict[Form, _Gathered]] = {NAVIGATION: {}, RAILS: {}}
        health: list[Health] = []
        events: list[OperatorEvent] = []
        for result in results:
            if isinstance(result, GridBlock):
                if result.name in grids and result.index.size:
                    forms = grids[result.name]
                    if result.form not in forms:
                        forms[result.form] = _Gathered(result)
                    forms[result.form].add(result)
            elif isinstance(result, Health):
                health.append(result)
            elif isinstance(result, OperatorEvent):
                events.append(result)
        tables = {form: grids[NAVIGATION][form].table() for form in Form if form in grids[NAVIGATION]}
        rails = {form: grids[RAILS][form] for form in _BEST_FIRST if form in grids[RAILS]}
        best = _best(tables)
        return cls(
            label=label,
            places=places,
            direction=direction,
            tables=tables,
            health=tuple(sorted(health, key=lambda record: (record.t_ns, record.source))),
            events=tuple(_placed(event, best) for event in sorted(events, key=lambda event: event.t_ns)),
            cant_base=cant_base,
            rails=next((gathered.table() for gathered in rails.values()), None),
            design=design,
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
