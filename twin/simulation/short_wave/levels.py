"""Roughness as one-third-octave levels: published curves, their densities, seeded realisations.

A level L [dB re 1 um] is the mean square of what a band of one third of an octave holds, 10^(L/10) um^2. Its density
over the spatial frequency nu = 1 / wavelength is that over the band's width, (2^(1/6) - 2^(-1/6)) nu.
"""

from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array
from twin.simulation.irregularity import SHORTEST, TAPER

BAND_WIDTH = 2 ** (1 / 6) - 2 ** (-1 / 6)
"""Width of a one-third octave over its middle frequency."""
REFERENCE = 1e-6
"""0 dB [m]."""


@dataclass(frozen=True, slots=True)
class LevelCurve:
    """One-third-octave levels over wavelength; straight lines over log wavelength between them, flat beyond."""

    name: str
    source: str
    wavelength: tuple[float, ...]
    """Middles of the bands [m], falling."""
    level_db: tuple[float, ...]
    """[dB re 1 um]."""

    def at(self, wavelength: Array) -> Array:
        """(n,) levels [dB re 1 um] at wavelengths (n,) [m]."""
        return np.interp(np.log(wavelength), np.log(self.wavelength[::-1]), self.level_db[::-1])

    def density(self, nu: Array) -> Array:
        """(n,) one-sided spectral density [m^2 / (1/m)] at spatial frequencies nu > 0 (n,) [1/m]."""
        mean_square = REFERENCE**2 * 10 ** (self.at(1 / nu) / 10)
        return np.asarray(mean_square / (BAND_WIDTH * nu))


RAIL_LIMIT = LevelCurve(
    name="ISO 3095 limit",
    source="ISO 3095:2013 Fig. 2, rail of a reference track (as transcribed in github.com/jmrplens/phonometry, MIT)",
    wavelength=(
        0.4,
        0.315,
        0.25,
        0.2,
        0.16,
        0.125,
        0.1,
        0.08,
        0.063,
        0.05,
        0.04,
        0.0315,
        0.025,
        0.02,
        0.016,
        0.0125,
        0.01,
        0.008,
        0.0063,
        0.005,
    ),
    level_db=(
        17.1,
        15.0,
        13.0,
        11.0,
        9.0,
        7.0,
        4.9,
        2.9,
        0.9,
        -1.1,
        -3.2,
        -5.0,
        -5.6,
        -6.2,
        -6.8,
        -7.4,
        -8.0,
        -8.6,
        -9.2,
        -9.8,
    ),
)
WHEEL_DISC_BRAKED = LevelCurve(
    name="wheel without tread brake",
    source="Directive (EU) 2015/996 Annex II Table G-1, amended by (EU) 2021/1226, column n (same transcription)",
    wavelength=(
        0.315,
        0.25,
        0.2,
        0.16,
        0.12,
        0.1,
        0.08,
        0.063,
        0.05,
        0.04,
        0.0315,
        0.025,
        0.02,
        0.016,
        0.012,
        0.01,
        0.008,
        0.0063,
        0.005,
    ),
    level_db=(
        -5.9,
        2.3,
        2.8,
        2.6,
        1.2,
        2.1,
        0.9,
        -0.3,
        -1.6,
        -2.9,
        -4.9,
        -7.0,
        -8.6,
        -9.3,
        -9.5,
        -10.1,
        -10.3,
        -10.3,
        -10.8,
    ),
)
WHEEL_TREAD_BRAKED = LevelCurve(
    name="wheel with cast-iron tread brake",
    source="the same, column c",
    wavelength=WHEEL_DISC_BRAKED.wavelength,
    level_db=(2.2, 2.2, 2.2, 2.4, 0.6, 2.6, 5.8, 8.8, 11.1, 11.0, 9.8, 7.5, 5.1, 3.0, 1.3, 0.2, -0.7, -1.2, -1.0),
)


def faded_in(wavelength: Array) -> Array:
    """(n,) amplitude factor of short waves: what the track's irregularities leave out between SHORTEST and TAPER [m].

    The squares of both factors add up to one, so that the two realisations together have one spectrum.
    """
    fade = np.clip((wavelength - SHORTEST) / (TAPER - SHORTEST), 0.0, 1.0)
    return np.asarray(np.cos(np.pi / 2 * fade))


def synthesise_short_waves(
    curve: LevelCurve, *, points: int, step: float, shortest: float, rng: np.random.Generator
) -> Array:
    """(points,) Gaussian realisation [m] of a level curve, periodic over points * step [m], down to shortest [m]."""
    nu = np.asarray(np.fft.rfftfreq(points, step), dtype=np.float64)
    inside = np.flatnonzero((nu > 1 / TAPER) & (nu <= 1 / shortest))
    sd = np.sqrt(curve.density(nu[inside]) * nu[1]) * faded_in(1 / nu[inside])
    amplitude = np.zeros(nu.size, dtype=complex)
    amplitude[inside] = sd * (rng.standard_normal(sd.size) + 1j * rng.standard_normal(sd.size))
    return np.asarray(np.fft.irfft(amplitude, points) * points / 2)
