"""The samples of one source on their way from device time to epochs: judged on arrival, laid out when due.

Arrival is judged by the source's own stream and the recorded host times alone, so that neither the cuts between
blocks nor other sources change what is kept.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array, BoolArray, FlagArray, IntArray
from twin.core.blocks import ClockFit, RawBlock, SampleBlock
from twin.core.quality import Quality
from twin.numerics.compiled import compiled

NEVER = np.iinfo(np.int64).min
FLOOD = 2
"""A source may bring this many times its nominal rate; more is not kept, which bounds the memory."""
PULL = 0.05
"""Share of a period by which one sample moves the grid: ten times the fastest correction of a device clock."""


@dataclass(frozen=True, slots=True)
class Timing:
    """How epochs are cut and closed [ns]."""

    length: int
    allowance: int
    horizon: int
    clock_sd_limit: float

    def index(self, t_ns: int) -> int:
        """Epoch that holds a time."""
        return t_ns // self.length


@dataclass(frozen=True, slots=True)
class _Waiting:
    """Samples kept for their epoch. All (samples, ...)."""

    t: IntArray
    """Common time [ns]."""
    ticks: IntArray
    values: Array
    quality: FlagArray
    clock: Array
    """(samples, 2) nanoseconds per tick and standard deviation of t [ns]."""

    def __getitem__(self, rows: BoolArray | IntArray) -> "_Waiting":
        return _Waiting(self.t[rows], self.ticks[rows], self.values[rows], self.quality[rows], self.clock[rows])

    @staticmethod
    def join(parts: "list[_Waiting]") -> "_Waiting":
        """Samples in order of arrival."""
        if len(parts) == 1:
            return parts[0]
        return _Waiting(
            np.concatenate([part.t for part in parts]),
            np.concatenate([part.ticks for part in parts]),
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.quality for part in parts]),
            np.concatenate([part.clock for part in parts]),
        )


@dataclass(frozen=True, slots=True)
class SourceEpoch:
    """What one source gives to one epoch."""

    block: SampleBlock | None
    """None before its first sample."""
    counts: dict[str, int]
    clock_sd: float | None
    """[s]; None without samples."""


class Source:
    """Remembers the waiting samples of one source, what it counted, and where its uniform grid stands."""

    def __init__(self, name: str, rate: float, timing: Timing) -> None:
        """rate: nominal [Hz]."""
        self._name = name
        self._rate = rate
        self._timing = timing
        self._most = int(FLOOD * rate * timing.length * 1e-9) + FLOOD
        self._waiting: list[_Waiting] = []
        self._filled = Counter[int]()
        self._counts: dict[int, Counter[str]] = {}
        self._clock_epoch: int | None = None
        self._floor_ns = NEVER
        self._nominal_ticks = 0.0
        self._period_ns = 1e9 / rate
        self._channels = 0
        self._grid_ns: float | None = None
        self.first_ns: int | None = None
        """Earliest time anything is known of."""
        self.passed_ns = NEVER
        """Latest sample time seen in its stream."""

    @property
    def held(self) -> int:
        """Samples waiting for their epoch."""
        return sum(part.t.size for part in self._waiting)

    def take(self, item: RawBlock, *, closed_ns: int) -> None:
        """Judge and keep samples; those before closed_ns come too late for any epoch."""
        self._begin(item.t_host_ns)
        received = self._timing.index(item.t_host_ns)
        if item.clock is None:
            self._count(received, "unsynchronised", item.ticks.size)
            return
        t = item.clock.to_ns(item.ticks)
        # Nothing is received before it happens: a time from the future is a broken clock's, not a sample's.
        past = t <= item.t_host_ns + self._timing.allowance
        self._count(received, "future", int(np.count_nonzero(~past)))
        if past.any():
            self._keep(item, item.clock, t, past, closed_ns)

    def epoch(self, index: int) -> SourceEpoch:
        """The samples of an epoch on the source's uniform grid, and all counts up to its end."""
        due = self._cut((index + 1) * self._timing.length)
        if due is not None:
            self._channels = due.values.shape[1]
        block = self._uniform(due, index) if self._channels else None
        counts = Counter[str]()
        for i in [i for i in self._counts if i <= index]:
            counts.update(self._counts.pop(i))
        for i in [i for i in self._filled if i <= index]:
            del self._filled[i]
        return SourceEpoch(block, dict(counts), None if due is None else float(due.clock[:, 1].max()) * 1e-9)

    def _begin(self, t_ns: int) -> None:
        self.first_ns = t_ns if self.first_ns is None else min(self.first_ns, t_ns)

    def _count(self, index: int, name: str, number: int) -> None:
        if number:
            self._counts.setdefault(index, Counter())[name] += number

    def _count_each(self, indices: IntArray, name: str) -> None:
        if indices.size:
            for index, number in zip(*np.unique(indices, return_counts=True), strict=True):
                self._count(int(index), name, int(number))

    def _keep(self, item: RawBlock, clock: ClockFit, t: IntArray, past: BoolArray, closed_ns: int) -> None:
        """Keep what is neither too late, nor behind a clock that was set back, nor too much."""
        length = self._timing.length
        if clock.epoch != self._clock_epoch:
            self._start_clock(clock)
        before = np.maximum.accumulate(np.concatenate(([self.passed_ns], np.where(past, t, NEVER))))[:-1]
        where = np.where(before == NEVER, t, before) // length
        own_end = np.where(before == NEVER, NEVER, (before - self._timing.allowance) // length * length)
        expired_ns = (item.t_host_ns - self._timing.horizon) // length * length
        late = past & (t < np.maximum(own_end, max(closed_ns, expired_ns)))
        overlapping = past & ~late & (t < self._floor_ns)
        kept = past & ~late & ~overlapping
        flooding = self._beyond_measure(t // length, kept)
        kept &= ~flooding
        self._count_each(where[late], "late")
        self._count_each(where[overlapping], "overlapping")
        self._count_each(t[flooding] // length, "flooding")
        self._count_each(where[kept & (t < before)], "reordered")
        self.passed_ns = max(self.passed_ns, int(t[past].max()))
        if kept.any():
            self._begin(int(t[kept].min()))
            quality = item.quality
            if clock.sd_ns > self._timing.clock_sd_limit:
                quality = quality | np.uint8(Quality.CLOCK_UNSURE)
            fit = np.broadcast_to([clock.ns_per_tick, clock.sd_ns], (t.size, 2))
            self._waiting.append(_Waiting(t, item.ticks, item.values, quality, fit)[kept])

    def _start_clock(self, clock: ClockFit) -> None:
        """A clock set anew may give times that were already given: the source goes on after its last sample."""
        if self._clock_epoch is None:
            # Device periods are whole ticks: rounding takes the clock's drift out of the first estimate.
            self._nominal_ticks = float(np.rint(1e9 / self._rate / clock.ns_per_tick))
        elif self.passed_ns != NEVER:
            self._floor_ns = self.passed_ns + round(self._period_ns / 2)
        self._clock_epoch = clock.epoch

    def _beyond_measure(self, index: IntArray, kept: BoolArray) -> BoolArray:
        """Which of the kept samples find their epoch full; counts the others in."""
        flooding = np.zeros(kept.size, np.bool_)
        for i in np.unique(index[kept]).tolist():
            mine = np.flatnonzero(kept & (index == i))
            room = max(0, self._most - self._filled[i])
            flooding[mine[room:]] = True
            self._filled[i] += min(mine.size, room)
        return flooding

    def _cut(self, end_ns: int) -> _Waiting | None:
        """Take the samples before a time out of the memory, in order of time; None if there are none."""
        if not self._waiting:
            return None
        waiting = _Waiting.join(self._waiting)
        due = waiting.t < end_ns
        self._waiting = [] if due.all() else [waiting[~due]]
        if not due.any():
            return None
        waiting = waiting[due]
        return waiting[np.argsort(waiting.t, kind="stable")]

    def _uniform(self, due: _Waiting | None, index: int) -> SampleBlock:
        """Lay samples on the grid; points that no sample meets are missing, up to the end of the epoch."""
        end_ns = (index + 1) * self._timing.length
        rows = np.zeros(0, np.int64)
        if due is not None:
            self._period_ns = self._nominal_ticks * float(due.clock[-1, 0])
            if self._grid_ns is None:
                self._grid_ns = float(due.t[0]) - self._period_ns
            rows = np.empty(due.t.size, np.int64)
        period = self._period_ns
        before = end_ns - period if self._grid_ns is None else self._grid_ns
        reached = before if due is None else _lay(due.t, before, period, rows)
        # A point just before the end may only be jitter of the next epoch's first sample: leave it to that epoch.
        tail = max(0, int(np.floor((end_ns - period / 2 - reached) / period)))
        size = int(rows.max(initial=-1)) + 1 + tail
        self._grid_ns = reached + tail * period
        if due is not None:
            self._count_crowded(due, rows, index)
        self._count(index, "missing", size - int(np.count_nonzero(rows >= 0)))
        return _laid(self._name, due, rows, size, _Span(before, self._grid_ns, period), self._channels)

    def _count_crowded(self, due: _Waiting, rows: IntArray, index: int) -> None:
        """Samples whose point was taken: the same one twice, or one too many."""
        crowded = np.flatnonzero(rows < 0)
        twice = np.count_nonzero(due.ticks[crowded] == due.ticks[np.maximum(crowded - 1, 0)])
        self._count(index, "duplicate", int(twice))
        self._count(index, "overlapping", int(crowded.size - twice))


@dataclass(frozen=True, slots=True)
class _Span:
    """Where the grid points of an epoch lie [ns]."""

    before: float
    """Last point of the epoch before."""
    last: float
    period: float


def _laid(name: str, due: _Waiting | None, rows: IntArray, size: int, span: _Span, channels: int) -> SampleBlock:
    """The block of an epoch."""
    flags = np.full(size, np.uint8(Quality.MISSING))
    values = np.broadcast_to(np.nan, (size, channels))  # without memory: an hour of silence costs none
    if due is not None:
        met = rows >= 0
        values = np.full((size, channels), np.nan)
        values[rows[met]] = due.values[met]
        flags[rows[met]] = due.quality[met]
    # The points follow the samples within PULL: as a uniform block they end where the next one goes on.
    period = (span.last - span.before) / size if size else span.period
    return SampleBlock(name, round(span.before + period), period, values, flags)


@compiled
def _lay(t: IntArray, before: float, period: float, rows: IntArray) -> float:
    """Row of each sample (samples,) [ns] on the grid that goes on after `before`; -1 where a row is taken.

    The nearest point takes the sample and moves towards it, so that the grid follows the device's clock. Returns
    the time of the last point taken.
    """
    row = -1
    for i in range(t.size):
        steps = int(np.floor((t[i] - before) / period + 0.5))
        if steps < 1:
            rows[i] = -1
            continue
        row += steps
        rows[i] = row
        before += steps * period
        most = PULL * period
        before += min(max(t[i] - before, -most), most)
    return before
