"""The figure of a wheelset's conicity: what is drawn, in mm, and where left is."""

import subprocess
import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

from twin.contact.conicity import equivalent_conicity
from twin.contact.pair import pair
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.traverse import level, traverse
from twin.report.contact_conicity import Studied, conicity_figure


@pytest.fixture(scope="module")
def studied() -> Studied:
    rail = laid_rail(rail_profile("60E1-EN"), cant=1 / 40, gauge=1.435)
    one = pair(wheel_curve(wheel_profile("S1002")), rail)
    moved = traverse(level(one, one))
    conicity = equivalent_conicity(moved.difference, amplitude=np.arange(1.0, 7.01, 0.5) * 1e-3)
    return Studied("S1002 on 60E1-EN", one, one, moved, conicity)


@pytest.fixture(scope="module")
def figure(studied: Studied) -> Figure:
    return conicity_figure(studied)


def test_the_value_at_3_mm_is_written_beside_its_mark(figure: Figure) -> None:
    texts = [text.get_text() for text in figure.axes[1].texts]
    assert texts == ["0.174 at 3 mm"]


def test_lengths_are_in_millimetres(figure: Figure, studied: Studied) -> None:
    line = figure.axes[0].lines[0]
    assert np.asarray(line.get_xdata()) == pytest.approx(studied.traverse.y * 1e3)
    assert np.asarray(line.get_ydata()) == pytest.approx(studied.traverse.delta_r * 1e3)


def test_left_is_left_as_one_looks_along_the_track(figure: Figure) -> None:
    left, right = figure.axes[2], figure.axes[3]
    assert left.get_title(loc="left").startswith("Left")
    for axes in (left, right):
        start, end = axes.get_xlim()
        assert start > end
    assert left.get_xlim()[1] > 0 > right.get_xlim()[0]


def test_contact_lines_begin_on_the_wheel_and_end_on_the_rail(figure: Figure, studied: Studied) -> None:
    for axes, wheel in ((figure.axes[2], studied.traverse.left), (figure.axes[3], studied.traverse.right)):
        lines = axes.lines[2:]
        assert len(lines) == 17  # -8 to 8 mm
        for line, place in zip(lines, np.arange(-8, 9), strict=True):
            k = int(np.argmin(np.abs(studied.traverse.y - place * 1e-3)))
            assert np.asarray(line.get_xdata()) == pytest.approx([wheel.y_w[k] * 1e3, wheel.y[k] * 1e3])


def test_a_table_that_ends_before_3_mm_has_no_mark(studied: Studied) -> None:
    short = equivalent_conicity(studied.traverse.difference, amplitude=np.array([1e-3, 2e-3]))
    drawn = conicity_figure(Studied("short", studied.left, studied.right, studied.traverse, short))
    assert not drawn.axes[1].texts


def test_drawing_leaves_the_global_state_of_matplotlib_alone() -> None:
    code = "import sys, twin.report.contact_conicity; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
