"""The forces of a moving wheel in plain numpy: vectors in track axes, for either side as it is, without a mirror."""

from typing import NamedTuple

import numpy as np

from twin.contact.creep import Creepage, Friction, Patch
from twin.contact.hertz import CURVATURE_FLOOR, Material
from twin.contact.plain import creep, fastsim, hertz, kalker
from twin.contact.points import Pose
from twin.contact.wheel_forces import Motion
from twin.contact.zones import ContactZones
from twin.core.arrays import Array


class Law(NamedTuple):
    """Surfaces, and cells of a patch along and across."""

    material: Material
    friction: Friction
    n_x: int = 20
    n_y: int = 20


class PatchForces(NamedTuple):
    """One zone: the patch, its creepages and force, and force and moment (3,) on the wheelset."""

    a: float
    b: float
    N: float
    creepage: Array
    tangential: Array
    F: Array
    M: Array


def wheel_wrench(zones: ContactZones, pose: Pose, motion: Motion, law: Law) -> Array:
    """Force [N] and moment about the axle's centre [N m] (6,) of all zones of one wheel."""
    forces = [patch_forces(zones, k, pose, motion, law) for k in range(zones.count)]
    return np.sum([[*each.F, *each.M] for each in forces], axis=0) if forces else np.zeros(6)


def patch_forces(zones: ContactZones, k: int, pose: Pose, motion: Motion, law: Law) -> PatchForces:
    """Zone k."""
    angle = zones.contact_angle[k]
    n, t = np.array([0, -np.sin(angle), np.cos(angle)]), np.array([0, np.cos(angle), np.sin(angle)])
    p = np.array([zones.x[k], zones.y[k], zones.z[k]]) - zones.depth[k] * n - (0, pose.G_y, pose.G_z)
    velocity, omega = np.array(motion[:3]), np.array(motion[3:])
    v = velocity + np.cross(omega, p)
    creepage = creep.creepage(
        v=v, omega=omega, t=t, n=n, speed=np.sqrt(velocity @ velocity), v_floor=law.friction.v_floor
    )
    A, B = (max(float(each), CURVATURE_FLOOR) for each in (zones.A[k], zones.B[k]))
    a, b, _ = hertz.ellipse_under_force(A=A, B=B, N=zones.N[k], E_star=law.material.E_star)
    N = zones.N[k] + zones.N[k] / np.sum(zones.N) * law.material.k_v * max(-float(v @ n), 0.0)
    rolling = float(np.clip(motion.v_x / law.friction.v_floor, -1, 1))
    tangential = rolling_force(creepage, a=a, b=b, N=N, rolling=rolling, law=law)
    F = N * n + (tangential[0], 0, 0) + tangential[1] * t
    return PatchForces(a, b, N, creepage, tangential, F, np.cross(p, F) + tangential[2] * n)


def rolling_force(creepage: Array, *, a: float, b: float, N: float, rolling: float, law: Law) -> Array:
    """F_x, F_y [N] and M_z [N m] (3,): of a patch as it is and of one turned by half a turn, each with its share."""
    C = kalker.coefficients(a_over_b=a / b, nu=law.material.nu)
    patch = Patch(a, b, N, law.friction.mu, law.material.G, *map(float, C))
    half_turn = np.array([-1.0, -1.0, 1.0])
    ahead, back = (
        np.array(fastsim.force(Creepage(*(creepage * turn)), patch, n_x=law.n_x, n_y=law.n_y))
        for turn in (np.ones(3), half_turn)
    )
    return np.asarray((1 + rolling) / 2 * ahead + (1 - rolling) / 2 * half_turn * back)
