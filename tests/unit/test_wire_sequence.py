"""Sequence numbers tell loss, repetition and disorder apart."""

import numpy as np
import pytest

from firmware_interface import Arrival, SequenceMonitor


def counts(monitor: SequenceMonitor) -> dict[str, int]:
    """Counts that are not zero."""
    names = ("lost", "duplicated", "reordered", "restarts")
    return {name: getattr(monitor, name) for name in names if getattr(monitor, name)}


def observe(*sequences: int) -> tuple[SequenceMonitor, Arrival]:
    """A monitor after these numbers, and its judgement of the last."""
    monitor = SequenceMonitor()
    arrivals = [monitor.observe(sequence) for sequence in sequences]
    return monitor, arrivals[-1]


@pytest.mark.parametrize(
    ("sequences", "last", "expected"),
    [
        ((9,), Arrival.NEXT, {}),
        ((65_534, 65_535, 0, 1), Arrival.NEXT, {}),
        ((65_534, 2), Arrival.GAP, {"lost": 3}),
        ((5, 6, 6), Arrival.DUPLICATE, {"duplicated": 1}),
        ((5, 7, 6), Arrival.REORDERED, {"reordered": 1}),
        ((5, 8, 6), Arrival.REORDERED, {"reordered": 1, "lost": 1}),
        ((5, 7, 6, 6), Arrival.DUPLICATE, {"reordered": 1, "duplicated": 1}),
        ((5, 4), Arrival.REORDERED, {"reordered": 1}),
        ((5, 6, 5), Arrival.DUPLICATE, {"duplicated": 1}),
        ((1, 0, 2, 65_535), Arrival.REORDERED, {"reordered": 2}),
        ((5_000, 0), Arrival.RESTART, {"restarts": 1}),
        ((5_000, 0, 1, 3), Arrival.GAP, {"restarts": 1, "lost": 1}),
        ((0, 30_000, 29_990), Arrival.REORDERED, {"lost": 29_998, "reordered": 1}),
    ],
)
def test_arrivals_are_told_apart(sequences, last, expected):
    monitor, arrival = observe(*sequences)
    assert arrival is last
    assert counts(monitor) == expected


def test_a_known_restart_is_no_loss():
    monitor, _ = observe(10, 11)
    monitor.restart()
    assert monitor.observe(0) is Arrival.NEXT
    assert counts(monitor) == {}


def test_counts_equal_what_the_line_did_to_a_long_stream():
    rng = np.random.default_rng(11)
    sent = np.arange(200_000)
    lost = rng.random(sent.size) < 0.01
    lost[[0, -1]] = False
    kept = sent[~lost]
    arrivals = np.repeat(kept, np.where(rng.random(kept.size) < 0.005, 2, 1))
    monitor = SequenceMonitor()
    for number in arrivals:
        monitor.observe(int(number) % 65_536)
    assert (monitor.lost, monitor.duplicated) == (lost.sum(), arrivals.size - kept.size)


def test_disorder_within_the_window_loses_nothing():
    rng = np.random.default_rng(12)
    order = np.argsort(np.arange(50_000) + rng.uniform(0, 30, 50_000))
    monitor = SequenceMonitor()
    for number in order:
        monitor.observe(int(number) % 65_536)
    late = int(np.sum(order < np.maximum.accumulate(order)))
    assert counts(monitor) == {"reordered": late}
