"""Creepages, and the creep forces of Kalker's linear theory with the cubic saturation [Ign eqs 16-21].

All laws of tangential contact share one signature: a Creepage and a Patch give a CreepForce, which acts on the wheel.
Axes of the patch: x along the rolling direction, y to the left in the tangent plane, z the rail's outward normal. The
laws hold for a wheel that rolls towards +x; for one that rolls backwards turn the patch about z by half a turn.

    F_x = -f11 xi,   F_y = -f22 eta - f23 phi,   M_z = f23 eta - f33 phi

A patch without force, friction or size gives zero forces.
"""

from typing import NamedTuple

import numpy as np
from pydantic import Field

from twin.contact.hertz import Ellipse
from twin.contact.kalker import Kalker, kalker_coefficients
from twin.core.settings import Settings
from twin.numerics.compiled import compiled

Vector = tuple[float, float, float]
"""x, y, z."""


class Friction(Settings):
    """How wheel and rail grip."""

    mu: float = Field(0.3, ge=0.0, le=1.0, description="coefficient of friction [-], 0..1; 0.3 for dry rails")
    v_floor: float = Field(
        0.5,
        gt=0.0,
        le=5.0,
        description="least reference speed of creepages [m/s], above 0 to 5: below it they fade with the sliding speed "
        "instead of growing without bound, and the contact acts as a damper",
    )


class Creepage(NamedTuple):
    """Sliding of the wheel on the rail as a share of the speed."""

    xi: float
    """Longitudinal [-]."""
    eta: float
    """Lateral [-]."""
    phi: float
    """Spin [1/m]."""


class CreepForce(NamedTuple):
    """What the rail does to the wheel in the plane of the patch."""

    F_x: float
    """[N]"""
    F_y: float
    """[N]"""
    M_z: float
    """[N m]"""


class Patch(NamedTuple):
    """All that a law of tangential contact asks of one patch."""

    a: float
    """Semi-axis along the rolling direction [m]."""
    b: float
    """Lateral semi-axis [m]."""
    N: float
    """Normal force [N]."""
    mu: float
    """Coefficient of friction [-]."""
    G: float
    """Shear modulus [Pa]."""
    C11: float
    C22: float
    C23: float
    C33: float


@compiled
def rolling_patch(ellipse: Ellipse, mu: float, G: float, table: Kalker) -> Patch:
    """A Hertzian patch with its Kalker coefficients; those of a circle where there is no contact."""
    touching = ellipse.a > 0.0 and ellipse.b > 0.0
    C11, C22, C23, C33 = kalker_coefficients(table, ellipse.a / ellipse.b if touching else 1.0)
    return Patch(ellipse.a, ellipse.b, ellipse.N, mu, G, C11, C22, C23, C33)


@compiled
def grips(patch: Patch) -> bool:
    """Whether the patch can carry any tangential force."""
    return patch.N > 0.0 and patch.mu > 0.0 and patch.a > 0.0 and patch.b > 0.0


@compiled
def creepage(v: Vector, omega: Vector, t: Vector, n: Vector, speed: float, v_floor: float) -> Creepage:
    """Creepages of a contact [Ign eq. 16], all vectors in track axes.

    v: velocity of the wheel's material point at the contact [m/s]; omega: angular velocity of the wheelset [rad/s];
    t, n: lateral tangent and outward normal of the rail, unit; speed: of the wheelset's centre [m/s], at least v_floor
    is used, so that at standstill the creepages are the sliding velocities over v_floor.
    """
    reference = 1.0 / max(abs(speed), v_floor)
    lateral = v[0] * t[0] + v[1] * t[1] + v[2] * t[2]
    spin = omega[0] * n[0] + omega[1] * n[1] + omega[2] * n[2]
    return Creepage(v[0] * reference, lateral * reference, spin * reference)


@compiled
def linear_force(creepage: Creepage, patch: Patch) -> CreepForce:
    """Kalker's linear theory [Ign eqs 17-18]: no slip anywhere, no limit."""
    if not grips(patch):
        return CreepForce(0.0, 0.0, 0.0)
    area = patch.a * patch.b
    f11, f22 = area * patch.G * patch.C11, area * patch.G * patch.C22
    f23, f33 = area * np.sqrt(area) * patch.G * patch.C23, area * area * patch.G * patch.C33
    xi, eta, phi = creepage
    return CreepForce(-f11 * xi, -f22 * eta - f23 * phi, f23 * eta - f33 * phi)


@compiled
def saturated_force(creepage: Creepage, patch: Patch) -> CreepForce:
    """Linear theory, bent so that the force ends at mu N [Ign eqs 19-21]; M_z stays linear, as the paper has it.

    Good without spin. With the spin of a flange it is unusable: the force it saturates is mostly spin's.
    """
    linear = linear_force(creepage, patch)
    force = np.hypot(linear.F_x, linear.F_y)
    if not force > 0.0:
        return linear
    limit = patch.mu * patch.N
    tau = force / limit
    share = 1.0 - tau / 3.0 + tau * tau / 27.0 if tau <= 3.0 else 1.0 / tau
    return CreepForce(linear.F_x * share, linear.F_y * share, linear.M_z)
