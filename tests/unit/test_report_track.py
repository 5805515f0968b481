"""Track geometry in the report: planted defects are listed, tables and exports agree, limits are the user's."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pyarrow import parquet

from tests.made_geometry import PLANTED, geometry_run, rails_block
from tests.made_run import LABEL, PLACES, design, grid
from twin.core.estimate import Form
from twin.core.places import Direction, KilometrePost, Places
from twin.core.track import DesignTrack, HorizontalElement
from twin.geometry.quantities.geometry import track_geometry
from twin.geometry.quantities.limits import SHIPPED
from twin.geometry.quantities.line_table import LineTable, SpeedStretch
from twin.geometry.quantities.quantity import Rail, Severity
from twin.geometry.rails import STEP
from twin.report.config import LongWaves, Origin, ReportConfig, TrackReportConfig
from twin.report.data import RunData
from twin.report.geojson import write_geojson
from twin.report.html import render
from twin.report.judged import Judged, judge
from twin.report.laid_over import LaidOver, lay_over
from twin.report.pdf import write_pdf
from twin.report.plan import earth_plan, local_plan
from twin.report.rails import _angle, _path, rail_run, shown_names
from twin.report.strip_sheets import LENGTH, starts_of
from twin.report.table_file import write_table
from twin.report.track_export import deviation_columns, exceedance_columns, geometry_columns
from twin.report.track_strips import class_ribbons
from twin.report.track_tables import class_shares, counts, coverage, curve_rows, exceedance_rows, wear_rows

CONFIG = TrackReportConfig()


@pytest.fixture(scope="module")
def data() -> RunData:
    return geometry_run()


@pytest.fixture(scope="module")
def judged(data: RunData) -> Judged:
    found = judge(data, CONFIG)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def earlier(data: RunData) -> LaidOver:
    other = geometry_run(seed=2, later=False, shift=7.5, name="Demo run 6")
    found = lay_over(data, other, CONFIG)
    assert found is not None
    return found


def test_every_planted_defect_is_listed_with_its_class_and_place(judged: Judged) -> None:
    rows = exceedance_rows(judged)
    for planted in PLANTED:
        near = [row for row in rows if abs(row.s - planted.s) < planted.length]
        worst = {f"{row.quantity} {row.rail}".strip(): str(row.severity) for row in near}
        assert worst.get(planted.name) == planted.severity, planted


def test_nothing_is_listed_far_from_a_planted_defect(judged: Judged) -> None:
    places = np.array([planted.s for planted in PLANTED])
    assert all(np.abs(places - row.s).min() < 15 for row in exceedance_rows(judged))


def test_what_an_earlier_run_had_stands_beside_each_exceedance(judged: Judged, earlier: LaidOver) -> None:
    """The defects were planted at 0.7 of their size in the earlier run."""
    for row in exceedance_rows(judged, earlier):
        assert row.before is not None
        assert row.before / row.peak == pytest.approx(0.7, abs=0.1)


def test_another_run_is_laid_over_to_a_quarter_of_a_metre(earlier: LaidOver) -> None:
    assert earlier.curve.matched.mean() > 0.9
    assert np.abs(earlier.curve.offset[earlier.curve.matched] - 7.5).max() < 0.25


def test_quantities_are_those_of_track_geometry(data: RunData, judged: Judged) -> None:
    config = CONFIG.quantities.model_copy(update={"chords": ()})
    whole = track_geometry(judged.rails.trace, config, places=data.places, errors=judged.rails.errors)
    assert {q.name for q in whole if q.rail is not Rail.MEAN} == shown_names(CONFIG)
    for quantity in judged.geometry:
        assert_array_equal(quantity.values, whole[quantity.name].values)
        assert quantity.sd is not None
        assert_array_equal(quantity.sd, whole[quantity.name].sd)


def test_a_run_without_rails_is_not_judged() -> None:
    plain = RunData.build(
        [grid(50.0, Form.SMOOTHED, Direction.INCREASING)], label=LABEL, places=PLACES, direction=Direction.INCREASING
    )
    assert judge(plain, CONFIG) is None


def test_rails_written_towards_lower_kilometres_are_judged_the_same(data: RunData, judged: Judged) -> None:
    block = rails_block(3000.0)
    order = slice(None, None, -1)
    turned = replace(
        block,
        index=block.index[order],
        values=block.values[order],
        quality=block.quality[order],
        t_ns=block.t_ns,
    )
    back = RunData.build(
        [grid(3000.0, Form.SMOOTHED, Direction.INCREASING), turned],
        label=LABEL,
        places=PLACES,
        direction=Direction.DECREASING,
        design=design(3000.0),
    )
    found = judge(back, CONFIG)
    assert found is not None
    assert found.exceedances == judged.exceedances


def test_the_best_form_of_the_rails_is_reported() -> None:
    rails = [rails_block(100.0, seed=k, form=form) for k, form in enumerate((Form.SMOOTHED, Form.CAUSAL))]
    data = RunData.build(rails, label=LABEL, places=PLACES, direction=Direction.INCREASING)
    assert data.rails is not None
    assert data.rails.form is Form.SMOOTHED
    assert data.best is None


def test_rails_far_from_the_others_are_left_out_and_counted(data: RunData) -> None:
    block = rails_block(1000.0)
    far = replace(rails_block(100.0), index=np.arange(400) + 10**8)
    apart = RunData.build([block, far], label=LABEL, places=PLACES, direction=Direction.INCREASING)
    rails = rail_run(apart, long_wave=LongWaves())
    assert rails is not None
    assert (len(rails.trace), rails.apart) == (4000, 400)


@pytest.mark.parametrize("spectrum", [_path, _angle])
def test_the_spectrum_of_an_error_holds_its_variance(spectrum: Any) -> None:
    Omega = np.geomspace(1e-7, 1e4, 200_001)
    assert np.trapezoid(spectrum(0.3, 250.0)(Omega), Omega) == pytest.approx(0.09, rel=1e-3)


def test_limits_follow_the_line_speed(data: RunData) -> None:
    """At 80 km/h a dip of 14.8 mm is an alert, at 120 km/h it calls for intervention."""
    slow = SpeedStretch(from_km=42.2, to_km=42.6, line_speed_kmh=80)
    found = judge(data, CONFIG.model_copy(update={"line": LineTable(speeds=(slow,))}))
    assert found is not None
    dip = next(e for e in found.exceedances if e.name == "longitudinal level D1 left")
    assert (dip.severity, dip.limit) == (Severity.ALERT, -0.012)
    alerts = [piece for piece in found.limits["longitudinal level D1 left"] if piece.severity is Severity.ALERT]
    assert [piece.upper for piece in alerts] == [0.010, 0.012, 0.010]
    assert alerts[0].end == pytest.approx(alerts[1].start)


def test_the_users_limits_are_used_and_named(data: RunData, tmp_path: Path) -> None:
    own = tmp_path / "own limits.toml"
    own.write_text(
        re.sub(r"immediate_action_mm = \[11,.*", "immediate_action_mm = [99, 99, 99, 99, 99]", SHIPPED.read_text())
    )
    found = judge(data, CONFIG, limits=own)
    assert found is not None
    assert (found.source, found.shipped) == (str(own), False)
    assert "own limits.toml" in render(data, ReportConfig(), found)


def test_shares_of_coverage_and_classes_are_whole(judged: Judged) -> None:
    seen = coverage(judged)
    assert seen["measured"] + seen["bridged"] + seen["unknown"] == pytest.approx(1.0)
    assert seen["unknown"] == pytest.approx(200 / 12_000)
    for _, shares in class_shares(judged):
        assert sum(shares) == pytest.approx(1.0)


def test_counts_add_up_to_the_list(judged: Judged) -> None:
    rows = exceedance_rows(judged)
    assert sum(sum(numbers) for _, numbers in counts(rows)) == len(rows)


def test_curves_are_those_of_the_line(judged: Judged) -> None:
    arcs = [row for row in curve_rows(judged) if row.shape == "arc" and row.length > 150]
    assert {row.side for row in arcs} == {"left", "right"}
    for row in arcs:
        radius, cant = (600, 100) if row.side == "left" else (800, 70)
        assert row.radius == pytest.approx(radius, rel=0.02)
        assert row.cant == pytest.approx(cant, abs=2)
        assert row.deficiency == pytest.approx(11.8 * 120**2 / radius - cant, abs=6)


def test_wear_is_given_for_every_kilometre_of_the_line(judged: Judged) -> None:
    rows = wear_rows(judged)
    assert [row.s for row in rows] == [0.0, 1000.0, 2000.0]
    assert all(largest >= mean > 0 for row in rows for mean, largest in zip(row.mean, row.largest, strict=True))


def test_ribbons_hold_a_class_for_every_block_known(judged: Judged) -> None:
    for ribbon in class_ribbons(judged):
        assert {letter for _, _, letter, _ in ribbon.blocks} <= set("ABCDE")
        assert all(b - a == pytest.approx(200.0) for a, b, _, _ in ribbon.blocks)


def test_the_page_says_that_limits_are_the_users_to_check(data: RunData, judged: Judged) -> None:
    text = render(data, ReportConfig(), judged)
    assert "Limits are the user's to check" in text
    assert text.count("<tr data-s=") >= len(judged.exceedances)


def test_tables_as_text_and_as_parquet_hold_the_same(judged: Judged, tmp_path: Path) -> None:
    for name, columns in (("e", exceedance_columns(exceedance_rows(judged))), ("d", deviation_columns(judged))):
        write_table(tmp_path / f"{name}.csv", columns)
        write_table(tmp_path / f"{name}.parquet", columns)
        table = parquet.read_table(tmp_path / f"{name}.parquet")
        lines = (tmp_path / f"{name}.csv").read_text().splitlines()
        assert lines[0].split(",") == table.column_names
        assert len(lines) - 1 == table.num_rows > 5
        assert_allclose([float(line.split(",")[1]) for line in lines[1:]], table.column(1).to_pylist(), rtol=1e-8)


def test_the_geometry_export_has_every_quantity_with_its_deviation(data: RunData, judged: Judged) -> None:
    columns = geometry_columns(judged.rails, data, CONFIG)
    level = judged.geometry["longitudinal level D1 left"]
    assert_allclose(columns["longitudinal_level_D1_left_mm"], 1e3 * level.values)
    assert {"sd_gauge_mm", "twist_3_m_mm_per_m", "alignment_20_m_chord_left_mm", "wear_side_right_mm"} <= set(columns)
    assert {len(column) for column in columns.values()} == {level.values.size}


def test_a_quarter_circle_ends_beside_its_middle() -> None:
    arc = DesignTrack.from_elements(
        [HorizontalElement(length=1000 * np.pi, curvature_start=1 / 500, curvature_end=1 / 500)], [], rounding=1e-3
    )
    (end,) = local_plan(arc, np.array([250 * np.pi]))
    assert_allclose(end, [500.0, 500.0], atol=0.01)


@pytest.mark.parametrize(
    ("azimuth", "latitude", "length", "expected"),
    [(90.0, 0.0, 111_319.491, (1.0, 0.0)), (0.0, 44.5, 111_131.75, (0.0, 45.5))],
    ids=["a degree of the equator", "a degree of the meridian about 45"],
)
def test_a_degree_of_the_earth_has_its_published_length(
    azimuth: float, latitude: float, length: float, expected: tuple[float, float]
) -> None:
    """WGS 84: 111 319.491 m along the equator, 111 131.75 m along the meridian about 45 degrees."""
    straight = DesignTrack.from_elements([HorizontalElement(length=200_000.0)], [])
    origin = Origin(latitude_deg=latitude, longitude_deg=0.0, azimuth_deg=azimuth)
    (end,) = earth_plan(straight, np.array([length]), origin)
    assert_allclose(end, expected, atol=1e-6)


def test_a_map_says_what_its_coordinates_are(data: RunData, judged: Judged, tmp_path: Path) -> None:
    place = Origin(latitude_deg=43.77, longitude_deg=11.25, azimuth_deg=30.0)
    for origin, word in ((None, "local metres"), (place, "WGS 84")):
        write_geojson(data, judged, tmp_path / "map.geojson", origin=origin)
        found = json.loads((tmp_path / "map.geojson").read_text())
        assert word in found["coordinates_are"]
        kinds = [(f["properties"]["what"], f["geometry"]["type"]) for f in found["features"]]
        assert kinds.count(("exceedance", "Point")) == len(judged.exceedances)
        assert kinds.count(("quality", "LineString")) == 14
    east, north = found["features"][0]["geometry"]["coordinates"]
    assert 11.25 < east < 11.26
    assert 43.77 < north < 43.776


def test_sheets_begin_at_whole_kilometres_and_leave_nothing_out(data: RunData) -> None:
    s = STEP * np.arange(round(12_000 / STEP))
    starts = np.array(starts_of(s, PLACES))
    assert starts[0] <= s[0]
    assert np.all(np.diff(starts) <= LENGTH)
    assert starts[-1] + LENGTH > s[-1]
    long = Places(posts=(KilometrePost(s=0, km=5.0), KilometrePost(s=3000, km=6.0)))
    assert starts_of(s[: round(3500 / STEP)], long) == [0.0, 1000.0, 2000.0, 3000.0]


def test_the_sheets_are_a3_and_the_same_for_the_same_run(tmp_path: Path) -> None:
    """Km 41.8 to 42.5 lie on two sheets, after that of the summary."""
    short = geometry_run(700.0)
    found = judge(short, CONFIG)
    assert found is not None
    for name in ("a.pdf", "b.pdf"):
        write_pdf(short, tmp_path / name, found)
    content = (tmp_path / "a.pdf").read_bytes()
    assert content == (tmp_path / "b.pdf").read_bytes()
    assert len(re.findall(rb"/Type /Page\b", content)) == 3
    width, height = map(float, re.findall(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+)", content)[0])
    assert (width, height) == (pytest.approx(420 / 25.4 * 72, abs=0.1), pytest.approx(297 / 25.4 * 72, abs=0.1))
