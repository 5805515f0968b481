"""The fit of a head to points in plain numpy: distances by the model as it is written, derivatives by differences."""

import numpy as np

from twin.core.arrays import Array
from twin.geometry.laser.fitting import TOP, TUKEY, UNKNOWNS, Task
from twin.geometry.laser.section import FIRST, LAST, NODES
from twin.geometry.laser.wear_model import SPACING, SPLINES

STEP = 1e-7
"""Of the central differences [m or rad]."""


def spline(t: Array) -> Array:
    """The cubic B-spline of unit spacing around 0."""
    t = np.abs(t)
    return np.where(t < 1, (4 - 6 * t**2 + 3 * t**3) / 6, np.where(t < 2, (2 - t) ** 3 / 6, 0.0))


def in_rail(points: Array, x: Array) -> Array:
    """Points (n, 2) of the sensor in the axes of the rail."""
    c, s = np.cos(x[2]), np.sin(x[2])
    return np.asarray((points - x[:2]) @ np.array([[c, -s], [s, c]]))


def distances(task: Task, x: Array) -> Array:
    """(n,) distance of the points from the worn head [m], to first order in it; NaN in directions without section."""
    head = task.head
    p = in_rail(task.points[:, :2], x)
    angle = np.arctan2(head.y - p[:, 0], p[:, 1] - head.z)
    fade = np.clip((angle - head.fade_start) / (head.fade_end - head.fade_start), 0.0, 1.0)
    d = p - np.array([head.y, head.z]) + np.column_stack([np.zeros(len(p)), x[TOP] * (1 + np.cos(np.pi * fade)) / 2])
    angle, radius = np.arctan2(-d[:, 0], d[:, 1]), np.hypot(d[:, 0], d[:, 1])
    nodes = np.linspace(FIRST, LAST, NODES)
    t = (angle[:, None] - FIRST) / SPACING - (np.arange(SPLINES) - 1)
    wear = spline(t) @ x[TOP + 1 :]
    bend = (spline(t + STEP) - spline(t - STEP)) / (2 * STEP * SPACING) @ x[TOP + 1 :]
    slope = np.interp(angle, nodes, head.table[:, 1]) - bend
    e = (radius - np.interp(angle, nodes, head.table[:, 0]) + wear) / np.sqrt(1 + (slope / radius) ** 2)
    return np.where((angle >= FIRST) & (angle < LAST), e, np.nan)


def cost(task: Task, x: Array, least: float) -> float:
    """What the fit makes small: what is known of roll and wear, and Tukey's price of every distance."""
    e, errors, wear = distances(task, x), task.errors, x[TOP:]
    known = wear @ task.prior.information @ wear / 2 - task.prior.pull @ wear + (x[2] / errors.sd_roll) ** 2 / 2
    scale = np.maximum(sd_across(task, x), least)
    u2 = np.minimum(np.nan_to_num(e / (TUKEY * scale), nan=1.0) ** 2, 1.0)
    return float(known + np.sum(TUKEY**2 / 6 * (1 - (1 - u2) ** 3)) / errors.shared)


def sd_across(task: Task, x: Array) -> Array:
    """(n,) sd of the points across the surface [m]."""
    normal = derivatives(task, x)[:, :2]
    return np.asarray(np.hypot(np.sum(normal * task.points[:, 2:], axis=1), task.errors.sd_point))


def derivatives(task: Task, x: Array) -> Array:
    """(n, UNKNOWNS) of the distances, by central differences."""
    steps = STEP * np.eye(UNKNOWNS)
    return np.column_stack([(distances(task, x + h) - distances(task, x - h)) / (2 * STEP) for h in steps])


def concluded(H_lower: Array, excess: Array, out: Array) -> tuple[Array, Array]:
    """Whole information and covariance of the image alone, as fitting.conclude has them."""
    H = np.tril(H_lower) + np.tril(H_lower, -1).T
    alone = H.copy()
    alone[TOP:, TOP:] -= excess
    rail = out[:, 2] > 0
    square = np.mean((out[rail, 0] / out[rail, 1]) ** 2)
    return H, np.asarray(np.linalg.inv(alone)) * max(1.0, float(square))
