"""CSV and summary: units, order, formats, and runs with little or nothing in them."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.made_run import LABEL, PLACES, SECOND, STEP, grid, made_run
from twin.core.estimate import Form, GridBlock, Result, StateLayout
from twin.core.places import Direction
from twin.core.quality import Quality
from twin.report.data import RunData
from twin.report.tables import summary, write_csv
from twin.report.units import cant_mm, quality_words


def build(*results: Result) -> RunData:
    return RunData.build(results, label=LABEL, places=PLACES, direction=Direction.INCREASING)


def point(quality: Quality = Quality.GOOD, **values: float) -> GridBlock:
    return GridBlock(
        "navigation",
        Form.SMOOTHED,
        STEP,
        np.array([4]),
        np.array([SECOND]),
        StateLayout(tuple(values), ("",) * len(values)),
        np.array([list(values.values())]),
        np.array([int(quality)], dtype=np.uint8),
    )


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def written(data: RunData, path: Path) -> list[dict[str, str]]:
    write_csv(data, path / "run.csv")
    return read(path / "run.csv")


def test_columns_carry_the_units_of_a_track_engineer(tmp_path: Path) -> None:
    (row,) = written(build(point(speed=20.0, curvature=1 / 600, r_y=0.0015, roll=-0.0021, s_sd=0.5)), tmp_path)
    assert row == {
        "km": "41.80100",
        "s_m": "1.00",
        "t_s": "0.000",
        "speed_kmh": "72.00",
        "curvature_per_km": "1.6667",
        "roll_mrad": "-2.100",
        "lateral_mm": "1.500",
        "sd_position_m": "0.500",
        "quality": "good",
    }


def test_cant_is_positive_in_a_left_curve_and_measured_on_its_base() -> None:
    assert_allclose(cant_mm(-np.arcsin(np.array([0.1 / 1.5])), cant_base=1.5), [100.0])


def test_what_is_not_known_is_an_empty_field(tmp_path: Path) -> None:
    (row,) = written(build(point(speed=float("nan"), curvature=float("inf"))), tmp_path)
    assert (row["speed_kmh"], row["curvature_per_km"]) == ("", "")


def test_zero_has_no_sign(tmp_path: Path) -> None:
    (row,) = written(build(point(r_y=-1e-9)), tmp_path)
    assert row["lateral_mm"] == "0.000"


def test_columns_the_report_does_not_know_stay_as_they_are(tmp_path: Path) -> None:
    (row,) = written(build(point(wheel_radius=0.4587)), tmp_path)
    assert row["wheel_radius"] == "0.4587"


def test_quality_is_written_in_words() -> None:
    assert quality_words(int(Quality.BRIDGED | Quality.SLIPPING)) == "bridged+slipping"
    assert quality_words(0) == "good"


@pytest.mark.parametrize("direction", Direction)
def test_rows_follow_increasing_kilometre(direction: Direction, tmp_path: Path) -> None:
    rows = written(made_run(200.0, direction), tmp_path)
    assert len(rows) == 800
    assert np.all(np.diff([float(row["km"]) for row in rows]) > 0)


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        write_csv(made_run(100.0), tmp_path / name)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_a_form_can_be_chosen(tmp_path: Path) -> None:
    data = made_run(100.0)
    write_csv(data, tmp_path / "causal.csv", Form.CAUSAL)
    assert read(tmp_path / "causal.csv")[50]["sd_lateral_mm"] != written(data, tmp_path)[50]["sd_lateral_mm"]


def test_an_empty_run_gives_the_header_alone(tmp_path: Path) -> None:
    write_csv(build(), tmp_path / "new" / "empty.csv")
    assert (tmp_path / "new" / "empty.csv").read_text() == "km,s_m,t_s,quality\n"


def test_the_summary_tells_the_stretch_and_the_health() -> None:
    told = summary(made_run(1000.0))
    assert (told["km_from"], told["points"], told["form"]) == (41.8, 4000, "smoothed")
    assert (told["health"], told["sources"], told["sources_not_ok"]) == ("bad", 3, 2)
    assert told["bridged_percent"] == 1.5


def test_the_summary_of_an_empty_run_has_no_points() -> None:
    assert summary(build())["points"] == 0


def test_the_summary_says_none_for_what_no_point_tells() -> None:
    block = grid(50.0, Form.SMOOTHED, Direction.INCREASING)
    told = summary(build(replace(block, values=np.full_like(block.values, np.nan))))
    assert told["speed_max_kmh"] is None
    assert told["sd_lateral_mm"] is None
