"""The measured head: its running surface, its gauge point and its wear, from a fit and the points it stands on.

The fitted head gives the shape; what the points near a place differ from it on average goes on top. So the answer is
that of the points, and the shape between them is that of a rail. Axes of a left rail's sensor, as the fit has them.
"""

from dataclasses import dataclass
from math import cos, sin, sqrt

import numpy as np

from twin.core.arrays import Array, BoolArray
from twin.geometry.laser.fitting import TOP, Head, lifted, off_section, spline_weights
from twin.geometry.laser.section import FIRST, LAST, NODES, HeadSection
from twin.geometry.laser.wear_model import SPACING, SPLINES
from twin.numerics.compiled import compiled

GAUGE_DEPTH = 14e-3
"""Depth below the running surface down to which the gauge is measured [m] (EN 13848-1)."""
STRIDE = 3
"""Nodes of the section's table from one point of the curve to the next: 0.25 mm."""


@dataclass(frozen=True)
class Wear:
    """What a head has lost against its section [m], with standard deviations."""

    vertical: float
    """On the rail's axis."""
    sd_vertical: float
    side: float
    """Across, 14 mm below the running surface as it is now."""
    sd_side: float
    corner: float
    """At 45 degrees at the gauge corner."""
    sd_corner: float


@compiled
def head_curve(x: Array, head: Head, curve: Array) -> None:
    """Fill curve (n, 2) with y, z of the fitted head in the axes of the rail, from the field side to the gauge side."""
    weights, slopes = np.empty(4), np.empty(4)
    for i in range(curve.shape[0]):
        node = i * STRIDE
        angle = FIRST + node * (LAST - FIRST) / (NODES - 1)
        at = (angle - FIRST) / SPACING
        first = min(int(at), SPLINES - 4)
        spline_weights(at - first, weights, slopes)
        radius = head.table[node, 0]
        for k in range(4):
            radius -= weights[k] * x[TOP + 1 + first + k]
        y, z = -radius * sin(angle), radius * cos(angle)
        share = lifted(angle, head)
        for _ in range(3):  # the share is that of the place before it was lifted
            share = lifted(np.arctan2(-y, z - x[TOP] * share), head)
        curve[i, 0], curve[i, 1] = head.y + y, head.z + z - x[TOP] * share


@compiled
def laid(curve: Array, y: float, z: float, turn: float) -> Array:
    """The curve (n, 2) turned by an angle [rad] and moved to y, z."""
    c, s = cos(turn), sin(turn)
    out = np.empty_like(curve)
    for i in range(curve.shape[0]):
        out[i, 0] = y + c * curve[i, 0] - s * curve[i, 1]
        out[i, 1] = z + s * curve[i, 0] + c * curve[i, 1]
    return out


@compiled
def highest(curve: Array) -> tuple[float, float]:
    """y and z of the highest point of a curve (n, 2), by the parabola through three points."""
    top = 1
    for i in range(1, curve.shape[0] - 1):
        if curve[i, 1] > curve[top, 1]:
            top = i
    before, after = curve[top - 1, 1] - curve[top, 1], curve[top + 1, 1] - curve[top, 1]
    bend = before + after
    share = 0.5 * (before - after) / bend if bend < 0.0 else 0.0
    share = min(max(share, -1.0), 1.0)
    y = curve[top, 0] + share * (curve[top + 1, 0] - curve[top - 1, 0]) / 2
    return y, curve[top, 1] + share * (after - before) / 2 + share * share * bend / 2


@compiled
def innermost(curve: Array, top_y: float, top_z: float) -> tuple[float, float]:
    """y and z of the gauge point: smallest y of a curve (n, 2) down to GAUGE_DEPTH below top_z; NaN if it ends above.

    The curve runs to smaller y after top_y.
    """
    lowest = top_z - GAUGE_DEPTH
    y, z = top_y, top_z
    for i in range(1, curve.shape[0]):
        if curve[i, 0] > top_y:
            continue
        if curve[i, 1] < lowest:
            share = (curve[i - 1, 1] - lowest) / (curve[i - 1, 1] - curve[i, 1])
            at = curve[i - 1, 0] + share * (curve[i, 0] - curve[i - 1, 0])
            return (at, lowest) if at < y else (y, z)
        if curve[i, 0] < y:
            y, z = curve[i, 0], curve[i, 1]
    return np.nan, np.nan


