"""Pictures and tables of steady curving: shift, angle of attack and forces of the leading wheelsets over the radius."""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter, NullLocator

from twin.core.arrays import Array
from twin.report.table_file import Column
from twin.report.units import MM, MRAD
from twin.report.vehicle_topology import FAINT, INK
from twin.vehicle.curving import CurvingWheelset, State, SteadyCurve

KN = 1e-3
"""[kN/N]"""
COLOURS = ("#0b5fa5", "#c2410c", "#2f855a", "#805ad5", "#b7791f", "#1f2933")
"""One for each cant, from the first again where they run out."""
THIN, WIDER = 1.4, 1.6
"""Width of the line of the last cant, and by how much each before is wider: lines that coincide are all seen."""
STYLES: tuple[Literal["-", "--"], ...] = ("-", "--")
"""Of the first and second wheelset: those of the leading bogie tell what all do."""
CLOSEST = 0.08
"""Of two radii that are both written on the axis, as a share of its length."""
NEAR = 0.4
"""Share of Nadal's limit from which it is drawn: else it would flatten what is there to see."""

Quantity = Callable[[CurvingWheelset], float]
PANELS: tuple[tuple[str, str, Quantity], ...] = (
    ("Lateral shift", "towards the outer rail [mm]", lambda each: each.shift * MM),
    ("Angle of attack", "against the outer rail [mrad]", lambda each: each.attack * MRAD),
    ("Guiding force of the outer wheel", "Y, towards the inside [kN]", lambda each: each.outer.Y * KN),
    ("Y/Q of the worse wheel", "Y/Q, pressing its rail outwards [-]", lambda each: each.worst),
)
"""Title, axis and value of each."""


def curving_figure(title: str, found: Sequence[SteadyCurve]) -> Figure:
    """Four quantities over the radius, a colour for each cant."""
    figure = Figure(figsize=(10.6, 7.4), layout="constrained", facecolor="white")
    panels = figure.subplots(2, 2, sharex=True)
    cants = sorted({each.curve.cant for each in found})
    for axes, (name, label, value) in zip(panels.flat, PANELS, strict=True):
        for number, cant in enumerate(cants):
            width = THIN + WIDER * (len(cants) - 1 - number)
            _draw(axes, [each for each in found if each.curve.cant == cant], value, _colour(number), width)
        _finish(axes, name, label)
    radii = sorted({abs(each.curve.radius) for each in found})
    _radii(panels.flat[0], radii)
    for axes in panels[1]:
        axes.set_xlabel("radius [m]")
    _nadal(panels.flat[3], found)
    figure.suptitle(title, color=INK, fontsize=13, fontweight="bold")
    keys = _keys(found, cants)
    figure.legend(handles=keys, loc="outside lower center", ncols=min(len(keys), 7), frameon=False, fontsize=9)
    return figure


def curving_columns(found: Sequence[SteadyCurve]) -> dict[str, Column]:
    """A row for each wheelset in each curve; one without a wheelset for a curve that has no steady state."""
    rows = [(each, wheelset) for each in found for wheelset in each.wheelsets or (None,)]

    def curve(value: Callable[[SteadyCurve], float]) -> Array:
        return np.array([value(each) for each, _ in rows])

    def of(value: Quantity) -> Array:
        return np.array([np.nan if wheelset is None else value(wheelset) for _, wheelset in rows])

    return {
        "radius_m": curve(lambda each: each.curve.radius),
        "cant_mm": curve(lambda each: each.curve.cant * MM),
        "speed_m_per_s": curve(lambda each: each.curve.speed),
        "deficiency_mm": curve(lambda each: each.deficiency * MM),
        "state": [each.state.value for each, _ in rows],
        "remark": [each.remark for each, _ in rows],
        "wheelset": ["" if wheelset is None else wheelset.name for _, wheelset in rows],
        "shift_mm": of(lambda each: each.shift * MM),
        "attack_mrad": of(lambda each: each.attack * MRAD),
        "Q_outer_kN": of(lambda each: each.outer.Q * KN),
        "Q_inner_kN": of(lambda each: each.inner.Q * KN),
        "Y_outer_kN": of(lambda each: each.outer.Y * KN),
        "Y_inner_kN": of(lambda each: each.inner.Y * KN),
        "Y_over_Q_outer": of(lambda each: each.outer.Y_over_Q),
        "Y_over_Q_inner": of(lambda each: each.inner.Y_over_Q),
        "Y_over_Q_nadal": curve(lambda each: np.nan if each.nadal is None else each.nadal),
        "power_outer_W": of(lambda each: each.outer.power),
        "power_inner_W": of(lambda each: each.inner.power),
    }


