"""Strips of a run over arc length: what the track asks, how the wheelsets lie, what the wheels press, how one rides."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from twin.core.arrays import Array
from twin.report.vehicle_run import CUTOFF, VehicleRun
from twin.report.vehicle_topology import FAINT, INK
from twin.vehicle.description import wheels_of

COLOURS = ("#0b5fa5", "#c2410c", "#3f6212", "#7c2d8e", "#0f766e", "#6b7280")
"""Of wheelsets from the front."""
LATERAL, VERTICAL = "#0b5fa5", "#c2410c"
POINTS = 6000
"""Of a drawn line: more than a printer resolves."""
LIMIT, NEAR = 0.8, 0.5
"""Of Y/Q in EN 14363, and the share of it from which it is drawn."""
LEVEL = 1e-6
"""Curvature [1/m] and cant angle [rad] below which a track is straight and level."""


def run_figure(run: VehicleRun, title: str) -> Figure:
    """All strips over the arc length of each wheelset, that of the body over its own."""
    k = slice(None, None, max(1, run.s.size // POINTS))
    curved = max(np.abs(run.design.curvature.value).max(), np.abs(run.design.cant_angle.value).max()) > LEVEL
    heights = ([0.6] if curved else []) + [1.0] * 6
    figure = Figure(figsize=(11.0, 1.75 * sum(heights) + 1.0), layout="constrained", facecolor="white")
    strips = list(figure.subplots(len(heights), 1, sharex=True, height_ratios=heights, squeeze=False)[:, 0])
    if curved:
        _design(strips[0], run)
    shift, yaw, load, guide, ratio, ride = strips[-6:]
    s = run.s_wheelsets[k]
    _by_wheelset(shift, s, run.shift[k] * 1e3, "shift to the left\n[mm]")
    _by_wheelset(yaw, s, run.yaw[k] * 1e3, "yaw\n[mrad]")
    _by_wheel(load, s, run.Q[k] / 1e3, "Q\n[kN]")
    _by_wheel(guide, s, run.Y[k] / 1e3, "Y outwards\n[kN]")
    _by_wheel(ratio, s, run.Y_over_Q[k], "Y/Q")
    if np.nanmax(run.Y_over_Q, initial=0.0) > NEAR * LIMIT:
        ratio.axhline(LIMIT, color=INK, linewidth=1.0, linestyle=":")
    for part, colour, words in ((0, LATERAL, "lateral"), (1, VERTICAL, "vertical")):
        ride.plot(run.s[k], run.acceleration[k, part], color=colour, linewidth=0.9, label=words)
    ride.set_ylabel("body against\nthe track [m/s$^2$]")
    ride.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8)
    strips[-1].set_xlabel(f"arc length [m]; forces and accelerations below {CUTOFF:g} Hz")
    for axes in strips:
        axes.grid(color=FAINT, linewidth=0.5)
        axes.spines[["top", "right"]].set_visible(False)
    _keys(shift, [wheelset.name for wheelset in run.vehicle.wheelsets])
    figure.suptitle(title, color=INK, fontsize=12, fontweight="bold")
    return figure


def _design(axes: Axes, run: VehicleRun) -> None:
    s = np.linspace(float(run.s[0]), float(run.s[-1]), 1000)
    base = 2 * wheels_of(run.vehicle.wheelsets[0]).half_distance
    axes.plot(s, 1e3 * run.design.curvature(s), color=INK, linewidth=1.2)
    axes.set_ylabel("curvature\n[1/km]")
    cant = -np.sin(run.design.cant_angle(s)) * base
    if np.abs(cant).max() > LEVEL:
        other = axes.twinx()
        other.plot(s, 1e3 * cant, color=VERTICAL, linewidth=1.2, linestyle="--")
        other.set_ylabel("cant [mm]", color=VERTICAL)
        other.spines[["top"]].set_visible(False)


def _by_wheelset(axes: Axes, s: Array, values: Array, words: str) -> None:
    for w in range(values.shape[1]):
        axes.plot(s[:, w], values[:, w], color=COLOURS[w % len(COLOURS)], linewidth=0.9)
    axes.set_ylabel(words)


def _by_wheel(axes: Axes, s: Array, values: Array, words: str) -> None:
    for wheel in range(values.shape[1]):
        w, right = divmod(wheel, 2)
        line = Line2D(s[:, w], values[:, wheel], color=COLOURS[w % len(COLOURS)], linewidth=0.8)
        line.set_linestyle((0, (3, 1.5)) if right else "solid")
        axes.add_line(line)
    axes.autoscale_view()
    axes.set_ylabel(words)


def _keys(axes: Axes, names: Sequence[str]) -> None:
    """Beside the strips, where no line runs."""
    keys = [Line2D([], [], color=COLOURS[w % len(COLOURS)], label=name) for w, name in enumerate(names)]
    keys += [
        Line2D([], [], color=INK, label="left wheel"),
        Line2D([], [], color=INK, linestyle="--", label="right wheel"),
    ]
    axes.legend(handles=keys, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8)
