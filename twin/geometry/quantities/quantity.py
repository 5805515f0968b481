"""Results of track geometry: quantities on the distance grid that reports and exports walk through."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from twin.core.arrays import Array, BoolArray, FlagArray, frozen


class Kind(StrEnum):
    """What is measured."""

    LEVEL = "longitudinal level"
    ALIGNMENT = "alignment"
    GAUGE = "gauge"
    CROSS_LEVEL = "cross level"
    CANT = "cant"
    TWIST = "twist"
    CURVATURE = "curvature"


class Rail(StrEnum):
    """Which rail, by increasing kilometre."""

    LEFT = "left"
    RIGHT = "right"
    MEAN = "mean"
    """Mean of both rails."""
    NONE = ""
    """Of the track as a whole."""


class Severity(StrEnum):
    """Classes of limits, mildest first."""

    ALERT = "alert"
    INTERVENTION = "intervention"
    IMMEDIATE_ACTION = "immediate action"


@dataclass(frozen=True, slots=True)
class LimitLines:
    """Lines a value may not cross. Both (n,), NaN where there is no limit."""

    severity: Severity
    lower: Array
    upper: Array


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity on the grid of its geometry. All (n,)."""

    kind: Kind
    variant: str
    """Band, base or chord, such as D1, 3 m or 10 m chord; empty where there is only one."""
    rail: Rail
    unit: str
    values: Array
    """NaN where unknown."""
    valid: BoolArray
    """Far enough from ends and gaps."""
    sd: Array | None = None
    """Standard deviation of the error; None where no error model is given."""
    limits: tuple[LimitLines, ...] = field(default=())

    def __post_init__(self) -> None:
        for name in ("values", "valid", "sd"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, frozen(getattr(self, name)))

    @property
    def name(self) -> str:
        """In words: kind, variant, rail."""
        return " ".join(word for word in (self.kind, self.variant, self.rail) if word)


@dataclass(frozen=True, slots=True)
class TrackGeometry:
    """All quantities of one run on one grid, by increasing kilometre."""

    s: Array
    """(n,) arc length along the line [m]."""
    kilometre: Array
    """(n,) label of the place [km]."""
    flags: FlagArray
    """(n,) RailFlag of each point."""
    quantities: tuple[Quantity, ...]

    def __post_init__(self) -> None:
        for name in ("s", "kilometre", "flags"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def __iter__(self) -> Iterator[Quantity]:
        return iter(self.quantities)

    def __getitem__(self, name: str) -> Quantity:
        """One quantity by its name in words."""
        for quantity in self.quantities:
            if quantity.name == name:
                return quantity
        raise KeyError(f"no quantity '{name}'; there are {', '.join(q.name for q in self.quantities)}")

    def counted(self, left_out: int) -> BoolArray:
        """(n,) points without any of these flags."""
        return np.asarray((self.flags & np.uint8(left_out)) == 0)
