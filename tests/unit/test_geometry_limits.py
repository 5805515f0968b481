"""The table of limits: what is shipped loads, what is wrong is named."""

from pathlib import Path

import numpy as np
import pytest

from twin.core.errors import ConfigError
from twin.geometry.quantities.limits import SHIPPED, LimitTable, read_limits
from twin.geometry.quantities.line_table import read_line
from twin.geometry.quantities.quantity import Kind, Severity

MINIMAL = """
speed_kmh = [80, 120]
[[limits]]
kind = "alignment"
variant = "D1"
alert_mm = [12, 8]
immediate_action_mm = [22, 17]
"""


def _read(tmp_path: Path, text: str) -> LimitTable:
    path = tmp_path / "limits.toml"
    path.write_text(text, encoding="utf-8")
    return read_limits(path)


def test_the_shipped_table_judges_level_alignment_gauge_and_twist_in_three_classes() -> None:
    table = read_limits()
    assert {row.kind for row in table.limits} == {Kind.LEVEL, Kind.ALIGNMENT, Kind.GAUGE, Kind.TWIST}
    assert all(set(row.limits()) == set(Severity) for row in table.limits)
    assert {row.kind for row in table.classes} == {Kind.LEVEL, Kind.ALIGNMENT}


def test_shipped_limits_grow_no_milder_with_speed() -> None:
    for row in read_limits().limits:
        for values in row.limits().values():
            assert np.all(np.diff(values) <= 0)
    for classes in read_limits().classes:
        assert np.all(np.diff(np.array(classes.sd_mm), axis=0) <= 0)


def test_the_shipped_table_asks_its_user_to_check_it() -> None:
    assert "CHECK EVERY NUMBER ON YOUR OWN COPY" in SHIPPED.read_text(encoding="utf-8")


def test_a_table_may_leave_a_class_out(tmp_path: Path) -> None:
    (row,) = _read(tmp_path, MINIMAL).limits
    assert set(row.limits()) == {Severity.ALERT, Severity.IMMEDIATE_ACTION}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("alert_mm", "alarm_mm", r"unknown key 'limits\.0\.alarm_mm': did you mean 'alert_mm'\?"),
        ("[12, 8]", "[12, 8, 6]", "alert of alignment D1 has 3 values, speed_kmh 2"),
        ("[12, 8]", "[12, 18]", "alert must lie below immediate action at every speed"),
        ("[12, 8]", "[-12, 8]", "limits are magnitudes"),
        ("[80, 120]", "[120, 80]", "speed_kmh must ascend"),
        ('"alignment"', '"alinement"', r"'limits\.0\.kind' = 'alinement'"),
        ('"alignment"', '"twist"', "write alert_mm_per_m for alert_mm"),
        ('variant = "D1"', 'variant = "D1"\nside = "wide"', "side = wide is for gauge"),
        ("speed_kmh = [80, 120]", "", "missing key 'speed_kmh'"),
        ("[[limits]]", "[[limits", "is not TOML"),
    ],
)
def test_a_wrong_table_is_refused_with_file_and_key(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        _read(tmp_path, MINIMAL.replace(old, new))
    assert "limits.toml" in str(caught.value)


def test_a_quantity_that_stands_twice_is_refused(tmp_path: Path) -> None:
    row = MINIMAL[MINIMAL.index("[[limits]]") :]
    with pytest.raises(ConfigError, match="stand twice"):
        _read(tmp_path, MINIMAL + row)


def test_a_line_faster_than_the_table_is_refused() -> None:
    with pytest.raises(ConfigError, match="360 km/h lies above the last column"):
        read_limits().column(np.array([30.0, 100.0]))


def test_a_speed_on_a_boundary_belongs_to_the_lower_column() -> None:
    speeds = np.array([80.0, 80.1, 120.0, 300.0]) / 3.6
    assert read_limits().column(speeds).tolist() == [0, 1, 1, 4]


def test_a_wrong_line_table_is_refused_with_file_and_key(tmp_path: Path) -> None:
    path = tmp_path / "line.toml"
    path.write_text('[[left_out]]\nfrom_km = 3.0\nto_km = 2.0\nkind = "switch"\n')
    with pytest.raises(ConfigError, match=r"line\.toml: .*to_km must lie beyond from_km = 3"):
        read_line(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_line(tmp_path / "absent.toml")
