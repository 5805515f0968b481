"""Polach's creep force: one closed formula, with spin, in place of a grid.

O. Polach, A fast wheel-rail forces calculation computer code, Vehicle System Dynamics 33 (1999), 728-739. The stress
of the linear theory grows along the patch until it meets the friction bound, which gives for a creepage s

    F = (2 mu N / pi) (e / (1 + e^2) + arctan e),   e = pi G a b C s / (4 mu N)

(small s: Kalker's linear force; large s: mu N). Spin enters in two places: it lengthens the lateral creepage that
uses up the friction, and adds a lateral force of its own, which starts as Kalker's f23 phi and fades as the patch
slides. Over 60 cases of CONTACT the error is 0.053 of mu N on average and 0.38 at most (longitudinal creepage with
much spin on a short patch). The method says nothing about the spin moment: M_z is zero. Transcriptions of the paper
differ in when spin counts in the creepage; here it does where it lengthens it, the form with both limits right.
"""

import numpy as np

from twin.contact.creep import Creepage, CreepForce, Patch, grips
from twin.numerics.compiled import compiled


@compiled
def polach_force(creepage: Creepage, patch: Patch) -> CreepForce:
    """Creep force on the wheel; zero where nothing slides or presses."""
    xi, eta, phi = creepage
    with_spin = eta + phi * patch.a
    eta_c = with_spin if abs(with_spin) > abs(eta) else eta
    sliding = np.hypot(xi, eta_c)
    if not (grips(patch) and sliding > 0.0):
        return CreepForce(0.0, 0.0, 0.0)
    limit = patch.mu * patch.N
    plain = np.hypot(xi, eta)
    C = np.hypot(patch.C11 * xi, patch.C22 * eta) / plain if plain > 0.0 else 0.0
    e = 0.25 * np.pi * patch.G * patch.a * patch.b * C * sliding / limit
    force = 2.0 / np.pi * limit * (e / (1.0 + e * e) + np.arctan(e))
    return CreepForce(-force * xi / sliding, -(force * eta + _spin_force(patch, abs(eta_c)) * phi) / sliding, 0.0)


@compiled
def _spin_force(patch: Patch, eta_c: float) -> float:
    """Lateral force of the spin times sliding over spin [N m]: f23 eta_c while all adheres."""
    limit = patch.mu * patch.N
    shape = 1.0 + 6.3 * (1.0 - np.exp(-patch.a / patch.b))
    e = 8.0 / 3.0 * patch.b * np.sqrt(patch.a * patch.b) * patch.G * patch.C23 * eta_c / (limit * shape)
    d = (e * e - 1.0) / (e * e + 1.0)
    K = e * (0.5 * d * d - d * d * d / 3.0 - 1.0 / 6.0) + (1.0 - d * d) ** 1.5 / 3.0
    force: float = 9.0 / 16.0 * patch.a * limit * shape * K
    return force
