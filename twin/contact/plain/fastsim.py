"""FASTSIM in plain Python, cell after cell in metres and pascals, as [Ign eqs 22-26] and `twin.contact.fastsim` say."""

import numpy as np

from twin.contact.creep import Creepage, Patch
from twin.core.arrays import Array


def tractions(creepage: Creepage, patch: Patch, *, n_x: int, n_y: int) -> tuple[Array, Array]:
    """p_x and p_y on the wheel (n_y, n_x) [Pa], strips by rising y, cells from the leading edge."""
    a, b = patch.a, patch.b
    L1, L2 = 8 * a / (3 * patch.G * patch.C11), 8 * a / (3 * patch.G * patch.C22)
    L3 = np.pi * a * np.sqrt(a / b) / (4 * patch.G * patch.C23)
    p_x, p_y = np.zeros((n_y, n_x)), np.zeros((n_y, n_x))
    for j in range(n_y):
        y = b * ((2 * j + 1) / n_y - 1)
        edge = a * np.sqrt(1 - (y / b) ** 2)
        cell = 2 * edge / n_x
        p, x, before = np.zeros(2), edge, 0.0
        for i in range(n_x):
            x_new = edge - (i + 0.5) * cell
            middle = (x + x_new) / 2
            drift = -np.array(
                [creepage.xi / L1 - creepage.phi * y / L3, creepage.eta / L2 + creepage.phi * middle / L3]
            )
            drift *= x - x_new
            bound = cell_bound(patch, x=x_new, y=y, cell=cell)
            p = step(p, drift, bound=bound, before=before, between=cell_bound(patch, x=middle, y=y, cell=cell))
            p_x[j, i], p_y[j, i] = p
            x, before = x_new, bound
    return p_x, p_y


def cell_bound(patch: Patch, *, x: float, y: float, cell: float) -> float:
    """mu p_n [Pa] of Kalker's parabola, averaged over a cell of length cell about x [m]."""
    middle = 2 * patch.mu * patch.N / (np.pi * patch.a * patch.b)
    return float(middle * (1 - (x**2 + cell**2 / 12) / patch.a**2 - y**2 / patch.b**2))


def step(p: Array, drift: Array, *, bound: float, before: float, between: float) -> Array:
    """Traction (2,) after a drift (2,); bound where the step ends, where it began (0 at the edge) and between [Pa]."""
    trial = p + drift
    if np.hypot(*trial) <= bound:
        return trial
    if before > 0:
        along = float(drift @ p) / (between * before)
        trial = p + drift * (before / between) * (1 + max(along, -1.0) / 2)
    return np.asarray(bound * trial / np.hypot(*trial))


def force(creepage: Creepage, patch: Patch, *, n_x: int, n_y: int) -> tuple[float, float, float]:
    """F_x, F_y [N] and M_z [N m] on the wheel: tractions times cell areas, scaled so that sliding gives mu N."""
    p_x, p_y = tractions(creepage, patch, n_x=n_x, n_y=n_y)
    y = patch.b * ((2 * np.arange(n_y)[:, None] + 1) / n_y - 1)
    edge = patch.a * np.sqrt(1 - (y / patch.b) ** 2)
    x = edge * (1 - (2 * np.arange(n_x) + 1) / n_x)
    cell = 2 * edge / n_x
    area = cell * 2 * patch.b / n_y
    sliding = 2 * patch.N / (np.pi * patch.a * patch.b) * (1 - (x**2 + cell**2 / 12) / patch.a**2 - (y / patch.b) ** 2)
    area = area * patch.N / np.sum(sliding * area)
    return float(np.sum(p_x * area)), float(np.sum(p_y * area)), float(np.sum((x * p_y - y * p_x) * area))
