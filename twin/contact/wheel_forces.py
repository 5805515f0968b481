"""One moving wheel on its rail: zones of contact, normal forces, creepages and creep forces, in one compiled call.

This is the full contact model as a vehicle's step uses it: zones of penetration (zones.py) with their normal forces and
damping, and on the ellipse of each zone Kalker's coefficients and FASTSIM. The normal force is continuous in the pose;
the creep force jumps where two zones become one, as one patch at its centre follows upon two.

A wheel that lifts off or lies beyond its rail exerts nothing; one that stands still has the forces of the regularised
creepages; a pose or motion that is no number has none.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from twin.contact.creep import Creepage, CreepForce, Friction, Patch, creepage, rolling_patch
from twin.contact.fastsim import Strips, fastsim_force, strips, workspace
from twin.contact.hertz import Ellipse, Material, ellipse_under_force
from twin.contact.kalker import Kalker, kalker_table
from twin.contact.locus import Placement, attitude
from twin.contact.pair import Pair
from twin.contact.points import CAPACITY, ContactPoints, Pose, Side
from twin.contact.pressed import minima
from twin.contact.zones import (
    ACROSS,
    ALONG,
    ANGLE,
    DEPTH,
    FORCE,
    ZONE_FIELDS,
    ContactZones,
    Scan,
    X,
    Y,
    Z,
    contact_zones,
    scan_gap,
    scan_room,
    zones,
)
from twin.core.arrays import Array, frozen
from twin.numerics.compiled import compiled

A, B, N, APPROACH, XI, ETA, PHI, F_X, F_Y, M_Z, CONFORMAL = range(11)
PATCH_FIELDS = 11
"""Length of a patch's row: semi-axes [m], force with damping [N], depth [m], creepages, creep forces on the wheel, a
flag."""


class ContactLaw(NamedTuple):
    """What the surfaces are and how finely a patch is cut, ready for compiled code."""

    E_star: float
    k_v: float
    G: float
    mu: float
    v_floor: float
    kalker: Kalker
    grid: Strips


def contact_law(material: Material, friction: Friction, *, n_x: int = 20, n_y: int = 20) -> ContactLaw:
    """The law of a material and a friction, with patches of n_y strips of n_x cells."""
    return ContactLaw(
        material.E_star,
        material.k_v,
        material.G,
        friction.mu,
        friction.v_floor,
        kalker_table(nu=material.nu),
        strips(n_x=n_x, n_y=n_y),
    )


class Motion(NamedTuple):
    """How the wheelset moves, in track axes: velocity of its centre [m/s], angular velocity with its rolling [rad/s].

    A wheelset of radius r that rolls forward without creep turns by v_x / r about its axle, l = R2 (0, 1, 0).
    """

    v_x: float
    v_y: float
    v_z: float
    omega_x: float
    omega_y: float
    omega_z: float

    def mirrored(self) -> "Motion":
        """The motion seen from the other side of the track."""
        return Motion(self.v_x, -self.v_y, self.v_z, -self.omega_x, self.omega_y, -self.omega_z)


def straight_rolling(pose: Pose, *, speed: float, radius: float) -> Motion:
    """Motion straight along the track at a speed [m/s], turning about the axle as a wheel of a radius [m] would."""
    omega = speed / radius
    return Motion(
        speed,
        0.0,
        0.0,
        float(-omega * np.sin(pose.yaw) * np.cos(pose.roll)),
        float(omega * np.cos(pose.yaw) * np.cos(pose.roll)),
        float(omega * np.sin(pose.roll)),
    )


class Wrench(NamedTuple):
    """Force on the wheelset [N] and its moment about the axle's centre [N m], in track axes."""

    F_x: float
    F_y: float
    F_z: float
    M_x: float
    M_y: float
    M_z: float

    def mirrored(self) -> "Wrench":
        """The wrench seen from the other side of the track."""
        return Wrench(self.F_x, -self.F_y, self.F_z, -self.M_x, self.M_y, -self.M_z)


