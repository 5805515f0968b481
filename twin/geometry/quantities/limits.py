"""Limits of the quantities per line speed, from a table the user can replace."""

from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Self

import numpy as np
from pydantic import Field, model_validator

from twin.core.arrays import Array, IntArray
from twin.core.errors import ConfigError
from twin.core.settings import Settings
from twin.geometry.quantities.line_table import read_toml
from twin.geometry.quantities.quantity import Kind, LimitLines, Quantity, Severity

SHIPPED = Path(__file__).with_name("limits.toml")
"""The table that comes with the program: to be checked by its user."""
CLASSES = "ABCDE"
_Columns = tuple[float, ...] | None


class Side(StrEnum):
    """Which sign of a quantity a limit is for."""

    BOTH = "both"
    NARROW = "narrow"
    WIDE = "wide"


class LimitRow(Settings):
    """Limits of one quantity: one value per speed; in mm, or for twist in mm per metre."""

    kind: Kind = Field(description="quantity")
    variant: str = Field("", description="band, base or chord of the quantity, as in its name")
    side: Side = Field(Side.BOTH, description="both signs, or narrow (below nominal) or wide (above) of gauge")
    alert_mm: _Columns = Field(None, description="[mm]")
    intervention_mm: _Columns = Field(None, description="[mm]")
    immediate_action_mm: _Columns = Field(None, description="[mm]")
    alert_mm_per_m: _Columns = Field(None, description="[mm/m], of twist")
    intervention_mm_per_m: _Columns = Field(None, description="[mm/m], of twist")
    immediate_action_mm_per_m: _Columns = Field(None, description="[mm/m], of twist")

    def limits(self) -> dict[Severity, Array]:
        """(speeds,) in SI for each class that is given, mildest first."""
        unit = "mm_per_m" if self.kind is Kind.TWIST else "mm"
        found = {severity: getattr(self, f"{severity.replace(' ', '_')}_{unit}") for severity in Severity}
        return {severity: np.array(values) / 1000 for severity, values in found.items() if values is not None}

    @model_validator(mode="after")
    def _plausible(self) -> Self:
        unit, wrong = ("mm_per_m", "mm") if self.kind is Kind.TWIST else ("mm", "mm_per_m")
        for severity in Severity:
            key = severity.replace(" ", "_")
            if getattr(self, f"{key}_{wrong}") is not None:
                raise ValueError(f"limits of {self.kind} are in {unit}: write {key}_{unit} for {key}_{wrong}")
        if self.kind is not Kind.GAUGE and self.side is not Side.BOTH:
            raise ValueError(f"side = {self.side} is for gauge; leave it out for {self.kind}")
        limits = list(self.limits().items())
        if not limits:
            raise ValueError(f"{self.kind} {self.variant} has no limit: give alert_{unit} or another")
        for (mild, a), (severe, b) in pairwise(limits):
            if a.size == b.size and np.any(a >= b):
                raise ValueError(f"{self.kind} {self.variant}: {mild} must lie below {severe} at every speed")
        if any(np.any(values <= 0) for _, values in limits):
            raise ValueError(f"{self.kind} {self.variant}: limits are magnitudes, above 0")
        return self


class ClassRow(Settings):
    """Upper ends of the quality classes A to D of one quantity: a row per speed."""

    kind: Kind = Field(description="longitudinal level or alignment, D1")
    sd_mm: tuple[tuple[float, float, float, float], ...] = Field(description="standard deviation over 200 m [mm]")

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        for row in self.sd_mm:
            if row[0] <= 0 or any(b <= a for a, b in pairwise(row)):
                raise ValueError(f"sd_mm of {self.kind}: classes must grow from A to D, got {list(row)}")
        return self


class LimitTable(Settings):
    """All limits of a line category."""

    speed_kmh: tuple[float, ...] = Field(min_length=1, description="highest line speed of each column [km/h]")
    limits: tuple[LimitRow, ...] = Field((), description="limits of single values")
    classes: tuple[ClassRow, ...] = Field((), description="quality classes of standard deviations")

    @model_validator(mode="after")
    def _one_value_per_speed(self) -> Self:
        if self.speed_kmh[0] <= 0 or any(b <= a for a, b in pairwise(self.speed_kmh)):
            raise ValueError(f"speed_kmh must ascend, got {list(self.speed_kmh)}")
        columns = len(self.speed_kmh)
        for row in self.limits:
            for severity, values in row.limits().items():
                if values.size != columns:
                    raise ValueError(
                        f"{severity} of {row.kind} {row.variant} has {values.size} values, speed_kmh {columns}"
                    )
        for classes in self.classes:
            if len(classes.sd_mm) != columns:
                raise ValueError(f"sd_mm of {classes.kind} has {len(classes.sd_mm)} rows, speed_kmh {columns}")
        keys = [(row.kind, row.variant, row.side) for row in self.limits]
        twice = [key for key in keys if keys.count(key) > 1]
        if twice:
            raise ValueError(f"limits of {' '.join(twice[0])} stand twice: keep one")
        return self

    def column(self, line_speed: Array) -> IntArray:
        """(n,) column that holds at line speeds [m/s]; above the last speed ConfigError, as no limit is known."""
        bounds = np.array(self.speed_kmh) / 3.6
        column = np.searchsorted(bounds * (1 + 1e-9), line_speed)
        if np.any(column >= bounds.size):
            raise ConfigError(
                f"line speed {3.6 * float(np.max(line_speed)):g} km/h lies above the last column of the limits, "
                f"{self.speed_kmh[-1]:g} km/h: add a column to speed_kmh and every row"
            )
        return np.asarray(column, dtype=np.int64)


def read_limits(path: Path = SHIPPED) -> LimitTable:
    """The table of a file; ConfigError names the file and the key."""
    return LimitTable.load(read_toml(path), where=str(path))


def limit_lines(quantity: Quantity, table: LimitTable, *, line_speed: Array) -> tuple[LimitLines, ...]:
    """Lines of a quantity at line speeds (n,) [m/s], mildest first; empty where the table knows it not."""
    column = table.column(line_speed)
    found: dict[Severity, LimitLines] = {}
    for row in table.limits:
        if (row.kind, row.variant) != (quantity.kind, quantity.variant):
            continue
        for severity, values in row.limits().items():
            none = np.full(column.size, np.nan)
            lines = found.setdefault(severity, LimitLines(severity, none, none))
            lower = lines.lower if row.side is Side.WIDE else -values[column]
            upper = lines.upper if row.side is Side.NARROW else values[column]
            found[severity] = LimitLines(severity, lower, upper)
    return tuple(found[severity] for severity in Severity if severity in found)


def quality_classes(sd: Array, kind: Kind, table: LimitTable, *, line_speed: Array) -> tuple[str, ...]:
    """Class A to E of standard deviations (m,) [m] at line speeds (m,) [m/s]; empty where unknown."""
    bounds = next((np.array(row.sd_mm) / 1000 for row in table.classes if row.kind is kind), None)
    if bounds is None:
        return ("",) * sd.size
    reached = np.sum(sd[:, None] >= bounds[table.column(line_speed)], axis=1)
    return tuple(CLASSES[i] if known else "" for i, known in zip(reached, np.isfinite(sd), strict=True))
