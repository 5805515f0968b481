"""The clock of a device against the host's, on simulated crystals and delays."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from sensors.clock import ClockConfig, DeviceClock, SyncMeasurement
from sensors.clock_bounds import Polygon, box, cut, later, moments, simplified
from twin.core.arrays import Array
from twin.core.blocks import ClockFit

TICK_HZ = 1_000_000
T0_NS = 7_000_000_000_000
Delay = Callable[[np.random.Generator], float]


@dataclass(frozen=True)
class Crystal:
    """A device clock with a constant drift and one step, in true seconds since the start."""

    drift: float = 0.0
    offset: float = 12.5
    step_at: float = np.inf
    step: float = 0.0

    def ticks(self, t: float) -> int:
        stepped = self.step if t >= self.step_at else 0.0
        return int((self.offset + stepped + t * (1 + self.drift)) * TICK_HZ)


def exponential(mean: float, least: float = 0.0) -> Delay:
    return lambda rng: least + float(rng.exponential(mean)) if mean > 0 else least


def exchange(crystal: Crystal, t: float, there: float, back: float) -> SyncMeasurement:
    """A request at true time t; the device takes 50 us to answer."""
    received, sent = t + there, t + there + 50e-6
    return SyncMeasurement(
        t_sent_ns=T0_NS + round(t * 1e9),
        tick_received=crystal.ticks(received),
        tick_sent=crystal.ticks(sent),
        t_received_ns=T0_NS + round((sent + back) * 1e9),
    )


def follow(
    crystal: Crystal, *, seconds: float, there: Delay, back: Delay, seed: int, clock: DeviceClock | None = None
) -> Iterator[tuple[float, int, DeviceClock]]:
    """Sync at 1 Hz, samples at 100 Hz: (true time, tick, clock) of every sample."""
    rng = np.random.default_rng(seed)
    clock = clock or DeviceClock(ClockConfig(), tick_hz=TICK_HZ)
    newest = -1
    for i in range(round(seconds * 100)):
        t = i / 100 + 0.003
        if i % 100 == 0:
            clock.update(exchange(crystal, t - 0.003, there(rng), back(rng)), newest_tick=newest)
        tick = crystal.ticks(t)
        if tick >= clock.settles_at:
            clock.settle(tick, newest_tick=newest)
        newest = max(newest, tick)
        yield t, tick, clock


def error_ns(fit: ClockFit | None, tick: int, t: float) -> float:
    assert fit is not None
    return float(fit.to_ns(np.array([tick]))[0] - T0_NS - round(t * 1e9))


@pytest.mark.parametrize("drift", [-50e-6, 0.0, 50e-6])
def test_rms_error_is_below_200_us_after_10_s_of_millisecond_jitter(drift: float) -> None:
    errors = []
    for seed in range(40):
        run = follow(Crystal(drift), seconds=12, there=exponential(1e-3), back=exponential(1e-3), seed=seed)
        errors.append([error_ns(clock.fit, tick, t) for t, tick, clock in run if t > 10])
    assert np.sqrt(np.mean(np.square(errors))) < 200e3


def test_stated_sd_is_the_error_for_equal_exponential_delays() -> None:
    """The centroid is then the posterior mean: squared errors in sigmas average one (and never much more)."""
    nees = []
    for seed in range(200):
        drift = np.random.default_rng(seed).uniform(-50e-6, 50e-6)
        run = follow(Crystal(drift), seconds=13, there=exponential(1e-3), back=exponential(1e-3), seed=seed)
        for t, tick, clock in run:
            if t > 12.9:
                assert clock.fit is not None
                nees.append((error_ns(clock.fit, tick, t) / clock.fit.sd_ns) ** 2)
                break
    assert 0.5 < np.mean(nees) < 1.3
    assert np.mean(np.array(nees) > 9) < 0.02


@pytest.mark.parametrize(
    ("there", "back"),
    [
        (exponential(5e-3, 1e-4), exponential(0.0, 1e-4)),  # the device is slow to listen
        (exponential(0.0, 1e-4), exponential(5e-3, 1e-4)),  # the host is slow to read
        (exponential(0.0, 2e-3), exponential(0.0, 0.0)),  # all delay one way, always the same: cannot be seen
        (exponential(2e-2, 1e-3), exponential(5e-3, 2e-3)),  # a clock scaled ten times
    ],
)
def test_error_stays_within_three_sd_whatever_the_delays(there: Delay, back: Delay) -> None:
    for seed in range(10):
        for t, tick, clock in follow(Crystal(30e-6), seconds=40, there=there, back=back, seed=seed):
            assert clock.fit is not None
            if t > 3:
                assert abs(error_ns(clock.fit, tick, t)) < 3 * clock.fit.sd_ns + 2e3
        assert clock.refused == 0
        assert clock.epoch == 0


def test_one_way_queueing_does_not_pull_the_clock() -> None:
    """The quickest exchanges decide: 5 ms of mean queueing in one direction leave less than 0.5 ms after 30 s."""
    errors = []
    for seed in range(20):
        run = follow(Crystal(), seconds=40, there=exponential(5e-3, 1e-4), back=exponential(0.0, 1e-4), seed=seed)
        errors += [error_ns(clock.fit, tick, t) for t, tick, clock in run if t > 30]
    assert np.sqrt(np.mean(np.square(errors))) < 5e5


def test_time_never_steps_back_within_an_epoch() -> None:
    for seed in range(10):
        times = [
            clock.fit.to_ns(np.array([tick]))[0]
            for _, tick, clock in follow(
                Crystal(-40e-6), seconds=20, there=exponential(1e-2), back=exponential(1e-2), seed=seed
            )
            if clock.fit is not None
        ]
        steps = np.diff(times)
        assert steps.min() > 0.99 * 1e7
        assert steps.max() < 1.01 * 1e7


@pytest.mark.parametrize("step", [0.004, -0.004, 3.0])
def test_a_stepped_clock_is_in_a_new_epoch_and_right_again_after_three_syncs(step: float) -> None:
    crystal = Crystal(20e-6, step_at=20.0, step=step)
    delay = exponential(2e-4, 1e-4)
    clock = DeviceClock(ClockConfig(), tick_hz=TICK_HZ)
    samples = [
        (t, tick, clock.epoch)
        for t, tick, _ in follow(crystal, seconds=24.5, there=delay, back=delay, seed=1, clock=clock)
    ]
    assert all(epoch == 0 for t, _, epoch in samples if t < 20)
    t, tick, epoch = samples[-1]
    assert epoch == 1
    assert clock.steps == 1
    assert abs(error_ns(clock.fit, tick, t)) < 1e6


def test_a_single_lie_is_refused() -> None:
    clock = DeviceClock(ClockConfig(), tick_hz=TICK_HZ)
    delay = exponential(2e-4, 1e-4)
    *_, (t, tick, _) = follow(Crystal(), seconds=10, there=delay, back=delay, seed=2, clock=clock)
    before = clock.fit
    clock.update(exchange(Crystal(offset=12.6), 10.0, 1e-4, 1e-4), newest_tick=tick)
    assert clock.fit == before
    assert (clock.refused, clock.epoch) == (1, 0)
    assert abs(error_ns(clock.fit, tick, t)) < 5e5


@pytest.mark.parametrize(
    "sync",
    [
        SyncMeasurement(T0_NS, 100, 150, T0_NS - 1),  # received before it was sent
        SyncMeasurement(T0_NS, 150, 100, T0_NS + 10**6),  # answered before it was asked
        SyncMeasurement(T0_NS, 100, 10**6, T0_NS + 10**6),  # took longer to answer than the whole exchange
        SyncMeasurement(-(2**63), 100, 150, T0_NS),  # an echo of nothing
    ],
)
def test_an_impossible_exchange_is_refused(sync: SyncMeasurement) -> None:
    clock = DeviceClock(ClockConfig(), tick_hz=TICK_HZ)
    clock.update(sync, newest_tick=-1)
    assert clock.fit is None
    assert clock.refused == 1


def test_restarted_ticks_begin_a_new_epoch_without_time_until_the_next_sync() -> None:
    clock = DeviceClock(ClockConfig(), tick_hz=TICK_HZ)
    clock.update(exchange(Crystal(), 0.0, 1e-4, 1e-4), newest_tick=-1)
    clock.restart()
    assert clock.fit is None
    assert clock.sure_until == -1
    clock.update(exchange(Crystal(offset=-0.9), 1.0, 1e-4, 1e-4), newest_tick=-1)
    assert clock.fit is not None
    assert clock.fit.epoch == 1


def test_a_sample_from_the_future_contradicts_the_clock_and_one_from_the_past_does_not() -> None:
    clock = DeviceClock(ClockConfig(), tick_hz=TICK_HZ)
    crystal = Crystal()
    for second in range(5):
        clock.update(exchange(crystal, float(second), 1e-4, 1e-4), newest_tick=-1)
    now = T0_NS + 4_500_000_000
    assert not clock.contradicts(crystal.ticks(4.5), now)
    assert not clock.contradicts(crystal.ticks(1.0), now)
    assert clock.contradicts(crystal.ticks(4.6), now)


def test_a_clock_without_syncs_is_unsure_after_the_stated_time() -> None:
    clock = DeviceClock(ClockConfig(stale_after=5.0), tick_hz=TICK_HZ)
    clock.update(exchange(Crystal(), 0.0, 1e-4, 1e-4), newest_tick=-1)
    assert Crystal().ticks(4.9) < clock.sure_until < Crystal().ticks(5.1)


def test_an_unsettled_correction_does_not_run_on_when_syncs_stop() -> None:
    """A slew that is due ends, and the clock follows its drift: 100 s later it is as good as the drift was."""
    clock = DeviceClock(ClockConfig(), tick_hz=TICK_HZ)
    crystal = Crystal(10e-6)
    delay = exponential(5e-3, 1e-3)
    for _ in follow(crystal, seconds=20, there=delay, back=delay, seed=5, clock=clock):
        pass
    for t in np.arange(20, 120, 0.01):
        tick = crystal.ticks(t)
        if tick >= clock.settles_at:
            clock.settle(tick, newest_tick=-1)
    assert abs(error_ns(clock.fit, tick, t)) < 100 * 100e-6 * 1e9


def test_a_correction_does_not_run_on_across_a_gap_in_the_samples() -> None:
    """The line may slew by 0.5 %, which would be 0.5 s over a gap of 100 s; it ends where it was due."""
    clock = DeviceClock(ClockConfig(), tick_hz=TICK_HZ)
    crystal = Crystal()
    clock.update(exchange(crystal, 0.0, 20e-3, 0.0), newest_tick=-1)  # 10 ms wrong: all the delay is one way
    clock.update(exchange(crystal, 1.0, 1e-4, 1e-4), newest_tick=crystal.ticks(1.0))
    assert clock.settles_at < crystal.ticks(2.0)
    clock.settle(crystal.ticks(101.0), newest_tick=crystal.ticks(1.0))
    assert abs(error_ns(clock.fit, crystal.ticks(101.0), 101.0)) < 100 * 300e-6 * 1e9


def test_thousands_of_syncs_keep_the_polygon_small_and_consistent() -> None:
    clock = DeviceClock(ClockConfig(), tick_hz=TICK_HZ)
    rng = np.random.default_rng(3)
    drift = 20e-6 + np.cumsum(rng.normal(0, 2e-9, 5000))  # a crystal that wanders
    gained = np.cumsum(drift)
    for i in range(5000):
        there, back = rng.exponential(5e-4, 2) + 1e-4
        clock.update(exchange(Crystal(offset=12.5 + gained[i]), float(i), there, back), newest_tick=-1)
        assert clock.fit is not None
    assert clock.epoch == 0
    assert clock.refused == 0
    assert abs(error_ns(clock.fit, Crystal(offset=12.5 + gained[-1]).ticks(4999.0), 4999.0)) < 2e5


def sampled(polygon: Polygon, rng: np.random.Generator) -> Array:
    """Points uniform over a convex polygon, by rejection."""
    corners = np.array(polygon)
    points = rng.uniform(corners.min(axis=0), corners.max(axis=0), (400_000, 2))
    edges = np.roll(corners, -1, axis=0) - corners
    offsets = points[:, None, :] - corners
    inside = (edges[:, 0] * offsets[..., 1] - edges[:, 1] * offsets[..., 0] >= 0).all(axis=1)
    return points[inside]


def test_moments_of_a_cut_polygon_agree_with_samples() -> None:
    polygon = cut(box(offset=3.0, drift=1.0), a=1.0, b=2.0, c=1.5)
    polygon = later(cut(polygon, a=-1.0, b=0.3, c=2.0), seconds=0.7, shift=0.4, wander=0.1)
    points = sampled(polygon, np.random.default_rng(4))
    found = moments(polygon)
    assert found is not None
    covariance = np.cov(points.T)
    np.testing.assert_allclose((found.offset, found.drift), points.mean(axis=0), atol=0.02)
    np.testing.assert_allclose(
        (found.var_offset, found.cov, found.var_drift),
        (covariance[0, 0], covariance[0, 1], covariance[1, 1]),
        rtol=0.02,
        atol=0.01,
    )


def test_a_contradiction_leaves_nothing() -> None:
    assert moments(cut(box(offset=1.0, drift=1.0), a=1.0, b=0.0, c=-2.0)) is None


def test_simplifying_keeps_the_shape() -> None:
    angles = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    circle = [(float(np.cos(a)), float(np.sin(a))) for a in angles]
    found = moments(simplified(circle, most=16))
    assert found is not None
    assert found.var_offset == pytest.approx(0.25, rel=0.06)
    assert found.offset == pytest.approx(0.0, abs=0.05)
