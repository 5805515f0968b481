"""Picture of a wheel's knife-edge equivalent profile: its branches, where each carries, and the wheel it stands for."""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twin.contact.curve import curve_many, curve_values
from twin.contact.knife_edge import Branch, knife_edge
from twin.contact.pair import Pair
from twin.contact.points import Side
from twin.contact.seating import WheelsetPair
from twin.core.arrays import Array
from twin.report.units import MM

POINTS = 2000
"""Of a drawn line."""
TREAD = (-8e-3, 6e-3)
"""Stretch of s the pictures of the tread show [m]."""
RISE = (-0.35e-3, 0.65e-3)
"""Heights they show [m]: the tread alone, the flange leaves at once."""
STEEPEST = 0.6
"""Largest slope drawn; the flange's is 2.7 and would flatten the rest."""
WHOLE = (-45e-3, 30e-3)
"""Stretch of the whole wheel [m]."""

INK = "#1f2933"
FAINT = "#c5ccd3"
WHEEL = "#8a949e"
COLOURS = ("#0b5fa5", "#0f8a6d", "#c2410c", "#7b2d8b", "#8a6d0f")
"""Of the branches in order of falling s, beginning anew after the last."""

THIN = (0, (4, 2))
"""Dashes of a branch where it does not carry."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A wheel of a wheelset."""

    title: str
    wheelset: WheelsetPair
    side: Side = Side.LEFT
    radius: float = 0.46
    """Of the rolling circle [m]."""
    taping_line: float = 0.75
    """From the axle's middle [m]."""


def knife_edge_figure(shown: Shown) -> Figure:
    """The equivalent profile of a wheel: whole and true to scale, and its tread stretched in height, with slopes; mm.

    All branches are drawn for one knife on the rail's top at the taping line, as [Esc] has it: with a knife each they
    could not be compared. On the nominal track both are the same.
    """
    edge = knife_edge(shown.wheelset, radius=shown.radius, knife=(shown.taping_line, 0.0))
    branches = edge.left if shown.side is Side.LEFT else edge.right
    pair = shown.wheelset.left if shown.side is Side.LEFT else shown.wheelset.right
    figure = Figure(figsize=(11.0, 7.4), layout="constrained", facecolor="white")
    panels = figure.subplot_mosaic([["whole", "whole"], ["tread", "slope"]])
    wheel = _wheel(pair, shown)
    for name in ("whole", "tread"):
        panels[name].plot(wheel[:, 0] * MM, wheel[:, 1] * MM, color=WHEEL, linewidth=1.2, label="the wheel itself")
        _branches(panels[name], branches, 0)
    panels["slope"].plot(wheel[:, 0] * MM, wheel[:, 2], color=WHEEL, linewidth=1.2)
    _branches(panels["slope"], branches, 1)
    _finish(panels["whole"], "Equivalent profile, true to scale", "f [mm], radius growing")
    _finish(panels["tread"], "Tread and flange's root", "f [mm]")
    _finish(panels["slope"], "Slope: a step where another branch takes over", "df/ds")
    panels["whole"].set(aspect="equal", xlim=_mm(WHOLE))
    panels["whole"].plot([], [], color=INK, linewidth=0.9, linestyle=THIN, label="where another branch carries")
    panels["whole"].legend(loc="upper right", frameon=False, fontsize=9)
    panels["tread"].set(xlim=_mm(TREAD), ylim=_mm(RISE))
    panels["slope"].set(xlim=_mm(TREAD), ylim=(-STEEPEST, 0.1))
    side = "left" if shown.side is Side.LEFT else "right"
    figure.suptitle(f"{shown.title}, {side} wheel", color=INK, fontsize=13, fontweight="bold")
    return figure


def _wheel(pair: Pair, shown: Shown) -> Array:
    """Place from the taping line, radius less that of the rolling circle, and slope of the wheel (n, 3)."""
    y_w, values = np.linspace(pair.y_w[0], pair.y_w[-1], POINTS), np.empty((POINTS, 3))
    curve_many(pair.wheel, y_w, values)
    return np.column_stack([y_w - shown.taping_line, values[:, 0] - shown.radius, values[:, 1]])


def _branches(axes: Axes, branches: tuple[Branch, ...], column: int) -> None:
    """f (column 0) or its slope (1) of all branches: thin, and bold where a branch carries the wheel."""
    for number, branch in enumerate(branches):
        colour = COLOURS[number % len(COLOURS)]
        s = np.linspace(branch.first, branch.last, POINTS)
        values = curve_values(branch.curve, s)[:, column] * (MM if column == 0 else 1.0)
        axes.plot(s * MM, values, color=colour, linewidth=0.9, linestyle=THIN)
        if branch.touches is not None:
            carries = (s >= branch.touches[0]) & (s <= branch.touches[1])
            label = f"{branch.kind}, carries for s = {branch.touches[0] * MM:.2f} to {branch.touches[1] * MM:.2f} mm"
            axes.plot(s[carries] * MM, values[carries], color=colour, linewidth=2.4, label=label)


def _mm(limits: tuple[float, float]) -> tuple[float, float]:
    return limits[0] * MM, limits[1] * MM


def _finish(axes: Axes, title: str, y: str) -> None:
    axes.set_title(title, loc="left", color=INK, fontsize=11)
    axes.set_xlabel("s [mm] from the taping line, flange to the left")
    axes.set_ylabel(y)
    axes.grid(color=FAINT, linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(color=FAINT)
