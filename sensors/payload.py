"""What every payload decoder has in common: its calibration's origin, what it returns, how it is called."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import Field

from firmware_interface import Packet
from twin.core.arrays import Array, FlagArray, IntArray
from twin.core.settings import Settings


class CalibrationRecord(Settings):
    """Where a calibration comes from: a number without origin is not believed."""

    date: datetime.date | None = Field(None, description="day of the calibration; none for nominal values")
    source: str = Field("nominal", description="data sheet, procedure or recording the numbers come from")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Samples of consecutive packets of one kind, in the order of the packets."""

    ticks: IntArray
    """(samples,) device time."""
    values: Array
    """(samples, channels) SI, calibrated."""
    quality: FlagArray
    """(samples,) what the wire itself tells: saturation, the device's own fault codes."""


class PayloadDecoder(Protocol):
    """Packets of one kind to samples. May remember (an encoder unwraps); never raises on data."""

    @property
    def channels(self) -> int:
        """Columns of the values."""
        ...

    def fits(self, packet: Packet) -> bool:
        """Whether the packet has the shape the configuration expects; one that has not is dropped and counted."""
        ...

    def decode(self, packets: Sequence[Packet]) -> Decoded:
        """Samples of one or more packets that fit."""
        ...
