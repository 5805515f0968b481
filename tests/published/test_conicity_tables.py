"""Equivalent conicity from the rolling-radius differences of EN 15302: the standard's own values."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.contact.conicity import RollingRadiusDifference, equivalent_conicity
from twin.contact.conicity_benchmark import CASES, judge_tables, read_differences, read_references
from twin.core.arrays import Array

FOLDER = Path(__file__).parents[3] / "shared" / "reference" / "en15302_reference"
needs_tables = pytest.mark.skipif(not FOLDER.is_dir(), reason="tables of EN 15302 are not on this machine")

PRINTED = 0.0007
"""What three decimals of the conicity and of delta_r [mm] leave open."""

# Annex E, case E7 (wheels H on rail A, diameters 920 and 918 mm): delta_r in mm at y = -6.8 to 6.7 mm. Between the
# jumps at -2.5 and 2.6 mm it rises by 0.005 mm a step, beyond by 0.0225.
E7_Y = np.arange(-68, 68) / 10


def _e7() -> Array:
    delta_r = np.where(np.abs(E7_Y) < 2.55, 1.0 + 0.05 * E7_Y, 1.0 + 0.225 * E7_Y + 1.822 * np.sign(E7_Y))
    delta_r[0] = -10.216
    return delta_r


def difference(y_mm: Array, delta_r_mm: Array) -> RollingRadiusDifference:
    return RollingRadiusDifference(y=y_mm * 1e-3, delta_r=delta_r_mm * 1e-3)


def test_case_e7_typed_in_gives_the_conicity_of_the_standard() -> None:
    amplitude = np.array([1.0, 1.5, 2.0, 3.0, 4.0, 4.5, 5.0])
    expected = [0.712, 0.491, 0.381, 0.270, 0.217, 0.271, 0.275]
    found = equivalent_conicity(difference(E7_Y, _e7()), amplitude=amplitude * 1e-3)
    assert_allclose(found.tan_gamma, expected, atol=0.001)


@needs_tables
def test_case_e7_is_typed_in_as_the_table_has_it() -> None:
    table = read_differences(FOLDER)["E7"]
    assert_allclose(-table.delta_r[::-1], _e7() * 1e-3, atol=1.1e-6)


@needs_tables
@pytest.mark.parametrize("case", ["E1", "E2", "E4", "E6", "E7", "E8", "E9"])
def test_conicity_of_the_table_is_the_printed_one(case: str) -> None:
    (judged,) = (each for each in judge_tables(FOLDER) if each.case.name == case)
    off = np.abs(judged.deviation)
    assert np.count_nonzero(np.isfinite(off)) >= 42  # the tables reach 5.1 mm at least
    assert np.nanmax(off) <= PRINTED


@needs_tables
def test_four_entries_of_e3_contradict_e7_which_has_the_same_wheels_1_mm_aside() -> None:
    """delta_r at 3.0, 3.8, 5.6 and 5.8 mm reads 2.4797, 2.667, 3.085, 3.129; E7 less 1 mm 2.497, 2.677, 3.082, 3.127.

    As printed the worst conicity is 0.00071 off, with E7's entries 0.0005, the rounding of what is printed.
    """
    table, shifted = read_differences(FOLDER)["E3"], read_differences(FOLDER)["E7"]
    positive = np.interp(np.abs(table.y), shifted.y, shifted.delta_r + 1e-3)  # the side of E7 that reaches 6.8 mm
    mended = RollingRadiusDifference(y=table.y, delta_r=np.sign(table.y) * positive)
    wrong = np.abs(mended.delta_r - table.delta_r) > 1.5e-6
    assert_allclose(table.y[wrong & (table.y > 0.0)], [3.0e-3, 3.8e-3, 5.6e-3, 5.8e-3], atol=1e-9)
    reference = read_references(FOLDER)["E3"]
    worst = [
        np.nanmax(np.abs(equivalent_conicity(each, amplitude=reference.amplitude).tan_gamma - reference.tan_gamma))
        for each in (table, mended)
    ]
    assert worst == pytest.approx([0.00071, 0.00050], abs=1e-5)


@needs_tables
@pytest.mark.parametrize(("equal", "unequal"), [("E2", "E6"), ("E4", "E8")])
def test_unequal_diameters_add_a_constant_to_the_difference_so_the_standard_has_no_roll(
    equal: str, unequal: str
) -> None:
    tables = read_differences(FOLDER)
    y = np.linspace(-6.8e-3, 6.8e-3, 137)
    with_both = [np.interp(y, tables[case].y, tables[case].delta_r) for case in (equal, unequal)]
    assert_allclose(with_both[1] - with_both[0], -1e-3, atol=1e-9)


def test_the_nine_cases_are_those_of_annex_e() -> None:
    assert [case.name for case in CASES] == [f"E{k}" for k in range(1, 10)]
    assert [case.right + case.left for case in CASES] == ["AA", "BB", "HH", "II", "AA", "BB", "HH", "II", "AB"]
    assert [case.radius_left for case in CASES] == [0.460] * 4 + [0.459] * 4 + [0.460]
