"""Runs of track geometry and their truth: simulated by the nonlinear vehicle, recorded, calibrated, replayed, judged.

The whole way a run takes: simulated sensors on the wire, decoded, heads found in the scanners' points, placed by the
navigation, through the quantities of EN 13848. What it is told differs from the truth: surveyed design and start, wheel
radius, places of the sensors. Cameras and inertial sensor are calibrated against each other as `railtwin calibrate
mounting` does it, on the first tangent, whose mean gauge and cross level were measured by hand.
"""

import datetime
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from calibration.mounting import SEEN, Reference, StraightRun, calibrate_mounting
from calibration.store import merged
from recordings import RecordingReader
from twin.cli.calibrate_mounting import cameras_of
from twin.cli.config import RunConfig, parse_config
from twin.cli.replaying import Replay
from twin.cli.run_directory import RunDirectory, results_in
from twin.cli.simulating import START_NS, record_simulated
from twin.core.arrays import Array, BoolArray
from twin.core.estimate import Form, GridBlock
from twin.core.places import Direction
from twin.core.track import DesignTrack, HorizontalElement
from twin.geometry.quantities.config import QuantityConfig
from twin.geometry.quantities.geometry import track_geometry
from twin.geometry.quantities.quantity import Quantity, TrackGeometry
from twin.geometry.rails import RailTrace
from twin.report.config import TrackReportConfig
from twin.report.data import RunData, RunLabel
from twin.report.rails import RailRun, rail_run
from twin.simulation import Dynamics, ImuGrade, IrregularityConfig, Scenario, constant
from twin.simulation.rail_head import RailSectionConfig, rail_section
from twin.vehicle.running import RunSettings

HEAD_MIDDLE, HALF_GAUGE, DEPTH = 0.7535, 0.7175, 14e-3
"""Where the truth lays its heads, nominal gauge face, depth of the gauge [m]."""
TANGENT, TRANSITION, ARC, BETWEEN = 450.0, 100.0, 150.0, 150.0
"""Of the line [m]: a tangent, a left curve, a tangent, a right curve, a tangent."""
RADIUS, CANT = 600.0, 0.1
CALIBRATED = (80.0, 280.0)
"""Stretch of the first tangent on which gauge and cross level are known, from where the train starts [m]."""
SD_BY_HAND = 0.1e-3
"""Of both means [m]: forty readings of 0.3 mm each, and what the instrument is off."""
ENDS = 300.0
"""Left out at both ends [m]: filters settle, and the longest wave of D2 needs its surroundings."""
QUANTITIES = QuantityConfig()
REPORT = TrackReportConfig()
DATE = datetime.date(2026, 1, 1)


@dataclass(frozen=True, slots=True)
class Case:
    """One way to run over the line."""

    label: str
    speed: float
    """[m/s]"""
    grade: ImuGrade = ImuGrade.TACTICAL
    direction: Direction = Direction.INCREASING
    way: float = 1700.0
    """[m]"""
    wheel_off: float = 0.0
    """By which the wheel radius is written down wrongly, besides what the survey has wrong [m]."""


@dataclass(frozen=True, slots=True)
class DoneRun:
    """A replayed run with what really happened."""

    run: RunDirectory
    config: RunConfig
    scenario: Scenario
    truth: dict[str, Array]

    def data(self, form: Form) -> RunData:
        """Its results of one form."""
        kept = [each for each in results_in(self.run) if isinstance(each, GridBlock) and each.form is form]
        return RunData.build(
            kept,
            label=RunLabel(name=self.run.path.name),
            places=self.config.places,
            direction=self.config.run.direction,
            design=self.config.track.design(),
        )


@dataclass(frozen=True, slots=True)
class Measured:
    """One form of a run beside its truth, on the same points."""

    rails: RailRun
    true_trace: RailTrace
    measured: TrackGeometry
    true: TrackGeometry
    place_off: Array
    """(n,) estimated less true place of every point [m]."""
    inner: BoolArray
    """(n,) points that are judged."""

    def errors(self, name: str) -> tuple[Array, Array]:
        """Errors of a quantity and their stated standard deviations, where both are valid."""
        measured, true = self.measured[name], self.true[name]
        kept = self.inner & measured.valid & true.valid
        assert measured.sd is not None
        return (measured.values - true.values)[kept], measured.sd[kept]


def line() -> tuple[HorizontalElement, ...]:
    """The line of all runs."""
    elements = [HorizontalElement(length=TANGENT)]
    for side, after in ((1, BETWEEN), (-1, TANGENT)):
        kappa, cant = side / RADIUS, side * CANT
        elements += [
            HorizontalElement(length=TRANSITION, curvature_end=kappa, cant_end=cant),
            HorizontalElement(length=ARC, curvature_start=kappa, curvature_end=kappa, cant_start=cant, cant_end=cant),
            HorizontalElement(length=TRANSITION, curvature_start=kappa, cant_start=cant),
            HorizontalElement(length=after),
        ]
    return tuple(elements)


def scenario_of(case: Case, *, track: int, sensors: int) -> Scenario:
    """A run over the rails of one seed with the sensors of another."""
    return Scenario(
        horizontal=line(),
        vertical=(),
        direction=case.direction,
        irregularity=IrregularityConfig(seed=track),
        motion=constant(speed=case.speed, length=case.way, standstill=20.0),
        imu_grade=case.grade,
        dynamics=Dynamics(run=RunSettings(contact="elastic", step=5e-4), wheels=None, second_imu=False),
        seed=sensors,
    )


