"""From pixels to metres: against the simulated camera, against OpenCV, and the table against the exact map."""

import cv2
import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.laser_cases import NOMINAL, calibration_of
from twin.core.errors import ConfigError
from twin.geometry.laser import LaserPlaneCalibration, plane_map
from twin.geometry.laser.plane import distorted, undistorted
from twin.simulation.rail_head import COLUMNS, ROWS, FanConfig, PinholeConfig, Rail, camera_truth

LENS = (-0.21, 0.13, 1.5e-3, -0.8e-3, 0.02)


@pytest.mark.parametrize("rail", [0, 1])
def test_points_of_the_plane_come_back_from_their_pixels(rail: Rail) -> None:
    truth = camera_truth(PinholeConfig(), FanConfig(), rail=rail)
    side = 1.0 if rail == 0 else -1.0
    points = (NOMINAL[:2] + np.random.default_rng(1).uniform(-0.04, 0.03, (300, 2))) * np.array([side, 1.0])
    pixels = truth.pixels(points)
    inside = (pixels >= 0).all(axis=1) & (pixels[:, 0] < COLUMNS - 1) & (pixels[:, 1] < ROWS - 1)
    assert inside.sum() > 150
    calibration = calibration_of(truth)
    exact = calibration.points_b(pixels)
    assert_allclose(exact[:, 1:], points, atol=1e-12)
    assert_allclose(exact[:, 0], 0.0, atol=1e-12)
    assert_allclose(plane_map(calibration).points(*pixels[inside].T), points[inside], atol=2e-6)


def test_distortion_is_that_of_opencv() -> None:
    x = np.random.default_rng(2).uniform(-0.3, 0.3, (100, 2))
    space = np.column_stack([x, np.ones(100)])
    expected, _ = cv2.projectPoints(space, np.zeros(3), np.zeros(3), np.eye(3), np.array(LENS))
    assert_allclose(distorted(x, LENS), expected[:, 0], atol=1e-12)
    assert_allclose(undistorted(distorted(x, LENS), LENS), x, atol=1e-12)


def test_one_deviation_of_a_row_moves_a_point_as_the_map_does() -> None:
    table = plane_map(calibration_of(camera_truth(PinholeConfig(), FanConfig(), rail=0)))
    column, row = np.full(40, 651.0), np.linspace(50.3, 440.3, 40)
    points, moved = table.points_and_sd(column, row, np.full(40, 0.2))
    assert_allclose(table.points(column, row + 0.2) - points, moved, rtol=1e-2)


def test_a_wrong_calibration_is_refused() -> None:
    good = calibration_of(camera_truth(PinholeConfig(), FanConfig(), rail=0))
    tilted = tuple(tuple(1.01 * v for v in row) for row in good.R_bc)
    with pytest.raises(ConfigError, match="R_bc must be a rotation"):
        LaserPlaneCalibration.load(good.model_dump() | {"R_bc": tilted}, where="camera")
    with pytest.raises(ConfigError, match="length 1"):
        LaserPlaneCalibration.load(good.model_dump() | {"plane_normal_c": (1.0, 1.0, 0.0)}, where="camera")
    behind = tuple(-v for v in good.plane_normal_c)
    with pytest.raises(ConfigError, match="in front of the camera"):
        plane_map(good.model_copy(update={"plane_normal_c": behind}))
