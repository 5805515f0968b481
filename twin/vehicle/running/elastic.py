"""Wheels on elastic contacts: every zone of penetration of every wheel, with Hertz, Kalker and FASTSIM.

The rails' irregularities move each rail as a whole and roll both by the cross level, so a wheel meets its rail at the
pose less that of the rail. The damping of the creep forces is taken without that roll, a few mrad. A wheel that rises
and rolls with its rails' plane rolls on it: damping and creepages see only how it moves against that plane. A rail that
bends aside carries no wheel with it: its material stands still. The force of rails that are not parallel to the track
pushes along it too, -(F_z z' + M_x roll' + N n_y y'), through the axle: rails do no work, and who rolls up pays for it.
A rail that gives way (flexible.py) sinks below its own wheel alone, and neither rolls nor moves the other one.
"""

from typing import NamedTuple

import numpy as np

from twin.contact.kalker import kalker_coefficients
from twin.contact.locus import Placement, attitude
from twin.contact.pair import Pair
from twin.contact.points import Pose
from twin.contact.wheel_forces import (
    ETA,
    F_X,
    F_Y,
    M_Z,
    PHI,
    XI,
    A,
    B,
    Buffers,
    ContactLaw,
    Motion,
    N,
    Wrench,
    scanned_forces,
    wheel_forces_kernel,
)
from twin.contact.zones import ANGLE, DEPTH, RADIUS, Y_W, X, Y, Z, scan_gap
from twin.core.arrays import Array
from twin.numerics.compiled import compiled
from twin.vehicle.running.flexible import Bed, find_deflection, gives_way, press_rail
from twin.vehicle.running.rails import Rails, in_plane, plane_at
from twin.vehicle.running.record import (
    WHEEL_ANGLE,
    WHEEL_DEFLECTION,
    WHEEL_OFFSET,
    WHEEL_POINTS,
    WHEEL_POWER,
    WHEEL_Q,
    WHEEL_RADIUS,
    WHEEL_X,
    WHEEL_Y,
)
from twin.vehicle.running.wheelset import (
    R_Y,
    R_Z,
    ROLL,
    YAW,
    Arm,
    S,
    add_creep_damping,
    plane_slopes,
    wheelset_motion,
)

LIFTED = 0.04
"""Height over its rest at which a wheelset has left the track [m]: more than a flange is high."""
ASIDE = 0.06
"""Shift against the rails at which no part of a wheel stands on the rail head [m]."""


class ElasticWheels(NamedTuple):
    """All wheels of a vehicle on their rails: left and right of the first wheelset, of the second, and so on."""

    pairs: tuple[Pair, ...]
    law: ContactLaw
    buffers: tuple[Buffers, ...]
    """Room for each of them."""
    radius: Array
    """(wheelsets,) height of the axle at rest [m]."""
    half: Array
    """(wheelsets,) half the distance of the rolling circles [m]."""
    bed: Bed
    """What the rails lie on."""


@compiled
def add_zones(
    q: Array, pose: Pose, side: float, law: ContactLaw, count: int, buffers: Buffers, C: Array, V: float
) -> None:
    """Add the damping of each zone's creep force to C; V: speed creepages refer to [m/s].

    A force that has left Kalker's line falls by the slope of the chord to it, not by the line's own.
    """
    for k in range(count):
        zone, patch = buffers.zones[k], buffers.patches[k]
        C11, C22, C23, _ = kalker_coefficients(law.kalker, patch[A] / patch[B])
        area = patch[A] * patch[B]
        f11, f22, f23 = law.G * area * C11, law.G * area * C22, law.G * area * np.sqrt(area) * C23
        linear = np.hypot(f11 * patch[XI], f22 * patch[ETA] + f23 * patch[PHI])
        grip = min(1.0, np.hypot(patch[F_X], patch[F_Y]) / linear) if linear > 0.0 else 1.0
        cos, sin = np.cos(zone[ANGLE]), np.sin(zone[ANGLE])
        arm = Arm(
            zone[X],
            side * (zone[Y] + zone[DEPTH] * sin - pose.G_y),
            zone[Z] - zone[DEPTH] * cos - pose.G_z,
            cos,
            side * sin,
        )
        add_creep_damping(C, q, arm, grip * f11 / V, grip * f22 / V)


