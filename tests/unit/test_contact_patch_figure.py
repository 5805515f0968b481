"""The patch figure: it shows the numbers of the field, whatever the shape, and says when there is nothing to show."""

from io import BytesIO

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.quiver import Quiver

from twin.contact.creep import Creepage, rolling_patch
from twin.contact.fastsim import patch_field, strips
from twin.contact.hertz import Material, ellipse_under_force
from twin.contact.kalker import kalker_table
from twin.report.contact_patch import patch_figure

STEEL = Material()


def drawn(A: float, B: float, N: float, creepage: Creepage, cells: int = 20) -> Figure:
    patch = rolling_patch(ellipse_under_force(A, B, N, STEEL.E_star), 0.3, STEEL.G, kalker_table(nu=STEEL.nu))
    return patch_figure(patch_field(creepage, patch, speed=20.0, grid=strips(n_x=cells, n_y=cells)), patch)


def texts(figure: Figure) -> str:
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    legends = [text.get_text() for axes in figure.axes if (legend := axes.get_legend()) for text in legend.get_texts()]
    return "\n".join([*titles, *legends, *(text.get_text() for text in figure.texts)])


def test_figure_states_load_size_peak_pressure_and_zones() -> None:
    told = texts(drawn(1.0869565217, 1.6666666667, 50e3, Creepage(0.1, 0.0, 0.0)))
    assert "N = 50.0 kN, a = 5.71 mm, b = 4.29 mm" in told
    assert f"at most {1.5 * 50e3 / (np.pi * 5.709002 * 4.294438):.0f} MPa" in told
    assert "(\u221215.0, 0.0) kN of \u00b5N = 15.0 kN" in told
    assert "adheres, 0 %" in told
    assert "slides, 100 %" in told


@pytest.mark.parametrize("B", [0.1, 1.0, 40.0])
@pytest.mark.parametrize("cells", [5, 20, 50])
def test_every_shape_and_grid_is_drawn_with_a_readable_number_of_arrows(B: float, cells: int) -> None:
    figure = drawn(1.087, B, 8e4, Creepage(5e-4, 1e-3, 0.3), cells)
    figure.savefig(BytesIO(), format="png", dpi=40)
    (arrows,) = (artist for axes in figure.axes for artist in axes.collections if isinstance(artist, Quiver))
    assert 9 <= arrows.N <= 300


def test_zero_creepage_draws_no_arrows_and_all_adhesion() -> None:
    figure = drawn(1.087, 1.0, 8e4, Creepage(0.0, 0.0, 0.0))
    assert not [artist for axes in figure.axes for artist in axes.collections if isinstance(artist, Quiver)]
    assert "adheres, 100 %" in texts(figure)


def test_slender_patches_say_that_their_axes_differ_in_scale() -> None:
    figure = drawn(1.0869565217, 38.4615384615, 60e3, Creepage(1e-3, 0.0, 0.0))
    assert "stretched 9.8-fold" in figure.axes[0].get_ylabel()
    assert "fold" not in drawn(1.0, 1.5, 60e3, Creepage(1e-3, 0.0, 0.0)).axes[0].get_ylabel()


def test_an_unloaded_patch_says_no_contact() -> None:
    figure = drawn(1.087, 1.0, 0.0, Creepage(1e-3, 0.0, 0.0))
    assert "no contact" in texts(figure)
    assert not figure.axes
