"""Runs for tests of the running vehicle: its models built once, tracks, and a wheelset that hardly anything holds."""

from collections.abc import Sequence
from functools import cache
from typing import Literal

import numpy as np

from twin.contact.creep import Friction
from twin.core.arrays import Array
from twin.core.track import DesignTrack, HorizontalElement
from twin.simulation.irregularity import IrregularityConfig, realise
from twin.vehicle.description import Body, Bushing, Vehicle, Wheels
from twin.vehicle.library import vehicle
from twin.vehicle.mirrors import LEFT_RIGHT, with_copies
from twin.vehicle.running import Rails, RoughRails, Running, RunSettings, WheelRailSettings, faded_in, rails_between
from twin.vehicle.symbolic import VehicleModel, vehicle_model

Contact = Literal["elastic", "knife"]
CONTACTS: tuple[Contact, ...] = ("elastic", "knife")
R0, L0 = 0.46, 0.75
"""Wheel radius and half distance of the rolling circles of the Manchester vehicle [m]."""
GRIPPING = Friction(mu=1.0)
"""Friction that small motions are far from."""


@cache
def known(name: str) -> tuple[Vehicle, VehicleModel]:
    """A vehicle by name and its one model, which every run that uses it places anew: one run at a time."""
    found = single_wheelset() if name == "single wheelset" else vehicle(name)
    return found, vehicle_model(found)


def running(
    name: str, rails: Rails, *, speed: float | tuple[Array, Array], s: float = 0.0, settings: RunSettings
) -> Running:
    """A vehicle by name on its way."""
    found, model = known(name)
    return Running(found, rails, speed=speed, s=s, settings=settings, model=model)


def single_wheelset() -> Vehicle:
    """A wheelset with a light frame on soft springs: free to hunt as if it were alone, loaded by its own weight."""
    wheelset = Body(
        name="wheelset",
        kind="wheelset",
        mass=1813,
        inertia=(1120, 112, 1120),
        position=(0, 0, R0),
        wheels=Wheels(radius=R0, half_distance=L0),
    )
    frame = Body(name="frame", kind="bogie", mass=10, inertia=(5, 5, 5), position=(0, 0, 0.6))
    at = (0.0, 1.0, 0.6)
    spring = Bushing(
        name="spring left",
        first="frame",
        second="wheelset",
        at_first=at,
        at_second=at,
        stiffness=(1e3, 1e3, 1e4),
        damping=(50.0, 50.0, 500.0),
        rotational_stiffness=(0, 1e3, 0),
        rotational_damping=(0, 50.0, 0),
    )
    springs = with_copies((spring,), LEFT_RIGHT)
    return Vehicle(name="single wheelset", source="made for tests", bodies=(frame, wheelset), elements=springs)


def straight(*, length: float = 1000.0, rough: RoughRails | None = None) -> Rails:
    """Straight level track around s = 0 to a length [m]."""
    return rails_between(
        DesignTrack.from_elements([HorizontalElement(length=length)], []), rough, first=-50, last=length
    )


def into_curve(*, R: float, cant: float = 0.0, straight: float = 20.0, transition: float, length: float) -> Rails:
    """A straight [m], a transition and a curve of radius R [m], left positive, with a cant [m] positive where R is."""
    curvature = 1 / R
    elements = [
        HorizontalElement(length=straight),
        HorizontalElement(length=transition, curvature_end=curvature, cant_end=cant),
        HorizontalElement(
            length=length, curvature_start=curvature, curvature_end=curvature, cant_start=cant, cant_end=cant
        ),
    ]
    return rails_between(DesignTrack.from_elements(elements, []), None, first=-50, last=straight + transition + length)


def coned(cone: str, *, right: str | None = None, cells: int = 10, friction: Friction = GRIPPING) -> WheelRailSettings:
    """Plain cones by name on 60E1 heads."""
    return WheelRailSettings(wheel=cone, wheel_right=right, cells=cells, friction=friction)


def shift_all(run: Running, shift: float) -> None:
    """Move all bodies to the left [m], wheelsets as they stand."""
    layout = run.model.layout
    for name in layout.frames:
        run.model.q[layout.index(f"{name}.r_y")] += shift


def drawn_rails(*, length: float, seed: int) -> Rails:
    """Straight track with irregularities that begin within its first metres."""
    drawn = realise(IrregularityConfig(seed=seed), s0=-50.0, length=length + 100.0)
    places = np.stack((drawn.y_left, drawn.z_left, drawn.y_right, drawn.z_right), axis=1)
    rough = faded_in(RoughRails(drawn.s0, drawn.step, places), first=15.0, length=40.0)
    return straight(length=length, rough=rough)


def rough_rails(columns: Sequence[Array], *, s0: float, step: float) -> RoughRails:
    """y and z of the left rail, y and z of the right one [m], at s0, s0 + step, ... [m]."""
    return RoughRails(s0, step, np.stack(columns, axis=1))
