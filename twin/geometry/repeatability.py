"""How well two runs over the same rails agree: 95 % of the differences of every quantity."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from twin.core.arrays import Array
from twin.core.settings import Settings
from twin.geometry.quantities.quantity import Kind, Quantity, TrackGeometry
from twin.geometry.rails import LEFT_OUT


class RepeatabilityLimits(Settings):
    """Largest 95 % of differences, after EN 13848-2: check on your own copy. What has no limit is only listed."""

    level_d1: float = Field(0.5e-3, gt=0, le=0.01, description="of longitudinal level D1 [m]")
    alignment_d1: float = Field(0.7e-3, gt=0, le=0.01, description="of alignment D1 [m]")
    gauge: float = Field(0.5e-3, gt=0, le=0.01, description="of gauge [m]")
    cross_level: float = Field(1.5e-3, gt=0, le=0.01, description="of cross level [m]")

    def table(self) -> Mapping[tuple[Kind, str], float]:
        """Limit by kind and variant."""
        return {
            (Kind.LEVEL, "D1"): self.level_d1,
            (Kind.ALIGNMENT, "D1"): self.alignment_d1,
            (Kind.GAUGE, ""): self.gauge,
            (Kind.CROSS_LEVEL, ""): self.cross_level,
        }


@dataclass(frozen=True, slots=True)
class Repeatability:
    """Differences of one quantity between two runs, second minus first."""

    name: str
    unit: str
    points: int
    """Compared."""
    mean: float
    sd: float
    p95: float
    """95 % of the differences are no larger."""
    limit: float | None
    """Largest p95; None where none is set."""

    @property
    def within(self) -> bool | None:
        """Whether the limit is kept; None without limit or points."""
        return None if self.limit is None or self.points == 0 else self.p95 <= self.limit


def difference(first: Quantity, second: Quantity) -> Array:
    """(n,) second minus first where both are valid, NaN elsewhere."""
    return np.where(first.valid & second.valid, second.values - first.values, np.nan)


def repeatability(
    first: TrackGeometry, second: TrackGeometry, limits: RepeatabilityLimits
) -> tuple[Repeatability, ...]:
    """Every quantity of two runs on one grid, compared where both judge."""
    if first.s.shape != second.s.shape or not np.array_equal(first.s, second.s):
        raise ValueError("repeatability compares runs on one grid: resample the second onto the first")
    judged = first.counted(LEFT_OUT) & second.counted(LEFT_OUT)
    table = limits.table()
    return tuple(
        _row(
            quantity, difference(quantity, second[quantity.name])[judged], table.get((quantity.kind, quantity.variant))
        )
        for quantity in first
    )


def _row(quantity: Quantity, differences: Array, limit: float | None) -> Repeatability:
    known = differences[np.isfinite(differences)]
    if known.size == 0:
        return Repeatability(quantity.name, quantity.unit, 0, np.nan, np.nan, np.nan, limit)
    return Repeatability(
        quantity.name,
        quantity.unit,
        int(known.size),
        float(np.mean(known)),
        float(np.std(known)),
        float(np.quantile(np.abs(known), 0.95)),
        limit,
    )
