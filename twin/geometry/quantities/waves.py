"""Wavelength bands of the rails: what is valid of them beside ends and gaps, and their weights.

The filters are those of twin.numerics.bands: Butterworth of fourth order, forwards and backwards, -3 dB at the
limits of the band, 48 dB per octave outside, no phase. A run of 50 km is 200 000 points: it is filtered whole.
"""

from functools import cache

import numpy as np
from scipy.fft import next_fast_len

from twin.core.arrays import Array, BoolArray
from twin.geometry.quantities.offsets import Weights
from twin.geometry.quantities.quantity import Kind
from twin.geometry.rails import STEP, stretches
from twin.numerics.bands import BANDS, band, gain

VARIANTS = ("D1", "D2", "D3")
_REACH = 8.0
"""Length of the weights to either side in longest waves: less than 1e-5 of their energy lies beyond."""


def band_of(kind: Kind, variant: str) -> str:
    """Name of the band in twin.numerics.bands: D3 of alignment reaches further."""
    return "D3 alignment" if kind is Kind.ALIGNMENT and variant == "D3" else variant


def waves(values: Array, *, name: str, edge_wavelengths: float) -> tuple[Array, BoolArray]:
    """Values (n,) in a band, and where they are valid: so many longest waves off every end and gap."""
    result = band(values, step=STEP, name=name)
    edge = round(edge_wavelengths * BANDS[name][1] / STEP)
    valid = np.zeros(values.size, dtype=bool)
    for start, stop in stretches(np.isfinite(result)):
        valid[start + edge : max(stop - edge, start + edge)] = True
    return result, valid


@cache
def band_weights(name: str) -> Weights:
    """The band as weights over neighbours: the response to an impulse in the middle of a long line."""
    reach = round(_REACH * BANDS[name][1] / STEP)
    points = next_fast_len(4 * reach, real=True)
    cycles = np.fft.rfftfreq(points, STEP)
    response = np.zeros(cycles.size)
    response[1:] = gain(1 / cycles[1:], step=STEP, name=name)
    impulse = np.fft.irfft(response, points)
    return Weights(np.concatenate((impulse[-reach:], impulse[: reach + 1])))
