"""Epochs of common time from devices that are late, silent, doubled, disordered or wrong about the time."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from twin.core.arrays import IntArray
from twin.core.blocks import ClockFit, Epoch, RawBlock
from twin.core.errors import ConfigError
from twin.core.quality import Quality
from twin.pipeline.synchroniser import Synchroniser, SynchroniserConfig

SECOND = 1_000_000_000
BEGIN = 1_000 * SECOND
RATES = {"fast": 100.0, "slow": 50.0}
CONFIG = SynchroniserConfig(epoch=0.2, allowance=0.1, horizon=2.0)
CLOCK = ClockFit(tick0=0, t0_ns=BEGIN, ns_per_tick=1000.0, sd_ns=1e4)


def block(
    source: str, ticks: Sequence[int] | IntArray, *, clock: ClockFit | None = CLOCK, stamp: int | None = None
) -> RawBlock:
    """Samples at ticks whose values are their ticks; received 5 ms after the last one."""
    at = np.asarray(ticks, dtype=np.int64)
    if stamp is None:
        stamp = int(CLOCK.to_ns(at).max()) + 5_000_000
    return RawBlock(source, at, at[:, None].astype(float), np.zeros(at.size, np.uint8), stamp, clock)


def sampled(source: str, begin: float, end: float) -> IntArray:
    """Ticks of a source between two times after BEGIN [s]."""
    period = round(1e6 / RATES[source])
    return np.arange(round(begin * 1e6), round(end * 1e6), period, dtype=np.int64)


def stream(source: str, begin: float, end: float, *, size: int = 5) -> list[RawBlock]:
    """Blocks of some samples between two times after BEGIN [s]."""
    ticks = sampled(source, begin, end)
    return [block(source, ticks[i : i + size]) for i in range(0, ticks.size, size)]


def both(begin: float, end: float) -> list[RawBlock]:
    """Two sound devices, by arrival."""
    return sorted(stream("fast", begin, end) + stream("slow", begin, end), key=lambda each: each.t_host_ns)


def fed(synchroniser: Synchroniser, blocks: Iterable[RawBlock]) -> list[Epoch]:
    return [epoch for each in blocks for epoch in synchroniser.process(each)]


def synchronised(blocks: Iterable[RawBlock]) -> list[Epoch]:
    """All epochs, to the end."""
    synchroniser = Synchroniser(CONFIG, RATES)
    return [*fed(synchroniser, blocks), *synchroniser.flush()]


def counted(epochs: Iterable[Epoch], source: str) -> Counter[str]:
    total = Counter[str]()
    for epoch in epochs:
        total.update(epoch.counts[source])
    return total


def values(epochs: Iterable[Epoch], source: str) -> list[float]:
    """What arrived, in order; missing samples left out."""
    parts = [epoch.samples[source].values[:, 0] for epoch in epochs if source in epoch.samples]
    joined = np.concatenate(parts)
    return [float(value) for value in joined[np.isfinite(joined)]]


def times(epochs: Iterable[Epoch], source: str) -> IntArray:
    return np.concatenate([epoch.samples[source].t_ns for epoch in epochs if source in epoch.samples])


def check_consecutive(epochs: Sequence[Epoch]) -> None:
    """Epochs follow each other without a gap, and so do the points of every source's grid."""
    assert all(b.index == a.index + 1 and b.t0_ns == a.t1_ns for a, b in pairwise(epochs))
    for source in RATES:
        steps = np.diff(times(epochs, source)) * RATES[source] / SECOND
        assert steps.min() > 0.5
        assert steps.max() < 1.5


def test_sound_devices_give_every_sample_in_its_epoch_at_its_time() -> None:
    epochs = synchronised(both(0.0, 3.0))
    check_consecutive(epochs)
    assert len(epochs) == 15
    for source, rate in RATES.items():
        assert values(epochs, source) == sampled(source, 0.0, 3.0).tolist()
        assert not counted(epochs, source)
        assert all(len(epoch.samples[source]) == rate / 5 for epoch in epochs)
        np.testing.assert_allclose(times(epochs, source), BEGIN + 1000 * sampled(source, 0.0, 3.0), atol=1)
        assert all(epoch.clock_sd[source] == pytest.approx(1e-5) for epoch in epochs)