@dataclass(frozen=True)
class WheelForces:
    """All of one wheel's contact: minima of the gap, n zones that carry, their patches, and the sum on the wheelset.

    Patch axes: x forward, y to the left in the tangent plane, z the direction of the zone's normal force.
    """

    points: ContactPoints
    zones: ContactZones
    patches: Array
    """A row for each zone (n, PATCH_FIELDS)."""
    wrench: Wrench


class Buffers(NamedTuple):
    """What wheel_forces_kernel() fills, given by the caller so that it allocates nothing."""

    zones: Array
    """(capacity, ZONE_FIELDS)."""
    patches: Array
    """(capacity, PATCH_FIELDS)."""
    scan: Scan
    work: Array
    """FASTSIM's."""


def wheel_buffers(pair: Pair, law: ContactLaw, *, capacity: int = CAPACITY) -> Buffers:
    """Room for a wheel of that pair with so many zones; more exert nothing."""
    return Buffers(
        np.empty((capacity, ZONE_FIELDS)), np.empty((capacity, PATCH_FIELDS)), scan_room(pair), workspace(law.grid)
    )


@compiled
def rolling_force(creep: Creepage, patch: Patch, rolling: float, grid: Strips, work: Array) -> CreepForce:
    """FASTSIM's force on a wheel that rolls forward (rolling = 1), backward (-1) or, in between, hardly rolls.

    Backward the patch is turned about its normal by half a turn: xi, eta and the forces change sign, spin and its
    moment do not. Near standstill the two are blended, so that the force of spin, which depends on which edge leads,
    goes through zero instead of jumping.
    """
    F_x = F_y = M_z = 0.0
    if rolling > -1.0:
        ahead, share = fastsim_force(creep, patch, grid, work), 0.5 * (1.0 + rolling)
        F_x, F_y, M_z = share * ahead.F_x, share * ahead.F_y, share * ahead.M_z
    if rolling < 1.0:
        back = fastsim_force(Creepage(-creep.xi, -creep.eta, creep.phi), patch, grid, work)
        share = 0.5 * (1.0 - rolling)
        F_x, F_y, M_z = F_x - share * back.F_x, F_y - share * back.F_y, M_z + share * back.M_z
    return CreepForce(F_x, F_y, M_z)


@compiled
def _patch_forces(
    zone: Array, share: float, centre: Pose, motion: Motion, law: ContactLaw, work: Array, patch: Array
) -> Wrench:
    """Fill the patch of one zone, and its wrench on the wheelset; share: its part of the wheel's elastic force.

    The damping of [Ign eq. 15], k_v |v_n| while approaching, is that of the whole wheel, shared out: two zones that
    become one do not lose half of it.
    """
    cos, sin = np.cos(zone[ANGLE]), np.sin(zone[ANGLE])
    n, t = (0.0, -sin, cos), (0.0, cos, sin)
    # the point of the undeformed wheel, which is the one [Ign eq. 16] takes the velocity of
    p_x, p_y, p_z = zone[X], zone[Y] - zone[DEPTH] * n[1] - centre.G_y, zone[Z] - zone[DEPTH] * n[2] - centre.G_z
    v = (
        motion.v_x + motion.omega_y * p_z - motion.omega_z * p_y,
        motion.v_y + motion.omega_z * p_x - motion.omega_x * p_z,
        motion.v_z + motion.omega_x * p_y - motion.omega_y * p_x,
    )
    speed = np.sqrt(motion.v_x**2 + motion.v_y**2 + motion.v_z**2)
    creep = creepage(v, (motion.omega_x, motion.omega_y, motion.omega_z), t, n, speed, law.v_floor)
    elastic = ellipse_under_force(zone[ALONG], zone[ACROSS], zone[FORCE], law.E_star)
    force = zone[FORCE] + share * law.k_v * max(-(v[1] * n[1] + v[2] * n[2]), 0.0)
    pressed = Ellipse(elastic.a, elastic.b, force, zone[DEPTH], elastic.conformal)
    rolling = min(max(motion.v_x / law.v_floor, -1.0), 1.0)
    tangential = rolling_force(creep, rolling_patch(pressed, law.mu, law.G, law.kalker), rolling, law.grid, work)
    patch[A], patch[B], patch[N], patch[APPROACH] = pressed.a, pressed.b, force, pressed.approach
    patch[XI], patch[ETA], patch[PHI] = creep.xi, creep.eta, creep.phi
    patch[F_X], patch[F_Y], patch[M_Z] = tangential.F_x, tangential.F_y, tangential.M_z
    patch[CONFORMAL] = 1.0 if pressed.conformal else 0.0
    F_y, F_z = force * n[1] + tangential.F_y * t[1], force * n[2] + tangential.F_y * t[2]
    return Wrench(
        tangential.F_x,
        F_y,
        F_z,
        p_y * F_z - p_z * F_y,
        p_z * tangential.F_x - p_x * F_z + tangential.M_z * n[1],
        p_x * F_y - p_y * tangential.F_x + tangential.M_z * n[2],
    )


