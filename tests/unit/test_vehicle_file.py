"""Vehicle files: the records come out as written and mirrored, and what is wrong is named with its remedy."""

from pathlib import Path

import pytest

from tests.command_line import Railtwin
from twin.core.errors import ConfigError
from twin.vehicle.description import Bushing
from twin.vehicle.library import vehicle
from twin.vehicle.vehicle_file import read_vehicle

TROLLEY = """
name = "trolley"
source = "weighing"

[[mirrors]]
axis = "y"
words = { left = "right" }

[[mirrors]]
axis = "x"
words = { "wheelset 1" = "wheelset 2" }

[[bodies]]
name = "carbody"
kind = "carbody"
mass = 12000
inertia = [9000, 60000, 62000]
position = [0, 0, 1.2]

[[bodies]]
name = "wheelset 1"
kind = "wheelset"
mass = 1300
inertia = [700, 90, 700]
position = [3, 0, 0.46]
wheels = { radius = 0.46, half_distance = 0.75 }

[[elements]]
name = "wheelset 1 left spring"
kind = "bushing"
first = "carbody"
second = "wheelset 1"
at_first = [3, 1, 0.6]
at_second = [3, 1, 0.6]
stiffness = [2e6, 1e6, 5e5]
damping = [0, 0, 1e4]

[[elements]]
name = "wheelset 1 left damper"
kind = "damper"
first = "carbody"
second = "wheelset 1"
at_first = [3.1, 1, 0.9]
at_second = [3.1, 1, 0.5]
curve = [[0, 0], [0.1, 2000], [0.3, 3000]]
"""


@pytest.fixture
def railtwin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Railtwin:
    return Railtwin(monkeypatch, capsys)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "trolley.toml"


def test_one_corner_and_two_mirrors_make_four(file: Path) -> None:
    file.write_text(TROLLEY)
    found = vehicle(str(file))
    assert [body.name for body in found.bodies] == ["carbody", "wheelset 1", "wheelset 2"]
    assert len(found.elements) == 8
    spring = next(e for e in found.elements if e.name == "wheelset 2 right spring")
    assert isinstance(spring, Bushing)
    assert (spring.second, spring.at_second) == ("wheelset 2", (-3.0, -1.0, 0.6))
    assert spring.stiffness == (2e6, 1e6, 5e5)


