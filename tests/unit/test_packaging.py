"""The distribution is what it says: five packages, one command, nobody else's names."""

import subprocess
import sys
import zipfile
from importlib.metadata import distributions, entry_points, packages_distributions
from pathlib import Path

import pytest

from twin import __version__

ROOT = Path(__file__).parents[2]
PACKAGES = {"twin", "sensors", "calibration", "recordings", "firmware_interface"}
ROOT_FOLDERS = PACKAGES | {"tests"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = out.glob("*.whl")
    return zipfile.ZipFile(built)


def test_wheel_holds_the_five_packages_and_nothing_else(wheel):
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert tops - {f"railtwin-{__version__}.dist-info"} == PACKAGES


def test_wheel_holds_what_is_not_python(wheel):
    names = set(wheel.namelist())
    assert "firmware_interface/c/railtwin_wire.h" in names
    assert any(name.startswith("twin/report/page/") and name.endswith(".html") for name in names)
    assert {f"{package}/py.typed" for package in PACKAGES} <= names


def test_no_other_distribution_owns_our_names():
    owners = packages_distributions()  # an editable install lists none of our own
    assert {owner for name in PACKAGES for owner in owners.get(name, [])} <= {"railtwin"}
    assert "railtwin" in {name.lower() for names in owners.values() for name in names} | _installed()


def _installed() -> set[str]:
    return {distribution.name for distribution in distributions()}


def test_command_is_installed():
    (found,) = (point for point in entry_points(group="console_scripts") if point.name == "railtwin")
    assert found.value == "twin.cli:main"


def test_root_has_no_folder_but_the_agreed_ones():
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if tracked.returncode != 0:
        pytest.skip("not a git checkout: what belongs to the project cannot be told from build products")
    folders = {line.split("/")[0] for line in tracked.stdout.splitlines() if "/" in line}
    assert {folder for folder in folders if not folder.startswith(".")} <= ROOT_FOLDERS
