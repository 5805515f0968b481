"""Hertz's ellipse against the classical m, n table (recomputed exactly) and against the program CONTACT."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.contact.hertz import Material, ellipse_under_force

STEEL = Material().E_star
CLASSICAL = (
    # angle with cos = |B - A| / (A + B) [deg], m, n, l of the approach
    (1, 36.93194030, 0.13129493, 0.12110653),
    (5, 11.23806162, 0.23813618, 0.29689440),
    (10, 6.61145526, 0.31098350, 0.42801285),
    (20, 3.81601122, 0.41214974, 0.60384154),
    (30, 2.73064812, 0.49305979, 0.72630953),
    (45, 1.92646213, 0.60382811, 0.85471363),
    (60, 1.48582396, 0.71709992, 0.93759244),
    (75, 1.20204478, 0.84480832, 0.98468077),
    (85, 1.06087120, 0.94421976, 0.99830661),
    (90, 1.0, 1.0, 1.0),
)
CONTACT = (
    # A, B [1/m], N [N]; a, b, approach [mm] as CONTACT has them to seven digits (the approach from the exact solution)
    (1.0869565217, 1.6666666667, 50e3, 5.709002, 4.294438, 0.06616385),
    (1.0869565217, 0.5, 80e3, 5.436637, 9.110582, 0.07362856),
    (1.0869565217, 38.4615384615, 60e3, 8.536375, 0.870288, 0.10833699),
    (1.0869565217, 6.25, 100e3, 8.579165, 2.712575, 0.12599014),
)


@pytest.mark.parametrize(("theta_deg", "m", "n", "depth"), CLASSICAL)
def test_semi_axes_are_those_of_the_classical_table(theta_deg: float, m: float, n: float, depth: float) -> None:
    A, B = 20 * np.sin(np.deg2rad(theta_deg) / 2) ** 2, 20 * np.cos(np.deg2rad(theta_deg) / 2) ** 2
    A, B = (A, B) if A >= 0.05 else (A * 100, B * 100)  # above the floor of the curvatures
    N = 4 / 3 * STEEL * (A + B) * 1e-9  # so that s = 1 mm
    patch = ellipse_under_force(A, B, N, STEEL)
    assert_allclose([patch.a * 1e3, patch.b * 1e3], [m, n], rtol=1e-9, atol=6e-9)
    assert_allclose(patch.approach / (1e-6 * (A + B)), depth, atol=6e-9)


@pytest.mark.parametrize(("A", "B", "N", "a_mm", "b_mm", "approach_mm"), CONTACT)
def test_semi_axes_agree_with_contact_to_seven_digits(
    A: float, B: float, N: float, a_mm: float, b_mm: float, approach_mm: float
) -> None:
    patch = ellipse_under_force(A, B, N, STEEL)
    assert_allclose([patch.a * 1e3, patch.b * 1e3], [a_mm, b_mm], atol=6e-7)
    assert_allclose(patch.approach * 1e3, approach_mm, atol=6e-9)
