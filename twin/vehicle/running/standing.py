"""How a vehicle stands on its rails before its first step: bodies above its wheelsets, and rotors on gears."""

import numpy as np

from twin.vehicle.description import Vehicle
from twin.vehicle.small_motion import Coordinate, small_motion, stiffness
from twin.vehicle.symbolic import Layout, VehicleModel

NAMES = {"x": "s", "y": "r_y", "z": "r_z"}
"""Directions of small motion as coordinates; angles keep their names."""


def follow_wheelsets(vehicle: Vehicle, model: VehicleModel) -> None:
    """Move what rests on the wheelsets to where its springs want it, as the wheelsets of model.q stand.

    A wheelset under load lies lower than its description has it, by a contact's depth of 0.1 to 0.2 mm, and a start on
    irregular rails moves it more. Springs between it and a body that stays would begin with forces of their own.
    """
    motion, layout = small_motion(vehicle), model.layout
    wheelsets = {wheelset.name for wheelset in vehicle.wheelsets}
    held = [i for i, c in enumerate(motion.coordinates) if c.body in wheelsets and c.direction in ("y", "z", "roll")]
    free = [i for i, c in enumerate(motion.coordinates) if c.body not in wheelsets]
    stand, follow = ([_place(vehicle, layout, motion.coordinates[i]) for i in group] for group in (held, free))
    K = stiffness(vehicle, motion)
    shift = model.q[stand] - layout.rest[stand]
    # what no spring holds stays: the least of all motions that leave the springs at rest
    model.q[follow] += np.linalg.lstsq(K[np.ix_(free, free)], -K[np.ix_(free, held)] @ shift)[0]


def _place(vehicle: Vehicle, layout: Layout, coordinate: Coordinate) -> int:
    """Of a coordinate of small motion in q."""
    hinged = vehicle.body(coordinate.body).parent is not None
    word = "angle" if hinged else NAMES.get(coordinate.direction, coordinate.direction)
    return layout.index(f"{coordinate.body}.{word}")


def turn_rotors(vehicle: Vehicle, model: VehicleModel) -> None:
    """Give rotors the rate at which their gears do not begin with a jolt; all other rates are there already.

    Teeth that move against each other change the state of their gear, by a rate that is linear in the rotors' own.
    """
    rotors = [
        model.layout.index(f"{body.name}.angle")
        for body in vehicle.bodies
        if body.kind == "rotor" and body.joint == "hinge_y"
    ]
    if not rotors:
        return
    model.evaluate()
    begun, columns = model.rates.copy(), []
    for place in rotors:
        model.v[place] += 1.0
        model.evaluate()
        columns.append(model.rates - begun)
        model.v[place] -= 1.0
    model.v[rotors] += np.linalg.lstsq(np.stack(columns, axis=1), -begun)[0]