def _draw(axes: Axes, found: Sequence[SteadyCurve], value: Quantity, colour: str, width: float) -> None:
    """One cant: lines through what is steady, rings about what swings or has not settled, crosses on the axis."""
    ordered = sorted(found, key=lambda each: abs(each.curve.radius))
    radii = np.array([abs(each.curve.radius) for each in ordered])
    for number, style in enumerate(STYLES):
        values = np.array(
            [value(each.wheelsets[number]) if len(each.wheelsets) > number else np.nan for each in ordered]
        )
        axes.plot(radii, values, style, color=colour, marker="o", markersize=width + 2, linewidth=width)
        unsteady = np.array([each.state is not State.STEADY for each in ordered])
        axes.plot(radii[unsteady], values[unsteady], "o", color=colour, markersize=9, fillstyle="none")
    lost = [abs(each.curve.radius) for each in ordered if not each.wheelsets]
    axes.plot(lost, [0.03] * len(lost), "x", color=colour, markersize=8, transform=axes.get_xaxis_transform())


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _radii(axes: Axes, radii: Sequence[float]) -> None:
    """A logarithmic axis with the radii themselves as ticks, as far as their words have room."""
    axes.set_xscale("log")
    span = np.log(radii[-1] / radii[0]) or 1.0
    ticks = [radii[0]]
    for radius in radii[1:]:
        if np.log(radius / ticks[-1]) > CLOSEST * span:
            ticks.append(radius)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xticks(ticks, [f"{radius:g}" for radius in ticks])


def _nadal(axes: Axes, found: Sequence[SteadyCurve]) -> None:
    limits = [each.nadal for each in found if each.nadal is not None]
    worst = max((wheelset.worst for each in found for wheelset in each.wheelsets), default=0.0)
    if not limits:
        return
    limit = min(limits)
    if worst > NEAR * limit:
        axes.axhline(limit, color=INK, linewidth=1.0, linestyle=":")
    axes.set_title(f"Nadal's limit {limit:.2f}", loc="right", color=INK, fontsize=9)


def _keys(found: Sequence[SteadyCurve], cants: Sequence[float]) -> list[Line2D]:
    keys = [
        Line2D([], [], color=_colour(number), linewidth=2.5, label=f"cant {cant * MM:g} mm")
        for number, cant in enumerate(cants)
    ]
    names = next(([wheelset.name for wheelset in each.wheelsets] for each in found if each.wheelsets), [])
    keys += [Line2D([], [], color=INK, linestyle=style, label=name) for style, name in zip(STYLES, names, strict=False)]
    if any(each.wheelsets and each.state is not State.STEADY for each in found):
        keys.append(
            Line2D([], [], color=INK, marker="o", markersize=9, fillstyle="none", linestyle="", label="not steady")
        )
    if any(not each.wheelsets for each in found):
        keys.append(Line2D([], [], color=INK, marker="x", markersize=8, linestyle="", label="off the track"))
    return keys


def _finish(axes: Axes, title: str, label: str) -> None:
    axes.set_title(title, loc="left", color=INK, fontsize=11)
    axes.set_ylabel(label)
    axes.axhline(0.0, color=INK, linewidth=0.6)
    axes.grid(color=FAINT, linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(color=FAINT)
