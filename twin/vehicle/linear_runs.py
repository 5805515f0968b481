"""The linear vehicle along a track: its inputs from the rails, its responses, and contacts that fit its own motion.

Motion along the track is prescribed, so each body stands at a known place at any time. Contacts are linearised over how
far the motion spreads (twin.vehicle.linear_contact); how far it spreads follows from the linear vehicle itself, so the
two are found in turns. No run of the nonlinear vehicle is needed.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from twin.contact.creep import Friction
from twin.contact.hertz import Material
from twin.contact.seating import WheelsetPair
from twin.core.arrays import Array
from twin.numerics.compiled import compiled
from twin.vehicle.description import Vehicle, wheels_of
from twin.vehicle.linear import LinearVehicle, StateSpace
from twin.vehicle.linear_contact import Spread, wheel_rails
from twin.vehicle.running.rails import Rails, design_at, rails_many
from twin.vehicle.symbolic import NUMBERS

FIRST_GUESS = Spread.normal(shift=1e-3, xi=2e-4, eta=2e-4)
"""Of a run on fair track."""
TURNS = 3
"""Of contacts and spread: the third moves lateral positions by less than 0.1 %."""
RATES = ("", "_rate", "_acceleration")


class Ride(NamedTuple):
    """A vehicle that runs along its rails at a constant speed."""

    rails: Rails
    speed: float
    """[m/s]"""
    s: float
    """Of its middle at t = 0 [m]."""
    t: Array
    """(samples,) uniform times [s]."""

    @property
    def dt(self) -> float:
        """[s]"""
        return float(self.t[1] - self.t[0])

    def place(self, vehicle: Vehicle, body: str) -> Array:
        """(samples,) arc length of a body [m]."""
        return np.asarray(self.s + vehicle.body(body).position[0] + self.speed * self.t)

    def irregularities(self, vehicle: Vehicle, wheelset: str) -> dict[str, Array]:
        """(samples,) each, under a wheelset [m]: to the left, left over right, up, and wider than nominal."""
        y_left, z_left, y_right, z_right = rails_many(self.rails, self.place(vehicle, wheelset)).T
        return {
            "alignment": (y_left + y_right) / 2,
            "cross_level": z_left - z_right,
            "level": (z_left + z_right) / 2,
            "gauge": y_left - y_right,
        }


@compiled
def numbers_along(rails: Rails, s: Array) -> Array:
    """(samples, 12) numbers of the track frames at arc lengths s (samples,) [m]."""
    found = np.empty((s.size, len(NUMBERS)))
    for k in range(s.size):
        design_at(rails, s[k], found[k])
    return found


def inputs_along(space: StateSpace, vehicle: Vehicle, ride: Ride) -> Array:
    """(samples, inputs) of a state space along a ride."""
    wheelsets = {wheelset.name: ride.irregularities(vehicle, wheelset.name) for wheelset in vehicle.wheelsets}
    bodies = {name.rsplit(".", 1)[0] for name in space.inputs}
    numbers = {body: numbers_along(ride.rails, ride.place(vehicle, body)) for body in bodies}
    columns = []
    for name in space.inputs:
        body, word = name.rsplit(".", 1)
        if word in NUMBERS:
            columns.append(numbers[body][:, NUMBERS.index(word)])
            continue
        rate = next(rate for rate in reversed(RATES) if word.endswith(rate))
        values = wheelsets[body][word.removesuffix(rate)]
        for _ in range(RATES.index(rate)):
            values = np.gradient(values, ride.dt)
        columns.append(values)
    return np.stack(columns, axis=1)


def responses(space: StateSpace, inputs: Array, *, dt: float) -> Array:
    """(samples, states) from rest, inputs at their mean over each step dt [s]."""
    Phi, Gamma = space.stepped(dt)
    forced = (inputs + np.vstack((inputs[:1], inputs[:-1]))) / 2 @ Gamma.T
    states, x = np.empty_like(forced), np.zeros(Phi.shape[0])
    for k in range(len(states)):
        x = Phi @ x + forced[k]
        states[k] = x
    return states


def spreads(model: LinearVehicle, space: StateSpace, states: Array, ride: Ride) -> list[Spread]:
    """How far the motion of each wheelset spreads over a ride, by the lateral block."""
    n, found = len(space.coordinates), []
    for name, contact in model.contacts.items():
        wheels, rough = wheels_of(model.vehicle.body(name)), ride.irregularities(model.vehicle, name)
        y, yaw = (space.coordinates.index(f"{name}.{word}") for word in ("r_y", "yaw"))
        r0, l0, s = wheels.radius, wheels.half_distance, contact.roll_per_shift
        shift = states[:, y] - rough["alignment"]
        roll = (s * shift + rough["cross_level"] / (2 * l0)) / (1 - r0 * s)
        rho_h = numbers_along(ride.rails, ride.place(model.vehicle, name))[:, NUMBERS.index("rho_h")]
        eta = (states[:, n + y] + r0 * np.gradient(roll, ride.dt)) / space.speed - states[:, yaw]
        y_c = shift + r0 * roll
        xi = contact.conicity * y_c / r0 + l0 * (states[:, n + yaw] / space.speed + rho_h)
        found.append(Spread.of(y_c, xi, eta))
    return found


def fitted_to_ride(
    vehicle: Vehicle,
    pairs: Sequence[WheelsetPair],
    ride: Ride,
    *,
    model: LinearVehicle | None = None,
    material: Material | None = None,
    friction: Friction | None = None,
) -> tuple[LinearVehicle, Array]:
    """The linear vehicle whose contacts fit its own motion over a ride, and its lateral states (samples, states).

    model: of the vehicle on any contacts, if it is derived already.
    """
    contacts = wheel_rails(vehicle, pairs, spread=FIRST_GUESS, material=material, friction=friction)
    model = LinearVehicle(vehicle, contacts) if model is None else model.with_contacts(contacts)
    for turn in range(TURNS):
        space = model.at(ride.speed, "lateral")
        states = responses(space, inputs_along(space, vehicle, ride), dt=ride.dt)
        if turn < TURNS - 1:
            spread = spreads(model, space, states, ride)
            contacts = wheel_rails(vehicle, pairs, spread=spread, material=material, friction=friction)
            model = model.with_contacts(contacts)
    return model, states
