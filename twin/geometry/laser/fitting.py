"""The fit of a head to measured points: place, roll and wear together, robust, by Gauss and Newton.

A point is turned into the axes of the rail, lifted by the vertical wear, and compared with the section's radius less
its wear in that direction. Weights are Tukey's; they begin wide and close, so that a start some millimetres off is
drawn in and what is no rail is left out.
"""

from math import atan2, cos, floor, hypot, sin, sqrt
from typing import NamedTuple

import numpy as np

from twin.core.arrays import Array
from twin.geometry.laser.section import FIRST, LAST, NODES
from twin.geometry.laser.wear_model import SPACING, SPLINES, WEARS
from twin.numerics.compiled import compiled

UNKNOWNS = 3 + WEARS
"""y, z and roll of the rail, lowering of its top, splines of its wear."""
PER_STEP = (NODES - 1) / (LAST - FIRST)
"""Nodes of the table per radian."""
TUKEY = 4.685
"""Residual over its scale that has no weight any more: 95 % efficient for normal errors."""
TOP = 3
"""Place of the lowering among the unknowns."""


class Head(NamedTuple):
    """The section for compiled code."""

    y: float
    """Of the point that angles are counted at [m]."""
    z: float
    table: Array
    """(NODES, 2) radius and its derivative."""
    fade_start: float
    """Angles between which the lowering fades [rad]."""
    fade_end: float


@compiled
def spline_weights(share: float, weights: Array, slopes: Array) -> None:
    """The four cubic B-splines at a share of their interval, and their derivatives by it."""
    rest = 1.0 - share
    weights[0] = rest * rest * rest / 6.0
    weights[1] = (3.0 * share * share * share - 6.0 * share * share + 4.0) / 6.0
    weights[2] = (3.0 * rest * rest * rest - 6.0 * rest * rest + 4.0) / 6.0
    weights[3] = share * share * share / 6.0
    slopes[0] = -rest * rest / 2.0
    slopes[1] = (3.0 * share * share - 4.0 * share) / 2.0
    slopes[2] = (-3.0 * rest * rest + 4.0 * rest) / 2.0
    slopes[3] = share * share / 2.0


@compiled
def lifted(angle: float, head: Head) -> float:
    """Share of the vertical wear at an angle: 1 on top, 0 below the fading."""
    if angle <= head.fade_start:
        return 1.0
    if angle >= head.fade_end:
        return 0.0
    return 0.5 + 0.5 * cos(np.pi * (angle - head.fade_start) / (head.fade_end - head.fade_start))


@compiled
def off_section(y: float, z: float, x: Array, head: Head, row: Array, work: Array) -> tuple[int, float, float]:
    """First spline, distance from the worn head (outside positive) [m] and angle [rad] of a point y, z.

    x (UNKNOWNS,); row (8,) is filled with the distance's derivatives by y, z, roll, lowering and the four splines,
    work (2, 4) is overwritten. The first spline is -1 for a point in a direction that the section does not have.
    """
    c, s = cos(x[2]), sin(x[2])
    p_y, p_z = c * (y - x[0]) + s * (z - x[1]), c * (z - x[1]) - s * (y - x[0])
    share = lifted(atan2(head.y - p_y, p_z - head.z), head)
    d_y, d_z = p_y - head.y, p_z - head.z + x[TOP] * share
    angle, radius = atan2(-d_y, d_z), hypot(d_y, d_z)
    at = (angle - FIRST) * PER_STEP
    if not 0.0 <= at < NODES - 1.0:
        return -1, 0.0, angle
    node = floor(at)
    f = at - node
    nominal = head.table[node, 0] + f * (head.table[node + 1, 0] - head.table[node, 0])
    slope = head.table[node, 1] + f * (head.table[node + 1, 1] - head.table[node, 1])
    at = (angle - FIRST) / SPACING
    first = min(floor(at), SPLINES - 4)
    spline_weights(at - first, work[0], work[1])
    for k in range(4):
        nominal -= work[0, k] * x[TOP + 1 + first + k]
        slope -= work[1, k] * x[TOP + 1 + first + k] / SPACING
    across = 1.0 / sqrt(1.0 + (slope / radius) ** 2)  # from along the ray to across the surface
    n_y, n_z = across * (d_y + slope * d_z / radius) / radius, across * (d_z - slope * d_y / radius) / radius
    row[0], row[1] = -c * n_y + s * n_z, -s * n_y - c * n_z
    row[2] = n_y * p_z - n_z * p_y
    row[3] = n_z * share
    for k in range(4):
        row[4 + k] = across * work[0, k]
    return first, across * (radius - nominal), angle


