"""What the page draws, as plain values and packed columns, in the units of the report."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from twin.core.arrays import Array
from twin.core.places import Places
from twin.report.data import GridTable, RunData
from twin.report.judged import Judged
from twin.report.pack import pack
from twin.report.strips import COURSE, NAVIGATION, Axis, Lanes, Line, Ribbon, Strip, quality_lanes, strips
from twin.report.track_strips import (
    DEVIATIONS,
    GEOMETRY,
    LONG_WAVES,
    TWISTS,
    WEAR,
    class_ribbons,
    grid_of,
    rail_lanes,
    track_strips,
)
from twin.report.track_tables import ExceedanceRow

if TYPE_CHECKING:
    from twin.report.laid_over import LaidOver

_GROUPS = {
    COURSE: True,
    GEOMETRY: True,
    TWISTS: False,
    DEVIATIONS: True,
    LONG_WAVES: False,
    WEAR: False,
    NAVIGATION: False,
}
"""In the order of the page, and whether they are open at first."""


@dataclass(slots=True)
class Columns:
    """Packed columns on their way into the page, numbered as they come."""

    texts: list[str] = field(default_factory=list)

    def add(self, values: Array, resolution: float) -> dict[str, Any]:
        """Pack a column; returns how the page finds it."""
        self.texts.append(pack(values, resolution=resolution))
        return {"column": len(self.texts) - 1, "resolution": resolution}


def run_payload(
    data: RunData,
    columns: Columns,
    *,
    judged: Judged | None = None,
    earlier: "LaidOver | None" = None,
    exceedances: Iterable[ExceedanceRow] = (),
) -> dict[str, Any]:
    """All the page draws of a run."""
    axis = Axis.of(data.tables.values(), None if judged is None else grid_of(judged))
    lanes = quality_lanes(data, axis) if judged is None else [rail_lanes(judged, axis), *quality_lanes(data, axis)]
    shown = [strip_payload(strip, columns) for strip in strips(data, axis)]
    if judged is not None:
        shown += [strip_payload(strip, columns) for strip in track_strips(judged, axis, earlier)]
    return axis_payload(data, axis, columns) | {
        "groups": [] if judged is None else _groups(shown),
        "strips": sorted(shown, key=lambda strip: list(_GROUPS).index(strip["group"])),
        "ribbons": [] if judged is None else [_ribbon(ribbon) for ribbon in class_ribbons(judged)],
        "lanes": [lanes_payload(each, columns) for each in lanes],
        "exceedances": [_mark(row) for row in exceedances],
    }


def axis_payload(data: RunData, axis: Axis, columns: Columns) -> dict[str, Any]:
    """Places, posts and events of a run along its axis."""
    best = data.best
    time = None if best is None else columns.add(axis.spread(best.index, best.seconds_after(data.t0_ns)), 0.01)
    return {
        "step": axis.step,
        "stretches": axis.stretches,
        "kilometres": kilometre_pieces(data.places),
        "posts": [{"s": post.s, "km": post.km} for post in data.places.posts],
        "events": [event for event in event_rows(data) if event["s"] is not None],
        "time": time,
        "sd_position": _position_sd(axis, best, columns),
    }


def kilometre_pieces(places: Places) -> list[tuple[float, float, float]]:
    """Places.kilometre as straight pieces (s, km at s, km per metre), each up to the next; the first from afar."""
    if not places.posts:
        return [(0.0, 0.0, 1e-3)]
    stretches = [(a, b) for a, b in pairwise(places.posts) if b.s > a.s]  # between the posts of a jump is nothing
    between = [(a.s, a.km, (b.km - a.km) / (b.s - a.s)) for a, b in stretches]
    first, last = places.posts[0], places.posts[-1]
    return [(first.s, first.km, 1e-3), *between, (last.s, last.km, 1e-3)]


def strip_payload(strip: Strip, columns: Columns) -> dict[str, Any]:
    """A strip with its columns."""
    resolution = strip.resolution or 10.0 ** -(strip.decimals + 1)  # one digit finer than it is read
    return {
        "title": strip.title,
        "note": strip.note,
        "unit": strip.unit,
        "decimals": strip.decimals,
        "signed": strip.signed,
        "also": strip.also,
        "group": strip.group,
        "name": strip.name,
        "limits": [
            [limit.severity, limit.start, limit.end, finite(limit.lower), finite(limit.upper)] for limit in strip.limits
        ],
        "lines": [_line(line, resolution, columns) for line in strip.lines],
    }


def lanes_payload(lanes: Lanes, columns: Columns) -> dict[str, Any]:
    """Lanes with their flags."""
    return {
        "title": lanes.title,
        "lanes": [{"label": lane.label, "mask": lane.mask, "tone": lane.tone} for lane in lanes.lanes],
        "flags": columns.add(lanes.flags.astype(float), 1.0),
    }


def event_rows(data: RunData) -> list[dict[str, Any]]:
    """Events by time, numbered as they are marked in the charts."""
    return [
        {
            "number": number,
            "s": event.s,
            "km": None if event.s is None else float(data.places.kilometre(np.array([event.s]))[0]),
            "t": (event.t_ns - data.t0_ns) * 1e-9,
            "kind": event.kind,
            "text": event.text,
        }
        for number, event in enumerate(data.events, start=1)
    ]


def finite(value: float) -> float | None:
    """A number JSON can hold."""
    return float(value) if np.isfinite(value) else None


def _groups(shown: list[dict[str, Any]]) -> list[dict[str, Any]]:
    there = {strip["group"] for strip in shown}
    return [{"title": title, "open": is_open} for title, is_open in _GROUPS.items() if title in there]


def _ribbon(ribbon: Ribbon) -> dict[str, Any]:
    blocks = [(a, b, letter, finite(round(value, 3))) for a, b, letter, value in ribbon.blocks]
    return {"title": ribbon.title, "note": ribbon.note, "group": ribbon.group, "blocks": blocks}


def _mark(row: ExceedanceRow) -> dict[str, Any]:
    return {
        "number": row.number,
        "s": row.s,
        "start": row.start,
        "length": row.length,
        "name": " ".join(word for word in (row.quantity, row.rail) if word),
        "severity": str(row.severity),
        "peak": round(row.peak, 3),
    }


def _line(line: Line, resolution: float, columns: Columns) -> dict[str, Any]:
    return {
        "label": line.label,
        "role": line.role.value,
        "values": columns.add(line.values, resolution),
        "sd": None if line.sd is None else columns.add(line.sd, resolution),
    }


def _position_sd(axis: Axis, best: GridTable | None, columns: Columns) -> dict[str, Any] | None:
    if best is None or not np.isfinite(best.column("s_sd")).any():
        return None
    return columns.add(axis.spread(best.index, best.column("s_sd")), 0.01)
