"""GRID, SIMPLEX and COMPASS in plain numpy and scipy; for a left wheel."""

from collections.abc import Callable

import numpy as np
from scipy.optimize import fmin

from twin.contact.curve import Curve
from twin.contact.direct_search import FIRST_SIZE, NODE_STEP, SMALLEST
from twin.contact.plain.points import FALOMI, Range, difference, profile, wheel_point
from twin.contact.points import Pose
from twin.core.arrays import Array


def grid_points(wheel: Curve, rail: Curve, pose: Pose, *, within: Range = FALOMI) -> Array:
    """x_w, y_w (n, 2) of the nodes that lie below all their eight neighbours."""
    w, b = profile(wheel), profile(rail)
    x_w = np.arange(-within.reach, within.reach + NODE_STEP / 2, NODE_STEP)
    y_w = np.arange(within.wheel[0], within.wheel[1] + NODE_STEP / 2, NODE_STEP)
    D = difference(w, b, pose, *np.meshgrid(x_w, y_w))
    low = np.ones(D[1:-1, 1:-1].shape, dtype=bool)
    for j in (-1, 0, 1):
        for i in (-1, 0, 1):
            if i or j:
                low &= D[1:-1, 1:-1] < D[1 + j : D.shape[0] - 1 + j, 1 + i : D.shape[1] - 1 + i]
    rows, columns = np.nonzero(low)
    nodes = np.column_stack([x_w[columns + 1], y_w[rows + 1]])
    y = wheel_point(w, pose, nodes[:, 0], nodes[:, 1])[1]
    return np.asarray(nodes[(within.rail[0] <= y) & (y <= within.rail[1])])


Height = Callable[[Array], float]
"""D over a place x_w, y_w (2,) [m]."""


def bounded(wheel: Curve, rail: Curve, pose: Pose, within: Range) -> Height:
    """D within the range, infinity beyond."""
    w, b = profile(wheel), profile(rail)

    def D(place: Array) -> float:
        inside = abs(place[0]) <= within.reach and within.wheel[0] <= place[1] <= within.wheel[1]
        return float(difference(w, b, pose, *place)) if inside else np.inf

    return D


def simplex_minimum(D: Height, start: float) -> Array:
    """x_w, y_w (2,) where Nelder and Mead's simplex ends that starts at (0, start)."""
    first = np.array([[0.0, start], [FIRST_SIZE, start], [0.0, start + FIRST_SIZE]])
    return np.asarray(fmin(D, first[0], xtol=SMALLEST, ftol=np.inf, initial_simplex=first, disp=False))


def compass_minimum(D: Height, start: float) -> Array:
    """x_w, y_w (2,) where a compass search ends that starts at (0, start)."""
    at, arm = np.array([0.0, start]), FIRST_SIZE
    while arm >= SMALLEST:
        around = [at + arm * np.array(way) for way in ((0, 1), (0, -1), (1, 0), (-1, 0))]
        lower = [place for place in around if D(place) < D(at)]
        if lower:
            at = lower[0]
        else:
            arm /= 2
    return at
