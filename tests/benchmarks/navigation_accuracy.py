"""Accuracy of the navigation on the kinematic truth: 3 km of German-low track, curves of 600 m radius with cant.

Every error is that of the estimate at the moment it belongs to, band-filtered along the track; 95 % of its absolute
values stay below the figure. The seeds are not those the filters were tuned on (11 and 101).
"""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from statistics import fmean

import numpy as np

from calibration.static import StaticConfig, calibrate_static
from sensors.imu import ImuCalibration
from tests.benchmarks.figure import Figure, figure
from tests.benchmarks.navigated import (
    NIS_95,
    Navigated,
    band_error,
    config_of,
    epochs,
    error,
    in_curves,
    moving,
    navigate,
    setup_of,
)
from twin.core.arrays import Array, G
from twin.core.estimate import Estimate, Form
from twin.navigation.chain import Setup
from twin.simulation import (
    ImuGrade,
    IrregularityConfig,
    Scenario,
    SensorStream,
    SimulatedRun,
    TrueVehicle,
    curve_scenario,
    simulate,
    stream,
)

SEEDS = (201, 202, 203, 204, 205)
POINT_SEEDS = SEEDS[:2]
"""On which the body's own motion is switched off for comparison."""
PROCESSES = 2
AXES = {"lateral": "r_y", "vertical": "r_z"}
FORMS = (Form.SMOOTHED, Form.CAUSAL)

TARGETS: dict[str, float] = {
    "tactical_20_smoothed_D1": 0.05,
    "tactical_20_smoothed_D2": 0.2,
    "tactical_20_causal_D1": 0.3,
    "consumer_20_smoothed_D1": 0.1,
    "consumer_20_smoothed_D2": 0.5,
    "tactical_3_smoothed_D1": 0.2,
    "tactical_3_smoothed_D2": 1.0,
}
"""Bounds on both axes [mm], by sensor, speed, form and band."""
ROLL_TARGET = 0.3
"""[mrad] rms in curves, tactical, 20 m/s, after a static calibration."""
REST = 25
"""Length of the static calibration [s]."""
WORKSHOP = StaticConfig(sd_roll=1e-4, sd_pitch=1e-4)
"""A static calibration on a levelled track. On the line, the cross level of the standing place is not known: 1 mrad,
five times the bias of a tactical accelerometer."""
NIS_BAND, OUTSIDE_BAND = (0.8, 1.25), (3.0, 7.0)
"""Mean normalised innovation squared, and percent outside the 95 % gate, of every row but the virtual ones."""


@dataclass(frozen=True, slots=True)
class Case:
    """One simulated run."""

    grade: ImuGrade
    speed: float
    seed: int
    own_motion: float = 1.0
    """Multiplies the motion of the body that is not the track's."""

    @property
    def name(self) -> str:
        return f"{self.grade}_{self.speed:g}"

    @property
    def scenario(self) -> Scenario:
        """What is simulated."""
        scenario = curve_scenario(speed=self.speed, grade=self.grade, seed=self.seed)
        return scenario.model_copy(update={"vehicle": TrueVehicle(own_motion=self.own_motion)})

    @property
    def setup(self) -> Setup:
        """What its navigation is told."""
        return setup_of(self.scenario, config_of(self.grade))


SENSORS = (
    (ImuGrade.TACTICAL, 3.0),
    (ImuGrade.TACTICAL, 20.0),
    (ImuGrade.CONSUMER, 20.0),
)


def measure(case: Case) -> dict[str, float]:
    """Errors of one run: <form>_<axis>_<band> [mm]; at 20 m/s tactical also NIS and roll [mrad]."""
    run = simulate(case.scenario)
    found = navigate(case.setup, epochs(run.streams))
    values = {
        f"{form}_{axis}_{name}": 1e3 * band_error(found.of(form), run.truth, state, name)
        for form in FORMS
        for axis, state in AXES.items()
        for name in ("D1", "D2")
    }
    if case.name == "tactical_20" and case.own_motion:
        values |= _nis(found, run) | _rolls(case, run, found)
    return values


