"""Two bodies with a point on each, read in one track frame; forces between them in balance.

Bodies of different chains live in different track frames: a link reads both in that of its first body. What acts in
the axes of the first body acts at the point of the second, on both bodies: with that the pair of forces is in balance
and a spring gives back exactly what it took.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import dist

import casadi as ca

from twin.vehicle.description import Element
from twin.vehicle.symbolic.motion import BodyMotion, Chain, Load
from twin.vehicle.symbolic.track import Between
from twin.vehicle.symbolic.tree import Basis, Point


@dataclass(frozen=True, slots=True)
class Link:
    """An element's two bodies; vectors in the axes t of the first one's track frame."""

    first: BodyMotion
    second: BodyMotion
    R_12: ca.SX
    """Axes of the second track frame in those of the first."""
    p_1: Point
    p_2: Point
    basis_2: Basis
    turning_2: Basis
    arm_2: ca.SX
    """From the centre of the second body to its point, in its own track axes [m]."""
    d0: ca.SX
    """From the first point to the second at rest [m]."""
    length: float
    """Of d0 [m]."""

    def displacement(self) -> tuple[ca.SX, ca.SX]:
        """Of the second point against the first, in the axes of the first body [m], and its rate [m/s]."""
        axes, arm_t = self.first.basis, self.p_2.r_t - self.p_1.r_t
        rate_t = self.p_2.v_t - self.p_1.v_t - ca.cross(axes.omega_t, arm_t)
        return axes.against(arm_t) - self.d0, axes.against(rate_t)

    def line(self) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Unit vector from the first point to the second, growth of their distance [m], its rate [m/s]."""
        arm_t = self.p_2.r_t - self.p_1.r_t
        length = ca.norm_2(arm_t)
        unit_t = arm_t / length
        return unit_t, length - self.length, ca.dot(unit_t, self.p_2.v_t - self.p_1.v_t)

    def rotation(self) -> tuple[ca.SX, ca.SX]:
        """Axes of the second body in those of the first, and its rate against the first [rad/s] in these."""
        axes = self.first.basis
        return axes.against(self.basis_2.R_tb), axes.against(self.basis_2.omega_t - axes.omega_t)


def link(element: Element, chains: Sequence[Chain], motions: Mapping[str, BodyMotion], between: Between) -> Link:
    """The bodies and points of an element; between: what lies between their track frames."""
    first, second = motions[element.first], motions[element.second]
    p_1, own_2 = first.attachment(element.at_first), second.attachment(element.at_second)
    p_2, basis, turning, R_12 = own_2, second.basis, second.turning, ca.SX.eye(3)
    if first.chain != second.chain:
        a, b = chains[first.chain], chains[second.chain]
        origin, R_12 = between(a.frame, b.frame, b.q[0] - a.q[0])
        p_2 = Point(origin + R_12 @ own_2.r_t, R_12 @ own_2.v_t)
        basis, turning = (Basis(R_12 @ own.R_tb, R_12 @ own.omega_t) for own in (basis, turning))
    return Link(
        first=first,
        second=second,
        R_12=R_12,
        p_1=p_1,
        p_2=p_2,
        basis_2=basis,
        turning_2=turning,
        arm_2=own_2.r_t - second.centre.r_t,
        d0=ca.SX([b - a for a, b in zip(element.at_first, element.at_second, strict=True)]),
        length=dist(element.at_first, element.at_second),
    )


def push(loads: Mapping[str, Load], on: Link, force_t: ca.SX) -> None:
    """Put a force on the second body at its point, and its reaction on the first at the same place."""
    one, two = loads[on.first.body.name], loads[on.second.body.name]
    own_t = on.R_12.T @ force_t
    two.force_t += own_t
    two.moment_t += ca.cross(on.arm_2, own_t)
    one.force_t -= force_t
    one.moment_t -= ca.cross(on.p_2.r_t - on.first.centre.r_t, force_t)


def turn(loads: Mapping[str, Load], on: Link, moment_t: ca.SX) -> None:
    """Put a moment on the second body, and its reaction on the first."""
    loads[on.second.body.name].moment_t += on.R_12.T @ moment_t
    loads[on.first.body.name].moment_t -= moment_t
