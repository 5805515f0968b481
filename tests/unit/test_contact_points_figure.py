"""The figure of contact points: it shows what was found on its own side, and survives wheels that touch nothing."""

from io import BytesIO

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse as Outline
from numpy.testing import assert_allclose

from twin.contact.hertz import Material
from twin.contact.methods import locate
from twin.contact.pair import pair
from twin.contact.points import Pose, Side
from twin.contact.pressed import press_wheelset
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.seating import WheelsetPair, seat
from twin.report.contact_points import WheelInPlace, points_figure

STANDARD = pair(wheel_curve(wheel_profile("S1002")), laid_rail(rail_profile("60E1-EN")))
WHEELSET = WheelsetPair(STANDARD, STANDARD)


def drawn(pose: Pose) -> Figure:
    left, right = (WheelInPlace(side, STANDARD, locate(STANDARD, pose, side=side)) for side in Side)
    figure = points_figure(pose, left, right, title="a wheelset")
    figure.savefig(BytesIO(), format="png", dpi=40)
    return figure


def outlines(axes: Axes) -> list[Outline]:
    return [patch for patch in axes.patches if isinstance(patch, Outline)]


def test_the_drawn_wheel_touches_the_drawn_rail_where_the_points_are() -> None:
    pose = seat(WHEELSET, y=3e-3, yaw=5e-3).pose
    figure = drawn(pose)
    for axes, side in zip(figure.axes[:2], Side, strict=True):
        rail, wheel = (np.asarray(line.get_data()) for line in axes.lines[:2])
        points = locate(STANDARD, pose, side=side)
        k = int(np.argmin(np.abs(points.gap)))
        for line in (rail, wheel):
            order = np.argsort(line[0])
            height = np.interp(points.y[k] * 1e3, line[0][order], line[1][order])
            assert height == pytest.approx(points.z[k] * 1e3, abs=0.02)


def test_left_and_right_have_one_scale_and_y_runs_from_left_to_right() -> None:
    axes = drawn(seat(WHEELSET, y=5e-3).pose).axes
    assert axes[2].get_ylim() == axes[3].get_ylim()
    for each in axes:
        assert each.get_xlim()[0] > each.get_xlim()[1]


def test_patches_are_drawn_in_place_and_to_scale() -> None:
    pressed = press_wheelset(WHEELSET, y=5.5e-3, yaw=3e-3, loads=(6e4, 6e4), material=Material())
    pose = pressed[0].pose
    left, right = (WheelInPlace(side, STANDARD, wheel.points, wheel) for side, wheel in zip(Side, pressed, strict=True))
    figure = points_figure(pose, left, right, title="pressed")
    figure.savefig(BytesIO(), format="png", dpi=40)
    for axes, wheel in zip(figure.axes[4:], pressed, strict=True):
        ellipses = outlines(axes)[::2]  # each is filled and outlined
        assert len(ellipses) == sum(patch.N > 0 for patch in wheel.patches)
        for ellipse, patch, x, y in zip(ellipses, wheel.patches, wheel.zones.x, wheel.zones.y, strict=True):
            assert_allclose(ellipse.center, (y * 1e3, x * 1e3))
            assert ellipse.height == pytest.approx(2e3 * patch.a)
        assert any("kN" in text.get_text() for text in axes.texts)


@pytest.mark.parametrize("pose", [Pose(0.0, 0.48), Pose(0.0, 0.44), Pose(0.2, 0.46), Pose(0.02, 0.46, 0.05, 0.05)])
def test_a_wheel_off_or_deep_in_its_rail_is_drawn_as_it_is(pose: Pose) -> None:
    assert len(drawn(pose).axes) == 4
