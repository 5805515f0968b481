"""Units off by a thousand are found in every number of a vehicle that its motion depends on."""

import numpy as np
import pytest

from twin.core.errors import ConfigError
from twin.vehicle.description import AnyElement, Body, BumpStop, Bushing, Gear, LineDamper, TractionRod, Vehicle
from twin.vehicle.library import VEHICLES
from twin.vehicle.plausibility import check

HIDDEN = {("wheelset 1 left axle box rod", 1e-3), ("front bolster guide", 1e-3), ("wheelset 3 gear", 1e3)}
"""Still plausible when off: rods and guides beside stiff springs, and a mesh of 1 MN/m that is soft to begin with."""


@pytest.mark.parametrize("factor", [1e-3, 1e3])
@pytest.mark.parametrize("name", VEHICLES)
def test_masses_and_inertias_off_by_a_thousand_are_found(name: str, factor: float) -> None:
    vehicle = VEHICLES[name]()
    for kind in {body.kind for body in vehicle.bodies}:
        for axis in (None, 0, 1, 2):
            bodies = tuple(_heavier(b, factor, axis) if b.kind == kind else b for b in vehicle.bodies)
            with pytest.raises(ConfigError, match=r"body '.*' ?.*: give it in kg"):
                check(vehicle.model_copy(update={"bodies": bodies}))


def _heavier(body: Body, factor: float, axis: int | None) -> Body:
    """With another mass, or another inertia about one axis."""
    if axis is None:
        return body.model_copy(update={"mass": body.mass * factor})
    inertia = tuple(value * factor if i == axis else value for i, value in enumerate(body.inertia))
    return body.model_copy(update={"inertia": inertia})


@pytest.mark.parametrize("factor", [1e-3, 1e3])
@pytest.mark.parametrize("name", VEHICLES)
def test_springs_dampers_stops_and_bars_off_by_a_thousand_are_found(name: str, factor: float) -> None:
    vehicle = VEHICLES[name]()
    for alike in _sorts(vehicle):
        if (alike[0].name, factor) in HIDDEN:
            continue
        names = {element.name for element in alike}
        elements = tuple(_stronger(e, factor) if e.name in names else e for e in vehicle.elements)
        with pytest.raises(ConfigError, match=r"(element|body) '.*: give (it|its curve|the stiffness of .*) in"):
            check(vehicle.model_copy(update={"elements": elements}))


@pytest.mark.parametrize("factor", [1e-3, 1e3])
@pytest.mark.parametrize("name", VEHICLES)
def test_damping_off_by_a_thousand_is_found(name: str, factor: float) -> None:
    vehicle = VEHICLES[name]()
    for alike in _sorts(vehicle):
        names = {e.name for e in alike if isinstance(e, Bushing | TractionRod | Gear) and np.any(e.damping)}
        if names:
            elements = tuple(_dampened(e, factor) if e.name in names else e for e in vehicle.elements)
            with pytest.raises(ConfigError, match=r"element '.*: damping = .*: give it in N s/m"):
                check(vehicle.model_copy(update={"elements": elements}))


def _dampened(element: AnyElement, factor: float) -> AnyElement:
    assert isinstance(element, Bushing | TractionRod | Gear)
    damping = np.multiply(element.damping, factor)
    return element.model_copy(update={"damping": tuple(damping) if damping.ndim else float(damping)})


@pytest.mark.parametrize("name", VEHICLES)
def test_places_in_millimetres_are_found(name: str) -> None:
    vehicle = VEHICLES[name]()
    for place, body in enumerate(vehicle.bodies):
        far = body.model_copy(update={"position": tuple(1e3 * x for x in body.position), "pivot": None})
        bodies = (*vehicle.bodies[:place], far, *vehicle.bodies[place + 1 :])
        with pytest.raises(ConfigError, match=rf"body '{body.name}': position has . = .*: give it in m"):
            check(vehicle.model_copy(update={"bodies": bodies}))


def _sorts(vehicle: Vehicle) -> list[list[AnyElement]]:
    """Elements that a file writes once: images of each other."""
    sorts: dict[str, list[AnyElement]] = {}
    for element in vehicle.elements:
        strength = element.model_dump_json(exclude={"name", "first", "second", "at_first", "at_second"})
        sorts.setdefault(strength, []).append(element)
    return list(sorts.values())


def _stronger(element: AnyElement, factor: float) -> AnyElement:
    if isinstance(element, Bushing):
        return element.model_copy(update={"stiffness": tuple(k * factor for k in element.stiffness)})
    if isinstance(element, LineDamper | BumpStop):
        return element.model_copy(update={"curve": tuple((x, force * factor) for x, force in element.curve)})
    return element.model_copy(update={"stiffness": element.stiffness * factor})
