"""Errors of one search against another, counted by hand."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from twin.contact.agreement import agreement, classification_error, network_error, point_error, pose_errors

NONE = (9.9, 9.9)


def test_errors_are_the_pairs_not_found_and_the_points_in_excess() -> None:
    reference = np.array([[(0.0, 0.0), (0.0, 1.0)], [(0.0, 0.0), NONE], [(0.0, 0.0), (0.0, 1e-3)], [NONE, NONE]])
    tested = np.array([[(0.0, 1e-3), (0.0, 1.5)], [NONE, NONE], [(0.0, 1e-3), (0.0, 0.0)], [(0.0, 0.0), NONE]])
    N_A, N_B = np.array([2, 1, 2, 0]), np.array([2, 0, 2, 1])
    assert_array_equal(pose_errors(reference, N_A, tested, N_B, 2e-3), [1, 1, 0, 1])
    found = agreement(reference=reference, reference_counts=N_A, tested=tested, tested_counts=N_B)
    assert_array_equal(found.errors, [1, 1, 1])
    assert_array_equal(found.poses, [1, 1, 2])
    assert_array_equal(found.by_count[1:], [1.0, 0.25])
    assert found.total == pytest.approx(2 / 5)


def test_a_point_is_taken_once() -> None:
    close = np.array([[(0.0, 0.0), (0.0, 1e-4)]])
    one = np.array([[(0.0, 5e-5), NONE]])
    assert_array_equal(pose_errors(close, np.array([2]), one, np.array([1]), 2e-3), [1])


def test_search_agrees_with_itself_and_nothing_has_no_error() -> None:
    rng = np.random.default_rng(0)
    points, counts = rng.uniform(size=(50, 4, 3)), rng.integers(0, 5, 50)
    assert agreement(reference=points, reference_counts=counts, tested=points, tested_counts=counts).total == 0.0
    zero = np.zeros(50, dtype=np.int64)
    assert agreement(reference=points, reference_counts=zero, tested=points, tested_counts=zero).total == 0.0


def test_classification_and_network_errors_follow_their_equations() -> None:
    counts = np.array([1, 2, 3, 1])
    assert classification_error(reference_counts=counts, tested_counts=np.array([1, 1, 3, 2])) == pytest.approx(2 / 7)
    reference = np.zeros((2, 2, 2))
    tested = reference.copy()
    tested[0, 1] = (0.8e-3, 0.8e-3)
    assert point_error(reference=reference, tested=tested) == 0.25
    # [Fal 4.1.3]: Tables 2 and 5 give 2.12 % for a laying angle of 1/40
    E_k, A_k = np.array([0.0229, 0.0145, 1.0]), np.array([3628587, 544292, 402])
    assert network_error(errors=E_k, available=A_k) == pytest.approx(0.0212, abs=1e-4)
