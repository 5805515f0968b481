"""`railtwin vehicle run`: a vehicle run over a track from the command line, its tables, figures and refusals."""

from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from tests.command_line import Outcome, Railtwin
from twin.core.arrays import Array
from twin.vehicle.library import vehicle
from twin.vehicle.statics import at_rest

TRACK = """
[[horizontal]]
length = 40
[[horizontal]]
length = 30
curvature_end = -0.002
cant_end = -0.05
[[horizontal]]
length = 30
curvature_start = -0.002
curvature_end = -0.002
cant_start = -0.05
cant_end = -0.05
"""


@pytest.fixture
def railtwin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Railtwin:
    monkeypatch.setenv("COLUMNS", "140")
    return Railtwin(monkeypatch, capsys)


def run_to_table(railtwin: Railtwin, tmp_path: Path, *options: str | Path) -> tuple[Outcome, dict[str, Array]]:
    """What a run of the Manchester vehicle said, and its table."""
    file = tmp_path / "run.parquet"
    said = railtwin("vehicle", "run", "manchester", "--rate", "500", *options, "-o", file)
    table = parquet.read_table(file)
    return said, {name: table[name].to_numpy() for name in table.column_names}


def test_on_smooth_straight_track_every_wheel_keeps_its_load(railtwin: Railtwin, tmp_path: Path) -> None:
    said, table = run_to_table(railtwin, tmp_path, "--length", "30", "--speed", "30")
    assert said.code == 0
    loads = at_rest(vehicle("manchester")).wheel_loads
    # wheels touch their rails 0.18 mm below the height the vehicle is described at: its bodies follow in half a second
    settled = table["t_s"] > 0.5
    for name, pair in loads.items():
        for side, load in zip(("left", "right"), pair, strict=True):
            np.testing.assert_allclose(table[f"{name} {side}.Q_N"][settled], load, rtol=1e-3)
        np.testing.assert_allclose(table[f"{name}.shift_m"], 0.0, atol=1e-5)
    assert table["s_m"][-1] == pytest.approx(30.0, abs=0.1)
    assert np.diff(table["t_s"]) == pytest.approx(1 / 500)
    for words in ("largest Y/Q", "largest unloading of a wheel", "vertical acceleration, rms", "carbody"):
        assert words in said.out


def test_curve_to_the_right_is_the_mirror_image_of_that_to_the_left(railtwin: Railtwin, tmp_path: Path) -> None:
    way = ("--transition", "20", "--length", "90", "--speed", "15", "--cant", "50")
    _, left = run_to_table(railtwin, tmp_path, "--radius", "250", *way)
    _, right = run_to_table(railtwin, tmp_path, "--radius", "-250", *way)
    assert left["wheelset 1.shift_m"][-1] < -4e-3, "the leading wheelset runs to the outer rail"
    np.testing.assert_allclose(right["wheelset 1.shift_m"], -left["wheelset 1.shift_m"], atol=2e-5)
    np.testing.assert_allclose(right["wheelset 1 left.Q_N"], left["wheelset 1 right.Q_N"], rtol=5e-3)


def test_vehicle_too_fast_for_its_curve_ends_the_run_and_keeps_what_was_computed(
    railtwin: Railtwin, tmp_path: Path
) -> None:
    files = tmp_path / "run.png", tmp_path / "run.csv"
    said = railtwin(
        *("vehicle", "run", "manchester", "--radius", "200", "--transition", "20", "--speed", "45"),
        *("-o", files[0], "-o", files[1]),
    )
    assert said.code == 1
    assert "ended early" in said.err
    assert "has left the track, at s = " in said.err
    assert files[0].stat().st_size > 50_000
    rows = files[1].read_text(encoding="utf-8").splitlines()
    place = float(rows[-1].split(",")[rows[0].split(",").index("s_m")])
    assert 50.0 < place < 200.0


def test_seed_names_the_irregularities_and_a_file_gives_the_track(railtwin: Railtwin, tmp_path: Path) -> None:
    file = tmp_path / "track.toml"
    file.write_text(TRACK)

    def shifts(*options: str) -> Array:
        return run_to_table(railtwin, tmp_path, "--track", file, "--length", "60", *options)[1]["wheelset 1.shift_m"]

    smooth = shifts()
    first, again, other = (shifts("--irregularity", "german-high", "--seed", seed) for seed in ("1", "1", "2"))
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 1e-4
    assert np.abs(first - smooth).max() > 1e-4
    assert smooth[-1] > 1e-3, "in a right curve the leading wheelset runs to the left"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--length", "10", "--duration", "1"), "leave one of them out"),
        (("--radius", "20"), "--radius 20: a curve has at least 50 m"),
        (("--cant", "100"), "--cant needs a curve"),
        (("--radius", "300", "--length", "100"), "ends before the arc, which begins at 150 m"),
        (("--track", "absent.toml"), "absent.toml: cannot be read"),
        (("--rail", "61E1"), "61E1"),
        (("--rate", "300"), "no whole number of steps"),
        (("-o", "run.xlsx"), "a figure ends in"),
        (("--flexible",), "add --contact elastic"),
    ],
)
def test_what_cannot_be_run_is_refused_with_its_remedy(
    railtwin: Railtwin, options: tuple[str, ...], words: str
) -> None:
    said = railtwin("vehicle", "run", "manchester", *options)
    assert said.code == 2
    assert words in said.err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "write [[horizontal]]"),
        (TRACK.replace("curvature_end = -0.002", "curvature_end = -2", 1), "horizontal.1.curvature_end' = -2"),
        (TRACK.replace("cant_end", "cantend", 1), "did you mean 'cant_end'?"),
        ("[[horizontal]", "is not TOML"),
        ("[[horizontal]]\nlength = 10", "longer than the track of 10 m"),
    ],
)
def test_wrong_track_file_is_named_with_its_entry(railtwin: Railtwin, tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "track.toml"
    file.write_text(text)
    said = railtwin("vehicle", "run", "manchester", "--track", file, "--length", "50")
    assert said.code == 2
    assert words in said.err