@compiled
def write_wheel(row: Array, wrench: Wrench, count: int, buffers: Buffers, V: float) -> None:
    """What the wheel does, into its row of the record."""
    row[WHEEL_X], row[WHEEL_Y], row[WHEEL_Q] = wrench.F_x, wrench.F_y, wrench.F_z
    row[WHEEL_POINTS] = count
    row[WHEEL_OFFSET], row[WHEEL_RADIUS], row[WHEEL_ANGLE], row[WHEEL_POWER] = 0.0, 0.0, 0.0, 0.0
    total = 0.0
    for k in range(count):
        zone, patch = buffers.zones[k], buffers.patches[k]
        force = patch[N]
        total += force
        row[WHEEL_OFFSET] += force * zone[Y_W]
        row[WHEEL_RADIUS] += force * zone[RADIUS]
        row[WHEEL_ANGLE] = max(row[WHEEL_ANGLE], abs(zone[ANGLE]))
        row[WHEEL_POWER] -= V * (patch[F_X] * patch[XI] + patch[F_Y] * patch[ETA] + patch[M_Z] * patch[PHI])
    if total > 0.0:
        row[WHEEL_OFFSET] /= total
        row[WHEEL_RADIUS] /= total


@compiled
def _turned_back(force: Wrench, push: float, side: float, cos: float, sin: float) -> Wrench:
    """A wheel's wrench in left-hand form and axes of the rails' plane, in track axes; push [N] along is added."""
    F_y, M_x, M_z = side * force.F_y, side * force.M_x, side * force.M_z
    return Wrench(
        force.F_x + push,
        cos * F_y - sin * force.F_z,
        cos * force.F_z + sin * F_y,
        M_x,
        cos * force.M_y - sin * M_z,
        cos * M_z + sin * force.M_y,
    )


@compiled
def _freed(force: Wrench, pose: Pose, count: int, buffers: Buffers) -> Wrench:
    """The wrench without the moment of the normal forces about the axle, left-hand form.

    Normals of a wheel meet its axle. A zone's force is a sum over slopes that acts at one point, so it misses the axle
    by micrometres: some watts of a rolling vehicle, which no contact took.
    """
    cos, sin = np.cos(pose.yaw), np.sin(pose.yaw)
    l_x, l_y, l_z = -sin * np.cos(pose.roll), cos * np.cos(pose.roll), np.sin(pose.roll)
    moment = 0.0
    for k in range(count):
        zone = buffers.zones[k]
        n_y, n_z = -np.sin(zone[ANGLE]), np.cos(zone[ANGLE])
        x, y, z = zone[X], zone[Y] - zone[DEPTH] * n_y - pose.G_y, zone[Z] - zone[DEPTH] * n_z - pose.G_z
        moment += buffers.patches[k, N] * (l_x * (y * n_z - z * n_y) + x * (l_z * n_y - l_y * n_z))
    return Wrench(
        force.F_x,
        force.F_y,
        force.F_z,
        force.M_x - moment * l_x,
        force.M_y - moment * l_y,
        force.M_z - moment * l_z,
    )


@compiled
def _across(count: int, buffers: Buffers) -> float:
    """Lateral part of the normal forces [N], left-hand form."""
    total = 0.0
    for k in range(count):
        total -= buffers.patches[k, N] * np.sin(buffers.zones[k, ANGLE])
    return total


