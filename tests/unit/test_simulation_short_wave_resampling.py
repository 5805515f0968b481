"""Resampling between uniform rates: what is exact, what is held back, and that cuts change no bit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from twin.core.errors import ConfigError
from twin.simulation.short_wave.resampling import LAGRANGE_HALF, Resampler, Waiting

RATES = [(1000.0, 25600.0), (800.0, 2000.0), (1000.0, 1000.0), (25600.0, 2000.0)]


@pytest.mark.parametrize(("from_rate", "to_rate"), RATES)
def test_cuts_change_no_bit(from_rate: float, to_rate: float) -> None:
    rng = np.random.default_rng(1)
    values = rng.standard_normal((2000, 3))
    whole = Resampler(from_rate=from_rate, to_rate=to_rate).process(values)
    stage = Resampler(from_rate=from_rate, to_rate=to_rate)
    cuts = np.concatenate([[1, 2], np.sort(rng.integers(0, 2000, 30))])
    assert_array_equal(np.concatenate([stage.process(part) for part in np.split(values, np.sort(cuts))]), whole)


def test_distance_at_a_constant_acceleration_is_exact() -> None:
    t = np.arange(3000) / 1000.0
    found = Resampler(from_rate=1000.0, to_rate=25600.0).process((5e4 + 20 * t + t**2 / 2)[:, None])[:, 0]
    fine = np.arange(found.size) / 25600.0
    inside = fine > LAGRANGE_HALF / 1000.0  # before it the motion is made up as even
    assert_allclose(found[inside], (5e4 + 20 * fine + fine**2 / 2)[inside], rtol=0, atol=1e-9)


@pytest.mark.parametrize(("share", "error"), [(0.33, 4e-5), (0.5, 4e-3)])
def test_upwards_a_wave_is_kept_as_the_module_says(share: float, error: float) -> None:
    f = share * 500.0
    t = np.arange(4000) / 1000.0
    found = Resampler(from_rate=1000.0, to_rate=25600.0).process(np.sin(2 * np.pi * f * t)[:, None])[:, 0]
    fine = np.arange(found.size) / 25600.0
    assert np.abs(found - np.sin(2 * np.pi * f * fine))[1000:].max() < error


def test_downwards_what_would_alias_is_held_back() -> None:
    t = np.arange(25600) / 25600.0
    waves = np.column_stack([np.sin(2 * np.pi * f * t) for f in (100.0, 500.0, 1100.0, 3000.0)])
    found = Resampler(from_rate=25600.0, to_rate=2000.0).process(waves)[200:]
    amplitude = np.sqrt(2) * found.std(axis=0)
    assert_allclose(amplitude[:2], 1.0, atol=0.01)
    assert (amplitude[2:] < 3e-3).all()


def test_rates_without_a_simple_ratio_are_refused() -> None:
    with pytest.raises(ConfigError, match="no simple ratio"):
        Resampler(from_rate=999.983, to_rate=25600.0)


def test_what_is_not_there_from_all_waits() -> None:
    waiting = Waiting(2)
    first = waiting.process(np.arange(3.0), np.arange(1.0))
    second = waiting.process(np.arange(3.0, 4.0), np.arange(1.0, 4.0))
    assert [part.size for part in first] == [1, 1]
    assert_array_equal(second[0], second[1])
