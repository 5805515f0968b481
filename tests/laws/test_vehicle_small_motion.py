"""Small motions written down by hand against the linearised equations of motion derived symbolically."""

from pathlib import Path

import numpy as np
import pytest

from twin.vehicle.description import Gear
from twin.vehicle.library import vehicle
from twin.vehicle.small_motion import Coordinate, small_motion, stiffness
from twin.vehicle.symbolic import vehicle_model

TRACK_NAMES = {"x": "s", "y": "r_y", "z": "r_z"}
WHEELSETS = [f"wheelset {number}" for number in (1, 2, 3, 4)]


@pytest.mark.parametrize("name", ["manchester", "feve3000"])
def test_stiffness_without_preload_is_that_of_the_equations_of_motion(name: str, tmp_path: Path) -> None:
    """Two derivations that share the description only; gravity so small that preloads turn nothing.

    Gears are left out: the equations of motion keep the deformation of a mesh as a state of its own.
    """
    found = vehicle(name)
    motion = small_motion(found)
    model = vehicle_model(found, gravity=1e-9, directory=tmp_path)
    names = list(model.layout.coordinates)
    order = [names.index(_name(coordinate, found.body(coordinate.body).joint)) for coordinate in motion.coordinates]
    gearless = found.model_copy(update={"elements": tuple(e for e in found.elements if not isinstance(e, Gear))})
    K = stiffness(gearless, motion)
    derived = model.linearised().K[np.ix_(order, order)]
    assert np.linalg.norm(derived - K) < 1e-10 * np.linalg.norm(K)


def _name(coordinate: Coordinate, joint: str) -> str:
    direction = TRACK_NAMES.get(coordinate.direction, coordinate.direction)
    if coordinate.body in WHEELSETS and direction == "pitch":
        direction = "spin"
    return f"{coordinate.body}.{direction if joint == 'free' else 'angle'}"
