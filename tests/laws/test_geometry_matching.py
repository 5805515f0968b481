"""Two runs over one track with drifting positions, laid over each other and compared."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.rail_traces import SPEED, STEP, true_rails
from twin.core.arrays import Array
from twin.core.places import Places
from twin.geometry.matching import MatchConfig, OffsetCurve, interpolated, match_runs, resampled
from twin.geometry.quantities.config import QuantityConfig
from twin.geometry.quantities.geometry import track_geometry
from twin.geometry.quantities.quantity import TrackGeometry
from twin.geometry.rails import RailFlag, RailTrace
from twin.geometry.repeatability import RepeatabilityLimits, repeatability
from twin.simulation.irregularity import Irregularity

CONFIG, MATCH = QuantityConfig(), MatchConfig()
LENGTH = 6000.0
SD = 1e-4
"""White error of every coordinate [m]."""


def true_offset(s: Array) -> Array:
    """5 to 6 m, drifting by half a metre in two kilometres, as between real runs."""
    return np.asarray(5.4 + 0.25 * np.sin(2 * np.pi * s / 4000) + 1e-4 * s)


def run(rails: Irregularity, labels: Array, seed: int) -> RailTrace:
    """A run whose point k says it lies at k * STEP and truly lies at labels[k]."""
    rng = np.random.default_rng(seed)
    columns = {
        name: np.interp(labels, rails.s, getattr(rails, name)) + SD * rng.standard_normal(labels.size)
        for name in ("y_left", "z_left", "y_right", "z_right")
    }
    n = labels.size
    flags = np.full(n, RailFlag.MEASURED, dtype=np.uint8)
    return RailTrace(s=STEP * np.arange(n), flags=flags, speed=np.full(n, SPEED), **columns)


def geometry_of(trace: RailTrace) -> TrackGeometry:
    return track_geometry(trace, CONFIG, places=Places())


@dataclass(frozen=True)
class Pair:
    first: RailTrace
    second: RailTrace


@pytest.fixture(scope="module")
def pair() -> Pair:
    rails = true_rails(seed=21, length=LENGTH + 50.0)
    s = STEP * np.arange(round(LENGTH / STEP))
    # The second run says s + offset(s) where the first says s: invert it on its own grid.
    truly = np.interp(s, s + true_offset(s), s, left=np.nan)
    truly = np.where(np.isnan(truly), s - true_offset(np.zeros(1))[0], truly)
    return Pair(run(rails, s + 10.0, 1), run(rails, truly + 10.0, 2))


@pytest.fixture(scope="module")
def curve(pair: Pair) -> OffsetCurve:
    return match_runs(geometry_of(pair.first), geometry_of(pair.second), MATCH)


def test_a_drifting_offset_is_found_far_below_the_grid(curve: OffsetCurve) -> None:
    inside = (curve.s > 60) & (curve.s < LENGTH - 60)
    error = np.abs(curve.offset - true_offset(curve.s))[inside]
    assert curve.matched[inside].all()
    assert error.max() < 0.1
    assert np.quantile(error, 0.95) < 0.05


def test_the_error_of_the_offset_keeps_to_its_stated_deviation(curve: OffsetCurve) -> None:
    inside = (curve.s > 60) & (curve.s < LENGTH - 60)
    ratio = (curve.offset - true_offset(curve.s))[inside] / curve.sd[inside]
    assert np.mean(np.abs(ratio) < 3) > 0.97
    assert curve.sd[inside].max() < STEP / 2


def test_differences_of_runs_laid_over_each_other_are_those_of_their_noise(pair: Pair, curve: OffsetCurve) -> None:
    first = geometry_of(pair.first)
    second = geometry_of(resampled(pair.second, curve, onto=pair.first))
    table = {row.name: row for row in repeatability(first, second, RepeatabilityLimits())}
    # Gauge is the difference of two coordinates, its difference between runs that of four; interpolation smooths.
    assert table["gauge"].p95 == pytest.approx(1.96 * 2 * SD, rel=0.15)
    assert abs(table["gauge"].mean) < 1e-5
    for name in ("longitudinal level D1 left", "alignment D1 right", "gauge", "cross level"):
        assert table[name].within
    assert table["longitudinal level D1 left"].limit == 0.5e-3
    assert table["longitudinal level D1 left"].p95 < 0.3e-3
    assert table["twist 3 m"].within is None
    apart = {row.name: row for row in repeatability(first, geometry_of(pair.second), RepeatabilityLimits())}
    assert not apart["longitudinal level D1 left"].within


def test_a_gap_and_a_broken_channel_do_not_spoil_the_offset(pair: Pair) -> None:
    y_left = np.array(pair.second.y_left)
    y_left[:] += 0.003 * np.random.default_rng(5).standard_normal(y_left.size)  # alignment and gauge are noise now
    z_left = np.array(pair.second.z_left)
    z_left[8000:8600] = np.nan
    broken = replace(pair.second, y_left=y_left, z_left=z_left)
    curve = match_runs(geometry_of(pair.first), geometry_of(broken), MatchConfig(least_correlation=0.3))
    inside = (curve.s > 60) & (curve.s < LENGTH - 60)
    assert np.abs(curve.offset - true_offset(curve.s))[inside].max() < STEP


def test_a_far_offset_is_found_and_one_beyond_the_search_is_not_invented(pair: Pair) -> None:
    first = geometry_of(pair.first)
    moved = replace(pair.second, s=pair.second.s + 150.0)
    curve = match_runs(first, geometry_of(moved), MATCH)
    inside = (curve.s > 60) & (curve.s < LENGTH - 60)
    assert np.abs(curve.offset - 150.0 - true_offset(curve.s))[inside].max() < STEP
    lost = match_runs(first, geometry_of(moved), MatchConfig(farthest=50.0))
    assert not lost.matched.any()
    assert np.isnan(lost.offset).all()


def test_runs_on_different_tracks_do_not_match(pair: Pair) -> None:
    other = run(true_rails(seed=99, length=LENGTH + 50.0), STEP * np.arange(len(pair.first)), 3)
    curve = match_runs(geometry_of(pair.first), geometry_of(other), MATCH)
    assert not curve.matched.any()


def test_a_run_matches_itself_to_a_centimetre(pair: Pair) -> None:
    """Not exactly: what enters a window on one side as it moves is not what leaves it on the other."""
    geometry = geometry_of(pair.first)
    curve = match_runs(geometry, geometry, MATCH)
    assert_allclose(curve.offset, 0.0, atol=0.01)


def test_beyond_the_end_of_the_second_run_there_is_nothing(pair: Pair) -> None:
    half = len(pair.second) // 2
    fields = {
        n: getattr(pair.second, n)[:half] for n in ("s", "y_left", "z_left", "y_right", "z_right", "flags", "speed")
    }
    short = RailTrace(**fields)
    curve = match_runs(geometry_of(pair.first), geometry_of(short), MATCH)
    laid = resampled(short, curve, onto=pair.first)
    assert np.isnan(laid.y_left[half + 400 :]).all()
    assert np.isfinite(laid.y_left[1000 : half - 400]).all()


def test_interpolation_keeps_waves_of_three_metres() -> None:
    s = STEP * np.arange(4000)
    place = np.arange(100, 3900) + 0.5
    for wavelength, loss in ((3.0, 0.002), (10.0, 1e-4)):
        wave = np.sin(2 * np.pi * s / wavelength)
        assert_allclose(interpolated(wave, place), np.sin(2 * np.pi * place * STEP / wavelength), atol=loss)


def test_runs_on_two_grids_are_not_compared(pair: Pair) -> None:
    first = geometry_of(pair.first)
    other = geometry_of(replace(pair.second, s=pair.second.s + 1.0))
    with pytest.raises(ValueError, match="resample the second"):
        repeatability(first, other, RepeatabilityLimits())
