"""Exceedances: planted defects are found once, with their class and place, in both running directions."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.rail_traces import STEP, flat_trace, trace_of, true_rails
from twin.core.arrays import Array
from twin.core.places import KilometrePost, Places
from twin.geometry.quantities.config import CombinedWeights, QuantityConfig
from twin.geometry.quantities.deviations import COMBINED, deviations
from twin.geometry.quantities.exceedances import Exceedance, ExceedanceConfig, exceedances, with_limits
from twin.geometry.quantities.geometry import track_geometry
from twin.geometry.quantities.limits import limit_lines, quality_classes, read_limits
from twin.geometry.quantities.line_table import LeftOut, LineTable, left_out_stretches, read_line
from twin.geometry.quantities.quantity import Kind, Rail, Severity
from twin.geometry.quantities.uncertainty import RailErrors
from twin.geometry.rails import RailTrace, reversed_running
from twin.numerics.bands import gain

CONFIG, RULES = QuantityConfig(), ExceedanceConfig()
TABLE = read_limits()
PLACES = Places(posts=(KilometrePost(s=0.0, km=10.0), KilometrePost(s=1000.0, km=11.0)))
N = 8000
S = STEP * np.arange(N)


def found_in(trace: RailTrace, *, kmh: float = 120.0, left_out: tuple[LeftOut, ...] = ()) -> tuple[Exceedance, ...]:
    geometry = track_geometry(trace, CONFIG, places=PLACES, left_out=left_out)
    return exceedances(with_limits(geometry, TABLE, line_speed=np.full(len(trace), kmh / 3.6)), RULES)


def bump(size: float, at: float, length: float = 4.0) -> Array:
    return size * np.exp(-0.5 * ((S - at) / (length / 4)) ** 2)


@pytest.mark.parametrize(
    ("peak", "severity"),
    [(0.0115, Severity.ALERT), (0.018, Severity.INTERVENTION), (0.030, Severity.IMMEDIATE_ACTION)],
)
def test_a_planted_dip_is_found_once_with_its_class_and_place(peak: float, severity: Severity) -> None:
    """At 120 km/h the limits of level are 10, 13 and 26 mm; the peak in D1 follows from the dip's own spectrum."""
    at, sigma = 1000.3, 1.5
    Omega = np.linspace(0.01, np.pi / STEP, 20000)
    passed = gain(2 * np.pi / Omega, step=STEP, name="D1") * np.exp(-0.5 * (Omega * sigma) ** 2)
    share = sigma * np.sqrt(2 / np.pi) * np.trapezoid(passed, Omega)
    listed = found_in(flat_trace(N, z_left=bump(-peak / share, at, length=4 * sigma)))
    levels = [e for e in listed if e.kind is Kind.LEVEL]
    assert [(e.rail, e.severity) for e in levels] == [(Rail.LEFT, severity)]
    found = levels[0]
    assert abs(found.s - at) < 0.5
    assert found.peak == pytest.approx(-peak, rel=0.01)
    assert found.peak < found.limit < 0
    assert found.kilometre == pytest.approx(10 + found.s / 1000)
    assert found.start <= found.s <= found.start + found.length


def test_gauge_and_alignment_defects_are_told_apart() -> None:
    kink = bump(0.02, 600.0, length=6.0)
    wide = bump(0.016, 1400.0, length=8.0)
    listed = found_in(flat_trace(N, y_left=kink + wide, y_right=kink - wide))
    assert {(e.kind, e.rail) for e in listed if e.s < 1000} == {
        (Kind.ALIGNMENT, Rail.LEFT),
        (Kind.ALIGNMENT, Rail.RIGHT),
    }
    gauge = [e for e in listed if e.kind is Kind.GAUGE]
    assert [(e.severity, round(1e3 * e.peak), e.s) for e in gauge] == [(Severity.INTERVENTION, 32, 1400.0)]


def test_narrow_gauge_beside_wide_gauge_is_two_exceedances() -> None:
    y_left = bump(0.030, 1000.0) - bump(0.0105, 1004.0, length=2.0)
    listed = [e for e in found_in(flat_trace(N, y_left=y_left)) if e.kind is Kind.GAUGE]
    assert [e.peak > 0 for e in listed] == [True, False]
    assert [e.severity for e in listed] == [Severity.ALERT, Severity.INTERVENTION]


