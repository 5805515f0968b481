"""Picture of a wheelset on its track: rolling-radius difference, equivalent conicity, and where the wheels touch."""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure

from twin.contact.conicity import EquivalentConicity
from twin.contact.curve import curve_many
from twin.contact.pair import Pair
from twin.contact.traverse import Traverse, WheelTraverse
from twin.core.arrays import Array
from twin.report.units import MM

RATED = 3e-3
"""Amplitude at which vehicles and tracks are rated [m] [EN 14363, TSI]."""
SHOWN = 8e-3
"""Positions drawn [m]: beyond them the flange climbs."""
LIFT = 0.016
"""How far above the rail the wheel is drawn [m], so that the lines between them can be told apart."""
DEPTH = 0.018
"""How far down rail and flange are drawn [m]."""
SPREAD = 1e-3
"""Distance of the positions whose contact is drawn [m]."""
MARGIN = 0.006
"""Room about the profiles [m]."""
FLANGE = 0.028
"""Room for the flange beside the rail [m]."""
POINTS = 2000
"""Of a drawn rail."""
STEEPEST = 10e-3
"""Largest difference of the radii drawn [m]: flange contact goes far beyond and would flatten the rest."""

INK = "#1f2933"
FAINT = "#c5ccd3"
MAIN = "#0b5fa5"
MARK = "#c2410c"
POSITIONS = LinearSegmentedColormap.from_list("positions", ["#1d8fe0", INK, "#e0461d"])
"""From right to left; dark in the middle, as the usual scales fade there on white paper."""


@dataclass(frozen=True, slots=True)
class Studied:
    """A wheelset on its track with what was found about it."""

    title: str
    left: Pair
    """The left wheel on the left rail."""
    right: Pair
    """The right wheel on the right rail, mirrored."""
    traverse: Traverse
    conicity: EquivalentConicity


def conicity_figure(studied: Studied) -> Figure:
    """Rolling-radius difference and conicity above, contact of both wheels below; mm and true to scale."""
    figure = Figure(figsize=(11.0, 7.2), layout="constrained", facecolor="white")
    (difference, conicity), (left, right) = figure.subplots(2, 2)
    _difference(difference, studied.traverse)
    _conicity(conicity, studied.conicity)
    scale = ScalarMappable(Normalize(-SHOWN * MM, SHOWN * MM), POSITIONS)
    _contact(left, studied.left, studied.traverse.y, studied.traverse.left, scale)
    _contact(right, studied.right, studied.traverse.y, studied.traverse.right, scale)
    bar = figure.colorbar(scale, ax=[left, right], orientation="horizontal", shrink=0.5, aspect=50)
    bar.set_label("position of the wheelset [mm], left positive")
    figure.suptitle(studied.title, color=INK, fontsize=13, fontweight="bold")
    return figure


def _difference(axes: Axes, traverse: Traverse) -> None:
    y, delta_r = traverse.y * MM, traverse.delta_r * MM
    axes.plot(y, delta_r, color=MAIN, linewidth=1.6)
    shown = np.abs(traverse.y) <= SHOWN
    limit = 1.05 * min(np.abs(traverse.delta_r[shown]).max(), STEEPEST) * MM
    axes.set(xlim=(-SHOWN * MM, SHOWN * MM), ylim=(-limit, limit))
    _finish(
        axes, "Rolling-radius difference", "position of the wheelset y [mm], left positive", "r left − r right [mm]"
    )
    axes.axhline(0.0, color=INK, linewidth=0.6)
    axes.axvline(0.0, color=INK, linewidth=0.6)


def _conicity(axes: Axes, conicity: EquivalentConicity) -> None:
    amplitude, tan_gamma = conicity.amplitude * MM, conicity.tan_gamma
    axes.plot(amplitude, tan_gamma, color=MAIN, linewidth=1.6)
    known = np.isfinite(tan_gamma)
    axes.set(xlim=(0.0, amplitude.max()), ylim=(0.0, 1.15 * max(tan_gamma[known].max(initial=0.0), 0.01)))
    if known.any() and amplitude[known].min() <= RATED * MM <= amplitude[known].max():
        value = float(np.interp(RATED * MM, amplitude[known], tan_gamma[known]))
        axes.plot([RATED * MM, RATED * MM, 0.0], [0.0, value, value], color=MARK, linewidth=0.9, linestyle="--")
        axes.plot(RATED * MM, value, "o", color=MARK, markersize=6)
        under = value > 0.2 * axes.get_ylim()[1]  # below the curve if there is room: it seldom falls steeply
        axes.annotate(
            f"{value:.{3 if value >= 0.1 else 4}f} at {RATED * MM:g} mm",
            (RATED * MM, value / 2 if under else value),
            textcoords="offset points",
            xytext=(8, -5 if under else 14),
            color=MARK,
            fontsize=12,
            fontweight="bold",
        )
    _finish(axes, "Equivalent conicity", "amplitude [mm]", r"tan $\gamma_e$")


def _contact(axes: Axes, pair: Pair, positions: Array, wheel: WheelTraverse, scale: ScalarMappable) -> None:
    """Wheel above rail in true proportions, seen along the track, and a line from wheel to rail for each position."""
    sign = float(np.sign(wheel.y_w[0]))  # a right pair is held mirrored
    y_w, r = pair.y_w, pair.r
    y = np.linspace(pair.rail_from, pair.rail_to, POINTS)
    rail = np.empty((POINTS, 3))
    curve_many(pair.rail, y, rail)
    b = rail[:, 0]
    bottom = r[np.argmin(np.abs(y_w - y[np.argmax(b)]))]  # radius over the rail's highest place
    for across, height in ((y_w, LIFT + bottom - r), (y, b)):
        axes.plot(sign * across * MM, height * MM, color=INK, linewidth=1.4)
    for place in np.arange(-SHOWN, SHOWN + SPREAD / 2, SPREAD):
        k = int(np.argmin(np.abs(positions - place)))
        if abs(positions[k] - place) < SPREAD / 2:
            heights = LIFT + bottom - wheel.radius[k], np.interp(sign * wheel.y[k], y, b)
            axes.plot(
                [wheel.y_w[k] * MM, wheel.y[k] * MM],
                [height * MM for height in heights],
                color=scale.to_rgba(np.array([place * MM]))[0],
                linewidth=1.3,
                marker="o",
                markersize=2.5,
            )
    near, far = sign * (y[0] - FLANGE) * MM, sign * (y[-1] + MARGIN) * MM
    axes.set(xlim=(max(near, far), min(near, far)), ylim=(-DEPTH * MM, (LIFT + MARGIN) * MM), aspect="equal")
    axes.set_yticks([])
    _finish(axes, "Left wheel on its rail" if sign > 0 else "Right wheel on its rail", "y [mm]", "")


def _finish(axes: Axes, title: str, x: str, y: str) -> None:
    axes.set_title(title, loc="left", color=INK, fontsize=11)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(color=FAINT, linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(color=FAINT)