@pytest.mark.parametrize(
    ("wrong", "right", "words"),
    [
        ("mass = -12000", "mass = 12000", ("carbody", "mass", "-12000", "greater than 0")),
        ("mass = 12", "mass = 12000", ("body 'carbody'", "12 kg", "3000 to 200000 kg", "give it in kg")),
        ("mass = 1.3e6", "mass = 1300", ("body 'wheelset 1'", "1.3e+06 kg", "give it in kg")),
        ("inertia = [9, 60, 62]", "inertia = [9000, 60000, 62000]", ("'carbody'", "inertia about x", "kg m^2")),
        (
            "stiffness = [2e3, 1e3, 5e2]",
            "stiffness = [2e6, 1e6, 5e5]",
            ("'wheelset 1 left spring'", "N/m"),
        ),
        ("stiffness = [2e6, 1e6, 5e2]", "stiffness = [2e6, 1e6, 5e5]", ("spring'", "500 N/m", "3e+03 to")),
        (
            "stiffness = [2e6, 1e6, 5e3]",
            "stiffness = [2e6, 1e6, 5e5]",
            ("body 'wheelset 1'", "along z", "give the stiffness"),
        ),
        ("stiffness = [2e6, 0, 5e5]", "stiffness = [2e6, 1e6, 5e5]", ("no spring holds its", "add an element")),
        ('first = "coach"', 'first = "carbody"', ("element 'wheelset 1 left", "no body 'coach'", "carbody")),
        ('kind = "bushin"', 'kind = "bushing"', ("element 'wheelset 1 left spring'", "did you mean 'bushing'?")),
        ("stifness = [2e6, 1e6, 5e5]", "stiffness = [2e6, 1e6, 5e5]", ("did you mean 'stiffness'?",)),
        ("[[0, 0], [100, 2000], [300, 3000]]", "[[0, 0], [0.1, 2000], [0.3, 3000]]", ("damper'", "in m/s and N")),
        ("[[0, 0], [0.1, 2], [0.3, 3]]", "[[0, 0], [0.1, 2000], [0.3, 3000]]", ("damper'", "2 N", "150 to 2e+05 N")),
        ("[[0, 0], [0.1, 2000], [0.3, 1000]]", "[[0, 0], [0.1, 2000], [0.3, 3000]]", ("damper'", "(0.3, 1000)")),
        ("at_second = [3.1, 1, 0.9]", "at_second = [3.1, 1, 0.5]", ("damper'", "no direction")),
        ("wheels = { radius = 460, half", "wheels = { radius = 0.46, half", ("'wheelset 1'", "wheels.radius", "460")),
        ("bodies]]]", "bodies]]", ("is not TOML",)),
        ("half_distance = 0.075", "half_distance = 0.75", ("'wheelset 1'", "half_distance", "0.2 to 0.9 m")),
        (
            "position = [3, 0, 0.8]",
            "position = [3, 0, 0.46]",
            ("'wheelset 1'", "0.8 m over the rails", "radius of 0.46"),
        ),
        ("position = [3000, 0, 460]", "position = [3, 0, 0.46]", ("'wheelset 1'", "position has x = 3000 m", "in m")),
        ("position = [0, 0, 1200]", "position = [0, 0, 1.2]", ("'carbody'", "position has z = 1200 m", "in m")),
        ("at_first = [3000, 1000, 600]", "at_first = [3, 1, 0.6]", ("left spring'", "at_first has x = 3000 m")),
        ("at_second = [3, 1, 600]", "at_second = [3, 1, 0.6]", ("left spring'", "at_second has z = 600 m")),
        ("damping = [0, 0, 10]", "damping = [0, 0, 1e4]", ("left spring'", "damping = 10 N s/m", "give it in N s/m")),
        ("rotational_stiffness = [0, 0, 1e9]", "damping = [0, 0, 1e4]", ("left spring'", "rotational stiffness")),
        ("series_stiffness = [0, 0, 1e3]", "damping = [0, 0, 1e4]", ("left spring'", "series stiffness", "rigid ends")),
        ("position = [9, 0, 1.2]", "position = [0, 0, 1.2]", ("'wheelset 2'", "hold the vehicle down")),
        (
            'words = { port = "starboard" }',
            'words = { left = "right" }',
            ("body 'carbody': no spring holds its", "z with roll"),
        ),
    ],
)
def test_error_names_file_entry_and_remedy(file: Path, wrong: str, right: str, words: tuple[str, ...]) -> None:
    assert right in TROLLEY
    file.write_text(TROLLEY.replace(right, wrong, 1))
    with pytest.raises(ConfigError) as caught:
        read_vehicle(file)
    message = str(caught.value)
    assert message.startswith(str(file))
    for word in words:
        assert word in message


@pytest.mark.parametrize("command", ["show", "run", "modes"])
@pytest.mark.parametrize(
    ("wrong", "right", "entry"),
    [
        ("mass = -12000", "mass = 12000", "body 'carbody': 'mass' = -12000"),
        ('second = "wheelset 9"', 'second = "wheelset 1"', "element 'wheelset 1 left spring': no body 'wheelset 9'"),
        ("stiffness = [2e3, 1e3, 500]", "stiffness = [2e6, 1e6, 5e5]", "element 'wheelset 1 left spring': stiffness"),
        ("stiffness = [2e6, 1e6, 0]", "stiffness = [2e6, 1e6, 5e5]", "body 'carbody': no spring holds its z"),
    ],
)
def test_commands_end_with_the_wrong_entry(
    railtwin: Railtwin, file: Path, command: str, wrong: str, right: str, entry: str
) -> None:
    file.write_text(TROLLEY.replace(right, wrong, 1))
    said = railtwin("vehicle", command, file)
    assert said.code == 2
    assert said.err.startswith(f"error: {file}")
    assert entry in said.err


def test_file_without_bodies_says_what_to_write(file: Path) -> None:
    file.write_text('name = "nothing"')
    with pytest.raises(ConfigError, match=r"no vehicle: write \[\[bodies\]\]"):
        read_vehicle(file)


def test_wheelset_without_springs_is_named(file: Path) -> None:
    file.write_text(TROLLEY.replace('words = { "wheelset 1" = "wheelset 2" }', 'words = { "set 1" = "set 2" }'))
    assert len(read_vehicle(file).bodies) == 3
    loose = TROLLEY.replace('name = "wheelset 1 left', 'name = "left')
    file.write_text(loose)
    with pytest.raises(ConfigError, match=r"body '(wheelset 2|carbody)': no spring holds its"):
        read_vehicle(file)


def test_missing_file_and_unknown_name_say_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        vehicle(str(tmp_path / "absent.toml"))
    with pytest.raises(ConfigError, match="did you mean 'manchester'"):
        vehicle("manchestr")
    with pytest.raises(ConfigError, match="known are manchester"):
        vehicle("zeppelin")