def test_an_epoch_leaves_as_soon_as_every_source_has_passed_its_end_and_the_allowance() -> None:
    synchroniser = Synchroniser(CONFIG, RATES)
    assert fed(synchroniser, both(0.0, 0.3)) == []
    assert [epoch.index * 0.2 for epoch in fed(synchroniser, both(0.3, 0.32))] == [1000.0]


def test_missing_samples_are_marked_not_invented() -> None:
    lost = [each for each in both(0.0, 3.0) if not (each.source == "fast" and 500_000 <= each.ticks[0] < 700_000)]
    epochs = synchronised(lost)
    check_consecutive(epochs)
    flags = np.concatenate([epoch.samples["fast"].quality for epoch in epochs])
    assert counted(epochs, "fast") == {"missing": 20}
    assert np.count_nonzero(flags == Quality.MISSING) == 20
    assert all(np.isnan(e.samples["fast"].values[e.samples["fast"].quality == Quality.MISSING]).all() for e in epochs)


def test_a_duplicate_is_dropped_and_counted() -> None:
    twice = [copy for each in both(0.0, 2.0) for copy in ([each, each] if each.ticks[0] == 600_000 else [each])]
    epochs = synchronised(twice)
    check_consecutive(epochs)
    assert values(epochs, "fast") == sampled("fast", 0.0, 2.0).tolist()
    assert counted(epochs, "fast") == {"duplicate": 5, "reordered": 4}
    assert counted(epochs, "slow") == {"duplicate": 5, "reordered": 4}


def test_reordered_samples_within_the_allowance_find_their_place() -> None:
    ticks = sampled("fast", 0.0, 2.0)
    ticks[[60, 63]] = ticks[[63, 60]]
    blocks = [
        block("fast", ticks[i : i + 1], stamp=BEGIN + 1000 * int(ticks[: i + 1].max())) for i in range(ticks.size)
    ]
    epochs = synchronised(sorted(blocks + stream("slow", 0.0, 2.0), key=lambda each: each.t_host_ns))
    assert values(epochs, "fast") == sampled("fast", 0.0, 2.0).tolist()
    assert counted(epochs, "fast") == {"reordered": 3}


def test_a_sample_of_a_closed_epoch_is_late() -> None:
    blocks = both(0.0, 2.0)
    late = block("fast", [500_500], stamp=blocks[45].t_host_ns)
    epochs = synchronised([*blocks[:45], late, *blocks[45:]])
    assert counted(epochs, "fast") == {"late": 1}
    assert values(epochs, "fast") == sampled("fast", 0.0, 2.0).tolist()


def test_late_is_judged_by_the_own_stream_whatever_other_devices_did() -> None:
    """The other device has said nothing yet, so no epoch is closed; the sample is late all the same."""
    own = stream("fast", 0.0, 1.0)
    late = block("fast", [100_500], stamp=own[-1].t_host_ns)
    epochs = synchronised([*own, late, *stream("slow", 0.0, 1.0)])
    assert counted(epochs, "fast") == {"late": 1}


def test_a_silent_device_holds_the_others_up_for_a_horizon_and_is_then_missing() -> None:
    synchroniser = Synchroniser(CONFIG, RATES)
    fed(synchroniser, both(0.0, 1.0))
    alone = fed(synchroniser, stream("fast", 1.0, 3.1))
    assert max(epoch.t1_ns for epoch in alone) == BEGIN + SECOND
    epochs = fed(synchroniser, stream("fast", 3.1, 5.0))
    assert len(epochs) == 9
    for epoch in epochs:
        assert np.all(epoch.samples["slow"].quality == Quality.MISSING)
        assert epoch.counts["slow"] == {"missing": 10}
        assert not epoch.counts["fast"]


def test_a_device_that_comes_back_goes_on_where_time_is() -> None:
    epochs = synchronised([*both(0.0, 1.0), *stream("fast", 1.0, 6.0), *both(6.0, 8.0)])
    check_consecutive(epochs)
    assert counted(epochs, "slow") == {"missing": 250}
    assert values(epochs, "slow") == [*sampled("slow", 0.0, 1.0), *sampled("slow", 6.0, 8.0)]


def test_a_device_never_seen_is_absent_and_costs_the_horizon() -> None:
    synchroniser = Synchroniser(CONFIG, RATES)
    epochs = fed(synchroniser, stream("fast", 0.0, 5.0))
    assert all(set(epoch.samples) == {"fast"} for epoch in epochs)
    assert epochs[-1].t1_ns == BEGIN + 2_800_000_000


