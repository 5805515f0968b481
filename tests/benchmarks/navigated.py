"""Simulated runs through the navigation, held against their truth sample by sample.

The streams of a simulated run become epochs directly: what wire, clock and synchroniser add is judged elsewhere, here
the estimators are. The smoothed estimate is made as twin.pipeline.offline makes it: positions that know the whole
run, then attitude and trajectory with its lags.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array, BoolArray, IntArray
from twin.core.blocks import Epoch, SampleBlock
from twin.core.estimate import Estimate, Form, Fusion
from twin.core.vehicle import VehicleParameters
from twin.navigation.chain import Setup
from twin.navigation.config import NavigationConfig
from twin.navigation.inputs import Inertial, Motion
from twin.navigation.position import PositionStep
from twin.navigation.smoother import RefinedChain
from twin.navigation.stage import CausalNavigation, MotionStage
from twin.numerics.bands import band
from twin.numerics.smoothing import rts
from twin.pipeline.offline import LAG
from twin.simulation import ImuGrade, Scenario, SensorStream, SimulatedRun, Truth
from twin.simulation.sensors import GRADES

EPOCH = 0.2
"""As the synchroniser's default [s]."""
STEP = 0.25
"""Grid on which errors are filtered into wavelength bands [m]."""
ENDS = 250.0
"""Left out at both ends of a run [m]: the filters settle, and the longest wave of D2 needs its surroundings."""
NIS_95 = 3.84
"""95 % of a chi-square with one degree of freedom lie below."""


@dataclass(frozen=True, slots=True)
class Navigated:
    """What was estimated of one run."""

    causal: Estimate
    smoothed: Estimate
    fusions: dict[str, Fusion]
    """By name, over the whole run."""

    def of(self, form: Form) -> Estimate:
        """The estimate in one of the two forms."""
        return {Form.CAUSAL: self.causal, Form.SMOOTHED: self.smoothed}[form]


def config_of(grade: ImuGrade) -> NavigationConfig:
    """The navigation of a grade: noise and turn-on bias of its data sheet, everything else as shipped."""
    if grade is ImuGrade.TACTICAL:
        return NavigationConfig()
    errors = GRADES[grade]
    return NavigationConfig(
        accel_noise=errors.accelerometer.noise_density,
        gyro_noise=errors.gyroscope.noise_density,
        gyro_bias=errors.gyroscope.turn_on,
    )


def setup_of(scenario: Scenario, config: NavigationConfig) -> Setup:
    """What the navigation of a simulated run is told: the design, the nominal vehicle, the place it starts from."""
    return Setup(
        config=config,
        design=scenario.design(),
        vehicle=VehicleParameters(),
        mounting=scenario.mounting,
        start=scenario.motion.start,
    )


def epochs(streams: Iterable[SensorStream], *, first: int = 0) -> Iterator[Epoch]:
    """Whole epochs of the streams, as good as they came; first: index of the epoch at the streams' beginning."""
    cut = {stream.source: (stream, round((stream.t.size - 1) / np.ptp(stream.t))) for stream in streams}
    count = min(stream.t.size // round(rate * EPOCH) for stream, rate in cut.values())
    length = round(EPOCH * 1e9)
    for k in range(count):
        samples = {}
        for source, (stream, rate) in cut.items():
            n = round(rate * EPOCH)
            values = stream.values[k * n : (k + 1) * n]
            quality = np.zeros(n, np.uint8)
            samples[source] = SampleBlock(source, round(float(stream.t[k * n]) * 1e9), 1e9 / rate, values, quality)
        yield Epoch(first + k, (first + k) * length, (first + k + 1) * length, samples)


def navigate(setup: Setup, run: Iterable[Epoch], *, rate: float = 500.0) -> Navigated:
    """Estimate a run twice: as it went on, and knowing all of it; rate: of the inertial sensor [Hz]."""
    motion, causal = MotionStage(setup), CausalNavigation(setup)
    followed: list[tuple[Inertial, Motion, PositionStep]] = []
    estimates: list[Estimate] = []
    fusions: dict[str, list[Fusion]] = {}
    for epoch in run:
        found = motion.process(epoch)
        if found is None:
            continue
        imu, moved, step, rows = found
        followed.append((imu, moved, step))
        estimate, more = causal.process(imu, moved, step)
        estimates.append(estimate)
        for row in (*rows, *more):
            fusions.setdefault(row.name, []).append(row)
    whole = {name: _joined_fusion(parts) for name, parts in fusions.items()}
    return Navigated(joined(estimates), joined(_smoothed(setup, followed, rate)), whole)


def _smoothed(setup: Setup, followed: list[tuple[Inertial, Motion, PositionStep]], rate: float) -> list[Estimate]:
    steps = [step for _, _, step in followed]
    x, P = rts(*(np.stack([getattr(step, name) for step in steps]) for name in ("x", "P", "F", "Q", "u")))
    chain = RefinedChain(setup, LAG, Form.SMOOTHED, rate=rate)
    estimates: list[Estimate] = []
    for i, (imu, moved, _) in enumerate(followed):
        estimates += chain.add(imu, moved, x[i], P[i])
    return estimates + chain.flush()


def joined(parts: list[Estimate]) -> Estimate:
    """Consecutive estimates as one."""
    first = parts[0]
    t_ns, x, var, quality = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("t_ns", "x", "var", "quality")
    )
    return Estimate(first.name, first.form, first.layout, t_ns, x, var, quality)


def _joined_fusion(parts: list[Fusion]) -> Fusion:
    first = parts[0]
    t_ns, innovation, variance, accepted = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("t_ns", "innovation", "variance", "accepted")
    )
    return Fusion(first.name, t_ns, innovation, variance, accepted, first.gate, first.virtual)


def error(estimate: Estimate, truth: Truth, state: str, *, true: str | None = None, start_ns: int = 0) -> Array:
    """(samples,) estimate less truth at the same moment.

    true: name of the state in the truth, if another; start_ns: time of the estimate at which the run began [ns].
    """
    t = (estimate.t_ns - start_ns) * 1e-9
    return np.asarray(estimate[state] - np.interp(t, truth.t, getattr(truth, true or state)))


def band_error(estimate: Estimate, truth: Truth, state: str, name: str) -> float:
    """What 95 % of the absolute errors of a path stay below in one wavelength band [m]; the ends are left out."""
    e, s = error(estimate, truth, state), np.interp(estimate.t_ns * 1e-9, truth.t, truth.s)
    new = np.concatenate(([True], np.diff(np.maximum.accumulate(s)) > 1e-6))
    grid = np.arange(s[0], s[-1], STEP)
    filtered = band(np.interp(grid, s[new], e[new]), step=STEP, name=name)
    judged = (grid > grid[0] + ENDS) & (grid < grid[-1] - ENDS)
    return float(np.quantile(np.abs(filtered[judged]), 0.95))


def moving(t_ns: IntArray, truth: Truth, *, above: float = 1.0) -> BoolArray:
    """Whether the train was faster than a speed [m/s] at each time (samples,)."""
    return np.asarray(np.interp(t_ns * 1e-9, truth.t, truth.v) > above)


def in_curves(estimate: Estimate, run: SimulatedRun) -> BoolArray:
    """Whether the train was moving in a curve, its transitions included, at each sample."""
    s = np.interp(estimate.t_ns * 1e-9, run.truth.t, run.truth.s)
    return np.asarray((np.abs(run.design.curvature(s)) > 1e-9) & moving(estimate.t_ns, run.truth))
