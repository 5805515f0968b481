"""Equations of motion in track coordinates against Newton and Euler in the axes of the ground."""

from collections.abc import Callable
from functools import partial

import casadi as ca
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from tests.vehicle_cases import wheelset
from twin.core.arrays import Array, G
from twin.vehicle.description import Body, Bushing, Vehicle
from twin.vehicle.symbolic import VehicleModel, vehicle_model
from twin.vehicle.symbolic.motion import chain_motion
from twin.vehicle.symbolic.track import TrackFrame

BODY = Body(name="body", kind="bogie", mass=2600, inertia=(1700, 1500, 3000), position=(0, 0, 0.6))
WHEELSET = wheelset("wheelset", 0.0)
AHEAD = wheelset("ahead", 2.0)
RHO, SLOPE = np.array([0.01, -0.004, 1 / 90]), np.array([4e-4, 3e-4, -5e-4])
"""A track far worse than any: turns per metre and their slopes at s = 0."""
ROLL, PITCH = -0.11, 0.03
STEP = 1e-3
"""Of the central differences in time [s] and in coordinates."""


@pytest.fixture(scope="module")
def pair() -> VehicleModel:
    """A body and a wheelset held together by a hair."""
    hair = Bushing(
        name="hair",
        first="body",
        second="wheelset",
        at_first=(0, 0, 0.6),
        at_second=(0, 0, 0.6),
        stiffness=(1e-9, 1e-9, 1e-9),
        rotational_stiffness=(1e-9, 1e-9, 1e-9),
    )
    model = vehicle_model(Vehicle(name="pair", source="made", bodies=(BODY, WHEELSET), elements=(hair,)), gravity=0.0)
    assert model.layout.frames == ("body", "wheelset")
    return model


def rates(s: float) -> Array:
    """(4, 4) motion of the track frame per metre: T' = T rates."""
    x, y, z = RHO + SLOPE * s
    return np.array([[0, -z, y, 1], [z, 0, -x, 0], [-y, x, 0, 0], [0, 0, 0, 0.0]])


def exponential(A: Array) -> Array:
    """Of a small matrix, by its series."""
    total = np.eye(4)
    for order in range(12, 0, -1):
        total = np.eye(4) + A @ total / order
    return total


def track_pose(s: float) -> Array:
    """(4, 4) pose of the track frame on the ground, by a fourth-order Magnus series in four steps."""
    T, h = np.eye(4), s / 4
    T[:3, :3] = Rotation.from_euler("ZYX", [0.4, PITCH, ROLL]).as_matrix()
    for k in range(4):
        A, B = (rates(h * (k + 0.5 + node * np.sqrt(3) / 6)) for node in (-1, 1))
        T = T @ exponential(h / 2 * (A + B) + np.sqrt(3) / 12 * h**2 * (A @ B - B @ A))
    return T


def pose(q: Array, spins: bool) -> tuple[Array, Array]:
    """Centre of mass and axes of a body on the ground; spins: a wheelset, which turns about its own y at last."""
    T = track_pose(q[0])
    order = [("Z", q[5]), ("X", q[3]), ("Y", q[4])] if spins else [("Z", q[5]), ("Y", q[4]), ("X", q[3])]
    R = T[:3, :3]
    for axis, angle in order:
        R = R @ Rotation.from_euler(axis, angle).as_matrix()
    return T[:3, 3] + T[:3, :3] @ [0.0, q[1], q[2]], R


def derivative(of: Callable[[float], Array], step: float = STEP) -> Array:
    return (8 * (of(step) - of(-step)) - of(2 * step) + of(-2 * step)) / (12 * step)


def vee(S: Array) -> Array:
    return np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]) / 2


def newton_euler(body: Body, q: Array, v: Array, a: Array) -> Array:
    """(6,) generalised inertia forces of a motion with rates v and accelerations a, from positions alone."""
    spins = body.kind == "wheelset"

    def state(t: float) -> tuple[Array, Array]:
        return pose(q + v * t + a * t**2 / 2, spins)

    def momentum(t: float) -> tuple[Array, Array]:
        R = state(t)[1]
        omega = vee(derivative(lambda dt: state(t + dt)[1]) @ R.T)
        return derivative(lambda dt: state(t + dt)[0]), R @ np.diag(body.inertia) @ R.T @ omega

    force = body.mass * derivative(lambda t: momentum(t)[0])
    moment = derivative(lambda t: momentum(t)[1])
    R = state(0.0)[1]

    def moved(k: int, e: float) -> tuple[Array, Array]:
        return pose(q + e * np.eye(6)[k], spins)

    ways = [derivative(partial(lambda k, e: moved(k, e)[0], k)) for k in range(6)]
    turns = [vee(derivative(partial(lambda k, e: moved(k, e)[1], k)) @ R.T) for k in range(6)]
    return np.array(ways) @ force + np.array(turns) @ moment