class Prior(NamedTuple):
    """What is known of the wear before the image, in information form: the mean is information^-1 pull."""

    pull: Array
    """(WEARS,) [1/m]"""
    information: Array
    """(WEARS, WEARS) [1/m^2]"""


class Errors(NamedTuple):
    """What is known of points and rail."""

    sd_point: float
    """sd that all points share [m]."""
    shared: float
    """Neighbouring points that share one error."""
    sd_roll: float
    """Of the rail's roll off its laying [rad]."""


class Task(NamedTuple):
    """What is to be fitted."""

    points: Array
    """(n, 4): y, z, and y, z of one sd of their own noise [m]."""
    head: Head
    prior: Prior
    errors: Errors


class Normal(NamedTuple):
    """Normal equations H step = g, and what the points have to do with them."""

    H: Array
    """(UNKNOWNS, UNKNOWNS), lower triangle."""
    g: Array
    """(UNKNOWNS,)"""
    out: Array
    """(n, 4): distance, its sd [m], weight, angle [rad]; the weight is -1 where the section has no such direction."""


def room(points: int) -> Normal:
    """For the normal equations of so many points."""
    return Normal(np.empty((UNKNOWNS, UNKNOWNS)), np.empty(UNKNOWNS), np.empty((points, 4)))


@compiled
def weighted(distance: float, scale: float) -> tuple[float, float]:
    """Tukey's weight of a distance and its cost, half the square of a small one over its scale."""
    u = min(abs(distance) / (TUKEY * scale), 1.0)
    rest = 1.0 - u * u
    return rest * rest, TUKEY * TUKEY / 6.0 * (1.0 - rest * rest * rest)


@compiled
def add_points(task: Task, x: Array, least: float, normal: Normal) -> float:
    """Add the points' information and pull to the normal equations; their cost. least: scale of the weights [m]."""
    points, errors = task.points, task.errors
    row, work, place = np.empty(8), np.empty((2, 4)), np.arange(8)
    cost = 0.0
    for i in range(points.shape[0]):
        first, e, angle = off_section(points[i, 0], points[i, 1], x, task.head, row, work)
        normal.out[i, 3] = angle
        if first < 0:
            normal.out[i, :3] = 0.0, 0.0, -1.0
            cost += weighted(1.0, 1e-9)[1] / errors.shared
            continue
        sd = hypot(points[i, 2] * row[0] + points[i, 3] * row[1], errors.sd_point)
        scale = max(sd, least)
        weight, price = weighted(e, scale)
        cost += price / errors.shared
        normal.out[i, :3] = e, sd, weight
        if weight == 0.0:
            continue
        place[4:] = TOP + 1 + first + np.arange(4)
        w = weight / (errors.shared * scale * scale)
        for a in range(8):
            normal.g[place[a]] -= w * row[a] * e
            for b in range(a + 1):
                normal.H[place[a], place[b]] += w * row[a] * row[b]
    return cost


@compiled
def set_up(task: Task, x: Array, least: float, normal: Normal) -> float:
    """Fill the normal equations with what is known and the points; the cost, up to what does not depend on x."""
    H, g, prior = normal.H, normal.g, task.prior
    H[:, :] = 0.0
    g[:] = 0.0
    H[2, 2] = 1.0 / (task.errors.sd_roll * task.errors.sd_roll)
    g[2] = -x[2] * H[2, 2]
    cost = -0.5 * g[2] * x[2]
    for i in range(WEARS):
        held = 0.0
        for j in range(WEARS):
            held += prior.information[i, j] * x[TOP + j]
            H[TOP + i, TOP + j] = prior.information[i, j]
        g[TOP + i] = prior.pull[i] - held
        cost += (0.5 * held - prior.pull[i]) * x[TOP + i]
    return float(cost + add_points(task, x, least, normal))


