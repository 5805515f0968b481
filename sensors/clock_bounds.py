"""What is possible for a device clock: a convex polygon of offset [ns] and drift [ns/s].

A request is received after it was sent and a response sent before it was received: each exchange cuts two
half-planes off, whatever the delays were. With exponential queueing delays, equal in both directions, the
likelihood is constant inside what remains: the polygon is the posterior and its centroid the best estimate.
With unequal ones the truth still lies inside.
"""

from collections.abc import Sequence
from dataclasses import dataclass

Vertex = tuple[float, float]
"""(offset [ns], drift [ns/s])"""
Polygon = Sequence[Vertex]
"""Convex, counter-clockwise; empty when nothing is possible."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean and covariance of the uniform distribution over a polygon."""

    offset: float
    """[ns]"""
    drift: float
    """[ns/s]"""
    var_offset: float
    cov: float
    var_drift: float

    def variance_after(self, seconds: float) -> float:
        """Variance of the offset that much later [ns^2]."""
        return self.var_offset + 2 * seconds * self.cov + seconds**2 * self.var_drift


def box(*, offset: float, drift: float) -> Polygon:
    """All within +- offset [ns] and +- drift [ns/s]."""
    return [(-offset, -drift), (offset, -drift), (offset, drift), (-offset, drift)]


def cut(polygon: Polygon, *, a: float, b: float, c: float) -> Polygon:
    """The part with a * offset + b * drift <= c (Sutherland and Hodgman, one edge)."""
    kept: list[Vertex] = []
    for i, end in enumerate(polygon):
        start = polygon[i - 1]
        over_start, over_end = a * start[0] + b * start[1] - c, a * end[0] + b * end[1] - c
        if (over_start > 0) != (over_end > 0):
            part = over_start / (over_start - over_end)
            kept.append((start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])))
        if over_end <= 0:
            kept.append(end)
    return kept


def later(polygon: Polygon, *, seconds: float, shift: float, wander: float) -> Polygon:
    """The same clock later: offsets move with their drift, and the drift itself by up to wander [ns/s].

    shift: what the reference has gained on the offsets meanwhile [ns].
    """
    moved = [(offset + drift * seconds - shift, drift) for offset, drift in polygon]
    least, most = min(moved), max(moved)
    first, last = moved.index(least), moved.index(most)
    count = len(moved)
    below = [moved[(first + i) % count] for i in range((last - first) % count + 1)]
    above = [moved[(last + i) % count] for i in range((first - last) % count + 1)]
    return [(o, d - wander) for o, d in below] + [(o, d + wander) for o, d in above]


def simplified(polygon: Polygon, *, most: int) -> Polygon:
    """At most so many vertices: those that enclose least with their neighbours go first."""
    vertices = list(polygon)
    while len(vertices) > most:
        sizes = [
            abs(_cross(vertices[i - 1], vertices[i], vertices[(i + 1) % len(vertices)])) for i in range(len(vertices))
        ]
        del vertices[sizes.index(min(sizes))]
    return vertices


def moments(polygon: Polygon) -> Moments | None:
    """Of the uniform distribution over the polygon; None when it encloses nothing."""
    if len(polygon) < 3:
        return None
    x0, y0 = polygon[0]
    area = sum_x = sum_y = sum_xx = sum_xy = sum_yy = 0.0
    for i in range(1, len(polygon) - 1):  # triangles (0, p, q), relative to the first vertex
        px, py = polygon[i][0] - x0, polygon[i][1] - y0
        qx, qy = polygon[i + 1][0] - x0, polygon[i + 1][1] - y0
        twice = px * qy - py * qx
        area += twice / 2
        sum_x += twice * (px + qx) / 6
        sum_y += twice * (py + qy) / 6
        sum_xx += twice * (px * px + px * qx + qx * qx) / 12
        sum_xy += twice * (2 * px * py + px * qy + qx * py + 2 * qx * qy) / 24
        sum_yy += twice * (py * py + py * qy + qy * qy) / 12
    if area <= 0:
        return None
    x, y = sum_x / area, sum_y / area
    return Moments(
        offset=x0 + x,
        drift=y0 + y,
        var_offset=max(sum_xx / area - x * x, 0.0),
        cov=sum_xy / area - x * y,
        var_drift=max(sum_yy / area - y * y, 0.0),
    )


def _cross(a: Vertex, b: Vertex, c: Vertex) -> float:
    """Twice the area of a triangle, positive when counter-clockwise."""
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