def test_twist_counts_with_the_twist_of_the_design() -> None:
    ramp = np.clip((S - 1000) * 4.5e-3, 0.0, 0.06)  # 4.5 mm/m of design, over 13 m
    trace = flat_trace(N, cant_angle_design=-np.arcsin(ramp / 1.5))
    listed = [e for e in found_in(trace) if e.kind is Kind.TWIST]
    assert {(e.variant, e.severity) for e in listed} == {
        ("3 m", Severity.ALERT),
        ("5 m", Severity.ALERT),
        ("9 m", Severity.INTERVENTION),
    }
    assert all(e.peak == pytest.approx(-4.5e-3, rel=1e-3) for e in listed)


def test_noise_at_the_limit_makes_one_exceedance_and_distant_peaks_two() -> None:
    rng = np.random.default_rng(3)
    plateau = 0.0252 / np.sqrt(1 + ((S - 1000) / 6) ** 16) + 0.0004 * rng.standard_normal(N)
    noisy = [e for e in found_in(flat_trace(N, y_left=plateau)) if e.kind is Kind.GAUGE]
    assert len(noisy) == 1
    assert 8 < noisy[0].length < 14
    near, far = (bump(0.028, 1000.0) + bump(0.028, 1000.0 + d) for d in (4.0, 20.0))
    assert len([e for e in found_in(flat_trace(N, y_left=near)) if e.kind is Kind.GAUGE]) == 1
    assert len([e for e in found_in(flat_trace(N, y_left=far)) if e.kind is Kind.GAUGE]) == 2


def test_limits_follow_the_line_speed_along_the_line(tmp_path: Path) -> None:
    path = tmp_path / "line.toml"
    path.write_text("line_speed_kmh = 80\n[[speeds]]\nfrom_km = 11.0\nto_km = 12.5\nline_speed_kmh = 230\n")
    trace = flat_trace(N, y_left=bump(-0.0065, 500.0) + bump(-0.0065, 1500.0))
    geometry = track_geometry(trace, CONFIG, places=PLACES)
    limited = with_limits(geometry, TABLE, line_speed=read_line(path).line_speed(geometry.kilometre))
    gauge = [e for e in exceedances(limited, RULES) if e.kind is Kind.GAUGE]
    assert [(e.s, e.severity) for e in gauge] == [(1500.0, Severity.INTERVENTION)]
    lines = limited["gauge"].limits
    assert [line.lower[0] for line in lines] == pytest.approx([-0.007, -0.009, -0.011])
    assert [line.upper[-1] for line in lines] == pytest.approx([0.020, 0.023, 0.028])


def test_switches_and_slow_stretches_are_marked_and_left_out() -> None:
    y_left = sum((bump(0.03, at) for at in (500.0, 1000.0, 1500.0)), np.zeros(N))
    speed = np.where(np.abs(S - 1500) < 30, 2.0, 20.0)
    switch = LeftOut(from_km=10.98, to_km=11.02, name="points 14")
    trace = flat_trace(N, y_left=y_left, speed=speed)
    assert [e.s for e in found_in(trace, left_out=(switch,)) if e.kind is Kind.GAUGE] == [500.0]
    geometry = track_geometry(trace, CONFIG, places=PLACES, left_out=(switch,))
    listed = left_out_stretches(geometry)
    assert [(e.reason, e.kilometre) for e in listed] == [
        ("switch", 10.98),
        ("low speed", pytest.approx(11.4703, abs=1e-3)),
    ]
    assert [e.length for e in listed] == pytest.approx([40.25, 59.75])


def test_both_running_directions_list_the_same_exceedances() -> None:
    rails = true_rails(
        seed=7,
        length=4000.0,
        spectrum="german_high",
        scale=1.5,
        defects=[
            {"shape": "dip", "s": 1500.0, "size": 0.03, "length": 8.0},
            {"shape": "kink", "s": 2500.0, "size": 0.02, "length": 8.0},
            {"shape": "gauge_widening", "s": 3000.0, "size": 0.03, "length": 10.0},
        ],
    )
    forth = found_in(trace_of(rails), kmh=160.0)
    back = found_in(reversed_running(trace_of(rails.reversed(4000.0)), s_start=4000.0), kmh=160.0)
    assert len(forth) >= 10
    assert len(forth) == len(back)
    for a, b in zip(forth, back, strict=True):
        assert (a.name, a.severity, a.s, a.start, a.length) == (b.name, b.severity, b.s, b.start, b.length)
        assert a.peak == pytest.approx(b.peak, abs=1e-8)
    for at, kind in ((1500.0, Kind.LEVEL), (2500.0, Kind.ALIGNMENT)):
        assert any(e.kind is kind and abs(e.s - at) < 0.5 for e in forth)


