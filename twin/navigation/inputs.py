"""What the filters are fed: one epoch of inertial samples, and motion along the track."""

from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array, FlagArray, IntArray
from twin.core.blocks import SampleBlock
from twin.core.quality import UNUSABLE

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