@compiled
def off_nearby(points: Array, out: Array, place: tuple[float, float, float], shared: float) -> tuple[float, float, int]:
    """Mean distance of the points from the fitted head near a place, its sd [m], and how many points there are.

    points and out as accumulate() has them; place: y, z and half the distance looked at [m]. Points count by their
    weights in the fit. NaN without any.
    """
    y, z, reach = place
    total = moment = 0.0
    count = 0
    for i in range(points.shape[0]):
        off_y, off_z = points[i, 0] - y, points[i, 1] - z
        if out[i, 2] > 0.0 and off_y * off_y + off_z * off_z < reach * reach:
            w = out[i, 2] / (out[i, 1] * out[i, 1])
            total += w
            moment += w * out[i, 0]
            count += 1
    if count == 0:
        return np.nan, np.nan, 0
    return moment / total, sqrt(shared / total), count


@compiled
def directions(out: Array, edges: Array, seen: BoolArray) -> None:
    """Mark in seen (bins,) between which edges (bins + 1,), evenly apart, there are points of the rail [rad]."""
    per = seen.size / (edges[-1] - edges[0])
    for i in range(out.shape[0]):
        at = (out[i, 3] - edges[0]) * per
        if out[i, 2] > 0.0 and 0.0 <= at < seen.size:
            seen[int(at)] = True


def wear_of(curve: Array, x: Array, P: Array, head: Head, section: HeadSection) -> Wear:
    """The wear of a fitted head by its curve (n, 2) in its own axes; P (unknowns, unknowns) its covariance."""
    lean = section.inclination
    _, top_z = highest(curve)
    below = top_z - GAUGE_DEPTH
    face = section.face
    side_y = float(np.interp(-below, -face[:, 1], face[:, 0]))
    half = sqrt(0.5)
    rays = np.array(
        [
            [*section.axis_top, sin(lean), -cos(lean)],
            [side_y, below, 1.0, 0.0],
            [*section.corner, half, -half],
        ]
    )
    found = np.empty((3, 2))
    along_rays(curve, rays, x, P, head, found)
    return Wear(*found.ravel().tolist())


@compiled
def along_rays(curve: Array, rays: Array, x: Array, P: Array, head: Head, found: Array) -> None:
    """Fill found (m, 2) with depth and its standard deviation along rays (m, 4): y, z, and direction [m]."""
    for i in range(rays.shape[0]):
        y, z, way_y, way_z = rays[i]
        depth = depth_along(curve, y, z, way_y, way_z)
        found[i, 0] = depth
        found[i, 1] = sd_along(y + depth * way_y, z + depth * way_z, way_y, way_z, x, P, head)


@compiled
def depth_along(curve: Array, y: float, z: float, way_y: float, way_z: float) -> float:
    """Way from y, z along a direction to a curve (n, 2): the crossing nearest to the point [m]; NaN without one."""
    nearest = np.nan
    before = way_y * (curve[0, 1] - z) - way_z * (curve[0, 0] - y)
    for i in range(1, curve.shape[0]):
        across = way_y * (curve[i, 1] - z) - way_z * (curve[i, 0] - y)
        if before * across <= 0.0:
            share = before / (before - across + 1e-300)
            a = way_y * (curve[i - 1, 0] - y) + way_z * (curve[i - 1, 1] - z)
            b = way_y * (curve[i, 0] - y) + way_z * (curve[i, 1] - z)
            met = a + share * (b - a)
            if not abs(nearest) <= abs(met):
                nearest = met
        before = across
    return nearest


@compiled
def sd_along(y: float, z: float, way_y: float, way_z: float, x: Array, P: Array, head: Head) -> float:
    """Standard deviation of the fitted surface against the section, along a direction at a point of the rail's axes."""
    if not (np.isfinite(y) and np.isfinite(z)):
        return np.nan
    row, work = np.empty(8), np.empty((2, 4))
    own = x.copy()
    own[:3] = 0.0
    first, _, _ = off_section(y, z, own, head, row, work)
    if first < 0:
        return np.nan
    at = np.empty(5, dtype=np.int64)
    at[0] = TOP
    at[1:] = TOP + 1 + first + np.arange(4)
    var = 0.0
    for i in range(5):
        for j in range(5):
            var += row[3 + i] * P[at[i], at[j]] * row[3 + j]
    return float(sqrt(var) / max(abs(row[0] * way_y + row[1] * way_z), 0.1))
