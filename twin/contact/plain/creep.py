"""Creepages and saturated linear creep forces in plain numpy; every argument may be an array."""

import numpy as np

from twin.contact.creep import Creepage, Patch
from twin.core.arrays import Array


def creepage(*, v: Array, omega: Array, t: Array, n: Array, speed: Array, v_floor: float) -> Array:
    """xi, eta [-] and phi [1/m] (..., 3) from vectors (..., 3) in track axes and speeds (...) [Ign eq. 16]."""
    sliding = np.stack([v[..., 0], np.sum(v * t, axis=-1), np.sum(omega * n, axis=-1)], axis=-1)
    return np.asarray(sliding / np.maximum(np.abs(speed), v_floor)[..., None])


def linear_force(creepage: Creepage, patch: Patch) -> tuple[Array, Array, Array]:
    """F_x, F_y [N] and M_z [N m] of the linear theory [Ign eqs 17-18]."""
    ab = patch.a * patch.b
    f11, f22 = ab * patch.G * patch.C11, ab * patch.G * patch.C22
    f23, f33 = ab**1.5 * patch.G * patch.C23, ab**2 * patch.G * patch.C33
    F_x = -f11 * creepage.xi
    F_y = -f22 * creepage.eta - f23 * creepage.phi
    M_z = f23 * creepage.eta - f33 * creepage.phi
    return np.asarray(F_x), np.asarray(F_y), np.asarray(M_z)


def saturated_force(creepage: Creepage, patch: Patch) -> tuple[Array, Array, Array]:
    """The same with forces bent towards mu N [Ign eqs 19-21]."""
    F_x, F_y, M_z = linear_force(creepage, patch)
    tau = np.hypot(F_x, F_y) / (patch.mu * patch.N)
    share = np.where(tau <= 3, 1 - tau / 3 + tau**2 / 27, 1 / np.maximum(tau, 3))
    return F_x * share, F_y * share, M_z
