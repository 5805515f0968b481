"""Blocks of equally spaced 16-bit samples: axle boxes, bridges and distance lasers travel alike."""

from collections.abc import Sequence

import numpy as np
from pydantic import Field, model_validator

from firmware_interface import Block, Packet, PacketKind, payload_dtype, unpack
from sensors.payload import CalibrationRecord, Decoded
from twin.core.quality import Quality

COUNT_END = 32767
"""Counts at or beyond it are saturated: converters clip here."""


class BlockCalibration(CalibrationRecord):
    """Counts to SI, channel by channel: value = counts * scale + offset."""

    scale: tuple[float, ...] = Field(min_length=1, max_length=255, description="SI unit per count of each channel")
    offset: tuple[float, ...] = Field((), description="SI value at zero counts of each channel; empty for zeros")

    @model_validator(mode="after")
    def _complete(self) -> "BlockCalibration":
        if any(scale == 0 for scale in self.scale):
            raise ValueError("a scale must not be zero: the channel would say nothing")
        if self.offset and len(self.offset) != len(self.scale):
            raise ValueError(f"offset needs {len(self.scale)} values like scale, got {len(self.offset)}")
        return self


class BlockDecoder:
    """Packets to (samples, channels) in SI. Remembers nothing."""

    def __init__(self, kind: PacketKind, calibration: BlockCalibration, *, tick_hz: float) -> None:
        """tick_hz: nominal rate of the device clock [Hz]."""
        self._kind = kind
        self._dtype = payload_dtype(kind)
        self._scale = np.array(calibration.scale)
        self._offset = np.array(calibration.offset) if calibration.offset else np.zeros(len(calibration.scale))
        self._ticks_per_ns = tick_hz * 1e-9

    @property
    def channels(self) -> int:
        """Columns of the values."""
        return self._scale.size

    def fits(self, packet: Packet) -> bool:
        """Whether the packet has the channels of the calibration."""
        if packet.kind is not self._kind:
            return False
        return int(np.frombuffer(packet.payload, self._dtype, count=1)["channels"][0]) == self.channels

    def decode(self, packets: Sequence[Packet]) -> Decoded:
        """Samples of one or more packets that fit."""
        parts = [self._decode_one(packet) for packet in packets]
        return Decoded(
            ticks=np.concatenate([part.ticks for part in parts]),
            values=np.concatenate([part.values for part in parts]),
            quality=np.concatenate([part.quality for part in parts]),
        )

    def _decode_one(self, packet: Packet) -> Decoded:
        block = unpack(packet)
        if not isinstance(block, Block):
            raise TypeError(f"{packet.kind.name} is no block of samples")
        counts = block.counts.astype(np.int32)  # the magnitude of -32768 does not fit 16 bits
        steps = np.rint(np.arange(block.samples) * (block.period_ns * self._ticks_per_ns)).astype(np.int64)
        saturated = (np.abs(counts) >= COUNT_END).any(axis=1)
        return Decoded(
            ticks=packet.ticks + steps,
            values=counts * self._scale + self._offset,
            quality=np.where(saturated, np.uint8(Quality.SATURATED), np.uint8(0)),
        )
