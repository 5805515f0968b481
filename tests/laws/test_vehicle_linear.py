"""Laws of the linear vehicle: Klingel's wave, curving, rails that move as a whole, and the equations it comes from."""

import math
from functools import cache

import casadi as ca
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from twin.core.arrays import Array, G
from twin.vehicle.description import Body, Bushing, Vehicle, Wheels, wheels_of
from twin.vehicle.library import vehicle
from twin.vehicle.linear import TRACK, Block, LinearVehicle, StateSpace
from twin.vehicle.mirrors import LEFT_RIGHT, Mirror, with_copies
from twin.vehicle.statics import at_rest
from twin.vehicle.symbolic import NUMBERS, Layout, between_by_series, derive
from twin.vehicle.wheel_rail import WheelRail, cones

CREEP = {"f11": 9.68e6, "f22": 8.81e6, "f23": 2.02e4, "f33": 55.0}
"""Of the Manchester vehicle: 54.5 kN, wheel 0.46 m on a crown of 0.3 m."""
R0, L0 = 0.46, 0.75


@cache
def manchester(conicity: float) -> LinearVehicle:
    return LinearVehicle(vehicle("manchester"), [cones(conicity=conicity, half_distance=L0, **CREEP)] * 4)


def light_frame() -> Vehicle:
    """A frame that hardly holds the two wheelsets below it."""
    wheels = Wheels(radius=R0, half_distance=L0)
    first = Body(
        name="wheelset 1", kind="wheelset", mass=1813, inertia=(1120, 112, 1120), position=(1.28, 0, R0), wheels=wheels
    )
    frame = Body(name="frame", kind="bogie", mass=1, inertia=(1, 1, 1), position=(0, 0, 0.6))
    at = (1.28, 1.0, 0.6)
    soft = Bushing(
        name="spring 1 left", first="frame", second="wheelset 1", at_first=at, at_second=at, stiffness=(1e-3, 1e-3, 1)
    )
    mirror = Mirror(axis="x", words={" 1": " 2"})
    springs = with_copies((soft,), LEFT_RIGHT, mirror)
    return Vehicle(name="two", source="made", bodies=(frame, *with_copies((first,), mirror)), elements=springs)


@pytest.mark.parametrize("conicity", [0.05, 0.2])
def test_a_free_wheelset_runs_in_klingels_wave(conicity: float) -> None:
    model = LinearVehicle(light_frame(), [cones(conicity=conicity, half_distance=L0, **CREEP)] * 2, gravity=0.0)
    speed = 2.0
    values = np.linalg.eigvals(model.at(speed, "lateral").A)
    rate = 2 * math.pi / math.sqrt(R0 * L0 / conicity) * speed / (2 * math.pi)
    nearest = values[np.abs(values - 1j * rate).argmin()]
    assert nearest.imag == pytest.approx(rate, rel=0.02)
    assert abs(nearest.real) < 0.02 * rate


def test_creep_forces_on_a_wheelset_are_those_of_the_textbook() -> None:
    """DESIGN 7; a wheelset that does not roll as it shifts."""
    speed, conicity = 30.0, 0.1
    f11, f22, f23, f33 = CREEP.values()
    model = LinearVehicle(light_frame(), [WheelRail(conicity=conicity, **CREEP)] * 2, gravity=0.0)
    space = model.at(speed, "lateral")
    y, yaw = (space.coordinates.index(f"wheelset 1.{word}") for word in ("r_y", "yaw"))
    pair = np.ix_([y, yaw], [y, yaw])
    assert_allclose(
        space.C[pair] * speed, [[2 * f22, 2 * f23], [-2 * f23, 2 * f11 * L0**2 + 2 * f33]], rtol=1e-9, atol=1e-6
    )
    assert_allclose(space.K[pair], [[0, -2 * f22], [2 * f11 * L0 * conicity / R0, 2 * f23]], rtol=1e-9, atol=0.01)
    turned = space.B[len(space.coordinates) :, space.inputs.index("wheelset 1.rho_h")]
    force = space.M[[y, yaw]] @ turned
    expected = [-2 * f23 - 1813 * speed**2, -2 * f11 * L0**2 - 2 * f33]
    assert_allclose(force, expected, rtol=1e-6)


def test_leading_wheelset_in_a_wide_curve_stands_where_a_rigid_bogie_says() -> None:
    """R 5000 m, cones 0.05, cant that balances: r0 (l0^2 + a^2) / (lambda l0 R) = 5.40 mm to the outside.

    Ours stands 0.26 mm (4.9 %) further out: the primary springs give to the lateral creep forces (4.2 kN).
    """
    speed, R, a = 20.0, 5000.0, 1.28
    space = manchester(0.05).at(speed, "lateral")
    found = space.steady(space.input({"rho_h": 1 / R, "roll": -(speed**2) / (G * R)}))
    assert found["wheelset 1.r_y"] == pytest.approx(-R0 * (L0**2 + a**2) / (0.05 * L0 * R), rel=0.05)


def test_wheel_loads_are_the_weight() -> None:
    found = vehicle("manchester")
    assert sum(map(sum, at_rest(found).wheel_loads.values())) == pytest.approx(found.mass * G, rel=1e-12)


