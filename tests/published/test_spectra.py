"""The German / ERRI B176 spectra against the standard deviations published for them."""

import numpy as np
import pytest

from twin.simulation.irregularity import SPECTRA, IrregularityConfig, Psd, SpectrumClass, band_sd, realise

BANDS = ((3.0, 25.0), (25.0, 70.0), (70.0, 150.0))
ALIGNMENT_BANDS = (*BANDS[:2], (70.0, 200.0))
LEVEL_MM = {SpectrumClass.GERMAN_LOW: (0.98, 1.65, 2.12), SpectrumClass.GERMAN_HIGH: (1.61, 2.70, 3.47)}
ALIGNMENT_MM = {SpectrumClass.GERMAN_LOW: (0.71, 1.20, 1.91), SpectrumClass.GERMAN_HIGH: (1.21, 2.03, 3.24)}


@pytest.mark.parametrize("track", LEVEL_MM)
def test_spectra_integrate_to_the_published_deviations(track: SpectrumClass) -> None:
    spectra = SPECTRA[track]
    level = [1e3 * band_sd(spectra.level, shortest=a, longest=b) for a, b in BANDS]
    alignment = [1e3 * band_sd(spectra.alignment, shortest=a, longest=b) for a, b in ALIGNMENT_BANDS]
    np.testing.assert_allclose(level, LEVEL_MM[track], rtol=0.01)
    np.testing.assert_allclose(alignment, ALIGNMENT_MM[track], rtol=0.01)


@pytest.mark.parametrize("quantity", ["level", "alignment", "cross_angle", "gauge"])
def test_realisations_hold_what_the_spectrum_says_in_every_band(quantity: str) -> None:
    """Band variance over 20 tracks of 6 km against the integral, within three of its own deviations."""
    spectra, step, seeds, length = SPECTRA[SpectrumClass.GERMAN_LOW], 0.1, 20, 6000.0
    psd = getattr(spectra, {"cross_angle": "cross"}.get(quantity, quantity))
    tracks = [
        getattr(realise(IrregularityConfig(seed=seed, step=step), s0=0.0, length=length), quantity)
        for seed in range(seeds)
    ]
    for shortest, longest in BANDS:
        variance = np.mean([_band_variance(track, step, shortest, longest) for track in tracks])
        expected = band_sd(psd, shortest=shortest, longest=longest) ** 2
        # A band of n independent lines has a variance known to sqrt(2 / (2 n)); leakage of the cut adds 3 %.
        lines = seeds * length * (1 / shortest - 1 / longest)
        assert variance == pytest.approx(expected, rel=0.03 + 3 * _peakedness(psd, shortest, longest) / np.sqrt(lines))


def test_rails_are_the_sum_of_mean_gauge_and_cross_level() -> None:
    rails = realise(IrregularityConfig(seed=3), s0=-10.0, length=400.0)
    np.testing.assert_allclose(rails.alignment + rails.gauge / 2, rails.y_left, atol=1e-15)
    np.testing.assert_allclose(rails.level - rails.cross_level / 2, rails.z_right, atol=1e-15)


def test_a_track_met_from_its_far_end_swaps_the_rails_and_turns_back_into_itself() -> None:
    rails = realise(IrregularityConfig(seed=3), s0=-10.0, length=420.0)
    back = rails.reversed(400.0)
    np.testing.assert_allclose(back.gauge, rails.gauge[::-1], atol=1e-15)
    np.testing.assert_allclose(back.cross_level, -rails.cross_level[::-1], atol=1e-15)
    np.testing.assert_allclose(back.reversed(400.0).y_left, rails.y_left, atol=0)
    np.testing.assert_allclose(back.reversed(400.0).s, rails.s, atol=1e-9)


def _band_variance(track: np.ndarray, step: float, shortest: float, longest: float) -> float:
    """Variance between two wavelengths by masking the spectrum under a Hann window."""
    window = np.hanning(track.size) * np.sqrt(8 / 3)
    spectrum = np.fft.rfft(track * window)
    wave = np.fft.rfftfreq(track.size, step)
    inside = (wave >= 1 / longest) & (wave <= 1 / shortest)
    return float(2 * np.sum(np.abs(spectrum[inside]) ** 2) / track.size**2)


def _peakedness(psd: Psd, shortest: float, longest: float) -> float:
    """How unevenly a band is filled: sqrt(mean of squares) / mean of the spectrum; few lines carry a steep one."""
    values = psd(np.linspace(2 * np.pi / longest, 2 * np.pi / shortest, 4000))
    return float(2 * np.sqrt(np.mean(values**2)) / np.mean(values))
