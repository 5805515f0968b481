"""The vehicle as a function of dimensionless factors: what identification turns, around what is written down.

Contact factors act on every wheelset alike. Suspension factors scale all elements of a stage in one direction; the
state space is linear in them, so each is derived once, doubled, and added in its share.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Literal

import numpy as np

from twin.core.arrays import Array
from twin.vehicle.description import AnyElement, Bushing, LineDamper, Vehicle
from twin.vehicle.linear import Block, LinearVehicle, StateSpace

Contact = Literal["conicity", "f11", "f22"]
Suspension = Literal["k1y", "k2y", "c2y"]
CONTACTS: tuple[Contact, ...] = ("conicity", "f11", "f22")
SUSPENSIONS: tuple[Suspension, ...] = ("k1y", "k2y", "c2y")
ACROSS = 0.5
"""Least share of a damper's line along y that makes it a lateral one."""


class FactoredVehicle:
    """State spaces of a vehicle by factors of its parts."""

    def __init__(self, nominal: LinearVehicle) -> None:
        self.nominal = nominal
        self._doubled = cache(self._derived)
        self._slopes = cache(self._slopes_at)

    def linear(self, factors: Mapping[str, float]) -> LinearVehicle:
        """The vehicle on wheels and rails with these factors; its suspension is the nominal one."""
        contacts = [
            each.model_copy(update={name: getattr(each, name) * factors.get(name, 1.0) for name in CONTACTS})
            for each in self.nominal.contacts.values()
        ]
        return self.nominal.with_contacts(contacts)

    def at(self, factors: Mapping[str, float], speed: float, block: Block) -> StateSpace:
        """The state space with these factors; those not named are 1."""
        space = self.linear(factors).at(speed, block)
        A, B = space.A.copy(), space.B.copy()
        for name in SUSPENSIONS:
            share = factors.get(name, 1.0) - 1.0
            if share:
                by_A, by_B = self._slopes(name, speed, block)
                A, B = A + share * by_A, B + share * by_B
        return replace(space, A=A, B=B)

    def _slopes_at(self, name: Suspension, speed: float, block: Block) -> tuple[Array, Array]:
        once, twice = self.nominal.at(speed, block), self._doubled(name).at(speed, block)
        return twice.A - once.A, twice.B - once.B

    def _derived(self, name: Suspension) -> LinearVehicle:
        return LinearVehicle(doubled(self.nominal.vehicle, name), list(self.nominal.contacts.values()))


def doubled(vehicle: Vehicle, name: Suspension) -> Vehicle:
    """The vehicle with twice the stiffness or damping of one stage across."""
    wheelsets = {wheelset.name for wheelset in vehicle.wheelsets}
    elements = tuple(
        _doubled(each, name) if (each.second in wheelsets) == name.startswith(("k1", "c1")) else each
        for each in vehicle.elements
    )
    return vehicle.model_copy(update={"elements": elements})


def _doubled(element: AnyElement, name: Suspension) -> AnyElement:
    if isinstance(element, Bushing):
        word = "stiffness" if name.startswith("k") else "damping"
        x, y, z = getattr(element, word)
        return element.model_copy(update={word: (x, 2 * y, z)})
    if isinstance(element, LineDamper) and name.startswith("c"):
        line = np.subtract(element.at_second, element.at_first)
        if abs(line[1]) > ACROSS * float(np.linalg.norm(line)):
            return element.model_copy(update={"curve": tuple((speed, 2 * force) for speed, force in element.curve)})
    return element
