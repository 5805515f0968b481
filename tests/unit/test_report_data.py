"""What a report is made from: order, forms, places of events, verdicts on sensors."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.made_run import LABEL, LAYOUT, PLACES, SECOND, STEP, cut, grid, health, made_run
from twin.core.estimate import Form, GridBlock, Health, OperatorEvent, Result
from twin.core.places import Direction
from twin.report.config import ReportConfig
from twin.report.data import RunData
from twin.report.health import Verdict, judge_measurements, judge_sources


def build(results: list[Result], direction: Direction = Direction.INCREASING) -> RunData:
    return RunData.build(results, label=LABEL, places=PLACES, direction=direction)


@pytest.mark.parametrize("direction", Direction)
def test_points_follow_increasing_kilometre_in_both_running_directions(direction: Direction) -> None:
    table = made_run(500.0, direction).best
    assert table is not None
    assert np.all(np.diff(table.index) == 1)


def test_both_running_directions_give_the_same_values_at_the_same_place() -> None:
    there, back = (made_run(500.0, direction).best for direction in Direction)
    assert there is not None
    assert back is not None
    assert_array_equal(there.values, back.values)
    assert_array_equal(there.quality, back.quality)


@pytest.mark.parametrize("points", [1, 7, 400, 10_000])
def test_the_table_does_not_depend_on_how_blocks_are_cut(points: int) -> None:
    block = grid(300.0, Form.SMOOTHED, Direction.DECREASING)
    whole, parts = build([block]).best, build(list(cut(block, points))).best
    assert whole is not None
    assert parts is not None
    assert_array_equal(parts.values, whole.values)
    assert_array_equal(parts.t_ns, whole.t_ns)


def test_a_point_passed_twice_keeps_its_first_passage_and_is_counted() -> None:
    first = grid(100.0, Form.CAUSAL, Direction.INCREASING)
    again = replace(first, values=first.values + 1.0, t_ns=first.t_ns + 1000 * SECOND)
    table = build([again, first]).best
    assert table is not None
    assert_array_equal(table.values, first.values)
    assert table.repeated == first.index.size


def test_the_form_that_has_seen_most_of_the_future_is_the_best() -> None:
    blocks = {form: grid(50.0, form, Direction.INCREASING) for form in Form}
    for forms, best in (
        ((Form.CAUSAL,), Form.CAUSAL),
        ((Form.CAUSAL, Form.LAGGED), Form.LAGGED),
        (tuple(Form), Form.SMOOTHED),
    ):
        table = build([blocks[form] for form in forms]).best
        assert table is not None
        assert table.form is best


def test_blocks_of_other_stages_are_left_alone() -> None:
    other = replace(grid(50.0, Form.SMOOTHED, Direction.INCREASING), name="geometry")
    assert build([other]).best is None


def test_blocks_with_different_columns_are_not_joined_silently() -> None:
    block = grid(50.0, Form.SMOOTHED, Direction.INCREASING)
    with pytest.raises(ValueError, match="differ in step or columns"):
        build([block, replace(block, step=0.5)])


def test_a_column_the_run_does_not_know_is_unknown_everywhere() -> None:
    table = build([grid(50.0, Form.SMOOTHED, Direction.INCREASING)]).best
    assert table is not None
    assert np.isnan(table.column("gauge")).all()


@pytest.mark.parametrize("direction", Direction)
def test_an_event_without_a_place_gets_that_of_the_train_at_its_time(direction: Direction) -> None:
    block = grid(500.0, Form.SMOOTHED, direction)
    event = OperatorEvent(int(block.t_ns[777]), "note", "rough ride")
    (placed,) = build([block, event], direction).events
    assert placed.s == pytest.approx(block.index[777] * STEP, abs=STEP)


def test_an_event_before_departure_has_no_place() -> None:
    block = grid(500.0, Form.SMOOTHED, Direction.INCREASING)
    (event,) = build([block, OperatorEvent(int(block.t_ns[0]) - SECOND, "note", "doors")]).events
    assert event.s is None


def test_an_event_at_a_place_that_is_not_finite_counts_as_unplaced() -> None:
    (event,) = build([OperatorEvent(5, "note", "nowhere", s=float("nan"))]).events
    assert event.s is None


def test_a_run_without_results_is_still_a_run() -> None:
    empty = build([])
    assert empty.best is None
    assert empty.t0_ns == 0


def source(**counts: int) -> list[Health]:
    return [Health(SECOND, "imu", counts, {"rate_hz": 500.0, "clock_sd_us": 3.0})]


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ({"samples": 10_000, "missing": 0}, Verdict.OK),
        ({"samples": 9_950, "missing": 50}, Verdict.WARN),
        ({"samples": 9_000, "missing": 1000}, Verdict.BAD),
        ({"samples": 0, "missing": 500}, Verdict.BAD),
        ({"samples": 10_000, "missing": 0, "bad_crc": 40}, Verdict.WARN),
        ({"samples": 10_000, "missing": 0, "stuck": 900}, Verdict.BAD),
    ],
)
def test_a_source_is_judged_by_what_is_missing_and_faulty(counts: dict[str, int], verdict: Verdict) -> None:
    (judged,) = judge_sources(source(**counts), ReportConfig())
    assert judged.verdict is verdict
    assert bool(judged.reasons) == (verdict is not Verdict.OK)


def test_an_unsure_clock_is_worth_a_look() -> None:
    records = [Health(k * SECOND, "imu", {"samples": 500}, {"clock_sd_us": 300.0}) for k in range(5)]
    (judged,) = judge_sources(records, ReportConfig())
    assert judged.verdict is Verdict.WARN
    assert judged.reasons == ("clock known to 300 µs only",)


def test_what_a_source_does_not_state_is_not_held_against_it() -> None:
    (judged,) = judge_sources([Health(SECOND, "odd", {"restarts": 0}, {})], ReportConfig())
    assert judged.verdict is Verdict.OK
    assert np.isnan([judged.rate_hz, judged.missing, judged.clock_sd_us]).all()


def test_counts_of_every_record_add_up() -> None:
    (judged,) = judge_sources([*source(samples=500, late=2), *source(samples=500, late=3)], ReportConfig())
    assert judged.faults == {"late": 5}


@pytest.mark.parametrize(
    ("nis", "outside", "verdict"),
    [
        (1.0, 0.05, Verdict.OK),
        (1.4, 0.05, Verdict.WARN),
        (0.7, 0.05, Verdict.WARN),
        (1.0, 0.09, Verdict.WARN),
        (1.0, 0.01, Verdict.WARN),
        (4.0, 0.3, Verdict.BAD),
        (0.2, 0.0, Verdict.BAD),
    ],
)
def test_a_measurement_is_judged_by_its_nis_on_both_sides(nis: float, outside: float, verdict: Verdict) -> None:
    record = Health(SECOND, "trajectory", {}, {"nis_a_y": nis, "outside_a_y": outside})
    (judged,) = judge_measurements([record], ReportConfig())
    assert (judged.name, judged.verdict) == ("trajectory · a_y", verdict)


def test_the_mean_nis_weighs_records_by_the_measurements_fused() -> None:
    records = [
        Health(SECOND, "trajectory", {"fused_a_y": 300}, {"nis_a_y": 1.0}),
        Health(2 * SECOND, "trajectory", {"fused_a_y": 100}, {"nis_a_y": 2.0}),
        Health(3 * SECOND, "trajectory", {"fused_a_y": 0}, {"nis_a_y": float("nan")}),
    ]
    (judged,) = judge_measurements(records, ReportConfig())
    assert_allclose(judged.nis, 1.25)


def test_an_estimator_with_statistics_only_is_not_listed_as_a_sensor() -> None:
    sources = judge_sources(health(5), ReportConfig())
    assert [judged.source for judged in sources] == ["axle_box", "encoder", "imu"]


def test_a_single_point_is_a_table() -> None:
    one = GridBlock(
        "navigation",
        Form.CAUSAL,
        STEP,
        np.array([4]),
        np.array([SECOND]),
        LAYOUT,
        np.zeros((1, len(LAYOUT.names))),
        np.zeros(1, dtype=np.uint8),
    )
    table = build([one]).best
    assert table is not None
    assert_array_equal(table.s, [1.0])
