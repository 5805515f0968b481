"""Wavelength bands of EN 13848: gain, phase, gaps, ends."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from twin.core.errors import ConfigError
from twin.numerics.bands import BANDS, band, gain

STEP = 0.25


@pytest.mark.parametrize("name", BANDS)
@pytest.mark.parametrize("step", [0.1, 0.25, 1.0])
def test_gain_is_three_decibels_down_at_both_limits_and_one_at_the_centre(name: str, step: float) -> None:
    shortest, longest = BANDS[name]
    assert_allclose(gain([shortest, longest], step=step, name=name), np.sqrt(0.5), rtol=1e-6)
    if step < shortest / 10:  # the centre of a digital band is bent on a coarse grid
        assert gain(np.sqrt(shortest * longest), step=step, name=name) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("name", BANDS)
def test_gain_falls_faster_than_24_decibels_per_octave_outside(name: str) -> None:
    shortest, longest = BANDS[name]
    outside = gain([shortest / 1.5, longest * 2], step=STEP, name=name)
    octaves = np.log2([1.5, 2])
    assert np.all(20 * np.log10(outside) < -3 - 24 * octaves)


@pytest.mark.parametrize("name", ["D1", "D2", "D3"])
def test_a_sine_comes_out_in_place_with_the_stated_gain(name: str) -> None:
    s = np.arange(0, 5000, STEP)
    inside = (s > 2000) & (s < 3000)
    shortest, longest = BANDS[name]
    for wavelength in (shortest * 1.3, np.sqrt(shortest * longest), longest):
        sine = np.sin(2 * np.pi * s / wavelength)
        expected = gain(wavelength, step=STEP, name=name) * sine
        assert_allclose(band(sine, step=STEP, name=name)[inside], expected[inside], atol=2e-5)


@pytest.mark.parametrize("name", BANDS)
def test_an_offset_and_a_slope_lie_in_no_band(name: str) -> None:
    line = 1.0 + 1e-3 * np.arange(0, 1000, STEP)
    assert_allclose(band(line, step=STEP, name=name), 0, atol=1e-6)


def test_both_running_directions_give_the_same_answer() -> None:
    values = np.cumsum(np.random.default_rng(0).standard_normal(4000))
    forth = band(values, step=STEP, name="D1")
    back = band(values[::-1], step=STEP, name="D1")[::-1]
    inside = slice(400, -400)
    assert_allclose(back[inside], forth[inside], atol=1e-4 * np.std(forth))


def test_a_gap_stays_a_gap_and_parts_the_data() -> None:
    values = np.random.default_rng(1).standard_normal((2000, 2))
    values[700:710, 1] = np.nan
    values[1999] = np.inf
    result = band(values, step=STEP, name="D1")
    assert np.isnan(result[700:710]).all()
    assert np.isnan(result[1999]).all()
    assert_array_equal(result[:700], band(values[:700], step=STEP, name="D1"))
    assert_array_equal(result[710:1999], band(values[710:1999], step=STEP, name="D1"))


def test_channels_are_filtered_by_themselves() -> None:
    values = np.random.default_rng(2).standard_normal((1000, 3))
    together = band(values, step=STEP, name="D2")
    for channel in range(3):
        assert_allclose(together[:, channel], band(values[:, channel], step=STEP, name="D2"), atol=1e-14)


@pytest.mark.parametrize("points", [0, 1, 2, 5])
def test_a_stretch_of_any_length_gives_finite_values(points: int) -> None:
    result = band(np.ones(points), step=STEP, name="D3")
    assert result.shape == (points,)
    assert np.isfinite(result).all()


def test_a_wrong_band_or_grid_says_what_is_right() -> None:
    with pytest.raises(ConfigError, match="there are D1, D2, D3"):
        band(np.zeros(10), step=STEP, name="D4")
    with pytest.raises(ConfigError, match=r"below 1\.5 m"):
        gain(10.0, step=2.0, name="D1")
