"""The track geometry of a run with everything a report says of it: limits, exceedances, deviations, classes, curves."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from twin.core.arrays import Array
from twin.geometry.curves import Piece, find_curves
from twin.geometry.quantities.deviations import Deviations, deviations
from twin.geometry.quantities.exceedances import Exceedance, exceedances, with_limits
from twin.geometry.quantities.limits import SHIPPED, LimitTable, quality_classes, read_limits
from twin.geometry.quantities.line_table import LeftOutStretch, left_out_stretches
from twin.geometry.quantities.quantity import Kind, LimitLines, Severity, TrackGeometry
from twin.geometry.rails import STEP
from twin.report.config import TrackReportConfig
from twin.report.data import RunData
from twin.report.rails import RailRun, quantities_of, rail_run, shown_names

CLASSED = (Kind.LEVEL, Kind.ALIGNMENT)
"""Kinds whose standard deviations have quality classes."""


@dataclass(frozen=True, slots=True)
class LimitPiece:
    """Limits of one class over a stretch in which they do not change."""

    severity: Severity
    start: float
    """Arc length along the line [m]."""
    end: float
    lower: float
    """In the unit of the quantity; NaN where there is none."""
    upper: float


@dataclass(frozen=True, slots=True)
class Judged:
    """Track geometry of one run, judged."""

    rails: RailRun
    geometry: TrackGeometry
    """Without the means of two rails, which are not judged."""
    limits: Mapping[str, tuple[LimitPiece, ...]]
    """By name of the quantity."""
    line_speed: Array
    """(n,) permitted [m/s]"""
    exceedances: tuple[Exceedance, ...]
    """Along the line; their numbers in the report count from 1."""
    deviations: Deviations
    classes: Mapping[Kind, tuple[str, ...]]
    """Of the blocks of the deviations, A to E; empty where unknown."""
    curves: tuple[Piece, ...]
    left_out: tuple[LeftOutStretch, ...]
    source: str
    """Where the limits come from."""
    shipped: bool
    """Whether these are the limits that come with the program."""


def judge(data: RunData, config: TrackReportConfig, *, limits: Path | None = None) -> Judged | None:
    """Everything a report says of the rails of a run; None where it has none."""
    rails = rail_run(data, long_wave=config.long_wave)
    return None if rails is None else judge_rails(rails, data, config, limits=limits)


def judge_rails(rails: RailRun, data: RunData, config: TrackReportConfig, *, limits: Path | None = None) -> Judged:
    """The same of rails already taken from the run, whose data need not hold them any more."""
    table = read_limits(limits or SHIPPED)
    geometry = quantities_of(
        rails.trace,
        config,
        places=data.places,
        cant_base=data.cant_base,
        names=shown_names(config),
        errors=rails.errors,
    )
    line_speed = config.line.line_speed(geometry.kilometre)
    pieces, found = _against(geometry, table, line_speed, config)
    spread = deviations(geometry, config.quantities)
    block_speed = config.line.line_speed(spread.block_kilometre)
    return Judged(
        rails=rails,
        geometry=geometry,
        limits=pieces,
        line_speed=line_speed,
        exceedances=found,
        deviations=spread,
        classes={
            kind: quality_classes(spread[f"{kind} D1"].blocks, kind, table, line_speed=block_speed) for kind in CLASSED
        },
        curves=_curves(geometry, data, config),
        left_out=left_out_stretches(geometry),
        source=SHIPPED.name if limits is None else str(limits),
        shipped=limits is None,
    )


def _against(
    geometry: TrackGeometry, table: LimitTable, line_speed: Array, config: TrackReportConfig
) -> tuple[dict[str, tuple[LimitPiece, ...]], tuple[Exceedance, ...]]:
    """Limits and exceedances, quantity by quantity: limits at every point of all of them would fill the memory."""
    pieces: dict[str, tuple[LimitPiece, ...]] = {}
    found: list[Exceedance] = []
    for quantity in geometry:
        single = with_limits(replace(geometry, quantities=(quantity,)), table, line_speed=line_speed)
        lines = single.quantities[0].limits
        if lines:
            pieces[quantity.name] = tuple(piece for each in lines for piece in _pieces(geometry.s, each))
            found += exceedances(single, config.exceedances)
    return pieces, tuple(sorted(found, key=lambda e: (e.s, e.name)))


def _pieces(s: Array, lines: LimitLines) -> list[LimitPiece]:
    pair = np.nan_to_num(np.stack((lines.lower, lines.upper)), nan=np.inf)
    cuts = np.concatenate(([0], np.flatnonzero((np.diff(pair, axis=1) != 0).any(axis=0)) + 1, [s.size]))
    return [
        LimitPiece(lines.severity, float(s[a]), float(s[b - 1] + STEP), float(lines.lower[a]), float(lines.upper[a]))
        for a, b in pairwise(cuts.tolist())
        if b > a
    ]


def _curves(geometry: TrackGeometry, data: RunData, config: TrackReportConfig) -> tuple[Piece, ...]:
    """Tangents, transitions and arcs of the measured curvature; none where there is no curvature."""
    curvature = next((q.values for q in geometry if q.kind is Kind.CURVATURE), None)
    if curvature is None or not np.isfinite(curvature).any():
        return ()
    return find_curves(geometry.s, curvature, geometry["cant"].values, config.curves, places=data.places)
