"""Sensors fail under way, and a train stands for long: the estimates say so and come back."""

import numpy as np
import pytest

from tests.benchmarks.navigation_faults import FLAG_TARGET, RECOVERY_TARGET, clean, judge, measure, navigated
from tests.benchmarks.sensor_faults import Fault
from tests.benchmarks.standstill import BACK_TARGET, Watched, rest_and_depart

FAULTS = (
    "imu_nan",
    "imu_inf",
    "imu_spikes",
    "imu_stuck",
    "imu_unplugged",
    "encoder_nan",
    "encoder_spikes",
    "encoder_stuck",
    "encoder_unplugged",
)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_flagged_at_once_and_survived(name: str) -> None:
    outcome = measure(name)
    assert outcome.nonfinite == 0
    assert outcome.flag_s <= FLAG_TARGET
    assert outcome.recovery_s <= RECOVERY_TARGET


def test_without_a_fault_nothing_is_flagged() -> None:
    outcome = judge(clean())
    assert outcome.nonfinite == 0
    assert outcome.flag_s == np.inf
    assert outcome.recovery_s == 0.0


def test_the_same_run_gives_the_same_estimates() -> None:
    np.testing.assert_array_equal(navigated(Fault()).causal.x, clean().causal.x)


@pytest.fixture(scope="module")
def rested() -> Watched:
    """12 minutes at rest, then off."""
    return rest_and_depart(0.2)


def test_variances_keep_their_floor_at_rest(rested: Watched) -> None:
    assert (rested.early > 0).all()
    assert (rested.late > 0.9 * rested.early).all()


def test_every_measurement_agrees_again_soon_after_departure(rested: Watched) -> None:
    assert len(rested.rows) == 7
    assert rested.nis_back() <= 1.5 * BACK_TARGET
