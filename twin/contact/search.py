"""The scan both semi-analytic methods share: every rising root of F(y_w) between the ends of the wheel's search range.

F is taken at the scan's places, where the wheel's radius and slope are tabulated; a change from below to above zero
brackets a root, which is then closed in on to rounding. Two roots within one step show as a dip of |F| without a change
of sign: there the dip itself is sought first.
"""

from typing import NamedTuple

import numpy as np

from twin.contact.curve import curve_at
from twin.contact.difference import difference_residual, fill_difference, scan_difference
from twin.contact.distance import distance_residual, fill_distance, scan_distance
from twin.contact.locus import Placement, attitude, shadow
from twin.contact.pair import Pair
from twin.core.arrays import Array, IntArray
from twin.numerics.compiled import compiled

DIFFERENCE, DISTANCE = 0, 1
"""Which residual: DIFF or DIST."""

TOLERANCE = 1e-13
"""Width of the bracket at which a root counts as found [m]: rounding at a metre."""

GOLDEN = 0.3819660112501051


class Problem(NamedTuple):
    """One wheel in one pose, by one method."""

    method: int
    place: Placement


@compiled
def residual(wheel: Array, rail: Array, problem: Problem, y_w: float) -> float:
    """F at any place of the wheel."""
    r, slope, _ = curve_at(wheel, y_w)
    if problem.method == DIFFERENCE:
        return difference_residual(rail, problem.place, y_w, r, slope)
    return distance_residual(rail, problem.place, y_w, r, slope)


@compiled
def close_in(wheel: Array, rail: Array, problem: Problem, a: float, F_a: float, b: float, F_b: float) -> float:
    """The root of F between a and b, where F changes sign (Chandrupatla 1997: inverse parabola or halving)."""
    x1, f1, x2, f2 = b, F_b, a, F_a
    t = 0.5
    for _ in range(80):
        x = x1 + t * (x2 - x1)
        f = residual(wheel, rail, problem, x)
        if (f > 0.0) == (f1 > 0.0):
            x3, f3 = x1, f1
        else:
            x3, f3, x2, f2 = x2, f2, x1, f1
        x1, f1 = x, f
        width = TOLERANCE / max(abs(x2 - x1), 1e-300)
        if f == 0.0 or width > 0.5:
            break
        xi, phi = (x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2)
        t = 0.5
        if phi * phi < xi and (1.0 - phi) ** 2 < 1.0 - xi:
            t = f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2)
        t = min(max(t, width), 1.0 - width)
    return x1 if abs(f1) <= abs(f2) else x2


@compiled
def seek_dip(wheel: Array, rail: Array, problem: Problem, low: float, high: float, sign: float) -> tuple[float, float]:
    """Where sign * F is smallest between low and high (golden section), stopping as soon as it is below zero."""
    x = low + GOLDEN * (high - low)
    y = high - GOLDEN * (high - low)
    F_x, F_y = residual(wheel, rail, problem, x), residual(wheel, rail, problem, y)
    for _ in range(40):
        if sign * F_x < 0.0 or high - low < 1e-9:
            return x, F_x
        if sign * F_y < 0.0:
            return y, F_y
        if sign * F_x < sign * F_y:
            high, y, F_y = y, x, F_x
            x = low + GOLDEN * (high - low)
            F_x = residual(wheel, rail, problem, x)
        else:
            low, x, F_x = x, y, F_y
            y = high - GOLDEN * (high - low)
            F_y = residual(wheel, rail, problem, y)
    return x, F_x


@compiled
def _keep(pair: Pair, problem: Problem, y_w: float, rows: Array, count: int) -> int:
    """Write the point at y_w into the next row, if it lies on the rail; count on when the rows are full."""
    row = rows[count] if count < rows.shape[0] else np.empty(rows.shape[1])
    if problem.method == DIFFERENCE:
        y = fill_difference(pair.wheel, pair.rail, problem.place, y_w, row)
    else:
        y = fill_distance(pair.wheel, pair.rail, problem.place, y_w, row)
    return count + 1 if pair.rail_from <= y <= pair.rail_to else count


