"""`railtwin contact` as a person meets it: the table, the figure, the file, and wrong arguments."""

import csv
from pathlib import Path

import pytest

from tests.command_line import Railtwin

PNG = b"\x89PNG"
BENCHMARK = Path(__file__).parents[3] / "shared" / "reference" / "en15302_reference"


@pytest.fixture
def railtwin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Railtwin:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")
    return Railtwin(monkeypatch, capsys)


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as read:
        return list(csv.DictReader(read))


@pytest.mark.parametrize(("cant", "expected"), [("1/40", "0.1771"), ("1/20", "0.0095")])
def test_s1002_on_60e1_has_the_published_conicity_at_3_mm(railtwin: Railtwin, cant: str, expected: str) -> None:
    outcome = railtwin("contact", "conicity", "--wheel", "S1002", "--rail", "60E1-EN", "--cant", cant)
    assert outcome.code == 0
    assert f"tan γe = {expected} at 3 mm" in outcome.out


def test_the_conicity_without_roll_is_printed_and_drawn_and_written(railtwin: Railtwin, tmp_path: Path) -> None:
    picture, table = tmp_path / "s1002.png", tmp_path / "s1002.csv"
    outcome = railtwin("contact", "conicity", "--level", "--amplitudes", "1,3,30e-1", "-o", picture, "-o", table)
    assert outcome.code == 0
    assert "S1002 on 60E1-EN at 1/40, gauge 1435 mm" in outcome.out
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
    assert "wheel radius 459.9 / 460 mm" in outcome.out
    assert float(rows(table)[0]["centre_mm"]) > 1.0


def test_an_amplitude_no_contact_reaches_is_said_so(railtwin: Railtwin) -> None:
    outcome = railtwin("contact", "conicity", "--level", "--amplitudes", "3,15")
    assert outcome.code == 0
    assert "beyond contact" in outcome.out


def test_a_wheel_from_a_file_drawn_tread_down_is_read_as_told(railtwin: Railtwin, tmp_path: Path) -> None:
    file = tmp_path / "cone.txt"
    s = [-60.0 + 0.25 * k for k in range(441)]
    tread_down = [0.05 * each if each > -35.0 else -1.75 + 2.5 * (each + 35.0) for each in s]
    file.write_text("\n".join(f"{y:.3f} {max(z, -28.0):.5f}" for y, z in zip(s, tread_down, strict=True)))
    refused = railtwin("contact", "conicity", "--wheel", file)
    assert refused.code == 2
    assert "flip" in refused.err
    outcome = railtwin("contact", "conicity", "--wheel", file, "--wheel-reading", "flip,sd_noise=0", "--level")
    assert outcome.code == 0
    assert "tan γe = 0.0500 at 3 mm" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (("--wheel", "S1003"), "did you mean 'S1002'"),
        (("--rail", "60E1"), "60E1-EN"),
        (("--wheel-reading", "flipp"), "did you mean 'flip'"),
        (("--rail-reading", "units=cm"), "'mm' or 'm'"),
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


@pytest.mark.skipif(not BENCHMARK.is_dir(), reason="profiles of EN 15302 are not on this machine")
def test_the_benchmark_of_the_standard_is_passed_and_a_wrong_gauge_is_not(railtwin: Railtwin) -> None:
    good = railtwin("contact", "conicity-benchmark", BENCHMARK)
    assert good.code == 0
    assert "594 of 594 values inside the field of Annex F; rms 0.0089" in good.out
    assert railtwin("contact", "conicity-benchmark", BENCHMARK, "--rail-shift", "0.5").code == 1


def test_a_folder_without_the_benchmark_is_refused(railtwin: Railtwin, tmp_path: Path) -> None:
    outcome = railtwin("contact", "conicity-benchmark", tmp_path)
    assert outcome.code == 2
    assert "conicity_reference.csv" in outcome.err


@pytest.mark.parametrize("text", ["case,y\nE1,1\n", "case,y_amplitude_mm\nE99,1\n", ""])
def test_a_table_that_is_none_of_the_benchmark_is_refused(railtwin: Railtwin, tmp_path: Path, text: str) -> None:
    (tmp_path / "conicity_reference.csv").write_text(text, encoding="utf-8")
    outcome = railtwin("contact", "conicity-benchmark", tmp_path)
    assert outcome.code == 2
    assert "conicity_reference.csv" in outcome.err
