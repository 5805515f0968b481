"""Strip charts on paper: a kilometre of the line on each sheet, one strip below the other, limits and marks drawn."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon, Rectangle

from twin.core.arrays import Array
from twin.core.places import Places
from twin.geometry.quantities.quantity import Kind, Quantity
from twin.geometry.rails import RailFlag, stretches
from twin.report.data import RunData
from twin.report.judged import Judged
from twin.report.sheet import (
    BAND,
    BEFORE,
    BLOCK_TOP,
    CLASS_INK,
    DASHES,
    FAINT,
    INK,
    LEFT,
    MAIN,
    RIGHT,
    RULE,
    SEVERITY,
    SOFT,
    TOP,
    Title,
    area,
    blank,
    block_text,
    canvas,
    draw_block,
)
from twin.report.track_strips import GEOMETRY, class_ribbons, group_of, shown_values, unit_of, words_of
from twin.report.units import MM

if TYPE_CHECKING:
    from twin.report.laid_over import LaidOver

LENGTH = 1020.0
"""Of the line on one sheet [m], a kilometre and a little of the next: 370 mm of paper, 1 : 2750."""
STRIDE = 1000.0
"""From sheet to sheet where no whole kilometre is near [m]."""
TICK = 100.0
"""Between labelled places [m]."""
_PLOT_LEFT = LEFT + 26.0
_AXIS_HEIGHT, _RIBBON_HEIGHT, _LANE_HEIGHT, _GAP = 13.0, 4.6, 4.6, 1.4
"""[mm]"""
_EDGE = 15.0
"""A mark so near to the right end has its number on its left [m]."""
_BUNCH = 4
"""Points of a band that are drawn as one: 0.4 mm on paper, extremes kept."""
_HEIGHTS = {Kind.CURVATURE: 0.6, Kind.CROSS_LEVEL: 0.9}
"""Of strips against the others."""


@dataclass(slots=True)
class _Strip:
    """One strip of the sheet, drawn anew for every kilometre."""

    axes: Axes
    quantity: Quantity
    values: Array
    sd: Array | None
    before: Array | None
    line: Line2D
    grey: Line2D
    band: Polygon


class StripSheet:
    """The sheet of one kilometre; the same drawing is filled anew for the next."""

    def __init__(self, judged: Judged, data: RunData, title: Title, earlier: "LaidOver | None") -> None:
        self._judged, self._data = judged, data
        self._sheet = blank()
        self._paper = canvas(self._sheet)
        draw_block(self._paper, title)
        quantities = [q for q in judged.geometry if q.kind is Kind.CURVATURE]
        quantities += [q for q in judged.geometry if group_of(q) == GEOMETRY]
        self._strips = self._lay_strips(quantities, earlier)
        self._legend(earlier)
        self._passing: list[Artist] = []

    def sheets(self, starts: list[float], *, after: int) -> Iterator[Figure]:
        """One sheet after the other, numbered after others; a sheet holds until the next is asked for."""
        for number, start in enumerate(starts, start=after + 1):
            self._fill(start)
            km = self._data.places.kilometre(np.array([start, start + LENGTH - 1e-6]))
            self._say(4, "Kilometre", f"{km[0]:.3f} – {km[1]:.3f}")
            self._say(5, "Sheet", f"{number} of {after + len(starts)}")
            yield self._sheet
            for artist in self._passing:
                artist.remove()
            self._passing.clear()

    def _lay_strips(self, quantities: list[Quantity], earlier: "LaidOver | None") -> list[_Strip]:
        weights = [_HEIGHTS.get(quantity.kind, 1.0) for quantity in quantities]
        foot = 2 * (_RIBBON_HEIGHT + _GAP) + _LANE_HEIGHT + 3.0
        room = BLOCK_TOP - 3.0 - TOP - _AXIS_HEIGHT - foot - _GAP * len(quantities)
        top, strips = TOP + _AXIS_HEIGHT, []
        for quantity, weight in zip(quantities, weights, strict=True):
            height = room * weight / sum(weights)
            axes = area(self._sheet, left=_PLOT_LEFT, top=top, width=RIGHT - _PLOT_LEFT, height=height)
            strips.append(self._strip(axes, quantity, earlier))
            self._heading(quantity, top + height / 2)
            top += height + _GAP
        self._foot = top
        return strips

    def _strip(self, axes: Axes, quantity: Quantity, earlier: "LaidOver | None") -> _Strip:
        axes.patch.set_visible(False)  # what crosses all strips is drawn on the paper below
        axes.spines[["top", "right"]].set_visible(False)
        for side in ("left", "bottom"):
            axes.spines[side].set(color=RULE, linewidth=0.5)
        axes.tick_params(labelsize=6, colors=SOFT, length=2, width=0.4, labelbottom=False, bottom=False)
        axes.grid(color=FAINT, linewidth=0.4)
        axes.set_axisbelow(True)
        values = shown_values(quantity)
        before = None if earlier is None else shown_values(earlier[quantity.name])
        band = Polygon(np.zeros((1, 2)), closed=True, facecolor=BAND, edgecolor="none", zorder=2)
        grey, line = (
            Line2D([], [], color=BEFORE, linewidth=0.5, zorder=3),
            Line2D([], [], color=MAIN, linewidth=0.8, zorder=4),
        )
        axes.add_patch(band)
        for each in (grey, line):
            axes.add_line(each)
        axes.set_ylim(*self._range(quantity, values))
        sd = None if quantity.sd is None else MM * quantity.sd
        return _Strip(axes, quantity, values, sd, before, line, grey, band)

    def _range(self, quantity: Quantity, values: Array) -> tuple[float, float]:
        """Scale of the whole run, with the mildest limits in it."""
        known = values[np.isfinite(values)]
        low, high = (float(known.min()), float(known.max())) if known.size else (-1.0, 1.0)
        pieces = self._judged.limits.get(quantity.name, ())
        for piece in (piece for piece in pieces if piece.severity == pieces[0].severity):
            low, high = float(np.nanmin([low, MM * piece.lower])), float(np.nanmax([high, MM * piece.upper]))
        if quantity.kind is not Kind.CURVATURE and words_of(quantity)[1]:
            low, high = -max(-low, high), max(-low, high)
        margin = 0.08 * max(high - low, 0.2)
        return low - margin, high + margin

    def _heading(self, quantity: Quantity, middle: float) -> None:
        words = " ".join((quantity.kind, quantity.variant)).strip().replace("longitudinal level", "level")
        note = "left +" if quantity.kind is Kind.CURVATURE else words_of(quantity)[0]
        below = ", ".join(word for word in (quantity.rail, unit_of(quantity.unit)) if word)
        self._paper.text(
            LEFT,
            middle - 2.6,
            words.capitalize().replace("d1", "D1"),
            fontsize=7,
            color=INK,
            weight="bold",
            va="center",
        )
        self._paper.text(LEFT, middle + 1.0, below, fontsize=6.5, color=SOFT, va="center")
        self._paper.text(LEFT, middle + 4.2, note, fontsize=5.5, color=SOFT, va="center")

    def _legend(self, earlier: "LaidOver | None") -> None:
        """What lines and colours mean, above the axis."""
        x, y = _PLOT_LEFT, TOP - 3.2
        keys = [
            (Line2D([], [], color=MAIN, linewidth=1.2), "measured"),
            (Line2D([], [], color=BAND, linewidth=4), "± 2 sd"),
        ]
        if earlier is not None:
            keys.append((Line2D([], [], color=BEFORE, linewidth=1), f"before: {earlier.name}"))
        for severity, colour in SEVERITY.items():
            keys.append((Line2D([], [], color=colour, linewidth=0.9, linestyle=DASHES[severity]), severity))
        for line, words in keys:
            line.set_data([x, x + 8], [y, y])
            self._paper.add_line(line)
            self._paper.text(x + 10, y, words, fontsize=6.5, color=SOFT, va="center")
            x += 16 + 1.35 * len(words)

    def _fill(self, start: float) -> None:
        """Everything of one kilometre."""
        end = start + LENGTH
        s = self._judged.geometry.s
        a, b = int(np.searchsorted(s, start)), int(np.searchsorted(s, end))
        places, labels = _ticks(start, end, self._data.places)
        for strip in self._strips:
            strip.axes.set_xlim(start, end)
            strip.axes.set_xticks(places)
            strip.line.set_data(s[a:b], strip.values[a:b])
            if strip.before is not None:
                strip.grey.set_data(s[a:b], strip.before[a:b])
            strip.band.set_xy(_band(s[a:b], strip.values[a:b], None if strip.sd is None else strip.sd[a:b]))
            self._limits(strip, start, end)
            self._marks(strip, start, end)
        self._axis(start, places, labels)
        self._ribbons(start, end)
        self._lanes(start, a, b)

    def _limits(self, strip: _Strip, start: float, end: float) -> None:
        for piece in self._judged.limits.get(strip.quantity.name, ()):
            if piece.end <= start or piece.start >= end:
                continue
            for limit in (piece.lower, piece.upper):
                if np.isfinite(limit):
                    self._passing += strip.axes.plot(
                        [max(piece.start, start), min(piece.end, end)],
                        [MM * limit] * 2,
                        color=SEVERITY[piece.severity],
                        linewidth=0.6,
                        linestyle=DASHES[piece.severity],
                        zorder=1,
                    )

    def _marks(self, strip: _Strip, start: float, end: float) -> None:
        """A ring at every peak beyond its limit, with its number in the list."""
        low, high = strip.axes.get_ylim()
        for number, found in enumerate(self._judged.exceedances, start=1):
            if found.name != strip.quantity.name or not start <= found.s < end:
                continue
            colour, peak = SEVERITY[found.severity], MM * found.peak
            self._passing += strip.axes.plot(
                found.s,
                peak,
                "o",
                markersize=4,
                markerfacecolor="none",
                markeredgecolor=colour,
                markeredgewidth=0.9,
                zorder=6,
            )
            inside = float(np.clip(peak, low + 0.12 * (high - low), high - 0.12 * (high - low)))
            late = found.s > end - _EDGE
            self._passing.append(
                strip.axes.annotate(
                    str(number),
                    (found.s, inside),
                    (-4 if late else 4, 0),
                    textcoords="offset points",
                    ha="right" if late else "left",
                    fontsize=6,
                    color=colour,
                    weight="bold",
                    va="center",
                    zorder=6,
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.4, "alpha": 0.85},
                )
            )

    def _axis(self, start: float, places: list[float], labels: list[str]) -> None:
        base = TOP + _AXIS_HEIGHT - 1.0
        self._passing += self._paper.plot([_PLOT_LEFT, RIGHT], [base, base], color=INK, linewidth=0.6)
        self._text(LEFT, base - 2.2, "km", colour=SOFT)
        for place, label in zip(places, labels, strict=True):
            x = _x(place, start)
            self._passing += self._paper.plot([x, x], [base - 1.4, base], color=INK, linewidth=0.5)
            self._text(x, base - 2.2, label, ha="center")
        for post in self._data.places.posts:
            if start <= post.s < start + LENGTH:
                x = _x(post.s, start)
                self._passing += self._paper.plot(x, base + 0.2, "v", color=INK, markersize=3.5)
        taken = -np.inf
        for event in sorted((e for e in self._data.events if e.s is not None), key=lambda e: e.s or 0.0):
            if event.s is None or not start <= event.s < start + LENGTH:
                continue
            x, text = _x(event.s, start), event.text or event.kind
            self._passing += self._paper.plot(
                [x, x], [base - 6.0, self._foot], color="#8a3f8f", linewidth=0.4, dashes=(2, 3)
            )
            if x > taken:
                self._text(min(x + 1, RIGHT - 1.3 * len(text)), base - 6.6, text, colour="#8a3f8f")
                taken = x + 1.3 * len(text) + 4

    def _ribbons(self, start: float, end: float) -> None:
        top = self._foot
        for ribbon in class_ribbons(self._judged):
            self._text(LEFT, top + _RIBBON_HEIGHT / 2, ribbon.title, colour=INK, va="center")
            for a, b, letter, value in ribbon.blocks:
                if b <= start or a >= end:
                    continue
                left, right = _x(max(a, start), start), _x(min(b, end), start)
                box = Rectangle(
                    (left, top), right - left - 0.4, _RIBBON_HEIGHT, facecolor=CLASS_INK[letter], edgecolor="none"
                )
                self._passing.append(self._paper.add_patch(box))
                if right - left > 16:
                    words = f"{letter}   sd {value:.2f} mm"
                    self._text((left + right) / 2, top + _RIBBON_HEIGHT / 2, words, ha="center", va="center")
            top += _RIBBON_HEIGHT + _GAP

    def _lanes(self, start: float, a: int, b: int) -> None:
        """Where rails were not seen, bridged or not judged."""
        top = self._foot + 2 * (_RIBBON_HEIGHT + _GAP)
        self._text(LEFT, top + _LANE_HEIGHT / 2, "Rails seen", colour=INK, va="center")
        flags, s = self._judged.geometry.flags[a:b], self._judged.geometry.s[a:b]
        kinds = (
            ((flags & np.uint8(RailFlag.MEASURED)) != 0, FAINT, ""),
            ((flags & np.uint8(RailFlag.BRIDGED)) != 0, "#c8570a", "bridged"),
            ((flags & np.uint8(RailFlag.MEASURED | RailFlag.BRIDGED)) == 0, "#b3261e", "unknown"),
            ((flags & np.uint8(RailFlag.LOW_SPEED)) != 0, "#5b6875", "slow"),
            ((flags & np.uint8(RailFlag.SWITCH)) != 0, "#5b6875", "switch"),
            ((flags & np.uint8(RailFlag.INVALID)) != 0, "#b3261e", "invalid"),
        )
        for where, colour, word in kinds:
            for i, j in stretches(where):
                left, right = _x(float(s[i]), start), _x(float(s[j - 1]), start)
                box = Rectangle((left, top), max(right - left, 0.3), _LANE_HEIGHT, facecolor=colour, edgecolor="none")
                self._passing.append(self._paper.add_patch(box))
                if word and right - left > 1.6 * len(word):
                    self._text(
                        (left + right) / 2, top + _LANE_HEIGHT / 2, word, colour="white", ha="center", va="center"
                    )

    def _text(self, x: float, y: float, text: str, *, colour: str = INK, ha: str = "left", va: str = "bottom") -> None:
        self._passing.append(self._paper.text(x, y, text, fontsize=6.5, color=colour, ha=ha, va=va))

    def _say(self, cell: int, head: str, text: str) -> None:
        before = len(self._paper.texts)
        block_text(self._paper, cell, head, text)
        self._passing += list(self._paper.texts)[before:]


def _x(s: float, start: float) -> float:
    """Place on the sheet [mm]."""
    return _PLOT_LEFT + (s - start) / LENGTH * (RIGHT - _PLOT_LEFT)


def _band(s: Array, values: Array, sd: Array | None) -> Array:
    """(m, 2) outline of two standard deviations about a line, a metre at a time; broken where the line is."""
    outline = [np.full((1, 2), np.nan)]
    if sd is None:
        return outline[0]
    for i, j in stretches(np.isfinite(values)):
        cuts = np.arange(i, j, _BUNCH)
        low, high = values[i:j] - 2 * sd[i:j], values[i:j] + 2 * sd[i:j]
        middle = s[np.minimum(cuts + _BUNCH // 2, j - 1)]
        there = np.column_stack((middle, np.maximum.reduceat(high, cuts - i)))
        back = np.column_stack((middle, np.minimum.reduceat(low, cuts - i)))[::-1]
        outline += [there, back, there[:1], np.full((1, 2), np.nan)]
    return np.concatenate(outline)


def starts_of(s: Array, places: Places) -> list[float]:
    """Arc lengths at which sheets begin: at every whole kilometre, and wherever the last sheet would end before."""
    at = _round_places(float(s[0]) - STRIDE, float(s[-1]), places, step=1.0)[0]
    before = at[at <= s[0]]
    starts = [float(before[-1]) if before.size else float(s[0])]
    for place in [*at[at > starts[0]].tolist(), float(s[-1]) + LENGTH]:
        while place - starts[-1] > LENGTH and starts[-1] + LENGTH <= s[-1]:
            starts.append(starts[-1] + STRIDE)
        if place <= s[-1] and place - starts[-1] > STRIDE / 10:
            starts.append(place)
    return starts


def _ticks(start: float, end: float, places: Places) -> tuple[list[float], list[str]]:
    """Places of round kilometres, and their labels."""
    at, km = _round_places(start - 0.5, end, places, step=TICK / 1000)
    return [float(place) for place in at], [f"{label:.1f}" for label in km]


def _round_places(start: float, end: float, places: Places, *, step: float) -> tuple[Array, Array]:
    """Where kilometres are multiples of a step [km] or jump across one, and these multiples."""
    s = np.arange(start, end + 1.0)
    km = places.kilometre(s)
    number = np.floor(km / step + 1e-9)
    i = np.flatnonzero(np.diff(number) > 0)
    steady = km[i + 1] - km[i] < 2e-3  # a metre of the line; a jump has its label behind it
    share = (number[i + 1] * step - km[i]) / np.where(steady, km[i + 1] - km[i], 1.0)
    return np.where(steady, s[i] + share, s[i + 1]), number[i + 1] * step
