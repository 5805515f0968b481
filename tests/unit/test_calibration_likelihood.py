"""The likelihood of innovations: where it peaks, and what does not move it."""

import numpy as np
import pytest

from calibration.likelihood import Consistency, Moments, consistency, log_likelihood
from twin.core.arrays import Array, BoolArray
from twin.core.estimate import Fusion

N, TRUE_SD = 20_000, 2.0
T_NS = np.arange(N) * 2_000_000
ALL = Moments(T_NS, np.ones(N, np.bool_))


def fusion(
    innovation: Array, sd: float, *, accepted: BoolArray | None = None, virtual: bool = False, name: str = "a"
) -> Fusion:
    accepted = np.ones(N, np.bool_) if accepted is None else accepted
    return Fusion(name, T_NS, innovation, np.full(N, sd**2), accepted, 25.0, virtual)


@pytest.fixture
def innovation() -> Array:
    return TRUE_SD * np.random.default_rng(2).standard_normal(N)


def best_sd(innovation: Array, moments: Moments = ALL) -> float:
    sds = np.exp(np.linspace(-1, 1, 401)) * TRUE_SD
    return float(sds[np.argmax([log_likelihood([fusion(innovation, sd)], moments).sum() for sd in sds])])


def test_the_likelihood_peaks_at_the_true_deviation(innovation: Array) -> None:
    assert best_sd(innovation) == pytest.approx(TRUE_SD, rel=0.02)


def test_a_jolt_of_a_thousand_sigmas_does_not_set_the_deviation(innovation: Array) -> None:
    jolted = innovation.copy()
    jolted[:20] = 1000 * TRUE_SD
    assert best_sd(jolted) == pytest.approx(best_sd(innovation), rel=0.05)
    assert float(np.std(jolted)) > 10 * TRUE_SD


def test_rejecting_measurements_wins_nothing(innovation: Array) -> None:
    none = np.zeros(N, np.bool_)
    all_in, all_out = fusion(innovation, 1.0), fusion(innovation, 1.0, accepted=none)
    np.testing.assert_array_equal(log_likelihood([all_in], ALL), log_likelihood([all_out], ALL))


def test_virtual_sensors_and_broken_samples_do_not_count(innovation: Array) -> None:
    broken = innovation.copy()
    broken[::7] = np.nan
    virtual = fusion(np.zeros(N), 1.0, virtual=True)
    assert np.isfinite(log_likelihood([fusion(broken, 2.0)], ALL)).all()
    assert log_likelihood([virtual], ALL).sum() == 0
    assert consistency([virtual], ALL) == ()


def test_only_moments_that_count_do(innovation: Array) -> None:
    late = Moments(T_NS, np.arange(N) >= N // 2)
    loud_start = innovation.copy()
    loud_start[: N // 2] *= 3
    assert best_sd(loud_start, late) == pytest.approx(TRUE_SD, rel=0.02)


def test_stretches_add_up_to_the_whole(innovation: Array) -> None:
    parts = log_likelihood([fusion(innovation, 1.5)], ALL)
    nis = (innovation / 1.5) ** 2
    cost = np.where(nis <= 16, nis, 16 + 16 * np.log(nis / 16))
    assert parts.shape == (8,)  # 40 s in stretches of 5 s
    assert parts.sum() == pytest.approx(-cost.sum() / 2 - N * np.log(1.5))


def test_a_consistent_row_has_nis_one_and_five_percent_outside(innovation: Array) -> None:
    accepted = np.arange(N) % 10 != 0
    (row,) = consistency([fusion(innovation, TRUE_SD, accepted=accepted)], ALL)
    assert row.nis == pytest.approx(1, abs=0.03)
    assert row.outside == pytest.approx(0.05, abs=0.006)
    assert (row.samples, row.rejected) == (N - N // 10, N // 10)


def test_rows_keep_their_names_apart(innovation: Array) -> None:
    rows = consistency([fusion(innovation, 2.0, name="a"), fusion(innovation, 4.0, name="b")], ALL)
    assert [row.name for row in rows] == ["a", "b"]
    assert rows[1].nis == pytest.approx(rows[0].nis / 4)


def test_a_row_without_a_measurement_says_so() -> None:
    empty = fusion(np.full(N, np.nan), 1.0)
    (row,) = consistency([empty], ALL)
    assert isinstance(row, Consistency)
    assert row.samples == 0
    assert np.isnan(row.nis)
