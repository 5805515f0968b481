"""What limits depend on along a line: its permitted speed, and places that are measured and not judged.

line_speed_kmh = 120

[[speeds]]               # stretches with another speed
from_km = 3.0
to_km = 4.5
line_speed_kmh = 80

[[left_out]]
from_km = 12.340
to_km = 12.410
kind = "switch"          # switch, crossing, other
name = "points 14"
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

import numpy as np
from pydantic import Field, model_validator

from twin.core.arrays import Array, BoolArray
from twin.core.errors import ConfigError
from twin.core.settings import Settings
from twin.geometry.quantities.quantity import TrackGeometry
from twin.geometry.rails import LEFT_OUT, STEP, RailFlag, RailTrace, stretches


class Reason(StrEnum):
    """Why a place is left out."""

    SWITCH = "switch"
    CROSSING = "crossing"
    OTHER = "other"


class KilometreStretch(Settings):
    """From one kilometre to another."""

    from_km: float = Field(description="kilometre where it starts [km]")
    to_km: float = Field(description="kilometre where it ends [km]")

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        if self.to_km <= self.from_km:
            raise ValueError(f"to_km must lie beyond from_km = {self.from_km:g}, got {self.to_km:g}")
        return self

    def inside(self, kilometre: Array) -> BoolArray:
        """(n,) whether kilometres (n,) [km] lie in it, its ends included."""
        return np.asarray((kilometre >= self.from_km) & (kilometre <= self.to_km))


class LeftOut(KilometreStretch):
    """One place that is not judged."""

    kind: Reason = Field(Reason.SWITCH, description="switch, crossing or other")
    name: str = Field("", description="what it is called")


class SpeedStretch(KilometreStretch):
    """A stretch with its own line speed."""

    line_speed_kmh: float = Field(gt=0, le=500, description="permitted speed [km/h]")


class LineTable(Settings):
    """What limits depend on along a line."""

    line_speed_kmh: float = Field(120.0, gt=0, le=500, description="permitted speed where no stretch says else [km/h]")
    speeds: tuple[SpeedStretch, ...] = Field((), description="stretches with their own line speed; the last one holds")
    left_out: tuple[LeftOut, ...] = Field((), description="places that are not judged")

    def line_speed(self, kilometre: Array) -> Array:
        """(n,) permitted speed [m/s] at kilometres (n,) [km]."""
        speed = np.full(kilometre.shape, self.line_speed_kmh)
        for stretch in self.speeds:
            speed[stretch.inside(kilometre)] = stretch.line_speed_kmh
        return speed / 3.6


@dataclass(frozen=True, slots=True)
class LeftOutStretch:
    """A stretch of a run that was not judged."""

    reason: str
    start: float
    """Arc length along the line [m]."""
    length: float
    """[m]"""
    kilometre: float
    """Of its start [km]."""


def read_line(path: Path) -> LineTable:
    """The line of a file; ConfigError names the file and the key."""
    return LineTable.load(read_toml(path), where=str(path))


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a file, or ConfigError."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); give the path of a TOML file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: is not TOML ({error})") from None


def marked_left_out(trace: RailTrace, kilometre: Array, places: Sequence[LeftOut], *, low_speed: float) -> RailTrace:
    """The trace with its switches, crossings and slow stretches flagged; kilometre: (n,) [km], low_speed [m/s]."""
    inside = np.zeros(len(trace), dtype=bool)
    for place in places:
        inside |= place.inside(kilometre)
    slow = np.nan_to_num(trace.speed, nan=np.inf) < low_speed
    return trace.marked(inside, RailFlag.SWITCH).marked(slow, RailFlag.LOW_SPEED)


def left_out_stretches(geometry: TrackGeometry) -> tuple[LeftOutStretch, ...]:
    """What was not judged, in order; a stretch left out for two reasons stands under both."""
    found = [
        LeftOutStretch(
            reason=(flag.name or "").lower().replace("_", " "),
            start=float(geometry.s[start]),
            length=(stop - start) * STEP,
            kilometre=float(geometry.kilometre[start]),
        )
        for flag in RailFlag(LEFT_OUT)
        for start, stop in stretches((geometry.flags & np.uint8(flag)) != 0)
    ]
    return tuple(sorted(found, key=lambda stretch: (stretch.start, stretch.reason)))
