"""Track irregularities: published spectra, seeded realisations, discrete defects."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

import numpy as np
from pydantic import Field
from scipy.fft import next_fast_len
from scipy.integrate import quad

from twin.core.arrays import Array, frozen
from twin.core.settings import Settings
from twin.simulation.randomness import generator

OMEGA_C = 0.8246
"""German / ERRI B176 corner wave numbers [rad/m] and half the cant base [m]."""
OMEGA_R = 0.0206
OMEGA_S = 0.4380
HALF_BASE = 0.75

LONGEST = 300.0
"""Wavelengths [m] of a realisation: sharp at the long end, faded out from TAPER to SHORTEST."""
TAPER = 1.0
SHORTEST = 0.5

Psd = Callable[[Array], Array]


class SpectrumClass(StrEnum):
    """How good the track is."""

    NONE = "none"
    GERMAN_LOW = "german_low"
    GERMAN_HIGH = "german_high"


@dataclass(frozen=True, slots=True)
class Spectra:
    """German / ERRI B176 spectra, one-sided in m^2/(rad/m) over the wave number Omega [rad/m]."""

    A_v: float
    A_a: float
    A_g: float

    def level(self, Omega: Array) -> Array:
        """Mean longitudinal level."""
        return self.A_v * _long_wave(Omega)

    def alignment(self, Omega: Array) -> Array:
        """Mean alignment."""
        return self.A_a * _long_wave(Omega)

    def cross(self, Omega: Array) -> Array:
        """Cross-level angle (z_left - z_right) / (2 b), in rad^2/(rad/m)."""
        return self.A_v / HALF_BASE**2 * _long_wave(Omega) * _rising(Omega)

    def gauge(self, Omega: Array) -> Array:
        """Gauge deviation y_left - y_right."""
        return self.A_g * _long_wave(Omega) * _rising(Omega)


SPECTRA = {
    SpectrumClass.NONE: Spectra(A_v=0.0, A_a=0.0, A_g=0.0),
    SpectrumClass.GERMAN_LOW: Spectra(A_v=4.032e-7, A_a=2.119e-7, A_g=5.32e-8),
    SpectrumClass.GERMAN_HIGH: Spectra(A_v=1.080e-6, A_a=6.125e-7, A_g=1.032e-7),
}


def _long_wave(Omega: Array) -> Array:
    return np.asarray(OMEGA_C**2 / ((Omega**2 + OMEGA_R**2) * (Omega**2 + OMEGA_C**2)))


def _rising(Omega: Array) -> Array:
    return np.asarray(Omega**2 / (Omega**2 + OMEGA_S**2))


def band_sd(psd: Psd, *, shortest: float, longest: float) -> float:
    """Standard deviation of what a one-sided spectrum holds between two wavelengths [m]."""
    variance, _ = quad(lambda Omega: float(psd(np.asarray(Omega))), 2 * np.pi / longest, 2 * np.pi / shortest)
    return float(np.sqrt(variance))


def synthesise(psd: Psd, *, points: int, step: float, rng: np.random.Generator) -> Array:
    """(points,) Gaussian realisation of a one-sided spectrum in rad/m, periodic over points * step [m]."""
    Omega = np.asarray(2 * np.pi * np.fft.rfftfreq(points, step), dtype=np.float64)
    inside = np.flatnonzero(Omega >= 2 * np.pi / LONGEST)
    fade = np.clip((2 * np.pi / Omega[inside] - SHORTEST) / (TAPER - SHORTEST), 0.0, 1.0)
    sd = np.sqrt(psd(Omega[inside]) * Omega[1]) * np.sin(np.pi / 2 * fade)
    amplitude = np.zeros(Omega.size, dtype=complex)
    amplitude[inside] = sd * (rng.standard_normal(sd.size) + 1j * rng.standard_normal(sd.size))
    return np.asarray(np.fft.irfft(amplitude, points) * points / 2)


class DefectShape(StrEnum):
    """Shapes of single defects, after Hamid et al., FRA/ORD-83/03.1 (bump, cusp, plateau)."""

    DIP = "dip"
    """Rails sink: a Gaussian hollow in longitudinal level."""
    KINK = "kink"
    """Rails bend aside: a rounded cusp in alignment."""
    GAUGE_WIDENING = "gauge_widening"
    """The rails part: a plateau in gauge."""
    CROSS_LEVEL = "cross_level"
    """The left rail rises over the right one: a Gaussian hump in cross level, with twist on both its sides."""


class DefectRail(StrEnum):
    """Which rail leaves its place, by increasing kilometres."""

    BOTH = "both"
    """Gauge and cross level: each by half of it."""
    LEFT = "left"
    RIGHT = "right"


class Defect(Settings):
    """One discrete defect of the track."""

    shape: DefectShape = Field(description="dip, kink, gauge_widening or cross_level")
    rail: DefectRail = Field(DefectRail.BOTH, description="both, left or right: the rails that leave their place")
    s: float = Field(description="arc length of its middle, along increasing kilometres [m]")
    size: float = Field(
        ge=-0.05, le=0.05, description="depth of a dip, offset of a kink, widening, rise [m]; left positive"
    )
    length: float = Field(5.0, ge=1.0, le=50.0, description="length over which it fades [m]; below 1 m needs contact")


class IrregularityConfig(Settings):
    """The irregularities of one track; the same seed is the same track."""

    spectrum: SpectrumClass = Field(SpectrumClass.GERMAN_LOW, description="class of the track")
    scale: float = Field(1.0, ge=0, le=5, description="multiplies every amplitude of the spectrum")
    seed: int = Field(1, ge=0, description="names the realisation: keep it to run over the same track again")
    step: float = Field(0.05, gt=0, le=0.1, description="grid [m]; ten points on the shortest wave")
    defects: tuple[Defect, ...] = Field((), description="discrete defects added to the realisation")


@dataclass(frozen=True, slots=True)
class Irregularity:
    """Rail positions off the design, in the track frame, on a uniform grid s0 + i * step. All (points,) [m]."""

    s0: float
    step: float
    y_left: Array
    y_right: Array
    z_left: Array
    z_right: Array

    @property
    def s(self) -> Array:
        """Arc length of the grid points [m]."""
        return np.asarray(self.s0 + self.step * np.arange(self.y_left.size))

    @property
    def alignment(self) -> Array:
        """Mean of the rails, lateral."""
        return (self.y_left + self.y_right) / 2

    @property
    def gauge(self) -> Array:
        """Gauge deviation, widening positive."""
        return self.y_left - self.y_right

    @property
    def level(self) -> Array:
        """Mean longitudinal level."""
        return (self.z_left + self.z_right) / 2

    @property
    def cross_level(self) -> Array:
        """Left minus right rail height, without the design cant."""
        return self.z_left - self.z_right

    @property
    def cross_angle(self) -> Array:
        """Roll of the plane of the rails off the design [rad]."""
        return self.cross_level / (2 * HALF_BASE)

    def reversed(self, length: float) -> Self:
        """The same rails met from the far end of a track of this length [m]: left becomes right."""
        return type(self)(
            s0=length - float(self.s[-1]),
            step=self.step,
            y_left=frozen(-self.y_right[::-1]),
            y_right=frozen(-self.y_left[::-1]),
            z_left=frozen(self.z_right[::-1]),
            z_right=frozen(self.z_left[::-1]),
        )


def realise(config: IrregularityConfig, *, s0: float, length: float) -> Irregularity:
    """One seeded track from s0 over a length [m]; one configuration and length give the same rails."""
    step = config.step
    points = int(np.ceil(length / step)) + 1
    # The synthesis is periodic: cut from a longer one, so that the ends know nothing of each other.
    period = next_fast_len(points + int(2 * LONGEST / step), real=True)
    spectra = SPECTRA[config.spectrum]

    def draw(psd: Psd, name: str) -> Array:
        whole = synthesise(psd, points=period, step=step, rng=generator(config.seed, f"track {name}"))
        return np.asarray(config.scale * whole[:points])

    alignment, level = draw(spectra.alignment, "alignment"), draw(spectra.level, "level")
    gauge, cross_angle = draw(spectra.gauge, "gauge"), draw(spectra.cross, "cross level")
    s = np.asarray(s0 + step * np.arange(points), dtype=np.float64)
    for defect in config.defects:
        form = defect.size * _form(defect, s)
        left, right = (float(defect.rail in (DefectRail.BOTH, rail)) for rail in (DefectRail.LEFT, DefectRail.RIGHT))
        mean, difference = form * (left + right) / 2, form * (left - right)
        if defect.shape is DefectShape.DIP:
            level -= mean
            cross_angle -= difference / (2 * HALF_BASE)
        elif defect.shape is DefectShape.KINK:
            alignment += mean
            gauge += difference
        elif defect.shape is DefectShape.GAUGE_WIDENING:
            gauge += form
            alignment += difference / 2
        else:
            cross_angle += form / (2 * HALF_BASE)
            level += difference / 2
    return Irregularity(
        s0=s0,
        step=step,
        y_left=frozen(alignment + gauge / 2),
        y_right=frozen(alignment - gauge / 2),
        z_left=frozen(level + HALF_BASE * cross_angle),
        z_right=frozen(level - HALF_BASE * cross_angle),
    )


def _form(defect: Defect, s: Array) -> Array:
    """(points,) shape of a defect of size 1 at arc lengths s [m]."""
    x = (s - defect.s) / (defect.length / 2)
    if defect.shape is DefectShape.KINK:
        return np.asarray(np.exp(-2 * (np.hypot(x, 0.2) - 0.2)))
    if defect.shape is DefectShape.GAUGE_WIDENING:
        return np.asarray(1 / np.sqrt(1 + x**8))
    return np.asarray(np.exp(-2 * x**2))
