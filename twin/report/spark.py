"""A small line without axes: how a number went during the run."""

import numpy as np
from markupsafe import Markup

from twin.core.arrays import Array

WIDTH, HEIGHT = 120, 22
"""[px]"""
_BINS = 60
_MARGIN = 2.0
"""[px]"""


def spark(values: Array, low: float | None = None, high: float | None = None) -> Markup:
    """SVG of values over time, smallest and largest of every bin kept; a band marks where they should be."""
    values = values[np.isfinite(values)]
    if not values.size:
        return Markup("")
    edges = [edge for edge in (low, high) if edge is not None]
    bottom, top = min(float(values.min()), *edges, np.inf), max(float(values.max()), *edges, -np.inf)
    span = (top - bottom) or abs(top) or 1.0
    bottom, span = (bottom, span) if top > bottom else (bottom - span / 2, span)

    def y(value: float) -> float:
        return round(HEIGHT - _MARGIN - (value - bottom) / span * (HEIGHT - 2 * _MARGIN), 1)

    band = Markup("")
    if low is not None and high is not None:
        band = Markup('<rect x="0" y="{}" width="{}" height="{}"/>').format(y(high), WIDTH, round(y(low) - y(high), 1))
    bins = np.array_split(values, min(_BINS, values.size))
    points = []
    for i, part in enumerate(bins):
        x = round((i + 0.5) / len(bins) * WIDTH, 1)
        points += [f"{x},{y(float(part.min()))}", f"{x},{y(float(part.max()))}"]
    return Markup(
        '<svg class="spark" viewBox="0 0 {w} {h}" width="{w}" height="{h}" aria-hidden="true">{band}'
        '<polyline points="{points}"/></svg>'
    ).format(w=WIDTH, h=HEIGHT, band=band, points=" ".join(points))
