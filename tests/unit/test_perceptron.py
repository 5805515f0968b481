"""Perceptrons: compiled sums against numpy, tanh against its definition, scales."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.numerics.perceptron import ABREAST, Scale, gram_plain, gram_products, quick_tanh, squared_residuals, with_ones


def test_quick_tanh_is_tanh_to_1e_10_everywhere() -> None:
    x = np.concatenate((np.linspace(-40, 40, 20_001), np.geomspace(1e-300, 1e300, 2001), [np.inf]))
    assert max(abs(quick_tanh(each) - np.tanh(each)) for each in np.concatenate((x, -x))) < 1e-10


@pytest.mark.parametrize("n", [1, ABREAST - 1, ABREAST, 5 * ABREAST + 3])
@pytest.mark.parametrize(("d", "h", "k"), [(3, 8, 2), (1, 1, 1), (3, 13, 6)])
def test_compiled_sums_are_those_of_the_plain_form(n: int, d: int, h: int, k: int) -> None:
    rng = np.random.default_rng(n + h)
    x, target = with_ones(rng.uniform(-1, 1, (n, d))), rng.standard_normal((n, k))
    first, last = rng.standard_normal((d + 1, h)), rng.standard_normal((k, h + 1))
    for found, expected in zip(gram_products(x, target, first, last), gram_plain(x, target, first, last), strict=True):
        assert_allclose(found, expected, rtol=1e-8, atol=1e-8)
    residuals = target - with_ones(np.tanh(x @ first)) @ last.T
    assert squared_residuals(x, target, first, last) == pytest.approx(np.sum(residuals**2), rel=1e-8)


def test_a_scale_maps_data_on_minus_one_to_one_and_back() -> None:
    data = np.random.default_rng(1).normal([1, -5, 100], [1e-3, 2, 50], (50, 3))
    scale = Scale.of(data)
    assert_allclose(scale.scaled(data).min(axis=0), -1.0)
    assert_allclose(scale.scaled(data).max(axis=0), 1.0)
    assert_allclose(scale.unscaled(scale.scaled(data)), data)
