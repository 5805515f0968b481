"""Exact kinematics and inertia of chains of rigid bodies in track-relative coordinates [Esc eqs. 4-9].

A chain is a free body and what is joined to it. Its coordinates are those of the free body,

    s, r_y, r_z, roll, pitch (the spin of a wheelset), yaw

against the track frame at its own s, then one angle per hinge. Angles are not small: a body's basis is
Rz(yaw) Ry(pitch) Rx(roll), a wheelset's Rz(yaw) Rx(roll) [Fal eq. 8], whose axes do not spin. The printed G of
[Esc eq. 9] keeps angles in the column of s only; its example takes 1/30 per metre (0.0333, not the printed 0.0033).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import casadi as ca

from twin.vehicle.description import Body, Vector
from twin.vehicle.symbolic.track import TrackFrame
from twin.vehicle.symbolic.tree import Basis, Point, X, Y, Z

FREE = ("s", "r_y", "r_z", "roll", "pitch", "yaw")
WHEELSET = ("s", "r_y", "r_z", "roll", "spin", "yaw")
HINGES = {"hinge_y": Y, "hinge_z": Z}


@dataclass(frozen=True, slots=True)
class BodyMotion:
    """One body of a chain: all vectors in the axes of the chain's track frame."""

    body: Body
    chain: int
    """Number of its chain."""
    basis: Basis
    """Axes of its inertia and of what is attached to it; they do not spin with a wheelset."""
    turning: Basis
    """The same axes with the rate of the body itself."""
    centre: Point

    def attachment(self, place: Vector) -> Point:
        """Point of the body at a place of the vehicle at rest; on a wheelset: of its bearings."""
        arm_b = ca.SX([p - c for p, c in zip(place, self.body.position, strict=True)])
        return self.centre.carried(arm_b, self.basis)


@dataclass(frozen=True, slots=True)
class Chain:
    """A free body and what is joined to it, with coordinates q, their rates v, and the track frame below."""

    frame: TrackFrame
    q: ca.SX
    v: ca.SX
    bodies: tuple[BodyMotion, ...]

    def rate(self, expression: ca.SX) -> ca.SX:
        """Time derivative while all rates v stay as they are."""
        along = ca.jtimes(expression, self.frame.rho, self.frame.rho_slope * self.v[0])
        return ca.jtimes(expression, self.q, self.v) + along

    def lifted(self, gravity: float) -> ca.SX:
        """Energy of weight against the origin of the track frame [J]."""
        weighted = [motion.body.mass * motion.centre.r_t for motion in self.bodies]
        return -ca.dot(self.frame.gravity_t(gravity), sum(weighted, ca.SX.zeros(3)))


def coordinate_names(vehicle_bodies: Sequence[Body]) -> list[list[str]]:
    """Names of the coordinates of each chain, 'body.coordinate'."""
    chains = []
    for members in chains_of(vehicle_bodies):
        base = members[0]
        names = [f"{base.name}.{name}" for name in (WHEELSET if base.kind == "wheelset" else FREE)]
        chains.append(names + [f"{body.name}.angle" for body in members if body.joint in HINGES])
    return chains


def chains_of(bodies: Sequence[Body]) -> list[list[Body]]:
    """Bodies by chain, the free one first."""
    members = {body.name: [body] for body in bodies if body.parent is None}
    base = {name: name for name in members}
    for body in bodies:
        if body.parent is not None:
            base[body.name] = base[body.parent]
            members[base[body.name]].append(body)
    return list(members.values())


def chain_motion(members: Iterable[Body], number: int, *, q: ca.SX, v: ca.SX, frame: TrackFrame) -> Chain:
    """Kinematics of one chain. q, v: its coordinates and their rates, in the order of coordinate_names."""
    base, *joined = members
    found = {base.name: _base_motion(base, number, q, v, frame)}
    place = len(FREE)
    for body in joined:
        parent = found[body.parent or ""]
        basis = parent.basis
        if body.joint in HINGES:
            basis = basis.turned(HINGES[body.joint], angle=q[place], rate=v[place])
            place += 1
        arm_b = ca.SX([p - h for p, h in zip(body.position, body.hinge, strict=True)])
        centre = parent.attachment(body.hinge).carried(arm_b, basis)
        found[body.name] = BodyMotion(body, number, basis, basis, centre)
    return Chain(frame, q, v, tuple(found.values()))


def _base_motion(body: Body, number: int, q: ca.SX, v: ca.SX, frame: TrackFrame) -> BodyMotion:
    root, origin = frame.moving(v[0])
    offset = origin.carried(ca.vertcat(0, q[1], q[2]), root)
    centre = Point(offset.r_t, offset.v_t + ca.vertcat(0, v[1], v[2]))
    yawed = root.turned(Z, angle=q[5], rate=v[5])
    if body.kind == "wheelset":
        basis = yawed.turned(X, angle=q[3], rate=v[3])
        return BodyMotion(body, number, basis, basis.spinning(Y, rate=v[4]), centre)
    basis = yawed.turned(Y, angle=q[4], rate=v[4]).turned(X, angle=q[3], rate=v[3])
    return BodyMotion(body, number, basis, basis, centre)


@dataclass(slots=True)
class Load:
    """What acts on one body: force, moments about its centre of mass on its axes and on the spinning body itself."""

    force_t: ca.SX
    moment_t: ca.SX
    spinning_moment_t: ca.SX


def virtual_power(chain: Chain, loads: Sequence[Load], *, gravity: float) -> tuple[ca.SX, ca.SX]:
    """Mass matrix M and generalised forces delta of M dv/dt = delta, by the principle of virtual power [Ros 2.4].

    For every virtual rate v*: sum of (force - m a) . v_t* + (moment - rate of spin) . omega* = 0.
    """
    n = chain.v.numel()
    M, delta = ca.SX.zeros(n, n), ca.SX.zeros(n)
    sweep = chain.frame.rho * chain.v[0]  # rate of the track frame, in whose axes v_t is given
    for motion, load in zip(chain.bodies, loads, strict=True):
        mass, inertia = motion.body.mass, ca.diag(ca.SX(list(motion.body.inertia)))
        v_t, omega_b = motion.centre.v_t, motion.basis.against(motion.turning.omega_t)
        axes_b = motion.basis.against(motion.basis.omega_t)
        H, G, G_axes = (ca.jacobian(rates, chain.v) for rates in (v_t, omega_b, axes_b))
        a_t = chain.rate(v_t) + ca.cross(sweep, v_t)
        spin_b = inertia @ chain.rate(omega_b) + ca.cross(axes_b, inertia @ omega_b)
        force_t = load.force_t + mass * (chain.frame.gravity_t(gravity) - a_t)
        M += mass * H.T @ H + G.T @ inertia @ G
        delta += H.T @ force_t + G_axes.T @ motion.basis.against(load.moment_t)
        delta += G.T @ (motion.basis.against(load.spinning_moment_t) - spin_b)
    return M, delta
