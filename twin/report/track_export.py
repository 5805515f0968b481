"""Track geometry as tables for other programs; the name of a column carries its unit. Rows by increasing kilometre."""

from collections.abc import Mapping, Sequence

import numpy as np

from twin.geometry.quantities.geometry import track_geometry
from twin.report.config import TrackReportConfig
from twin.report.data import GridTable, RunData
from twin.report.judged import Judged
from twin.report.rails import WEAR, RailRun
from twin.report.table_file import Column
from twin.report.track_strips import unit_of
from twin.report.track_tables import ExceedanceRow, curve_rows, deviation_rows
from twin.report.units import KMH, MM, QUANTITIES, quality_words

_SUFFIX = {"mm": "mm", "mm/m": "mm_per_m", "1/km": "per_km"}


def navigation_columns(data: RunData, table: GridTable) -> dict[str, Column]:
    """One form of the navigation on the grid; columns unknown to the report keep their names and stay SI."""
    columns: dict[str, Column] = {
        "km": data.places.kilometre(table.s),
        "s_m": table.s,
        "t_s": table.seconds_after(data.t0_ns),
    }
    known = {quantity.column: quantity for quantity in QUANTITIES}
    for name in table.layout.names:
        quantity = known.get(name)
        values = table.column(name)
        if quantity is None:
            columns[name] = values
        else:
            columns[quantity.name] = quantity.convert(values, cant_base=data.cant_base)
    words = {int(flags): quality_words(int(flags)) for flags in np.unique(table.quality)}
    return columns | {"quality": [words[flags] for flags in table.quality.tolist()]}


def geometry_columns(rails: RailRun, data: RunData, config: TrackReportConfig) -> dict[str, Column]:
    """Every quantity on the grid, chords included, each with its standard deviation and whether it is valid."""
    quantities = config.quantities.model_copy(update={"cant_base": data.cant_base})
    geometry = track_geometry(
        rails.trace, quantities, places=data.places, left_out=config.line.left_out, errors=rails.errors
    )
    columns: dict[str, Column] = {
        "km": geometry.kilometre,
        "s_m": geometry.s,
        "speed_kmh": KMH * rails.trace.speed,
        "line_speed_kmh": KMH * config.line.line_speed(geometry.kilometre),
    }
    for quantity in geometry:
        unit = _SUFFIX[unit_of(quantity.unit)]
        name = quantity.name.replace(" ", "_").replace("/", "_")
        columns[f"{name}_{unit}"] = MM * quantity.values
        if quantity.sd is not None:
            columns[f"sd_{name}_{unit}"] = MM * quantity.sd
        columns[f"valid_{name}"] = quantity.valid.astype(np.int8)
    columns |= {f"{name}_mm": MM * rails.wear[name] for name in WEAR}
    return columns | {"flags": geometry.flags}


def exceedance_columns(rows: Sequence[ExceedanceRow]) -> dict[str, Column]:
    """All exceedances."""
    return {
        "number": np.array([row.number for row in rows], dtype=np.int64),
        "km": np.array([row.kilometre for row in rows], dtype=float),
        "s_m": np.array([row.s for row in rows], dtype=float),
        "class": [str(row.severity) for row in rows],
        "quantity": [row.quantity for row in rows],
        "rail": [row.rail for row in rows],
        "unit": [row.unit for row in rows],
        "peak": np.array([row.peak for row in rows], dtype=float),
        "sd": np.array([np.nan if row.sd is None else row.sd for row in rows], dtype=float),
        "limit": np.array([row.limit for row in rows], dtype=float),
        "start_s_m": np.array([row.start for row in rows], dtype=float),
        "length_m": np.array([row.length for row in rows], dtype=float),
        "line_speed_kmh": np.array([row.line_speed for row in rows], dtype=float),
    }


def deviation_columns(judged: Judged) -> dict[str, Column]:
    """Standard deviations of every block of the line, and their classes."""
    rows = deviation_rows(judged)
    names = [each.name for each in judged.deviations.quantities]
    columns: dict[str, Column] = {
        "km": np.array([row.kilometre for row in rows], dtype=float),
        "s_m": np.array([row.s for row in rows], dtype=float),
        "length_m": np.full(len(rows), judged.deviations.block_length),
    }
    for k, name in enumerate(names):
        label = "cosd" if name.startswith("combined") else name.replace(" ", "_")
        columns[f"sd_{label}_mm"] = np.array([row.values[k] for row in rows], dtype=float)
        if any(row.classes[k] for row in rows):
            columns[f"class_{label}"] = [row.classes[k] for row in rows]
    return columns


def curve_columns(judged: Judged) -> Mapping[str, Column]:
    """Transitions and arcs."""
    rows = curve_rows(judged)
    numbers = {
        "km": [row.kilometre for row in rows],
        "to_km": [row.kilometre_end for row in rows],
        "s_m": [row.s for row in rows],
        "length_m": [row.length for row in rows],
        "radius_m": [row.radius for row in rows],
        "cant_mm": [row.cant for row in rows],
        "cant_deficiency_mm": [row.deficiency for row in rows],
    }
    words: dict[str, Column] = {"shape": [row.shape for row in rows], "side": [row.side for row in rows]}
    return words | {name: np.array(values, dtype=float) for name, values in numbers.items()}
