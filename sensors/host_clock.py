"""The host clock, injected wherever time is read: the machine's own, or the same one running faster."""

import time
from typing import Protocol

from twin.core.errors import ConfigError


class HostClock(Protocol):
    """Monotonic time. Safe to share between threads: an implementation holds no changing state."""

    def now_ns(self) -> int:
        """Host monotonic time [ns]; never decreases."""
        ...

    def sleep(self, seconds: float) -> None:
        """Return when this clock has advanced by seconds [s]."""
        ...


class SystemClock:
    """CLOCK_MONOTONIC of the machine."""

    def now_ns(self) -> int:
        """Host monotonic time [ns]."""
        return time.monotonic_ns()

    def sleep(self, seconds: float) -> None:
        """Return after seconds [s]."""
        time.sleep(max(0.0, seconds))


class ScaledClock:
    """CLOCK_MONOTONIC running speed times faster since origin_ns.

    The machine's processes share CLOCK_MONOTONIC, so two of them with equal speed and origin agree on the time:
    that is how the emulator and the program that reads it live on one clock.
    """

    def __init__(self, *, speed: float, origin_ns: int) -> None:
        """speed: seconds of this clock per real second (0, 1000]; origin_ns: where both clocks agree [ns]."""
        if not 0 < speed <= 1000:
            raise ConfigError(f"speed must lie in (0, 1000], got {speed:g}; 1 is real time")
        self.speed = speed
        self.origin_ns = origin_ns

    def now_ns(self) -> int:
        """Scaled monotonic time [ns]."""
        # A product with a positive constant and a truncation both keep the order: the result is monotone.
        return self.origin_ns + int((time.monotonic_ns() - self.origin_ns) * self.speed)

    def sleep(self, seconds: float) -> None:
        """Return after seconds of this clock [s]."""
        time.sleep(max(0.0, seconds / self.speed))
