"""`railtwin contact` as a person meets it: the table, the figure, the file, and wrong arguments."""

import csv
from pathlib import Path

import pytest

from tests.command_line import Railtwin

PNG = b"\x89PNG"


@pytest.fixture
def railtwin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Railtwin:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")
    return Railtwin(monkeypatch, capsys)


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as read:
        return list(csv.DictReader(read))


def test_the_conicity_without_roll_is_printed_and_drawn_and_written(railtwin: Railtwin, tmp_path: Path) -> None:
    picture, table = tmp_path / "s1002.png", tmp_path / "s1002.csv"
    outcome = railtwin("contact", "conicity", "--level", "--amplitudes", "1,3,30e-1", "-o", picture, "-o", table)
    assert outcome.code == 0
    assert "S1002 on 60E1-EN 1/40, gauge 1435 mm" in outcome.out
    assert "tan γe = 0.1742 at 3 mm, wavelength 8.8 m" in outcome.out
    assert picture.read_bytes().startswith(PNG)
    assert picture.stat().st_size > 20_000
    assert [row["amplitude_mm"] for row in rows(table)] == ["1", "3", "3"]
    assert float(rows(table)[1]["tan_gamma_e"]) == pytest.approx(0.1742, abs=5e-4)


def test_a_smaller_left_wheel_moves_the_wheelset_to_the_left(railtwin: Railtwin, tmp_path: Path) -> None:
    table = tmp_path / "unequal.csv"
    arguments = ("--level", "--cant", "1/20", "--radius-left", "459.9", "--amplitudes", "1", "-o", str(table))
    outcome = railtwin("contact", "conicity", *arguments)
    assert outcome.code == 0
    assert "r 459.9 / 460 mm" in outcome.out
    assert float(rows(table)[0]["centre_mm"]) > 1.0


def test_an_amplitude_no_contact_reaches_is_said_so(railtwin: Railtwin) -> None:
    outcome = railtwin("contact", "conicity", "--level", "--amplitudes", "3,15")
    assert outcome.code == 0
    assert "beyond contact" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (("--wheel", "S1003"), "did you mean 'S1002'"),
        (("--rail", "60E1"), "60E1-EN"),
        (("--cant", "forty"), "1/40"),
        (("--cant", "40"), "1/40"),
        (("--cant", "1/0"), "1/40"),
        (("--amplitudes", "0.003,x"), "1,2,3"),
        (("--amplitudes", "-1"), "1,2,3"),
        (("--out", "picture.jpeg"), ".png"),
        (("--flange-back", "1000"), "gauge"),
        (("--out", "no/such/folder/table.csv"), "choose another place"),
        (("--out", "no/such/folder/picture.png"), "choose another place"),
    ],
)
def test_wrong_arguments_end_with_2_and_a_remedy(railtwin: Railtwin, arguments: tuple[str, ...], remedy: str) -> None:
    outcome = railtwin("contact", "conicity", "--level", *arguments)
    assert outcome.code == 2
    assert remedy in outcome.err
