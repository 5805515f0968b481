"""Small motions of a vehicle about its rest: which point moves how far with which coordinate, and the stiffness.

Every free body has six coordinates (x, y, z of its centre of mass, roll, pitch, yaw), a hinged one the angle of its
hinge, a fixed one none. The pitch of a wheelset is its spin: nothing that sits on its bearings follows it.
"""

from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array
from twin.vehicle.description import AnyElement, Body, Bushing, Gear, LineDamper, RollBar, TractionRod, Vector, Vehicle

DIRECTIONS = ("x", "y", "z", "roll", "pitch", "yaw")
PITCH = 4


@dataclass(frozen=True, slots=True)
class Coordinate:
    """One coordinate: the body it belongs to, and its direction."""

    body: str
    direction: str


@dataclass(frozen=True, slots=True)
class SmallMotion:
    """Motion of every body over n coordinates, as rows (x, y, z, roll, pitch, yaw) of its centre of mass."""

    coordinates: tuple[Coordinate, ...]
    frames: dict[str, Array]
    """(6, n) of what the bearings of the body follow: a wheelset's without its spin."""
    bodies: dict[str, Array]
    """(6, n) of the body itself."""
    centres: dict[str, Vector]

    def of(self, body: str, point: Vector) -> Array:
        """(6, n) motion of a point held in the bearings of the body."""
        return carried(self.frames[body], np.subtract(point, self.centres[body]))

    def turning(self, body: str, point: Vector) -> Array:
        """(6, n) motion of a point of the body that spins with it."""
        return carried(self.bodies[body], np.subtract(point, self.centres[body]))


def carried(motion: Array, arm: Array) -> Array:
    """Motion (6, n) of a point at an arm [m] from the one whose motion is given: u + theta x arm."""
    moved = motion.copy()
    moved[:3] += np.cross(motion[3:], arm, axisa=0, axisc=0)
    return moved


def small_motion(vehicle: Vehicle) -> SmallMotion:
    """Motion of the bodies about rest."""
    coordinates = tuple(
        Coordinate(body.name, direction) for body in vehicle.bodies for direction in _directions_of(body)
    )
    frames: dict[str, Array] = {}
    bodies: dict[str, Array] = {}
    centres = {body.name: body.position for body in vehicle.bodies}
    for body in vehicle.bodies:
        own = np.zeros((6, len(coordinates)))
        for column, coordinate in enumerate(coordinates):
            if coordinate.body == body.name:
                own[DIRECTIONS.index(coordinate.direction), column] = 1.0
        if body.parent is not None:
            own = carried(own, np.subtract(body.position, body.hinge))
            own += carried(frames[body.parent], np.subtract(body.position, centres[body.parent]))
        bodies[body.name] = own
        frames[body.name] = own.copy()
        if body.kind == "wheelset":
            frames[body.name][PITCH] = 0.0
    return SmallMotion(coordinates, frames, bodies, centres)


def _directions_of(body: Body) -> tuple[str, ...]:
    return {"free": DIRECTIONS, "fixed": (), "hinge_y": ("pitch",), "hinge_z": ("yaw",)}[body.joint]


def stretch(element: AnyElement, motion: SmallMotion) -> Array:
    """(m, n) deformation of an element per coordinate.

    Bushing and bump stop: six rows, of the second body against the first at the second point, along and about the axes
    of the first. Line elements: elongation. Roll bar: twist. Gear: way of the first gear's teeth against the second's.
    """
    if isinstance(element, Gear):
        return _mesh(element, motion)
    if isinstance(element, LineDamper | TractionRod):
        line = np.subtract(element.at_second, element.at_first)
        ends = motion.of(element.second, element.at_second) - motion.of(element.first, element.at_first)
        return np.asarray((line / np.linalg.norm(line)) @ ends[:3])[None]
    relative = motion.of(element.second, element.at_second) - motion.of(element.first, element.at_second)
    return relative[3:4] if isinstance(element, RollBar) else relative


def _mesh(gear: Gear, motion: SmallMotion) -> Array:
    line = np.subtract(gear.at_second, gear.at_first)
    x, y, z = gear.at_first + line * gear.teeth[0] / sum(gear.teeth)
    tangent = np.cross((0.0, 1.0, 0.0), line) / np.linalg.norm(line)
    teeth = motion.turning(gear.first, (x, y, z)) - motion.turning(gear.second, (x, y, z))
    return np.asarray(tangent @ teeth[:3])[None]


def springs(element: AnyElement) -> Array:
    """Stiffness of each row of the stretch at rest, where bump stops stand open [N/m, N m/rad]."""
    if isinstance(element, Bushing):
        return np.array(element.stiffness + element.rotational_stiffness)
    if isinstance(element, TractionRod | RollBar | Gear):
        return np.array([element.stiffness])
    return np.zeros(1 if isinstance(element, LineDamper) else 6)


def stiffness(vehicle: Vehicle, motion: SmallMotion) -> Array:
    """(n, n) stiffness of all springs about rest, without the effect of their preloads."""
    K = np.zeros((len(motion.coordinates), len(motion.coordinates)))
    for element in vehicle.elements:
        B = stretch(element, motion)
        K += B.T @ (springs(element)[:, None] * B)
    return K