def test_no_place_is_listed_twice_for_one_quantity() -> None:
    listed = found_in(trace_of(true_rails(seed=9, length=3000.0, spectrum="german_high", scale=2.0)), kmh=230.0)
    assert len(listed) > 50
    for name in {e.name for e in listed}:
        ends = [(e.start, e.start + e.length) for e in listed if e.name == name]
        ends.sort()
        assert all(b[0] - a[1] >= RULES.merge_length - STEP for a, b in pairwise(ends))


def test_an_exceedance_states_the_deviation_of_its_peak() -> None:
    sd = np.full(N, 2e-4)
    geometry = track_geometry(
        flat_trace(N, y_left=bump(0.03, 1000.0)), CONFIG, places=PLACES, errors=RailErrors(sd, sd, sd, sd)
    )
    listed = exceedances(with_limits(geometry, TABLE, line_speed=np.full(N, 30.0)), RULES)
    gauge = next(e for e in listed if e.kind is Kind.GAUGE)
    assert gauge.sd == pytest.approx(np.sqrt(2) * 2e-4)


def test_deviations_over_200_m_are_those_of_the_points_in_sliding_windows_and_blocks() -> None:
    trace = trace_of(true_rails(seed=4, length=3000.0))
    geometry = track_geometry(trace, CONFIG, places=PLACES)
    result = deviations(geometry, CONFIG)
    rails = [geometry[f"longitudinal level D1 {rail}"].values for rail in ("left", "right")]
    level = result["longitudinal level D1"]
    at = 6000
    window = slice(at - 400, at + 401)
    assert level.sliding[at] == pytest.approx(np.sqrt(np.mean([np.var(r[window], ddof=1) for r in rails])))
    block = slice(round(1200 / STEP), round(1400 / STEP))
    expected = np.sqrt(np.mean([np.var(r[block], ddof=1) for r in rails]))
    assert result.block_start[6] == 1200.0
    assert level.blocks[6] == pytest.approx(expected)
    parts = [
        result[f"{kind} D1"].blocks[6] ** 2 for kind in ("longitudinal level", "alignment", "gauge", "cross level")
    ]
    assert result[COMBINED].blocks[6] == pytest.approx(np.sqrt(sum(parts)))
    weighted = CONFIG.model_copy(update={"weights": CombinedWeights(level=4.0, alignment=0.0, gauge=0, cross_level=0)})
    assert_allclose(deviations(geometry, weighted)[COMBINED].blocks, 2 * level.blocks)


def test_a_window_with_too_few_judged_points_has_no_deviation() -> None:
    trace = trace_of(true_rails(seed=4, length=3000.0))
    slow = replace(trace, speed=np.where((trace.s > 1200) & (trace.s < 1260), 1.0, 20.0))
    result = deviations(track_geometry(slow, CONFIG, places=PLACES), CONFIG)["gauge D1"]
    assert np.isnan(result.blocks[6])
    assert np.isfinite(result.blocks[7])
    assert np.isnan(result.sliding[round(1230 / STEP)])


def test_quality_classes_rise_with_the_deviation_and_fall_with_speed() -> None:
    sd = np.array([0.5, 0.8, 1.5, 2.0, 3.0, np.nan]) / 1000
    at_120 = quality_classes(sd, Kind.LEVEL, TABLE, line_speed=np.full(6, 120 / 3.6))
    assert at_120 == ("A", "B", "C", "D", "E", "")
    at_80 = quality_classes(sd, Kind.LEVEL, TABLE, line_speed=np.full(6, 80 / 3.6))
    assert at_80 == ("A", "A", "B", "C", "D", "")
    assert quality_classes(sd, Kind.GAUGE, TABLE, line_speed=np.full(6, 20.0)) == ("",) * 6


def test_a_quantity_the_table_knows_not_has_no_limits() -> None:
    geometry = track_geometry(flat_trace(N), CONFIG, places=PLACES)
    speed = LineTable().line_speed(geometry.kilometre)
    assert limit_lines(geometry["cross level"], TABLE, line_speed=speed) == ()
    assert len(limit_lines(geometry["twist 9 m"], TABLE, line_speed=speed)) == 3


@pytest.mark.parametrize("points", [0, 1, 5, 100])
@pytest.mark.parametrize("value", [0.0, np.nan])
def test_a_run_of_any_length_is_judged_without_finding_anything(points: int, value: float) -> None:
    trace = flat_trace(points, y_left=np.full(points, value))
    sd = np.full(points, 1e-4)
    geometry = track_geometry(trace, CONFIG, places=PLACES, errors=RailErrors(sd, sd, sd, sd))
    assert exceedances(with_limits(geometry, TABLE, line_speed=np.full(points, 20.0)), RULES) == ()
    assert np.isnan(deviations(geometry, CONFIG)[COMBINED].sliding).all()
    assert left_out_stretches(geometry) == ()
