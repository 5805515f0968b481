"""Rolling-radius difference and conicity from profiles: S1002 on 60E1 by an independent solver, EN 15302's E1 to E9."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.contact.conicity import equivalent_conicity
from twin.contact.conicity_benchmark import BEST_FIT, FROM_FILE, judge_profiles
from twin.contact.pair import pair
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.seating import WheelsetPair
from twin.contact.traverse import level, seated, traverse

FOLDER = Path(__file__).parents[3] / "shared" / "reference" / "en15302_reference"
needs_profiles = pytest.mark.skipif(not FOLDER.is_dir(), reason="profiles of EN 15302 are not on this machine")

GRID = np.arange(-70, 71) * 1e-4
"""The positions between which the published conicity was interpolated [m]."""

# rail, cant, gauge [mm]; delta_r [mm] at y = 1, 3 and 6 mm; tan(gamma_e) at 1 to 6 mm, yaw 0, flange backs 1360 mm
# apart: exact-profile solver of the contact reference (rrd_function and equivalent_conicity of S1002 on rail 60).
SEATED = [
    ("EN", 1 / 40, 1435.0, (0.6137912, 0.9586643, 4.6609317), (0.35504, 0.22112, 0.17710, 0.15876, 0.18231, 0.29527)),
    ("EN", 1 / 20, 1435.0, (0.0182488, 0.0577133, 0.1433338), (0.00911, 0.00925, 0.00948, 0.00980, 0.01022, 0.01090)),
    ("MB", 1 / 40, 1435.0, (0.6366968, 0.9939730, 4.6778698), (0.36850, 0.22912, 0.18355, 0.16495, 0.21346, 0.30473)),
    ("EN", 1 / 40, 1437.0, None, (0.04809, 0.16281, 0.14404, 0.13064, 0.12479, 0.14630)),
    ("EN", 1 / 40, 1433.0, None, (0.29869, 0.24705, 0.20731, 0.23336, 0.37495, 0.94678)),
]


def s1002(variant: str, cant: float, gauge_mm: float) -> WheelsetPair:
    rail = laid_rail(rail_profile(f"60E1-{variant}"), cant=cant, gauge=gauge_mm * 1e-3)
    one = pair(wheel_curve(wheel_profile("S1002")), rail)
    return WheelsetPair(one, one)


@pytest.mark.parametrize(("variant", "cant", "gauge", "delta_r", "tan_gamma"), SEATED)
def test_s1002_on_60e1_seated_has_the_difference_and_conicity_of_the_exact_solver(
    variant: str, cant: float, gauge: float, delta_r: tuple[float, ...] | None, tan_gamma: tuple[float, ...]
) -> None:
    move = seated(s1002(variant, cant, gauge))
    if delta_r is not None:
        assert_allclose(move(np.array([1e-3, 3e-3, 6e-3])).delta_r * 1e3, delta_r, atol=1e-7)
    found = equivalent_conicity(move(GRID).difference, amplitude=np.arange(1, 7) * 1e-3)
    assert_allclose(found.tan_gamma, tan_gamma, atol=1.5e-5)


@pytest.mark.parametrize(("cant", "expected", "within"), [(1 / 40, 0.177, 0.001), (1 / 20, 0.0095, 0.0005)])
def test_conicity_of_s1002_at_3_mm_with_its_jumps_closed_in(cant: float, expected: float, within: float) -> None:
    found = equivalent_conicity(traverse(seated(s1002("EN", cant, 1435.0))).difference, amplitude=np.array([3e-3]))
    assert found.tan_gamma == pytest.approx(expected, abs=within)


def test_roll_adds_two_per_cent_on_the_tread_and_half_as_much_again_on_the_flange() -> None:
    wheelset = s1002("EN", 1 / 40, 1435.0)
    rolled, flat = (
        equivalent_conicity(traverse(move).difference, amplitude=np.array([3e-3, 7e-3])).tan_gamma
        for move in (seated(wheelset), level(*wheelset))
    )
    assert_allclose(rolled / flat, [1.017, 1.51], atol=0.01)


@needs_profiles
@pytest.mark.parametrize(
    ("rail_shift", "rms"),
    [(0.0, 0.0090), (-FROM_FILE, 0.0150), (BEST_FIT, 0.0055)],
    ids=["gauge 14 mm below the top", "gauge at the file's first point", "nearest to the standard"],
)
def test_all_594_values_of_e1_to_e9_from_profiles_lie_in_the_field_of_annex_f(rail_shift: float, rms: float) -> None:
    judged = judge_profiles(FOLDER, rail_shift=rail_shift)
    deviations = np.concatenate([each.deviation for each in judged])
    assert deviations.size == 594
    assert not np.concatenate([each.outside for each in judged]).any()
    assert np.sqrt(np.mean(deviations**2)) <= rms
