"""Contact points: the compiled searches against plain forms of the paper's equations, and what the door promises."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from twin.contact.curve import Curve, Zone, curve_values, join
from twin.contact.direct_search import difference
from twin.contact.locus import Placement, attitude, locus_points, placed, shadow
from twin.contact.methods import Method, locate, locate_many
from twin.contact.network import ContactNetwork, OutsideTrainingError, Ranges
from twin.contact.pair import FALOMI_RANGE, Pair, SearchConfig, pair
from twin.contact.plain import points as plain
from twin.contact.points import CAPACITY, FIELDS, Y_R, Pose, Side
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.search import DIFFERENCE, DISTANCE, search
from twin.contact.shapes import line
from twin.core.errors import ConfigError
from twin.numerics.perceptron import Perceptron, Scale

WHEEL = wheel_curve(wheel_profile("S1002"))
RAILS = {cant: laid_rail(rail_profile("60E1-EN"), cant=cant) for cant in (1 / 40, 1 / 20)}
SEARCHES = [method for method in Method if method is not Method.NETWORK]
PAIRS = {cant: pair(WHEEL, rail, FALOMI_RANGE) for cant, rail in RAILS.items()}


def random_pose(rng: np.random.Generator, on: Pair) -> Pose:
    """A pose within [Fal Table 1] whose deepest point penetrates by up to 0.3 mm; one that has a point."""
    while True:
        pose = Pose(rng.uniform(-0.01, 0.01), 0.0, *rng.uniform(-np.pi, np.pi, 2) / (180.0, 240.0))
        found = locate(on, pose)
        if found.count:
            return pose._replace(G_z=-float(found.vertical_gap.min()) - rng.uniform(0.0, 3e-4))


@pytest.mark.parametrize("cant", RAILS)
def test_difference_kernel_finds_the_minima_that_descent_in_two_dimensions_finds(cant: float) -> None:
    rng = np.random.default_rng(11)
    for _ in range(60):
        pose = random_pose(rng, PAIRS[cant])
        expected, found = plain.difference_points(WHEEL, RAILS[cant], pose), locate(PAIRS[cant], pose)
        assert found.count == len(expected)
        assert_allclose(
            np.column_stack([found.x_w, found.y_w, found.x, found.y, found.vertical_gap]), expected, rtol=0, atol=1e-11
        )


@pytest.mark.parametrize("cant", RAILS)
def test_distance_kernel_finds_what_inverting_the_rail_slope_finds(cant: float) -> None:
    rng = np.random.default_rng(12)
    for _ in range(25):
        pose = random_pose(rng, PAIRS[cant])
        expected = plain.distance_points(WHEEL, RAILS[cant], pose)
        found = locate(PAIRS[cant], pose, method=Method.DISTANCE)
        assert found.count == len(expected)
        assert_allclose(
            np.column_stack([found.x_w, found.y_w, found.x, found.y, found.gap]), expected, rtol=0, atol=1e-11
        )


def test_compiled_difference_is_the_plain_one() -> None:
    rng = np.random.default_rng(13)
    wheel, rail = plain.profile(WHEEL), plain.profile(RAILS[1 / 40])
    for _ in range(200):
        pose = Pose(*rng.uniform(-1.0, 1.0, 4) * (0.01, 0.01, 0.0175, 0.0131))
        x_w, y_w = rng.uniform(-0.02, 0.02), rng.uniform(0.74, 0.77)
        place = Placement(attitude(pose.yaw, pose.roll), pose.G_y, pose.G_z)
        D = difference(WHEEL.packed, RAILS[1 / 40].packed, place, x_w, y_w)
        assert_allclose(D, plain.difference(wheel, rail, pose, x_w, y_w), rtol=0, atol=1e-14)


def test_placed_shadow_and_locus_points_are_one_curve() -> None:
    rng = np.random.default_rng(14)
    y_w = rng.uniform(0.70, 0.80, 200)
    r, slope, _ = curve_values(WHEEL, y_w).T.copy()
    for _ in range(20):
        yaw, roll, G_y, G_z = rng.uniform(-0.05, 0.05, 4)
        place, out = Placement(attitude(yaw, roll), G_y, G_z), np.empty((4, y_w.size))
        shadow(place, y_w, r, slope, out)
        expected = np.array([placed(place, *each)[:5] for each in zip(y_w, r, slope, strict=True)])
        assert_allclose(out.T, expected[:, 1:], rtol=0, atol=1e-15)
        points = locus_points(y_w=y_w, r=r, slope=slope, yaw=yaw, roll=roll)
        assert_allclose(points + np.array([0.0, G_y, G_z]), expected[:, :3], rtol=0, atol=1e-15)


def wavy_rail(crests: int) -> Curve:
    """A rail with so many equal crests, 5 mm apart and 0.2 mm high."""
    y = np.linspace(0.75 - 2.5e-3 * crests, 0.75 + 2.5e-3 * crests, 40 * crests + 1)
    k, phase = 2 * np.pi / 5e-3, 2 * np.pi / 5e-3 * (y - y[0])
    return join([Zone(y, 1e-4 * (1 - np.cos(phase)), 1e-4 * k * np.sin(phase), 1e-4 * k * k * np.cos(phase))])


@pytest.mark.parametrize("method", SEARCHES)
def test_twelve_crests_are_twelve_points_through_the_door(method: Method) -> None:
    cone = join([line(start=0.71, end=0.79, value=0.46, slope=0.0)])
    wavy = pair(cone, wavy_rail(12), SearchConfig(wheel=(0.7153, 0.7852)))
    found = locate(wavy, Pose(0.0, 0.4602, yaw=0.002), method=method)
    if method in (Method.SIMPLEX, Method.COMPASS):  # they find one point a start at most, and there are seven starts
        assert 0 < found.count <= 7
    else:
        assert found.count == 12 > CAPACITY
        assert np.all(np.diff(found.y_w) > 4.9e-3)
    assert_allclose(found.gap, 0.0, atol=2e-6)


def test_kernel_counts_on_when_its_rows_are_full_and_writes_none_beyond() -> None:
    wavy = pair(
        join([line(start=0.71, end=0.79, value=0.46, slope=0.0)]), wavy_rail(12), SearchConfig(wheel=(0.715, 0.785))
    )
    rows = np.full((5, FIELDS), -1.0)
    assert search(wavy, DIFFERENCE, 0.0, 0.4602, 0.0, 0.0, rows[:3]) == 12
    assert_array_equal(rows[3:], -1.0)


@pytest.mark.parametrize("method", SEARCHES)
def test_batch_is_the_single_search_for_every_pose_and_both_sides(method: Method) -> None:
    rng = np.random.default_rng(15)
    on = PAIRS[1 / 20]
    poses = np.array([random_pose(rng, on) for _ in range(3)])
    for side in Side:
        batch = locate_many(on, poses * (side.value, 1, side.value, side.value), side=side, method=method)
        for k, pose in enumerate(poses):
            one = locate(on, Pose(*pose), method=method)
            assert batch.counts[k] == one.count
            assert_array_equal(batch.rows[k, : one.count, Y_R], side.value * one.y)
            assert np.isnan(batch.rows[k, one.count :]).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", range(4))
def test_pose_that_is_no_number_has_no_point_in_the_kernels_and_is_an_error_at_the_door(place: int, bad: float) -> None:
    values = np.array([0.0, 0.46, 0.0, 0.0])
    values[place] = bad
    pose = Pose(*values)
    rows = np.empty((CAPACITY, FIELDS))
    for method in (DIFFERENCE, DISTANCE):
        assert search(PAIRS[1 / 40], method, pose.G_y, pose.G_z, pose.yaw, pose.roll, rows) == 0
    with pytest.raises(ConfigError, match="pose 0 is not finite"):
        locate(PAIRS[1 / 40], pose)


def test_poses_of_another_shape_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"\(n, 4\)"):
        locate_many(PAIRS[1 / 40], np.zeros((3, 3)))


def test_search_range_beyond_the_profile_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"search range of the wheel 600 to 700 mm"):
        pair(WHEEL, RAILS[1 / 40], SearchConfig(wheel=(0.6, 0.7)))


def constant_network(*, x: float, y: float) -> ContactNetwork:
    """A network that names one place on the rail whatever the pose."""
    inputs, outputs = Scale(np.zeros(3), np.ones(3)), Scale(np.array([x, y]), np.ones(2))
    locator = Perceptron(np.zeros((8, 3)), np.zeros(8), np.zeros((2, 8)), np.zeros(2), inputs, outputs)
    counter = Perceptron(
        np.zeros((8, 3)), np.zeros(8), np.zeros((0, 8)), np.zeros(0), inputs, Scale(np.zeros(0), np.ones(0))
    )
    return ContactNetwork(Ranges(0.01, -0.01, 0.01, -0.005, 0.005), (1,), counter, (locator,), "none")


def test_network_answers_through_the_same_door() -> None:
    network, pose = constant_network(x=1e-3, y=0.755), Pose(0.001, 0.4598, 0.002, 0.0)
    found = locate(PAIRS[1 / 40], pose.mirrored(), side=Side.RIGHT, method=Method.NETWORK, network=network)
    assert_allclose([found.x, found.y], [[1e-3], [-0.755]], rtol=0, atol=1e-9)
    assert np.isfinite(found.gap).all()


def test_network_refuses_at_the_door_what_it_does_not_know() -> None:
    with pytest.raises(ConfigError, match="NETWORK needs a network"):
        locate(PAIRS[1 / 40], Pose(0.0, 0.46), method=Method.NETWORK)
    poses = np.array([[0.0, 0.46, 0.0, 0.0], [0.006, 0.46, 0.0, 0.0]])
    with pytest.raises(OutsideTrainingError, match=r"1 of 2 poses.*G_y=0.006.*-5 to 5 mm"):
        locate_many(PAIRS[1 / 40], poses, method=Method.NETWORK, network=constant_network(x=0.0, y=0.75))