@compiled
def _root_between(wheel: Array, rail: Array, problem: Problem, y_w: Array, i: int) -> tuple[float, bool]:
    """The root between places i - 1 and i of the scan, or one place further where its coarse F was off by a hair."""
    low, high = i - 1, i
    F_low, F_high = residual(wheel, rail, problem, y_w[low]), residual(wheel, rail, problem, y_w[high])
    if F_low >= 0.0 and low > 0:
        low -= 1
        F_low = residual(wheel, rail, problem, y_w[low])
    if F_high < 0.0 and high < y_w.size - 1:
        high += 1
        F_high = residual(wheel, rail, problem, y_w[high])
    if not F_low < 0.0 <= F_high:
        return 0.0, False
    return close_in(wheel, rail, problem, y_w[low], F_low, y_w[high], F_high), True


@compiled
def _dips(F2: float, F1: float, F: float) -> bool:
    """Whether three values of one sign may hide two roots: the middle one nearest zero, and near by its slopes."""
    if F1 > 0.0:
        return F2 >= F1 <= F and max(F2, F) > 2.0 * F1
    return F2 <= F1 >= F and min(F2, F) < 2.0 * F1


@compiled
def _hidden_root(
    wheel: Array, rail: Array, problem: Problem, low: float, F_low: float, high: float, F_high: float
) -> tuple[float, bool]:
    """The rising one of two roots hidden between low and high, if F does cross zero there."""
    sign = 1.0 if F_low > 0.0 else -1.0
    dip, F_dip = seek_dip(wheel, rail, problem, low, high, sign)
    if sign * F_dip >= 0.0:
        return 0.0, False
    if sign > 0.0:
        return close_in(wheel, rail, problem, dip, F_dip, high, F_high), True
    return close_in(wheel, rail, problem, low, F_low, dip, F_dip), True


@compiled
def _scan(pair: Pair, problem: Problem) -> Array:
    """F (n,) at the places of the scan; NaN where the locus does not exist."""
    shadows, F = np.empty((4, pair.y_w.size)), np.empty(pair.y_w.size)
    shadow(problem.place, pair.y_w, pair.r, pair.slope, shadows)
    if problem.method == DIFFERENCE:
        scan_difference(pair.rail, shadows, F)
    else:
        scan_distance(pair.rail, shadows, F)
    return F


@compiled
def search(pair: Pair, method: int, G_y: float, G_z: float, yaw: float, roll: float, rows: Array) -> int:
    """All contact points of a left wheel, written into rows (capacity, FIELDS) in order of y_w; returns how many.

    More points than rows are counted, not written. None is a result: a wheel beyond the rail, or a pose that is no
    number, has no point.
    """
    if not np.isfinite(G_y + G_z + yaw + roll):
        return 0
    problem = Problem(method, Placement(attitude(yaw, roll), G_y, G_z))
    wheel, rail, y_w = pair.wheel, pair.rail, pair.y_w
    F = _scan(pair, problem)
    count = 0
    for i in range(1, y_w.size):  # NaN compares false: no root is seen beside it
        if F[i - 1] < 0.0 <= F[i]:
            root, found = _root_between(wheel, rail, problem, y_w, i)
        elif i > 1 and F[i - 1] * F[i] > 0.0 and F[i - 1] * F[i - 2] > 0.0 and _dips(F[i - 2], F[i - 1], F[i]):
            root, found = _hidden_root(wheel, rail, problem, y_w[i - 2], F[i - 2], y_w[i], F[i])
        else:
            continue
        if found:
            count = _keep(pair, problem, root, rows, count)
    return count


@compiled
def search_batch(pair: Pair, method: int, poses: Array, rows: Array, counts: IntArray) -> None:
    """search() for every pose (n, 4: G_y, G_z, yaw, roll); rows (n, capacity, FIELDS), counts (n,)."""
    for k in range(poses.shape[0]):
        counts[k] = search(pair, method, poses[k, 0], poses[k, 1], poses[k, 2], poses[k, 3], rows[k])
