"""From device time to epochs of common time: multi-rate, late, missing, duplicate and reordered data.

A sample is judged by the order of its own device's stream alone, an epoch closes when every source has passed its
end (plus an allowance for reordered packets) or when the horizon of host-receive time has expired. So the epochs
depend neither on how the input is cut nor on how the devices are interleaved, as long as every packet arrives
within the horizon.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from pydantic import Field, model_validator

from twin.core.arrays import Array, FlagArray, IntArray
from twin.core.blocks import ClockFit, Epoch, RawBlock, SampleBlock
from twin.core.quality import Quality
from twin.core.settings import Settings
from twin.core.stage import Latency

NEVER = np.iinfo(np.int64).min


class SynchroniserConfig(Settings):
    """How long an epoch is and how long it waits."""

    epoch: float = Field(0.2, ge=0.02, le=5, description="length of an epoch [s]; results are made once per epoch")
    allowance: float = Field(
        0.1, ge=0, le=5, description="how far a device may reorder its own samples [s]; adds to the latency"
    )
    horizon: float = Field(
        2.0,
        gt=0,
        le=60,
        description="longest wait for a silent device [s of host-receive time]; then its data is missing",
    )
    clock_sd_limit: float = Field(
        2e-3,
        gt=0,
        le=1,
        description="device clocks less certain than this are flagged [s]; 2 ms are 4 cm at 20 m/s",
    )

    @model_validator(mode="after")
    def _ordered(self) -> "SynchroniserConfig":
        if self.horizon <= self.allowance:
            raise ValueError(f"horizon must exceed allowance = {self.allowance:g} s, got {self.horizon:g} s")
        return self


@dataclass
class _Source:
    """Memory of one source: samples waiting for their epoch, and where its uniform grid stands."""

    rate: float
    """Nominal sampling rate [Hz]."""
    t: list[IntArray] = field(default_factory=list)
    ticks: list[IntArray] = field(default_factory=list)
    values: list[Array] = field(default_factory=list)
    quality: list[FlagArray] = field(default_factory=list)
    passed_ns: int = NEVER
    """Latest sample time seen in this source's own stream."""
    grid_ns: float | None = None
    """Time of the last point of the uniform grid handed out."""
    channels: int = 0
    ns_per_tick: float = 1.0
    nominal_ticks: float | None = None
    """Sampling period in device ticks, fixed at the first clock fit."""
    counts: dict[int, dict[str, int]] = field(default_factory=dict)
    """By epoch index."""

    def count(self, index: int, name: str, number: int) -> None:
        if number:
            entry = self.counts.setdefault(index, {})
            entry[name] = entry.get(name, 0) + number

    @property
    def period_ns(self) -> float:
        nominal = 1e9 / self.rate
        return nominal if self.nominal_ticks is None else self.nominal_ticks * self.ns_per_tick


