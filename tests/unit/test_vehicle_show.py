"""The command that shows a vehicle, and its picture."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.patches import Circle

from tests.command_line import Railtwin
from twin.cli.vehicle_equations import FUNCTIONS
from twin.cli.vehicle_show import show
from twin.core.errors import ConfigError
from twin.report.vehicle_topology import box_of, topology_figure
from twin.vehicle.library import VEHICLES, vehicle
from twin.vehicle.symbolic import derive, export


@pytest.fixture
def railtwin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Railtwin:
    monkeypatch.setenv("COLUMNS", "140")  # room for a whole row, wherever the tests run
    return Railtwin(monkeypatch, capsys)


def test_command_shows_masses_loads_and_assumptions(railtwin: Railtwin, tmp_path: Path) -> None:
    said = railtwin("vehicle", "show", "manchester", "-o", tmp_path / "manchester.png")
    assert said.code == 0
    for words in ("44482 kg", "front bogie", "31391/3884/1220", "54.53", "assumed:", "manchester.png: written"):
        assert words in said.out
    assert (tmp_path / "manchester.png").stat().st_size > 20_000


def test_command_warns_of_doubtful_values(railtwin: Railtwin) -> None:
    assert "and 15 alike: gives only 6.8 mm" in railtwin("vehicle", "show", "vivalto-printed").err


def test_command_lists_coordinates_atoms_and_operations_beside_the_published_ones(railtwin: Railtwin) -> None:
    said = railtwin("vehicle", "show", "feve3000")
    costs = derive(vehicle("feve3000")).costs()
    for name, words in FUNCTIONS.items():
        if name in costs:
            (row,) = (line for line in said.out.splitlines() if words in line)
            assert [part.strip() for part in row.split("│")[2:4]] == [
                str(costs[name].atoms),
                str(costs[name].operations),
            ]
    for words in (
        "Coordinates: 48, in 7 blocks",
        "wheelset 4 rotor",
        "wheelset 3 gear",
        "M 1795 atoms and 10910",
        "19015",
    ):
        assert words in said.out
    assert "19015" not in railtwin("vehicle", "show", "manchester").out


def test_command_says_how_the_equations_run(railtwin: Railtwin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "found_compiler", lambda: "/opt/cc")
    assert "C compiler: /opt/cc" in railtwin("vehicle", "show", "scaled").out
    monkeypatch.setattr(export, "found_compiler", lambda: None)
    assert "no C compiler found" in railtwin("vehicle", "show", "scaled").out


def test_figure_needs_a_known_ending_and_a_place(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"\.png"):
        show("manchester", [tmp_path / "manchester.txt"])
    with pytest.raises(ConfigError, match="cannot be written"):
        show("manchester", [tmp_path / "absent" / "manchester.png"])


@pytest.mark.parametrize("name", VEHICLES)
def test_wheels_stand_on_the_rails_in_every_picture(name: str) -> None:
    found = vehicle(name)
    side = topology_figure(found).axes[0]
    wheels = [patch for patch in side.patches if isinstance(patch, Circle) and patch.get_fill()]
    assert len(wheels) == 4
    for wheel in wheels:
        assert wheel.center[1] - wheel.radius == pytest.approx(0.0, abs=1e-9)


def test_box_holds_the_inertia_of_its_body() -> None:
    found = vehicle("manchester").model_copy(update={"elements": ()})
    body = found.body("carbody")
    low, high = box_of(found, body)
    a, b, c = high - low
    expected = body.mass / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    np.testing.assert_allclose(body.inertia, expected, rtol=1e-12)
