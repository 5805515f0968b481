"""What must hold of contact points whatever the pose: symmetry, minima, common normals, and no surprise at the ends."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial import cKDTree

from twin.contact.curve import Curve, Zone, curve_values, join
from twin.contact.locus import locus_points
from twin.contact.methods import Method, locate, locate_many
from twin.contact.pair import FALOMI_RANGE, Pair, pair
from twin.contact.plain import points as plain
from twin.contact.points import CAPACITY, FIELDS, GAP, SLOPE, VERTICAL_GAP, X_R, X_W, Y_R, Y_W, Pose, Side
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.search import DIFFERENCE, DISTANCE, search
from twin.core.arrays import Array

WHEEL = wheel_curve(wheel_profile("S1002"))
RAILS = {cant: laid_rail(rail_profile("60E1-EN"), cant=cant) for cant in (1 / 40, 1 / 20)}
PAIRS = {cant: pair(WHEEL, rail, FALOMI_RANGE) for cant, rail in RAILS.items()}
EXACT = (Method.DIFFERENCE, Method.DISTANCE)


def random_poses(on: Pair, seed: int, n: int, *, penetration: float = 1e-4) -> Array:
    """Poses (n, 4) within [Fal Table 1] that have a point, the deepest so far within the rail [m]."""
    rng = np.random.default_rng(seed)
    poses = rng.uniform(-1, 1, (2 * n, 4)) * (0.01, 0.0, np.pi / 180, np.pi / 240)
    found = locate_many(on, poses)
    poses = poses[found.counts > 0]
    poses[:, 1] = -np.nanmin(found.column(VERTICAL_GAP)[found.counts > 0], axis=1) - penetration
    assert len(poses) >= n
    return poses[:n]


@pytest.mark.parametrize("cant", RAILS)
@pytest.mark.parametrize("method", EXACT)
def test_yaw_of_the_other_sign_only_turns_x_over_10_000_poses(method: Method, cant: float) -> None:
    """First law of [Fal 3.1.1], which prints -x_r where -x_w belongs in its first place."""
    poses = random_poses(PAIRS[cant], 1, 10_000)
    one = locate_many(PAIRS[cant], poses, method=method)
    other = locate_many(PAIRS[cant], poses * (1, 1, -1, 1), method=method)
    assert_array_equal(one.counts, other.counts)
    for field, sign in ((X_W, -1), (X_R, -1), (Y_W, 1), (Y_R, 1), (GAP, 1), (SLOPE, 1)):
        assert_allclose(other.column(field), sign * one.column(field), rtol=0, atol=1e-9)


@pytest.mark.parametrize("cant", RAILS)
@pytest.mark.parametrize("method", EXACT)
def test_other_wheel_of_the_pose_turned_about_z_is_the_first_one_turned_over_10_000_poses(
    method: Method, cant: float
) -> None:
    """Second law of [Fal 3.1.1]: (-G_y, G_z, yaw, -roll) gives all coordinates with the other sign, on the right."""
    poses = random_poses(PAIRS[cant], 2, 10_000)
    left = locate_many(PAIRS[cant], poses, method=method)
    right = locate_many(PAIRS[cant], poses * (-1, 1, 1, -1), side=Side.RIGHT, method=method)
    assert_array_equal(left.counts, right.counts)
    for field, sign in ((X_W, -1), (X_R, -1), (Y_W, -1), (Y_R, -1), (GAP, 1), (SLOPE, -1)):
        assert_allclose(right.column(field), sign * left.column(field), rtol=0, atol=1e-9)


@pytest.mark.parametrize("cant", RAILS)
def test_the_difference_is_stationary_and_convex_at_every_point(cant: float) -> None:
    wheel, rail = plain.profile(WHEEL), plain.profile(RAILS[cant])
    for row in random_poses(PAIRS[cant], 3, 200):
        pose = Pose(*row)
        found = locate(PAIRS[cant], pose)
        for x_w, y_w in zip(found.x_w, found.y_w, strict=True):
            assert_allclose(plain.gradient(wheel, rail, pose, x_w, y_w), 0.0, atol=1e-10)
            H = plain.hessian(wheel, rail, pose, x_w, y_w)
            assert H[0, 0] > 0.0
            assert np.linalg.det(H) > 0.0


@pytest.mark.parametrize("cant", RAILS)
def test_no_minimum_of_a_dense_grid_is_missed_in_250_poses(cant: float) -> None:
    """A node below its neighbours lies in the valley of a point found, or rolls down to one."""
    wheel, rail = plain.profile(WHEEL), plain.profile(RAILS[cant])
    poses = random_poses(PAIRS[cant], 4, 250)
    exact, grid = locate_many(PAIRS[cant], poses), locate_many(PAIRS[cant], poses, method=Method.GRID)
    assert np.mean(exact.counts == grid.counts) > 0.98  # shallow points are lost between nodes, askew valleys have two
    for k, pose in enumerate(poses):
        for x_w, y_w in grid.rows[k, : grid.counts[k], (X_W, Y_W)].T:
            if np.min(np.abs(exact.rows[k, : exact.counts[k], Y_W] - y_w)) > 2e-4:
                x_w, y_w = plain.descended(wheel, rail, Pose(*pose), np.array([x_w, y_w]))
                assert np.min(np.abs(exact.rows[k, : exact.counts[k], Y_W] - y_w)) < 1e-9


@pytest.mark.parametrize("cant", RAILS)
def test_difference_and_distance_are_one_point_where_the_surfaces_touch(cant: float) -> None:
    on = PAIRS[cant]
    for row in random_poses(on, 5, 300):
        found = locate(on, Pose(*row))
        for k in range(found.count):
            touching = Pose(*row)._replace(G_z=row[1] - found.vertical_gap[k])
            distance = locate(on, touching, method=Method.DISTANCE)
            nearest = int(np.argmin(np.abs(distance.y_w - found.y_w[k])))
            assert abs(distance.y_w[nearest] - found.y_w[k]) < 1e-9
            assert abs(distance.y[nearest] - found.y[k]) < 1e-9
            assert abs(distance.gap[nearest]) < 1e-13


def worn(rail: Curve) -> Curve:
    """The rail with a hollow and a lip: its slope does not fall all the way, so it cannot be inverted."""
    y = np.linspace(rail.knots[0], rail.knots[-1], 2001)
    z, slope, second = curve_values(rail, y).T.copy()
    for at, width, depth in ((0.745, 4e-3, -0.25e-3), (0.735, 2e-3, 0.05e-3), (0.765, 3e-3, -0.1e-3)):
        t = (y - at) / width
        bump = depth * np.exp(-t * t / 2)
        z, slope, second = z + bump, slope - bump * t / width, second + bump * (t * t - 1) / width**2
    return join([Zone(y, z, slope, second)])


def test_distance_works_on_a_worn_rail_whose_slope_cannot_be_inverted() -> None:
    """Lifted off the rail, the smallest gap is the shortest way between the two curves, sampled 2 um apart."""
    rail = worn(RAILS[1 / 40])
    y = np.linspace(rail.knots[0], rail.knots[-1], 40_001)
    b, slope, _ = curve_values(rail, y).T
    assert np.any(np.diff(slope) > 0.0)
    tree, on = cKDTree(np.column_stack([y, b])), pair(WHEEL, rail)
    y_w = np.linspace(on.y_w[0], on.y_w[-1], 22_001)
    r, wheel_slope, _ = curve_values(WHEEL, y_w).T
    several = 0
    for row in random_poses(on, 6, 40, penetration=-2e-4):
        pose = Pose(*row)
        found = locate(on, pose, method=Method.DISTANCE)
        shadow = locus_points(y_w=y_w, r=r, slope=wheel_slope, yaw=pose.yaw, roll=pose.roll)[:, 1:]
        shortest = float(np.min(tree.query(shadow + np.array([pose.G_y, pose.G_z]), distance_upper_bound=5e-4)[0]))
        assert 0.0 <= shortest - float(found.gap.min()) < 1e-6
        several += found.count > 1
    assert several > 5


@pytest.mark.parametrize("method", EXACT)
def test_any_pose_gives_numbers_or_no_points(method: Method) -> None:
    """Lifted, sunk, beside the rail, turned over: what is found is finite."""
    rng = np.random.default_rng(7)
    code = DIFFERENCE if method is Method.DIFFERENCE else DISTANCE
    on, rows = pair(WHEEL, RAILS[1 / 40]), np.empty((CAPACITY, FIELDS))
    for _ in range(3000):
        size = 10.0 ** rng.uniform(-3, 1)
        G_y, G_z, yaw, roll = np.array([0.0, 0.46, 0.0, 0.0]) + rng.uniform(-size, size, 4)
        count = search(on, code, G_y, G_z, yaw, roll, rows)
        assert np.isfinite(rows[: min(count, CAPACITY)]).all()


@pytest.mark.parametrize("method", [method for method in Method if method is not Method.NETWORK])
def test_wheel_beside_its_rail_has_no_point_and_a_lifted_one_does_not_touch(method: Method) -> None:
    on = PAIRS[1 / 40]
    assert locate(on, Pose(0.3, 0.46), method=method).count == 0
    assert locate(on, Pose(-0.3, 0.46), method=method).count == 0
    lifted = locate(on, Pose(0.001, 0.47), method=method)
    assert lifted.count >= 1
    assert not lifted.touching.any()
    assert_allclose(lifted.vertical_gap.min(), 0.0102, atol=1e-4)


@pytest.mark.parametrize("method", EXACT)
def test_points_are_found_on_any_pair_of_profiles(method: Method) -> None:
    """Manchester's rail under a worn wheel radius: left and right differ, each side has its own pair."""
    left = pair(WHEEL, RAILS[1 / 40])
    right = pair(wheel_curve(wheel_profile("S1002"), radius=0.455), laid_rail(rail_profile("60E1-MB"), cant=1 / 20))
    pose = Pose(0.002, 0.4598, 0.003, -0.001)
    one, other = locate(left, pose, method=method), locate(right, pose, side=Side.RIGHT, method=method)
    assert np.all(one.y > 0.7)
    assert np.all(other.y < -0.7)
    assert_allclose(other.radius.min(), 0.455, atol=2e-3)
    assert_allclose(one.radius.min(), 0.46, atol=2e-3)
