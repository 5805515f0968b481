"""Linearised on straight track, the equations are those one writes down by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.vehicle_cases import everything, wheelset
from twin.core.arrays import Array, G
from twin.vehicle.description import Body, Bushing, Vehicle, wheels_of
from twin.vehicle.library import VEHICLES
from twin.vehicle.mirrors import LEFT_RIGHT, Mirror, with_copies
from twin.vehicle.small_motion import small_motion, stiffness
from twin.vehicle.statics import at_rest
from twin.vehicle.symbolic import VehicleModel, derive, vehicle_model

K_X, K_Y, K_Z = 31e6, 3.9e6, 1.2e6
C_Z = 4e3
A, B, H, LOW = 1.28, 1.0, 0.6, 0.46
"""Half wheelbase, half distance of the springs, height of the bogie's centre of mass and of the springs [m]."""
MASS = 2600.0


def bogie(*, gravity: float) -> VehicleModel:
    """A bogie frame on four springs over two wheelsets."""
    frame = Body(name="bogie", kind="bogie", mass=MASS, inertia=(1700, 1500, 3000), position=(0, 0, H))
    spring = Bushing(
        name="spring 1 left",
        first="bogie",
        second="wheelset 1",
        at_first=(A, B, LOW),
        at_second=(A, B, LOW),
        stiffness=(K_X, K_Y, K_Z),
        damping=(0, 0, C_Z),
    )
    springs = with_copies((spring,), LEFT_RIGHT, Mirror(axis="x", words={" 1": " 2"}))
    bodies = (frame, wheelset("wheelset 1", A), wheelset("wheelset 2", -A))
    return vehicle_model(Vehicle(name="bogie", source="made", bodies=bodies, elements=springs), gravity=gravity)


def by_hand() -> tuple[Array, Array]:
    """Stiffness and damping of the bogie frame over s, r_y, r_z, roll, pitch, yaw, wheelsets held."""
    h = LOW - H
    K = 4 * np.diag([K_X, K_Y, K_Z, K_Z * B**2 + K_Y * h**2, K_Z * A**2 + K_X * h**2, K_X * B**2 + K_Y * A**2])
    K[0, 4] = K[4, 0] = 4 * K_X * h
    K[1, 3] = K[3, 1] = -4 * K_Y * h
    return K, 4 * C_Z * np.diag([0, 0, 1, B**2, A**2, 0])


def test_stiffness_and_damping_of_a_bogie_are_those_derived_by_hand() -> None:
    found = bogie(gravity=0.0).linearised()
    K, C = by_hand()
    assert_allclose(found.K[:6, :6], K, atol=1e-12 * K_X)
    assert_allclose(found.C[:6, :6], C, atol=1e-12 * C_Z)


def test_a_bogie_that_tilts_about_its_springs_is_an_inverted_pendulum_on_them() -> None:
    K = bogie(gravity=G).linearised().K[:6, :6]
    arm = H - LOW
    pitching, rolling = np.array([arm, 0, 0, 0, 1, 0]), np.array([0, -arm, 0, 1, 0, 0])
    assert pitching @ K @ pitching == pytest.approx(4 * K_Z * A**2 - MASS * G * arm, rel=1e-9)
    assert rolling @ K @ rolling == pytest.approx(4 * K_Z * B**2 - MASS * G * arm, rel=1e-9)
    assert_allclose(K, K.T, atol=1e-9 * K_X)


def test_stiffness_of_every_element_is_that_of_small_motions() -> None:
    vehicle = everything(damped=False)
    model = vehicle_model(vehicle, gravity=0.0)
    names = [name.replace("spin", "pitch") for name in model.layout.coordinates]
    motion = small_motion(vehicle)
    words = {"x": "s", "y": "r_y", "z": "r_z"}
    places = []
    for coordinate in motion.coordinates:
        hinged = vehicle.body(coordinate.body).parent is not None
        word = "angle" if hinged else words.get(coordinate.direction, coordinate.direction)
        places.append(names.index(f"{coordinate.body}.{word}"))
    linear = model.linearised()
    K = linear.K + linear.S @ mesh(model)
    expected = stiffness(vehicle, motion)
    assert_allclose(K[np.ix_(places, places)], expected, atol=1e-9 * np.abs(expected).max())


def mesh(model: VehicleModel) -> Array:
    """Internal states per coordinate at rest: the approach of the gears' teeth follows their rate."""
    return model.linearised().A_v


@pytest.mark.parametrize("name", ["everything", *VEHICLES])
def test_with_the_forces_of_the_rails_a_vehicle_rests(name: str) -> None:
    vehicle = VEHICLES[name]() if name in VEHICLES else everything()
    equations = derive(vehicle)
    layout, function = equations.layout, equations.function()
    wrench = np.zeros((len(layout.bodies), 6))
    for wheels, (left, right) in at_rest(vehicle).wheel_loads.items():
        arm = wheels_of(vehicle.body(wheels)).half_distance
        wrench[layout.bodies.index(wheels), 2:4] = left + right, (left - right) * arm
    sizes = [function.nnz_in(i) for i in range(5)]
    _, delta, rates = function(layout.rest, np.zeros(sizes[1]), np.zeros(sizes[2]), wrench.ravel(), np.zeros(sizes[4]))
    vertical = [layout.index(f"{body}.r_z") for body in layout.frames]
    assert_allclose(np.asarray(delta)[vertical], 0, atol=1e-9 * vehicle.mass)
    assert_allclose(delta, 0, atol=1e-8 * vehicle.mass)
    assert_allclose(rates, 0, atol=1e-12)
