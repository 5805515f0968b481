"""The linear vehicles against the nonlinear one: contacts, straight irregular track, and a state space about a run."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.benchmarks.vehicle_figure import rms, rough_rails, straight
from twin.core.arrays import Array
from twin.vehicle.contact_slopes import NOTHING, DifferenceSteps, WheelsetContact, WheelsetState
from twin.vehicle.description import wheels_of
from twin.vehicle.library import vehicle
from twin.vehicle.linear import StateSpace
from twin.vehicle.linear_contact import Spread, wheel_rails
from twin.vehicle.linear_curving import CurvingVehicle, steady_state
from twin.vehicle.linear_runs import Ride, fitted_to_ride
from twin.vehicle.running import Rails, Record, Running, RunSettings, WheelRailSettings, rails_between, run
from twin.vehicle.running.contacts import ElasticContacts
from twin.vehicle.symbolic import NUMBERS, VehicleModel, vehicle_model
from twin.vehicle.wheel_rail import WheelRail

SPEED = 30.0
WHEELSETS = tuple(f"wheelset {i}" for i in (1, 2, 3, 4))


@cache
def model() -> VehicleModel:
    return vehicle_model(vehicle("manchester"))


def running(rails: Rails) -> Running:
    settings = RunSettings(contact="elastic", step=5e-4, wheel_rail=WheelRailSettings(wheel="cone-20"))
    return Running(vehicle("manchester"), rails, speed=SPEED, s=0.0, settings=settings, model=model())


def smooth() -> Running:
    return running(rails_between(straight(100.0), None, first=-50.0, last=100.0))


def linear_contact(spread: Spread) -> WheelRail:
    return wheel_rails(vehicle("manchester"), smooth().pairs, spread=spread)[0]


def seated() -> tuple[WheelsetContact, WheelsetState]:
    """The first wheelset in the middle of straight track, rolling freely."""
    started = smooth()
    assert isinstance(started.contacts, ElasticContacts)
    start = started.model.layout.index("wheelset 1.s")
    v = np.array([SPEED, 0.0, 0.0, 0.0, SPEED / 0.46, 0.0])
    state = WheelsetState(started.model.q[start : start + 6].copy(), v, np.zeros(4), np.zeros(4))
    contact, turning = WheelsetContact(started.contacts.wheels, 0, np.zeros(len(NUMBERS))), np.eye(6)[4]
    for _ in range(3):  # the contacts lie on another radius than the rolling circle
        braking = contact.slope(state, NOTHING._replace(v=turning), 1e-3)[4]
        state = state._replace(v=state.v - turning * contact.wrench(state)[4] / braking)
    return contact, state


def test_spin_takes_most_of_the_lateral_force_that_inclined_normal_forces_make_of_a_moved_load() -> None:
    """F_y = -2 dN delta (1 - kappa) and M_x = 2 dN l0 + r0 F_y, of a wheelset that rolls into its left rail."""
    contact, state = seated()
    found = contact.slopes(state, DifferenceSteps())
    lateral, moment = found.q[1, 3], found.q[3, 3]
    linear, wheels = linear_contact(Spread.normal(shift=1e-3)), wheels_of(vehicle("manchester").wheelsets[0])
    assert 0.7 < linear.spin_share < 0.9
    inclined = linear.contact_angle * (1 - linear.spin_share)
    expected = -inclined / (wheels.half_distance - wheels.radius * inclined)
    assert lateral / moment == pytest.approx(expected, rel=0.15)


def test_creep_coefficients_are_the_slopes_of_the_compiled_contact() -> None:
    contact, state = seated()
    found, linear = contact.slopes(state, DifferenceSteps(creep=1e-5)), linear_contact(Spread.normal(shift=1e-4))
    assert -found.v[0, 0] * SPEED / 2 == pytest.approx(linear.f11, rel=0.04)
    assert -found.v[1, 1] * SPEED / 2 == pytest.approx(linear.f22, rel=0.04)


def test_wider_creepages_find_less_grip() -> None:
    narrow, wide = (linear_contact(Spread.normal(shift=1e-3, xi=sd, eta=sd)) for sd in (1e-5, 5e-4))
    assert wide.f11 < 0.97 * narrow.f11
    assert wide.f22 < 0.97 * narrow.f22


def test_cones_on_irregular_track_stand_within_5_percent_of_the_nonlinear_vehicle() -> None:
    rails = rough_rails(straight(SPEED * 8.0 + 100.0), seed=5)
    started = running(rails)
    record: Record = run(started, 8.0)
    assert record.stopped is None
    found, states = fitted_to_ride(started.vehicle, started.pairs, Ride(rails, SPEED, 0.0, record.t))
    coordinates = found.at(SPEED, "lateral").coordinates
    for name in WHEELSETS:
        linear, nonlinear = states[:, coordinates.index(f"{name}.r_y")], record[f"{name}.r_y"]
        assert rms(linear - nonlinear) < 0.05 * rms(nonlinear)


@pytest.fixture(scope="module")
def about_straight() -> StateSpace:
    started = smooth()
    steady = steady_state(started, samples=200)
    assert steady.on_flange == ()
    assert isinstance(started.contacts, ElasticContacts)
    return CurvingVehicle(started.vehicle, started.contacts.wheels).about(steady)


def test_rails_shifted_or_raised_as_a_whole_take_the_vehicle_with_them(about_straight: StateSpace) -> None:
    for rough, word in (("alignment", "r_y"), ("level", "r_z")):
        for name, value in about_straight.steady(about_straight.input({rough: 0.01})).items():
            assert value == pytest.approx(0.01 if name.endswith(word) else 0.0, abs=1e-4), name


def test_a_state_space_about_a_steady_state_is_stable_and_steps_in_time(about_straight: StateSpace) -> None:
    assert np.linalg.eigvals(about_straight.A).real.max() < 0
    Phi, Gamma = about_straight.stepped(1e-3)
    u = about_straight.input({"alignment": 1e-3})
    x: Array = np.linalg.solve(np.eye(Phi.shape[0]) - Phi, Gamma @ u)
    assert_allclose(about_straight.A @ x + about_straight.B @ u, 0.0, atol=1e-6)
