"""Whole runs: seeded, independent of how they are cut, and true to the track they run on."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from twin.core.errors import ConfigError
from twin.core.places import Direction
from twin.simulation import (
    Defect,
    DefectRail,
    DefectShape,
    IrregularityConfig,
    Scenario,
    SimulatedRun,
    SpectrumClass,
    TrackTruth,
    TrueVehicle,
    Truth,
    constant,
    curve_scenario,
    demo_scenario,
    load_truth,
    save_truth,
    simulate,
    standstill,
    stream,
)
from twin.simulation.irregularity import realise

SHORT = Scenario(motion=constant(speed=15.0, length=400.0, standstill=12.0))


@pytest.fixture(scope="module")
def run() -> SimulatedRun:
    return simulate(SHORT)


def test_the_same_scenario_gives_the_same_bits(run: SimulatedRun) -> None:
    again = simulate(SHORT)
    for a, b in zip(run.streams, again.streams, strict=True):
        np.testing.assert_array_equal(a.values, b.values)
        np.testing.assert_array_equal(a.t, b.t)


def test_another_seed_changes_the_sensors_and_not_the_track(run: SimulatedRun) -> None:
    other = simulate(SHORT.model_copy(update={"seed": 2}))
    np.testing.assert_array_equal(run.track.level, other.track.level)
    assert not np.array_equal(run.streams[0].values, other.streams[0].values)


@pytest.mark.parametrize("block", [3, 7])
def test_the_length_of_the_stretches_changes_nothing(run: SimulatedRun, block: int) -> None:
    parts = list(stream(SHORT, block=block))
    for i, whole in enumerate(run.streams):
        np.testing.assert_array_equal(np.concatenate([p.streams[i].t for p in parts]), whole.t)
        values = np.concatenate([p.streams[i].values for p in parts])
        np.testing.assert_allclose(values, whole.values, atol=2.5e-5)  # one step of rounding, at most
        assert np.mean(values != whole.values) < 1e-3
    np.testing.assert_allclose(np.concatenate([p.truth.r_y for p in parts]), run.truth.r_y, atol=1e-12)


def test_times_ascend_and_every_source_lasts_the_whole_run(run: SimulatedRun) -> None:
    imu, encoder = run.streams
    for source, rate in ((imu, 500.0), (encoder, 200.0)):
        assert np.all(np.diff(source.t) > 0)
        assert np.diff(source.t).mean() == pytest.approx(1 / rate, rel=1e-6)
    assert imu.values.shape == (run.truth.t.size, 7)
    assert abs(imu.t[-1] - encoder.t[-1]) < 0.01
    assert np.all(np.isfinite(imu.values))


def test_a_rest_of_an_hour_streams_without_motion_and_then_departs() -> None:
    moved = [float(part.truth.s[-1]) for part in stream(standstill(SHORT, 3600.0), block=60)]
    assert len(set(moved[:60])) == 1
    assert moved[-1] > moved[0] + 390.0


def test_without_own_motion_the_body_rests_on_the_rails() -> None:
    """On straight track r_y is the mean of the alignment below the two wheelsets, plus roll times height."""
    scenario = SHORT.model_copy(update={"vehicle": TrueVehicle(own_motion=0.0)})
    result = simulate(scenario)
    truth, a = result.truth, scenario.vehicle.semi_wheelbase
    alignment, level = (
        (np.interp(truth.s_body + a, result.track.s, rail) + np.interp(truth.s_body - a, result.track.s, rail)) / 2
        for rail in (result.track.alignment, result.track.level)
    )
    np.testing.assert_allclose(truth.r_y + scenario.mounting.z * truth.roll_rel, alignment, atol=2e-4)
    np.testing.assert_allclose(truth.r_z, level, atol=2e-4)


def test_defects_stand_where_they_were_put() -> None:
    defects = (
        Defect(shape=DefectShape.DIP, s=100.0, size=0.01),
        Defect(shape=DefectShape.KINK, s=200.0, size=0.008),
        Defect(shape=DefectShape.GAUGE_WIDENING, s=300.0, size=0.012),
    )
    smooth, marked = (
        next(stream(SHORT.model_copy(update={"irregularity": IrregularityConfig(defects=d)}))).track
        for d in ((), defects)
    )
    level, alignment = marked.level - smooth.level, marked.alignment - smooth.alignment
    gauge = marked.gauge - smooth.gauge
    assert (smooth.s[np.argmin(level)], level.min()) == pytest.approx((100.0, -0.01))
    assert (smooth.s[np.argmax(alignment)], alignment.max()) == pytest.approx((200.0, 0.008))
    assert np.interp([298.5, 300.0, 301.5, 310.0], smooth.s, gauge) == pytest.approx([0.012, 0.012, 0.012, 0], abs=6e-4)


def test_a_defect_of_one_rail_leaves_the_other_alone() -> None:
    for shape, moved, amount in (
        (DefectShape.DIP, "z", -1.0),
        (DefectShape.KINK, "y", 1.0),
        (DefectShape.GAUGE_WIDENING, "y", 1.0),
        (DefectShape.CROSS_LEVEL, "z", 1.0),
    ):
        for rail, other in (("left", "right"), ("right", "left")):
            defect = Defect(shape=shape, rail=DefectRail(rail), s=50.0, size=0.01, length=6.0)
            config = IrregularityConfig(spectrum=SpectrumClass.NONE, defects=(defect,))
            rails = realise(config, s0=0.0, length=100.0)
            parted = shape in (DefectShape.GAUGE_WIDENING, DefectShape.CROSS_LEVEL) and rail == "right"
            places = getattr(rails, f"{moved}_{rail}")
            assert places[1000] == pytest.approx(0.01 * amount * (-1.0 if parted else 1.0))
            assert np.abs(getattr(rails, f"{moved}_{other}")).max() < 1e-15


def test_a_cross_level_defect_lifts_the_left_rail_by_half_and_sinks_the_right() -> None:
    defect = Defect(shape=DefectShape.CROSS_LEVEL, s=50.0, size=0.01, length=6.0)
    rails = realise(IrregularityConfig(spectrum=SpectrumClass.NONE, defects=(defect,)), s0=0.0, length=100.0)
    assert (rails.z_left[1000], rails.z_right[1000]) == pytest.approx((0.005, -0.005))
    np.testing.assert_allclose(rails.y_left, 0.0, atol=1e-15)


def test_the_other_direction_meets_the_same_rails_mirrored(run: SimulatedRun) -> None:
    back = next(stream(SHORT.model_copy(update={"direction": Direction.DECREASING})))
    np.testing.assert_allclose(back.track.alignment, -run.track.alignment[::-1], atol=1e-6)
    np.testing.assert_allclose(back.track.level, run.track.level[::-1], atol=1e-6)
    s = np.array([500.0, 700.0])
    np.testing.assert_allclose(back.design.curvature(3000.0 - s), -run.design.curvature(s), atol=1e-12)


def test_truth_survives_its_file(run: SimulatedRun, tmp_path: Path) -> None:
    save_truth(tmp_path / "truth.npz", run.truth, run.track)
    truth, track = load_truth(tmp_path / "truth.npz")
    for field in fields(Truth):
        np.testing.assert_array_equal(getattr(truth, field.name), getattr(run.truth, field.name))
    for field in fields(TrackTruth):
        np.testing.assert_array_equal(getattr(track, field.name), getattr(run.track, field.name))


def test_progress_ends_at_one() -> None:
    told: list[float] = []
    simulate(SHORT, told.append)
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)


def test_a_run_beyond_the_track_says_what_to_do() -> None:
    with pytest.raises(ConfigError, match=r"shorten a leg of motion\.legs"):
        next(stream(SHORT.model_copy(update={"motion": constant(speed=20.0, length=4000.0)})))


@pytest.mark.parametrize("scenario", [curve_scenario(), demo_scenario()])
def test_the_standard_lines_are_three_kilometres_with_canted_curves(scenario: Scenario) -> None:
    design = scenario.design()
    s = np.arange(0.0, 3000.0, 1.0)
    assert design.length == pytest.approx(3000.0)
    assert np.max(design.curvature(s)) == pytest.approx(1 / 600)
    assert np.min(design.cant_angle(s)) == pytest.approx(-np.arcsin(0.1 / 1.5))
    assert next(stream(scenario)).truth.t.size == 5000


def test_a_scenario_survives_its_own_configuration() -> None:
    scenario = demo_scenario(seed=7)
    assert Scenario.load(scenario.model_dump(mode="json"), where="test") == scenario
