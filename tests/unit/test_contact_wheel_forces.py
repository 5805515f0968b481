"""Loaded and moving wheels: compiled kernels against their plain forms, and their answers where nothing can be said."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.contact.creep import Friction
from twin.contact.curve import Curve, Zone, join
from twin.contact.hertz import Material
from twin.contact.pair import SearchConfig, pair
from twin.contact.plain import pressed as plain_pressed
from twin.contact.plain import wheel_forces as plain
from twin.contact.points import CAPACITY, Pose, Side
from twin.contact.pressed import press, press_wheelset
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.seating import SeatingError, WheelsetPair, seat
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
    contact_law,
    wheel_forces,
)
from twin.core.arrays import Array
from twin.core.errors import ConfigError

STEEL, DRY = Material(), Friction()
LAW = contact_law(STEEL, DRY)
PLAIN = plain.Law(STEEL, DRY)
WHEEL, RAIL = wheel_curve(wheel_profile("S1002")), laid_rail(rail_profile("60E1-EN"), cant=1 / 40)
STANDARD = pair(WHEEL, RAIL)
WHEELSET = WheelsetPair(STANDARD, STANDARD)
ROLLING = Motion(20.0, 0.0, 0.0, 0.0, 20.0 / 0.46, 0.0)
NOTHING = np.zeros(6)


def random_pose(rng: np.random.Generator) -> Pose:
    """Both wheels pressed in by up to 0.1 mm, tread and flange."""
    pose = seat(WHEELSET, y=rng.uniform(-7e-3, 7e-3), yaw=rng.uniform(-0.01, 0.01)).pose
    return pose._replace(G_z=pose.G_z - rng.uniform(1e-6, 1e-4))


def random_motion(rng: np.random.Generator, pose: Pose) -> Motion:
    """Rolling either way, or hardly, with sliding in all directions."""
    v_x = rng.choice([-1, 1]) * 10 ** rng.uniform(-2, 1.6)
    axle = np.array([-np.sin(pose.yaw) * np.cos(pose.roll), np.cos(pose.yaw) * np.cos(pose.roll), np.sin(pose.roll)])
    omega = v_x / 0.46 * rng.normal(1, 0.003) * axle + rng.normal(0, 0.01, 3)
    return Motion(v_x, *map(float, (*rng.normal(0, 0.02, 2), *omega)))


@pytest.mark.parametrize("side", Side)
def test_the_kernel_equals_plain_vectors_on_both_sides(side: Side) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        pose = random_pose(rng)
        motion = random_motion(rng, pose)
        found = wheel_forces(STANDARD, pose, motion, LAW, side=side)
        wrench = plain.wheel_wrench(found.zones, pose, motion, PLAIN)
        load = found.patches[:, N].sum()
        assert load > 0
        assert_allclose(found.wrench[:3], wrench[:3], atol=1e-8 * load)
        assert_allclose(found.wrench[3:], wrench[3:], atol=1e-8 * load)


@pytest.mark.parametrize("side", Side)
def test_every_patch_equals_its_plain_form(side: Side) -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        pose = random_pose(rng)
        motion = random_motion(rng, pose)
        found = wheel_forces(STANDARD, pose, motion, LAW, side=side)
        for k, row in enumerate(found.patches):
            each = plain.patch_forces(found.zones, k, pose, motion, PLAIN)
            assert_allclose(row[[A, B, N, APPROACH]], [each.a, each.b, each.N, found.zones.depth[k]], rtol=1e-7)
            assert_allclose(row[[XI, ETA, PHI]], each.creepage, rtol=1e-9, atol=1e-15)
            assert_allclose(row[[F_X, F_Y]], each.tangential[:2], atol=1e-7 * row[N])
            assert_allclose(row[M_Z], each.tangential[2], atol=1e-7 * row[N] * row[A])


@pytest.mark.parametrize("side", Side)
def test_a_pressed_wheel_stands_where_plain_zones_put_it(side: Side) -> None:
    rng = np.random.default_rng(2)
    for _ in range(8):
        pose, load = random_pose(rng)._replace(G_z=0.0), 10 ** rng.uniform(1, 5.2)
        found = press(STANDARD, pose, load=load, material=STEEL, side=side)
        held = pose if side is Side.LEFT else pose.mirrored()
        height = plain_pressed.height_for_load(WHEEL, RAIL, STANDARD, held, load=load, E_star=STEEL.E_star)
        assert found.pose.G_z == pytest.approx(height, abs=1e-12)


def test_a_pressed_wheelset_rolls_as_two_loads_met_by_halving_say() -> None:
    rng = np.random.default_rng(4)
    for _ in range(3):
        y, yaw = rng.uniform(-5.5e-3, 5.5e-3), rng.uniform(-0.01, 0.01)
        loads = 10 ** rng.uniform(4, 5), 10 ** rng.uniform(4, 5)
        left, _ = press_wheelset(WHEELSET, y=y, yaw=yaw, loads=loads, material=STEEL)
        around = left.pose._replace(roll=left.pose.roll + rng.uniform(-5e-5, 5e-5))
        roll = plain_pressed.roll_for_loads(WHEEL, RAIL, STANDARD, around, loads=loads, E_star=STEEL.E_star)
        assert left.pose.roll == pytest.approx(roll, abs=2e-10)


def wrench_of(pose: Pose, motion: Motion) -> Array:
    return np.array(wheel_forces(STANDARD, pose, motion, LAW).wrench)


def test_a_lifted_wheel_exerts_nothing() -> None:
    pose = seat(WHEELSET, y=2e-3).pose
    for lift in (1e-9, 1e-3, 0.02, 1.0):
        assert_allclose(wrench_of(pose._replace(G_z=pose.G_z + lift), ROLLING), NOTHING, atol=0)


def test_a_wheel_beyond_its_rail_exerts_nothing() -> None:
    for y in (-0.2, 0.2, 10.0):
        assert_allclose(wrench_of(Pose(y, 0.45), ROLLING), NOTHING, atol=0)


@pytest.mark.parametrize("strange", [np.nan, np.inf])
def test_a_pose_or_motion_that_is_no_number_exerts_nothing(strange: float) -> None:
    good = Pose(0.0, 0.4597)
    for k in range(4):
        pose = Pose(*(strange if i == k else value for i, value in enumerate(good)))
        assert_allclose(wrench_of(pose, ROLLING), NOTHING, atol=0)
    for k in range(6):
        motion = Motion(*(strange if i == k else value for i, value in enumerate(ROLLING)))
        assert_allclose(wrench_of(good, motion), NOTHING, atol=0)


def test_any_depth_and_motion_give_finite_forces() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        pose = Pose(rng.uniform(-0.03, 0.03), 0.46 - 10 ** rng.uniform(-7, -1), *rng.normal(0, 0.05, 2))
        motion = Motion(*(rng.choice([-1, 0, 1], 6) * 10 ** rng.uniform(-6, 2.5, 6)))
        assert np.all(np.isfinite(wrench_of(pose, motion)))


def test_a_wheel_at_rest_is_carried_without_friction() -> None:
    pose = seat(WHEELSET, y=2e-3).pose
    found = wheel_forces(STANDARD, pose._replace(G_z=pose.G_z - 5e-5), Motion(0.0, 0.0, 0.0, 0.0, 0.0, 0.0), LAW)
    assert found.wrench.F_z > 1e3
    assert not found.patches[:, [XI, ETA, PHI, F_X, F_Y, M_Z]].any()


def corrugated_rail() -> Curve:
    """A rail head of 300 mm radius with waves of 20 um, 0.4 mm long, across it."""
    y, k, height = np.linspace(0.74, 0.81, 2001), 2 * np.pi / 0.4e-3, 2e-5
    u = y - 0.775
    z, slope, second = -(u**2) / 0.6, -u / 0.3, np.full_like(u, -1 / 0.3)
    wave, rise = height * np.sin(k * u), height * k * np.cos(k * u)
    return join([Zone(y, z + wave, slope + rise, second - k**2 * wave)])


def test_more_zones_than_the_doors_first_offer_room_for_are_all_kept() -> None:
    rough = pair(WHEEL, corrugated_rail(), SearchConfig(step=5e-5, wheel=(0.75, 0.8)))
    pressed = press(rough, Pose(0.0, 0.0), load=5e3, material=STEEL)
    assert pressed.zones.count > CAPACITY
    left, right = press_wheelset(WheelsetPair(rough, rough), y=1e-3, loads=(5e3, 5e3), material=STEEL)
    assert max(left.zones.count, right.zones.count) > CAPACITY
    found = wheel_forces(rough, pressed.pose, ROLLING, LAW)
    assert found.zones.count == len(found.patches) == pressed.zones.count
    assert_allclose(found.zones.N, pressed.zones.N, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("load", [0.0, -1.0, np.nan, np.inf])
def test_a_load_that_does_not_press_is_refused(load: float) -> None:
    with pytest.raises(ConfigError, match="above 0 N"):
        press(STANDARD, Pose(0.0, 0.0), load=load, material=STEEL)
    with pytest.raises(ConfigError, match="above 0 N"):
        press_wheelset(WHEELSET, y=0.0, loads=(1e4, load), material=STEEL)


def test_a_wheel_beyond_its_rail_cannot_be_pressed() -> None:
    with pytest.raises(SeatingError, match="no contact"):
        press(STANDARD, Pose(0.2, 0.0), load=1e4, material=STEEL)
    with pytest.raises(SeatingError, match="no contact"):
        press_wheelset(WHEELSET, y=0.2, loads=(1e4, 1e4), material=STEEL)
