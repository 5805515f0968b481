"""Equivalent conicity against EN 15302's tables and profiles, and of S1002 on 60E1 at 3 mm."""

import sys
from pathlib import Path

import numpy as np

from tests.benchmarks.contact_figure import contact_figure
from tests.benchmarks.figure import Figure
from twin.contact.conicity import equivalent_conicity
from twin.contact.conicity_benchmark import BEST_FIT, FROM_FILE, Judgement, judge_profiles, judge_tables
from twin.contact.pair import pair
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.seating import WheelsetPair
from twin.contact.traverse import level, seated, traverse

FOLDER = Path(__file__).parents[3] / "shared" / "reference" / "en15302_reference"
UNCLEAN = "E5"
"""Its table of delta_r is not the standard's: six decimals, and steps that E1 does not have."""
LAYINGS = {"": 0.0, "_file_origin": -FROM_FILE, "_best_fit": BEST_FIT}
"""Suffix and shift of the rails [m]: by the gauge, by the file's first point, nearest to the standard's results."""


def figures() -> list[Figure]:
    """The figures of `contact.conicity_error`; those of the standard only where its numbers are."""
    found = _at_3_mm()
    if not FOLDER.is_dir():
        print(f"contact_conicity: {FOLDER} is absent, only S1002 is measured", file=sys.stderr)
        return found
    found += _tables(judge_tables(FOLDER))
    for suffix, rail_shift in LAYINGS.items():
        found += _profiles(judge_profiles(FOLDER, rail_shift=rail_shift), suffix)
    return found


def _at_3_mm() -> list[Figure]:
    found = []
    for name, cant in (("40", 1 / 40), ("20", 1 / 20)):
        one = pair(wheel_curve(wheel_profile("S1002")), laid_rail(rail_profile("60E1-EN"), cant=cant, gauge=1.435))
        for suffix, move in (("", seated(WheelsetPair(one, one))), ("_level", level(one, one))):
            conicity = equivalent_conicity(traverse(move).difference, amplitude=np.array([3e-3]))
            found.append(contact_figure(f"conicity_3mm_{name}{suffix}", conicity.tan_gamma[0], "tan"))
    return found


def _tables(judged: list[Judgement]) -> list[Figure]:
    worst = {each.case.name: float(np.nanmax(np.abs(each.deviation))) for each in judged}
    del worst[UNCLEAN]
    without_e3 = max(value for name, value in worst.items() if name != "E3")  # four of its entries contradict E7
    return [
        contact_figure("conicity_error_tables_max", max(worst.values()), "tan"),
        contact_figure("conicity_error_tables_max_without_e3", without_e3, "tan"),
    ]


def _profiles(judged: list[Judgement], suffix: str) -> list[Figure]:
    deviations = np.concatenate([each.deviation for each in judged])
    outside = sum(int(each.outside.sum()) for each in judged)
    return [
        contact_figure(f"conicity_error_profiles_rms{suffix}", float(np.sqrt(np.mean(deviations**2))), "tan"),
        contact_figure(f"conicity_outside_field{suffix}", outside, f"of {deviations.size}"),
    ]
