"""Injected faults are seeded, as frequent as planned, and counted exactly."""

from itertools import pairwise

import numpy as np
import pytest

from firmware_interface import Deframer, Packet, PacketKind, encode
from sensors.emulator.faults import FaultInjector, FaultPlan
from twin.core.errors import ConfigError

COUNT = 20_000
FRAMES = [index.to_bytes(4, "little") + bytes(36) for index in range(COUNT)]


def sent_with(plan: FaultPlan) -> tuple[FaultInjector, list[bytes]]:
    injector = FaultInjector(plan)
    sent = [out for frame in FRAMES for out in injector.apply(frame)] + injector.flush()
    return injector, sent


def is_binomial(count: int, trials: int, probability: float) -> bool:
    """Within 4.5 standard deviations: fails once in 1e5 seeds."""
    sd = np.sqrt(trials * probability * (1 - probability))
    return bool(abs(count - trials * probability) <= 4.5 * sd)


def test_a_plan_without_faults_changes_no_byte():
    _, sent = sent_with(FaultPlan())
    assert sent == FRAMES


def test_equal_seeds_give_equal_faults_and_others_do_not():
    plan = FaultPlan(seed=1, bit_error_rate=1e-4, loss=0.01, duplicate=0.01, reorder=0.01)
    again = sent_with(plan)[1]
    assert sent_with(plan)[1] == again
    assert sent_with(plan.model_copy(update={"seed": 2}))[1] != again


def test_lost_frames_are_as_many_as_planned_and_counted():
    injector, sent = sent_with(FaultPlan(seed=3, loss=0.02))
    assert len(sent) == COUNT - injector.counts.lost
    assert is_binomial(injector.counts.lost, COUNT, 0.02)


def test_duplicated_frames_follow_their_original():
    injector, sent = sent_with(FaultPlan(seed=4, duplicate=0.03))
    repeats = sum(a == b for a, b in pairwise(sent))
    assert repeats == injector.counts.duplicated == len(sent) - COUNT
    assert is_binomial(repeats, COUNT, 0.03)


def test_a_reordered_frame_follows_its_successor_and_none_is_lost():
    injector, sent = sent_with(FaultPlan(seed=5, reorder=0.05))
    indices = np.array([int.from_bytes(frame[:4], "little") for frame in sent])
    assert sorted(indices) == list(range(COUNT))
    assert np.count_nonzero(np.diff(indices) < 0) == injector.counts.reordered > 0.04 * COUNT
    assert np.abs(indices - np.arange(COUNT)).max() == 1


def test_bit_errors_are_as_many_as_planned_and_counted():
    injector, sent = sent_with(FaultPlan(seed=6, bit_error_rate=1e-3))
    changed = np.frombuffer(b"".join(sent), np.uint8) ^ np.frombuffer(b"".join(FRAMES), np.uint8)
    errors = int(np.unpackbits(changed).sum())
    assert errors == injector.counts.bit_errors
    assert is_binomial(errors, 8 * changed.size, 1e-3)
    assert injector.counts.damaged == sum(a != b for a, b in zip(sent, FRAMES, strict=True))


def test_bit_errors_cost_the_damaged_frames_and_those_whose_opening_delimiter_is_gone():
    rng = np.random.default_rng(8)
    frames = [encode(Packet(PacketKind.IMU, i & 0xFFFF, 2000 * i, rng.bytes(26))) for i in range(COUNT)]
    injector = FaultInjector(FaultPlan(seed=8, bit_error_rate=5e-5))
    sent = [out for frame in frames for out in injector.apply(frame)]
    joined = sum(
        before[-1] != 0 and now == frame for before, now, frame in zip(sent, sent[1:], frames[1:], strict=False)
    )
    assert joined > 0
    assert len(Deframer().feed(b"".join(sent))) == COUNT - injector.counts.damaged - joined


def test_an_unplug_window_is_closed_at_its_start_and_open_at_its_end():
    plan = FaultPlan.load({"unplug": [{"t": 2.0, "duration": 1.0}, {"t": 5.0, "duration": 0.5}]}, where="test")
    s = 1_000_000_000
    back = {2 * s - 1: None, 2 * s: 3 * s, 3 * s - 1: 3 * s, 3 * s: None, 5 * s: 5 * s + s // 2}
    assert {t_ns: plan.away_until_ns(t_ns) for t_ns in back} == back
    changes = {-1: 2 * s, 2 * s: 3 * s, 4 * s: 5 * s, 5 * s: 5 * s + s // 2, 6 * s: None}
    assert {t_ns: plan.next_change_ns(t_ns) for t_ns in changes} == changes


@pytest.mark.parametrize(
    "wrong",
    [
        {"unplug": [{"t": 2.0, "duration": 1.0}, {"t": 2.5, "duration": 1.0}]},
        {"clock_steps": [{"t": 2.0, "seconds": 1.0}, {"t": 1.0, "seconds": 1.0}]},
        {"loss": 1.5},
        {"bit_error_rate": float("nan")},
    ],
)
def test_a_plan_that_makes_no_sense_is_a_configuration_error(wrong):
    with pytest.raises(ConfigError, match=r"run\.toml: "):
        FaultPlan.load(wrong, where="run.toml")
