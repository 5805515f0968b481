"""Wheels that roll over short waves on a flexible rail, in time, at the rate of the axle boxes.

The vehicle's own motion, slow and long-waved, is given: it presses each wheel on the rail with a load P. What is
computed here comes on top of it, from the roughness r below the patch, upwards positive:

    delta = (P / C_H)^(2/3) + r - u_wheel - w       approach of wheel and rail, w the rail's deflection downwards
    F = C_H delta^(3/2), none without contact       Hertz
    wheel and rail move under f = F - P             each as its own linear system, forces linear within a step

so without roughness nothing moves, and a load that changes slowly makes no noise. F is found together with the motion
at the end of the step: one equation of delta for each wheel, delta + b C_H delta^(3/2) = d, with b the compliance of
wheel and rail within the step. All wheels of a rail share it: a wave sent by one reaches the others. Within a step
(0.1 m of travel of a wave) they do not feel each other's change of force.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from pydantic import Field

from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.core.settings import Settings
from twin.numerics.compiled import compiled
from twin.simulation.short_wave.half_wheelset import STATES, HalfWheelset, WheelsetStep, wheelset_step
from twin.vehicle.track_flexibility.beam import ComplexArray
from twin.vehicle.track_flexibility.moving_modes import MovingModes, Reduction, moving_modes, reduced_receptance
from twin.vehicle.track_flexibility.parameters import BALLAST, Mesh, Track
from twin.vehicle.track_flexibility.rail_steps import RailAtSpeed, RailStep, advance_rail, rail_at_speed

SPEEDS_KEPT = 24
"""Steps of the rail kept at hand, one per speed (0.4 MB each for a bogie)."""
CLOSE = 1e-12
"""Change of delta, over delta, at which its equation counts as solved [-]."""


class InteractionConfig(Settings):
    """Wheel, contact and track of the truth at short waves."""

    rate: float = Field(25600.0, ge=5e3, le=1e5, description="steps per second [Hz]; that of the axle boxes")
    wheelset: HalfWheelset = Field(HalfWheelset(), description="under each wheel")
    C_H: float = Field(9.37e10, ge=1e9, le=1e12, description="Hertz's constant [N/m^1.5]; gives 1.1 GN/m at 50 kN")
    track: Track = Field(BALLAST, description="of both rails; viscous damping, even support")
    mesh_margin: float = Field(
        9.0, ge=4.0, le=100.0, description="track beyond the outermost wheels [m]; 9 has echoes below 1e-3 at 1500 Hz"
    )
    to_frequency: float = Field(2000.0, ge=200, le=5e3, description="up to which the rail's modes are exact [Hz]")
    fastest: float = Field(60.0, ge=1, le=140, description="speed up to which they are [m/s]")
    tolerance: float = Field(3e-3, ge=1e-4, le=0.1, description="of the rail's receptance over its largest [-]")
    speed_step: float = Field(
        1.0, gt=0.01, le=10, description="of the speeds the rail is solved for [m/s]; 1 changes receptances by 0.2 %"
    )

    def contact_stiffness(self, load: float) -> float:
        """k_H [N/m] of the contact spring about a load [N]."""
        return float(1.5 * self.C_H ** (2 / 3) * load ** (1 / 3))


def reduced_rail(config: InteractionConfig, *, places: Array) -> MovingModes:
    """The rail below wheels at places (p,) [m] of the vehicle, forward positive; takes some seconds for four wheels."""
    middle = (places.max() + places.min()) / 2
    span = float(places.max() - places.min())
    length = span + 2 * config.mesh_margin
    # the wheels stay in the part of the mesh that does not absorb
    mesh = Mesh(length=length, absorbing=min(0.3, 0.9 * config.mesh_margin / length))
    reduction = Reduction(
        to_frequency=config.to_frequency,
        speeds=(0.0, config.fastest),
        tolerance=config.tolerance,
        most_shapes=400,
    )
    return moving_modes(config.track, places=places - middle, mesh=mesh, reduction=reduction)


def box_response(
    config: InteractionConfig, modes: MovingModes, *, omega: Array, load: float, V: float = 0.0
) -> ComplexArray:
    """Acceleration of box i per roughness under wheel j (frequencies, p, p) [1/s^2], for small motions.

    For one wheel -omega^2 alpha_w / (alpha_w + alpha_c + alpha_r), with alpha of wheel, contact and rail. omega > 0
    (frequencies,) [rad/s], load on each wheel [N], V [m/s].
    """
    p = modes.F.shape[1]
    alpha_w, alpha_box = config.wheelset.receptances(omega)
    total = reduced_receptance(modes, omega=omega, V=V)
    total = total + (alpha_w + 1 / config.contact_stiffness(load))[:, None, None] * np.eye(p)
    return np.asarray(-(omega**2 * alpha_box)[:, None, None] * np.linalg.inv(total))


@dataclass(frozen=True, slots=True)
class ContactMotion:
    """What the wheels of one rail did."""

    force: Array
    """(n, p) on the wheels, load and dynamic part [N]; 0 where a wheel had no contact."""
    acceleration: Array
    """(n, p) of the axle boxes by short waves, upwards [m/s^2]."""


class _Memory(NamedTuple):
    """State of wheels and rail at the last step."""

    wheels: Array
    """(p, 4)."""
    zeta: Array
    """(2, m)."""
    f: Array
    """(p,) F - P."""


class RailAndWheels:
    """The wheels of one rail; remembers their motion. Starts at rest relative to the vehicle's own motion."""

    def __init__(self, config: InteractionConfig, modes: MovingModes) -> None:
        self._config, self._modes = config, modes
        self._wheelset = wheelset_step(config.wheelset, dt=1 / config.rate)
        self._at_speed: dict[int, RailAtSpeed] = {}
        self._rail: RailAtSpeed | None = None
        p = modes.F.shape[1]
        self._memory = _Memory(wheels=np.zeros((p, STATES)), zeta=np.zeros((2, 0)), f=np.zeros(p))

    def process(self, *, roughness: Array, load: Array, V: Array) -> ContactMotion:
        """Roughness below the patches (n, p) [m], load (n, p) [N] and speed (n,) [m/s], continued."""
        n, p = roughness.shape
        if p != self._modes.F.shape[1]:
            raise ConfigError(f"the rail carries {self._modes.F.shape[1]} wheels, got roughness of {p}")
        force, acceleration = np.empty((n, p)), np.empty((n, p))
        done = 0
        while done < n:
            rail = self._suited(float(V[done]))
            done += _run(
                (self._wheelset, rail.step, self._config.C_H),
                self._memory,
                (roughness[done:], load[done:], V[done:]),
                (rail.V, 0.75 * self._config.speed_step),  # beyond the half: no to and fro about a border
                (force[done:], acceleration[done:]),
            )
        return ContactMotion(force=force, acceleration=acceleration)

    def energy(self) -> float:
        """Of rail and wheels in their motion about the vehicle's own, without that in the contacts [J]."""
        if self._rail is None:
            return 0.0
        x = self._rail.state(self._memory.zeta, self._memory.f)
        z_dot = self._memory.wheels[:, 1]
        energy = float(x @ x) / 2 + self._config.wheelset.mass * float(z_dot @ z_dot) / 2
        bending = self._config.wheelset.bending
        if bending is not None:
            q, q_dot = self._memory.wheels[:, 2], self._memory.wheels[:, 3]
            omega = 2 * np.pi * bending.frequency
            energy += bending.mass * float(q_dot @ q_dot + omega**2 * q @ q) / 2
        return energy

    def _suited(self, V: float) -> RailAtSpeed:
        """The rail at a speed near V; the state goes over from the one before."""
        step = self._config.speed_step
        if self._rail is None or not abs(V - self._rail.V) <= 0.75 * step:
            number = round(V / step)
            if number not in self._at_speed:
                if len(self._at_speed) >= SPEEDS_KEPT:
                    self._at_speed.pop(next(iter(self._at_speed)))
                self._at_speed[number] = rail_at_speed(self._modes, V=number * step, dt=1 / self._config.rate)
            after, f = self._at_speed[number], self._memory.f
            x = np.zeros(self._modes.states) if self._rail is None else self._rail.state(self._memory.zeta, f)
            self._memory = self._memory._replace(zeta=after.poles(x, f))
            self._rail = after
        return self._rail


