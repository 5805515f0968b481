"""The clock of one device against the host's: from sync messages to a ClockFit, never stepping back."""

import math
from dataclasses import dataclass

from pydantic import Field

from sensors.clock_bounds import Moments, Polygon, box, cut, later, moments, simplified
from twin.core.blocks import ClockFit
from twin.core.settings import Settings

_VERTICES = 16
"""Of the polygon that is remembered: beyond that they differ by less than the clock's resolution."""

_NEVER = 1 << 63


class ClockConfig(Settings):
    """How a device clock is followed."""

    drift_limit: float = Field(
        3e-4,
        gt=0,
        le=1e-2,
        description="greatest drift of a device clock, up to 1e-2; three sd of a cheap crystal",
    )
    drift_wander: float = Field(
        1e-8,
        ge=0,
        le=1e-5,
        description="greatest change of the drift [1/s]; a crystal of 1 ppm/K whose housing warms by 0.01 K/s",
    )
    round_trip_limit: float = Field(
        2.0, gt=0, le=60, description="a slower answer says nothing [s]; scaled clocks stretch milliseconds"
    )
    step_after: int = Field(
        3,
        ge=2,
        le=20,
        description="answers in a row that must contradict the clock before it has stepped; one may be wrong",
    )
    slew_time: float = Field(
        0.5, gt=0, le=60, description="time over which a correction is spread [s]; below the sync period"
    )
    slew_limit: float = Field(
        5e-3, gt=0, le=0.1, description="greatest rate of a correction; 0.5 % of a sampling period goes unnoticed"
    )
    precision: float = Field(
        5e-3, gt=0, le=1, description="sd of a time above which it is flagged CLOCK_UNSURE [s]; 0.1 m at 20 m/s"
    )
    stale_after: float = Field(
        10.0, gt=0, le=3600, description="time without a sync after which times are flagged CLOCK_UNSURE [s]"
    )
    causality_margin: float = Field(
        1e-3,
        gt=0,
        le=1,
        description="a sample later than its arrival by this and five sd proves a step of the clock [s]",
    )


@dataclass(frozen=True, slots=True)
class SyncMeasurement:
    """One exchange: the host asked, the device answered. Host times in ns, device times in ticks."""

    t_sent_ns: int
    tick_received: int
    tick_sent: int
    t_received_ns: int