@compiled
def _wheel_on_bed(wheels: ElasticWheels, wheel: int, pose: Pose, motion: Motion) -> tuple[int, Wrench, float]:
    """Zones of a wheel, their wrench, and by how much its rail has given way [m], left-hand form."""
    bed, pair, law, buffers = wheels.bed, wheels.pairs[wheel], wheels.law, wheels.buffers[wheel]
    count, wrench = 0, Wrench(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if not gives_way(bed) or not np.isfinite(pose.G_y + pose.G_z + pose.yaw + pose.roll):
        count, wrench = wheel_forces_kernel(pair, pose, motion, law, buffers)
        return count, wrench, 0.0
    before = bed.before[wheel]
    near = Pose(pose.G_y, pose.G_z + before, pose.yaw, pose.roll)
    scan_gap(pair, Placement(attitude(pose.yaw, pose.roll), near.G_y, near.G_z), buffers.scan)
    sinking = -(motion.v_z + wheels.half[wheel // 2] * motion.omega_x)
    find_deflection(bed, wheel, pair, sinking, law, buffers.scan)
    w = bed.w[wheel]
    v_z = motion.v_z + (w - before) / bed.dt
    against = Motion(motion.v_x, motion.v_y, v_z, motion.omega_x, motion.omega_y, motion.omega_z)
    count, wrench = scanned_forces(pair, near, w - before, against, law, buffers)
    return count, wrench, w


@compiled
def elastic_wheelset(
    wheels: ElasticWheels,
    w: int,
    q: Array,
    v: Array,
    numbers: Array,
    rails: Rails,
    wrench: Array,
    C: Array,
    rows: Array,
) -> bool:
    """Forces of wheelset w on its rails into wrench (6,), their damping into C (6, 6), rows of its record (2, ...).

    Whether it is on the track still.
    """
    motion, law, half = wheelset_motion(q, v, numbers), wheels.law, wheels.half[w]
    plane, slopes = plane_at(rails, q[S], half), plane_slopes(rails, q[S], half)
    cos, sin = np.cos(plane.roll), np.sin(plane.roll)
    y, z = in_plane(plane, q[R_Y], q[R_Z])
    twist, v_up = slopes.roll * v[S], motion.v_z - slopes.level * v[S]
    v_y, v_z = cos * motion.v_y + sin * v_up + twist * z, cos * v_up - sin * motion.v_y - twist * y
    w_y, w_z = cos * motion.omega_y + sin * motion.omega_z, cos * motion.omega_z - sin * motion.omega_y
    V = max(np.sqrt(motion.v_x**2 + motion.v_y**2 + motion.v_z**2), law.v_floor)
    for number in range(2):
        wheel, side = 2 * w + number, 1.0 - 2.0 * number
        y_rail, aside = (plane.y_left, slopes.y_left) if number == 0 else (plane.y_right, slopes.y_right)
        pose = Pose(side * (y - y_rail), z, side * q[YAW], side * (q[ROLL] - plane.roll))
        moving = Motion(motion.v_x, side * v_y, v_z, side * (motion.omega_x - twist), w_y, side * w_z)
        count, acting, down = _wheel_on_bed(wheels, wheel, pose, moving)
        pose, buffers = Pose(pose.G_y, pose.G_z + down, pose.yaw, pose.roll), wheels.buffers[wheel]
        count = min(count, buffers.zones.shape[0])
        force = _freed(acting, pose, count, buffers)
        moment = side * force.M_x + y * force.F_z - z * side * force.F_y  # about the middle of the plane
        up = cos * force.F_z + sin * side * force.F_y
        push = -up * slopes.level - moment * slopes.roll - side * _across(count, buffers) * aside
        turned = _turned_back(force, push, side, cos, sin)
        for i in range(6):
            wrench[i] += turned[i]
        add_zones(q, pose, side, law, count, buffers, C, V)
        write_wheel(rows[number], turned, count, buffers, V)
        if gives_way(wheels.bed):
            press_rail(wheels.bed, wheel, turned.F_z)
        rows[number, WHEEL_DEFLECTION] = wheels.bed.w[wheel]
    off = 0.5 * (plane.y_left + plane.y_right)
    return bool(abs(y - off) < ASIDE and z - wheels.radius[w] < LIFTED)