@compiled
def wheel_forces_kernel(
    pair: Pair, pose: Pose, motion: Motion, law: ContactLaw, buffers: Buffers
) -> tuple[int, Wrench]:
    """Number of zones of a left wheel and their wrench on the wheelset; buffers are filled as far as they reach."""
    moving = motion.v_x + motion.v_y + motion.v_z + motion.omega_x + motion.omega_y + motion.omega_z
    if not np.isfinite(moving + pose.G_y + pose.G_z + pose.yaw + pose.roll):
        return 0, Wrench(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    scan_gap(pair, Placement(attitude(pose.yaw, pose.roll), pose.G_y, pose.G_z), buffers.scan)
    return scanned_forces(pair, pose, 0.0, motion, law, buffers)


@compiled
def scanned_forces(
    pair: Pair, pose: Pose, lift: float, motion: Motion, law: ContactLaw, buffers: Buffers
) -> tuple[int, Wrench]:
    """The same of a wheel whose gap has been scanned at a pose, lifted off its rail since by a little [m]."""
    rows, patches = buffers.zones, buffers.patches
    lifted = Pose(pose.G_y, pose.G_z + lift, pose.yaw, pose.roll)
    place = Placement(attitude(pose.yaw, pose.roll), pose.G_y, pose.G_z)
    count = zones(pair, place, lift, law.E_star, buffers.scan, rows)
    written, total = min(count, rows.shape[0]), 0.0
    for k in range(written):
        total += rows[k, FORCE]
    F_x = F_y = F_z = M_x = M_y = M_z = 0.0
    for k in range(written):
        w = _patch_forces(rows[k], rows[k, FORCE] / total, lifted, motion, law, buffers.work, patches[k])
        F_x, F_y, F_z = F_x + w.F_x, F_y + w.F_y, F_z + w.F_z
        M_x, M_y, M_z = M_x + w.M_x, M_y + w.M_y, M_z + w.M_z
    return count, Wrench(F_x, F_y, F_z, M_x, M_y, M_z)


def wheel_forces(pair: Pair, pose: Pose, motion: Motion, law: ContactLaw, *, side: Side = Side.LEFT) -> WheelForces:
    """The contact of one wheel of a moving wheelset, left or right, in track axes."""
    held, moving = (pose, motion) if side is Side.LEFT else (pose.mirrored(), motion.mirrored())
    count, capacity = CAPACITY, 0
    while count > capacity:
        capacity = count
        buffers = wheel_buffers(pair, law, capacity=capacity)
        count, wrench = wheel_forces_kernel(pair, held, moving, law, buffers)
    patches = buffers.patches[:count].copy()
    if side is Side.RIGHT:
        patches[:, [ETA, PHI, F_Y, M_Z]] *= -1.0
        wrench = wrench.mirrored()
    found = contact_zones(buffers.zones[:count], side)
    return WheelForces(minima(pair, pose, side), found, frozen(patches), Wrench(*wrench))
