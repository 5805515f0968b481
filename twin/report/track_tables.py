"""Tables of track geometry for people: exceedances, counts, deviations, curves, head wear, coverage. Units: mm, km."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from twin.core.arrays import Array
from twin.geometry.curves import Shape
from twin.geometry.quantities.deviations import COMBINED
from twin.geometry.quantities.exceedances import Exceedance
from twin.geometry.quantities.limits import CLASSES
from twin.geometry.quantities.quantity import Kind, Severity, TrackGeometry
from twin.geometry.rails import LEFT_OUT, STEP, RailFlag
from twin.report.judged import CLASSED, Judged
from twin.report.rails import WEAR
from twin.report.track_strips import unit_of
from twin.report.units import KMH, MM

if TYPE_CHECKING:
    from twin.report.laid_over import LaidOver

GRAVITY_MM = 11.8
"""Cant that balances 1 km/h squared over a radius of 1 m on a base of 1.5 m [mm m / (km/h)^2]."""
WEAR_BLOCK = 1000.0
"""Length of a row of head wear [m]."""
_REACH = 2.0
"""An earlier run's peak is looked for so far beside an exceedance [m]: runs lie over each other to much less."""


@dataclass(frozen=True, slots=True)
class ExceedanceRow:
    """One exceedance as it is listed."""

    number: int
    s: float
    """Of the peak [m]."""
    start: float
    length: float
    """[m]"""
    kilometre: float
    quantity: str
    kind: Kind
    rail: str
    severity: Severity
    unit: str
    peak: float
    sd: float | None
    limit: float
    before: float | None
    """Peak of the earlier run at this place; None where it is not known."""
    line_speed: float
    """[km/h]"""

    @property
    def over(self) -> float:
        """Beyond the limit, as a share of it."""
        return self.peak / self.limit - 1.0


@dataclass(frozen=True, slots=True)
class DeviationRow:
    """Standard deviations of one block [mm], and the classes of those that have one."""

    s: float
    kilometre: float
    values: tuple[float, ...]
    """In the order of Deviations.quantities."""
    classes: tuple[str, ...]
    """Beside the values; empty where there is none."""


@dataclass(frozen=True, slots=True)
class CurveRow:
    """A transition or an arc."""

    s: float
    kilometre: float
    kilometre_end: float
    length: float
    shape: str
    side: str
    radius: float
    """Of an arc [m]; NaN of a transition."""
    cant: float
    """Mean [mm], positive where the outer rail is higher."""
    deficiency: float
    """Of cant at the line speed [mm]; NaN of a transition."""
    line_speed: float
    """[km/h]"""


@dataclass(frozen=True, slots=True)
class WearRow:
    """Head wear over one stretch [mm]: mean and largest of vertical, side and 45 degrees, left then right."""

    s: float
    kilometre: float
    mean: tuple[float, ...]
    largest: tuple[float, ...]


def exceedance_rows(judged: Judged, earlier: "LaidOver | None" = None) -> list[ExceedanceRow]:
    """All exceedances along the line."""
    names = {found.name for found in judged.exceedances}
    before = None if earlier is None else earlier.geometry(names)
    return [
        ExceedanceRow(
            number=number,
            s=found.s,
            start=found.start,
            length=found.length,
            kilometre=found.kilometre,
            quantity=" ".join(word for word in (found.kind, found.variant) if word),
            kind=found.kind,
            rail=found.rail,
            severity=found.severity,
            unit=unit_of(found.unit),
            peak=MM * found.peak,
            sd=None if found.sd is None else MM * found.sd,
            limit=MM * found.limit,
            before=_before(before, found),
            line_speed=KMH * float(np.interp(found.s, judged.geometry.s, judged.line_speed)),
        )
        for number, found in enumerate(judged.exceedances, start=1)
    ]


def counts(rows: Sequence[ExceedanceRow]) -> list[tuple[str, tuple[int, ...]]]:
    """Quantities that are judged, each with its number of exceedances from the severest class to the mildest."""
    names = dict.fromkeys(
        row.quantity for row in sorted(rows, key=lambda row: (list(Kind).index(row.kind), row.quantity))
    )
    order = tuple(reversed(Severity))
    return [
        (name, tuple(sum(row.quantity == name and row.severity is each for row in rows) for each in order))
        for name in names
    ]


