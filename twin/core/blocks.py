"""Data on its way in: RawBlock in device ticks, SampleBlock on the common clock, Epoch with every group."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from twin.core.arrays import Array, FlagArray, IntArray, frozen


@dataclass(frozen=True, slots=True)
class ClockFit:
    """A device clock against the common clock: t_ns = t0_ns + (tick - tick0) * ns_per_tick."""

    tick0: int
    t0_ns: int
    ns_per_tick: float
    sd_ns: float
    """Standard deviation of a converted time [ns]."""
    epoch: int = 0
    """Counts restarts and steps of the device clock: samples of two epochs share no grid."""

    def to_ns(self, ticks: IntArray) -> IntArray:
        """Common time of device ticks [ns]."""
        shift = np.rint((ticks - self.tick0) * self.ns_per_tick).astype(np.int64)
        return np.asarray(self.t0_ns + shift, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class RawBlock:
    """Samples of one device as decoded: SI values, but still in device time."""

    source: str
    """Name of the device in the configuration."""
    ticks: IntArray
    """(samples,) device time."""
    values: Array
    """(samples, channels) SI, calibrated."""
    quality: FlagArray
    """(samples,)"""
    t_host_ns: int
    """Host time at which the last byte of this block was received."""
    clock: ClockFit | None
    """None until the device clock is first synchronised."""

    def __post_init__(self) -> None:
        n = self.ticks.shape[0]
        if self.ticks.shape != (n,) or self.values.ndim != 2 or self.values.shape[0] != n or self.quality.shape != (n,):
            raise ValueError(f"RawBlock shapes do not fit: {self.ticks.shape} {self.values.shape} {self.quality.shape}")
        for name in ("ticks", "values", "quality"):
            object.__setattr__(self, name, frozen(getattr(self, name)))


@dataclass(frozen=True, slots=True)
class SampleBlock:
    """Uniform samples of one source on the common clock; what is missing is NaN and flagged."""

    source: str
    t0_ns: int
    period_ns: float
    """Sampling period in common time [ns]; not an integer, device clocks drift."""
    values: Array
    """(samples, channels) SI."""
    quality: FlagArray
    """(samples,)"""

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or self.quality.shape != (self.values.shape[0],):
            raise ValueError(f"SampleBlock shapes do not fit: {self.values.shape} {self.quality.shape}")
        for name in ("values", "quality"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def __len__(self) -> int:
        return int(self.values.shape[0])

    @property
    def t_ns(self) -> IntArray:
        """(samples,) common time [ns]."""
        steps = np.rint(np.arange(len(self)) * self.period_ns).astype(np.int64)
        return np.asarray(self.t0_ns + steps, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Epoch:
    """One interval [t0_ns, t1_ns) of common time with the samples of every source, each at its own rate."""

    index: int
    t0_ns: int
    t1_ns: int
    samples: Mapping[str, SampleBlock]
    """By source; a source that gave nothing has a block without samples, or is absent."""
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By source: what went wrong with its samples in this epoch, such as missing, duplicate or late."""
    clock_sd: Mapping[str, float] = field(default_factory=dict)
    """By source: greatest standard deviation of the times of its samples [s]; absent where there are none."""