def test_samples_of_a_source_nobody_asked_for_change_nothing() -> None:
    other = [replace(each, source="other") for each in stream("slow", 0.0, 9.0)]
    assert len(synchronised([*other, *both(0.0, 2.0)])) == 10


def test_a_time_from_the_future_is_not_believed() -> None:
    ahead = block("fast", [30_000_000], stamp=BEGIN + SECOND)
    blocks = both(0.0, 2.0)
    epochs = synchronised([*blocks[:30], ahead, *blocks[30:]])
    check_consecutive(epochs)
    assert counted(epochs, "fast") == {"future": 1}
    assert epochs[-1].t1_ns == BEGIN + 2 * SECOND


def test_samples_without_a_clock_are_counted_and_the_run_goes_on_without_them() -> None:
    unclocked = [replace(each, clock=None) for each in stream("slow", 0.0, 1.0)]
    blocks = sorted([*unclocked, *stream("slow", 1.0, 3.0), *stream("fast", 0.0, 3.0)], key=lambda each: each.t_host_ns)
    epochs = synchronised(blocks)
    assert counted(epochs, "slow") == {"unsynchronised": 50}
    assert "slow" not in epochs[0].samples
    assert values(epochs, "slow") == sampled("slow", 1.0, 3.0).tolist()


def test_a_device_that_never_gets_a_clock_is_still_reported() -> None:
    unclocked = [replace(each, clock=None) for each in stream("slow", 0.0, 9.0)]
    synchroniser = Synchroniser(CONFIG, RATES)
    epochs = fed(synchroniser, unclocked)
    assert counted(epochs, "slow")["unsynchronised"] > 300


def test_an_unsure_clock_flags_its_samples() -> None:
    unsure = replace(CLOCK, sd_ns=3e6)
    epochs = synchronised([replace(each, clock=unsure) if each.source == "slow" else each for each in both(0.0, 1.0)])
    assert all(np.all(epoch.samples["slow"].quality == Quality.CLOCK_UNSURE) for epoch in epochs)
    assert all(np.all(epoch.samples["fast"].quality == Quality.GOOD) for epoch in epochs)


@pytest.mark.parametrize("jump", [-700_000, -33_000, -5_000, 33_000, 450_000, 3_000_000])
def test_a_stepped_device_clock_never_sets_the_grid_back(jump: int) -> None:
    """The device counts anew from elsewhere; its new clock is wrong by up to 50 ms either way."""
    for error_ns in (-50_000_000, -4_000_000, 0, 7_000_000, 50_000_000):
        stepped = replace(CLOCK, tick0=1_000_000 + jump, t0_ns=BEGIN + SECOND + error_ns, epoch=1)
        blocks = [
            block("fast", each.ticks + jump, clock=stepped, stamp=each.t_host_ns + 50_000_000)
            if each.source == "fast" and each.ticks[0] >= 1_000_000
            else each
            for each in both(0.0, 3.0)
        ]
        epochs = synchronised(blocks)
        check_consecutive(epochs)
        found = np.diff(times(epochs, "fast"))
        assert found.min() > 0
        lost = counted(epochs, "fast")["overlapping"] + counted(epochs, "fast")["late"]
        assert lost <= 6
        assert len(values(epochs, "fast")) == 300 - lost


def test_equal_ticks_of_two_clocks_are_not_duplicates() -> None:
    """A device restarts and counts the same ticks again, half an epoch later."""
    again = replace(CLOCK, t0_ns=BEGIN + 100_000_000, epoch=1)
    first, second = sampled("fast", 0.0, 0.1), sampled("fast", 0.0, 1.0)
    blocks = [block("fast", first), block("fast", second, clock=again, stamp=BEGIN + 1_200_000_000)]
    epochs = synchronised([*blocks, *stream("slow", 0.0, 1.1)])
    assert values(epochs, "fast") == [*first, *second]
    assert not counted(epochs, "fast")


