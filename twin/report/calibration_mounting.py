"""Picture of cameras as mounted: gauge and cross level along a stretch, and their means before and after."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twin.core.arrays import Array
from twin.report.units import MM

INK, FAINT = "#1f2933", "#c5ccd3"
COLOURS = ("#0b5fa5", "#c2410c")
"""Of the run and of the run back."""


@dataclass(frozen=True, slots=True)
class StretchSeen:
    """One run over the stretch."""

    name: str
    km: Array
    """(points,)"""
    gauge: Array
    """(points,) less the nominal one, as it came out [m]."""
    cross_level: Array
    """(points,) left rail above the right one [m]."""
    gauge_after: float
    """By which the mean of the gauge is moved [m]."""
    cross_level_after: float


def mounting_figure(
    runs: Sequence[StretchSeen], *, references: tuple[float | None, float | None], title: str
) -> Figure:
    """Gauge above, cross level below; thin as it came out, thick with the corrections; mm, by kilometre.

    references: mean gauge deviation and cross level as measured by hand [m].
    """
    figure = Figure(figsize=(11.0, 6.4), layout="constrained", facecolor="white")
    top, bottom = figure.subplots(2, 1, sharex=True)
    _axes(top, [(run, run.gauge, run.gauge_after) for run in runs], references[0])
    _axes(bottom, [(run, run.cross_level, run.cross_level_after) for run in runs], references[1])
    top.set_title("Gauge less nominal", loc="left", color=INK, fontsize=11)
    top.set_ylabel("[mm]")
    bottom.set_title("Cross level, left rail above the right one", loc="left", color=INK, fontsize=11)
    bottom.set(xlabel="kilometre [km]", ylabel="[mm]")
    handles, labels = top.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    figure.suptitle(title, color=INK, fontsize=13, fontweight="bold")
    return figure


def _axes(axes: Axes, curves: Sequence[tuple[StretchSeen, Array, float]], reference: float | None) -> None:
    for (run, values, moved), colour in zip(curves, COLOURS, strict=False):
        order = np.argsort(run.km)
        km, before = run.km[order], values[order]
        axes.plot(
            run.km[order], values[order] * MM, color=colour, linewidth=0.8, alpha=0.5, label=f"{run.name}, before"
        )
        axes.plot(km, (before + moved) * MM, color=colour, linewidth=1.4, label=f"{run.name}, after")
    axes.axhline(
        np.nan if reference is None else reference * MM, color=INK, linewidth=1.0, linestyle="--", label="by hand, mean"
    )
    axes.grid(color=FAINT, linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    axes.ticklabel_format(axis="x", useOffset=False)
