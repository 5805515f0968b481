"""Hertz's kernels against the exact integrals, and what they say when there is no contact or no Hertz."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.contact.hertz import (
    CURVATURE_FLOOR,
    Material,
    ellipse_at_approach,
    ellipse_under_force,
    normal_force,
    stiffness,
)
from twin.contact.plain import hertz as plain
from twin.core.errors import ConfigError

STEEL = Material()


def random_curvatures(rng: np.random.Generator, decades: float) -> tuple[float, float]:
    """A, B [1/m] above the floor, A/B within so many decades either way."""
    ratio = 10 ** rng.uniform(-decades, decades)
    smaller = CURVATURE_FLOOR * 10 ** rng.uniform(0, 2)
    return (smaller, smaller / ratio) if ratio < 1 else (smaller * ratio, smaller)


@pytest.mark.parametrize("seed", range(4))
def test_kernel_is_within_1e_9_of_the_exact_integrals_for_a_over_b_from_1e_6_to_1e6(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(100):
        A, B = random_curvatures(rng, 6.0)
        N = 10 ** rng.uniform(0, 6)
        a, b, approach = plain.ellipse_under_force(A=A, B=B, N=N, E_star=STEEL.E_star)
        patch = ellipse_under_force(A, B, N, STEEL.E_star)
        assert_allclose([patch.a, patch.b, patch.approach], [a, b, approach], rtol=1e-9)
        a, b, force = plain.ellipse_at_approach(A=A, B=B, approach=approach, E_star=STEEL.E_star)
        patch = ellipse_at_approach(A, B, approach, STEEL.E_star)
        assert_allclose([patch.a, patch.b, patch.N], [a, b, force], rtol=1e-9)
        assert not patch.conformal


def test_force_and_approach_are_inverse_to_each_other_and_follow_the_stiffness() -> None:
    rng = np.random.default_rng(5)
    for _ in range(50):
        A, B = random_curvatures(rng, 2.0)
        N = 10 ** rng.uniform(2, 6)
        pressed = ellipse_under_force(A, B, N, STEEL.E_star)
        assert_allclose(ellipse_at_approach(A, B, pressed.approach, STEEL.E_star)[:3], pressed[:3], rtol=1e-12)
        k_h = stiffness(A, B, STEEL.E_star)
        assert_allclose(normal_force(-pressed.approach, 0.0, k_h, STEEL.k_v), N, rtol=1e-12)


def test_exchange_of_the_axes_exchanges_the_semi_axes() -> None:
    along = ellipse_under_force(1.1, 7.0, 6e4, STEEL.E_star)
    across = ellipse_under_force(7.0, 1.1, 6e4, STEEL.E_star)
    assert (along.a, along.b, along.approach) == pytest.approx((across.b, across.a, across.approach), rel=1e-12)


def test_equal_curvatures_give_a_circle_of_hertz_radius() -> None:
    N, R = 1e4, 0.5
    patch = ellipse_under_force(0.5 / R, 0.5 / R, N, STEEL.E_star)
    radius = np.cbrt(0.75 * N * R / STEEL.E_star)
    assert_allclose([patch.a, patch.b, patch.approach], [radius, radius, radius**2 / R], rtol=1e-10)


@pytest.mark.parametrize("nothing", [0.0, -1.0, -1e6, float("nan")])
def test_no_force_and_no_approach_are_a_patch_of_zeros(nothing: float) -> None:
    assert ellipse_under_force(1.0, 2.0, nothing, STEEL.E_star)[:4] == (0.0, 0.0, 0.0, 0.0)
    assert ellipse_at_approach(1.0, 2.0, nothing, STEEL.E_star)[:4] == (0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("curvature", [0.049, 0.0, -0.3, -1e9])
def test_conformal_and_concave_profiles_count_as_the_floor_and_are_flagged(curvature: float) -> None:
    floor = ellipse_under_force(1.087, CURVATURE_FLOOR, 1e5, STEEL.E_star)
    given = ellipse_under_force(1.087, curvature, 1e5, STEEL.E_star)
    assert not floor.conformal
    assert given.conformal
    assert given[:4] == floor[:4]
    assert ellipse_at_approach(curvature, curvature, 1e-4, STEEL.E_star).conformal


def test_a_flat_contact_under_100_kn_stays_within_a_rail_head() -> None:
    assert 0.025 < ellipse_under_force(0.5 / 0.46, 0.0, 1e5, STEEL.E_star).b < 0.036


def test_curvatures_beyond_the_table_give_its_last_shape_and_finite_numbers() -> None:
    patch = ellipse_under_force(1.0, 1e9, 1e4, STEEL.E_star)
    last = ellipse_under_force(1.0, 1e6, 1e4, STEEL.E_star)
    assert np.isfinite(patch[:4]).all()
    assert patch.a / patch.b == pytest.approx(last.a / last.b, rel=1e-9)


def test_damping_acts_only_while_bodies_in_contact_approach() -> None:
    k_h, k_v, gap = 1e11, 1e5, -1e-4
    elastic = k_h * 1e-6
    assert normal_force(gap, 0.0, k_h, k_v) == pytest.approx(elastic)
    assert normal_force(gap, -0.2, k_h, k_v) == pytest.approx(elastic + 2e4)
    assert normal_force(gap, 0.2, k_h, k_v) == pytest.approx(elastic)
    for apart in (0.0, 1e-6, 1.0):
        assert normal_force(apart, -5.0, k_h, k_v) == 0.0


def test_normal_force_never_pulls() -> None:
    rng = np.random.default_rng(6)
    for gap, v_n in zip(rng.normal(0, 1e-4, 1000), rng.normal(0, 1.0, 1000), strict=True):
        assert normal_force(gap, v_n, 1e11, 1e5) >= 0.0


def test_material_outside_kalkers_table_is_refused() -> None:
    with pytest.raises(ConfigError, match="nu"):
        Material.load({"nu": 0.6}, where="contact")