def test_the_grid_follows_a_drifting_and_jittering_device() -> None:
    rng = np.random.default_rng(2)
    ticks = sampled("fast", 0.0, 60.0)
    drifting = replace(CLOCK, ns_per_tick=1000.0 * (1 + 3e-4))
    jittered = ticks + rng.integers(-300, 300, ticks.size)
    blocks = [
        block("fast", jittered[i : i + 5], clock=drifting, stamp=BEGIN + 1000 * int(ticks[i]) + 90_000_000)
        for i in range(0, ticks.size, 5)
    ]
    epochs = synchronised(sorted(blocks + stream("slow", 0.0, 60.0), key=lambda each: each.t_host_ns))
    check_consecutive(epochs)
    assert values(epochs, "fast") == jittered.tolist()
    assert not set(counted(epochs, "fast")) & {"missing", "overlapping", "duplicate"}
    assert np.abs(times(epochs, "fast") - drifting.to_ns(jittered)).max() < 1e6


def test_a_device_at_another_rate_than_stated_cannot_stretch_time() -> None:
    """160 Hz where 100 Hz were stated: samples too many are dropped, the grid stays with the clock."""
    ticks = np.arange(0, 3_000_000, 6_250)
    epochs = synchronised(
        [*(block("fast", ticks[i : i + 4]) for i in range(0, ticks.size, 4)), *stream("slow", 0.0, 3.0)]
    )
    check_consecutive(epochs)
    assert counted(epochs, "fast")["overlapping"] == pytest.approx(180, abs=25)
    assert all(abs(len(epoch.samples["fast"]) - 20) <= 1 for epoch in epochs)


def test_a_flood_does_not_grow_the_memory() -> None:
    """The other device is silent, so nothing leaves; ten times the stated rate arrives, with ever new ticks."""
    synchroniser = Synchroniser(CONFIG, RATES)
    ticks = np.arange(0, 60_000_000, 1_000)
    held, epochs = 0, []
    for i in range(0, ticks.size, 100):
        epochs += synchroniser.process(block("fast", ticks[i : i + 100]))
        held = max(held, synchroniser.held)
    bound = 2 * RATES["fast"] * (CONFIG.horizon + 2 * CONFIG.epoch)
    assert held <= 1.1 * bound
    assert counted(epochs, "fast")["flooding"] > 0.7 * ticks.size


def test_an_hour_of_silence_of_one_device_does_not_grow_the_memory() -> None:
    synchroniser = Synchroniser(SynchroniserConfig(epoch=1.0), {"fast": 10.0, "slow": 10.0})
    period = 100_000
    synchroniser.process(block("slow", [0]))
    held = 0
    for i in range(3600):
        synchroniser.process(block("fast", np.arange(i * 10, i * 10 + 10) * period))
        held = max(held, synchroniser.held)
    assert held <= 10 * (CONFIG.horizon + 2)


def test_an_hour_of_silence_of_all_devices_is_an_hour_of_missing_epochs() -> None:
    epochs = synchronised([*both(0.0, 1.0), *both(3601.0, 3602.0)])
    check_consecutive(epochs)
    assert len(epochs) == 3602 * 5
    assert counted(epochs, "fast") == {"missing": 360_000}
    silent = epochs[9000].samples["fast"]
    assert silent.values.strides == (0, 0)  # the NaNs of an hour share one number


def test_samples_older_than_the_horizon_do_not_start_epochs_in_the_past() -> None:
    """A device that first empties an old buffer: its samples are late, not an hour of empty epochs."""
    stale = block("slow", [0, 20_000, 40_000], stamp=BEGIN + 3600 * SECOND)
    epochs = synchronised([stale, *both(3600.0, 3601.0)])
    assert len(epochs) == 5
    assert counted(epochs, "slow") == {"late": 3}


def test_a_run_that_ends_within_an_epoch_misses_nothing_after_its_end() -> None:
    epochs = synchronised(both(0.0, 1.07))
    assert epochs[-1].t1_ns == BEGIN + 1_200_000_000
    assert not counted(epochs, "fast")
    assert not counted(epochs, "slow")


def test_nothing_in_gives_nothing_out() -> None:
    assert synchronised([]) == []
    assert synchronised([block("fast", [], stamp=BEGIN)]) == []


def test_a_horizon_within_the_allowance_is_a_configuration_error() -> None:
    with pytest.raises(ConfigError, match="horizon must exceed allowance"):
        SynchroniserConfig.load({"horizon": 0.1, "allowance": 0.2}, where="test.toml")
