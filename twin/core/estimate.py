"""Results: estimates with named states, one record per fused measurement, values on the distance grid."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from twin.core.arrays import Array, BoolArray, FlagArray, IntArray, frozen


class Form(StrEnum):
    """How much of the future an estimate has seen."""

    CAUSAL = "causal"
    LAGGED = "lagged"
    SMOOTHED = "smoothed"


@dataclass(frozen=True, slots=True)
class StateLayout:
    """Names and units of the states of an estimate, in order."""

    names: tuple[str, ...]
    units: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.names) != len(self.units) or len(set(self.names)) != len(self.names):
            raise ValueError(f"a layout needs one unit per name and no name twice: {self.names} {self.units}")

    def index(self, name: str) -> int:
        """Column of a state."""
        try:
            return self.names.index(name)
        except ValueError:
            raise KeyError(f"no state '{name}'; there are {', '.join(self.names)}") from None


@dataclass(frozen=True, slots=True)
class Estimate:
    """States of one estimator over a stretch of time, with their variances."""

    name: str
    form: Form
    layout: StateLayout
    t_ns: IntArray
    """(samples,)"""
    x: Array
    """(samples, states)"""
    var: Array
    """(samples, states) diagonal of the covariance."""
    quality: FlagArray
    """(samples,)"""

    def __post_init__(self) -> None:
        shape = (self.t_ns.shape[0], len(self.layout.names))
        if self.x.shape != shape or self.var.shape != shape or self.quality.shape != shape[:1]:
            raise ValueError(
                f"Estimate shapes do not fit {shape}: {self.x.shape} {self.var.shape} {self.quality.shape}"
            )
        for name in ("t_ns", "x", "var", "quality"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def __len__(self) -> int:
        return int(self.t_ns.shape[0])

    def __getitem__(self, state: str) -> Array:
        """(samples,) one state by its name."""
        return self.x[:, self.layout.index(state)]

    def sd(self, state: str) -> Array:
        """(samples,) standard deviation of one state."""
        return np.sqrt(self.var[:, self.layout.index(state)])


@dataclass(frozen=True, slots=True)
class Fusion:
    """One scalar measurement over a stretch of time, accepted or not: health, tuning and reports read it."""

    name: str
    t_ns: IntArray
    """(samples,)"""
    innovation: Array
    """(samples,)"""
    variance: Array
    """(samples,) of the innovation."""
    accepted: BoolArray
    """(samples,)"""
    gate: float
    """A measurement whose nis exceeds this is rejected."""
    virtual: bool = False
    """A pseudo-measurement: its nis says nothing about a sensor."""

    def __post_init__(self) -> None:
        for name in ("t_ns", "innovation", "variance", "accepted"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    @property
    def nis(self) -> Array:
        """(samples,) normalised innovation squared; chi-square with one degree of freedom when all is well."""
        return np.asarray(self.innovation**2 / self.variance)


@dataclass(frozen=True, slots=True)
class GridBlock:
    """Results on the uniform distance grid of the report: point i lies at s = i * step of the line."""

    name: str
    form: Form
    step: float
    """[m]"""
    index: IntArray
    """(points,) grid indices; consecutive, ascending with the running direction of the train."""
    t_ns: IntArray
    """(points,) when the point was first passed."""
    layout: StateLayout
    values: Array
    """(points, columns)"""
    quality: FlagArray
    """(points,)"""

    def __post_init__(self) -> None:
        if self.values.shape != (self.index.shape[0], len(self.layout.names)):
            raise ValueError(f"GridBlock shapes do not fit: {self.index.shape} {self.values.shape}")
        for name in ("index", "t_ns", "values", "quality"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def __getitem__(self, column: str) -> Array:
        """(points,) one column by its name."""
        return self.values[:, self.layout.index(column)]

    @property
    def s(self) -> Array:
        """(points,) arc length along the line [m]."""
        return np.asarray(self.index * self.step)


@dataclass(frozen=True, slots=True)
class Health:
    """Counts and measures of one source or estimator over an interval ending at t_ns."""

    t_ns: int
    source: str
    counts: Mapping[str, int]
    measures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class OperatorEvent:
    """Something a person noted during the run, or a place that was passed."""

    t_ns: int
    kind: str
    text: str
    s: float | None = None
    """Arc length along the line [m], where known."""


Result = Estimate | GridBlock | Health | OperatorEvent
