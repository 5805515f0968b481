"""What a run leaves behind: the motion at every kept step, and what each wheel did."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from twin.core.arrays import Array, IntArray, frozen
from twin.vehicle.symbolic import Layout

(
    WHEEL_X,
    WHEEL_Y,
    WHEEL_Q,
    WHEEL_OFFSET,
    WHEEL_RADIUS,
    WHEEL_ANGLE,
    WHEEL_POWER,
    WHEEL_POINTS,
    WHEEL_DEFLECTION,
) = range(9)
WHEEL_FIELDS = (
    "X",
    "Y",
    "Q",
    "offset",
    "radius",
    "angle",
    "power",
    "points",
    "deflection",
)
"""Of a wheel: forces of its rail on it along, across and up [N]; mean place of its contacts along the axle and radius
there [m]; steepest contact angle [rad]; power lost to creep [W]; contacts; how far the rail gives way, downwards [m].
Place and angle are counted outwards."""


@dataclass(frozen=True, slots=True)
class Record:
    """A run, or a stretch of one, at uniform times."""

    layout: Layout
    t: Array
    """(samples,) [s]"""
    q: Array
    """(samples, n) coordinates, in the order of layout.coordinates."""
    v: Array
    """(samples, n) their rates."""
    a: Array
    """(samples, n) rates of these over the step that led here."""
    wheels: Array
    """(samples, wheels, 9) in the order of WHEEL_FIELDS; wheels left and right of each wheelset from the front."""
    stopped: str | None = None
    """Where and why the run ended before its time."""

    def __getitem__(self, coordinate: str) -> Array:
        """(samples,) one coordinate: 'body.coordinate'."""
        return np.asarray(self.q[:, self.layout.index(coordinate)])

    def wheel(self, field: str) -> Array:
        """(samples, wheels) one field of all wheels."""
        return np.asarray(self.wheels[:, :, WHEEL_FIELDS.index(field)])

    def rows(self, index: slice | IntArray) -> Self:
        """Some of the samples."""
        t, q, v, a, wheels = (frozen(each[index]) for each in (self.t, self.q, self.v, self.a, self.wheels))
        return type(self)(self.layout, t, q, v, a, wheels, self.stopped)

    def at(self, t: Array) -> Self:
        """The states at times t (samples,) within the record [s], straight between samples."""
        if self.t.size == 1:
            return replace(self.rows(np.zeros(t.size, dtype=np.int64)), t=t)
        i = np.clip(np.searchsorted(self.t, t, side="right") - 1, 0, self.t.size - 2)
        share = np.clip((t - self.t[i]) / (self.t[i + 1] - self.t[i]), 0.0, 1.0)

        def between(values: Array) -> Array:
            part = share.reshape(-1, *(1,) * (values.ndim - 1))
            return frozen(values[i] + part * (values[i + 1] - values[i]))

        q, v, a, wheels = (between(each) for each in (self.q, self.v, self.a, self.wheels))
        return type(self)(self.layout, t, q, v, a, wheels, self.stopped)

    @classmethod
    def join(cls, parts: list[Self]) -> Self:
        """Consecutive stretches as one."""
        t, q, v, a, wheels = (
            frozen(np.concatenate([getattr(part, name) for part in parts])) for name in ("t", "q", "v", "a", "wheels")
        )
        return cls(parts[0].layout, t, q, v, a, wheels, parts[-1].stopped)
