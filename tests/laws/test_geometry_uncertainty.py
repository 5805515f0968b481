"""Stated standard deviations of the quantities against many drawn errors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.rail_traces import STEP, flat_trace
from twin.core.arrays import Array
from twin.core.places import Places
from twin.geometry.quantities.config import QuantityConfig
from twin.geometry.quantities.geometry import track_geometry
from twin.geometry.quantities.quantity import Kind
from twin.geometry.quantities.uncertainty import RailErrors, Spectrum
from twin.geometry.rails import RailTrace

CONFIG = QuantityConfig()
POINTS, RUNS = 20000, 40
LONGEST = 500.0
ROOM = slice(3300, -3300)
"""Points every quantity, D3 of alignment too, has its full surroundings at."""


def _trajectory(Omega: Array) -> Array:
    """An error whose second derivative is nearly white, as of a smoothed inertial trajectory."""
    return np.asarray(1e-9 * Omega**-2 / (1 + (0.05 / Omega) ** 4))


def _roll(Omega: Array) -> Array:
    return np.asarray(2e-9 / (Omega + 0.02))


def _drawn(spectrum: Spectrum, rng: np.random.Generator) -> Array:
    """(n,) realisation of a one-sided spectrum down to LONGEST, cut out of a longer one."""
    points = 2 * POINTS
    Omega = 2 * np.pi * np.fft.rfftfreq(points, STEP)
    inside = Omega >= 2 * np.pi / LONGEST
    sd = np.zeros(Omega.size)
    sd[inside] = np.sqrt(spectrum(Omega[inside]) * Omega[1])
    noise = rng.standard_normal(Omega.size) + 1j * rng.standard_normal(Omega.size)
    return np.fft.irfft(sd * noise, points)[:POINTS] * points / 2


def _errors(scale: Array | None) -> RailErrors:
    s = np.linspace(0, 1, POINTS)
    return RailErrors(
        sd_y_left=1e-4 * (1 + s),
        sd_y_right=np.full(POINTS, 2e-4),
        sd_z_left=1e-4 * (2 - s),
        sd_z_right=np.where(np.arange(POINTS) // 400 % 2 == 0, 1e-4, 3e-4),
        S_y=_trajectory,
        S_z=_trajectory,
        S_roll=_roll,
        scale=scale,
        longest=LONGEST,
    )


def _drawn_trace(errors: RailErrors, rng: np.random.Generator) -> RailTrace:
    """Rails on the design, measured with drawn errors."""
    scale = np.ones(POINTS) if errors.scale is None else errors.scale
    r_y, r_z, roll = (scale * _drawn(spectrum, rng) for spectrum in (_trajectory, _trajectory, _roll))
    white = rng.standard_normal((4, POINTS))
    return flat_trace(
        POINTS,
        y_left=r_y + errors.sd_y_left * white[0],
        y_right=r_y + errors.sd_y_right * white[1],
        z_left=r_z + 0.75 * roll + errors.sd_z_left * white[2],
        z_right=r_z - 0.75 * roll + errors.sd_z_right * white[3],
        curvature_design=np.zeros(POINTS),
    )


def _ratios(errors: RailErrors, seed: int) -> dict[str, Array]:
    """(runs, points) error over its stated standard deviation, of every quantity."""
    rng = np.random.default_rng(seed)
    stated = track_geometry(_drawn_trace(errors, rng), CONFIG, places=Places(), errors=errors)
    runs = [track_geometry(_drawn_trace(errors, rng), CONFIG, places=Places()) for _ in range(RUNS)]
    found = {}
    for quantity in stated:
        assert quantity.sd is not None
        found[quantity.name] = np.array([run[quantity.name].values[ROOM] for run in runs]) / quantity.sd[ROOM]
    return found


@pytest.fixture(scope="module")
def constant() -> dict[str, Array]:
    return _ratios(_errors(None), seed=1)


@pytest.fixture(scope="module")
def braking() -> dict[str, Array]:
    """From 40 m/s to 10 m/s at 0.25 m/s^2: an error of inertial sensors that grows as the square of the slowness."""
    speed = np.sqrt(np.clip(40.0**2 - 2 * 0.25 * STEP * np.arange(POINTS), 10.0**2, None))
    return _ratios(_errors((20 / speed) ** 2), seed=2)


def _share_inside(ratios: Array) -> float:
    return float(np.mean(np.abs(ratios) < 1.96))


def test_bands_of_95_percent_hold_93_to_97_percent(constant: dict[str, Array]) -> None:
    shares = {name: _share_inside(ratios) for name, ratios in constant.items()}
    outside = {name: share for name, share in shares.items() if not 0.93 < share < 0.97}
    assert len(shares) > 30
    assert not outside


def test_bands_hold_as_well_where_the_error_grows_as_the_train_slows(braking: dict[str, Array]) -> None:
    outside = {n: _share_inside(r) for n, r in braking.items() if not 0.93 < _share_inside(r) < 0.97}
    assert not outside


def test_white_errors_are_propagated_exactly(constant: dict[str, Array]) -> None:
    """Gauge sees the cameras alone: the mean square over its variance is 1 within five deviations of chi-square."""
    ratios = constant["gauge"]
    assert np.mean(ratios**2) == pytest.approx(1, abs=5 * np.sqrt(2 / ratios.size))


def test_a_white_error_through_twist_has_the_deviation_of_four_readings() -> None:
    sd = np.full(4000, 1e-4)
    errors = RailErrors(sd, sd, sd, sd)
    result = track_geometry(flat_trace(4000), CONFIG, places=Places(), errors=errors)
    for base in CONFIG.twist_bases:
        assert_allclose(result[f"twist {base:g} m"].sd, 2 * 1e-4 / base, rtol=1e-9)
    assert_allclose(result["longitudinal level 10 m chord left"].sd, np.sqrt(1.5) * 1e-4, rtol=1e-9)


def test_an_error_all_rails_share_is_not_seen_in_gauge_and_one_of_roll_not_in_the_mean() -> None:
    zero = np.zeros(4000)
    errors = RailErrors(zero, zero, zero, zero, S_y=_trajectory, S_roll=_roll)
    result = track_geometry(flat_trace(4000), CONFIG, places=Places(), errors=errors)
    for name in ("gauge", "longitudinal level D1 mean"):
        assert_allclose(result[name].sd, 0.0, atol=1e-12)
    for name in ("alignment D1 mean", "cross level", "longitudinal level D1 left", "twist 3 m"):
        sd = result[name].sd
        assert sd is not None
        assert sd.min() > 1e-6


def test_a_point_the_camera_did_not_see_takes_the_deviation_of_its_neighbours() -> None:
    sd = np.full(4000, 1e-4)
    holed = sd.copy()
    holed[2000:2010] = np.nan
    whole, part = (
        track_geometry(flat_trace(4000), CONFIG, places=Places(), errors=RailErrors(sd, sd, z, sd)) for z in (sd, holed)
    )
    for a, b in zip(whole, part, strict=True):
        assert_allclose(a.sd, b.sd, rtol=1e-6, err_msg=a.name)


def test_a_column_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="sd_z_left has shape"):
        RailErrors(np.zeros(4), np.zeros(4), np.zeros(3), np.zeros(4))


def test_every_quantity_has_a_standard_deviation() -> None:
    sd = np.full(4000, 1e-4)
    trace = flat_trace(4000, curvature_design=np.zeros(4000))
    result = track_geometry(trace, CONFIG, places=Places(), errors=RailErrors(sd, sd, sd, sd))
    assert {q.kind for q in result} == set(Kind)
    assert all(q.sd is not None and np.isfinite(q.sd).all() for q in result)