@compiled
def _run(
    system: tuple[WheelsetStep, RailStep, float],
    memory: _Memory,
    inputs: tuple[Array, Array, Array],
    speed: tuple[float, float],
    outputs: tuple[Array, Array],
) -> int:
    """Steps made, in place, until the inputs end or the speed leaves that of the rail: (V, reach) [m/s]."""
    wheelset, rail, C_H = system
    roughness, load, V = inputs
    force, acceleration = outputs
    n, p = len(roughness), len(memory.f)
    deflection = np.empty(p)
    for i in range(n):
        if abs(V[i] - speed[0]) > speed[1]:
            return i
        advance_rail(rail, memory.zeta, memory.f, deflection)
        for j in range(p):
            for k in range(p):
                if k != j:
                    deflection[j] += rail.D[j, k] * memory.f[k]
        for j in range(p):
            P = max(load[i, j], 0.0)
            x = memory.wheels[j]
            wheel = _advance_wheel(wheelset, x, memory.f[j])
            b = wheelset.compliance + rail.D[j, j]
            d = np.cbrt(P / C_H) ** 2 + roughness[i, j] - wheel - deflection[j] + b * P
            F = _contact_force(d, b, C_H)
            f = F - P
            for k in range(STATES):
                x[k] += wheelset.Gamma_1[k] * f
            box = wheelset.box_force * f
            for k in range(STATES):
                box += wheelset.box_states[k] * x[k]
            memory.f[j] = f
            force[i, j] = F
            acceleration[i, j] = box
    return n


@compiled
def _advance_wheel(wheelset: WheelsetStep, x: Array, f: float) -> float:
    """Advance x (4,) in place by a step that begins with f [N], without the force at its end; the wheel's motion."""
    z, z_dot, q, q_dot = x[0], x[1], x[2], x[3]
    wheel = 0.0
    for k in range(STATES):
        row = wheelset.Phi[k]
        x[k] = row[0] * z + row[1] * z_dot + row[2] * q + row[3] * q_dot + wheelset.Gamma_0[k] * f
        wheel += wheelset.wheel[k] * x[k]
    return wheel


@compiled
def _contact_force(d: float, b: float, C_H: float) -> float:
    """F = C_H delta^(3/2) of delta + b F = d; convex and rising, so Newton's steps from above fall onto the root."""
    if d <= 0.0:
        return 0.0
    delta = d
    for _ in range(50):
        root = np.sqrt(delta)
        change = (delta + b * C_H * delta * root - d) / (1 + 1.5 * b * C_H * root)
        delta -= change
        if change <= CLOSE * delta:
            break
    return float(C_H * delta * np.sqrt(delta))
