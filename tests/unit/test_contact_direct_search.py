"""The classical searches: against plain forms, and how near they come to the exact minima."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.contact.agreement import agreement
from twin.contact.direct_search import GRID, NODE_STEP, direct_search
from twin.contact.methods import Method, locate, locate_many
from twin.contact.pair import FALOMI_RANGE, pair
from twin.contact.plain import direct_search as plain
from twin.contact.plain.points import FALOMI
from twin.contact.points import CAPACITY, FIELDS, X_R, Y_R, Z_R, Pose
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.core.arrays import Array

WHEEL = wheel_curve(wheel_profile("S1002"))
RAIL = laid_rail(rail_profile("60E1-EN"), cant=1 / 20)
PAIR = pair(WHEEL, RAIL, FALOMI_RANGE)


def random_poses(seed: int, n: int) -> list[Pose]:
    """Poses within [Fal Table 1]."""
    rng = np.random.default_rng(seed)
    spans = np.array([0.01, 0.0, np.pi / 180, np.pi / 240])
    return [Pose(*row) for row in (0.0, 0.46, 0.0, 0.0) + rng.uniform(-1, 1, (n, 4)) * spans]


def test_grid_kernel_finds_the_nodes_that_numpy_finds() -> None:
    for pose in random_poses(1, 12):
        found = locate(PAIR, pose, method=Method.GRID)
        assert_allclose(
            np.column_stack([found.x_w, found.y_w]), plain.grid_points(WHEEL, RAIL, pose), rtol=0, atol=1e-12
        )


@pytest.mark.parametrize(
    ("method", "minimum"), [(Method.SIMPLEX, plain.simplex_minimum), (Method.COMPASS, plain.compass_minimum)]
)
def test_kernels_find_the_minima_that_the_plain_searches_find(
    method: Method, minimum: Callable[[plain.Height, float], Array]
) -> None:
    """From the same starts; the two simplexes may part at a ridge, so what the kernel finds must be among the ends."""
    starts = 0.70 + 0.01 * (np.arange(9) + 0.5)
    for pose in random_poses(2, 12):
        D = plain.bounded(WHEEL, RAIL, pose, FALOMI)
        ends = np.array([minimum(D, start) for start in starts])
        found = locate(PAIR, pose, method=method)
        for x_w, y_w in zip(found.x_w, found.y_w, strict=True):
            assert np.min(np.max(np.abs(ends - (x_w, y_w)), axis=1)) < 1e-5


@pytest.mark.parametrize(("method", "within"), [(Method.SIMPLEX, 5e-6), (Method.COMPASS, 2e-5)])
def test_a_search_ends_at_an_exact_minimum(method: Method, within: float) -> None:
    for pose in random_poses(3, 200):
        exact, found = locate(PAIR, pose), locate(PAIR, pose, method=method)
        for y_w in found.y_w:
            assert np.min(np.abs(exact.y_w - y_w)) < within
        assert found.count <= exact.count


@pytest.mark.parametrize("method", [Method.SIMPLEX, Method.COMPASS])
def test_searches_from_many_starts_miss_less_than_the_10_percent_of_falomis(method: Method) -> None:
    """[Fal Table 10], laying angle 1/20, at 2 mm."""
    poses = np.array(random_poses(6, 1000))
    exact, found = locate_many(PAIR, poses), locate_many(PAIR, poses, method=method)
    places = (X_R, Y_R, Z_R)
    error = agreement(
        reference=exact.rows[:, :, places],
        reference_counts=exact.counts,
        tested=found.rows[:, :, places],
        tested_counts=found.counts,
    ).total
    assert error < 0.06


def test_grid_knows_a_minimum_to_a_node_where_the_wheel_is_not_yawed() -> None:
    for pose in random_poses(4, 40):
        straight = pose._replace(yaw=0.0)
        exact, found = locate(PAIR, straight), locate(PAIR, straight, method=Method.GRID)
        for y_w in found.y_w:
            assert np.min(np.abs(exact.y_w - y_w)) < NODE_STEP


def test_direct_searches_agree_with_the_exact_gap() -> None:
    poses = np.array(random_poses(5, 30))
    exact = locate_many(PAIR, poses)
    lowest = np.nanmin(np.where(np.isnan(exact.rows[:, :, 7]), np.inf, exact.rows[:, :, 7]), axis=1)
    for method, within in ((Method.GRID, 1e-6), (Method.SIMPLEX, 1e-9), (Method.COMPASS, 1e-9)):
        tested = locate_many(PAIR, poses, method=method)
        best = np.min(np.where(np.isnan(tested.rows[:, :, 7]), np.inf, tested.rows[:, :, 7]), axis=1)
        both = np.isfinite(lowest) & np.isfinite(best)
        assert both.sum() > 20
        assert np.all(best[both] >= lowest[both] - 1e-15)
        assert np.median(best[both] - lowest[both]) < within


def test_pose_that_is_no_number_and_a_wheel_beside_its_rail_have_no_points() -> None:
    rows = np.empty((CAPACITY, FIELDS))
    assert direct_search(PAIR, GRID, np.nan, 0.46, 0.0, 0.0, rows) == 0
    for method in (Method.GRID, Method.SIMPLEX, Method.COMPASS):
        assert locate(PAIR, Pose(0.2, 0.46), method=method).count == 0
