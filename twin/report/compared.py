"""Two runs over the same rails, side by side: differences of every quantity, and whether they repeat well enough."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from twin.core.errors import RecordingError
from twin.geometry.quantities.quantity import Quantity
from twin.geometry.repeatability import Repeatability, difference, repeatability
from twin.report.config import ReportConfig
from twin.report.data import RunData
from twin.report.html import page_parts, run_context, write_page
from twin.report.judged import Judged, judge
from twin.report.laid_over import LaidOver, lay_over
from twin.report.payload import Columns, axis_payload, lanes_payload, strip_payload
from twin.report.strips import Axis, Limit, Line, Role, Strip
from twin.report.track_strips import (
    GEOMETRY,
    RESOLUTION,
    grid_of,
    group_of,
    rail_lanes,
    shown_values,
    title_of,
    unit_of,
    words_of,
)
from twin.report.units import MM

DIFFERENCES, BOTH, OFFSET = "Differences", "Both runs", "Offset of the runs"
"""Groups of strips."""
SHOWN = ("chord", "mean")
"""Variants with such a word are computed and not listed."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Two runs, the second laid over the first."""

    first: RunData
    second: RunData
    judged: Judged
    laid: LaidOver
    rows: tuple[Repeatability, ...]
    """Of every quantity that is listed; differences are second minus first."""

    @property
    def beyond(self) -> int:
        """Quantities that do not repeat within their limit."""
        return sum(row.within is False for row in self.rows)


def compare_runs(first: RunData, second: RunData, config: ReportConfig) -> Compared:
    """Compare two runs; RecordingError where one saw no rails, or they do not match."""
    judged = judge(first, config.geometry)
    if judged is None:
        raise RecordingError(f"{first.label.name}: saw no rails: only runs with cameras can be compared")
    laid = lay_over(first, second, config.geometry)
    if laid is None:
        raise RecordingError(f"{second.label.name}: saw no rails: only runs with cameras can be compared")
    if not laid.curve.matched.any():
        raise RecordingError(
            f"{first.label.name} and {second.label.name} do not match anywhere: are they of one track?"
        )
    others = laid.geometry({quantity.name for quantity in judged.geometry})
    rows = repeatability(judged.geometry, others, config.geometry.repeatability)
    listed = tuple(row for row in rows if not any(word in row.name for word in SHOWN))
    return Compared(first, second, judged, laid, listed)


def write_comparison(compared: Compared, path: Path, config: ReportConfig) -> None:
    """Write the comparison as one page that opens offline."""
    columns, curve = Columns(), compared.laid.curve
    known = curve.offset[curve.matched]
    context = run_context(compared.first, config) | {
        "track": None,
        "second": compared.second.label,
        "rows": [(row, unit_of(row.unit)) for row in compared.rows],
        "beyond": compared.beyond,
        "limited": sum(row.limit is not None for row in compared.rows),
        "matched": float(np.mean(curve.matched)),
        "offset": float(np.median(known)),
        "offset_sd": float(np.median(curve.sd[curve.matched])),
        "offset_range": (float(known.min()), float(known.max())),
        "payload": _payload(compared, columns, config),
    }
    write_page(path, page_parts("comparison.html", context, columns))


def _payload(compared: Compared, columns: Columns, config: ReportConfig) -> dict[str, object]:
    axis = Axis.of(compared.first.tables.values(), grid_of(compared.judged))
    return axis_payload(compared.first, axis, columns) | {
        "groups": [
            {"title": DIFFERENCES, "open": True},
            {"title": BOTH, "open": False},
            {"title": OFFSET, "open": True},
        ],
        "strips": [strip_payload(strip, columns) for strip in _strips(compared, axis, config)],
        "ribbons": [],
        "lanes": [lanes_payload(rail_lanes(compared.judged, axis), columns)],
        "exceedances": [],
    }


def _strips(compared: Compared, axis: Axis, config: ReportConfig) -> Iterator[Strip]:
    shown = [quantity for quantity in compared.judged.geometry if group_of(quantity) == GEOMETRY]
    grid, limits = grid_of(compared.judged), config.geometry.repeatability.table()
    for quantity in shown:
        values = MM * difference(quantity, compared.laid[quantity.name])
        limit = limits.get((quantity.kind, quantity.variant))
        yield _strip(
            quantity,
            (Line("difference", Role.MAIN, axis.spread(grid, values)),),
            DIFFERENCES,
            ()
            if limit is None
            else (
                Limit(
                    "alert",
                    float(axis.index[0]) * axis.step,
                    float(axis.index[-1]) * axis.step,
                    -MM * limit,
                    MM * limit,
                ),
            ),
        )
    for quantity in shown:
        before = axis.spread(grid, shown_values(compared.laid[quantity.name]))
        lines = (
            Line(compared.second.label.name, Role.EARLIER, before),
            Line(compared.first.label.name, Role.MAIN, axis.spread(grid, shown_values(quantity))),
        )
        yield _strip(quantity, lines, BOTH, ())
    curve = compared.laid.curve
    offset = axis.spread(grid, np.where(curve.matched, curve.offset, np.nan))
    line = Line("offset", Role.MAIN, offset, axis.spread(grid, curve.sd))
    yield Strip("Offset", "second ahead +", "m", 2, True, "", (line,), OFFSET, resolution=0.001)
    likeness = Line("correlation", Role.MAIN, axis.spread(grid, curve.correlation))
    yield Strip("Correlation", "of the waves of D1", "0 to 1", 2, False, "", (likeness,), OFFSET, resolution=0.001)


def _strip(quantity: Quantity, lines: tuple[Line, ...], group: str, limits: tuple[Limit, ...]) -> Strip:
    note = "second − first" if group == DIFFERENCES else words_of(quantity)[0]
    signed = group == DIFFERENCES or words_of(quantity)[1]
    known = tuple(line for line in lines if np.isfinite(line.values).any())
    return Strip(
        title_of(quantity),
        note,
        unit_of(quantity.unit),
        2,
        signed,
        "",
        known,
        group,
        limits=limits,
        resolution=RESOLUTION,
    )
