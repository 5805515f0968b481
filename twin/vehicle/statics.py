"""Rest on straight level track: what every element carries, how far it gives, and the load of every wheel.

Springs share the weight by their stiffness, as in a vehicle whose springs are unloaded when it is lifted level. Lever
arms are those of the loaded vehicle, which its description gives. Bump stops stand open.
"""

from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array, G
from twin.vehicle.description import Bushing, RollBar, Vehicle, wheels_of
from twin.vehicle.small_motion import DIRECTIONS, SmallMotion, small_motion, springs, stiffness, stretch

ROLLING = ("x", "pitch")
"""Directions in which level rails do not hold a wheelset."""


@dataclass(frozen=True, slots=True)
class Rest:
    """A vehicle at rest."""

    preloads: dict[str, Array]
    """Of each element [N, N m]: on the second body for bushings and bump stops (6,), tension of line elements (1,),
    torque on the second body of roll bars (1,), tooth force on the second body of gears along y x line (1,)."""
    deflections: dict[str, float]
    """Vertical compression of each bushing that has a vertical stiffness [m]; load over stiffness, which for an air
    spring is more than the way it has."""
    wheel_loads: dict[str, tuple[float, float]]
    """Left and right wheel of each wheelset [N]."""


def at_rest(vehicle: Vehicle, *, gravity: float = G) -> Rest:
    """Equilibrium under gravity [m/s^2] with the wheelsets held by the rails, but free to roll along them."""
    motion = small_motion(vehicle)
    weight = -gravity * sum(body.mass * motion.bodies[body.name][2] for body in vehicle.bodies)
    K = stiffness(vehicle, motion)
    wheelsets = {wheelset.name for wheelset in vehicle.wheelsets}
    free = np.array([c.body not in wheelsets or c.direction in ROLLING for c in motion.coordinates])
    sag = np.zeros(len(free))
    # rolling away strains nothing, so the stiffness is singular; gravity does no work on it, so the loads are unique
    sag[free] = np.linalg.lstsq(K[np.ix_(free, free)], weight[free])[0]
    stretches = {element.name: stretch(element, motion) @ sag for element in vehicle.elements}
    preloads = {
        element.name: -springs(element) * stretches[element.name]
        if isinstance(element, Bushing | RollBar)
        else springs(element) * stretches[element.name]
        for element in vehicle.elements
    }
    deflections = {
        element.name: float(stretches[element.name][2])
        for element in vehicle.elements
        if isinstance(element, Bushing) and element.stiffness[2] > 0.0
    }
    return Rest(preloads, deflections, _wheel_loads(vehicle, motion, K @ sag - weight))


def _wheel_loads(vehicle: Vehicle, motion: SmallMotion, reaction: Array) -> dict[str, tuple[float, float]]:
    """From the force and the roll moment with which the rails hold each wheelset."""
    place = {(coordinate.body, coordinate.direction): i for i, coordinate in enumerate(motion.coordinates)}
    loads = {}
    for wheelset in vehicle.wheelsets:
        upward = reaction[place[wheelset.name, DIRECTIONS[2]]]
        moment = reaction[place[wheelset.name, DIRECTIONS[3]]] / wheels_of(wheelset).half_distance
        loads[wheelset.name] = (float(upward + moment) / 2, float(upward - moment) / 2)
    return loads
