"""The report as one HTML file: opens offline, asks nothing of any network, keeps every spike."""

import base64
import hashlib
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from twin.core.arrays import Array
from twin.core.places import Direction, Places
from twin.report.config import ReportConfig
from twin.report.data import GridTable, RunData
from twin.report.health import judge_measurements, judge_sources, worst
from twin.report.pack import pack
from twin.report.spark import spark
from twin.report.strips import LANES, Axis, Line, Strip, strips
from twin.report.tables import summary

_SCRIPTS = ("decode.js", "axis.js", "draw.js", "view.js", "hands.js")


def write_html(data: RunData, path: Path, config: ReportConfig | None = None) -> None:
    """Write the report. The same run gives the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(data, config or ReportConfig()), encoding="utf-8", newline="\n")


def render(data: RunData, config: ReportConfig) -> str:
    """The report as text."""
    style = _page_file("page.css")
    script = "\n".join(_page_file(name) for name in _SCRIPTS)
    script = f'(() => {{\n"use strict";\n{script}\n}})();'
    sources = judge_sources(data.health, config)
    measurements = judge_measurements(data.health, config)
    environment = Environment(
        loader=PackageLoader("twin.report", "page"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    environment.filters["number"] = _number
    environment.filters["spark"] = spark
    return environment.get_template("page.html").render(
        label=data.label,
        places=data.places,
        arrow="→ increasing km" if data.direction is Direction.INCREASING else "← decreasing km",
        summary=summary(data, config),
        sources=sources,
        measurements=measurements,
        verdict=worst([*(source.verdict for source in sources), *(row.verdict for row in measurements)]),
        limits=config,
        events=_events(data),
        policy=f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; base-uri 'none'",
        style=style,
        script=script,
        payload=_payload(data),
    )


def _payload(data: RunData) -> dict[str, Any]:
    """All the page draws, in the units of the report."""
    axis = Axis.of(data.tables.values())
    best = data.best
    return {
        "step": axis.step,
        "stretches": axis.stretches,
        "kilometres": kilometre_pieces(data.places),
        "posts": [{"s": post.s, "km": post.km} for post in data.places.posts],
        "events": [event for event in _events(data) if event["s"] is not None],
        "strips": [_strip(strip) for strip in strips(data, axis)],
        "lanes": [{"label": lane.label, "mask": lane.mask} for lane in LANES],
        "quality": _column(axis.spread_flags(best).astype(float), 1.0) if best else None,
        "time": _column(axis.spread(best, best.seconds_after(data.t0_ns)), 0.01) if best else None,
        "sd_position": _position_sd(axis, best),
    }


def kilometre_pieces(places: Places) -> list[tuple[float, float, float]]:
    """Places.kilometre as straight pieces (s, km at s, km per metre), each up to the next; the first from afar."""
    if not places.posts:
        return [(0.0, 0.0, 1e-3)]
    stretches = [(a, b) for a, b in pairwise(places.posts) if b.s > a.s]  # between the posts of a jump is nothing
    between = [(a.s, a.km, (b.km - a.km) / (b.s - a.s)) for a, b in stretches]
    first, last = places.posts[0], places.posts[-1]
    return [(first.s, first.km, 1e-3), *between, (last.s, last.km, 1e-3)]


def _strip(strip: Strip) -> dict[str, Any]:
    resolution = 10.0 ** -(strip.decimals + 1)  # one digit finer than it is read
    return {
        "title": strip.title,
        "note": strip.note,
        "unit": strip.unit,
        "decimals": strip.decimals,
        "signed": strip.signed,
        "also": strip.also,
        "lines": [_line(line, resolution) for line in strip.lines],
    }


def _line(line: Line, resolution: float) -> dict[str, Any]:
    return {
        "label": line.label,
        "role": line.role.value,
        "values": _column(line.values, resolution),
        "sd": None if line.sd is None else _column(line.sd, resolution),
    }


def _column(values: Array, resolution: float) -> dict[str, Any]:
    return {"resolution": resolution, "packed": pack(values, resolution=resolution)}


def _position_sd(axis: Axis, best: GridTable | None) -> dict[str, Any] | None:
    if best is None or not np.isfinite(best.column("s_sd")).any():
        return None
    return _column(axis.spread(best, best.column("s_sd")), 0.01)


def _events(data: RunData) -> list[dict[str, Any]]:
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


def _number(value: float | None, form: str = ".1f", factor: float = 1.0) -> str:
    """A number for people: a true minus sign, a dash where nothing is known."""
    if value is None or not np.isfinite(value):
        return "–"
    return format(value * factor, form).replace("-", "−")


def _page_file(name: str) -> str:
    return resources.files("twin.report").joinpath("page", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """What the page's policy names: this very text may run, nothing else."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
