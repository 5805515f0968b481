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

NEVER = int(np.iinfo(np.int64).min)
FLOOD = 2
"""A source may bring this many times its nominal rate; more is not kept, which bounds the memory."""
PULL = 0.05
"""Share of a period by which one sample moves the grid: ten times the fastest correction of a device clock."""

_GOOD, _REORDERED, _LATE, _OVERLAPPING, _FUTURE = range(5)
_VERDICTS = {_REORDERED: "reordered", _LATE: "late", _OVERLAPPING: "overlapping", _FUTURE: "future"}


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
        if item.clock is None:
            self._count(self._timing.index(item.t_host_ns), "unsynchronised", item.ticks.size)
            return
        if item.clock.epoch != self._clock_epoch:
            self._start_clock(item.clock)
        t = item.clock.to_ns(item.ticks)
        kept = self._judge(t, item.t_host_ns, closed_ns)
        if kept.size == t.size:
            self._keep(_timed(item, item.clock, t, self._timing.clock_sd_limit))
        elif kept.size:
            self._keep(_timed(item, item.clock, t, self._timing.clock_sd_limit)[kept])

    def epoch(self, index: int, *, until_ns: int) -> SourceEpoch:
        """The samples of an epoch on the source's uniform grid, and all counts up to its end.

        until_ns: what has not come by then is missing; earlier than the epoch's end if the run ends in it.
        """
        due = self._cut((index + 1) * self._timing.length)
        if due is not None:
            self._channels = due.values.shape[1]
        block = self._uniform(due, index, until_ns) if self._channels else None
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

    def _judge(self, t: IntArray, t_host_ns: int, closed_ns: int) -> IntArray:
        """Rows of the samples to keep; the others are counted."""
        timing = self._timing
        expired_ns = timing.index(t_host_ns - timing.horizon) * timing.length
        limits = np.array(
            [t_host_ns + timing.allowance, max(closed_ns, expired_ns), self._floor_ns, timing.allowance, timing.length]
        )
        verdict, where = np.empty((2, t.size), np.int64)
        self.passed_ns = _arrive(t, limits, self.passed_ns, verdict, where)
        if not verdict.any():
            return np.arange(t.size)
        for code, name in _VERDICTS.items():
            for index, number in Counter((where[verdict == code] // timing.length).tolist()).items():
                self._count(index, name, number)
        return np.flatnonzero(verdict <= _REORDERED)

    def _start_clock(self, clock: ClockFit) -> None:
        """A clock set anew may give times that were already given: the source goes on after its last sample."""
        if self._clock_epoch is None:
            # Device periods are whole ticks: rounding takes the clock's drift out of the first estimate.
            self._nominal_ticks = float(np.rint(1e9 / self._rate / clock.ns_per_tick))
        elif self.passed_ns != NEVER:
            self._floor_ns = self.passed_ns + round(1e9 / self._rate / 2)
        self._clock_epoch = clock.epoch

    def _keep(self, samples: _Waiting) -> None:
        """Let samples wait for their epoch, as far as it has room for them."""
        first_ns = int(samples.t.min())
        self._begin(first_ns)
        first, last = self._timing.index(first_ns), self._timing.index(int(samples.t.max()))
        if first == last and self._filled[first] + samples.t.size <= self._most:
            self._filled[first] += samples.t.size
            self._waiting.append(samples)
            return
        index = samples.t // self._timing.length
        welcome = np.ones(index.size, np.bool_)
        for i in np.unique(index).tolist():
            mine = np.flatnonzero(index == i)
            room = max(0, self._most - self._filled[i])
            welcome[mine[room:]] = False
            self._filled[i] += min(mine.size, room)
            self._count(i, "flooding", max(0, mine.size - room))
        if welcome.any():
            self._waiting.append(samples[welcome])

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

    def _uniform(self, due: _Waiting | None, index: int, until_ns: int) -> SampleBlock:
        """Lay samples on the grid; points that no sample meets are missing."""
        rows = np.zeros(0, np.int64)
        if due is not None:
            self._period_ns = self._nominal_ticks * float(due.clock[-1, 0])
            if self._grid_ns is None:
                self._grid_ns = float(due.t[0]) - self._period_ns
            rows = np.empty(due.t.size, np.int64)
        period = self._period_ns
        before = until_ns - period if self._grid_ns is None else self._grid_ns
        reached = before if due is None else _lay(due.t, before, period, rows)
        # A point just before the end may only be jitter of the next epoch's first sample: leave it to that epoch.
        tail = max(0, int(np.floor((until_ns - period / 2 - reached) / period)))
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


def _timed(item: RawBlock, clock: ClockFit, t: IntArray, clock_sd_limit: float) -> _Waiting:
    """Samples at common times t; clock_sd_limit: greatest standard deviation of a time that is not flagged [ns]."""
    quality = item.quality
    if clock.sd_ns > clock_sd_limit:
        quality = quality | np.uint8(Quality.CLOCK_UNSURE)
    fit = np.empty((t.size, 2))
    fit[:] = clock.ns_per_tick, clock.sd_ns
    return _Waiting(t, item.ticks, item.values, quality, fit)


@compiled
def _arrive(t: IntArray, limits: IntArray, passed: int, verdict: IntArray, where: IntArray) -> int:
    """Judge samples (samples,) in their order of arrival; where: the time at which each is counted.

    limits: latest possible time, end of the epochs closed, of an earlier clock, the allowance, an epoch's length.
    Returns the latest time that this source has passed. All [ns].
    """
    latest, closed, floor, allowance, length = limits
    for i in range(t.size):
        if t[i] > latest:  # nothing is received before it happens: this is a broken clock's time
            verdict[i], where[i] = _FUTURE, latest - allowance
            continue
        own = closed if passed == NEVER else (passed - allowance) // length * length
        where[i] = t[i] if passed == NEVER else passed
        if t[i] < max(own, closed):
            verdict[i] = _LATE
        elif t[i] < floor:
            verdict[i] = _OVERLAPPING
        elif t[i] < passed:
            verdict[i] = _REORDERED
        else:
            verdict[i] = _GOOD
        passed = max(passed, t[i])
    return passed


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