def deviation_rows(judged: Judged) -> list[DeviationRow]:
    """Every block of the line of which something is known."""
    spread = judged.deviations
    values = MM * np.stack([each.blocks for each in spread.quantities], axis=1)
    classes = {f"{kind} D1": judged.classes[kind] for kind in CLASSED}
    return [
        DeviationRow(
            s=float(spread.block_start[k]),
            kilometre=float(spread.block_kilometre[k]),
            values=tuple(float(value) for value in values[k]),
            classes=tuple(classes[each.name][k] if each.name in classes else "" for each in spread.quantities),
        )
        for k in range(spread.block_start.size)
        if np.isfinite(values[k]).any()
    ]


def class_shares(judged: Judged) -> list[tuple[str, tuple[float, ...]]]:
    """Share of the classed length in each class, A to E, of every kind with classes."""
    shares = []
    for kind in CLASSED:
        letters = [letter for letter in judged.classes[kind] if letter]
        if letters:
            shares.append((str(kind), tuple(letters.count(letter) / len(letters) for letter in CLASSES)))
    return shares


def curve_rows(judged: Judged) -> list[CurveRow]:
    """Transitions and arcs; tangents lie between them."""
    rows = []
    for piece in judged.curves:
        if piece.shape is Shape.TANGENT:
            continue
        speed = KMH * float(np.interp((piece.start + piece.end) / 2, judged.geometry.s, judged.line_speed))
        side = np.sign(piece.curvature_start + piece.curvature_end)
        cant = MM * float(side) * (piece.cant_start + piece.cant_end) / 2
        arc = piece.shape is Shape.ARC
        radius = abs(piece.radius) if arc else np.nan
        rows.append(
            CurveRow(
                s=piece.start,
                kilometre=piece.kilometre,
                kilometre_end=float(np.interp(piece.end, judged.geometry.s, judged.geometry.kilometre)),
                length=piece.length,
                shape=str(piece.shape),
                side="left" if side > 0 else "right",
                radius=float(radius),
                cant=cant,
                deficiency=float(GRAVITY_MM * speed**2 / radius - cant) if arc else np.nan,
                line_speed=speed,
            )
        )
    return rows


def wear_rows(judged: Judged) -> list[WearRow]:
    """Head wear by kilometre of the line; stretches where none is known are left out."""
    s = judged.geometry.s
    block = np.floor(s / WEAR_BLOCK + 1e-9).astype(np.int64)
    starts = np.flatnonzero(np.diff(block, prepend=block[0] - 1))
    rows = []
    for a, b in zip(starts, [*starts[1:], s.size], strict=True):
        parts = [MM * judged.rails.wear[name][a:b] for name in WEAR]
        known = [part[np.isfinite(part)] for part in parts]
        if any(part.size for part in known):
            rows.append(
                WearRow(
                    s=float(s[a]),
                    kilometre=float(judged.geometry.kilometre[a]),
                    mean=tuple(float(np.mean(part)) if part.size else np.nan for part in known),
                    largest=tuple(float(np.max(part)) if part.size else np.nan for part in known),
                )
            )
    return rows


def coverage(judged: Judged) -> dict[str, float]:
    """Shares of the line: measured, bridged, unknown, and judged."""
    flags = judged.geometry.flags
    bridged = (flags & np.uint8(RailFlag.BRIDGED)) != 0
    measured = ((flags & np.uint8(RailFlag.MEASURED)) != 0) & ~bridged
    usable = (measured | bridged) & ((flags & np.uint8(LEFT_OUT)) == 0)
    return {
        "length_km": flags.size * STEP / 1000,
        "measured": float(np.mean(measured)),
        "bridged": float(np.mean(bridged)),
        "unknown": float(np.mean(~measured & ~bridged)),
        "judged": float(np.mean(usable)),
    }


def combined_mean(judged: Judged) -> float:
    """Root mean square of the combined deviation over the blocks [mm]."""
    blocks = judged.deviations[COMBINED].blocks
    known = blocks[np.isfinite(blocks)]
    return MM * float(np.sqrt(np.mean(known**2))) if known.size else float("nan")


def _before(before: TrackGeometry | None, found: Exceedance) -> float | None:
    """What the earlier run had here on the same side, in the unit of the report."""
    if before is None:
        return None
    quantity, s = before[found.name], before.s
    a = int(np.searchsorted(s, found.start - _REACH))
    b = int(np.searchsorted(s, found.start + found.length + _REACH))
    values: Array = np.where(quantity.valid[a:b], quantity.values[a:b], np.nan)
    if not np.isfinite(values).any():
        return None
    sign = np.sign(found.peak)
    return MM * float(sign * np.nanmax(sign * values))