def done_run(case: Case, folder: Path, *, track: int, sensors: int) -> DoneRun:
    """Simulate, calibrate, replay; a folder that holds the run already is not computed again."""
    scenario, run = scenario_of(case, track=track, sensors=sensors), RunDirectory(folder)
    if not run.truth.is_file():
        recorded = record_simulated(scenario, run, progress=_nobody)
        assert recorded.stopped is None, recorded.stopped
    with np.load(run.truth, allow_pickle=False) as archive:
        truth = {name: archive[name] for name in archive.files if name in ("t", "s") or name.startswith("track_")}
    reader = RecordingReader(run.recording)
    told = _with_wheel(parse_config(reader.header.config_toml, where="recording"), case.wheel_off)
    if run.smoothed.is_file():
        return DoneRun(run, parse_config(run.config.read_text(), where="config"), scenario, truth)
    Replay(reader, told, run).results(progress=_nobody)
    config = _calibrated(DoneRun(run, told, scenario, truth), sensors)
    run.config.write_text(config.to_toml(), encoding="utf-8")
    replay = Replay(reader, config, run)
    replay.results(progress=_nobody)
    replay.smoothed(progress=_nobody)
    return DoneRun(run, config, scenario, truth)


def _with_wheel(config: RunConfig, off: float) -> RunConfig:
    vehicle = config.vehicle.model_copy(update={"wheel_radius": config.vehicle.wheel_radius + off})
    return config.model_copy(update={"vehicle": vehicle})


def _calibrated(done: DoneRun, seed: int) -> RunConfig:
    """The configuration with cameras calibrated on the first tangent."""
    seen = measured_run(done, Form.LAGGED)
    forward = done.config.run.direction is Direction.INCREASING
    low, high = CALIBRATED if forward else tuple(line_design().length - end for end in CALIBRATED[::-1])
    trace, true = seen.rails.trace, seen.true_trace
    inside = (trace.s >= low) & (trace.s <= high)
    by_hand = SD_BY_HAND * np.random.default_rng((seed, 7)).standard_normal(2)
    known = Reference(
        gauge=float(np.nanmean(true.gauge_deviation[inside]) + by_hand[0]),
        cross_level=float(np.nanmean(true.cross_level_deviation[inside]) + by_hand[1]),
        sd_gauge=SD_BY_HAND,
        sd_cross_level=SD_BY_HAND,
    )
    rails = done.data(Form.LAGGED).rails
    assert rails is not None
    rows = (rails.s >= low) & (rails.s <= high)
    stretch = StraightRun(
        done.config.run.direction, rails.s[rows], np.stack([rails.column(name)[rows] for name in SEEN], axis=1)
    )
    found = calibrate_mounting([stretch], cameras_of(done.config), known)
    calibration = found.calibration(date=DATE, source="a stretch measured by hand")
    return RunConfig.load(merged(done.config.model_dump(mode="json"), calibration, where="mounting"), where="mounting")


def line_design() -> DesignTrack:
    """The line as it is, by increasing kilometre."""
    return DesignTrack.from_elements(list(line()), [])


def measured_run(done: DoneRun, form: Form) -> Measured:
    """One form of a run beside its truth at the moments points were passed: places are a figure of their own."""
    data = done.data(form)
    rails = rail_run(data, long_wave=REPORT.long_wave)
    assert rails is not None
    assert data.rails is not None
    assert done.scenario.dynamics is not None
    trace, table = rails.trace, data.rails
    t = np.interp(trace.s, table.s, (table.t_ns - START_NS) * 1e-9)
    ahead = done.scenario.dynamics.scanner_mounting.x - done.scenario.mounting.x
    run_s = np.interp(t, done.truth["t"], done.truth["s"]) + ahead
    true_trace = _true_trace(trace, run_s, done)
    forward = done.config.run.direction is Direction.INCREASING
    true_s = run_s if forward else line_design().length - run_s
    return Measured(
        rails,
        true_trace,
        track_geometry(trace, QUANTITIES, places=data.places, errors=rails.errors),
        track_geometry(true_trace, QUANTITIES, places=data.places),
        trace.s - true_s,
        (trace.s > trace.s[0] + ENDS) & (trace.s < trace.s[-1] - ENDS),
    )


def _true_trace(trace: RailTrace, run_s: Array, done: DoneRun) -> RailTrace:
    """The rails as they are below the scanners at the moments the points were passed, by increasing kilometre."""
    alignment, gauge, level, cross = (
        np.interp(run_s, done.truth["track_s"], done.truth[f"track_{name}"])
        for name in ("alignment", "gauge", "level", "cross_level")
    )
    sign = 1.0 if done.config.run.direction is Direction.INCREASING else -1.0
    off = HEAD_MIDDLE + rail_section(RailSectionConfig()).gauge_face(depth=DEPTH) - HALF_GAUGE
    design = line_design()
    true_s = run_s if sign > 0 else design.length - run_s
    return replace(
        trace,
        y_left=sign * alignment + gauge / 2 + off,
        y_right=sign * alignment - gauge / 2 - off,
        z_left=level + sign * cross / 2,
        z_right=level - sign * cross / 2,
        curvature_design=design.curvature(true_s),
        cant_angle_design=design.cant_angle(true_s),
    )


def p95(values: Array) -> float:
    """95 % of magnitudes."""
    return float(np.quantile(np.abs(values), 0.95))


def errors_of(measured: Measured, names: tuple[str, ...]) -> tuple[Array, Array]:
    """Errors and stated standard deviations of some quantities together."""
    parts = [measured.errors(name) for name in names]
    return np.concatenate([e for e, _ in parts]), np.concatenate([sd for _, sd in parts])


def _nobody(share: float) -> None:
    """Nobody watches."""


__all__ = ["Case", "DoneRun", "Measured", "Quantity", "done_run", "errors_of", "line", "measured_run", "p95"]
