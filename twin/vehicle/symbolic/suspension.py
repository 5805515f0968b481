"""Suspension elements with nonlinear kinematics: what each puts on its two bodies.

Preloads are those of twin.vehicle.statics. Dampers behind a series spring, and meshing gears, remember: one internal
state each, a length [m], whose rate is part of the model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from twin.core.arrays import Array
from twin.vehicle.description import (
    AnyElement,
    BumpStop,
    Bushing,
    Gear,
    LineDamper,
    RollBar,
    TractionRod,
    Vector,
)
from twin.vehicle.symbolic.laws import along, below, inverted, odd, rotational_energy, rotational_moment
from twin.vehicle.symbolic.links import Link, link, push, turn
from twin.vehicle.symbolic.motion import BodyMotion, Chain, Load
from twin.vehicle.symbolic.track import Between

AXES = "xyz"
NO_RATE = ca.SX(0)


@dataclass(slots=True)
class Suspension:
    """The elements of a vehicle, one after the other: loads on the bodies, internal states and their rates."""

    chains: Sequence[Chain]
    motions: Mapping[str, BodyMotion]
    loads: Mapping[str, Load]
    between: Between
    states: list[ca.SX] = field(default_factory=list)
    state_names: list[str] = field(default_factory=list)
    rates: list[ca.SX] = field(default_factory=list)
    stored: ca.SX = field(default_factory=lambda: ca.SX(0))
    """Energy in the springs, against that at rest [J]"""
    dissipated: ca.SX = field(default_factory=lambda: ca.SX(0))
    """Power taken by the dampers [W]"""

    def loads_of(self, chain: Chain) -> list[Load]:
        """Loads on the bodies of a chain."""
        return [self.loads[motion.body.name] for motion in chain.bodies]

    def add(self, element: AnyElement, preload: Array) -> None:
        """Put an element on its two bodies; preload: what it carries at rest, in the form of statics.Rest."""
        on = link(element, self.chains, self.motions, self.between)
        match element:
            case Bushing():
                self._bushing(element, on, preload[:3])
                self._rotational(on, element.rotational_stiffness, element.rotational_damping, preload[3:])
            case RollBar():
                torque = np.array([preload[0], 0.0, 0.0])
                self._rotational(on, (element.stiffness, 0.0, 0.0), (element.damping, 0.0, 0.0), torque)
            case BumpStop():
                self._bump_stop(element, on)
            case LineDamper():
                self._line_damper(element, on)
            case TractionRod():
                unit_t, growth, rate = on.line()
                tension = float(preload[0])
                force = self._spring_damper(element.stiffness, element.damping, growth, rate) - tension
                self.stored += tension * growth
                push(self.loads, on, force * unit_t)
            case Gear():
                self._gear(element, on, float(preload[0]))

    def _remembered(self, name: str) -> ca.SX:
        self.states.append(ca.SX.sym(f"state{len(self.states)}"))
        self.state_names.append(name)
        return self.states[-1]

    def _spring_damper(self, k: float, c: float, u: ca.SX, rate: ca.SX = NO_RATE) -> ca.SX:
        self.stored += k * u**2 / 2
        self.dissipated += c * rate**2
        return -(k * u + c * rate)

    def _bushing(self, element: Bushing, on: Link, preload: Array) -> None:
        u, rate = on.displacement()
        force = ca.SX(preload)
        for axis, name in enumerate(AXES):
            k, c, k_series = element.stiffness[axis], element.damping[axis], element.series_stiffness[axis]
            self.stored -= preload[axis] * u[axis]
            if c and k_series:
                stretch = u[axis] - self._remembered(f"{element.name}.{name}")
                self.rates.append(k_series * stretch / c)
                self.dissipated += (k_series * stretch) ** 2 / c
                force[axis] += self._spring_damper(k_series, 0.0, stretch) + self._spring_damper(k, 0.0, u[axis])
            else:
                force[axis] += self._spring_damper(k, c, u[axis], rate[axis])
        push(self.loads, on, on.first.basis.R_tb @ force)

    def _rotational(self, on: Link, stiffness: Vector, damping: Vector, preload: Array) -> None:
        if not (any(stiffness) or any(damping) or preload.any()):
            return
        R_12, rate = on.rotation()
        moment = rotational_moment(stiffness, preload, R_12) - ca.SX(list(damping)) * rate
        self.stored += rotational_energy(stiffness, preload, R_12)
        self.dissipated += ca.dot(ca.SX(list(damping)) * rate, rate)
        turn(self.loads, on, on.first.basis.R_tb @ moment)

    def _bump_stop(self, element: BumpStop, on: Link) -> None:
        axis = AXES.index(element.axis)
        way = on.displacement()[0][axis]
        force = ca.SX(0)
        if element.sides != "negative":
            force -= along(element.curve, way - element.clearance)
            self.stored += below(element.curve, way - element.clearance)
        if element.sides != "positive":
            force += along(element.curve, -way - element.clearance)
            self.stored += below(element.curve, -way - element.clearance)
        push(self.loads, on, on.first.basis.R_tb[:, axis] * force)

    def _line_damper(self, element: LineDamper, on: Link) -> None:
        unit_t, growth, rate = on.line()
        if element.series_stiffness:
            force = self._spring_damper(element.series_stiffness, 0.0, growth - self._remembered(element.name))
            rate = odd(inverted(element.curve), -force)
            self.rates.append(rate)
        else:
            force = -odd(element.curve, rate)
        self.dissipated -= force * rate
        push(self.loads, on, force * unit_t)

    def _gear(self, element: Gear, on: Link, preload: float) -> None:
        """Teeth of both wheels meet on the line of the axes, share of the first one first / (first + second).

        Their approach is remembered: it follows from rates alone, whatever the angles the wheels have turned through.
        """
        share = element.teeth[0] / sum(element.teeth)
        line_t = on.p_2.r_t - on.p_1.r_t
        unit_t = on.line()[0]
        tangent_t = ca.cross(on.first.basis.R_tb[:, 1], unit_t)
        arm_1, arm_2 = share * line_t, (share - 1) * line_t
        v_1 = on.p_1.v_t + ca.cross(on.first.turning.omega_t, arm_1)
        v_2 = on.p_2.v_t + ca.cross(on.turning_2.omega_t, arm_2)
        rate = ca.dot(tangent_t, v_2 - v_1)
        approach = self._remembered(element.name)
        self.rates.append(rate)
        self.stored -= preload * approach
        force_t = (preload + self._spring_damper(element.stiffness, element.damping, approach, rate)) * tangent_t
        push(self.loads, on, force_t)
        # push acts at the second axis; the teeth meet beside it, and there the wheels themselves take the moments
        self.loads[on.second.body.name].spinning_moment_t += on.R_12.T @ ca.cross(arm_2, force_t)
        one = self.loads[on.first.body.name]
        one.moment_t += ca.cross(line_t, force_t)
        one.spinning_moment_t -= ca.cross(arm_1, force_t)
