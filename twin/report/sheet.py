"""A sheet of A3 paper in landscape: places in millimetres from its top left corner, inks, and the title block."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from twin.report.data import RunData

WIDTH, HEIGHT = 420.0, 297.0
"""[mm]"""
LEFT, RIGHT, TOP = 12.0, 408.0, 10.0
"""Edges of what is printed [mm]."""
BLOCK_TOP, BLOCK_BOTTOM = 274.0, 288.0
"""Of the title block [mm]."""
INK, SOFT, RULE, FAINT = "#16202a", "#5b6875", "#c3ccd5", "#e6ebf0"
MAIN, BAND, BEFORE, DESIGN = "#0b5a9e", "#cfdeec", "#9aa5b0", "#c8570a"
SEVERITY = {"alert": "#c79a00", "intervention": "#d9691e", "immediate action": "#b3261e"}
DASHES: dict[str, Literal["-"] | tuple[float, Sequence[float]]] = {
    "alert": (0, (1, 2)),
    "intervention": (0, (5, 2.5)),
    "immediate action": "-",
}
CLASS_INK = {"A": "#9ed3b6", "B": "#cfe6b8", "C": "#f5e3a1", "D": "#f4bf8a", "E": "#e99a90"}
_INCH = 25.4
"""[mm]"""
_CELLS = (0.0, 0.24, 0.42, 0.58, 0.80, 0.90)
"""Where the cells of the title block begin, as shares of its width."""


@dataclass(frozen=True, slots=True)
class Title:
    """What the title block of every sheet says."""

    name: str
    line: str
    track: str
    date: str
    vehicle: str
    software: str
    limits: str

    @classmethod
    def of(cls, data: RunData, *, limits: str) -> "Title":
        """Of a run judged by limits from somewhere."""
        label, places = data.label, data.places
        return cls(label.name, places.line, places.track, label.date, label.vehicle, label.software, limits)


def blank() -> Figure:
    """An empty sheet."""
    return Figure(figsize=(WIDTH / _INCH, HEIGHT / _INCH), facecolor="white")


def area(sheet: Figure, *, left: float, top: float, width: float, height: float) -> Axes:
    """Axes at a place on the sheet [mm]."""
    return sheet.add_axes((left / WIDTH, 1 - (top + height) / HEIGHT, width / WIDTH, height / HEIGHT))


def canvas(sheet: Figure) -> Axes:
    """The whole sheet as one drawing in millimetres, y downwards."""
    axes = sheet.add_axes((0, 0, 1, 1), zorder=-1)
    axes.set(xlim=(0, WIDTH), ylim=(HEIGHT, 0))
    axes.set_axis_off()
    return axes


def draw_block(paper: Axes, title: Title) -> None:
    """The frame of the title block with what is the same on every sheet."""
    width = RIGHT - LEFT
    box = Rectangle((LEFT, BLOCK_TOP), width, BLOCK_BOTTOM - BLOCK_TOP, fill=False, edgecolor=INK, linewidth=0.8)
    paper.add_patch(box)
    for share in _CELLS[1:]:
        paper.plot([LEFT + share * width] * 2, [BLOCK_TOP, BLOCK_BOTTOM], color=INK, linewidth=0.5)
    cells = (
        ("Run", title.name),
        ("Line, track", f"{title.line}, {title.track}"),
        ("Date", title.date or "–"),
        ("Vehicle · limits, to be checked by the user", f"{title.vehicle or '–'} · {title.limits}"),
    )
    for k, (head, text) in enumerate(cells):
        block_text(paper, k, head, text)


def block_text(paper: Axes, cell: int, head: str, text: str) -> None:
    """Fill one cell of the title block; a text too long for it is cut."""
    width = RIGHT - LEFT
    x = LEFT + _CELLS[cell] * width + 2
    room = (([*_CELLS, 1.0][cell + 1] - _CELLS[cell]) * width - 4) / 1.75  # letters of 9 point are 1.75 mm wide
    shown = text if len(text) <= room else text[: max(int(room) - 1, 1)] + "…"
    paper.text(x, BLOCK_TOP + 2.2, head, fontsize=6, color=SOFT, va="top")
    paper.text(x, BLOCK_BOTTOM - 2.6, shown, fontsize=9, color=INK, va="bottom", weight="bold" if cell == 0 else None)
