"""Faults of an emulated device: what goes wrong on its wire, at its plug and with its clock. Pure and seeded."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field, model_validator

from twin.core.settings import Settings

DRAWS = 1024
"""Random numbers drawn at once: a draw per packet would cost more than encoding it."""


class Unplug(Settings):
    """The device is away for a while."""

    t: float = Field(ge=0, description="start, common time since the run began [s]")
    duration: float = Field(gt=0, description="until it is plugged in again [s]")

    @property
    def start_ns(self) -> int:
        return round(self.t * 1e9)

    @property
    def end_ns(self) -> int:
        return round((self.t + self.duration) * 1e9)


class ClockStep(Settings):
    """The device clock jumps."""

    t: float = Field(ge=0, description="common time since the run began [s]")
    seconds: float = Field(description="jump of the device clock [s], negative: back")


class FaultPlan(Settings):
    """Everything that goes wrong with one device. The default is a device without faults."""

    seed: int = Field(0, ge=0, description="seed of this device's faults; the same seed, the same faults")
    bit_error_rate: float = Field(0.0, ge=0, le=0.1, description="probability that a sent bit is inverted")
    loss: float = Field(0.0, ge=0, le=1, description="probability that a packet is not sent")
    duplicate: float = Field(0.0, ge=0, le=1, description="probability that a packet is sent twice")
    reorder: float = Field(0.0, ge=0, le=1, description="probability that a packet follows its successor")
    unplug: tuple[Unplug, ...] = Field((), description="times at which the device is away, ascending")
    drift_ppm: float = Field(0.0, ge=-1000, le=1000, description="rate error of the device clock [1e-6]")
    clock_steps: tuple[ClockStep, ...] = Field((), description="jumps of the device clock, ascending")

    @model_validator(mode="after")
    def _ascending(self) -> "FaultPlan":
        ends = [time_ns for window in self.unplug for time_ns in (window.start_ns, window.end_ns)]
        if ends != sorted(ends):
            raise ValueError("unplug windows must ascend and not overlap")
        steps = [step.t for step in self.clock_steps]
        if steps != sorted(steps):
            raise ValueError("clock_steps must ascend")
        return self

    def away_until_ns(self, t_ns: int) -> int | None:
        """When the device comes back, if it is away at t_ns; both common time since the run began [ns]."""
        return next((window.end_ns for window in self.unplug if window.start_ns <= t_ns < window.end_ns), None)

    def next_change_ns(self, t_ns: int) -> int | None:
        """When it is next unplugged or plugged in after t_ns; both common time since the run began [ns]."""
        changes = (time_ns for window in self.unplug for time_ns in (window.start_ns, window.end_ns))
        return next((time_ns for time_ns in changes if time_ns > t_ns), None)


@dataclass(slots=True)
class FaultCounts:
    """What was done to the frames of one device so far."""

    frames: int = 0
    """Frames the device meant to send."""
    lost: int = 0
    duplicated: int = 0
    reordered: int = 0
    damaged: int = 0
    """Frames sent with at least one inverted bit; a duplicate counts by itself."""
    bit_errors: int = 0


class FaultInjector:
    """Apply a plan to frames in the order sent. How the frames are grouped into writes changes nothing."""

    def __init__(self, plan: FaultPlan) -> None:
        self._plan = plan
        packet_seed, bit_seed = np.random.SeedSequence(plan.seed).spawn(2)
        self._packet_rng = np.random.default_rng(packet_seed)
        self._bit_rng = np.random.default_rng(bit_seed)
        self._draws: list[list[float]] = []
        self._held: bytes | None = None
        self._spares_packets = plan.loss == plan.duplicate == plan.reorder == 0
        self._bits_to_error = self._gap() if plan.bit_error_rate > 0 else 0
        self.counts = FaultCounts()

    def apply(self, frame: bytes) -> list[bytes]:
        """What goes on the wire when the device sends frame: none, one or several frames."""
        self.counts.frames += 1
        frames = (frame,) if self._spares_packets else self._displaced(frame)
        return [self._with_bit_errors(each) for each in frames]

    def flush(self) -> list[bytes]:
        """The frame still held back for reordering, if any."""
        held, self._held = self._held, None
        return [self._with_bit_errors(held)] if held is not None else []

    def _displaced(self, frame: bytes) -> Sequence[bytes]:
        """Loss, duplication and reordering of whole frames."""
        if not self._draws:
            self._draws = self._packet_rng.random((DRAWS, 3)).tolist()
        lose, double, hold = self._draws.pop()
        if lose < self._plan.loss:
            self.counts.lost += 1
            return ()
        if self._held is None and hold < self._plan.reorder:
            self._held = frame
            return ()
        frames = [frame]
        if double < self._plan.duplicate:
            self.counts.duplicated += 1
            frames.append(frame)
        if self._held is not None:
            self.counts.reordered += 1
            frames.append(self._held)
            self._held = None
        return frames

    def _with_bit_errors(self, frame: bytes) -> bytes:
        """Invert bits at independent random places: the gaps between them are geometric."""
        if self._plan.bit_error_rate == 0:
            return frame
        bits = 8 * len(frame)
        if self._bits_to_error >= bits:
            self._bits_to_error -= bits
            return frame
        damaged = bytearray(frame)
        while self._bits_to_error < bits:
            damaged[self._bits_to_error // 8] ^= 1 << self._bits_to_error % 8
            self.counts.bit_errors += 1
            self._bits_to_error += 1 + self._gap()
        self._bits_to_error -= bits
        self.counts.damaged += 1
        return bytes(damaged)

    def _gap(self) -> int:
        """Good bits before the next bad one."""
        return int(self._bit_rng.geometric(self._plan.bit_error_rate)) - 1