@compiled
def factor(H: Array, L: Array) -> bool:
    """Fill L (n, n) with the Cholesky factor of H; False where H is not positive definite. Lower triangles only."""
    n = H.shape[0]
    for i in range(n):
        for j in range(i + 1):
            total = H[i, j]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            if i == j:
                if not total > 0.0:
                    return False
                L[i, i] = sqrt(total)
            else:
                L[i, j] = total / L[j, j]
    return True


@compiled
def solve(H: Array, g: Array, L: Array, step: Array) -> bool:
    """step = H^-1 g by Cholesky, of which L (n, n) keeps the factor; False where H is not positive definite.

    Only the lower triangle of H is read.
    """
    n = g.size
    if not factor(H, L):
        return False
    for i in range(n):
        total = g[i]
        for k in range(i):
            total -= L[i, k] * step[k]
        step[i] = total / L[i, i]
    for i in range(n - 1, -1, -1):
        total = step[i]
        for k in range(i + 1, n):
            total -= L[k, i] * step[k]
        step[i] = total / L[i, i]
    return True


@compiled
def rms_of(out: Array) -> float:
    """Of the residuals over their noise of what is rail; out (n, 4) as in Normal. Infinite where nothing is rail."""
    total, count = 0.0, 0
    for i in range(out.shape[0]):
        if out[i, 2] > 0.0:
            total += (out[i, 0] / out[i, 1]) ** 2
            count += 1
    return sqrt(total / count) if count else np.inf


@compiled
def conclude(normal: Normal, excess: Array, H: Array, P: Array) -> bool:
    """Fill H with the whole information, P with the covariance of the image alone; False where there is none.

    excess (WEARS, WEARS): what the image knows of the wear from before, less what is known of any head. The covariance
    is times the mean square of the residuals where that exceeds 1.
    """
    n = UNKNOWNS
    alone, L, inverse = np.empty((n, n)), np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            H[i, j] = H[j, i] = alone[i, j] = normal.H[i, j]
            if j >= TOP:
                alone[i, j] -= excess[i - TOP, j - TOP]
    if not factor(alone, L):
        return False
    for i in range(n):
        inverse[i, i] = 1.0 / L[i, i]
        for k in range(i):
            for j in range(k + 1):
                inverse[i, j] -= L[i, k] * inverse[k, j]
        for j in range(i):
            inverse[i, j] /= L[i, i]
    P[:, :] = 0.0
    for k in range(n):
        for i in range(k + 1):
            for j in range(i + 1):
                P[i, j] += inverse[k, i] * inverse[k, j]
    growth = max(1.0, rms_of(normal.out)) ** 2
    for i in range(n):
        for j in range(i + 1):
            P[i, j] *= growth
            P[j, i] = P[i, j]
    return True


@compiled
def fit(task: Task, x: Array, scales: Array, normal: Normal) -> float:
    """Improve x (UNKNOWNS,) and return the cost; NaN where it fails. The normal equations are left as they are there.

    scales (m, 3): least scales of the weights, one after the other [m], the most steps at each, and the step at which
    each is done [m].
    """
    step, L = np.empty(UNKNOWNS), np.zeros((UNKNOWNS, UNKNOWNS))
    for stage in range(scales.shape[0]):
        least, most, settled = scales[stage]
        for _ in range(int(most)):
            set_up(task, x, least, normal)
            if not solve(normal.H, normal.g, L, step):
                return np.nan
            x += step
            # 40 mm from the axis a roll moves the surface by so much
            if abs(step[0]) + abs(step[1]) + 0.04 * abs(step[2]) < settled:
                break
    return set_up(task, x, scales[-1, 0], normal)