@pytest.mark.parametrize(("block", "rough", "word"), [("lateral", "alignment", "r_y"), ("vertical", "level", "r_z")])
def test_rails_shifted_as_a_whole_shift_the_vehicle(block: Block, rough: str, word: str) -> None:
    space = manchester(0.1).at(30.0, block)
    for name, value in space.steady(space.input({rough: 0.01})).items():
        assert value == pytest.approx(0.01 if name.endswith(word) else 0.0, abs=1e-9)


def test_cross_level_everywhere_is_cant() -> None:
    """The plane of the rails rolled by gamma: as irregularity of level track, and as roll of the track frame."""
    model, gamma = manchester(0.1), 1e-3
    space = model.at(30.0, "lateral")
    rolled = space.steady(space.input({"roll": gamma}))
    crossed = space.steady(space.input({"cross_level": 2 * L0 * gamma}))
    for name, value in rolled.items():
        body, word = name.rsplit(".", 1)
        height = model.vehicle.body(body).position[2]
        turned = {"r_y": -gamma * height, "roll": gamma, "yaw": 0.0}[word]
        assert crossed[name] == pytest.approx(value + turned, abs=2e-8)


@pytest.mark.parametrize("name", ["manchester", "crh380a"])
@pytest.mark.parametrize("block", ["lateral", "vertical"])
def test_without_creep_the_block_accelerates_as_the_full_equations(name: str, block: Block) -> None:
    """Small random motion on randomly curved and canted track, wheelsets straight on it."""
    step, space = 1e-6, frictionless(name).at(30.0, block)
    n, random = len(space.coordinates), np.random.default_rng(4)
    q, v = (step * random.standard_normal(n) for _ in range(2))
    numbers = {i: step * random.standard_normal() for i, at in enumerate(space.inputs) if _of_track(at, block)}
    u = np.zeros(len(space.inputs))
    u[list(numbers)] = list(numbers.values())
    x = np.concatenate([q, v, np.zeros(space.A.shape[0] - 2 * n)])
    linear = space.M @ (space.A @ x + space.B @ u)[n : 2 * n]
    forces = [_full_forces(name, space, sign * q, sign * v, sign * u) for sign in (1, -1)]
    exact = (forces[0] - forces[1]) / 2
    assert_allclose(linear, exact, atol=1e-5 * np.abs(exact).max())


def _of_track(name: str, block: Block) -> bool:
    return name.rsplit(".", 1)[1] in TRACK[block]


@cache
def frictionless(name: str) -> LinearVehicle:
    return LinearVehicle(vehicle(name), [WheelRail(conicity=0.0, f11=1e-9, f22=1e-9)] * 4)


@cache
def equations_of(name: str) -> tuple[Layout, ca.Function]:
    equations = derive(vehicle(name), between=between_by_series)
    return equations.layout, equations.function()


def _full_forces(name: str, space: StateSpace, q: Array, v: Array, u: Array) -> Array:
    found, (layout, function) = vehicle(name), equations_of(name)
    places = [layout.index(at) for at in space.coordinates]
    q_all, v_all = layout.rest.copy(), np.zeros(len(layout.coordinates))
    for wheelset in found.wheelsets:
        v_all[layout.index(f"{wheelset.name}.spin")] = space.speed / wheels_of(wheelset).radius
    for body in layout.frames:
        v_all[layout.index(f"{body}.s")] = space.speed
    q_all[places] += q
    v_all[places] += v
    track = np.zeros((len(layout.frames), len(NUMBERS)))
    for at, value in zip(space.inputs, u, strict=True):
        body, word = at.rsplit(".", 1)
        if word in NUMBERS:
            track[layout.frames.index(body), NUMBERS.index(word)] = value
    wrench, states = np.zeros(6 * len(layout.bodies)), np.zeros(len(layout.states))
    _, delta, _ = function(q_all, v_all, track.ravel(), wrench, states)
    return np.asarray(delta).ravel()[places]


def test_a_step_of_time_is_the_integral_of_the_state_space() -> None:
    space, dt = manchester(0.1).at(40.0, "lateral"), 0.05
    random = np.random.default_rng(1)
    x = np.asarray(1e-3 * random.standard_normal(space.A.shape[0]))
    force = space.B @ (u := 1e-3 * random.standard_normal(space.B.shape[1]))
    Phi, Gamma = space.stepped(dt)

    def slope(_: float, state: Array) -> Array:
        return np.asarray(space.A @ state + force)

    path = solve_ivp(slope, (0, dt), x, method="LSODA", rtol=1e-9, atol=1e-12)
    assert_allclose(Phi @ x + Gamma @ u, path.y[:, -1], rtol=1e-6, atol=1e-7)


def test_a_schedule_holds_the_steps_of_its_speeds() -> None:
    model = manchester(0.1)
    Phi, Gamma = model.schedule([20.0, 40.0], "vertical", dt=1e-3)
    for k, speed in enumerate((20.0, 40.0)):
        one = model.at(speed, "vertical").stepped(1e-3)
        assert_allclose(Phi[k], one[0], rtol=1e-14)
        assert_allclose(Gamma[k], one[1], rtol=1e-14)
