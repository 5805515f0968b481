"""Look-up in tables of contact points and seatings, written for reading.

A cell is interpolated over those of its corners that agree with the nearest one; the weights of the others are shared
among them. Where all agree this is the usual linear interpolation.
"""

from itertools import product

import numpy as np

from twin.contact.seating_table import COLUMNS, HEIGHT, LEFT, RIGHT, ROLL, WHEEL_Y, SeatingTable, X
from twin.contact.tables import ContactTable
from twin.core.arrays import Array, IntArray


def cell(grid: Array, place: Array) -> tuple[list[IntArray], Array, IntArray]:
    """Corners of the cell a place lies in, their weights, and the nearest one. grid: see TableArrays."""
    at = (place - grid[:, 0]) * grid[:, 1]
    first = np.minimum(at.astype(int), grid[:, 2].astype(int) - 1)
    beyond = at - first
    corners, weights = [], []
    for offset in product((0, 1), repeat=place.size):
        corners.append(first + offset)
        weights.append(float(np.prod(np.where(offset, beyond, 1.0 - beyond))))
    return corners, np.array(weights), first + (beyond >= 0.5)


def points(table: ContactTable, *, yaw: float, roll: float, G_y: float) -> Array:
    """x, y on the rail (n, 2) [m] within the table's ranges."""
    arrays = table.arrays
    corners, weights, nearest = cell(arrays.grid, np.array([abs(yaw), roll, G_y + arrays.lever * roll]))
    count = arrays.counts[tuple(nearest)]
    near = arrays.points[tuple(nearest)][:count].astype(float)
    found, total = np.zeros((count, 2)), 0.0
    for corner, weight in zip(corners, weights, strict=True):
        here = arrays.points[tuple(corner)][:count]
        if arrays.counts[tuple(corner)] == count and np.all(np.abs(here[:, 1] - near[:, 1]) < arrays.jump):
            found, total = found + weight * here, total + weight
    return np.asarray(found / total * (np.sign(yaw) or 1.0, 1.0))


def seating(table: SeatingTable, *, y: float, yaw: float) -> Array:
    """The columns (COLUMNS,) within the table's reach and yaw."""
    arrays = table.arrays
    corners, weights, nearest = cell(arrays.grid, np.array([abs(yaw), y]))
    nodes = np.array([arrays.nodes[tuple(corner)] for corner in corners])
    found = np.empty(COLUMNS)
    found[[ROLL, HEIGHT]] = weights @ nodes[:, [ROLL, HEIGHT]]
    for wheel in (LEFT, RIGHT):
        place = wheel + WHEEL_Y
        like = np.abs(nodes[:, place] - arrays.nodes[tuple(nearest)][place]) < arrays.jump
        found[wheel : wheel + 5] = (weights * like) @ nodes[:, wheel : wheel + 5] / (weights @ like)
        found[wheel + X] *= np.sign(yaw) or 1.0
    return found
