"""Tables for other programs: what is written is read back."""

import csv
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from twin.core.errors import ConfigError
from twin.report.table_file import TABLES, write_table

COLUMNS = {
    "body": ["carbody", "bogie, front", "wheelset"],
    "number": np.array([1, 2, 3]),
    "y_m": np.array([0.125, np.nan, -1.0 / 3.0]),
}


def test_text_holds_nine_digits_and_nothing_where_a_number_is_not_finite(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    write_table(file, COLUMNS)
    with file.open(encoding="utf-8", newline="") as text:
        rows = list(csv.reader(text))
    assert rows == [
        ["body", "number", "y_m"],
        ["carbody", "1", "0.125"],
        ["bogie, front", "2", ""],
        ["wheelset", "3", "-0.333333333"],
    ]


def test_parquet_holds_the_numbers_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "table.PARQUET"
    write_table(file, COLUMNS)
    read = parquet.read_table(file)
    assert read.column_names == list(COLUMNS)
    assert read["body"].to_pylist() == COLUMNS["body"]
    np.testing.assert_array_equal(read["y_m"].to_numpy(), COLUMNS["y_m"])
    np.testing.assert_array_equal(read["number"].to_numpy(), COLUMNS["number"])


@pytest.mark.parametrize("ending", TABLES)
def test_place_that_cannot_be_written_is_told(tmp_path: Path, ending: str) -> None:
    with pytest.raises(ConfigError, match="cannot be written"):
        write_table(tmp_path / "absent" / f"table{ending}", COLUMNS)


def test_unknown_ending_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"ends in \.csv or \.parquet"):
        write_table(tmp_path / "table.xlsx", COLUMNS)


def test_columns_of_different_length_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="equally long"):
        write_table(tmp_path / "table.csv", {"a": np.zeros(2), "b": np.zeros(3)})
    assert not (tmp_path / "table.csv").exists()
