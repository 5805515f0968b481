"""The first sheets of a report on paper: the run in a few figures, and all exceedances."""

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from twin.geometry.quantities.deviations import COMBINED
from twin.geometry.quantities.limits import CLASSES
from twin.geometry.quantities.quantity import Severity
from twin.geometry.rails import STEP
from twin.report.data import RunData
from twin.report.judged import Judged
from twin.report.sheet import (
    BLOCK_TOP,
    CLASS_INK,
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
from twin.report.track_tables import ExceedanceRow, class_shares, combined_mean, counts, coverage
from twin.report.units import MM

ROW = 4.2
"""Height of a line of the list [mm]."""
_LIST_TOP = 104.0
"""On the first sheet [mm]."""
_OVERVIEW_TOP = 218.0
_OVERVIEW_POINTS = 4000
"""Of a line as wide as the sheet; what it shows is a mean over 200 m."""
_COLUMNS = 2
_HEADS = ("#", "km", "class", "quantity", "peak ± 2 sd", "limit", "length", "before")
_STOPS = (7.0, 25.0, 29.0, 59.0, 131.0, 148.0, 164.0, 181.0)
"""Where the columns of the list end or, for words, begin [mm]."""
_WORDS = (2, 3)
_LATER_TOP = TOP + 14.0


def sheets_needed(rows: Sequence[ExceedanceRow]) -> int:
    """Sheets the summary and all exceedances take."""
    first, later = _capacity(_LIST_TOP, _OVERVIEW_TOP - 8), _capacity(_LATER_TOP, BLOCK_TOP)
    return 1 + max(0, -(-(len(rows) - first) // later))


def front_sheets(
    judged: Judged, data: RunData, title: Title, rows: Sequence[ExceedanceRow], *, total: int
) -> Iterator[Figure]:
    """The summary, and as many further sheets as the exceedances need, of a total of sheets."""
    sheet, paper = _new(title)
    _summary(paper, judged, data, rows)
    _overview(sheet, paper, judged, rows)
    rest = _list(paper, rows, top=_LIST_TOP, bottom=_OVERVIEW_TOP - 8)
    _number(paper, 1, total)
    yield sheet
    number = 2
    while rest:
        sheet, paper = _new(title)
        paper.text(LEFT, TOP + 4, "Exceedances, continued", fontsize=13, weight="bold", color=INK, va="bottom")
        rest = _list(paper, rest, top=_LATER_TOP, bottom=BLOCK_TOP)
        _number(paper, number, total)
        yield sheet
        number += 1


def _number(paper: Axes, number: int, total: int) -> None:
    block_text(paper, 4, "Content", "Summary")
    block_text(paper, 5, "Sheet", f"{number} of {total}")


def _new(title: Title) -> tuple[Figure, Axes]:
    sheet = blank()
    paper = canvas(sheet)
    draw_block(paper, title)
    return sheet, paper


def _summary(paper: Axes, judged: Judged, data: RunData, rows: Sequence[ExceedanceRow]) -> None:
    km = judged.geometry.kilometre[[0, -1]]
    paper.text(LEFT, TOP + 6, "Track geometry", fontsize=22, weight="bold", color=INK, va="bottom")
    where = f"Line {data.places.line}, track {data.places.track}, km {km[0]:.3f} – {km[1]:.3f}"
    paper.text(LEFT, TOP + 13, where, fontsize=11, color=SOFT, va="bottom")
    seen = coverage(judged)
    totals = {severity: sum(row.severity is severity for row in rows) for severity in Severity}
    figures = [
        (f"{seen['length_km']:.2f} km", f"of rails, {100 * seen['judged']:.1f} % judged", INK),
        *((str(totals[each]), str(each), SEVERITY[each]) for each in reversed(Severity)),
        (f"{combined_mean(judged):.2f} mm", f"CoSD, mean of {judged.deviations.block_length:g} m", INK),
        (f"{100 * seen['bridged']:.1f} %", "bridged", INK),
    ]
    for k, (figure, words, colour) in enumerate(figures):
        x = LEFT + k * 66.0
        paper.text(x, TOP + 27, figure, fontsize=17, weight="bold", color=colour, va="bottom")
        paper.text(x, TOP + 28, words, fontsize=8, color=SOFT, va="top")
    _matrix(paper, rows, top=TOP + 40)
    _shares(paper, judged, top=TOP + 40)
    speeds = ", ".join(
        f"{speed:g}" for speed in sorted({round(3.6 * float(v)) for v in set(judged.line_speed.tolist())})
    )
    remark = (
        f"Limits: {judged.source}{', as it comes with RailTwin' if judged.shipped else ''}, "
        f"at line speeds of {speeds} km/h. "
        "Limits are the user's to check against the standards and rules that hold for the line. "
        "Left, right and signs follow increasing kilometre."
    )
    paper.text(LEFT, _LIST_TOP - 9, remark, fontsize=7.5, color=SOFT, va="bottom")


def _matrix(paper: Axes, rows: Sequence[ExceedanceRow], *, top: float) -> None:
    """Exceedances by quantity and class."""
    stops = (LEFT, LEFT + 100, LEFT + 132, LEFT + 158)
    for x, word in zip(stops, ("Exceedances", *(str(each) for each in reversed(Severity))), strict=True):
        paper.text(x, top, word, fontsize=8, color=SOFT, ha="left" if x == LEFT else "right", va="bottom")
    paper.plot([LEFT, stops[-1]], [top + 1, top + 1], color=RULE, linewidth=0.6)
    listed = counts(rows)
    for k, (name, numbers) in enumerate(listed):
        y = top + 6 + 5.2 * k
        paper.text(LEFT, y, name, fontsize=9, color=INK, va="bottom")
        for x, number, severity in zip(stops[1:], numbers, reversed(Severity), strict=True):
            colour, weight = (SEVERITY[severity], "bold") if number else (SOFT, "normal")
            paper.text(x, y, str(number), fontsize=9, color=colour, weight=weight, ha="right", va="bottom")
    if not listed:
        paper.text(LEFT, top + 6, "No limit is exceeded.", fontsize=9, color=INK, va="bottom")


def _shares(paper: Axes, judged: Judged, *, top: float) -> None:
    """How much of the line is in which class."""
    left, width = LEFT + 206.0, RIGHT - LEFT - 206.0
    for k, (kind, shares) in enumerate(class_shares(judged)):
        y, x = top + 19.0 * k, left
        words = f"Quality class of {kind} D1, sd over {judged.deviations.block_length:g} m, share of the length"
        paper.text(left, y, words, fontsize=8, color=SOFT, va="bottom")
        for letter, share in zip(CLASSES, shares, strict=True):
            paper.add_patch(Rectangle((x, y + 1.4), share * width, 5.0, facecolor=CLASS_INK[letter], edgecolor="none"))
            x += share * width
        for i, (letter, share) in enumerate(zip(CLASSES, shares, strict=True)):
            at = left + 34.0 * i
            paper.add_patch(Rectangle((at, y + 8.6), 3, 3, facecolor=CLASS_INK[letter], edgecolor="none"))
            paper.text(at + 4.2, y + 11.9, f"{letter}  {100 * share:.0f} %", fontsize=8, color=INK, va="bottom")


def _overview(sheet: Figure, paper: Axes, judged: Judged, rows: Sequence[ExceedanceRow]) -> None:
    """The whole line at a glance: where what is exceeded, and the combined deviation."""
    left, top, s = LEFT + 34.0, _OVERVIEW_TOP, judged.geometry.s
    names = list(dict.fromkeys(name.removesuffix(" left").removesuffix(" right") for name in judged.limits))
    for k, name in enumerate(names):
        y = top + 4.0 * k
        paper.text(LEFT, y, name.replace("longitudinal level", "level"), fontsize=7, color=INK, va="center")
        paper.plot([left, RIGHT], [y, y], color=FAINT, linewidth=0.6)
        for row in sorted(
            (row for row in rows if row.quantity == name), key=lambda row: list(Severity).index(row.severity)
        ):
            x = left + (row.s - s[0]) / max(s[-1] - s[0], STEP) * (RIGHT - left)
            paper.plot([x, x], [y - 1.5, y + 1.5], color=SEVERITY[row.severity], linewidth=1.0)
    top += 4.0 * len(names)
    axes = area(sheet, left=left, top=top, width=RIGHT - left, height=BLOCK_TOP - 8 - top)
    combined = judged.deviations[COMBINED].sliding
    every = max(1, s.size // _OVERVIEW_POINTS)
    axes.plot(s[::every], MM * combined[::every], color=MAIN, linewidth=0.8)
    axes.set(xlim=(s[0], max(s[-1], s[0] + STEP)), ylim=(0, None))
    at = np.unique(np.linspace(0, s.size - 1, 11).astype(int))
    axes.set_xticks(s[at], [f"km {judged.geometry.kilometre[i]:.1f}" for i in at])
    axes.tick_params(labelsize=6.5, colors=SOFT, length=2, width=0.4)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set(color=RULE, linewidth=0.5)
    axes.grid(color=FAINT, linewidth=0.4)
    paper.text(LEFT, top + 6, "CoSD, mm", fontsize=7, color=INK, va="center")


def _capacity(top: float, bottom: float) -> int:
    """Lines of the list between two heights of a sheet [mm]."""
    return _COLUMNS * int((bottom - 6 - top) / ROW)


def _list(paper: Axes, rows: Sequence[ExceedanceRow], *, top: float, bottom: float) -> Sequence[ExceedanceRow]:
    """Write as many exceedances as there is room for; returns the rest."""
    if not rows:
        return rows
    room = _capacity(top, bottom)
    each, here = room // _COLUMNS, rows[:room]
    for column in range(_COLUMNS):
        part = here[column * each : (column + 1) * each]
        left = LEFT + column * (RIGHT - LEFT + 8) / _COLUMNS
        if part:
            _line(paper, left, top, _HEADS, SOFT)
            paper.plot([left, left + _STOPS[-1]], [top + 0.8] * 2, color=RULE, linewidth=0.6)
        for k, row in enumerate(part):
            y = top + (k + 1) * ROW
            _line(paper, left, y, _cells(row), INK)
            paper.plot(left + _STOPS[2] - 1.6, y - 1.4, "o", color=SEVERITY[row.severity], markersize=3.2)
            paper.plot([left, left + _STOPS[-1]], [y + 0.7] * 2, color=FAINT, linewidth=0.4)
    return rows[len(here) :]


def _line(paper: Axes, left: float, y: float, cells: Sequence[str], colour: str) -> None:
    for k, (stop, text) in enumerate(zip(_STOPS, cells, strict=True)):
        paper.text(left + stop, y, text, fontsize=7, color=colour, ha="left" if k in _WORDS else "right", va="bottom")


def _cells(row: ExceedanceRow) -> tuple[str, ...]:
    sd = "" if row.sd is None else f" ± {2 * row.sd:.1f}"
    return (
        str(row.number),
        f"{row.kilometre:.4f}",
        str(row.severity),
        f"{row.quantity} {row.rail}".strip(),
        f"{row.peak:+.1f}{sd} {row.unit}".replace("-", "−"),
        f"{row.limit:+.1f}".replace("-", "−"),
        f"{row.length:.2f} m",
        "–" if row.before is None else f"{row.before:+.1f}".replace("-", "−"),
    )
