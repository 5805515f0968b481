"""`railtwin vehicle curving` and `critical-speed --nonlinear` as a person meets them."""

import csv
from pathlib import Path

import pytest
from pyarrow import parquet

from tests.command_line import Railtwin

PNG = b"\x89PNG"


@pytest.fixture
def railtwin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Railtwin:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("NO_COLOR", "1")
    return Railtwin(monkeypatch, capsys)


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as read:
        return list(csv.DictReader(read))


def test_curves_are_printed_drawn_and_written_as_one(railtwin: Railtwin, tmp_path: Path) -> None:
    picture, text, table = (tmp_path / f"curving{ending}" for ending in (".png", ".csv", ".parquet"))
    arguments = ("--radius", "100,600", "--cant", "0,100", "--speed", "30")
    outcome = railtwin("vehicle", "curving", "manchester", *arguments, "-o", picture, "-o", text, "-o", table)
    assert outcome.code == 0
    assert "steady curving at 30 m/s" in outcome.out
    assert "…" not in outcome.out
    assert "radius 100 m, cant 0 mm, 30.0 m/s: overturned" in outcome.err
    assert "curving: 100 %" in outcome.err
    assert picture.read_bytes().startswith(PNG)
    found = rows(text)
    assert [row["state"] for row in found] == ["overturned", *["steady"] * 4] * 2
    assert found[0]["shift_mm"] == ""
    assert found[1]["wheelset"] == "wheelset 1"
    assert float(found[1]["shift_mm"]) > float(found[2]["shift_mm"])
    assert float(found[1]["speed_m_per_s"]) == 30.0
    assert f"{float(found[1]['shift_mm']):.2f}" in outcome.out
    whole = parquet.read_table(table)
    assert whole.column_names == list(found[0])
    assert whole["shift_mm"][1].as_py() == pytest.approx(float(found[1]["shift_mm"]), rel=1e-8)


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (("nobody",), "manchester"),
        (("manchester", "--radius", "10"), "50 to"),
        (("manchester", "--radius", "wide"), "300,600,1200"),
        (("manchester", "--cant", "900"), "at most 200 mm"),
        (("manchester", "--speed", "20", "--deficiency", "50"), "give one of them"),
        (("manchester", "--cant", "0", "--deficiency=-10"), "only a vehicle that stands"),
        (("manchester", "--speed", "900"), "1 to 150 m/s"),
        (("manchester", "--wheel", "S1003"), "did you mean 'S1002'"),
        (("manchester", "-o", "curving.doc"), ".parquet"),
        (("manchester", "-o", "nowhere/curving.png"), "no directory"),
    ],
)
def test_a_wrong_argument_stops_before_anything_runs(
    railtwin: Railtwin, arguments: tuple[str, ...], remedy: str
) -> None:
    outcome = railtwin("vehicle", "curving", *arguments)
    assert outcome.code == 2
    assert remedy in outcome.err.replace("\n", " ")


def test_hunting_of_cones_is_found_drawn_and_written_and_that_they_leave_the_track_is_said(
    railtwin: Railtwin, tmp_path: Path
) -> None:
    picture, text = tmp_path / "hunting.png", tmp_path / "hunting.csv"
    arguments = ("--nonlinear", "--wheel", "cone-20", "--contact", "knife", "--friction", "1", "--step", "20")
    outcome = railtwin("vehicle", "critical-speed", "manchester", *arguments, "-o", picture, "-o", text)
    assert outcome.code == 0
    assert "linear, by eigenvalues" in outcome.out
    assert "small disturbances grow" in outcome.out
    assert "off the track" in outcome.out
    assert "has left the track" in outcome.err
    assert picture.read_bytes().startswith(PNG)
    assert {row["branch"] for row in rows(text)} == {"small wave", "slowing down"}


def test_the_linear_critical_speeds_are_written_as_a_table(railtwin: Railtwin, tmp_path: Path) -> None:
    text = tmp_path / "critical.csv"
    outcome = railtwin("vehicle", "critical-speed", "manchester", "--conicity", "0.2", "-o", text)
    assert outcome.code == 0
    (row,) = rows(text)
    assert f"{float(row['speed_m_per_s']):.1f}" in outcome.out
    assert row["mode"] in outcome.out
