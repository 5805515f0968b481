"""What any law of rolling friction must obey: Coulomb, symmetry, energy, limits of small and large creepages."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.contact.creep import Creepage, CreepForce, Patch, linear_force, rolling_patch, saturated_force
from twin.contact.fastsim import fastsim_force, patch_field, strips, workspace
from twin.contact.hertz import Material, ellipse_under_force
from twin.contact.kalker import kalker_table
from twin.contact.polach import polach_force

STEEL = Material()
KALKER = kalker_table(nu=STEEL.nu)
GRID = strips()
WORK = workspace(GRID)
Law = Callable[[Creepage, Patch], CreepForce]


def fastsim(given: Creepage, patch: Patch) -> CreepForce:
    return fastsim_force(given, patch, GRID, WORK)


LIMITED: tuple[Law, ...] = (saturated_force, polach_force, fastsim)
SHAPES = (0.2, 0.5, 1.0, 2.0, 5.0)


def patch_of(shape: float, N: float = 5e4, mu: float = 0.3) -> Patch:
    """A patch of a b = 25 mm^2 with a/b = shape, as in the reference cases."""
    a, b = 5e-3 * np.sqrt(shape), 5e-3 / np.sqrt(shape)
    circle = ellipse_under_force(1.0, 1.0, N, STEEL.E_star)
    return rolling_patch(circle._replace(a=a, b=b), mu, STEEL.G, KALKER)


def random_creepage(rng: np.random.Generator, patch: Patch) -> Creepage:
    """From adhesion to slip: creepages in units of what linear theory needs for mu N."""
    unit = patch.mu * patch.N / (patch.G * patch.a * patch.b * patch.C11)
    xi, eta, phi = unit * rng.standard_normal(3) * 10 ** rng.uniform(-1.5, 1.0, 3)
    return Creepage(xi, eta, phi / patch.a)


@pytest.mark.parametrize("law", LIMITED)
@pytest.mark.parametrize("shape", SHAPES)
def test_force_never_exceeds_friction(law: Law, shape: float) -> None:
    rng, patch = np.random.default_rng(0), patch_of(shape)
    for _ in range(300):
        F = law(random_creepage(rng, patch), patch)
        assert np.hypot(F.F_x, F.F_y) <= patch.mu * patch.N * (1 + 1e-12)


@pytest.mark.parametrize("law", LIMITED)
@pytest.mark.parametrize("angle", [0.0, 0.7, 2.5, -1.2])
def test_a_sliding_patch_brakes_with_mu_n_against_the_sliding(law: Law, angle: float) -> None:
    patch = patch_of(1.0)
    F = law(Creepage(10 * np.cos(angle), 10 * np.sin(angle), 0.0), patch)
    towards = (F.F_x * np.cos(angle) + F.F_y * np.sin(angle)) / (patch.mu * patch.N)
    assert np.hypot(F.F_x, F.F_y) == pytest.approx(patch.mu * patch.N, rel=2e-3)
    # the linear theory and FASTSIM weigh the directions by C11 and C22, so slip does not end exactly against them
    assert towards == pytest.approx(-1.0, abs=5e-3)


@pytest.mark.parametrize("law", LIMITED)
@pytest.mark.parametrize("shape", SHAPES)
def test_small_creepages_give_kalkers_linear_force(law: Law, shape: float) -> None:
    patch = patch_of(shape)
    unit = patch.mu * patch.N / (patch.G * patch.a * patch.b * patch.C11)
    for given in (Creepage(1e-5 * unit, 0, 0), Creepage(0, 1e-5 * unit, 0), Creepage(0, 0, 1e-5 * unit / patch.a)):
        F, linear = law(given, patch), linear_force(given, patch)
        size = np.hypot(linear.F_x, linear.F_y)
        assert_allclose(F[:2], linear[:2], atol=6e-3 * size)


@pytest.mark.parametrize("law", LIMITED)
def test_mirror_image_of_a_contact_has_the_mirror_image_of_its_force(law: Law) -> None:
    rng, patch = np.random.default_rng(1), patch_of(2.0)
    for _ in range(100):
        xi, eta, phi = random_creepage(rng, patch)
        F, mirrored = law(Creepage(xi, eta, phi), patch), law(Creepage(xi, -eta, -phi), patch)
        assert_allclose((F.F_x, -F.F_y, -F.M_z), mirrored, rtol=1e-9, atol=1e-7)


@pytest.mark.parametrize("shape", SHAPES)
def test_opposite_longitudinal_creepage_turns_the_longitudinal_force_round(shape: float) -> None:
    rng, patch = np.random.default_rng(2), patch_of(shape)
    for _ in range(100):
        xi, eta, phi = random_creepage(rng, patch)
        F, turned = fastsim(Creepage(xi, eta, phi), patch), fastsim(Creepage(-xi, eta, phi), patch)
        assert_allclose((-F.F_x, F.F_y, F.M_z), turned, rtol=1e-9, atol=1e-7)


@pytest.mark.parametrize("shape", SHAPES)
def test_field_carries_the_force_the_friction_bound_and_the_load(shape: float) -> None:
    rng, patch = np.random.default_rng(3), patch_of(shape)
    for _ in range(40):
        given = random_creepage(rng, patch)
        field, F = patch_field(given, patch, speed=20.0, grid=GRID), fastsim(given, patch)
        assert_allclose(np.sum(field.p_n * field.area), patch.N, rtol=1e-12)
        assert_allclose(np.sum(field.p_x * field.area), F.F_x, atol=1e-9)
        assert_allclose(np.sum(field.p_y * field.area), F.F_y, atol=1e-9)
        assert_allclose(np.sum((field.x * field.p_y - field.y * field.p_x) * field.area), F.M_z, atol=1e-11)
        traction, limit = np.hypot(field.p_x, field.p_y), patch.mu * field.p_n
        assert np.all(traction <= limit * (1 + 1e-12))
        assert_allclose(traction[~field.adhesion], limit[~field.adhesion], rtol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_friction_heats_every_cell_that_slides_with_all_the_creepages_feed_in(shape: float) -> None:
    rng, patch, speed = np.random.default_rng(4), patch_of(shape), 20.0
    for _ in range(40):
        given = random_creepage(rng, patch)
        field, F = patch_field(given, patch, speed=speed, grid=GRID), fastsim(given, patch)
        fed = -speed * (F.F_x * given.xi + F.F_y * given.eta + F.M_z * given.phi)
        assert np.all(field.friction_power >= 0)
        assert not np.any(field.friction_power[field.adhesion])
        if not field.adhesion.all():
            assert_allclose(np.sum(field.friction_power * field.area), fed, rtol=1e-9)


def test_sliding_speed_of_a_wheel_that_only_skids_is_the_creepage_times_the_speed() -> None:
    field = patch_field(Creepage(0.5, 0.0, 0.0), patch_of(1.0), speed=20.0, grid=GRID)
    assert_allclose(np.median(field.s_x), 10.0, rtol=0.01)
    assert not field.adhesion.any()


@pytest.mark.parametrize("shape", SHAPES)
def test_20_by_20_cells_are_converged(shape: float) -> None:
    rng, patch = np.random.default_rng(5), patch_of(shape)
    fine = strips(n_x=200, n_y=200)
    work = workspace(fine)
    distance = []
    for _ in range(40):
        given = random_creepage(rng, patch)
        F, converged = fastsim(given, patch), fastsim_force(given, patch, fine, work)
        distance.append(np.hypot(F.F_x - converged.F_x, F.F_y - converged.F_y) / (patch.mu * patch.N))
    assert np.mean(distance) < 0.002
    assert np.max(distance) < 0.02  # reached where a patch slides all over under extreme spin


def test_finer_cells_approach_the_limit_in_second_order() -> None:
    patch = patch_of(1.0)
    given = Creepage(0.0009, 0.001, 0.5)
    reference = fastsim_at(given, patch, 640)
    coarse, fine = (np.hypot(*np.subtract(fastsim_at(given, patch, n), reference)) for n in (20, 80))
    assert coarse / fine > 8  # 16 in second order, 4 in first


def fastsim_at(given: Creepage, patch: Patch, n: int) -> tuple[float, float]:
    grid = strips(n_x=n, n_y=n)
    F = fastsim_force(given, patch, grid, workspace(grid))
    return F.F_x, F.F_y
