"""What loaded and moving wheels must obey: balance, mirror, reversal, friction, energy, and limits of small motions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.contact.creep import Friction, rolling_patch
from twin.contact.hertz import Ellipse, Material
from twin.contact.pair import pair
from twin.contact.points import Pose, Side
from twin.contact.pressed import PressedWheel, press, press_wheelset
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.seating import WheelsetPair, seat
from twin.contact.wheel_forces import (
    APPROACH,
    ETA,
    F_X,
    F_Y,
    M_Z,
    PHI,
    XI,
    A,
    B,
    Motion,
    N,
    WheelForces,
    contact_law,
    straight_rolling,
    wheel_forces,
)
from twin.core.arrays import Array

STEEL, DRY = Material(), Friction()
LAW = contact_law(STEEL, DRY)
UNDAMPED = contact_law(Material(k_v=0.0), DRY)
WHEEL = wheel_curve(wheel_profile("S1002"))
PAIRS = {cant: pair(WHEEL, laid_rail(rail_profile("60E1-EN"), cant=cant)) for cant in (1 / 40, 1 / 20)}
CANTS = tuple(PAIRS)
STANDARD = PAIRS[1 / 40]
WHEELSET = WheelsetPair(STANDARD, STANDARD)
HALF_TURN = np.array([-1.0, -1.0, 1.0, -1.0, -1.0, 1.0])
"""Signs of a vector and a moment turned about z by half a turn."""


def axle(pose: Pose) -> Array:
    """l = R2 (0, 1, 0)."""
    return np.array([-np.sin(pose.yaw) * np.cos(pose.roll), np.cos(pose.yaw) * np.cos(pose.roll), np.sin(pose.roll)])


def rolling(pose: Pose, speed: float, radius: float = 0.46) -> Motion:
    """Straight ahead, turning about the axle alone."""
    return Motion(speed, 0.0, 0.0, *map(float, speed / radius * axle(pose)))


def random_pose(rng: np.random.Generator, cant: float = 1 / 40) -> Pose:
    """Pressed in by up to 0.15 mm, tread and flange."""
    wheelset = WheelsetPair(PAIRS[cant], PAIRS[cant])
    pose = seat(wheelset, y=rng.uniform(-7e-3, 7e-3), yaw=rng.uniform(-0.01, 0.01)).pose
    return pose._replace(G_z=pose.G_z - rng.uniform(1e-6, 1.5e-4))


def random_motion(rng: np.random.Generator, pose: Pose, *, slowest: float = 0.01) -> Motion:
    """Rolling either way, from adhesion to skidding."""
    v_x = rng.choice([-1, 1]) * rng.uniform(slowest, 40.0)
    slip = 10 ** rng.uniform(-5, -1.5)
    omega = v_x / 0.46 * (1 + slip * rng.normal()) * axle(pose) + v_x * slip * rng.normal(0, 0.3, 3)
    return Motion(v_x, *map(float, (*(v_x * slip * rng.normal(0, 1, 2)), *omega)))


def friction_power(found: WheelForces, motion: Motion) -> Array:
    """-(F_x xi + F_y eta + M_z phi) V of each patch (n,) [W]."""
    rows = found.patches
    fed = rows[:, F_X] * rows[:, XI] + rows[:, F_Y] * rows[:, ETA] + rows[:, M_Z] * rows[:, PHI]
    return np.asarray(-fed * max(float(np.linalg.norm(motion[:3])), DRY.v_floor))


def carried(wheel: PressedWheel) -> float:
    """Sum of the zones' vertical forces [N]."""
    return float(np.sum(wheel.zones.N * np.cos(wheel.zones.contact_angle)))


@pytest.mark.parametrize("cant", CANTS)
@pytest.mark.parametrize("side", Side)
def test_the_zones_of_a_pressed_wheel_carry_its_load(cant: float, side: Side) -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        load = 10 ** rng.uniform(0, 5.3)
        assert carried(press(PAIRS[cant], random_pose(rng, cant), load=load, material=STEEL, side=side)) == (
            pytest.approx(load, rel=1e-8)
        )