@pytest.mark.parametrize("body", [BODY, WHEELSET], ids=lambda body: body.name)
@pytest.mark.parametrize("seed", range(3))
def test_track_relative_inertia_is_that_of_newton_and_euler_on_the_ground(
    pair: VehicleModel, body: Body, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    q = np.array([0.0, 0.3, 0.7, 0, 0, 0]) + np.array([0, 0.2, 0.2, 0.3, 0.3, 0.3]) * rng.standard_normal(6)
    v = np.array([30, 1, 1, 0.5, 0.5, 0.5]) * rng.standard_normal(6) + [0, 0, 0, 0, 10 * (body is WHEELSET), 0]
    a = rng.standard_normal(6)
    place = pair.layout.frames.index(body.name)
    block = pair.layout.blocks[place]
    pair.q[block], pair.v[block] = q, v
    pair.track[place] = [*RHO, *SLOPE, ROLL, PITCH, 0, 0, 0, 0.4]
    pair.evaluate()
    M = pair.layout.matrix(pair.M)[block, block]
    expected = newton_euler(body, q, v, a)
    assert_allclose(M @ a - pair.delta[block], expected, rtol=2e-6, atol=2e-7 * np.abs(expected).max())


def spring_energy(spring: Bushing, q: Array) -> float:
    """Of a spring between body and wheelset, q (12,), from their poses on the ground."""
    (r_1, R_1), (r_2, R_2) = pose(q[:6], spins=False), pose(np.array([*q[6:10], 0.0, q[11]]), spins=True)
    arm_1, arm_2 = np.subtract(spring.at_first, BODY.position), np.subtract(spring.at_second, AHEAD.position)
    u = R_1.T @ (r_2 + R_2 @ arm_2 - r_1) - arm_1 - np.subtract(spring.at_second, spring.at_first)
    k = np.array(spring.rotational_stiffness)
    return float(u**2 @ spring.stiffness / 2 + (k.sum() / 2 - k) @ (1 - np.diag(R_1.T @ R_2)))


def test_a_spring_over_a_twisting_canted_curve_pulls_as_its_energy_on_the_ground_says() -> None:
    spring = Bushing(
        name="spring",
        first="body",
        second="ahead",
        at_first=(0.5, 0.4, 0.9),
        at_second=(1.5, 0.4, 0.5),
        stiffness=(1e6, 2e6, 3e6),
        rotational_stiffness=(1e5, 2e5, 3e5),
    )
    vehicle = Vehicle(name="two", source="made", bodies=(BODY, AHEAD), elements=(spring,))
    model = vehicle_model(vehicle, gravity=0.0)
    model.q += 0.05 * np.random.default_rng(8).standard_normal(12)
    for place, s in enumerate(model.q[[0, 6]]):
        R = track_pose(s)[:3, :3]
        roll, pitch = np.arctan2(R[2, 1], R[2, 2]), -np.arcsin(R[2, 0])
        x, y, z = track_pose(s)[:3, 3]
        heading = np.arctan2(R[1, 0], R[0, 0])
        model.track[place] = [*(RHO + SLOPE * s), *SLOPE, roll, pitch, x - s, y, z, heading]
    model.evaluate()
    q = model.q.copy()
    slope = [
        derivative(partial(lambda k, e: np.array(spring_energy(spring, q + e * np.eye(12)[k])), k)) for k in range(12)
    ]
    assert_allclose(model.delta, -np.array(slope), atol=1e-5 * np.abs(slope).max())


def test_velocities_of_a_body_are_those_escalona_prints() -> None:
    """[Esc eq. 10]: three curvatures of 1/30, r_y -0.1 m, r_z 2 m, angles of 0.1 rad, whose squares it drops."""
    q, v = ca.SX([0, -0.1, 2, 0.1, -0.1, 0.1]), ca.SX.sym("v", 6)
    frame = TrackFrame.from_numbers(ca.SX([1 / 30] * 3 + [0] * 9))
    (motion,) = chain_motion([BODY], 0, q=q, v=v, frame=frame).bodies
    rates = ca.vertcat(motion.centre.v_t, motion.basis.against(motion.turning.omega_t))
    per_metre = np.asarray(ca.DM(ca.jacobian(rates, v[0]))).ravel()
    printed, half_a_place = [1.07, -0.07, -0.003, 0.04, 0.033, 0.027], [5e-3, 5e-3, 5e-4, 5e-3, 5e-4, 1e-3]
    assert (np.abs(per_metre - printed) < half_a_place).all()


def test_a_body_on_a_canted_curve_feels_the_curve_and_its_weight_across_the_canted_plane() -> None:
    hair = Bushing(
        name="hair",
        first="body",
        second="wheelset",
        at_first=(0, 0, 0.6),
        at_second=(0, 0, 0.6),
        stiffness=(1, 1, 1),
        rotational_stiffness=(1, 1, 1),
    )
    model = vehicle_model(Vehicle(name="light", source="made", bodies=(BODY, WHEELSET), elements=(hair,)))
    speed, curvature, cant, height = 25.0, 1 / 300, -0.1, 0.6
    rho_h, rho_v = curvature * np.cos(cant), curvature * np.sin(cant)
    model.track[:] = [0, rho_v, rho_h, 0, 0, 0, cant, 0, 0, 0, 0, 0]
    model.q[:] = 0
    model.q[[2, 8]] = height, WHEELSET.position[2]
    model.v[[0, 6]] = speed
    model.evaluate()
    radius = 1 / curvature + height * np.sin(cant)  # the body leans inwards and runs on a smaller circle
    outward = BODY.mass * (speed * radius * curvature) ** 2 / radius
    across, above = model.delta[1], model.delta[2]
    weight = BODY.mass * G
    preload = weight  # the hair carries the body at rest, along its axis
    assert across == pytest.approx(-outward * np.cos(cant) - weight * np.sin(cant), rel=1e-9)
    assert above == pytest.approx(outward * np.sin(cant) - weight * np.cos(cant) + preload, rel=1e-9)
