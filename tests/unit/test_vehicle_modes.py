"""The commands that show modes and critical speed, and what they refuse."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from pyarrow import parquet

from twin.cli.vehicle_contacts import coned_contacts, conicities
from twin.cli.vehicle_critical_speed import critical_speed
from twin.cli.vehicle_modes import modes
from twin.core.errors import ConfigError
from twin.report.vehicle_mode_motion import FRAMES
from twin.vehicle.library import vehicle
from twin.vehicle.linear import LinearVehicle


def test_modes_are_named_with_frequency_and_damping(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    modes("manchester", 30.0, 0.1, [tmp_path / "modes.png"])
    said = capsys.readouterr().out
    for words in ("bounce", "1.080", "13.5", "modes.png: written"):
        assert words in said
    assert (tmp_path / "modes.png").stat().st_size > 20_000


def test_shapes_are_written_row_by_row_and_one_mode_moves(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    files = [tmp_path / "modes.parquet", tmp_path / "sway.gif"]
    modes("manchester", 30.0, 0.1, files, 7)
    assert "sway.gif: written" in capsys.readouterr().out
    table = parquet.read_table(files[0]).to_pydict()
    sway = [row for row, number in enumerate(table["mode"]) if number == 7]
    assert {table["name"][row] for row in sway} == {"carbody sway"}
    assert {table["block"][row] for row in sway} == {"lateral"}
    shape = {
        f"{table['body'][row]}.{table['coordinate'][row]}": complex(table["real"][row], table["imaginary"][row])
        for row in sway
    }
    assert shape["carbody.r_y"] == pytest.approx(1.0)
    assert shape["carbody.roll"].real < -0.1, "the body leans to where it sways: it turns about a point below"
    with Image.open(files[1]) as moving:
        assert getattr(moving, "n_frames", 1) == FRAMES
        first = np.asarray(moving.convert("L"), dtype=float)
        moving.seek(FRAMES // 2)
        assert np.abs(np.asarray(moving.convert("L"), dtype=float) - first).max() > 50


@pytest.mark.parametrize(
    ("names", "number", "words"),
    [
        (["modes.txt"], None, r"ends in \.png"),
        (["modes.gif"], 99, r"--mode 99: .* has \d+ modes"),
        (["modes.png"], 3, r"add -o FILE\.gif"),
        (["absent/modes.gif"], None, "cannot be written"),
    ],
)
def test_modes_refuses_what_it_cannot_write(tmp_path: Path, names: list[str], number: int | None, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        modes("manchester", 30.0, 0.1, [tmp_path / name for name in names], number)


def test_critical_speed_is_shown_over_conicity(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    critical_speed("manchester", "0.1,0.4", 90.0, [tmp_path / "locus.png"])
    said = capsys.readouterr().out
    for words in ("> 90", "74.1", "locus.png: written"):
        assert words in said


@pytest.mark.parametrize("text", ["", "steep", "0.1;0.2", "0", "-0.1", "40"])
def test_conicities_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="--conicity"):
        conicities(text)


def test_creep_coefficients_are_those_of_the_wheel_load() -> None:
    """54.5 kN on a wheel of 0.46 m: about 1e7 N."""
    contact = coned_contacts(vehicle("manchester"), 0.1)[0]
    assert contact.f11 == pytest.approx(9.68e6, rel=0.01)
    assert contact.f22 == pytest.approx(8.81e6, rel=0.01)


def test_model_needs_a_contact_for_each_wheelset_and_a_speed() -> None:
    found = vehicle("manchester")
    contacts = coned_contacts(found, 0.1)
    with pytest.raises(ConfigError, match="4 wheelsets need as many contacts, got 1"):
        LinearVehicle(found, contacts[:1])
    with pytest.raises(ValueError, match="above 0"):
        LinearVehicle(found, contacts).at(0.0, "lateral")
