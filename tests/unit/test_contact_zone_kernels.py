"""Zones of contact: compiled kernels against plain splines, on random poses and on gaps that are hard to walk."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import CubicHermiteSpline

from twin.contact.hertz import Material
from twin.contact.locus import Placement, attitude
from twin.contact.pair import FALOMI_RANGE, Pair, SearchConfig, pair
from twin.contact.plain import zones as plain
from twin.contact.points import CAPACITY, Pose, Side
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.seating import WheelsetPair, seat
from twin.contact.zones import (
    ANGLE,
    FORCE,
    RATE,
    ZONE_FIELDS,
    ContactZones,
    Cubic,
    closed_parts,
    contact_zones,
    scan_gap,
    scan_room,
    vertical_force,
    zones,
)
from twin.core.arrays import Array

E_STAR = Material().E_star
WHEEL = wheel_curve(wheel_profile("S1002"))
RAILS = {cant: laid_rail(rail_profile("60E1-EN"), cant=cant) for cant in (1 / 40, 1 / 20)}


def zone_rows(wheel: Pair, pose: Pose) -> Array:
    room, rows = scan_room(wheel), np.empty((CAPACITY, ZONE_FIELDS))
    place = Placement(attitude(pose.yaw, pose.roll), pose.G_y, pose.G_z)
    scan_gap(wheel, place, room)
    return rows[: zones(wheel, place, 0.0, E_STAR, room, rows)]


def found_zones(wheel: Pair, pose: Pose) -> ContactZones:
    return contact_zones(zone_rows(wheel, pose), Side.LEFT)


def pressed_pose(wheel: Pair, rng: np.random.Generator) -> Pose:
    """Pressed in by 0.01 um to 0.3 mm, on tread, root and flange."""
    pose = seat(WheelsetPair(wheel, wheel), y=rng.uniform(-7e-3, 7e-3), yaw=rng.uniform(-0.01, 0.01)).pose
    return pose._replace(G_z=pose.G_z - 10 ** rng.uniform(-7, -3.5))


@pytest.mark.parametrize("cant", RAILS)
@pytest.mark.parametrize("search", [SearchConfig(), FALOMI_RANGE], ids=["whole", "falomi"])
def test_zones_are_those_of_a_plain_spline_of_the_gap(cant: float, search: SearchConfig) -> None:
    wheel = pair(WHEEL, RAILS[cant], search)
    rng = np.random.default_rng(0)
    for _ in range(40):
        pose = pressed_pose(pair(WHEEL, RAILS[cant]), rng)
        found, expected = found_zones(wheel, pose), plain.zones(WHEEL, RAILS[cant], wheel, pose, E_star=E_STAR)
        assert found.count == len(expected)
        for k, each in enumerate(expected):
            assert_allclose([found.x[k], found.y[k], found.z[k]], each.centre, atol=1e-10)
            assert_allclose([found.y_w[k], found.radius[k]], [each.y_w, each.radius], atol=1e-10)
            assert_allclose(found.contact_angle[k], each.angle, atol=1e-8)
            assert_allclose([found.N[k], found.rate[k]], [each.N, each.rate], rtol=1e-6)
            assert_allclose([found.depth[k], found.A[k], found.B[k]], [each.depth, each.A, each.B], rtol=1e-5)


def test_closed_parts_of_random_cubics_are_those_of_scipys_roots() -> None:
    rng = np.random.default_rng(1)
    twice = 0
    for _ in range(3000):
        g0, g1, d0, d1 = rng.normal(0, (1, 1, 8, 8))
        spline = CubicHermiteSpline([0, 1], [g0, g1], [d0, d1])
        roots = spline.roots(extrapolate=False)
        ends = np.array([0.0, *np.sort(roots), 1.0])
        closed = spline((ends[1:] + ends[:-1]) / 2) < 0
        expected = np.column_stack([ends[:-1], ends[1:]])[closed]
        parts = np.array(closed_parts(Cubic(g0, d0, g1, d1))).reshape(2, 2)
        parts = parts[parts[:, 1] > parts[:, 0]]
        twice += len(parts) == 2
        assert_allclose(parts, expected.reshape(-1, 2), atol=1e-9)
    assert twice > 50


@pytest.mark.parametrize("flat", [(0.0, 0.0, 0.0, 0.0), (0.0, 1.0, 1.0, 1.0), (1.0, 0.0, 1.0, 0.0)])
def test_a_gap_that_only_touches_has_no_closed_part(flat: tuple[float, float, float, float]) -> None:
    parts = closed_parts(Cubic(*flat))
    assert parts[0] == parts[1] == parts[2] == parts[3] == 1.0


def test_the_vertical_force_of_all_zones_and_its_rate_are_those_of_the_rows() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        wheel = pair(WHEEL, RAILS[1 / 40])
        pose = pressed_pose(wheel, rng)
        room, place = scan_room(wheel), Placement(attitude(pose.yaw, pose.roll), pose.G_y, pose.G_z)
        scan_gap(wheel, place, room)
        force, rate = vertical_force(wheel, 0.0, room, 0, wheel.y_w.size - 1)
        rows = zone_rows(wheel, pose)
        assert E_STAR * force == pytest.approx(np.sum(rows[:, FORCE] * np.cos(rows[:, ANGLE])), rel=1e-12)
        assert -E_STAR * rate == pytest.approx(np.sum(rows[:, RATE]), rel=1e-12)


def test_the_rate_is_the_derivative_of_the_vertical_force_with_the_lift() -> None:
    rng = np.random.default_rng(3)
    wheel = pair(WHEEL, RAILS[1 / 40])
    for _ in range(30):
        pose = pressed_pose(wheel, rng)._replace(G_z=0.46 - rng.uniform(0, 1e-3))
        room, place = scan_room(wheel), Placement(attitude(pose.yaw, pose.roll), pose.G_y, pose.G_z)
        scan_gap(wheel, place, room)
        step = 1e-9
        (low, _), (_, rate), (high, _) = (
            vertical_force(wheel, lift, room, 0, wheel.y_w.size - 1) for lift in (-step, 0.0, step)
        )
        assert rate == pytest.approx((high - low) / (2 * step), rel=1e-4, abs=1e-8)


@pytest.mark.parametrize("strange", [Pose(0.2, 0.46), Pose(0.0, 0.6), Pose(np.nan, 0.46), Pose(0.0, 0.46, np.nan)])
def test_a_wheel_that_is_nowhere_on_the_rail_has_no_zone(strange: Pose) -> None:
    assert found_zones(pair(WHEEL, RAILS[1 / 40]), strange).count == 0


def test_any_pose_gives_finite_zones() -> None:
    rng = np.random.default_rng(4)
    wheel = pair(WHEEL, RAILS[1 / 40])
    for _ in range(300):
        pose = Pose(rng.uniform(-0.05, 0.05), 0.46 - 10 ** rng.uniform(-7, -1), *rng.normal(0, 0.1, 2))
        assert np.all(np.isfinite(zone_rows(wheel, pose)))
