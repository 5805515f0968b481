"""The figure of a flexible track: what is drawn, and in which units."""

import subprocess
import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

from twin.report.track_receptance import Compared, receptance_figure
from twin.vehicle.track_flexibility.beam import meshed, receptance
from twin.vehicle.track_flexibility.moving_modes import Reduction, moving_modes, reduced_receptance
from twin.vehicle.track_flexibility.parameters import BALLAST, Mesh

PLACES = np.array([1.0, -1.0])
MESH = Mesh(length=12.0, element=0.3)


@pytest.fixture(scope="module")
def compared() -> Compared:
    reduction = Reduction(to_frequency=200.0, frequencies=8, speeds=(0.0,), tolerance=0.1)
    modes = moving_modes(BALLAST, places=PLACES, mesh=MESH, reduction=reduction)
    frequency = np.geomspace(10.0, 200.0, 20)
    omega = 2 * np.pi * frequency
    whole = receptance(meshed(BALLAST, MESH, places=PLACES), places=PLACES, omega=omega)
    return Compared(0.0, frequency, whole, reduced_receptance(modes, omega=omega))


@pytest.fixture(scope="module")
def figure(compared: Compared) -> Figure:
    reduction = Reduction(to_frequency=200.0, frequencies=8, speeds=(0.0,), tolerance=0.1)
    return receptance_figure(
        "Ballast", moving_modes(BALLAST, places=PLACES, mesh=MESH, reduction=reduction), [compared]
    )


def test_receptances_are_in_nanometres_per_newton(figure: Figure, compared: Compared) -> None:
    broad, fine = figure.axes[0].lines[:2]
    assert np.asarray(broad.get_ydata()) == pytest.approx(np.abs(compared.whole[:, 0, 0]) * 1e9)
    assert np.asarray(fine.get_ydata()) == pytest.approx(np.abs(compared.reduced[:, 0, 0]) * 1e9)


def test_curves_are_named_by_distance_and_speed(figure: Figure) -> None:
    legend = figure.axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["at the force, 0 m/s", "2 m from it, 0 m/s"]


def test_the_accuracy_reached_is_written_beside_its_point(figure: Figure) -> None:
    assert " states" in figure.axes[1].texts[0].get_text()


def test_drawing_leaves_the_global_state_of_matplotlib_alone() -> None:
    code = "import sys, twin.report.track_receptance; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
