"""`railtwin contact points` as a person meets it: tables, figures, loads, and wrong arguments."""

from pathlib import Path

import pytest

from tests.command_line import Railtwin

PNG = b"\x89PNG"


@pytest.fixture
def railtwin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Railtwin:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    return Railtwin(monkeypatch, capsys)


def cells(out: str, wheel: str) -> list[list[str]]:
    """The rows of one wheel, over all tables."""
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines() if line.startswith("│")]
    return [row for row in rows if row[0] == wheel]


def test_a_wheelset_set_down_touches_at_the_published_points(railtwin: Railtwin) -> None:
    outcome = railtwin("contact", "points", "--y", "1")
    assert outcome.code == 0
    assert "S1002 on 60E1-EN at 1/40, gauge 1435 mm" in outcome.out
    assert "y 1 mm, yaw 0 mrad, roll 0.0529 mrad, height 459.8374 mm" in outcome.out
    # reference numbers of an independent solver: y 741.9894, z -0.5768, y_w 740.9651, 0.069427 rad, r 460.4533
    assert cells(outcome.out, "left") == [["left", "0.000", "741.989", "-0.577", "740.965", "3.978", "460.453", "0.00"]]
    assert cells(outcome.out, "right")[0][2] == "-755.505"


def test_a_placed_wheelset_is_not_moved_and_shows_its_gaps(railtwin: Railtwin) -> None:
    outcome = railtwin("contact", "points", "--roll", "0", "--height", "459.83", "--method", "distance")
    assert outcome.code == 0
    assert [row[-1] for row in cells(outcome.out, "left")] == ["20.41", "11.98"]


def test_under_a_load_every_patch_is_told_and_drawn(railtwin: Railtwin, tmp_path: Path) -> None:
    picture, patch = tmp_path / "flange.png", tmp_path / "patch.png"
    outcome = railtwin(
        "contact",
        "points",
        "--y",
        "5",
        "--yaw",
        "3",
        "--load",
        "10",
        "-o",
        picture,
        "--patch",
        patch,
        "--speed",
        "120",
    )
    assert outcome.code == 0
    assert "10 kN on each wheel" in outcome.out
    told = [row for row in cells(outcome.out, "right") if len(row) == 6]
    assert float(told[0][4]) == pytest.approx(10.0, abs=0.02)
    assert len([row for row in cells(outcome.out, "left") if len(row) == 6]) == 2
    for file in (picture, patch):
        assert file.read_bytes().startswith(PNG)
        assert file.stat().st_size > 20_000


@pytest.mark.parametrize("method", ["grid", "simplex", "compass"])
def test_the_coarse_methods_find_the_same_contact_within_a_tenth_of_a_millimetre(
    railtwin: Railtwin, method: str
) -> None:
    outcome = railtwin("contact", "points", "--y", "3", "--method", method)
    assert outcome.code == 0
    assert float(cells(outcome.out, "left")[0][2]) == pytest.approx(740.365, abs=0.1)


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (("--y", "31"), "--y"),
        (("--roll", "1"), "give both"),
        (("--height", "460"), "give both"),
        (("--load", "60", "--roll", "0", "--height", "460"), "leave out"),
        (("--load", "0"), "--load"),
        (("--patch", "patch.png"), "give --load"),
        (("--load", "60", "--patch", "patch.png", "--method", "grid"), "difference or distance"),
        (("--out", "picture.jpeg"), ".png"),
        (("--out", "no/such/folder/picture.png"), "choose another place"),
        (("--wheel", "S1003"), "did you mean 'S1002'"),
        (("--method", "guess"), "compass"),
    ],
)
def test_wrong_arguments_end_with_2_and_a_remedy(railtwin: Railtwin, arguments: tuple[str, ...], remedy: str) -> None:
    outcome = railtwin("contact", "points", *arguments)
    assert outcome.code == 2
    assert remedy in " ".join(outcome.err.split())
