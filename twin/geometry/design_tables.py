"""Design geometry from CSV tables: plan, cant and profile, each a file with a line per segment.

Columns are found by their names, whatever their order and case: the plan's radius is positive to the left and 0 or
empty for a straight, cant is given for both rails, gradients as rise per metre.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite, pi, remainder
from pathlib import Path

from twin.core.errors import ConfigError
from twin.core.places import KilometrePost
from twin.core.track import VerticalElement
from twin.geometry.design_elements import SHORTEST, CantStation, Design, PlanElement, horizontal_elements

PLAN_TYPES = {
    "line": "clothoid",
    "circulararc": "clothoid",
    "clothoid": "clothoid",
    "blosscurve": "bloss",
    "cosinecurve": "cosine",
    "sinecurve": "sinusoid",
    "helmertcurve": "biquadratic",
}
CANT_TYPES = {
    "constantcant": "linear",
    "lineartransition": "linear",
    "blosscurve": "bloss",
    "cosinecurve": "cosine",
    "sinecurve": "sinusoid",
    "helmertcurve": "biquadratic",
}
"""Segment types of the tables, and the course of curvature or cant along them."""
PROFILE_TYPES = ("constantgradient", "circulararc", "parabolicarc")
APART = 0.01
"""How far the start of a segment may lie from the end of the one before [m]: what files round."""

ASKEW = 1e-3
"""How far the direction of a segment may be off that of the end of the one before [rad]."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One line of a table, its columns by name in lower case."""

    path: Path
    line: int
    cells: dict[str, str]

    @property
    def at(self) -> str:
        return f"{self.path}, line {self.line}"

    def text(self, column: str) -> str:
        if column not in self.cells:
            raise ConfigError(f"{self.path}: has no column '{column}'; there are {', '.join(self.cells)}")
        return self.cells[column].strip()

    def number(self, column: str) -> float:
        """A number; an empty cell is 0."""
        word = self.text(column)
        try:
            value = float(word) if word else 0.0
        except ValueError:
            raise ConfigError(f"{self.at}, '{column}': '{word}' is not a number") from None
        if not isfinite(value):
            raise ConfigError(f"{self.at}, '{column}': '{word}' is not finite")
        return value

    def shape(self, types: dict[str, str]) -> str:
        kind = self.text("predefinedtype").lower()
        if kind not in types:
            raise ConfigError(f"{self.at}, 'PredefinedType': '{kind}'; known are {', '.join(types)}")
        return types[kind]


def read_design_tables(
    horizontal: Path, *, cant: Path | None = None, vertical: Path | None = None, name: str, station_start: float = 0.0
) -> Design:
    """A track of up to three tables; station_start: chainage of the first point [m]."""
    rows = list(_rows(horizontal))
    plan = [_plan(row) for row in rows]
    _check_directions(rows, plan)
    stations = [] if cant is None else _cant(cant)
    first = rows[0] if rows else None
    return Design(
        name=name,
        horizontal=horizontal_elements(plan, stations, source=str(horizontal)),
        vertical=() if vertical is None else _profile(vertical),
        posts=(KilometrePost(s=0.0, km=station_start / 1000),),
        start=None if first is None else (first.number("start point x"), first.number("start point y")),
        heading=None if first is None else first.number("start direction"),
    )


def _rows(path: Path) -> Iterator[_Row]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8 text") from None
    lines = list(csv.reader(text.splitlines()))
    if not lines:
        raise ConfigError(f"{path}: is empty")
    header = [cell.strip().lower() for cell in lines[0]]
    for number, cells in enumerate(lines[1:], start=2):
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            raise ConfigError(f"{path}, line {number}: {len(cells)} cells, the header has {len(header)}")
        yield _Row(path, number, dict(zip(header, cells, strict=True)))


def _plan(row: _Row) -> PlanElement:
    radii = row.number("start radius of curvature"), row.number("end radius of curvature")
    start, end = (1 / radius if radius else 0.0 for radius in radii)
    shape = row.shape(PLAN_TYPES)
    return PlanElement(_length(row, "segment length"), start, end, shape, f"line {row.line}")


def _check_directions(rows: list[_Row], plan: list[PlanElement]) -> None:
    """Refuse segments that start in another direction than those before turn to: a radius has the wrong sign."""
    for row, after, element in zip(rows, rows[1:], plan, strict=False):
        turned = element.length * (element.curvature_start + element.curvature_end) / 2
        difference = after.number("start direction") - row.number("start direction") - turned
        if abs(remainder(difference, 2 * pi)) > ASKEW:
            raise ConfigError(
                f"{after.at}: starts in direction {after.number('start direction'):.6f} rad, the segment before turns "
                f"to {row.number('start direction') + turned:.6f} rad: a radius is positive to the left, check its sign"
            )


def _cant(path: Path) -> list[CantStation]:
    """Two stations for every segment: cant may jump between two."""
    stations: list[CantStation] = []
    for row in _rows(path):
        start, length = row.number("start dist along"), _length(row, "horizontal length")
        if stations and abs(start - stations[-1].s) > APART:
            raise ConfigError(f"{row.at}: starts at {start:g} m, the segment before ends at {stations[-1].s:g} m")
        ends = [row.number(f"{end} cant right") - row.number(f"{end} cant left") for end in ("start", "end")]
        start = stations[-1].s if stations else start
        stations += [CantStation(start, ends[0], row.shape(CANT_TYPES)), CantStation(start + length, ends[1])]
    return stations


def _profile(path: Path) -> tuple[VerticalElement, ...]:
    found: list[VerticalElement] = []
    rows = list(_rows(path))
    for row in rows:
        kind = row.text("predefinedtype").lower()
        if kind not in PROFILE_TYPES:
            raise ConfigError(f"{row.at}, 'PredefinedType': '{kind}'; known are {', '.join(PROFILE_TYPES)}")
        length = _length(row, "horizontal length")
        gradients = {f"gradient_{end}": row.number(f"{end} gradient") for end in ("start", "end")}
        if length > SHORTEST:
            found.append(VerticalElement.load({"length": length, **gradients}, where=row.at))
    for a, b in pairwise(rows):
        end = a.number("start dist along") + a.number("horizontal length")
        if abs(b.number("start dist along") - end) > APART:
            raise ConfigError(f"{b.at}: starts at {b.number('start dist along'):g} m, the one before ends at {end:g} m")
    return tuple(found)


def _length(row: _Row, column: str) -> float:
    length = row.number(column)
    if length < 0:
        raise ConfigError(f"{row.at}, '{column}': a length is positive, got {length:g}")
    return length
