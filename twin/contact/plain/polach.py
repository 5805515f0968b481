"""Polach's creep force in plain numpy, in the order of his paper; every argument may be an array."""

import numpy as np

from twin.contact.creep import Creepage, Patch
from twin.core.arrays import Array


def polach_force(creepage: Creepage, patch: Patch) -> tuple[Array, Array]:
    """F_x and F_y on the wheel [N] for N, mu > 0 and a creepage that is not zero."""
    xi, eta, phi = (np.asarray(value, dtype=float) for value in creepage)
    a, b, G, limit = patch.a, patch.b, patch.G, patch.mu * patch.N
    s_y = np.where(np.abs(eta + phi * a) > np.abs(eta), eta + phi * a, eta)
    s = np.hypot(xi, s_y)

    plain = np.hypot(xi, eta)
    C = np.hypot(patch.C11 * xi, patch.C22 * eta) / np.where(plain > 0, plain, 1.0)
    e = np.pi * G * a * b * C * s / (4 * limit)
    F = 2 * limit / np.pi * (e / (1 + e**2) + np.arctan(e))

    shape = 1 + 6.3 * (1 - np.exp(-a / b))
    e_S = 8 / 3 * b * np.sqrt(a * b) * G * patch.C23 * np.abs(s_y) / (limit * shape)
    d = (e_S**2 - 1) / (e_S**2 + 1)
    K_M = e_S * (d**3 / 3 - d**2 / 2 + 1 / 6) - (1 - d**2) ** 1.5 / 3
    F_spin = 9 / 16 * a * limit * K_M * shape * phi / s

    return np.asarray(-F * xi / s), np.asarray(-F * eta / s + F_spin)
