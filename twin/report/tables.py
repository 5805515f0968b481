"""Tables for people and other programs: CSV by increasing kilometre, and a summary of the run."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from twin.core.arrays import Array, IntArray
from twin.core.estimate import Form
from twin.core.quality import Quality
from twin.report.config import ReportConfig
from twin.report.data import GridTable, RunData
from twin.report.health import judge_measurements, judge_sources, worst
from twin.report.units import KMH, MM, QUANTITIES, quality_words

_PLACE = ("km", "s_m", "t_s")
_AT_ONCE = 10_000
"""Rows that are text at one time: 50 km of them would take more memory than all else."""


def write_csv(data: RunData, path: Path, form: Form | None = None) -> None:
    """Write one form of the run, by default the best, one line per grid point, by increasing kilometre.

    Units are the suffixes of the column names; columns unknown to the report keep their names and stay SI.
    What is not known is an empty field. An empty run gives the header only.
    """
    table = data.best if form is None else data.tables.get(form)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        if table is None:
            file.write(",".join((*_PLACE, "quality")) + "\n")
            return
        for start in range(0, len(table), _AT_ONCE):
            columns = dict(_columns(data, table.rows(slice(start, start + _AT_ONCE))))
            if start == 0:
                file.write(",".join(columns) + "\n")
            file.writelines(",".join(row) + "\n" for row in zip(*columns.values(), strict=True))


def summary(data: RunData, config: ReportConfig | None = None) -> dict[str, str | int | float | None]:
    """The run in a few numbers, for the command line; None where the run does not tell."""
    config = config or ReportConfig()
    sources = judge_sources(data.health, config)
    measurements = judge_measurements(data.health, config)
    verdicts = [*(source.verdict for source in sources), *(row.verdict for row in measurements)]
    figures: dict[str, str | int | float | None] = {
        "run": data.label.name,
        "line": data.places.line,
        "track": data.places.track,
        "direction": data.direction.value,
        "health": worst(verdicts).word,
        "sources": len(sources),
        "sources_not_ok": sum(source.verdict > 0 for source in sources),
        "measurements_not_ok": sum(row.verdict > 0 for row in measurements),
        "events": len(data.events),
    }
    return figures | _course(data, data.best)


def _course(data: RunData, table: GridTable | None) -> dict[str, str | int | float | None]:
    if table is None:
        return {"form": None, "points": 0, "repeated_points": 0}
    km = data.places.kilometre(table.s[[0, -1]])
    speed = table.column("speed")
    return {
        "form": table.form.value,
        "points": len(table),
        "repeated_points": table.repeated,
        "km_from": round(float(km[0]), 4),
        "km_to": round(float(km[1]), 4),
        "length_m": round(float(len(table) * table.step), 2),
        "duration_s": round(float(np.ptp(table.t_ns)) * 1e-9, 2),
        "speed_median_kmh": _rounded(_median(speed) * KMH, 1),
        "speed_max_kmh": _rounded(float(np.max(speed, initial=-np.inf, where=np.isfinite(speed))) * KMH, 1),
        "sd_lateral_mm": _rounded(_median(table.column("sd_r_y")) * MM, 3),
        "sd_vertical_mm": _rounded(_median(table.column("sd_r_z")) * MM, 3),
        "sd_position_m": _rounded(_median(table.column("s_sd")), 3),
        "bridged_percent": _share(table, Quality.BRIDGED),
        "slipping_percent": _share(table, Quality.SLIPPING),
        "missing_percent": _share(table, Quality.MISSING),
    }


def _columns(data: RunData, table: GridTable) -> Iterator[tuple[str, list[str]]]:
    """Names and formatted fields, column by column: a column is formatted at one go."""
    yield "km", _fixed(data.places.kilometre(table.s), 5)
    yield "s_m", _fixed(table.s, 2)
    yield "t_s", _fixed(table.seconds_after(data.t0_ns), 3)
    known = {quantity.column for quantity in QUANTITIES}
    for quantity in QUANTITIES:
        if quantity.column in table.layout.names:
            values = quantity.convert(table.column(quantity.column), cant_base=data.cant_base)
            yield quantity.name, _fixed(values, quantity.decimals)
    for name in table.layout.names:
        if name not in known:
            yield name, _general(table.column(name))
    words = {int(flags): quality_words(int(flags)) for flags in np.unique(table.quality)}
    yield "quality", [words[flags] for flags in table.quality.tolist()]


def _fixed(values: Array | IntArray, decimals: int) -> list[str]:
    """Fixed decimals, so that equal results give equal files; no minus before zero, empty where not finite."""
    form = f"%.{decimals}f"
    rounded = np.round(np.asarray(values, dtype=float), decimals) + 0.0
    return [form % value if known else "" for value, known in _known(rounded)]


def _general(values: Array) -> list[str]:
    """Nine digits, for columns whose size the report does not know."""
    return [f"{value:.9g}" if known else "" for value, known in _known(values + 0.0)]


def _known(values: Array) -> Iterator[tuple[float, bool]]:
    return zip(values.tolist(), np.isfinite(values).tolist(), strict=True)


def _median(values: Array) -> float:
    finite = values[np.isfinite(values)]
    return float(np.median(finite)) if finite.size else float("nan")


def _rounded(value: float, decimals: int) -> float | None:
    return round(value, decimals) if np.isfinite(value) else None


def _share(table: GridTable, flag: Quality) -> float:
    return round(100 * float(np.mean((table.quality & int(flag)) != 0)), 3)
