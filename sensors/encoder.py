"""The wheel encoder: a count that wraps becomes an angle that does not."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field

from firmware_interface import Packet, PacketKind, payload_dtype
from sensors.payload import CalibrationRecord, Decoded
from twin.core.quality import Quality

_HALF = 1 << 31
_WRAP = 1 << 32


class EncoderCalibration(CalibrationRecord):
    """Counts to the angle of the wheel, forward positive."""

    counts_per_turn: int = Field(2048, ge=1, le=1 << 24, description="counts per turn of the wheel")
    direction: Literal[-1, 1] = Field(1, description="sign of the count when the vehicle runs forward")
    turn_rate_limit: float = Field(
        260.0, gt=0, le=1000, description="fastest turn of the wheel [rad/s]; 120 m/s on a radius of 0.46 m"
    )
    agreement: int = Field(
        5,
        ge=2,
        le=100,
        description="samples that must agree with each other before a new count is believed after a jump: "
        "a restarted encoder counts on from its new zero, a spike does not last",
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    tick: int
    count: int


class EncoderDecoder:
    """Packets to (samples, 1): angle of the wheel since the first packet [rad], unwrapped.

    A count further from the last good one than the wheel can have turned is flagged IMPLAUSIBLE and left out of
    the sum. When the counts after it agree with it, the encoder has begun anew, and the angle goes on from where
    it was: what was turned in between is unknown and shows as a gap.
    """

    channels = 1

    def __init__(self, calibration: EncoderCalibration, *, tick_hz: float) -> None:
        """tick_hz: nominal rate of the device clock [Hz]."""
        self._dtype = payload_dtype(PacketKind.ENCODER)
        self._angle_per_count = calibration.direction * 2 * math.pi / calibration.counts_per_turn
        self._counts_per_tick = calibration.turn_rate_limit / abs(self._angle_per_count) / tick_hz
        self._straggling = round(tick_hz)  # a tick more than 1 s older than the last good one: a restarted clock
        self._agreement = calibration.agreement
        self._good: _Reading | None = None
        self._turned = 0
        self._doubted: _Reading | None = None
        self._agreeing = 0

    def fits(self, packet: Packet) -> bool:
        """Always: the deframer has checked the length."""
        return packet.kind is PacketKind.ENCODER

    def decode(self, packets: Sequence[Packet]) -> Decoded:
        """Samples of one or more packets."""
        fields = np.frombuffer(b"".join([packet.payload for packet in packets]), self._dtype)
        ticks = [packet.ticks for packet in packets]
        turned = np.empty(len(packets))
        quality = np.zeros(len(packets), dtype=np.uint8)
        readings = zip(ticks, fields["count"].tolist(), fields["status"].tolist(), strict=True)
        for i, (tick, count, status) in enumerate(readings):
            turned[i], plausible = self._follow(_Reading(tick, count), healthy=status == 0)
            quality[i] = 0 if plausible else Quality.IMPLAUSIBLE
        return Decoded(np.array(ticks, dtype=np.int64), (turned * self._angle_per_count)[:, None], quality)

    def _follow(self, reading: _Reading, *, healthy: bool) -> tuple[int, bool]:
        """Counts turned since the first reading, and whether to believe it; healthy: the device's own word."""
        if self._good is None or reading.tick < self._good.tick - self._straggling:
            self._good, self._agreeing = reading, 0
            return self._turned, healthy
        step = _shortest(reading.count - self._good.count)
        if not healthy:
            return self._turned + step, False
        if self._reachable(self._good, reading):
            self._good, self._agreeing = reading, 0
            self._turned += step
            return self._turned, True
        agrees = self._agreeing > 0 and self._doubted is not None and self._reachable(self._doubted, reading)
        self._doubted, self._agreeing = reading, self._agreeing + 1 if agrees else 1
        if self._agreeing < self._agreement:
            return self._turned + step, False
        self._good, self._agreeing = reading, 0
        return self._turned, True

    def _reachable(self, a: _Reading, b: _Reading) -> bool:
        """Whether the wheel can turn from one reading to the other; two counts are left for rounding."""
        return abs(_shortest(b.count - a.count)) <= self._counts_per_tick * abs(b.tick - a.tick) + 2


def _shortest(step: int) -> int:
    """The step of a 32-bit counter nearest to zero."""
    return (step + _HALF) % _WRAP - _HALF
