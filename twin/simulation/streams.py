"""Samples of simulated sensors, and the numbers of the samples in a stretch of time."""

from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array


@dataclass(frozen=True, slots=True)
class SensorStream:
    """Samples of one source as the imperfect sensor reports them."""

    source: str
    kind: str
    t: Array
    """(samples,) true common time of each sample, its jitter included [s]."""
    values: Array
    """(samples, channels) SI; imu: a_x a_y a_z w_x w_y w_z temperature; encoder: unwrapped wheel angle."""


def indices(t0: float, t1: float, rate: float) -> Array:
    """Numbers of the samples in [t0, t1); the rounding absorbs t * rate a hair above a whole number."""
    first, last = np.ceil(np.round(np.array([t0, t1]) * rate, 6))
    return np.arange(first, last)
