"""Picture of a flexible track under a bogie: receptance whole and reduced, how the modes converge, and their shapes."""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from twin.core.arrays import Array
from twin.vehicle.track_flexibility.beam import ComplexArray
from twin.vehicle.track_flexibility.moving_modes import MovingModes

NM_PER_N = 1e9
"""[(nm/N)/(m/N)]"""
SHOWN_SHAPES = 5
"""Shapes drawn: the first are the widest."""

INK = "#1f2933"
FAINT = "#c5ccd3"
COLOURS = ("#0b5fa5", "#c2410c", "#3f7d20", "#7b3fa0", "#8a6d00")


@dataclass(frozen=True, slots=True)
class Compared:
    """Receptances of a track at one speed, whole and reduced."""

    V: float
    """[m/s]"""
    frequency: Array
    """(k,) [Hz]"""
    whole: ComplexArray
    """(k, p, p) [m/N]"""
    reduced: ComplexArray
    """(k, p, p) [m/N]"""


def receptance_figure(title: str, modes: MovingModes, compared: list[Compared]) -> Figure:
    """Magnitude and phase at the left, convergence and shapes at the right; modes.places[0] is the driving point."""
    figure = Figure(figsize=(11.0, 7.2), layout="constrained", facecolor="white")
    (magnitude, convergence), (phase, shapes) = figure.subplots(2, 2)
    _receptance(magnitude, phase, modes, compared)
    _convergence(convergence, modes)
    _shapes(shapes, modes)
    figure.suptitle(title, color=INK, fontsize=13, fontweight="bold")
    return figure


def _receptance(magnitude: Axes, phase: Axes, modes: MovingModes, compared: list[Compared]) -> None:
    places = range(modes.places.size)
    curves = [(one, at) for at in places for one in compared]
    for (one, at), colour in zip(curves, COLOURS, strict=False):
        where = "at the force" if at == 0 else f"{abs(modes.places[at] - modes.places[0]):.4g} m from it"
        whole, reduced = one.whole[:, at, 0], one.reduced[:, at, 0]
        magnitude.loglog(one.frequency, np.abs(whole) * NM_PER_N, color=colour, linewidth=4.0, alpha=0.3)
        label = f"{where}, {one.V:g} m/s"
        magnitude.loglog(one.frequency, np.abs(reduced) * NM_PER_N, color=colour, linewidth=1.2, label=label)
        for values, width, alpha in ((whole, 4.0, 0.3), (reduced, 1.2, 1.0)):
            angle = np.rad2deg(np.unwrap(np.angle(values)))
            phase.semilogx(one.frequency, angle, color=colour, linewidth=width, alpha=alpha)
    magnitude.legend(frameon=False, fontsize=8, loc="lower left")
    _finish(magnitude, "Receptance: broad the whole track, fine the moving modes", "frequency [Hz]", "[nm/N]")
    _finish(phase, "Phase", "frequency [Hz]", "[degrees]")
    for axes in (magnitude, phase):
        axes.set_xlim(compared[0].frequency[0], compared[0].frequency[-1])


def _convergence(axes: Axes, modes: MovingModes) -> None:
    count = np.arange(1, len(modes.worst) + 1)
    axes.semilogy(count, np.array(modes.worst), "o-", color=COLOURS[0], markersize=4, linewidth=1.2)
    axes.annotate(
        f"{modes.worst[-1]:.2g} with {modes.states} states",
        (count[-1], modes.worst[-1]),
        textcoords="offset points",
        xytext=(-8, 0),
        ha="right",
        va="center",
        color=COLOURS[1],
        fontsize=11,
        fontweight="bold",
    )
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _finish(axes, "Largest error over all frequencies and speeds", "responses taken in", "error / largest receptance")


def _shapes(axes: Axes, modes: MovingModes) -> None:
    for k in range(min(SHOWN_SHAPES, modes.shapes.shape[1])):
        shape = modes.shapes[:, k]
        axes.plot(modes.nodes, shape / np.abs(shape).max(), color=COLOURS[k], linewidth=1.2)
    for place in modes.places:
        axes.axvline(place, color=INK, linewidth=0.6, linestyle="--")
    axes.set(xlim=(modes.nodes[0], modes.nodes[-1]))
    _finish(axes, f"The first {SHOWN_SHAPES} shapes of the rail, wheels dashed", "place in the moving frame [m]", "")


def _finish(axes: Axes, title: str, x: str, y: str) -> None:
    axes.set_title(title, loc="left", color=INK, fontsize=11)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(color=FAINT, linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(color=FAINT)
