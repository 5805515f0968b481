"""Kalman steps: the kernels against the plain form, the plain form against filterpy, and what a bad value does."""

import numpy as np
import pytest
from filterpy.kalman import KalmanFilter
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chi2

from twin.core.arrays import Array
from twin.numerics.compiled import compiled
from twin.numerics.kalman import correct, correct_scalar, predict, predict_in_place
from twin.numerics.small_matrices import factor, solve

SIZES = (1, 2, 6, 12)


def covariance(rng: np.random.Generator, n: int, rank: int | None = None) -> Array:
    A = rng.standard_normal((n, rank or 2 * n))
    return A @ A.T


def system(rng: np.random.Generator, n: int, m: int) -> tuple[Array, ...]:
    """x, P, F, Q, H, R and z of a random linear system with independent measurements."""
    F = np.eye(n) + 0.3 * rng.standard_normal((n, n))
    F /= max(1.0, np.abs(np.linalg.eigvals(F)).max())  # an unstable system grows rounding errors without bound
    R = np.diag(rng.uniform(0.1, 2.0, m))
    return (
        rng.standard_normal(n),
        covariance(rng, n),
        F,
        covariance(rng, n),
        rng.standard_normal((m, n)),
        R,
        rng.standard_normal(m),
    )


@pytest.mark.parametrize("n", SIZES)
def test_kernel_predicts_what_the_plain_form_predicts(n: int) -> None:
    x, P, F, Q, *_ = system(np.random.default_rng(n), n, 1)
    x_p, P_p = predict(x, P, F, Q)
    predict_in_place(x, P, F, Q, np.full((n, n), np.nan))
    assert_allclose(x, x_p, rtol=1e-12, atol=1e-13)
    assert_allclose(P, P_p, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("n", SIZES)
def test_kernel_corrects_row_by_row_as_the_plain_form_does_at_once(n: int) -> None:
    x, P, _, _, H, R, z = system(np.random.default_rng(n), n, n + 1)
    whole = correct(x, P, z, H, R)
    nis = 0.0
    for i in range(n + 1):
        one = correct(x, P, z[i : i + 1], H[i : i + 1], R[i : i + 1, i : i + 1])
        innovation, variance, accepted = correct_scalar(x, P, H[i], z[i], R[i, i], np.inf, np.empty((n, n)))
        assert accepted
        assert_allclose([innovation, variance], [one.innovation[0], one.S[0, 0]], rtol=1e-12)
        assert_allclose(x, one.x, rtol=1e-12, atol=1e-13)
        assert_allclose(P, one.P, rtol=1e-12, atol=1e-13)
        nis += innovation**2 / variance
    assert_allclose(x, whole.x, rtol=1e-11, atol=1e-12)
    assert_allclose(P, whole.P, rtol=1e-11, atol=1e-12)
    assert nis == pytest.approx(whole.nis, rel=1e-11)


@pytest.mark.parametrize("seed", range(20))
def test_plain_form_agrees_with_filterpy_on_random_systems(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 9)), int(rng.integers(1, 7))
    x, P, F, Q, H, R, _ = system(rng, n, m)
    R = R + covariance(rng, m)
    oracle = KalmanFilter(dim_x=n, dim_z=m)
    oracle.x, oracle.P, oracle.F, oracle.Q, oracle.H, oracle.R = x[:, None].copy(), P.copy(), F, Q, H, R
    for z in rng.standard_normal((30, m)):
        x, P = predict(x, P, F, Q)
        oracle.predict()
        done = correct(x, P, z, H, R)
        x, P = done.x, done.P
        oracle.update(z[:, None])
        assert_allclose(x, oracle.x[:, 0], rtol=1e-10, atol=1e-10)
        assert_allclose(P, oracle.P, rtol=1e-10, atol=1e-10)
        assert_allclose(done.innovation, oracle.y[:, 0], rtol=1e-10, atol=1e-10)
        assert_allclose(done.S, oracle.S, rtol=1e-10, atol=1e-10)
        assert done.nis == pytest.approx(float(oracle.mahalanobis) ** 2, rel=1e-9)


@pytest.mark.parametrize("z", [np.nan, np.inf, -np.inf, 1e300])
def test_a_measurement_that_is_not_finite_leaves_the_state_untouched(z: float) -> None:
    x, P, *_ = system(np.random.default_rng(1), 4, 1)
    before = x.copy(), P.copy()
    *_, accepted = correct_scalar(x, P, np.ones(4), z, 1.0, np.inf, np.empty((4, 4)))
    assert not accepted
    assert_array_equal(x, before[0])
    assert_array_equal(P, before[1])


