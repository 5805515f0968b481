"""Smoothers: the kernels against the textbook and filterpy, fixed lag against the whole run, honest variances."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from filterpy.kalman import KalmanFilter
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chi2

from twin.core.arrays import Array, frozen
from twin.numerics.discretise import white_jerk
from twin.numerics.kalman import correct, predict
from twin.numerics.smoothing import FixedLag, Smoothed, rts, rts_plain

H = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
R = np.diag([0.5**2, 0.2**2])


class Run:
    """A simulated run of a white-jerk system, its filtered states, and what the smoothers need of it."""

    def __init__(self, seed: int, steps: int) -> None:
        rng = np.random.default_rng(seed)
        self.F, self.Q = white_jerk(dt=rng.uniform(0.05, 0.15, steps), q=0.4)
        self.u = 0.1 * rng.standard_normal((steps, 3))
        self.truth, self.x_f, self.P_f = np.empty((steps, 3)), np.empty((steps, 3)), np.empty((steps, 3, 3))
        x_f, P_f = np.zeros(3), np.eye(3)
        x = rng.standard_normal(3)
        for i in range(steps):
            x = self.F[i] @ x + self.u[i] + np.linalg.cholesky(self.Q[i]) @ rng.standard_normal(3)
            x_p, P_p = predict(x_f, P_f, self.F[i], self.Q[i])
            done = correct(x_p + self.u[i], P_p, H @ x + np.sqrt(R) @ rng.standard_normal(2), H, R)
            x_f, P_f = done.x, done.P
            self.truth[i], self.x_f[i], self.P_f[i] = x, x_f, P_f
        self.distance = np.cumsum(rng.uniform(0.0, 0.4, steps))

    def smoothed(self) -> tuple[Array, Array]:
        return rts(self.x_f, self.P_f, self.F, self.Q, self.u)

    def add_to(self, smoother: FixedLag, start: int, stop: int) -> Smoothed:
        part = slice(start, stop)
        return smoother.add(
            self.x_f[part], self.P_f[part], self.F[part], self.Q[part], self.distance[part], self.u[part]
        )


@cache
def run_of(seed: int, steps: int) -> Run:
    return Run(seed, steps)


def whole(smoother: FixedLag, run: Run, cuts: list[int]) -> Smoothed:
    """All that a smoother gives of a run cut at the given samples."""
    edges = [0, *cuts, len(run.x_f)]
    parts = [run.add_to(smoother, start, stop) for start, stop in pairwise(edges)]
    parts.append(smoother.flush())
    starts = np.cumsum([0] + [len(part) for part in parts])
    assert [part.start for part in parts] == list(starts[:-1])
    return Smoothed(
        0,
        np.concatenate([part.coordinate for part in parts]),
        np.concatenate([part.x for part in parts]),
        np.concatenate([part.P for part in parts]),
    )


def test_kernel_smooths_as_the_textbook_does() -> None:
    run = run_of(0, 400)
    for kernel, plain in zip(run.smoothed(), rts_plain(run.x_f, run.P_f, run.F, run.Q, run.u), strict=True):
        assert_allclose(kernel, plain, rtol=1e-12, atol=1e-12)


def test_smoother_agrees_with_filterpy() -> None:
    run = run_of(1, 200)
    F, Q = run.F[0], run.Q[0]
    oracle = KalmanFilter(dim_x=3, dim_z=2)
    oracle.F, oracle.Q = F, Q
    steps = len(run.x_f)
    x, P, *_ = oracle.rts_smoother(run.x_f, run.P_f, [F] * steps, [Q] * steps)
    x_s, P_s = rts(run.x_f, run.P_f, F, Q)
    assert_allclose(x_s, x, rtol=1e-10, atol=1e-10)
    assert_allclose(P_s, P, rtol=1e-10, atol=1e-10)


def test_smoothing_never_raises_a_variance_and_ends_on_the_filtered_state() -> None:
    run = run_of(0, 400)
    x_s, P_s = run.smoothed()
    assert np.all(np.linalg.eigvalsh(run.P_f - P_s) > -1e-12)
    assert np.all(np.linalg.eigvalsh(P_s) > 0)
    assert_array_equal(P_s, np.swapaxes(P_s, 1, 2))
    assert_array_equal(x_s[-1], run.x_f[-1])
    assert_array_equal(P_s[-1], run.P_f[-1])


def test_errors_of_the_smoother_are_as_large_as_it_says_and_smaller_than_the_filters() -> None:
    runs, steps, at = 200, 40, 15
    nees, gained = 0.0, 0.0
    for seed in range(runs):
        run = Run(100 + seed, steps)
        x_s, P_s = run.smoothed()
        error = run.truth[at] - x_s[at]
        nees += error @ np.linalg.solve(P_s[at], error)
        gained += np.sum((run.truth[at] - run.x_f[at]) ** 2) - np.sum(error**2)
    assert chi2.ppf(0.001, 3 * runs) < nees < chi2.ppf(0.999, 3 * runs)
    assert gained > 0


def test_a_lag_longer_than_the_run_gives_exactly_the_whole_run_smoother() -> None:
    run = run_of(0, 400)
    held = whole(FixedLag(states=3, lag=1e9, stride=16, cap=1000), run, [])
    x_s, P_s = run.smoothed()
    assert_array_equal(held.x, x_s)
    assert_array_equal(held.P, P_s)
    assert_array_equal(held.coordinate, run.distance)


def test_a_long_lag_comes_close_to_the_whole_run_smoother() -> None:
    run = run_of(0, 1200)
    x_s, P_s = run.smoothed()
    difference = []
    for lag in (1.0, 10.0, 100.0):
        lagged = whole(FixedLag(states=3, lag=lag, stride=16, cap=1000), run, [])
        difference.append(np.abs(lagged.x - x_s).max())
        assert np.all(np.diagonal(lagged.P - P_s, axis1=1, axis2=2) > -1e-12)
    assert difference[0] > difference[1] > difference[2]
    assert difference[2] < 1e-10


@pytest.mark.parametrize(("lag", "stride", "cap"), [(3.0, 16, 40), (0.0, 1, 1), (20.0, 7, 1000), (1e9, 50, 30)])
def test_output_does_not_depend_on_block_length(lag: float, stride: int, cap: int) -> None:
    run = run_of(0, 400)
    rng = np.random.default_rng(7)
    once = whole(FixedLag(states=3, lag=lag, stride=stride, cap=cap), run, [])
    for _ in range(5):
        cuts = sorted(rng.integers(0, 401, 30).tolist())  # some blocks are empty
        parts = whole(FixedLag(states=3, lag=lag, stride=stride, cap=cap), run, cuts)
        assert_array_equal(parts.x, once.x)
        assert_array_equal(parts.P, once.P)
        assert_array_equal(parts.coordinate, run.distance)


def test_every_sample_has_seen_its_lag_and_not_a_stride_more() -> None:
    run, lag, stride = run_of(0, 400), 5.0, 16
    smoother = FixedLag(states=3, lag=lag, stride=stride, cap=1000)
    emitted = 0
    for newest in range(400):
        part = run.add_to(smoother, newest, newest + 1)
        if len(part):
            emitted += len(part)
            assert run.distance[newest] - run.distance[emitted - 1] >= lag
            assert run.distance[newest] - run.distance[emitted] < lag
            assert (newest + 1) % stride == 0


def test_a_batch_goes_over_from_the_smoother_of_the_batch_before_to_that_of_now() -> None:
    run = run_of(0, 400)
    smoother = FixedLag(states=3, lag=4.0, stride=20, cap=1000)
    run.add_to(smoother, 0, 180)
    part = run.add_to(smoother, 180, 200)
    before, now = (rts(run.x_f[:n], run.P_f[:n], run.F[:n], run.Q[:n], run.u[:n]) for n in (180, 200))
    own = slice(part.start, part.start + len(part))
    assert 0 < len(part) <= 20
    share = np.arange(len(part))[:, None] / len(part)
    assert_allclose(part.x, (1 - share) * before[0][own] + share * now[0][own], rtol=1e-12)
    assert_array_equal(part.P, now[1][own])


def test_at_standstill_the_cap_bounds_what_is_held() -> None:
    run = run_of(0, 400)
    smoother = FixedLag(states=3, lag=5.0, stride=10, cap=25)
    emitted = 0
    for start in range(0, 400, 10):
        part = slice(start, start + 10)
        emitted += len(
            smoother.add(run.x_f[part], run.P_f[part], run.F[part], run.Q[part], np.full(10, 2.0), run.u[part])
        )
        assert start + 10 - emitted <= 25
    assert len(smoother.flush()) == 25


def test_a_constant_without_noise_gets_one_estimate_for_all_time() -> None:
    n = 50
    rng = np.random.default_rng(8)
    F, Q = np.array([[1.0, 1.0], [0.0, 1.0]]), np.diag([0.1, 0.0])  # a walk with an unknown constant slope
    x_f, P_f = np.empty((n, 2)), np.empty((n, 2, 2))
    x, P = np.zeros(2), np.eye(2)
    for i in range(n):
        x, P = predict(x, P, F, Q)
        done = correct(x, P, rng.standard_normal(1), np.array([[1.0, 0.0]]), np.eye(1))
        x, P = x_f[i], P_f[i] = done.x, done.P
    x_s, P_s = rts(x_f, P_f, F, Q)
    assert_allclose(x_s[:, 1], x_f[-1, 1], rtol=1e-10)
    assert_allclose(P_s[:, 1, 1], P_f[-1, 1, 1], rtol=1e-9)


def test_exactly_known_and_dependent_states_are_smoothed_like_the_rest() -> None:
    run = run_of(0, 60)
    T = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 0, 0]], dtype=np.float64)  # a sum and a zero
    back = np.linalg.pinv(T)
    x_s, P_s = rts(run.x_f @ T.T, T @ run.P_f @ T.T, T @ run.F @ back, T @ run.Q @ T.T, run.u @ T.T)
    expected_x, expected_P = run.smoothed()
    assert_allclose(x_s, expected_x @ T.T, rtol=1e-8, atol=1e-8)
    assert_allclose(P_s, T @ expected_P @ T.T, rtol=1e-8, atol=1e-8)


def test_a_filter_started_anew_is_not_read_as_knowledge_of_the_past() -> None:
    run = run_of(0, 60)
    F = run.F.copy()
    F[30] = 0.0
    x_s, P_s = rts(run.x_f, run.P_f, F, run.Q, run.u)
    assert_array_equal(x_s[29], run.x_f[29])
    assert_allclose(P_s[29], run.P_f[29], rtol=1e-15)
    assert_array_equal(x_s[30:], run.smoothed()[0][30:])


def test_read_only_inputs_are_taken_and_left_alone() -> None:
    run = run_of(0, 60)
    before = run.x_f.copy(), run.P_f.copy()
    x_s, _ = rts(frozen(run.x_f), frozen(run.P_f), frozen(run.F), frozen(run.Q), frozen(run.u))
    assert_array_equal(x_s, run.smoothed()[0])
    assert_array_equal(run.x_f, before[0])
    assert_array_equal(run.P_f, before[1])


def test_a_run_without_samples_gives_none() -> None:
    nothing = np.empty((0, 3)), np.empty((0, 3, 3)), np.eye(3), np.eye(3)
    x_s, P_s = rts(*nothing)
    assert x_s.shape == (0, 3)
    assert P_s.shape == (0, 3, 3)
    smoother = FixedLag(states=3, lag=1.0, stride=4, cap=10)
    assert len(smoother.add(*nothing, np.empty(0))) == 0
    assert len(smoother.flush()) == 0


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit 5 samples of 3 states"):
        rts(np.zeros((5, 3)), np.zeros((5, 3, 3)), np.zeros((4, 3, 3)), np.eye(3))
    with pytest.raises(ValueError, match="stride >= 1"):
        FixedLag(states=3, lag=1.0, stride=0, cap=10)
