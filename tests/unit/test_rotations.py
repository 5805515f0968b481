"""Euler angles, rotation matrices and angular velocity."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from twin.numerics.rotations import angular_velocity, euler_angles, euler_rates, rotation, skew


@pytest.fixture
def angles() -> np.ndarray:
    """(1000, 3) roll, pitch, yaw over all directions."""
    return np.random.default_rng(0).uniform([-3.1, -1.55, -3.1], [3.1, 1.55, 3.1], (1000, 3))


def matrices(angles: np.ndarray) -> np.ndarray:
    return rotation(roll=angles[..., 0], pitch=angles[..., 1], yaw=angles[..., 2])


def test_rotations_are_orthonormal_and_right_handed(angles: np.ndarray) -> None:
    R_ab = matrices(angles)
    assert_allclose(R_ab @ np.swapaxes(R_ab, 1, 2), np.broadcast_to(np.eye(3), R_ab.shape), atol=1e-15)
    assert_allclose(np.linalg.det(R_ab), 1, atol=1e-14)


def test_rotation_is_yaw_after_pitch_after_roll(angles: np.ndarray) -> None:
    assert_allclose(matrices(angles), Rotation.from_euler("ZYX", angles[:, ::-1]).as_matrix(), atol=1e-14)


def test_angles_come_back_from_their_matrix(angles: np.ndarray) -> None:
    assert_allclose(np.stack(euler_angles(matrices(angles)), axis=-1), angles, atol=1e-12)


def test_pitch_keeps_its_accuracy_where_the_nose_points_down() -> None:
    pitch = np.pi / 2 - 1e-9
    assert euler_angles(rotation(roll=0.2, pitch=pitch, yaw=0.3))[1] == pytest.approx(pitch, abs=1e-15)


def test_a_positive_pitch_lowers_the_nose_and_a_positive_roll_lowers_the_right_side() -> None:
    assert rotation(roll=0.0, pitch=0.1, yaw=0.0)[2, 0] < 0
    assert (rotation(roll=0.1, pitch=0.0, yaw=0.0) @ [0.0, -1.0, 0.0])[2] < 0


def test_skew_is_the_cross_product() -> None:
    v, u = np.random.default_rng(1).standard_normal((2, 50, 3))
    assert_allclose((skew(v) @ u[..., None])[..., 0], np.cross(v, u), atol=1e-15)


def test_angular_velocity_is_the_derivative_of_the_matrix(angles: np.ndarray) -> None:
    rates = np.random.default_rng(2).standard_normal(angles.shape)
    h = 1e-5
    R_ab_rate = (matrices(angles + h * rates) - matrices(angles - h * rates)) / (2 * h)
    omega_b = angular_velocity(roll=angles[:, 0], pitch=angles[:, 1], rates=rates)
    assert_allclose(np.swapaxes(matrices(angles), 1, 2) @ R_ab_rate, skew(omega_b), atol=1e-8)


def test_euler_rates_invert_angular_velocity(angles: np.ndarray) -> None:
    rates = np.random.default_rng(3).standard_normal(angles.shape)
    roll, pitch = angles[:, 0], angles[:, 1]
    omega_b = angular_velocity(roll=roll, pitch=pitch, rates=rates)
    assert_allclose(euler_rates(roll=roll, pitch=pitch, omega_b=omega_b), rates, atol=1e-11)


def test_single_numbers_give_single_matrices() -> None:
    assert rotation(roll=0.1, pitch=0.2, yaw=0.3).shape == (3, 3)
    assert angular_velocity(roll=0.1, pitch=0.2, rates=np.ones(3)).shape == (3,)
