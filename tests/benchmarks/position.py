"""Position along the track with a worn wheel and a slide, corrected by matching the design's curvature.

Before its first curve a train knows no better than its encoder; from the end of that curve on it is judged.
"""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from multiprocessing import get_context

import numpy as np

from tests.benchmarks.figure import Figure, figure
from tests.benchmarks.navigated import config_of, epochs, error, navigate, setup_of
from twin.core.arrays import Array
from twin.core.estimate import Estimate, Form
from twin.core.track import HorizontalElement
from twin.core.vehicle import VehicleParameters
from twin.simulation import ImuGrade, Scenario, SimulatedRun, Slide, TrueVehicle, curve_scenario, simulate

SEEDS = (201, 202, 203)
WEAR = 0.02
"""Wheel radius off its nominal value, relative, to either side."""
SLIDES = (
    Slide(s=1370, duration=3.0, ratio=-0.2),  # on the tangent between two curves, to the end of it: the worst place
    Slide(s=1550, duration=3.0, ratio=-0.2),  # in the middle of a curve
)
AFTER = 300.0
"""Length behind a curve over which its correction must hold [m]."""
ERROR_TARGET, DISTANCE_TARGET = 1.0, 0.1
"""[m] and [percent]."""


@dataclass(frozen=True, slots=True)
class Case:
    """One run: a seed, the wheel's relative radius error and a slide."""

    seed: int
    wear: float
    slide: Slide

    def scenario(self) -> Scenario:
        """Its simulation at 20 m/s."""
        vehicle = TrueVehicle(wheel_radius=VehicleParameters().wheel_radius * (1 + self.wear))
        update = {"vehicle": vehicle, "slides": (self.slide,)}
        return curve_scenario(speed=20.0, seed=self.seed).model_copy(update=update)


def curve_ends(elements: tuple[HorizontalElement, ...]) -> Array:
    """Arc lengths at which curves end [m]."""
    ends = np.cumsum([element.length for element in elements])
    curved = [abs(element.curvature_start) > 0 and element.curvature_end == 0 for element in elements]
    return np.asarray(ends[np.array(curved)])


def judge(estimate: Estimate, run: SimulatedRun, ends: Array) -> tuple[float, float]:
    """Largest position error within AFTER of a curve [m], and the error of distance from first to last curve [%]."""
    wrong = error(estimate, run.truth, "s")
    s = np.interp(estimate.t_ns * 1e-9, run.truth.t, run.truth.s)
    behind = np.any([(s > end) & (s < end + AFTER) for end in ends], axis=0)
    at_first, at_last = wrong[np.searchsorted(s, ends[[0, -1]])]
    return float(np.abs(wrong[behind]).max()), float(100 * abs(at_last - at_first) / (ends[-1] - ends[0]))


def measure(case: Case) -> dict[Form, tuple[float, float]]:
    """Both errors of both forms."""
    scenario = case.scenario()
    run = simulate(scenario)
    found = navigate(setup_of(scenario, config_of(ImuGrade.TACTICAL)), epochs(run.streams))
    ends = curve_ends(scenario.horizontal)
    return {form: judge(found.of(form), run, ends) for form in (Form.CAUSAL, Form.SMOOTHED)}


def figures() -> list[Figure]:
    """Worst of all cases; the causal estimate has the plain names."""
    cases = [Case(*each) for each in product(SEEDS, (-WEAR, WEAR), SLIDES)]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        results = list(pool.map(measure, cases))
    found = []
    for form, suffix in ((Form.CAUSAL, ""), (Form.SMOOTHED, "_smoothed")):
        place, distance = (max(result[form][i] for result in results) for i in range(2))
        found.append(figure(f"position_error_after_curve_m{suffix}", place, "m"))
        found.append(figure(f"distance_error_percent{suffix}", distance, "percent"))
    return found
