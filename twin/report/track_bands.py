"""Picture of the wavelength bands: what the filters pass, between lines of our own after the idea of EN 13848-1."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, ScalarFormatter

from twin.core.arrays import Array
from twin.numerics.bands import BANDS, gain
from twin.report.vehicle_topology import FAINT, INK

COLOURS = {"D1": "#1d4ed8", "D2": "#047857", "D3": "#b45309", "D3 alignment": "#7c3aed"}
SHORTEST, LONGEST = 1.0, 1000.0
"""Wavelengths drawn [m]."""
DEEPEST = -60.0
"""[dB]"""
ORDER = 4
"""Outside its limits a band falls at least as a Butterworth filter of this order: in the end 24 dB per octave."""
TICKS = (1, 3, 10, 25, 70, 200, 500, 1000)
INSIDE, DROOP, EDGE = 1.25, -1.0, -3.0
"""A quarter inside its limits a band is flat to the droop [dB]; at them it may have lost this [dB]."""
ABOVE = 0.1
"""Most a filter may amplify [dB]."""


def bands_figure(*, step: float) -> Figure:
    """Gain of every band over wavelength on a grid [m], with the region it should stay in."""
    figure = Figure(figsize=(11, 7.2), layout="constrained", facecolor="white")
    wavelength = np.geomspace(SHORTEST, LONGEST, 4000)
    for axes, name in zip(figure.subplots(2, 2, sharex=True, sharey=True).flat, BANDS, strict=True):
        _draw(axes, name, wavelength, step)
    for axes in figure.axes[2:]:
        axes.set_xlabel("wavelength [m]")
    for axes in figure.axes[::2]:
        axes.set_ylabel("gain [dB]")
    figure.suptitle(f"Wavelength bands on a grid of {step:g} m, zero phase", color=INK, fontsize=13, fontweight="bold")
    return figure


def _draw(axes: Axes, name: str, wavelength: Array, step: float) -> None:
    shortest, longest = BANDS[name]
    decibels = 20 * np.log10(np.maximum(gain(wavelength, step=step, name=name), 1e-6))
    lower, upper = tolerance(wavelength, name=name)
    axes.fill_between(wavelength, upper, 6.0, color=FAINT, linewidth=0, alpha=0.6)
    axes.fill_between(wavelength, DEEPEST, lower, color=FAINT, linewidth=0, alpha=0.6)
    axes.plot(wavelength, decibels, color=COLOURS[name], linewidth=1.8)
    for limit in (shortest, longest):
        axes.axvline(limit, color=INK, linewidth=0.6, linestyle=":")
    axes.set(xscale="log", xlim=(SHORTEST, LONGEST), ylim=(DEEPEST, 6.0))
    axes.set_xticks(TICKS)
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_title(f"{name}: {shortest:g} to {longest:g} m, grey is outside the tolerance", loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)


def tolerance(wavelength: Array, *, name: str) -> tuple[Array, Array]:
    """Lowest and highest gain [dB] a filter for the band may have at wavelengths [m]."""
    shortest, longest = BANDS[name]
    beyond = np.maximum(np.maximum(shortest / wavelength, wavelength / longest), 1.0)
    within = (wavelength >= shortest * INSIDE) & (wavelength <= longest / INSIDE)
    between = (wavelength >= shortest) & (wavelength <= longest)
    upper = -10 * np.log10(1 + beyond ** (2 * ORDER))
    lower = np.where(within, DROOP, np.where(between, EDGE - 0.1, -np.inf))
    return lower, np.where(between, ABOVE, upper)
