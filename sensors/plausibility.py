"""Samples no healthy sensor gives: outside limits, not finite, or the same again and again."""

import math
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from twin.core.arrays import Array, FlagArray, IntArray
from twin.core.quality import Quality
from twin.core.settings import Settings
from twin.numerics.compiled import compiled

_IMPLAUSIBLE = int(Quality.IMPLAUSIBLE)
_STUCK = int(Quality.STUCK)


class Limits(Settings):
    """What the values of one device can be. Channels in the order the decoder gives them."""

    low: tuple[float, ...] = Field(description="least plausible value of each channel, in its SI unit")
    high: tuple[float, ...] = Field(description="greatest plausible value of each channel, in its SI unit")
    stuck_after: Annotated[float, Field(ge=0.02, le=3600)] | None = Field(
        None,
        description="a sensor that repeats itself for longer is stuck [s], 0.02 to 3600; none where rest "
        "is healthy. 0.25 s: far beyond what noise can repeat, well within the 0.5 s in which a fault must show",
    )
    stuck_channels: int | None = Field(
        None, ge=1, description="only the first so many channels must repeat: a temperature may; none for all"
    )

    @model_validator(mode="after")
    def _ordered(self) -> "Limits":
        if len(self.low) != len(self.high) or not self.low:
            raise ValueError(f"low and high need one value per channel, got {len(self.low)} and {len(self.high)}")
        for channel, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            if low >= high:
                raise ValueError(f"low must lie below high, channel {channel} has {low:g} and {high:g}")
        if self.stuck_channels is not None and self.stuck_channels > len(self.low):
            raise ValueError(f"stuck_channels must not exceed the {len(self.low)} channels")
        return self


class Plausibility:
    """Adds flags to samples. A flag depends on the sample and its past alone, not on how the stream is cut."""

    def __init__(self, limits: Limits, *, tick_hz: float) -> None:
        """tick_hz: nominal rate of the device clock [Hz]."""
        self._low, self._high = np.array(limits.low), np.array(limits.high)
        watched = limits.stuck_channels if limits.stuck_channels is not None else len(limits.low)
        self._patience = math.inf if limits.stuck_after is None else limits.stuck_after * tick_hz
        self._last = np.full(watched, np.nan)
        self._since = np.zeros(1, dtype=np.int64)

    def flag(self, ticks: IntArray, values: Array, quality: FlagArray) -> FlagArray:
        """Quality with IMPLAUSIBLE and STUCK added; ticks (samples,), values (samples, channels)."""
        flagged = quality.copy()
        _flag(ticks, values, flagged, self._low, self._high, self._patience, self._last, self._since)
        return flagged


@compiled
def _flag(
    ticks: IntArray,
    values: Array,
    quality: FlagArray,
    low: Array,
    high: Array,
    patience: float,
    last: Array,
    since: IntArray,
) -> None:
    """Flag in place. last (watched,) and since (1,) are the memory: what is repeated, and from which tick on."""
    for i in range(ticks.size):
        for channel in range(low.size):
            value = values[i, channel]
            if not (low[channel] <= value <= high[channel]):  # written so that NaN fails
                quality[i] |= _IMPLAUSIBLE
        repeated = ticks[i] >= since[0]  # a clock that went back starts the count anew
        for channel in range(last.size):
            repeated = repeated and values[i, channel] == last[channel]
            last[channel] = values[i, channel]
        if not repeated:
            since[0] = ticks[i]
        elif ticks[i] - since[0] > patience:
            quality[i] |= _STUCK
