"""A run begins in equilibrium: springs, gears and contacts as they are while the vehicle rolls steadily."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.running_cases import Contact, known, running, straight
from twin.contact.hertz import Material
from twin.core.arrays import G
from twin.vehicle.running import Running, RunSettings, WheelRailSettings, run
from twin.vehicle.statics import at_rest

SPEED = 10.0


def started(name: str, contact: Contact) -> Running:
    return running(name, straight(), speed=SPEED, settings=RunSettings(contact=contact))


def test_springs_carry_their_rest_loads_though_wheels_sink_into_their_rails() -> None:
    model = started("manchester", "elastic").model
    sunk = model.q - model.layout.rest
    heights = [i for i, name in enumerate(model.layout.coordinates) if name.endswith(".r_z")]
    assert (sunk[heights] < -5e-5).all()
    model.v[:], model.track[:], model.wrench[:] = 0.0, 0.0, 0.0
    frames = zip(model.layout.blocks, model.layout.frames, strict=True)
    bodies = [block for block, frame in frames if "wheelset" not in frame]
    forces = np.concatenate([model.accelerations()[block] for block in bodies])
    assert len(bodies) == 3
    assert np.abs(forces).max() < 1e-4


def test_wheel_loads_stay_within_half_a_percent_of_rest_from_the_first_step() -> None:
    record = run(started("manchester", "elastic"), 0.2)
    loads = np.array([load for pair in at_rest(known("manchester")[0]).wheel_loads.values() for load in pair])
    assert_allclose(record.wheel("Q"), np.broadcast_to(loads, record.wheel("Q").shape), rtol=5e-3)


def test_rotors_turn_as_their_gears_drive_them_and_no_gear_jolts_a_wheel() -> None:
    vehicle, model = known("feve3000")
    begun = started("feve3000", "knife")
    rotors = [body.name for body in vehicle.bodies if body.kind == "rotor"]
    rates = np.array([model.v[model.layout.index(f"{name}.angle")] for name in rotors])
    gear = next(each for each in vehicle.elements if each.kind == "gear")
    teeth = sorted(gear.teeth)
    wheel = SPEED / next(each.wheels.radius for each in vehicle.wheelsets if each.wheels is not None)
    assert_allclose(np.abs(rates), wheel * teeth[1] / teeth[0], rtol=1e-3)
    record = run(begun, 0.2)
    loads = np.array([load for pair in at_rest(vehicle).wheel_loads.values() for load in pair])
    assert_allclose(record.wheel("Q"), np.broadcast_to(loads, record.wheel("Q").shape), rtol=0.02)


SMALL = {
    "knife": RunSettings(contact="knife"),
    # steel does not shrink: against its mass a small wheel's contact is 50 times as stiff; damping goes with s^2.5
    "elastic": RunSettings(step=2e-5, wheel_rail=WheelRailSettings(material=Material(k_v=300.0))),
}


@pytest.mark.parametrize("contact", SMALL)
def test_vehicle_of_a_tenth_of_the_size_runs_on_rails_of_a_tenth(contact: str) -> None:
    record = run(running("scaled", straight(), speed=3.0, settings=SMALL[contact]), 0.1)
    assert record.stopped is None
    weight = known("scaled")[0].mass * G
    assert_allclose(record.wheel("Q").sum(axis=1)[-50:].mean(), weight, rtol=0.01)