def test_a_pressed_wheelset_carries_both_loads_at_one_roll_and_height() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        y, yaw = rng.uniform(-8e-3, 8e-3), rng.uniform(-0.01, 0.01)
        loads = rng.uniform(1e4, 9e4), rng.uniform(1e4, 9e4)
        pressed = press_wheelset(WHEELSET, y=y, yaw=yaw, loads=loads, material=STEEL)
        for wheel, side, load in zip(pressed, Side, loads, strict=True):
            assert carried(wheel) == pytest.approx(load, rel=1e-6)
            alone = press(STANDARD, wheel.pose, load=load, material=STEEL, side=side)
            assert alone.pose.G_z == pytest.approx(wheel.pose.G_z, abs=1e-10)


@pytest.mark.parametrize("cant", CANTS)
@pytest.mark.parametrize("load", [1e4, 6e4, 1.2e5])
def test_a_wheelset_finds_rest_in_every_position_and_the_flange_lifts_it_all_the_way(load: float, cant: float) -> None:
    """Between two positions on the tread its height changes by less than the shift: nothing gives way there."""
    wheelset = WheelsetPair(PAIRS[cant], PAIRS[cant])
    positions = np.linspace(-8e-3, 8e-3, 801)
    poses = [press_wheelset(wheelset, y=y, loads=(load, load), material=STEEL)[0].pose for y in positions]
    heights = np.array([pose.G_z for pose in poses])
    shift = positions[1] - positions[0]
    tread = np.abs(positions[1:]) < 6e-3
    climbed = np.abs(np.diff(heights))
    assert climbed[tread].max() < shift
    assert np.all(np.diff(heights)[positions[1:] > 6e-3] > 0)
    assert_allclose(heights, heights[::-1], atol=1e-9)


def test_a_vanishing_load_gives_the_rigid_seating() -> None:
    rng = np.random.default_rng(2)
    for _ in range(30):
        y, yaw = rng.uniform(-7e-3, 7e-3), rng.uniform(-0.01, 0.01)
        rigid = seat(WHEELSET, y=y, yaw=yaw).pose
        # the approach goes with the load to the power 2/3, down to what the cubics of the scan miss of the profiles
        for load, sunk in ((1.0, 8e-7), (1e-3, 1e-7), (1e-6, 1e-7)):
            pressed = press_wheelset(WHEELSET, y=y, yaw=yaw, loads=(load, load), material=STEEL)[0].pose
            assert pressed.G_z == pytest.approx(rigid.G_z, abs=sunk)
            assert pressed.roll == pytest.approx(rigid.roll, abs=sunk)


def test_a_heavier_wheel_sits_lower_and_on_a_larger_patch() -> None:
    pose = Pose(3e-3, 0.0)
    heights, areas = zip(
        *(
            (wheel.pose.G_z, sum(each.a * each.b for each in wheel.patches))
            for wheel in (press(STANDARD, pose, load=load, material=STEEL) for load in (1e3, 1e4, 5e4, 1e5))
        ),
        strict=True,
    )
    assert np.all(np.diff(heights) < 0)
    assert np.all(np.diff(areas) > 0)


def test_a_mirrored_wheel_exerts_the_mirrored_wrench() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        pose = random_pose(rng)
        motion = random_motion(rng, pose)
        left = wheel_forces(STANDARD, pose, motion, LAW, side=Side.LEFT)
        right = wheel_forces(STANDARD, pose.mirrored(), motion.mirrored(), LAW, side=Side.RIGHT)
        assert right.wrench == left.wrench.mirrored()
        assert_allclose(right.patches[:, [A, B, N, XI, F_X]], left.patches[:, [A, B, N, XI, F_X]], rtol=0)
        assert_allclose(right.patches[:, [ETA, PHI, F_Y, M_Z]], -left.patches[:, [ETA, PHI, F_Y, M_Z]], rtol=0)


