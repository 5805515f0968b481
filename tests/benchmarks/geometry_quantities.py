"""Quantities of noise-free rails against their own definition in space, and the generator against DESIGN's deviations.

Heights of the rails over a level plane give cross level and twist, their places give gauge, strings stretched along
the fine truth give chords: nothing of it goes through the formulas of twin.geometry.
"""

import numpy as np

from tests.benchmarks.figure import Figure
from tests.benchmarks.vehicle_figure import named
from tests.rail_traces import EVERY, STEP, trace_of, true_rails
from twin.core.arrays import Array
from twin.core.places import Places
from twin.core.track import DesignTrack
from twin.geometry.quantities.config import QuantityConfig
from twin.geometry.quantities.geometry import track_geometry
from twin.simulation import curve_design
from twin.simulation.irregularity import SPECTRA, Irregularity, SpectrumClass, band_sd

SEED = 601
LENGTH = 2950.0
LEVEL_BANDS = ((3.0, 25.0), (25.0, 70.0), (70.0, 150.0))
ALIGNMENT_BANDS = (*LEVEL_BANDS[:2], (70.0, 200.0))
PUBLISHED_MM = {
    SpectrumClass.GERMAN_LOW: {"level": (0.98, 1.65, 2.12), "alignment": (0.71, 1.20, 1.91)},
    SpectrumClass.GERMAN_HIGH: {"level": (1.61, 2.70, 3.47), "alignment": (1.21, 2.03, 3.24)},
}
"""Of the bands, mean of the rails."""
TRACKS, TRACK_LENGTH = 5, 40_000.0
"""Realisations whose bands are measured, and their length [m]."""
HALF_GAUGE, GAUGE = 0.7175, 1.435
"""[m]"""
MM = 1e3


def figures() -> list[Figure]:
    """Largest differences."""
    return [*_quantities(), *_deviations()]


def _quantities() -> list[Figure]:
    design = DesignTrack.from_elements(list(curve_design()[0]), [])
    rails = true_rails(seed=SEED, length=LENGTH)
    geometry = track_geometry(trace_of(rails, design), QuantityConfig(), places=Places())
    heights = _height_difference(rails, design)
    gauge = (HALF_GAUGE + rails.y_left) - (-HALF_GAUGE + rails.y_right) - GAUGE
    off = {
        "gauge": np.abs(geometry["gauge"].values - gauge[::EVERY]).max(),
        "cross_level": np.abs(geometry["cross level"].values - heights).max(),
    }
    for base in (3, 5, 9):
        half = round(base / STEP) // 2
        twisted = heights[2 * half :] - heights[: -2 * half]
        off[f"twist_{base}m"] = np.abs(base * geometry[f"twist {base} m"].values[half:-half] - twisted).max()
    s = geometry.s[100:-100]
    for label, name, behind, ahead in (
        ("chord_10m", "10 m chord", 5, 5),
        ("chord_20m", "20 m chord", 10, 10),
        ("chord_4_6m", "10 m chord 4/6", 4, 6),
    ):
        expected = _versine(rails.s, rails.z_left, s, behind, ahead)
        off[label] = np.abs(geometry[f"longitudinal level {name} left"].values[100:-100] - expected).max()
    return [named(f"geometry.independent_{name}_mm", MM * float(value), "mm") for name, value in off.items()]


def _height_difference(rails: Irregularity, design: DesignTrack) -> Array:
    """(n,) height of the left rail head over the right one [m]: 1.5 m apart, in a track frame that leans."""
    roll, dz = design.cant_angle(rails.s[::EVERY]), (rails.z_left - rails.z_right)[::EVERY]
    half = np.sqrt(1.5**2 - dz**2) / 2
    left, right = (
        np.sin(roll) * side * half + np.cos(roll) * z[::EVERY] for side, z in ((1, rails.z_left), (-1, rails.z_right))
    )
    return np.asarray(left - right)


def _versine(at: Array, rail: Array, s: Array, behind: float, ahead: float) -> Array:
    """Offset of a rail from strings stretched along it [m]."""
    first, last = np.interp(s - behind, at, rail), np.interp(s + ahead, at, rail)
    return np.asarray(np.interp(s, at, rail) - first - behind / (behind + ahead) * (last - first))


def _deviations() -> list[Figure]:
    """Largest relative differences: of the spectra's integrals, and of long realisations through the filters."""
    integrated, generated = [], []
    for track, quantities in PUBLISHED_MM.items():
        for quantity, published in quantities.items():
            psd = getattr(SPECTRA[track], quantity)
            bands = LEVEL_BANDS if quantity == "level" else ALIGNMENT_BANDS
            for (shortest, longest), value in zip(bands, published, strict=True):
                integrated.append(MM * band_sd(psd, shortest=shortest, longest=longest) / value - 1)
            generated += [
                _generated(track, quantity, shortest, longest) / value - 1
                for (shortest, longest), value in zip(bands, published, strict=True)
            ]
    return [
        named("geometry.psd_integrated_percent", 100 * float(np.abs(integrated).max()), "%"),
        named("geometry.psd_generated_percent", 100 * float(np.abs(generated).max()), "%"),
    ]


def _generated(track: SpectrumClass, quantity: str, shortest: float, longest: float) -> float:
    """Deviation of long realisations between two wavelengths [mm], by the lines of their spectra."""
    variances = []
    for seed in range(TRACKS):
        values = getattr(true_rails(seed=SEED + seed, length=TRACK_LENGTH, spectrum=track), quantity)[::EVERY]
        window = np.hanning(values.size) * np.sqrt(8 / 3)
        lines = np.abs(np.fft.rfft(values * window)) ** 2
        wave = np.fft.rfftfreq(values.size, STEP)
        inside = (wave >= 1 / longest) & (wave <= 1 / shortest)
        variances.append(2 * np.sum(lines[inside]) / values.size**2)
    return MM * float(np.sqrt(np.mean(variances)))
