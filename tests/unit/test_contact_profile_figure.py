"""The figure of a profile, and the command that shows one."""

import csv
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from twin.cli.contact_profile import ProfileKind, profile
from twin.contact.profiles import Profile, laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.core.errors import ConfigError
from twin.report.contact_profile import InPlace, profile_figure, radius_of

S1002, EN = wheel_profile("S1002"), rail_profile("60E1-EN")


def figure_of(drawn: Profile) -> Figure:
    return profile_figure(drawn, InPlace(wheel_curve(S1002), laid_rail(EN), "S1002 on 60E1-EN"))


@pytest.mark.parametrize("drawn", [S1002, EN], ids=lambda drawn: drawn.name)
def test_figure_is_in_mm_degrees_and_per_metre(drawn: Profile) -> None:
    shape, _, slope, bend = figure_of(drawn).axes
    y_mm = np.asarray(shape.lines[0].get_xdata())
    assert (y_mm[0], y_mm[-1]) == pytest.approx(tuple(place * 1e3 for place in drawn.span))
    steepest = np.abs(np.asarray(slope.lines[0].get_ydata())).max()
    assert steepest == pytest.approx(80.0 if drawn is S1002 else np.degrees(np.arctan(20)), abs=1e-6)
    assert np.asarray(bend.lines[0].get_ydata()).min() == pytest.approx(-1 / 0.012 if drawn is S1002 else -1 / 0.013)


def test_radii_of_the_drawing_are_written_beside_the_curvature() -> None:
    assert [text.get_text() for text in figure_of(EN).axes[3].texts] == ["R13", "R80", "R300", "R80", "R13"]
    assert {text.get_text() for text in figure_of(S1002).axes[3].texts} == {"R12", "R13", "R20", "R20.5"}


def test_flange_hangs_down_and_left_is_left_in_the_track() -> None:
    shape, place, *_ = figure_of(S1002).axes
    assert shape.get_ylim()[0] > shape.get_ylim()[1]
    assert place.get_xlim()[0] > place.get_xlim()[1]


def test_wheel_stands_on_the_rail_without_entering_it() -> None:
    place = figure_of(S1002).axes[1]
    (y_w, wheel), (y_r, rail) = (np.asarray(line.get_data()) for line in place.lines[:2])
    gap = np.interp(y_r, y_w, wheel) - rail
    assert gap.min() == pytest.approx(0.0, abs=1e-3)


def test_zones_are_told_by_their_radius() -> None:
    assert [radius_of(zone) for zone in EN.zones[2:4]] == pytest.approx([0.08, 0.3])
    assert radius_of(S1002.zones[4]) == pytest.approx(-0.013)  # hollow
    assert radius_of(S1002.zones[3]) == np.inf
    assert radius_of(S1002.zones[6]) is None


def test_command_prints_zones_and_writes_picture_and_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture, table = tmp_path / "rail.png", tmp_path / "rail.csv"
    profile("60E1-EN", cant="1/20", out=[picture, table])
    shown = capsys.readouterr().out
    assert "rail profile 60E1-EN: -36.675 to 36.675 mm" in shown
    assert "R300" in shown
    assert picture.read_bytes().startswith(b"\x89PNG")
    with table.open(encoding="utf-8", newline="") as read:
        rows = list(csv.DictReader(read))
    assert float(rows[0]["y_mm"]) == pytest.approx(-36.675, abs=1e-3)
    assert min(float(row["curvature_per_m"]) for row in rows) == pytest.approx(-1 / 0.013, rel=1e-6)


def test_command_reads_what_it_has_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "s1002.csv"
    profile("S1002", out=[table])
    table.write_text("# " + table.read_text(encoding="utf-8"), encoding="utf-8")
    profile(str(table), kind=ProfileKind.WHEEL, reading="sd_noise=0")
    assert "wheel profile s1002.csv: -69.6" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "kind", "reading", "out", "message"),
    [
        ("points.txt", None, "", "x.png", "say --kind wheel or --kind rail"),
        ("S1003", ProfileKind.WHEEL, "", "x.png", r"did you mean 'S1002'\?"),
        ("S1002", None, "", "x.jpeg", r"a figure ends in \.png, \.pdf, \.svg, a table in \.csv"),
        ("S1002", None, "flop", "x.png", r"unknown key 'flop': did you mean 'flip'\?"),
        ("S1002", None, "", "no/such/folder/x.png", "cannot be written"),
    ],
)
def test_wrong_arguments_are_told_with_a_remedy(
    tmp_path: Path, name: str, kind: ProfileKind | None, reading: str, out: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        profile(name, kind=kind, reading=reading, out=[tmp_path / out])