@pytest.mark.parametrize("slowest", [1.0, 0.001])
def test_a_wheelset_turned_end_for_end_exerts_the_turned_wrench(slowest: float) -> None:
    """Half a turn about z: the left wheel becomes the right one, forward running backward."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        pose = random_pose(rng)
        motion = random_motion(rng, pose, slowest=slowest)
        if slowest < 0.5:
            motion = Motion(*(0.01 * value for value in motion))
        turned = Motion(*map(float, HALF_TURN * motion))
        left = wheel_forces(STANDARD, pose, motion, LAW, side=Side.LEFT)
        right = wheel_forces(STANDARD, Pose(-pose.G_y, pose.G_z, pose.yaw, -pose.roll), turned, LAW, side=Side.RIGHT)
        load = left.patches[:, N].sum()
        assert_allclose(right.wrench, HALF_TURN * left.wrench, atol=1e-9 * load)


def test_spin_pushes_a_wheel_the_same_way_across_forward_and_backward() -> None:
    """Spin about the normal reverses with the running, and so does which edge leads: the side force stays."""
    pose = seat(WHEELSET, y=0.0).pose
    pose = pose._replace(G_z=pose.G_z - 5e-5)
    ahead, back = (wheel_forces(STANDARD, pose, rolling(pose, v), LAW) for v in (20.0, -20.0))
    assert ahead.patches[0, F_Y] != 0
    assert_allclose(back.patches[:, F_Y], ahead.patches[:, F_Y], rtol=1e-9)
    assert_allclose(back.patches[:, F_X], -ahead.patches[:, F_X], rtol=1e-9, atol=1e-9)


def test_forces_pass_through_standstill_without_a_jump() -> None:
    pose = seat(WHEELSET, y=5.5e-3, yaw=2e-3).pose
    pose = pose._replace(G_z=pose.G_z - 5e-5)
    turning = Motion(0.0, 0.0, 0.0, 0.0, 0.02, 0.05)  # spins on the spot
    step = 1e-9
    before, at, after = (
        np.array(wheel_forces(STANDARD, pose, turning._replace(v_x=v), LAW).wrench) for v in (-step, 0.0, step)
    )
    assert_allclose(before, at, atol=0.01)
    assert_allclose(after, at, atol=0.01)


@pytest.mark.parametrize("cant", CANTS)
def test_friction_never_exceeds_mu_n_and_never_feeds_energy_in(cant: float) -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        pose = random_pose(rng, cant)
        motion = random_motion(rng, pose)
        found = wheel_forces(PAIRS[cant], pose, motion, LAW, side=rng.choice(np.array(Side)))
        limit = DRY.mu * found.patches[:, N]
        assert np.all(np.hypot(found.patches[:, F_X], found.patches[:, F_Y]) <= limit * (1 + 1e-12))
        assert np.all(friction_power(found, motion) >= 0)


def test_the_wrench_takes_from_the_motion_what_friction_turns_into_heat() -> None:
    rng = np.random.default_rng(6)
    for _ in range(100):
        pose = random_pose(rng)
        motion = random_motion(rng, pose, slowest=1.0)
        found = wheel_forces(STANDARD, pose, motion, UNDAMPED)
        normal_only = wheel_forces(STANDARD, pose, motion, UNDAMPED._replace(mu=0.0))
        tangential = np.subtract(found.wrench, normal_only.wrench)
        power = float(tangential @ np.array(motion))
        heat = friction_power(found, motion).sum()
        assert power == pytest.approx(-heat, rel=1e-9, abs=1e-9 * DRY.mu * found.patches[:, N].sum() * abs(motion.v_x))
        assert power <= 0


def test_an_approaching_wheel_is_pushed_back_harder_and_a_parting_one_is_not_held() -> None:
    pose = seat(WHEELSET, y=2e-3).pose
    pose = pose._replace(G_z=pose.G_z - 5e-5)
    moving = rolling(pose, 20.0)
    still, down, up = (
        wheel_forces(STANDARD, pose, moving._replace(v_z=v), LAW).patches[0, N] for v in (0.0, -0.1, 0.1)
    )
    angle = wheel_forces(STANDARD, pose, moving, LAW).zones.contact_angle[0]
    assert down - still == pytest.approx(STEEL.k_v * 0.1 * np.cos(angle), rel=1e-9)
    assert up == pytest.approx(still, rel=1e-12)
    touching = pose._replace(G_z=pose.G_z + 5e-5 - 1e-9)
    assert wheel_forces(STANDARD, touching, moving._replace(v_z=0.5), LAW).wrench.F_z >= 0


def test_a_wheelset_rolling_straight_ahead_is_pushed_from_both_sides_alike() -> None:
    for cant in CANTS:
        pose = seat(WheelsetPair(PAIRS[cant], PAIRS[cant]), y=0.0).pose
        pose = pose._replace(G_z=pose.G_z - 4e-5)
        left, right = (wheel_forces(PAIRS[cant], pose, rolling(pose, 20.0), LAW, side=side).wrench for side in Side)
        assert left.F_y == pytest.approx(-right.F_y, rel=1e-12)
        assert abs(left.F_y) > 1.0
        assert left.F_x == pytest.approx(right.F_x, rel=1e-12)
        assert left.F_z == pytest.approx(right.F_z, rel=1e-12)
        assert left.M_x == pytest.approx(-right.M_x, rel=1e-12)


def test_a_wheel_that_turns_by_its_own_radius_has_no_longitudinal_creepage() -> None:
    pose = seat(WHEELSET, y=2e-3, yaw=4e-3).pose
    zones = wheel_forces(STANDARD, pose._replace(G_z=pose.G_z - 1e-7), rolling(pose, 20.0), LAW).zones
    radius = float(zones.radius[0])
    for speed in (20.0, -20.0):
        motion = straight_rolling(pose, speed=speed, radius=radius)
        row = wheel_forces(STANDARD, pose._replace(G_z=pose.G_z - 1e-7), motion, LAW).patches[0]
        assert row[XI] == pytest.approx(0.0, abs=4e-3**2)  # the yaw shortens the way by its cosine
        assert row[ETA] == pytest.approx(-4e-3 * np.sign(speed), rel=0.01)


def test_a_small_sideways_velocity_is_resisted_by_kalkers_f22() -> None:
    pose = seat(WHEELSET, y=3e-3).pose
    pose = pose._replace(G_z=pose.G_z - 6e-5)
    zones = wheel_forces(STANDARD, pose, rolling(pose, 20.0), UNDAMPED).zones
    angle, depth = float(zones.contact_angle[0]), float(zones.depth[0])
    n, t = np.array([0.0, -np.sin(angle), np.cos(angle)]), np.array([0.0, np.cos(angle), np.sin(angle)])
    p = np.array([0.0, zones.y[0] - pose.G_y, zones.z[0] - pose.G_z]) - depth * n
    omega = -20.0 / np.cross(t, p)[0] * t  # about the patch's lateral axis: neither spin nor longitudinal sliding
    for eta in (1e-7, 1e-6, 1e-5):
        row = wheel_forces(STANDARD, pose, Motion(20.0, 20.0 * eta, 0.0, *map(float, omega)), UNDAMPED).patches[0]
        patch = rolling_patch(Ellipse(row[A], row[B], row[N], row[APPROACH], False), DRY.mu, STEEL.G, UNDAMPED.kalker)
        f22 = patch.a * patch.b * patch.G * patch.C22
        assert_allclose(row[[XI, ETA, PHI]], [0.0, eta * np.cos(angle), 0.0], atol=1e-12)
        assert row[F_Y] == pytest.approx(-f22 * row[ETA], rel=0.006)  # the bound of 20 x 20 cells in adhesion
        assert row[F_X] == pytest.approx(0.0, abs=1e-6 * abs(row[F_Y]))
