"""What the filters are fed: one epoch of inertial samples, and motion along the track."""

from dataclasses import dataclass, replace

import numpy as np

from twin.core.arrays import Array, FlagArray, IntArray
from twin.core.blocks import SampleBlock
from twin.core.quality import UNUSABLE, Quality
from twin.navigation.config import SpikeConfig

EARTH_RATE = 7.292115e-5
"""Rotation of the earth [rad/s]."""


@dataclass(frozen=True, slots=True)
class Inertial:
    """Samples of the inertial sensor; unusable ones are NaN. All arrays have (samples, ...)."""

    t_ns: IntArray
    dt: float
    """[s]"""
    a: Array
    """(samples, 3) specific force in the body [m/s^2]"""
    w: Array
    """(samples, 3) angular rate of the body [rad/s]"""
    quality: FlagArray

    @classmethod
    def from_block(cls, block: SampleBlock, *, earth_vertical: float) -> "Inertial":
        """Take accelerations and rates out of a block; earth_vertical: the earth's rate about z [rad/s]."""
        values = np.where((block.quality & np.uint8(UNUSABLE))[:, None] != 0, np.nan, block.values)
        w = values[:, 3:6] - np.array([0.0, 0.0, earth_vertical])
        return cls(block.t_ns, block.period_ns * 1e-9, np.ascontiguousarray(values[:, 0:3]), w, block.quality)

    def __len__(self) -> int:
        return int(self.t_ns.size)

    def without_spikes(self, config: SpikeConfig, *, v: float) -> "Inertial":
        """The samples but for spikes, which become NaN and implausible; v: speed [m/s].

        A blow of one sample is within every limit of the sensor, yet integrates to a velocity that is not there.
        Distance is from the epoch's median, in units of the usual or the present spread (by the median deviation),
        whichever is larger: a rough stretch is not a spike.
        """
        spike = np.zeros(len(self), dtype=bool)
        cleaned = []
        for values, noise in ((self.a, config.accel), (self.w, config.gyro)):
            away = np.abs(values - _median(values))
            usual = np.hypot(noise.rest, noise.moving * v / 20)
            far = np.any(away > config.limit * np.maximum(usual, 1.4826 * _median(away)), axis=1)
            cleaned.append(np.where(far[:, None], np.nan, values))
            spike |= far
        quality = self.quality | np.where(spike, np.uint8(Quality.IMPLAUSIBLE), np.uint8(0))
        return replace(self, a=cleaned[0], w=cleaned[1], quality=quality)


def _median(values: Array) -> Array:
    """(3,) median of the finite rows; 0 where there is none."""
    finite = values[np.isfinite(values).all(axis=1)]
    return np.asarray(np.median(finite, axis=0)) if len(finite) else np.zeros(values.shape[1])


@dataclass(frozen=True, slots=True)
class Motion:
    """Motion along the track at the inertial samples. All (samples,)."""

    d: Array
    """Distance by the encoder [m], in its own scale."""
    v: Array
    """Speed in the encoder's scale [m/s]."""
    a: Array
    """Acceleration [m/s^2]."""
    var_v: Array
    quality: FlagArray
    """SLIPPING, STANDSTILL, BRIDGED."""
