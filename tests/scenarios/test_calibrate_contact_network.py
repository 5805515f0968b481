"""`railtwin calibrate contact-network`: a file that works, a table, and refusals before minutes of work."""

from pathlib import Path

import numpy as np
import pytest

from tests.command_line import Railtwin
from twin.contact.methods import Method, locate
from twin.contact.network_file import load_network
from twin.contact.pair import pair
from twin.contact.points import Pose, Side
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile

QUICK = ("--poses", "12000", "--epochs", "40", "--hidden", "16", "--starts", "1", "--seed", "7")


@pytest.fixture
def railtwin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Railtwin:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")
    return Railtwin(monkeypatch, capsys)


def test_trained_networks_serve_both_wheels_of_their_pair(tmp_path: Path, railtwin: Railtwin) -> None:
    file = tmp_path / "s1002.npz"
    outcome = railtwin("calibrate", "contact-network", "--cant", "1/40", "-o", file, *QUICK)
    assert outcome.code == 0, outcome.err
    assert "train: 100 %" in outcome.err
    assert "number of points" in outcome.out
    assert "roll -0.01309 to 0.01309 rad" in outcome.out
    assert "written, for S1002 on 60E1-EN at 1/40, gauge 1435 mm" in outcome.out
    on = pair(wheel_curve(wheel_profile("S1002")), laid_rail(rail_profile("60E1-EN"), cant=1 / 40))
    network, card = load_network(file, pair=on)
    assert card.seed == 7
    left, right = (
        locate(on, Pose(G_y=0.0, G_z=0.46), side=side, method=Method.NETWORK, network=network) for side in Side
    )
    np.testing.assert_allclose(left.y, -right.y)
    lowest = int(np.argmin(left.vertical_gap))  # of two: the other one lies at the gauge corner
    assert left.y[lowest] == pytest.approx(0.7532, abs=3e-3)  # rigid seating in the middle: s = 3.2 mm


def test_bad_input_is_refused_before_the_training(tmp_path: Path, railtwin: Railtwin) -> None:
    there = tmp_path / "there.npz"
    there.write_text("mine")
    for arguments, reason in (
        (("-o", there), "exists; choose another name, or --force"),
        (("-o", tmp_path / "no" / "x.npz"), "no such folder"),
        (("-o", tmp_path / "x.npz", "--wheel", "S1001"), "did you mean 'S1002'?"),
        (("-o", tmp_path / "x.npz", "--cant", "40"), "rails are inclined by 0 to 1/10"),
        (("-o", tmp_path / "x.npz", "--hidden", "1000"), "'hidden' = 1000"),
        (("-o", tmp_path / "x.npz", "--yaw-deg", "60"), "'yaw' = 1.04"),
        (("-o", tmp_path / "x.npz", "--gauge", "1900", "--poses", "2000"), "does the wheel stand on the rail?"),
    ):
        outcome = railtwin("calibrate", "contact-network", *arguments)
        assert outcome.code == 2
        assert reason in outcome.err
    assert there.read_text() == "mine"
    assert not (tmp_path / "x.npz").exists()