class DeviceClock:
    """Follows one device clock. Depends on the device's own packets and their recorded stamps, nothing else.

    The estimate is the centroid of what the sync messages leave possible (clock_bounds). What is published is a
    line that meets it after the slew time, beginning where the last one was: time is continuous and increasing
    within an epoch. An epoch ends when the device restarts or its clock steps.
    """

    def __init__(self, config: ClockConfig, *, tick_hz: int) -> None:
        """tick_hz: nominal rate of the device clock [Hz]."""
        self._config = config
        self._ns_per_tick = 1e9 / tick_hz
        self._tick_hz = tick_hz
        self._polygon: Polygon = []
        self._estimate: Moments | None = None
        self._tick_ref = 0
        self._t_ref_ns = 0
        self._contradicting: list[SyncMeasurement] = []
        self.fit: ClockFit | None = None
        """The line in use; None until the first sync of an epoch."""
        self.sure_until = -1
        """Last tick whose time is good to the stated precision."""
        self.settles_at = _NEVER
        """First tick at which settle has work to do."""
        self.epoch = 0
        self.steps = 0
        """Restarts and steps seen."""
        self.refused = 0
        """Answers that were too slow, out of order or contradicted the clock."""

    def restart(self) -> None:
        """The device is known to count from elsewhere: a new epoch, without time until the next sync."""
        self.epoch += 1
        self.steps += 1
        self._contradicting.clear()
        self._forget()

    def contradicts(self, tick: int, t_host_ns: int) -> bool:
        """Whether a sample of this tick cannot have been received by t_host_ns: it would come from the future."""
        if self.fit is None or self._estimate is None:
            return False
        t_ns = self.fit.t0_ns + (tick - self.fit.tick0) * self.fit.ns_per_tick
        if t_ns <= t_host_ns:
            return False
        age = max(0.0, (tick - self._tick_ref) / self._tick_hz)
        sd_ns = self.fit.sd_ns + age * math.sqrt(self._estimate.var_drift)
        return t_ns - t_host_ns > self._config.causality_margin * 1e9 + 5 * sd_ns

    def settle(self, tick: int, *, newest_tick: int) -> None:
        """End the corrections due by this tick, where they were due: a line must not slew on across a gap.

        newest_tick: of all samples given a time so far; lines change after it.
        """
        while tick >= self.settles_at:
            self._publish(max(self.settles_at, newest_tick))

    def update(self, sync: SyncMeasurement, *, newest_tick: int) -> None:
        """Take one exchange in. newest_tick: of all samples given a time so far."""
        if not self._sensible(sync):
            self.refused += 1
            return
        if self._polygon and sync.tick_sent < self._tick_ref - self._tick_hz:
            self.restart()
        if self._polygon and sync.tick_sent <= self._tick_ref:
            self.refused += 1
            return
        followed = newest_tick >= sync.tick_sent - self._config.slew_time * self._tick_hz
        tick = newest_tick if followed else sync.tick_sent  # no samples for long: the line may change now
        self.settle(tick, newest_tick=newest_tick)
        if self._narrow(sync):
            self._contradicting.clear()
        else:
            self.refused += 1
            self._contradicting.append(sync)
            if len(self._contradicting) < self._config.step_after:
                return
            self._begin_anew()
        self._publish(tick)

    def _sensible(self, sync: SyncMeasurement) -> bool:
        round_trip_ns = sync.t_received_ns - sync.t_sent_ns
        answering_ns = (sync.tick_sent - sync.tick_received) * self._ns_per_tick
        slack_ns = 2 * self._ns_per_tick + self._config.drift_limit * abs(answering_ns)
        in_time = 0 <= round_trip_ns <= self._config.round_trip_limit * 1e9
        return in_time and 0 <= answering_ns <= round_trip_ns + slack_ns

    def _begin_anew(self) -> None:
        """The clock has stepped: start from the answers that said so."""
        answers = tuple(self._contradicting)
        self.restart()
        for sync in answers:
            if not self._narrow(sync):
                self._forget()
                self._narrow(sync)

    def _forget(self) -> None:
        self._polygon, self._estimate = [], None
        self.fit, self.sure_until, self.settles_at = None, -1, _NEVER

    def _narrow(self, sync: SyncMeasurement) -> bool:
        """Cut what the exchange makes impossible; False, and nothing changed, if nothing would remain."""
        drift_limit = self._config.drift_limit * 1e9
        if self._polygon:
            polygon, t_ref_ns = self._carried(sync.tick_sent)
        else:
            t_ref_ns = (sync.t_sent_ns + sync.t_received_ns) // 2
            reach = (sync.t_received_ns - sync.t_sent_ns) + 4 * self._ns_per_tick
            polygon = box(offset=reach, drift=drift_limit)
        slack = self._ns_per_tick  # ticks are counted, not measured: one either way
        answering_ns = (sync.tick_sent - sync.tick_received) * self._ns_per_tick
        latest = sync.t_received_ns - t_ref_ns + slack
        earliest = sync.t_sent_ns - t_ref_ns + answering_ns - slack
        polygon = cut(polygon, a=1.0, b=0.0, c=latest)
        polygon = cut(polygon, a=-1.0, b=answering_ns * 1e-9, c=-earliest)
        polygon = cut(polygon, a=0.0, b=1.0, c=drift_limit)
        polygon = cut(polygon, a=0.0, b=-1.0, c=drift_limit)
        estimate = moments(polygon)
        if estimate is None:
            return False
        self._polygon, self._estimate = simplified(polygon, most=_VERTICES), estimate
        self._tick_ref, self._t_ref_ns = sync.tick_sent, t_ref_ns
        return True

    def _carried(self, tick: int) -> tuple[Polygon, int]:
        """The polygon and its reference time at a later tick."""
        passed_ns = (tick - self._tick_ref) * self._ns_per_tick
        whole_ns = round(passed_ns)
        seconds = passed_ns * 1e-9
        polygon = later(
            self._polygon,
            seconds=seconds,
            shift=whole_ns - passed_ns,
            wander=self._config.drift_wander * 1e9 * seconds,
        )
        return polygon, self._t_ref_ns + whole_ns

    def _publish(self, tick: int) -> None:
        """A line from the last one's time at this tick to the estimate's after the slew time."""
        estimate = self._estimate
        if estimate is None:
            return
        passed = (tick - self._tick_ref) / self._tick_hz
        offset = estimate.offset + estimate.drift * passed
        estimate_ns = self._t_ref_ns + round(passed * 1e9 + offset)
        t0_ns = estimate_ns if self.fit is None else self._reached(tick, self.fit)
        behind_ns = estimate_ns - t0_ns
        settled = abs(behind_ns) <= self._ns_per_tick
        slew = 0.0 if settled else behind_ns / (self._config.slew_time * 1e9)
        slew = min(max(slew, -self._config.slew_limit), self._config.slew_limit)
        var_ns2 = max(estimate.variance_after(passed), estimate.variance_after(passed + 1.0))
        sd_ns = math.sqrt(var_ns2 + behind_ns**2)
        self.fit = ClockFit(
            tick0=tick,
            t0_ns=t0_ns,
            ns_per_tick=self._ns_per_tick * (1 + estimate.drift * 1e-9 + slew),
            sd_ns=sd_ns,
            epoch=self.epoch,
        )
        self.settles_at = _NEVER if settled else tick + round(self._config.slew_time * self._tick_hz)
        sure = sd_ns <= self._config.precision * 1e9
        self.sure_until = self._tick_ref + round(self._config.stale_after * self._tick_hz) if sure else -1

    @staticmethod
    def _reached(tick: int, fit: ClockFit) -> int:
        return fit.t0_ns + round((tick - fit.tick0) * fit.ns_per_tick)
