"""Exceedances and quality of a track as GeoJSON (RFC 7946), for maps.

Where the configuration gives the place of the line on the earth, coordinates are longitude and latitude on WGS 84;
else they are metres of a plane of the line's own, and the file says so.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.report.config import Origin
from twin.report.data import RunData
from twin.report.judged import Judged
from twin.report.payload import finite
from twin.report.plan import earth_plan, local_plan
from twin.report.track_tables import deviation_rows, exceedance_rows

LOCAL = "local metres: x along the line at s = 0, y to its left; no place on the earth is configured"
EARTH = "longitude and latitude on WGS 84 [deg], from the design line and its configured origin"
SPACING = 10.0
"""Of the points of a line [m]."""
_NAMES = {"longitudinal level D1": "sd_level_mm", "alignment D1": "sd_alignment_mm", "gauge D1": "sd_gauge_mm"}


def write_geojson(data: RunData, judged: Judged, path: Path, *, origin: Origin | None) -> None:
    """Write exceedances as points, and blocks of the line and what was not judged as lines."""
    if data.design is None:
        raise ConfigError("a map needs the design of the track: the run has none")
    features = [*_exceedances(judged), *_blocks(judged), *_left_out(judged)]
    places = np.array([s for feature in features for s in feature["along"]])
    plan = local_plan(data.design, places) if origin is None else earth_plan(data.design, places, origin)
    text = json.dumps(
        {
            "type": "FeatureCollection",
            "name": data.label.name,
            "coordinates_are": LOCAL if origin is None else EARTH,
            "line": data.places.line,
            "track": data.places.track,
            "limits": f"{judged.source}; limits are the user's to check",
            "features": _placed(features, np.round(plan, 3 if origin is None else 7)),
        },
        allow_nan=False,
        separators=(",", ":"),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")


def _placed(features: list[dict[str, Any]], plan: Array) -> list[dict[str, Any]]:
    """Features with coordinates in the place of arc lengths."""
    placed, at = [], 0
    for feature in features:
        n = len(feature["along"])
        points = plan[at : at + n].tolist()
        at += n
        kind, coordinates = ("Point", points[0]) if n == 1 else ("LineString", points)
        placed.append(
            {
                "type": "Feature",
                "geometry": {"type": kind, "coordinates": coordinates},
                "properties": feature["properties"],
            }
        )
    return placed


def _exceedances(judged: Judged) -> list[dict[str, Any]]:
    return [
        {
            "along": [row.s],
            "properties": {
                "what": "exceedance",
                "number": row.number,
                "km": round(row.kilometre, 4),
                "class": str(row.severity),
                "quantity": row.quantity,
                "rail": row.rail,
                "peak": round(row.peak, 2),
                "sd": None if row.sd is None else round(row.sd, 3),
                "limit": round(row.limit, 2),
                "unit": row.unit,
                "length_m": row.length,
            },
        }
        for row in exceedance_rows(judged)
    ]


def _blocks(judged: Judged) -> list[dict[str, Any]]:
    names, length = [each.name for each in judged.deviations.quantities], judged.deviations.block_length
    found = []
    for row in deviation_rows(judged):
        values = {
            _NAMES.get(name, "cosd_mm" if name.startswith("combined") else "sd_cross_level_mm"): finite(round(value, 3))
            for name, value in zip(names, row.values, strict=True)
        }
        classes = {"class_level": row.classes[0] or None, "class_alignment": row.classes[1] or None}
        end = min(row.s + length, float(judged.geometry.s[-1]))
        properties = {"what": "quality", "km": round(row.kilometre, 4), "length_m": length} | classes | values
        found.append({"along": _along(max(row.s, float(judged.geometry.s[0])), end), "properties": properties})
    return found


def _left_out(judged: Judged) -> list[dict[str, Any]]:
    return [
        {
            "along": _along(stretch.start, stretch.start + stretch.length),
            "properties": {
                "what": "not judged",
                "km": round(stretch.kilometre, 4),
                "length_m": stretch.length,
                "reason": stretch.reason,
            },
        }
        for stretch in judged.left_out
    ]


def _along(start: float, end: float) -> list[float]:
    """Places along a line from one to the other, two at least."""
    points = max(2, int(np.ceil((end - start) / SPACING)) + 1)
    return [float(s) for s in np.linspace(start, end, points)]
