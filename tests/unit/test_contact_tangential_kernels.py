"""Tangential kernels against their plain forms on random patches, and their answers where nothing presses or slides."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.contact.creep import (
    Creepage,
    CreepForce,
    Patch,
    creepage,
    linear_force,
    rolling_patch,
    saturated_force,
)
from twin.contact.fastsim import fastsim_force, patch_field, strips, workspace
from twin.contact.hertz import Material, ellipse_under_force
from twin.contact.kalker import kalker_table
from twin.contact.plain import creep as plain_creep
from twin.contact.plain import fastsim as plain_fastsim
from twin.contact.plain import polach as plain_polach
from twin.contact.polach import polach_force

STEEL = Material()
KALKER = kalker_table(nu=STEEL.nu)
GRID = strips(n_x=20, n_y=20)
WORK = workspace(GRID)
Law = Callable[[Creepage, Patch], CreepForce]


def fastsim(given: Creepage, patch: Patch) -> CreepForce:
    return fastsim_force(given, patch, GRID, WORK)


LAWS: tuple[Law, ...] = (linear_force, saturated_force, polach_force, fastsim)


def random_case(rng: np.random.Generator) -> tuple[Creepage, Patch]:
    """From full adhesion to full slip, with and without spin, a/b from 0.1 to 10."""
    A, B = 10 ** rng.uniform(-0.5, 2, 2)
    ellipse = ellipse_under_force(A, B, 10 ** rng.uniform(2, 5.3), STEEL.E_star)
    patch = rolling_patch(ellipse, rng.uniform(0.05, 0.6), STEEL.G, KALKER)
    size = 10 ** rng.uniform(-5, -1.5)
    xi, eta, phi = size * rng.standard_normal(3) * rng.integers(0, 2, 3)
    return Creepage(xi, eta, phi / ellipse.a), patch


def test_linear_and_saturated_kernels_equal_the_plain_formulas() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        case = random_case(rng)
        assert_allclose(linear_force(*case), plain_creep.linear_force(*case), rtol=1e-12)
        assert_allclose(saturated_force(*case), plain_creep.saturated_force(*case), rtol=1e-12)


def test_polach_kernel_equals_the_plain_formula() -> None:
    rng = np.random.default_rng(1)
    cases = [random_case(rng) for _ in range(300)]
    for given, patch in cases:
        if any(given):
            limit = patch.mu * patch.N
            expected = plain_polach.polach_force(given, patch)
            assert_allclose(polach_force(given, patch)[:2], expected, rtol=1e-12, atol=1e-12 * limit)


@pytest.mark.parametrize(("n_x", "n_y"), [(20, 20), (7, 12), (2, 2)])
def test_fastsim_kernel_equals_the_plain_march_through_the_cells(n_x: int, n_y: int) -> None:
    rng = np.random.default_rng(n_x)
    grid = strips(n_x=n_x, n_y=n_y)
    work = np.full((7, n_y), np.nan)
    for _ in range(25):
        given, patch = random_case(rng)
        limit = patch.mu * patch.N
        expected = np.array(plain_fastsim.force(given, patch, n_x=n_x, n_y=n_y))
        F = np.array(fastsim_force(given, patch, grid, work))
        assert_allclose(F[:2], expected[:2], atol=1e-11 * limit)
        assert_allclose(F[2], expected[2], atol=1e-11 * limit * max(patch.a, patch.b))


def test_field_tractions_equal_the_plain_ones() -> None:
    rng = np.random.default_rng(2)
    for _ in range(10):
        given, patch = random_case(rng)
        field = patch_field(given, patch, speed=10.0, grid=GRID)
        p_x, p_y = plain_fastsim.tractions(given, patch, n_x=20, n_y=20)
        largest = patch.mu * field.p_n.max()
        assert_allclose(field.p_x, p_x, atol=1e-11 * largest)
        assert_allclose(field.p_y, p_y, atol=1e-11 * largest)


def test_creepage_kernel_equals_the_plain_projection() -> None:
    rng = np.random.default_rng(3)
    v, omega, t, n = rng.standard_normal((4, 100, 3))
    speed = rng.normal(0, 1, 100)
    expected = plain_creep.creepage(v=v, omega=omega, t=t, n=n, speed=speed, v_floor=0.5)
    for i in range(100):
        vectors = [(float(a[i, 0]), float(a[i, 1]), float(a[i, 2])) for a in (v, omega, t, n)]
        found = creepage(vectors[0], vectors[1], vectors[2], vectors[3], speed[i], 0.5)
        assert_allclose(found, expected[i], rtol=1e-12, atol=1e-15)


def test_creepages_at_standstill_are_finite_and_vanish_with_the_sliding_speed() -> None:
    none, t, n = (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    assert creepage(none, none, t, n, 0.0, 0.5) == (0.0, 0.0, 0.0)
    sliding = creepage((0.01, -0.02, 0.0), (0.0, 0.0, 0.03), t, n, 0.0, 0.5)
    assert_allclose(sliding, (0.02, -0.04, 0.06))


@pytest.mark.parametrize("law", LAWS)
def test_a_patch_without_force_friction_or_size_carries_nothing(law: Law) -> None:
    _, patch = random_case(np.random.default_rng(4))
    slip = Creepage(0.01, -0.02, 0.5)
    for nothing in (
        patch._replace(N=0.0),
        patch._replace(N=-1e3),
        patch._replace(mu=0.0),
        patch._replace(a=0.0, b=0.0),
        rolling_patch(ellipse_under_force(1.0, 2.0, 0.0, STEEL.E_star), 0.3, STEEL.G, KALKER),
    ):
        assert law(slip, nothing) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("law", LAWS)
def test_zero_creepage_gives_zero_force(law: Law) -> None:
    _, patch = random_case(np.random.default_rng(5))
    assert law(Creepage(0.0, 0.0, 0.0), patch) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("law", LAWS)
def test_any_load_and_creepage_give_finite_forces(law: Law) -> None:
    rng = np.random.default_rng(6)
    for _ in range(300):
        ellipse = ellipse_under_force(
            10 ** rng.uniform(-2, 6), 10 ** rng.uniform(-2, 6), 10 ** rng.uniform(-12, 8), STEEL.E_star
        )
        given = Creepage(*(rng.choice([-1, 0, 1], 3) * 10 ** rng.uniform(-12, 3, 3)))
        assert np.isfinite(law(given, rolling_patch(ellipse, 0.3, STEEL.G, KALKER))).all()


def test_field_of_an_unloaded_patch_is_zero_and_all_adhesion() -> None:
    _, patch = random_case(np.random.default_rng(7))
    for empty in (patch._replace(N=0.0), patch._replace(a=0.0, b=0.0, N=0.0)):
        field = patch_field(Creepage(0.01, 0.0, 0.1), empty, speed=20.0, grid=GRID)
        for name in ("p_n", "p_x", "p_y", "s_x", "s_y"):
            assert not np.any(getattr(field, name))
        assert field.adhesion.all()


def test_a_grid_of_less_than_two_strips_is_refused() -> None:
    with pytest.raises(ValueError, match="2 strips"):
        strips(n_x=20, n_y=1)
