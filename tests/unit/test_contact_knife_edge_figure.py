"""The figure of a knife-edge equivalent profile: what is drawn, and in which units."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from twin.contact.knife_edge import knife_edge
from twin.contact.pair import pair
from twin.contact.points import Side
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.seating import WheelsetPair
from twin.report.contact_knife_edge import Shown, knife_edge_figure

ONE = pair(wheel_curve(wheel_profile("S1002")), laid_rail(rail_profile("60E1-EN"), cant=1 / 40))
OTHER = pair(wheel_curve(wheel_profile("S1002")), laid_rail(rail_profile("60E1-EN"), cant=1 / 20))
WHEELSET = WheelsetPair(ONE, OTHER)


@pytest.fixture(scope="module", params=[Side.LEFT, Side.RIGHT])
def drawn(request: pytest.FixtureRequest) -> tuple[Figure, Side]:
    return knife_edge_figure(Shown("S1002 on 60E1-EN", WHEELSET, side=request.param)), request.param


def test_each_branch_that_carries_is_drawn_bold_where_it_does_in_millimetres(drawn: tuple[Figure, Side]) -> None:
    figure, side = drawn
    edge = knife_edge(WHEELSET, knife=(0.75, 0.0))
    branches = edge.left if side is Side.LEFT else edge.right
    bold = [line for line in figure.axes[0].lines if line.get_linewidth() > 2.0]
    assert len(bold) == len(branches) == 4
    for line, branch in zip(bold, branches, strict=True):
        assert branch.touches is not None
        s = np.asarray(line.get_xdata())
        assert (s.min(), s.max()) == pytest.approx(np.multiply(branch.touches, 1e3), abs=0.02)


def test_bold_lines_are_the_upper_envelope(drawn: tuple[Figure, Side]) -> None:
    lines = drawn[0].axes[1].lines
    for thin in [line for line in lines if line.get_linestyle() == "--"]:
        s_thin, f_thin = np.asarray(thin.get_xdata(), dtype=float), np.asarray(thin.get_ydata(), dtype=float)
        for bold in [line for line in lines if line.get_linewidth() > 2.0]:
            s, f = np.asarray(bold.get_xdata(), dtype=float), np.asarray(bold.get_ydata(), dtype=float)
            over = (s >= s_thin.min()) & (s <= s_thin.max())
            assert np.all(np.interp(s[over], s_thin, f_thin) <= f[over] + 2e-3)


def test_the_title_names_the_wheel(drawn: tuple[Figure, Side]) -> None:
    figure, side = drawn
    assert figure.get_suptitle() == f"S1002 on 60E1-EN, {side.name.lower()} wheel"
