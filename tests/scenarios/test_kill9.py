"""A process that records is killed without warning: what it called committed is there, and it goes on at once."""

import pytest

from tests.benchmarks.kill9 import Outcome, study


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Of 20 kills at random moments, every restart into the place of the one before."""
    return study(20, tmp_path_factory.mktemp("kill9"))


def test_no_committed_sample_is_lost(outcome: Outcome) -> None:
    assert outcome.kills == 20
    assert outcome.committed_lost == 0


def test_no_sample_is_wrong_twice_or_out_of_order(outcome: Outcome) -> None:
    assert outcome.wrong == 0


def test_kill_costs_at_most_one_second_of_data(outcome: Outcome) -> None:
    assert 0 < outcome.data_lost_s <= 1


def test_recording_again_after_every_kill(outcome: Outcome) -> None:
    """Within what a machine with other work needs; the two seconds of a quiet one are a figure of `make bench`."""
    assert 0 < outcome.restart_s <= 10
