"""Strips of track geometry: what is judged with its limits, longer waves, deviations with classes, head wear."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from twin.core.arrays import Array, IntArray
from twin.geometry.quantities.deviations import COMBINED
from twin.geometry.quantities.quantity import Kind, Quantity
from twin.geometry.rails import STEP, RailFlag
from twin.report.judged import CLASSED, Judged
from twin.report.strips import Axis, Lane, Lanes, Limit, Line, Ribbon, Role, Strip
from twin.report.units import MM

if TYPE_CHECKING:
    from twin.report.laid_over import LaidOver

GEOMETRY, DEVIATIONS, TWISTS, LONG_WAVES, WEAR = (
    "Geometry",
    "Standard deviations",
    "Other twists",
    "Long waves",
    "Head wear",
)
"""Groups of strips."""
RESOLUTION = 0.01
"""Of columns in the page [mm]: far below what any instrument repeats."""

_LANES = (
    Lane("unknown", 1),
    Lane("invalid", int(RailFlag.INVALID)),
    Lane("bridged", int(RailFlag.BRIDGED), "design"),
    Lane("slow", int(RailFlag.LOW_SPEED), "soft"),
    Lane("switch", int(RailFlag.SWITCH), "soft"),
)
"""Of the rails; the first mask stands where no flag says that rails were seen."""
_WEAR_ROLES = {"vertical": Role.MAIN, "side": Role.SECOND, "45": Role.THIRD}


@dataclass(frozen=True, slots=True)
class _Words:
    """How a kind of quantity is shown."""

    note: str
    signed: bool = True


_WORDS = {
    Kind.LEVEL: _Words("up +"),
    Kind.ALIGNMENT: _Words("left +"),
    Kind.GAUGE: _Words("wide +", signed=False),
    Kind.CROSS_LEVEL: _Words("left rail up +"),
    Kind.TWIST: _Words("left rail up +"),
}


def track_strips(judged: Judged, axis: Axis, earlier: "LaidOver | None" = None) -> Iterator[Strip]:
    """Strip by strip, so that none is held longer than it takes to pack it."""
    for quantity in judged.geometry:
        group = group_of(quantity)
        if group:
            yield _strip(judged, axis, quantity, earlier, group)
    yield from _deviation_strips(judged, axis)
    yield from _wear_strips(judged, axis)


def group_of(quantity: Quantity) -> str:
    """Group a quantity is shown in; empty if it is not."""
    if quantity.kind not in _WORDS:
        return ""
    if quantity.variant in ("D2", "D3"):
        return LONG_WAVES
    if quantity.kind is Kind.TWIST:
        return GEOMETRY if quantity.variant == "3 m" else TWISTS
    if quantity.kind in (Kind.GAUGE, Kind.CROSS_LEVEL):
        return "" if quantity.variant else GEOMETRY
    return GEOMETRY if quantity.variant == "D1" else ""


def grid_of(judged: Judged) -> IntArray:
    """(n,) points of the rails on the grid of the line."""
    return np.asarray(np.rint(judged.geometry.s / STEP), dtype=np.int64)


def unit_of(quantity_unit: str) -> str:
    """Unit of the report for one of a quantity; values are multiplied by 1000."""
    return {"m": "mm", "m/m": "mm/m", "1/m": "1/km"}[quantity_unit]


def title_of(quantity: Quantity) -> str:
    """As a heading."""
    return quantity.name[0].upper() + quantity.name[1:]


def shown_values(quantity: Quantity) -> Array:
    """(n,) in the unit of the report where they are valid, NaN elsewhere."""
    return MM * np.where(quantity.valid, quantity.values, np.nan)


def words_of(quantity: Quantity) -> tuple[str, bool]:
    """Which way is positive, and whether it is drawn about zero."""
    words = _WORDS[quantity.kind]
    return words.note, words.signed


def _strip(judged: Judged, axis: Axis, quantity: Quantity, earlier: "LaidOver | None", group: str) -> Strip:
    grid = grid_of(judged)
    lines = []
    if earlier is not None:
        before = axis.spread(grid, shown_values(earlier[quantity.name]))
        lines.append(Line(earlier.name, Role.EARLIER, before))
    sd = None if quantity.sd is None else axis.spread(grid, MM * quantity.sd)
    lines.append(Line("measured", Role.MAIN, axis.spread(grid, shown_values(quantity)), sd))
    note, signed = words_of(quantity)
    return Strip(
        title=title_of(quantity),
        note=note,
        unit=unit_of(quantity.unit),
        decimals=2,
        signed=signed,
        also="",
        lines=tuple(line for line in lines if np.isfinite(line.values).any()),
        group=group,
        name=quantity.name,
        limits=tuple(
            Limit(piece.severity, piece.start, piece.end, MM * piece.lower, MM * piece.upper)
            for piece in judged.limits.get(quantity.name, ())
        ),
        resolution=RESOLUTION,
    )


def _deviation_strips(judged: Judged, axis: Axis) -> Iterator[Strip]:
    grid, window = grid_of(judged), f"over {judged.deviations.block_length:g} m"
    level, alignment = (judged.deviations[f"{kind} D1"] for kind in CLASSED)
    pairs = (("Sd D1", ((level, "level", Role.MAIN), (alignment, "alignment", Role.SECOND))),)
    for title, parts in (*pairs, ("CoSD", ((judged.deviations[COMBINED], "combined", Role.MAIN),))):
        lines = [Line(label, role, axis.spread(grid, MM * part.sliding)) for part, label, role in parts]
        known = tuple(line for line in lines if np.isfinite(line.values).any())
        yield Strip(title, window, "mm", 2, False, "", known, DEVIATIONS, resolution=RESOLUTION)


def _wear_strips(judged: Judged, axis: Axis) -> Iterator[Strip]:
    grid = grid_of(judged)
    for side in ("left", "right"):
        lines = [
            Line(
                "at 45°" if what == "45" else what,
                role,
                axis.spread(grid, MM * judged.rails.wear[f"wear_{what}_{side}"]),
            )
            for what, role in _WEAR_ROLES.items()
        ]
        known = tuple(line for line in lines if np.isfinite(line.values).any())
        if known:
            yield Strip(f"Head wear {side}", "", "mm", 2, False, "", known, WEAR, resolution=RESOLUTION)


def class_ribbons(judged: Judged) -> list[Ribbon]:
    """Quality classes of every block of the line."""
    spread = judged.deviations
    ends = np.minimum(spread.block_start + spread.block_length, judged.geometry.s[-1] + STEP)
    starts = np.maximum(spread.block_start, judged.geometry.s[0])
    return [
        Ribbon(
            title=f"Class, {'level' if kind is Kind.LEVEL else kind}",
            note="",
            group=DEVIATIONS,
            blocks=tuple(
                (float(a), float(b), letter, float(MM * sd))
                for a, b, letter, sd in zip(
                    starts, ends, judged.classes[kind], spread[f"{kind} D1"].blocks, strict=True
                )
                if letter
            ),
        )
        for kind in CLASSED
    ]


def rail_lanes(judged: Judged, axis: Axis) -> Lanes:
    """What is to be known of the rails along the line."""
    flags = judged.geometry.flags
    seen = (flags & np.uint8(RailFlag.MEASURED | RailFlag.BRIDGED)) != 0
    shown = np.where(seen, flags & ~np.uint8(RailFlag.MEASURED), flags | np.uint8(1)).astype(np.uint8)
    return Lanes("Rails seen", _LANES, axis.spread_flags(grid_of(judged), shown, elsewhere=1))
