"""Both rails against the design on the distance grid of the line: what track geometry is computed from.

Always by increasing kilometre, whatever the running direction: left, right and signs are those of a person who looks
towards higher kilometres. y to the left, z up, in the track frame of the design (z normal to its canted plane).
"""

from dataclasses import dataclass, replace
from enum import IntFlag

import numpy as np

from twin.core.arrays import Array, BoolArray, FlagArray, frozen

STEP = 0.25
"""Grid of EN 13848 [m]: point k of a line lies at k * STEP."""
CANT_BASE = 1.5
"""Distance over which cross level and cant are measured on standard gauge [m]."""

_OFF_GRID = 1e-6
"""Largest distance of a point from the grid [m]: rounding of a coordinate of some 1000 km."""
_COLUMNS = ("y_left", "z_left", "y_right", "z_right", "speed", "curvature_design", "cant_angle_design")
_RAILS = _COLUMNS[:4]


class RailFlag(IntFlag):
    """What is to be known of one point, stored as uint8; flags add up."""

    UNKNOWN = 0
    MEASURED = 1
    """The rails were seen here."""
    BRIDGED = 2
    """Interpolated across a short gap."""
    LOW_SPEED = 4
    """The train was too slow for inertial measurements."""
    SWITCH = 8
    """Switch or crossing: the rails are interrupted by design."""
    INVALID = 16
    """Measured, and known to be wrong."""


LEFT_OUT = RailFlag.LOW_SPEED | RailFlag.SWITCH | RailFlag.INVALID
"""Points with one of these count neither as exceedances nor in statistics."""


@dataclass(frozen=True, slots=True)
class RailTrace:
    """Rails off the design on the uniform grid of the line, by increasing kilometre. All (n,); NaN where unknown."""

    s: Array
    """Arc length along the line [m]: consecutive multiples of STEP."""
    y_left: Array
    """[m]"""
    z_left: Array
    y_right: Array
    z_right: Array
    flags: FlagArray
    """RailFlag of each point."""
    speed: Array
    """Of the measuring train [m/s]."""
    curvature_design: Array | None = None
    """Plan curvature [1/m], left positive; None where no design is given."""
    cant_angle_design: Array | None = None
    """Roll of the design's track frame [rad], negative in a canted left curve."""

    def __post_init__(self) -> None:
        n = self.s.shape[0]
        for name in ("s", "flags", *_COLUMNS):
            values = getattr(self, name)
            if values is None:
                continue
            if values.shape != (n,):
                raise ValueError(f"RailTrace.{name} has shape {values.shape}, s has {(n,)}")
            object.__setattr__(self, name, frozen(values))
        if n and np.abs(self.s - STEP * (np.rint(self.s[0] / STEP) + np.arange(n))).max() > _OFF_GRID:
            raise ValueError(f"RailTrace.s must be consecutive multiples of {STEP:g} m")

    def __len__(self) -> int:
        return int(self.s.shape[0])

    @property
    def alignment(self) -> Array:
        """Mean of the rails, lateral [m]."""
        return (self.y_left + self.y_right) / 2

    @property
    def gauge_deviation(self) -> Array:
        """From the nominal gauge [m], widening positive."""
        return self.y_left - self.y_right

    @property
    def level(self) -> Array:
        """Mean longitudinal level [m]."""
        return (self.z_left + self.z_right) / 2

    @property
    def cross_level_deviation(self) -> Array:
        """Left minus right rail height against the design [m]."""
        return self.z_left - self.z_right

    def marked(self, where: BoolArray, flag: RailFlag) -> "RailTrace":
        """The same rails with a flag set at some points."""
        return replace(self, flags=self.flags | np.where(where, np.uint8(flag), np.uint8(0)))

    def without_invalid(self) -> "RailTrace":
        """The same rails, unknown where they are known to be wrong."""
        wrong = (self.flags & np.uint8(RailFlag.INVALID)) != 0
        return replace(self, **{name: np.where(wrong, np.nan, getattr(self, name)) for name in _RAILS})

    def bridged(self, longest: float) -> "RailTrace":
        """The same rails with gaps up to a length [m] filled by straight lines, and flagged."""
        columns = {name: getattr(self, name).copy() for name in _RAILS}
        filled = np.zeros(len(self), dtype=bool)
        for values in columns.values():
            for start, stop in stretches(~np.isfinite(values)):
                if start > 0 and stop < len(self) and (stop - start) * STEP <= longest + _OFF_GRID:
                    share = np.arange(1, stop - start + 1) / (stop - start + 1)
                    values[start:stop] = values[start - 1] + share * (values[stop] - values[start - 1])
                    filled[start:stop] = True
        return replace(self, **columns).marked(filled, RailFlag.BRIDGED)


def reversed_running(running: RailTrace, *, s_start: float) -> RailTrace:
    """A trace run towards lower kilometres, turned into the line's form. Doing it twice gives the trace back.

    running: its s counts the distance run, its left and right are those of the train; s_start: arc length along the
    line where the train's distance is 0 [m], a multiple of STEP.
    """

    def turned(values: Array | None) -> Array | None:
        return None if values is None else -values[::-1]

    return RailTrace(
        s=s_start - running.s[::-1],
        y_left=-running.y_right[::-1],
        z_left=running.z_right[::-1],
        y_right=-running.y_left[::-1],
        z_right=running.z_left[::-1],
        flags=running.flags[::-1],
        speed=running.speed[::-1],
        curvature_design=turned(running.curvature_design),
        cant_angle_design=turned(running.cant_angle_design),
    )


def stretches(where: BoolArray) -> list[tuple[int, int]]:
    """Start and stop of every unbroken run of true points."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], where, [False])).astype(np.int8)))
    return [(int(start), int(stop)) for start, stop in edges.reshape(-1, 2)]
