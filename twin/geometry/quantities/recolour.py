"""From chord readings back to the waves of a rail.

A chord shows a wave Omega with the complex gain H(Omega), which is zero where the wave fits the chord (5 m and 2.5 m
under a symmetric chord of 10 m) and wrong in phase where the chord is lopsided. Within a band of gain B(Omega) the
rail is

    z = B conj(H) / (|H|^2 + floor^2) v

which is B / H where the chord sees well, and fades where it is blind: waves lost there cannot be brought back.
"""

import numpy as np
from scipy.fft import next_fast_len
from scipy.signal import detrend

from twin.core.arrays import Array
from twin.geometry.quantities.config import Chord
from twin.geometry.quantities.offsets import ComplexArray, chord_weights
from twin.geometry.rails import STEP, stretches
from twin.numerics.bands import BANDS, gain

FLOOR = 0.05
"""Gain of a chord below which its readings are more noise than wave."""
_PADDING = 5.0
"""Room for the response on either side, in longest waves of the band."""


def recoloured(readings: Array, *, chord: Chord, name: str, floor: float = FLOOR) -> Array:
    """Level or alignment (n,) [m] in a band of twin.numerics.bands, from readings (n,) [m] of a chord.

    Every unbroken stretch by itself; two longest waves beside its ends are less certain, as with the band itself.
    """
    result = np.full(readings.shape, np.nan)
    padding = round(_PADDING * BANDS[name][1] / STEP)
    for start, stop in stretches(np.isfinite(readings)):
        part = detrend(readings[start:stop], type="constant")
        reach = min(padding, part.size - 1)
        # Continued by point reflection: what the band filter does beyond the ends.
        padded = np.pad(part, reach, mode="reflect", reflect_type="odd") if reach else part
        points = next_fast_len(padded.size + padding, real=True)
        cycles = np.asarray(np.fft.rfftfreq(points, STEP), dtype=np.float64)
        response = recolouring(cycles, chord=chord, name=name, floor=floor)
        whole = np.fft.irfft(np.fft.rfft(padded, points) * response, points)
        result[start:stop] = whole[reach : reach + part.size]
    return result


def recolouring(cycles: Array, *, chord: Chord, name: str, floor: float = FLOOR) -> ComplexArray:
    """Complex factor on the spectrum of chord readings at wave numbers (n,) [cycles/m], 0 first."""
    H = chord_weights(chord).response(2 * np.pi * cycles)
    B = np.zeros(cycles.size)
    B[1:] = gain(1 / cycles[1:], step=STEP, name=name)
    return np.asarray(B * np.conj(H) / (np.abs(H) ** 2 + floor**2))


def kept(wavelength: Array, *, chord: Chord, floor: float = FLOOR) -> Array:
    """Share of a wave [m] that comes back through chord and recolouring, 0 to 1: 1 is all of the band's."""
    squares = np.abs(chord_weights(chord).response(2 * np.pi / wavelength)) ** 2
    return np.asarray(squares / (squares + floor**2))
