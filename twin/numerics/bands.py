"""Zero-phase wavelength bands of track geometry on a uniform grid: D1, D2, D3 of EN 13848-1.

A Butterworth band-pass runs over the grid forwards and backwards, so that no wavelength is shifted and the answer
is the same in both running directions. Two passes square the gain; the single pass is widened so that the two
together have -3 dB at the limits of the band. The slope is 48 dB per octave; the standard asks for at least 24.
"""

from math import atan, hypot, pi, sqrt, tan

import numpy as np
from numpy.typing import ArrayLike
from scipy.signal import butter, detrend, freqz_sos, sosfiltfilt

from twin.core.arrays import Array
from twin.core.errors import ConfigError

BANDS: dict[str, tuple[float, float]] = {
    "D1": (3.0, 25.0),
    "D2": (25.0, 70.0),
    "D3": (70.0, 150.0),
    "D3 alignment": (70.0, 200.0),
}
"""Shortest and longest wavelength of every band [m]; alignment reaches further than longitudinal level."""

_ORDER = 4
_PADDING = 5.0
"""Reflected length at each end in longest wavelengths: the response to an impulse is down to 0.2 % there."""


def band(values: Array, *, step: float, name: str) -> Array:
    """The share of values (n,) or (n, channels), at points `step` [m] apart, that lies in a band of BANDS.

    Every unbroken stretch of finite rows is filtered by itself; rows with a gap stay NaN. The data continue beyond
    the ends of a stretch by point reflection, so two longest wavelengths at each end are less certain.
    """
    sos = _sections(step, *_limits(name))
    padding = round(_PADDING * BANDS[name][1] / step)
    result = np.full(values.shape, np.nan)
    for start, stop in _stretches(values):
        # A straight line lies in no band, but it would start with a transient.
        level = detrend(values[start:stop], axis=0)
        result[start:stop] = sosfiltfilt(sos, level, axis=0, padlen=min(padding, stop - start - 1))
    return result


def gain(wavelength: ArrayLike, *, step: float, name: str) -> Array:
    """Amplitude that band() leaves of each wavelength [m], 0 to 1; step: grid [m], wavelength >= 2 step."""
    cycles_per_point = step / np.asarray(wavelength, dtype=np.float64)
    _, response = freqz_sos(_sections(step, *_limits(name)), worN=np.atleast_1d(2 * pi * cycles_per_point))
    return np.asarray(np.abs(response) ** 2).reshape(cycles_per_point.shape)


def _limits(name: str) -> tuple[float, float]:
    if name not in BANDS:
        raise ConfigError(f"no wavelength band '{name}'; there are {', '.join(BANDS)}")
    return BANDS[name]


def _sections(step: float, shortest: float, longest: float) -> Array:
    """Second-order sections of the single pass, whose squared gain is 1/sqrt(2) at both limits."""
    if not 0 < step < shortest / 2:
        raise ConfigError(f"the grid step must be positive and below {shortest / 2:g} m, got {step:g} m")
    low, high = tan(pi * step / longest), tan(pi * step / shortest)
    # |H|^2 = 1 / (1 + w^(2 order)) with w = (W^2 - low high) / (W width): both limits stay at w = +-width ratio.
    width = (high - low) / (sqrt(2) - 1) ** (1 / (2 * _ORDER))
    centre = hypot(width / 2, sqrt(low * high))
    edges = [2 * atan(centre - width / 2) / pi, 2 * atan(centre + width / 2) / pi]
    return np.asarray(butter(_ORDER, edges, "bandpass", output="sos"))


def _stretches(values: Array) -> list[tuple[int, int]]:
    """Start and stop of every run of rows without a gap."""
    finite = np.isfinite(values) if values.ndim == 1 else np.isfinite(values).all(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], finite, [False])).astype(np.int8)))
    return [(int(start), int(stop)) for start, stop in edges.reshape(-1, 2)]
