"""The truth that sensors of rail heads and wheels are judged on: true places and forces, at times of their own."""

from dataclasses import dataclass, fields
from typing import Self, TypeVar

import numpy as np

from twin.core.arrays import Array, frozen
from twin.simulation.short_wave import FastStretch, WheelStretch
from twin.simulation.short_wave.resampling import Resampler, Waiting

WHEEL_RATE = 2000.0
"""Of the wheels' truth [Hz]: that of bridges and distance lasers."""

T = TypeVar("T", "WheelTruth", "RailHeadTruth")


@dataclass(frozen=True, slots=True)
class WheelTruth:
    """The wheels of the leading bogie, left and right of each wheelset from the front. All (samples, wheels) but t."""

    t: Array
    """(samples,) [s], WHEEL_RATE times a second."""
    s: Array
    """Arc length of the contacts in running direction [m]."""
    angle: Array
    """Turned, forward positive [rad]; the wheel's zero mark is in contact at whole turns."""
    Y: Array
    """Lateral force of the rail on the wheel, towards its outer face [N]."""
    X: Array
    """Longitudinal force of the rail on the wheel, forward [N]."""
    offset: Array
    """Of the contact from the nominal rolling circle, towards the outer face [m]."""
    Q: Array
    """Vertical force of the rail on the wheel with its dynamic part by short waves, up to 600 Hz [N]."""


@dataclass(frozen=True, slots=True)
class RailHeadTruth:
    """Both rails in the axes of the measuring body, seen from the scanners' or cameras' mounting."""

    t: Array
    """(samples,) [s]."""
    left: Array
    """(samples, 3) y and z of the top centre of the unworn head [m], and the rail's roll off its nominal laying [rad].
    """
    right: Array
    """(samples, 3) the same of the right rail."""


@dataclass(frozen=True, slots=True)
class SensedTruth:
    """All of it for one stretch; what is not fitted has no samples."""

    wheels: WheelTruth
    rail_heads: RailHeadTruth
    images: RailHeadTruth
    """At the times of the cameras' images."""

    @classmethod
    def join(cls, parts: list[Self]) -> Self:
        """Consecutive stretches as one."""
        return cls(
            joined([part.wheels for part in parts]),
            joined([part.rail_heads for part in parts]),
            joined([part.images for part in parts]),
        )


class WheelTruths:
    """The wheels' truth from the vehicle's motion and the short waves on top. Remembers what waits for the other."""

    def __init__(self, *, vehicle_rate: float, fast_rate: float) -> None:
        self._slow = Resampler(from_rate=vehicle_rate, to_rate=WHEEL_RATE)
        self._fast = Resampler(from_rate=fast_rate, to_rate=WHEEL_RATE)
        self._waiting = Waiting(2)
        self._count = 0
        self._t_start: float | None = None

    def process(self, stretch: WheelStretch, fast: FastStretch, s: Array) -> WheelTruth:
        """What both complete; s (samples, wheels): arc lengths in running direction [m]."""
        if self._t_start is None:
            self._t_start = float(stretch.t[0])
        parts = (s, stretch.wheel_angle, stretch.Y, stretch.X, stretch.contact_offset)
        slow, Q = self._waiting.process(
            self._slow.process(np.hstack(parts)), self._fast.process(np.ascontiguousarray(fast.force))
        )
        t = self._t_start + (self._count + np.arange(Q.shape[0])) / WHEEL_RATE
        self._count += Q.shape[0]
        s, angle, Y, X, offset = (frozen(part) for part in np.split(slow, len(parts), axis=1))
        return WheelTruth(t=frozen(t), s=s, angle=angle, Y=Y, X=X, offset=offset, Q=frozen(Q))


def no_wheels() -> WheelTruth:
    """Of a vehicle without sensors on its wheels."""
    none = frozen(np.zeros((0, 0)))
    return WheelTruth(frozen(np.zeros(0)), *(none,) * (len(fields(WheelTruth)) - 1))


def no_rail_heads() -> RailHeadTruth:
    """Of a vehicle that does not look at the rails."""
    none = frozen(np.zeros((0, 3)))
    return RailHeadTruth(frozen(np.zeros(0)), none, none)


def joined(parts: list[T]) -> T:
    """Consecutive stretches as one."""
    names = [field.name for field in fields(parts[0])]
    return type(parts[0])(*(frozen(np.concatenate([getattr(part, name) for part in parts])) for name in names))
