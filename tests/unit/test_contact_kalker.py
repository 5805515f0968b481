"""Kalker's coefficients: the table met exactly, nothing between its rows overshoots, sensible limits beyond."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.contact.kalker import POISSON, TABLE, asymptotes, kalker_coefficients, kalker_table
from twin.contact.plain import kalker as plain

SHAPES = np.concatenate((np.arange(1, 11) / 10, 10 / np.arange(9, 0, -1)))
PUBLISHED_USE = (
    # a/b, and C11, C22, C23, C33 at nu = 0.28 as the tangential reference cases list them
    (0.2, 3.49592, 2.63414, 0.62180, 4.39691),
    (0.5, 3.73350, 3.02563, 0.94350, 1.95848),
    (1.0, 4.22624, 3.70493, 1.48809, 1.18690),
    (2.0, 5.20370, 4.97149, 2.65662, 0.79892),
    (5.0, 7.89162, 8.30848, 6.75932, 0.56394),
)


@pytest.mark.parametrize(("k", "nu"), tuple(enumerate(POISSON)))
def test_every_value_of_the_table_comes_out_exactly(k: int, nu: float) -> None:
    table = kalker_table(nu=nu)
    for row, shape in zip(TABLE[:, k], SHAPES, strict=True):
        assert_allclose(kalker_coefficients(table, shape), row, rtol=1e-12)


@pytest.mark.parametrize(("shape", "C11", "C22", "C23", "C33"), PUBLISHED_USE)
def test_steel_has_the_coefficients_of_the_reference_cases(
    shape: float, C11: float, C22: float, C23: float, C33: float
) -> None:
    assert_allclose(kalker_coefficients(kalker_table(nu=0.28), shape), (C11, C22, C23, C33), atol=6e-6)


@pytest.mark.parametrize("nu", [0.0, 0.13, 0.28, 0.5])
def test_kernel_equals_the_plain_interpolation(nu: float) -> None:
    table = kalker_table(nu=nu)
    for shape in 10 ** np.random.default_rng(1).uniform(-5, 5, 200):
        assert_allclose(kalker_coefficients(table, shape), plain.coefficients(a_over_b=shape, nu=nu), rtol=1e-12)


@pytest.mark.parametrize("nu", [0.0, 0.25, 0.28, 0.5])
def test_nothing_overshoots_between_two_rows(nu: float) -> None:
    table, rows = kalker_table(nu=nu), plain.table_at(nu)
    for i in range(len(SHAPES) - 1):
        between = np.array([kalker_coefficients(table, s) for s in np.linspace(SHAPES[i], SHAPES[i + 1], 12)])
        low, high = np.minimum(rows[i], rows[i + 1]), np.maximum(rows[i], rows[i + 1])
        assert np.all(between >= low * (1 - 1e-12))
        assert np.all(between <= high * (1 + 1e-12))


@pytest.mark.parametrize("nu", POISSON)
def test_limits_meet_the_ends_of_the_table_within_8_per_cent(nu: float) -> None:
    rows = plain.table_at(nu)
    assert_allclose(asymptotes(0.1, nu), rows[0], rtol=0.08)
    assert_allclose(asymptotes(10.0, nu), rows[-1], rtol=0.08)


@pytest.mark.parametrize("nu", [0.0, 0.28, 0.5])
def test_limits_take_over_from_the_table_without_a_jump(nu: float) -> None:
    table, rows = kalker_table(nu=nu), plain.table_at(nu)
    for end, row in ((0.1, rows[0]), (10.0, rows[-1])):
        outside = end * (1 - 1e-9) if end < 1 else end * (1 + 1e-9)
        assert_allclose(kalker_coefficients(table, outside), row, rtol=1e-7)


def test_very_slender_patches_follow_kalkers_limits() -> None:
    table = kalker_table(nu=0.28)
    for shape in (1e-4, 1e4):
        assert_allclose(kalker_coefficients(table, shape), asymptotes(shape, 0.28), rtol=1e-3)


@pytest.mark.parametrize("shape", [0.0, -1.0, 1e-300, 1e300])
def test_impossible_shapes_give_finite_positive_coefficients(shape: float) -> None:
    C = np.array(kalker_coefficients(kalker_table(nu=0.28), shape))
    assert np.isfinite(C).all()
    assert (C > 0).all()


def test_poisson_ratio_beyond_the_table_is_refused() -> None:
    with pytest.raises(ValueError, match=r"0\.\.0\.5"):
        kalker_table(nu=0.6)
