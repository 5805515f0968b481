"""Exceedances: where a quantity crosses its limits, each place once, with its worst class.

An excursion starts where a value crosses the mildest limit and ends where it has fallen clearly below (hysteresis),
so that noise at the limit does not cut it in pieces. Excursions of one quantity nearer to each other than a wave are
one defect: a dip swings back on both sides. Narrow and wide gauge are different defects and stay apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from pydantic import Field

from twin.core.arrays import Array
from twin.core.settings import Settings
from twin.geometry.quantities.limits import LimitTable, limit_lines
from twin.geometry.quantities.quantity import Kind, LimitLines, Quantity, Rail, Severity, TrackGeometry
from twin.geometry.rails import LEFT_OUT, STEP, stretches


class ExceedanceConfig(Settings):
    """When two crossings of a limit are one exceedance."""

    hysteresis: float = Field(
        0.9, gt=0, le=1, description="an excursion ends below this share of its limit, 0 to 1; the rest is noise"
    )
    merge_length: float = Field(
        5.0, ge=0, le=50, description="excursions nearer than this are one [m]; a dip and its swing back in D1"
    )


@dataclass(frozen=True, slots=True)
class Exceedance:
    """One exceedance: what, where, how much."""

    kind: Kind
    variant: str
    rail: Rail
    severity: Severity
    unit: str
    peak: float
    """Value furthest beyond its limit, signed."""
    sd: float | None
    """Standard deviation of the peak's error."""
    limit: float
    """Limit of the class at the peak, signed as the peak."""
    s: float
    """Place of the peak: arc length along the line [m]."""
    kilometre: float
    """Of the peak [km]."""
    start: float
    """First point beyond the mildest limit [m]."""
    length: float
    """From the first to the last point beyond the mildest limit, one grid step at least [m]."""

    @property
    def name(self) -> str:
        """Quantity in words."""
        return " ".join(word for word in (self.kind, self.variant, self.rail) if word)


def with_limits(geometry: TrackGeometry, table: LimitTable, *, line_speed: Array) -> TrackGeometry:
    """The geometry with the limits of every quantity at line speeds (n,) [m/s]."""
    limited = tuple(replace(q, limits=limit_lines(q, table, line_speed=line_speed)) for q in geometry)
    return replace(geometry, quantities=limited)


def exceedances(geometry: TrackGeometry, config: ExceedanceConfig) -> tuple[Exceedance, ...]:
    """All exceedances of a geometry with limits, along the line. The mean of two rails is not judged beside them."""
    found = [
        exceedance
        for quantity in geometry
        if quantity.limits and quantity.rail is not Rail.MEAN
        for sign in _signs(quantity)
        for exceedance in _of_quantity(geometry, quantity, config, sign)
    ]
    return tuple(sorted(found, key=lambda e: (e.s, e.name)))


def _signs(quantity: Quantity) -> Sequence[tuple[int, ...]]:
    """Signs judged together: both, or each alone for gauge."""
    return [(-1,), (1,)] if quantity.kind is Kind.GAUGE else [(-1, 1)]


def _of_quantity(
    geometry: TrackGeometry, quantity: Quantity, config: ExceedanceConfig, signs: tuple[int, ...]
) -> list[Exceedance]:
    counted = quantity.valid & geometry.counted(LEFT_OUT)
    values = np.where(counted, quantity.values, np.nan)
    ratios = np.stack([_ratio(values, lines, signs) for lines in quantity.limits])
    return [
        _exceedance(geometry, quantity, ratios, start, stop) for start, stop in _excursions(ratios.max(axis=0), config)
    ]


def _ratio(values: Array, lines: LimitLines, signs: tuple[int, ...]) -> Array:
    """(n,) value over limit, where it has one on its side; 0 elsewhere."""
    ratio = np.zeros(values.size)
    for sign in signs:
        limit = lines.upper if sign > 0 else lines.lower
        side = np.isfinite(limit) & (sign * values > 0)
        ratio[side] = values[side] / limit[side]
    return ratio


def _excursions(ratio: Array, config: ExceedanceConfig) -> list[tuple[int, int]]:
    """Start and stop of excursions: from the first to the last point above the limit, merged."""
    above = ratio > 1.0
    parts: list[tuple[int, int]] = []
    for start, stop in stretches(ratio > config.hysteresis):
        beyond = np.flatnonzero(above[start:stop])
        if beyond.size == 0:
            continue
        first, last = start + int(beyond[0]), start + int(beyond[-1]) + 1
        if parts and (first - parts[-1][1]) * STEP < config.merge_length:
            parts[-1] = (parts[-1][0], last)
        else:
            parts.append((first, last))
    return parts


def _exceedance(geometry: TrackGeometry, quantity: Quantity, ratios: Array, start: int, stop: int) -> Exceedance:
    inside = ratios[:, start:stop]
    reached = int(np.flatnonzero(inside.max(axis=1) > 1.0)[-1])
    at = start + int(np.argmax(inside[reached]))
    peak = float(quantity.values[at])
    lines = quantity.limits[reached]
    return Exceedance(
        kind=quantity.kind,
        variant=quantity.variant,
        rail=quantity.rail,
        severity=lines.severity,
        unit=quantity.unit,
        peak=peak,
        sd=None if quantity.sd is None else float(quantity.sd[at]),
        limit=float(lines.upper[at] if peak > 0 else lines.lower[at]),
        s=float(geometry.s[at]),
        kilometre=float(geometry.kilometre[at]),
        start=float(geometry.s[start]),
        length=max(stop - start - 1, 1) * STEP,
    )
