"""Tables for other programs: columns by name in one file, text (.csv) or Parquet.

A column is words or numbers; its name carries the unit. Text has nine significant digits, and nothing where a number
is not finite; Parquet has the numbers as they are.
"""

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.core.errors import ConfigError

Column = Sequence[str] | NDArray[Any]
"""(rows,) words or numbers."""


def write_table(path: Path, columns: Mapping[str, Column]) -> None:
    """Write columns of equal length to a file whose ending says how; an old one is replaced."""
    write = _WRITERS.get(path.suffix.lower())
    if write is None:
        raise ConfigError(f"{path}: a table ends in {' or '.join(_WRITERS)}")
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns of a table are equally long, got {lengths}")
    try:
        write(path, columns)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written ({error.strerror}); choose another place") from None


def _write_text(path: Path, columns: Mapping[str, Column]) -> None:
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(columns)
        writer.writerows(zip(*(_texts(column) for column in columns.values()), strict=True))


def _texts(column: Column) -> Sequence[str]:
    if not isinstance(column, np.ndarray):
        return column
    if column.dtype.kind != "f":
        return [str(value) for value in column.tolist()]
    return [f"{value:.9g}" if np.isfinite(value) else "" for value in column.tolist()]


def _write_parquet(path: Path, columns: Mapping[str, Column]) -> None:
    import pyarrow as pa  # here: a table in text does not wait for it
    from pyarrow import parquet

    arrays = {
        name: pa.array(column if isinstance(column, np.ndarray) else list(column)) for name, column in columns.items()
    }
    with path.open("wb") as out:
        parquet.write_table(pa.table(arrays), out)


_WRITERS: dict[str, Callable[[Path, Mapping[str, Column]], None]] = {".csv": _write_text, ".parquet": _write_parquet}

TABLES = tuple(_WRITERS)
"""Endings of tables."""
