"""Quantities that are differences between points of the grid: twist, chords, second derivatives."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.fft import next_fast_len

from twin.core.arrays import Array, frozen
from twin.geometry.quantities.config import Chord
from twin.geometry.rails import STEP

_FINEST = 65536
"""Points of a transform that shows gains at waves of kilometres."""

ComplexArray = NDArray[np.complex128]


@dataclass(frozen=True, slots=True)
class Weights:
    """A weighted sum over neighbours: out[i] = sum of taps[k] * values[i + k - middle]."""

    taps: Array
    """(2 middle + 1,)"""

    def __post_init__(self) -> None:
        if self.taps.size % 2 == 0:
            raise ValueError(f"weights need a middle: an odd number of taps, got {self.taps.size}")
        object.__setattr__(self, "taps", frozen(self.taps))

    @property
    def middle(self) -> int:
        """Points reached to either side."""
        return self.taps.size // 2

    def of(self, values: Array) -> Array:
        """(n,) weighted sums; NaN where a neighbour with weight is unknown or beyond the ends."""
        result = np.zeros(values.size)
        padded = np.concatenate((np.full(self.middle, np.nan), values, np.full(self.middle, np.nan)))
        for k in np.flatnonzero(self.taps):
            result += self.taps[k] * padded[k : k + values.size]
        return result

    def response(self, Omega: Array) -> ComplexArray:
        """Complex gain for waves exp(i Omega s), Omega [rad/m]; meant for few taps."""
        used = np.flatnonzero(self.taps)
        phase = np.exp(1j * STEP * np.multiply.outer(Omega, used - self.middle))
        return np.asarray(phase @ self.taps[used])

    def squared_gain(self, Omega: Array) -> Array:
        """Gain for variances of waves of Omega up to pi / STEP [rad/m], from a transform of the padded taps."""
        points = next_fast_len(max(_FINEST, 8 * self.taps.size), real=True)
        squares = np.abs(np.fft.rfft(self.taps, points)) ** 2
        return np.asarray(np.interp(Omega, 2 * np.pi * np.fft.rfftfreq(points, STEP), squares))

    def squares_of(self, values: Array) -> Array:
        """(n,) sums weighted by the squares of the taps.

        Values go on beyond the ends as they stand there; unknown ones lie on the line between their neighbours.
        """
        from scipy.signal import fftconvolve  # here, as it is slow to load and a live run does without

        known = np.isfinite(values)
        if not known.any():
            return np.full(values.size, np.nan)
        places = np.arange(values.size)
        padded = np.pad(np.interp(places, places[known], values[known]), self.middle, mode="edge")
        return np.maximum(fftconvolve(padded, self.taps[::-1] ** 2, mode="valid"), 0.0)


IDENTITY = Weights(np.ones(1))


def twist_weights(base: float) -> Weights:
    """Of cross level, for its change over a base [m] about the point, per metre of base."""
    half = round(base / (2 * STEP))
    taps = np.zeros(2 * half + 1)
    taps[0], taps[-1] = -1 / base, 1 / base
    return Weights(taps)


def chord_weights(chord: Chord) -> Weights:
    """Of a rail, for its offset from a chord: positive where the rail lies above, or left of, the string."""
    behind, ahead = round(chord.behind / STEP), round(chord.ahead / STEP)
    middle = max(behind, ahead)
    taps = np.zeros(2 * middle + 1)
    taps[middle] = 1.0
    taps[middle - behind] -= ahead / (behind + ahead)
    taps[middle + ahead] -= behind / (behind + ahead)
    return Weights(taps)


def bend_weights(base: float) -> Weights:
    """Of alignment, for its mean second derivative over a chord [m]."""
    half = round(base / (2 * STEP))
    taps = np.zeros(2 * half + 1)
    taps[[0, half, -1]] = np.array([1.0, -2.0, 1.0]) / (half * STEP) ** 2
    return Weights(taps)


def mean_weights(window: float) -> Weights:
    """A sliding mean over a window [m] about the point."""
    half = round(window / (2 * STEP))
    return Weights(np.full(2 * half + 1, 1 / (2 * half + 1)))
