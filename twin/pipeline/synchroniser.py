"""From device time to epochs of common time: multi-rate, late, missing, duplicate and reordered data.

A sample is judged by the order of its own device's stream alone, an epoch closes when every source has passed its
end (plus an allowance for reordered packets) or when the horizon of host-receive time has expired. So the epochs
depend neither on how the input is cut nor on how the devices are interleaved, as long as every packet arrives
within the horizon.
"""

from collections.abc import Mapping, Sequence

from pydantic import Field, model_validator

from twin.core.blocks import Epoch, RawBlock
from twin.core.settings import Settings
from twin.core.stage import Latency
from twin.pipeline.source import NEVER, Source, Timing


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


class Synchroniser:
    """Collects RawBlocks of the named sources and emits Epochs in order, without a gap between them."""

    def __init__(self, config: SynchroniserConfig, rates: Mapping[str, float]) -> None:
        """rates: nominal sampling rate [Hz] of every source that is waited for, by name."""
        self._config = config
        self._timing = Timing(
            length=round(config.epoch * 1e9),
            allowance=round(config.allowance * 1e9),
            horizon=round(config.horizon * 1e9),
            clock_sd_limit=config.clock_sd_limit * 1e9,
        )
        self._sources = {name: Source(name, rate, self._timing) for name, rate in rates.items()}
        self._host_ns = NEVER
        self._next: int | None = None

    @property
    def latency(self) -> Latency:
        """An epoch is complete at the latest one horizon after its end."""
        return Latency(seconds=self._config.epoch + self._config.horizon)

    @property
    def held(self) -> int:
        """Samples waiting for their epoch: at most two horizons of every source at its nominal rate."""
        return sum(source.held for source in self._sources.values())

    def process(self, item: RawBlock) -> Sequence[Epoch]:
        """Take the samples of one device; return the epochs they complete. Sources not named are left out."""
        source = self._sources.get(item.source)
        if source is None or not item.ticks.size:
            return ()
        self._host_ns = max(self._host_ns, item.t_host_ns)
        source.take(item, closed_ns=NEVER if self._next is None else self._next * self._timing.length)
        return self._close()

    def flush(self) -> Sequence[Epoch]:
        """Close every epoch that has begun: the input has ended."""
        last = max((source.passed_ns for source in self._sources.values()), default=NEVER)
        return () if last == NEVER else self._emit_until(self._timing.index(last) + 1, end_ns=last)

    def _close(self) -> Sequence[Epoch]:
        timing = self._timing
        passed = min(source.passed_ns for source in self._sources.values())
        by_data = NEVER if passed == NEVER else timing.index(passed - timing.allowance)
        by_horizon = timing.index(self._host_ns - timing.horizon)
        return self._emit_until(max(by_data, by_horizon))

    def _emit_until(self, index: int, *, end_ns: int | None = None) -> Sequence[Epoch]:
        """Emit every epoch below the index; end_ns: where the run ends, if it does."""
        if self._next is None:
            begin = min(source.first_ns for source in self._sources.values() if source.first_ns is not None)
            if self._timing.index(begin) >= index:
                return ()
            self._next = self._timing.index(begin)
        epochs = [self._epoch(i, end_ns) for i in range(self._next, index)]
        self._next = max(self._next, index)
        return epochs

    def _epoch(self, index: int, end_ns: int | None) -> Epoch:
        t1_ns = (index + 1) * self._timing.length
        until_ns = t1_ns if end_ns is None else min(t1_ns, end_ns)
        found = {name: source.epoch(index, until_ns=until_ns) for name, source in self._sources.items()}
        return Epoch(
            index=index,
            t0_ns=index * self._timing.length,
            t1_ns=t1_ns,
            samples={name: each.block for name, each in found.items() if each.block is not None},
            counts={name: each.counts for name, each in found.items()},
            clock_sd={name: each.clock_sd for name, each in found.items() if each.clock_sd is not None},
        )