@pytest.mark.parametrize(("h", "r"), [(np.nan, 1.0), (np.inf, 1.0), (1.0, np.nan), (0.0, 0.0), (0.0, -1.0)])
def test_a_row_without_a_positive_variance_leaves_the_state_untouched(h: float, r: float) -> None:
    x, P, *_ = system(np.random.default_rng(2), 4, 1)
    before = x.copy(), P.copy()
    *_, accepted = correct_scalar(x, P, np.full(4, h), 0.5, r, np.inf, np.empty((4, 4)))
    assert not accepted
    assert_array_equal(x, before[0])
    assert_array_equal(P, before[1])


def test_the_gate_parts_measurements_at_its_own_nis() -> None:
    for z, expected in ((1.99, True), (2.01, False)):  # S = 1 + 3 = 4: a gate of 1 lies at |z| = 2
        x, P = np.zeros(1), np.ones((1, 1))
        innovation, variance, accepted = correct_scalar(x, P, np.ones(1), z, 3.0, 1.0, np.empty((1, 1)))
        assert (innovation, variance, accepted) == (z, 4.0, expected)
        assert bool(x[0] != 0.0) is expected


def test_an_exact_measurement_leaves_a_covariance_without_negative_variances() -> None:
    rng = np.random.default_rng(3)
    x, P, h, scratch = np.zeros(6), covariance(rng, 6) * 1e12, rng.standard_normal(6), np.empty((6, 6))
    for _ in range(100):
        correct_scalar(x, P, h, 0.0, 1e-12, np.inf, scratch)
        assert_array_equal(P, P.T)
        assert np.linalg.eigvalsh(P)[0] >= -1e-15 * np.trace(P)
        assert h @ P @ h >= -1e-15 * np.trace(P)


@compiled
def filtered(F: Array, Q: Array, H: Array, R: Array, z: Array) -> tuple[Array, Array, Array]:
    """Last state, its covariance, and the nis of every scalar measurement, from x = 0, P = I."""
    n = F.shape[0]
    x, P, scratch = np.zeros(n), np.eye(n), np.empty((n, n))
    nis = np.empty(z.shape)
    for i in range(z.shape[0]):
        predict_in_place(x, P, F, Q, scratch)
        for j in range(z.shape[1]):
            innovation, variance, _ = correct_scalar(x, P, H[j], z[i, j], R[j], np.inf, scratch)
            nis[i, j] = innovation * innovation / variance
    return x, P, nis


def test_errors_of_the_filter_are_as_large_as_it_says() -> None:
    rng = np.random.default_rng(4)
    runs, steps, n, m = 300, 20, 6, 3
    F = np.eye(n) + 0.05 * rng.standard_normal((n, n))
    Q, H, R = covariance(rng, n) / 100, rng.standard_normal((m, n)), rng.uniform(0.1, 2.0, m)
    root = np.linalg.cholesky(Q)
    nees, nis = [], []
    for _ in range(runs):
        x, z = rng.standard_normal(n), np.empty((steps, m))
        for i in range(steps):
            x = F @ x + root @ rng.standard_normal(n)
            z[i] = H @ x + np.sqrt(R) * rng.standard_normal(m)
        x_f, P_f, nis_run = filtered(F, Q, H, R, z)
        nees.append((x - x_f) @ np.linalg.solve(P_f, x - x_f))
        nis.append(nis_run.sum())
    for total, degrees in ((sum(nees), runs * n), (sum(nis), runs * steps * m)):
        assert chi2.ppf(0.001, degrees) < total < chi2.ppf(0.999, degrees)


def test_inputs_of_the_plain_form_are_not_modified() -> None:
    given = system(np.random.default_rng(5), 4, 2)
    before = [each.copy() for each in given]
    x, P, F, Q, H, R, z = given
    predict(x, P, F, Q)
    correct(x, P, z, H, R)
    for now, then in zip(given, before, strict=True):
        assert_array_equal(now, then)


@pytest.mark.parametrize("rank", [0, 1, 3, 5])
def test_factor_and_solve_serve_a_singular_covariance(rank: int) -> None:
    rng = np.random.default_rng(rank)
    P = covariance(rng, 5, rank) if rank else np.zeros((5, 5))
    L = np.full((5, 5), np.nan)
    factor(P, L)
    assert np.count_nonzero(np.diag(L)) == rank
    assert_allclose(L @ L.T, P, atol=1e-12)
    B = P @ rng.standard_normal((5, 5))
    X = B.copy()
    solve(L, X)
    assert_allclose(P @ X, B, atol=1e-10)
