"""The report as one HTML file: opens offline, asks nothing of any network, keeps every spike."""

import base64
import hashlib
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from twin.core.places import Direction
from twin.geometry.quantities.limits import CLASSES
from twin.geometry.quantities.quantity import Severity
from twin.report.config import ReportConfig
from twin.report.data import RunData
from twin.report.health import judge_measurements, judge_sources, worst
from twin.report.judged import Judged
from twin.report.payload import Columns, event_rows, run_payload
from twin.report.spark import spark
from twin.report.tables import summary
from twin.report.track_tables import (
    ExceedanceRow,
    class_shares,
    combined_mean,
    counts,
    coverage,
    curve_rows,
    deviation_rows,
    exceedance_rows,
    wear_rows,
)

if TYPE_CHECKING:
    from twin.report.laid_over import LaidOver

_SCRIPTS = ("decode.js", "axis.js", "draw.js", "marks.js", "view.js", "list.js", "hands.js")
_HERE = "<!--columns-->"
"""Where the columns go into the page; what people type cannot hold it, as its brackets are escaped."""


def write_html(
    data: RunData,
    path: Path,
    config: ReportConfig | None = None,
    *,
    judged: Judged | None = None,
    earlier: "LaidOver | None" = None,
) -> None:
    """Write the report. The same run gives the same bytes.

    judged: track geometry, where the run has seen its rails; earlier: another run over them, drawn in grey.
    """
    write_page(path, run_parts(data, config or ReportConfig(), judged=judged, earlier=earlier))


def render(data: RunData, config: ReportConfig, judged: Judged | None = None) -> str:
    """The report as text."""
    return "".join(run_parts(data, config, judged=judged))


def run_parts(
    data: RunData, config: ReportConfig, *, judged: Judged | None = None, earlier: "LaidOver | None" = None
) -> Iterator[str]:
    """The report in pieces: its columns are most of it, and are never copied into one text."""
    columns, sources = Columns(), judge_sources(data.health, config)
    measurements = judge_measurements(data.health, config)
    rows = [] if judged is None else exceedance_rows(judged, earlier)
    context = run_context(data, config) | {
        "sources": sources,
        "measurements": measurements,
        "verdict": worst([*(source.verdict for source in sources), *(row.verdict for row in measurements)]),
        "limits": config,
        "events": event_rows(data),
        "track": None if judged is None else _track(judged, rows, earlier),
        "payload": run_payload(data, columns, judged=judged, earlier=earlier, exceedances=rows),
    }
    return page_parts("page.html", context, columns)


def run_context(data: RunData, config: ReportConfig) -> dict[str, Any]:
    """What the head of a page says of a run."""
    return {
        "label": data.label,
        "places": data.places,
        "arrow": "→ increasing km" if data.direction is Direction.INCREASING else "← decreasing km",
        "summary": summary(data, config),
    }


def page_parts(template: str, context: Mapping[str, Any], columns: Columns) -> Iterator[str]:
    """A page in pieces, its packed columns as data that no browser runs."""
    style = _page_file("page.css")
    script = "\n".join(_page_file(name) for name in _SCRIPTS)
    script = f'(() => {{\n"use strict";\n{script}\n}})();'
    environment = Environment(
        loader=PackageLoader("twin.report", "page"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    environment.filters["number"] = _number
    environment.filters["spark"] = spark
    text = environment.get_template(template).render(
        **context,
        policy=f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; base-uri 'none'",
        style=style,
        script=script,
    )
    head, _, tail = text.partition(_HERE)
    yield head
    for number, packed in enumerate(columns.texts):
        yield f'<script type="text/plain" id="column-{number}">{packed}</script>\n'
    yield tail


def write_page(path: Path, parts: Iterator[str]) -> None:
    """Write a page as it comes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(parts)


def _track(judged: Judged, rows: list[ExceedanceRow], earlier: "LaidOver | None") -> dict[str, Any]:
    """What the page says of the track in words and tables."""
    severities = [str(severity) for severity in reversed(Severity)]
    deviations = judged.deviations
    return {
        "kilometres": judged.geometry.kilometre[[0, -1]].tolist(),
        "exceedances": rows,
        "severities": severities,
        "totals": [sum(row.severity == severity for row in rows) for severity in severities],
        "counts": counts(rows),
        "kinds": list(dict.fromkeys(str(row.kind) for row in sorted(rows, key=lambda row: row.kind))),
        "coverage": coverage(judged),
        "combined": combined_mean(judged),
        "classes": class_shares(judged),
        "letters": CLASSES,
        "deviations": deviation_rows(judged),
        "deviation_names": [each.name for each in deviations.quantities],
        "block": deviations.block_length,
        "curves": curve_rows(judged),
        "wear": wear_rows(judged),
        "left_out": judged.left_out,
        "source": judged.source,
        "shipped": judged.shipped,
        "speeds": sorted({round(3.6 * float(speed)) for speed in np.unique(judged.line_speed)}),
        "earlier": _earlier(earlier),
        "apart": judged.rails.apart,
    }


def _earlier(earlier: "LaidOver | None") -> dict[str, Any] | None:
    if earlier is None:
        return None
    curve = earlier.curve
    known = curve.offset[curve.matched]
    return {
        "name": earlier.name,
        "date": earlier.date,
        "matched": float(np.mean(curve.matched)),
        "offset": float(np.median(known)) if known.size else float("nan"),
    }


def _number(value: float | None, form: str = ".1f", factor: float = 1.0) -> str:
    """A number for people: a true minus sign, a dash where nothing is known."""
    if value is None or not np.isfinite(value):
        return "–"
    text = format(value * factor, form)
    return (text.lstrip("-+") if float(text.replace(",", "")) == 0 else text).replace("-", "−")


def _page_file(name: str) -> str:
    return resources.files("twin.report").joinpath("page", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """What the page's policy names: this very text may run, nothing else."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
