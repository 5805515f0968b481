"""Roughness of rails and wheels: levels, keys, patches, faults, and the contact filter."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.simulation.short_wave import (
    CorrugationPatch,
    FaultShape,
    Polygon,
    Rails,
    RailSurface,
    RoughnessConfig,
    Side,
    SurfaceFault,
    WheelRoughnessConfig,
    WheelSurface,
)
from twin.simulation.short_wave.contact_filter import HALF_LENGTHS, LARGEST_GROWTH, MARGIN, filter_gain
from twin.simulation.short_wave.levels import RAIL_LIMIT, WHEEL_DISC_BRAKED
from twin.simulation.short_wave.roughness import TILE_POINTS

SILENT = -60.0
STEP = 1e-3
CIRCUMFERENCE = 2 * np.pi * 0.46


def band_levels(height: Array, *, step: float, wavelength: Array) -> Array:
    """One-third-octave levels [dB re 1 um] of a periodic or long record."""
    power = 2 * np.abs(np.fft.rfft(height) / height.size) ** 2
    nu = np.fft.rfftfreq(height.size, step)
    inside = [(nu >= 2 ** (-1 / 6) / band) & (nu < 2 ** (1 / 6) / band) for band in wavelength]
    return np.array([10 * np.log10(power[band].sum() / 1e-12) for band in inside])


def test_a_rail_has_the_levels_it_was_given() -> None:
    """A band of n independent waves over 655 m scatters by 10 log10(e) / sqrt(n) dB: 0.2 dB at the longest one."""
    surface = RailSurface(RoughnessConfig(above_limit_db=-3.0), Side.LEFT)
    height = np.concatenate([surface.height(tile=k) for k in range(20)])
    bands = np.array([band for band in RAIL_LIMIT.wavelength if 0.008 <= band <= 0.4])
    found = band_levels(height, step=STEP, wavelength=bands)
    waves = height.size * STEP * (2 ** (1 / 6) - 2 ** (-1 / 6)) / bands
    assert (np.abs(found - RAIL_LIMIT.at(bands) + 3.0) < 4 * 4.343 / np.sqrt(waves) + 0.1).all()


def test_a_wheel_has_the_levels_of_its_kind_of_brake() -> None:
    wheels = [WheelSurface(WheelRoughnessConfig(seed=7), radius=0.46, name=str(j)) for j in range(40)]
    bands = np.array([0.2, 0.1, 0.05, 0.025, 0.0125])
    step = CIRCUMFERENCE / wheels[0].height.size
    levels = np.array([band_levels(wheel.height, step=step, wavelength=bands) for wheel in wheels])
    found = 10 * np.log10(np.mean(10 ** (levels / 10), axis=0))
    assert_allclose(found, WHEEL_DISC_BRAKED.at(bands), atol=1.2)  # a band at 0.2 m has 3 or 4 orders of the wheel


def test_tiles_join_without_a_step() -> None:
    surface = RailSurface(RoughnessConfig(), Side.RIGHT)
    ends = np.concatenate([surface.height(tile=4)[-50:], surface.height(tile=5)[:50]])
    curvature = np.abs(np.diff(ends, 2))
    assert curvature[47:51].max() < 3 * curvature.std() + curvature.mean()


def test_a_place_has_the_same_roughness_whatever_was_visited_before() -> None:
    s = np.array([5.0, 32.7679, 32.7681, 1000.0, 98765.4321])
    load = np.full(s.size, 6e4)
    config = RoughnessConfig(seed=3)
    forth = RailSurface(config, Side.LEFT).felt(s, load, radius=0.46)
    surface = RailSurface(config, Side.LEFT)
    back = [surface.felt(s[i : i + 1], load[:1], radius=0.46)[0] for i in reversed(range(s.size))]
    assert_array_equal(forth, back[::-1])


def test_rails_and_seeds_are_independent() -> None:
    base = RailSurface(RoughnessConfig(seed=1), Side.LEFT).height(tile=0)
    others = [RailSurface(RoughnessConfig(seed=seed), side) for seed, side in ((1, Side.RIGHT), (2, Side.LEFT))]
    correlation = [abs(np.corrcoef(base, other.height(tile=0))[0, 1]) for other in others]
    assert max(correlation) < 0.2  # 33 m hold some 100 waves of the longest kind


@pytest.mark.parametrize(
    ("load", "wavelength_mm", "printed_db", "tolerance_db"),
    [
        (50e3, 50.0, -1.1, 0.3),
        (50e3, 31.5, -3.5, 0.4),
        (50e3, 20.0, -8.0, 0.3),
        (50e3, 16.0, -12.0, 0.3),
        (25e3, 31.5, -1.8, 0.4),
        (25e3, 20.0, -5.3, 0.4),
        (100e3, 50.0, -1.8, 0.4),
        (100e3, 31.5, -5.4, 0.5),
        (100e3, 20.0, -12.2, 0.3),
    ],
)
def test_contact_filter_is_the_published_one(
    load: float, wavelength_mm: float, printed_db: float, tolerance_db: float
) -> None:
    """Directive (EU) 2015/996 Table G-2, 920 mm wheel: means over one-third octaves."""
    band = 1e-3 * wavelength_mm * 2 ** np.linspace(-1 / 6, 1 / 6, 101)
    found = 10 * np.log10(np.mean(filter_gain(band, load=load) ** 2))
    assert abs(found - printed_db) < tolerance_db


@pytest.mark.parametrize("wavelength", [0.05, 0.02, 0.01])
@pytest.mark.parametrize("load", [2e4, 1e5])
def test_a_patch_feels_a_wave_by_the_gain_of_the_filter(wavelength: float, load: float) -> None:
    patch = CorrugationPatch(from_s=10.0, to_s=60.0, wavelength=wavelength, depth=20e-6)
    surface = RailSurface(RoughnessConfig(above_limit_db=SILENT, corrugation=(patch,)), Side.LEFT)
    s = np.linspace(20.0, 50.0, 40001)
    felt = surface.felt(s, np.full(s.size, load), radius=0.46)
    amplitude = 2 * np.mean(felt * np.cos(2 * np.pi * (s - 10.0) / wavelength))
    expected = 10e-6 * filter_gain(np.array([wavelength]), load=load)[0]
    assert_allclose(amplitude, expected, atol=1e-8 + 1e-3 * 10e-6)


def test_a_patch_lies_on_its_rails_only_and_swells_smoothly() -> None:
    patch = CorrugationPatch(rails=Rails.RIGHT, from_s=5.0, to_s=15.0, wavelength=0.1, depth=50e-6, fade=2.0)
    config = RoughnessConfig(above_limit_db=SILENT, corrugation=(patch,))
    left, right = (RailSurface(config, side).height(tile=0) for side in Side)
    s = STEP * np.arange(TILE_POINTS)
    assert np.abs(left).max() < 1e-7
    assert np.abs(right[(s < 5.0) | (s > 15.0)]).max() < 1e-7
    assert_allclose(np.ptp(right[(s > 7.0) & (s < 13.0)]), 50e-6, rtol=0.01)
    assert np.abs(right[(s > 5.0) & (s < 5.5)]).max() < 0.2 * 25e-6


@pytest.mark.parametrize("shape", list(FaultShape))
def test_a_fault_is_as_deep_and_long_as_said(shape: FaultShape) -> None:
    fault = SurfaceFault(shape=shape, s=3.0, depth=1e-3, length=0.2)
    x = np.array([2.85, 2.9, 3.0, 3.1, 3.3])
    assert_allclose(fault.height(x), [0.0, 0.0, -1e-3, 0.0, 0.0], atol=1e-18)


def test_wheel_roughness_comes_again_with_every_turn() -> None:
    wheel = WheelSurface(WheelRoughnessConfig(), radius=0.46, name="0")
    angle = np.linspace(0.0, 2 * np.pi, 500)
    load = np.full(angle.size, 5e4)
    assert_allclose(wheel.felt(angle + 12 * np.pi, load), wheel.felt(angle, load), atol=1e-15)


def test_a_polygon_has_its_order_and_size() -> None:
    config = WheelRoughnessConfig(above_curve_db=SILENT, polygons=(Polygon(order=20, amplitude=30e-6),))
    wheel = WheelSurface(config, radius=0.46, name="0")
    angle = np.linspace(0.0, 2 * np.pi, 4000, endpoint=False)
    felt = wheel.felt(angle, np.full(angle.size, 1e3))
    spectrum = 2 * np.abs(np.fft.rfft(felt)) / angle.size
    assert spectrum.argmax() == 20
    assert_allclose(spectrum[20], 30e-6, rtol=2e-3)


def test_the_margin_holds_the_longest_patch_on_the_coarsest_grid() -> None:
    reach = LARGEST_GROWTH * max(HALF_LENGTHS) + 3 * 2e-3
    assert reach < MARGIN


def test_a_grid_too_coarse_for_its_waves_is_refused() -> None:
    with pytest.raises(ConfigError, match="step must be at most shortest / 4"):
        RoughnessConfig.load({"step": 2e-3, "shortest": 7e-3}, where="test")


def test_a_patch_shorter_than_its_ends_is_refused() -> None:
    data = {"from_s": 0.0, "to_s": 1.0, "wavelength": 0.05, "depth": 1e-5, "fade": 1.0}
    with pytest.raises(ConfigError, match="2 \\* fade"):
        CorrugationPatch.load(data, where="test")