class Synchroniser:
    """Collects RawBlocks of the named sources and emits Epochs in order."""

    def __init__(self, config: SynchroniserConfig, rates: Mapping[str, float]) -> None:
        """rates: nominal sampling rate [Hz] of every source that is waited for, by name."""
        self._config = config
        self._length = round(config.epoch * 1e9)
        self._allowance = round(config.allowance * 1e9)
        self._horizon = round(config.horizon * 1e9)
        self._sources = {name: _Source(rate) for name, rate in rates.items()}
        self._host_ns = NEVER
        self._next: int | None = None

    @property
    def latency(self) -> Latency:
        """An epoch is complete at the latest one horizon after its end."""
        return Latency(seconds=self._config.epoch + self._config.horizon)

    def process(self, item: RawBlock) -> Sequence[Epoch]:
        """Take the samples of one device; return the epochs they complete."""
        source = self._sources.get(item.source)
        if source is None:
            return ()
        self._host_ns = max(self._host_ns, item.t_host_ns)
        if item.clock is None:
            source.count(self._host_ns // self._length, "unsynchronised", item.ticks.size)
        elif item.ticks.size:
            self._take(source, item, item.clock)
        return self._close()

    def flush(self) -> Sequence[Epoch]:
        """Close every epoch that holds samples: the input has ended."""
        last = max((int(t.max()) for s in self._sources.values() for t in s.t), default=None)
        if last is None:
            return ()
        return self._emit_until(last // self._length + 1)

    def _take(self, source: _Source, item: RawBlock, clock: ClockFit) -> None:
        t = clock.to_ns(item.ticks)
        # Nothing is received before it happens: a time from the future is a broken clock's, not a sample's.
        future = t > item.t_host_ns + self._allowance
        source.count(item.t_host_ns // self._length, "future", int(future.sum()))
        if future.any():
            kept = ~future
            item = replace(item, ticks=item.ticks[kept], values=item.values[kept], quality=item.quality[kept])
            t = t[kept]
        if not t.size:
            return
        before = np.maximum.accumulate(np.concatenate(([source.passed_ns], t)))[:-1]
        reordered = t < before
        closed = np.where(before == NEVER, NEVER, (before - self._allowance) // self._length * self._length)
        if self._next is not None:
            closed = np.maximum(closed, self._next * self._length)
        late = t < closed
        where = int(before[-1] if before[-1] != NEVER else t[0]) // self._length
        source.count(where, "late", int(late.sum()))
        source.count(where, "reordered", int((reordered & ~late).sum()))
        source.ns_per_tick = clock.ns_per_tick
        if source.nominal_ticks is None:
            # Device periods are whole ticks: rounding takes the clock's drift out of the first estimate.
            source.nominal_ticks = float(np.rint(1e9 / source.rate / clock.ns_per_tick))
        source.channels = item.values.shape[1]
        source.passed_ns = max(source.passed_ns, int(t.max()))
        quality = item.quality[~late]
        if clock.sd_ns > self._config.clock_sd_limit * 1e9:
            quality = quality | np.uint8(Quality.CLOCK_UNSURE)
        if quality.size:
            source.t.append(t[~late])
            source.ticks.append(item.ticks[~late])
            source.values.append(item.values[~late])
            source.quality.append(quality)

    def _close(self) -> Sequence[Epoch]:
        passed = min(s.passed_ns for s in self._sources.values())
        by_data = NEVER if passed == NEVER else (passed - self._allowance) // self._length
        by_horizon = (self._host_ns - self._horizon) // self._length
        return self._emit_until(max(by_data, by_horizon))

    def _emit_until(self, index: int) -> Sequence[Epoch]:
        """Emit every epoch below the index."""
        if self._next is None:
            first = min((int(t.min()) for s in self._sources.values() for t in s.t), default=None)
            if first is None or first // self._length >= index:
                return ()
            self._next = first // self._length
        epochs = []
        while self._next < index:
            epochs.append(self._epoch(self._next))
            self._next += 1
        return epochs

    def _epoch(self, index: int) -> Epoch:
        t0, t1 = index * self._length, (index + 1) * self._length
        samples = {name: _uniform(name, s, t0, t1, index) for name, s in self._sources.items() if s.channels}
        counts = {}
        for name, source in self._sources.items():
            due = [i for i in source.counts if i <= index]
            total: dict[str, int] = {}
            for i in due:
                for key, number in source.counts.pop(i).items():
                    total[key] = total.get(key, 0) + number
            counts[name] = total
        return Epoch(index=index, t0_ns=t0, t1_ns=t1, samples=samples, counts=counts)


def _uniform(name: str, source: _Source, t0: int, t1: int, index: int) -> SampleBlock:
    """Cut the samples of [t0, t1) out of the buffer and lay them on the source's uniform grid."""
    t, values, quality = _cut(source, t1, index)
    period = source.period_ns
    steps = _steps(t, source.grid_ns, period)
    end = float(t[-1]) if t.size else source.grid_ns
    # A point just before the end may only be jitter of the next epoch's first sample: leave it to that epoch.
    tail = 0 if end is None else max(0, int(np.floor((t1 - period / 2 - end) / period)))
    rows = np.cumsum(steps) - 1
    length = int(steps.sum()) + tail
    laid = np.full((length, source.channels), np.nan)
    flags = np.full(length, np.uint8(Quality.MISSING))
    laid[rows] = values
    flags[rows] = quality
    source.count(index, "missing", length - t.size)
    if t.size:
        start = round(float(t[0]) - (int(steps[0]) - 1) * period)
    else:
        start = round((source.grid_ns or t0) + period)
    if end is not None:
        source.grid_ns = end + tail * period
    return SampleBlock(source=name, t0_ns=start, period_ns=period, values=laid, quality=flags)


def _steps(t: IntArray, grid_ns: float | None, period: float) -> IntArray:
    """Grid points from each sample to the one before it; the first sample of a source starts its grid."""
    if not t.size:
        return np.zeros(0, dtype=np.int64)
    first = t[0] - period if grid_ns is None else grid_ns
    gaps = np.diff(t, prepend=first) if grid_ns is not None else np.diff(t.astype(float), prepend=float(first))
    return np.maximum(np.rint(np.asarray(gaps, dtype=float) / period), 1).astype(np.int64)


def _cut(source: _Source, t1: int, index: int) -> tuple[IntArray, Array, FlagArray]:
    """Take the samples before t1 out of the buffer, in time order, duplicates dropped and counted."""
    if not source.t:
        return np.zeros(0, np.int64), np.zeros((0, source.channels)), np.zeros(0, np.uint8)
    t, ticks = np.concatenate(source.t), np.concatenate(source.ticks)
    values, quality = np.concatenate(source.values), np.concatenate(source.quality)
    now = t < t1
    rest = ~now
    source.t, source.ticks = [t[rest]] if rest.any() else [], [ticks[rest]] if rest.any() else []
    source.values, source.quality = [values[rest]] if rest.any() else [], [quality[rest]] if rest.any() else []
    _, kept = np.unique(ticks[now], return_index=True)
    source.count(index, "duplicate", int(now.sum()) - kept.size)
    order = kept[np.argsort(t[now][kept], kind="stable")]
    return t[now][order], values[now][order], quality[now][order]
