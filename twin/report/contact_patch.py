"""One contact patch on paper: its pressure, where it adheres and where it slides, and the traction on the wheel."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Ellipse
from matplotlib.patches import Patch as Swatch

from twin.contact.creep import Patch
from twin.contact.fastsim import PatchField
from twin.core.arrays import Array, IntArray

MM = 1e3
MPA = 1e-6
_ADHESION, _SLIP, _INK, _MUTED = "#cfe0f0", "#f6d9bd", "#222222", "#666666"
_ARROWS = 11
"""Arrows along the longer axis: more would cover the zones."""
_SLENDER = 3.0
"""Patches more slender than this are drawn with axes of different scale, or nothing could be seen in them."""
_FINER = 8
"""Lines drawn for each strip, so that the zones end on the ellipse without steps."""


def patch_figure(field: PatchField, patch: Patch, *, title: str = "Contact patch") -> Figure:
    """Hertz's pressure on the left, zones and tractions on the right; x is the rolling direction, y points left.

    A patch without load gives a figure that says so.
    """
    figure = Figure(figsize=(9.6, 4.7), layout="constrained")
    figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold", color=_INK)
    if not (patch.N > 0 and patch.a > 0 and patch.b > 0):
        figure.text(0.5, 0.5, "no contact", ha="center", va="center", fontsize=14, color=_MUTED)
        return figure
    left, right = figure.subplots(1, 2)
    _draw_pressure(left, patch)
    _draw_tractions(right, field, patch)
    for axes in (left, right):
        _frame(axes, patch)
    return figure


def _draw_pressure(axes: Axes, patch: Patch) -> None:
    """[Ign eq. 24] on lines of equal pressure."""
    peak = 1.5 * patch.N / (np.pi * patch.a * patch.b)
    radius, angle = np.meshgrid(np.sin(np.linspace(0, np.pi / 2, 60)), np.linspace(0, 2 * np.pi, 120))
    x, y = patch.a * MM * radius * np.cos(angle), patch.b * MM * radius * np.sin(angle)
    pressure = peak * MPA * np.sqrt(1 - radius**2)
    filled = axes.contourf(x, y, pressure, levels=_levels(peak * MPA), cmap="GnBu", vmax=1.4 * peak * MPA)
    bar = axes.figure.colorbar(filled, ax=axes, shrink=0.8, aspect=25)
    bar.set_label("pressure [MPa]", fontsize=8.5)
    bar.ax.tick_params(labelsize=8.5)
    axes.set_title(
        f"Hertz's pressure: at most {peak * MPA:.0f} MPa\nN = {patch.N / 1e3:.1f} kN, "
        f"a = {patch.a * MM:.2f} mm, b = {patch.b * MM:.2f} mm",
        fontsize=9.5,
        loc="left",
    )


def _draw_tractions(axes: Axes, field: PatchField, patch: Patch) -> None:
    zones = np.repeat(field.adhesion, _FINER, axis=0).astype(float)
    colours = ListedColormap([_SLIP, _ADHESION])
    axes.pcolormesh(*_corners(zones.shape, patch), zones, cmap=colours, vmin=0, vmax=1, rasterized=True)
    largest = float(np.hypot(field.p_x, field.p_y).max())
    _draw_arrows(axes, field, patch, largest)
    F_x, F_y = (float(np.sum(p * field.area)) / 1e3 for p in (field.p_x, field.p_y))
    axes.set_title(
        f"Traction on the wheel: at most {largest * MPA:.0f} MPa\n"
        f"$(F_x, F_y)$ = ({_kilonewton(F_x)}, {_kilonewton(F_y)}) kN of \u00b5N = {patch.mu * patch.N / 1e3:.1f} kN",
        fontsize=9.5,
        loc="left",
    )
    adhering = 100 * float(np.sum(field.area[field.adhesion]) / np.sum(field.area))
    entries = [
        Swatch(facecolor=_ADHESION, edgecolor=_MUTED, linewidth=0.5, label=f"adheres, {adhering:.0f} %"),
        Swatch(facecolor=_SLIP, edgecolor=_MUTED, linewidth=0.5, label=f"slides, {100 - adhering:.0f} %"),
        Line2D([], [], color=_INK, marker=">", markersize=4, linewidth=1, label="traction"),
    ]
    axes.legend(handles=entries, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=3, frameon=False, fontsize=8.5)


def _draw_arrows(axes: Axes, field: PatchField, patch: Patch, largest: float) -> None:
    """Arrows in true direction on paper, also where the axes have different scales."""
    if not largest > 0:
        return
    longer = max(patch.a, patch.b)
    along, across = (_ARROWS * axis / longer if _to_scale(patch) else _ARROWS for axis in (patch.a, patch.b))
    chosen = np.ix_(_thinned(field.x.shape[0], across), _thinned(field.x.shape[1], along))
    axes.quiver(
        field.x[chosen] * MM,
        field.y[chosen] * MM,
        field.p_x[chosen] / largest,
        field.p_y[chosen] / largest,
        angles="uv",
        scale_units="width",
        scale=_ARROWS,
        width=0.004,
        color=_INK,
        zorder=3,
    )


def _frame(axes: Axes, patch: Patch) -> None:
    a, b = patch.a * MM, patch.b * MM
    axes.add_patch(Ellipse((0, 0), 2 * a, 2 * b, fill=False, edgecolor=_INK, linewidth=1.2, zorder=4))
    square = max(a, b) if _to_scale(patch) else 0.0
    axes.set_xlim(-1.12 * max(a, square), 1.12 * max(a, square))
    axes.set_ylim(-1.12 * max(b, square), 1.12 * max(b, square))
    axes.set_box_aspect(1.0)
    axes.set_xlabel("x, rolling direction \u2192 [mm]", fontsize=9)
    stretched = "" if square else f", {'stretched' if a > b else 'squeezed'} {max(a / b, b / a):.1f}-fold"
    axes.set_ylabel(f"y, to the left [mm]{stretched}", fontsize=9)
    axes.axhline(0, color=_MUTED, linewidth=0.5, linestyle=(0, (6, 4)), zorder=2)
    axes.axvline(0, color=_MUTED, linewidth=0.5, linestyle=(0, (6, 4)), zorder=2)
    axes.tick_params(labelsize=8.5, colors=_INK)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _to_scale(patch: Patch) -> bool:
    return 1 / _SLENDER <= patch.a / patch.b <= _SLENDER


def _corners(cells: tuple[int, ...], patch: Patch) -> tuple[Array, Array]:
    """Corners (n_y + 1, n_x + 1) of so many cells [mm]: every line ends on the ellipse."""
    n_y, n_x = cells
    y = np.linspace(-1, 1, n_y + 1)[:, None]
    x = np.linspace(1, -1, n_x + 1) * np.sqrt(1 - y**2)
    return patch.a * MM * x, np.broadcast_to(patch.b * MM * y, x.shape)


def _thinned(cells: int, wanted: float) -> IntArray:
    """About so many equally spaced indices, as far from one end as from the other."""
    stride = max(1, round(cells / wanted))
    return np.arange((cells - 1) % stride // 2, cells, stride)


def _levels(peak: float) -> Array:
    """Five to ten round values from 0 to above the peak."""
    magnitude = float(10 ** np.floor(np.log10(peak)))
    step = next((share * magnitude for share in (0.2, 0.5, 1.0) if peak <= 8 * share * magnitude), 2 * magnitude)
    return np.asarray(np.arange(np.ceil(peak / step) + 1) * step)


def _kilonewton(force: float) -> str:
    return f"{round(force, 1) + 0.0:.1f}".replace("-", "\u2212")