def _rolls(case: Case, run: SimulatedRun, uncalibrated: Navigated) -> dict[str, float]:
    """Error of the roll in curves [mrad] by the calibration before the run."""
    level = case.scenario.model_copy(update={"irregularity": IrregularityConfig(scale=0.0)})
    workshop = navigate(case.setup, epochs(_calibrated(run, _biases(case, level, WORKSHOP))))
    on_line = navigate(case.setup, epochs(_calibrated(run, _biases(case, case.scenario, StaticConfig()))))
    return {
        "roll_rms": _roll_rms(workshop.causal, run),
        "smoothed_roll_rms": _roll_rms(workshop.smoothed, run),
        "calibrated_on_line_roll_rms": _roll_rms(on_line.causal, run),
        "uncalibrated_roll_rms": _roll_rms(uncalibrated.causal, run),
    }


def _biases(case: Case, place: Scenario, config: StaticConfig) -> Array:
    """(7,) biases found by a static calibration over the rest before departure at a place."""
    sheet = place.errors.accelerometer
    sd = float(np.hypot(sheet.turn_on, sheet.misalignment * G))
    rest = next(stream(place, block=REST))
    current = ImuCalibration(sd_accel_bias=(sd, sd, sd))
    found = calibrate_static(case.setup, epochs(rest.streams), current=current, config=config)
    return np.concatenate((found.accel_bias, found.gyro_bias, [0.0]))


def _calibrated(run: SimulatedRun, biases: Array) -> tuple[SensorStream, ...]:
    """The streams with the biases of the inertial sensor taken off."""
    imu, *others = run.streams
    return (replace(imu, values=imu.values - biases), *others)


def _roll_rms(estimate: Estimate, run: SimulatedRun) -> float:
    """Error of the absolute roll in curves [mrad]."""
    wrong = error(estimate, run.truth, "roll", true="roll_abs")[in_curves(estimate, run)]
    return float(1e3 * np.sqrt(np.mean(wrong**2)))


def _nis(found: Navigated, run: SimulatedRun) -> dict[str, float]:
    """Mean and percent outside the gate of every measured row while the train moves."""
    values = {}
    for name, fusion in found.fusions.items():
        if not fusion.virtual:
            nis = fusion.nis[moving(fusion.t_ns, run.truth)]
            row = name.replace(".", "_")
            values[f"nis_{row}"] = float(nis.mean())
            values[f"nis_outside_{row}"] = float(100 * (nis > NIS_95).mean())
    return values


def figures(seeds: Sequence[int] = SEEDS, point_seeds: Sequence[int] = POINT_SEEDS) -> list[Figure]:
    """Worst and mean of the seeds; NIS over all of them; what the body's own motion costs."""
    whole = [Case(grade, speed, seed) for grade, speed in SENSORS for seed in seeds]
    point = [Case(ImuGrade.TACTICAL, speed, seed, own_motion=0.0) for speed in (3.0, 20.0) for seed in point_seeds]
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        results = dict(zip([*whole, *point], pool.map(measure, [*whole, *point]), strict=True))
    found: list[Figure] = []
    for grade, speed in SENSORS:
        found += _accuracy([case for case in whole if (case.grade, case.speed) == (grade, speed)], results)
    return found + _own_motion(point, results)


def _accuracy(cases: list[Case], results: dict[Case, dict[str, float]]) -> list[Figure]:
    """Figures of one sensor at one speed."""
    found = []
    for key in results[cases[0]]:
        values = [results[case][key] for case in cases]
        if key.startswith("nis"):
            found.append(figure(key, fmean(values), "percent" if "outside" in key else "ratio"))
        else:
            name, unit = f"accuracy_{cases[0].name}_{key}", "mrad" if "roll" in key else "mm"
            found += [figure(name, max(values), unit), figure(f"{name}_mean", fmean(values), unit)]
    return found


def _own_motion(point: list[Case], results: dict[Case, dict[str, float]]) -> list[Figure]:
    """Errors of a body that follows the rails, and what its own motion adds to them; means over the seeds."""
    found = []
    for name in dict.fromkeys(case.name for case in point):
        cases = [case for case in point if case.name == name]
        for key in results[cases[0]]:
            without = fmean(results[case][key] for case in cases)
            with_it = fmean(results[Case(case.grade, case.speed, case.seed)][key] for case in cases)
            found.append(figure(f"accuracy_point_{name}_{key}", without, "mm"))
            found.append(figure(f"own_motion_cost_{name}_{key}", with_it - without, "mm"))
    return found
