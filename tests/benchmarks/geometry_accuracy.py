"""Track geometry against its truth: the nonlinear vehicle on elastic contacts, recorded, replayed, measured.

The whole way a run takes: simulated sensors on the wire, decoded, heads found in the scanners' points, placed by the
navigation, through the quantities of EN 13848. What it is told differs from the truth: surveyed design and start, wheel
radius. Estimate and truth are compared at the moment a point was passed, as in the figures of the navigation;
how far the estimated place is off is a figure of its own. 95 % of |error|, the worst of the seeds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from recordings import RecordingReader
from tests.benchmarks.figure import Figure
from tests.benchmarks.vehicle_figure import named
from twin.cli.config import RunConfig, parse_config
from twin.cli.replaying import Replay
from twin.cli.run_directory import RunDirectory, results_in
from twin.cli.simulating import START_NS, record_simulated
from twin.core.arrays import Array, BoolArray
from twin.core.estimate import Form, GridBlock, Result
from twin.geometry.quantities.config import QuantityConfig
from twin.geometry.quantities.geometry import track_geometry
from twin.geometry.quantities.quantity import Quantity
from twin.geometry.rails import RailTrace
from twin.report.config import TrackReportConfig
from twin.report.data import RunData, RunLabel
from twin.report.rails import rail_run
from twin.simulation import Dynamics, ImuGrade, Scenario, curve_scenario
from twin.simulation.rail_head import RailSectionConfig, rail_section
from twin.vehicle.running import RunSettings

SEEDS = (301,)
"""Runs of `make bench`; a study takes five."""
HEAD_MIDDLE, HALF_GAUGE, DEPTH = 0.7535, 0.7175, 14e-3
"""Where the truth lays its heads, nominal gauge face, depth of the gauge [m]."""
ENDS = 300.0
"""Left out at both ends [m]: filters settle, and the longest wave of D2 needs its surroundings."""
JUDGED = {
    "level_D1": ("longitudinal level D1 left", "longitudinal level D1 right"),
    "level_D2": ("longitudinal level D2 left", "longitudinal level D2 right"),
    "alignment_D1": ("alignment D1 left", "alignment D1 right"),
    "alignment_D2": ("alignment D2 left", "alignment D2 right"),
    "gauge": ("gauge",),
    "cross_level": ("cross level",),
    "twist_3m": ("twist 3 m",),
}
WITHIN_95 = 1.96
FORMS = (Form.SMOOTHED, Form.LAGGED, Form.CAUSAL)
QUANTITIES = QuantityConfig()
MM = 1e3
Cases = Sequence[tuple[str, float, ImuGrade]]
CASES: Cases = (("tactical_20", 20.0, ImuGrade.TACTICAL),)


@dataclass(frozen=True, slots=True)
class Judged:
    """One run against its truth: by quantity, 95 % of |error| [mm] and share of errors within their 95 % bands."""

    error: dict[str, float]
    within: dict[str, float]
    place: float
    """95 % of |estimated less true place| [m]."""


def figures(seeds: Sequence[int] = SEEDS, cases: Cases = CASES) -> list[Figure]:
    """Errors of every case in every form."""
    found: list[Figure] = []
    for label, speed, grade in cases:
        runs = [_judged_run(_scenario(speed, grade, seed)) for seed in seeds]
        for form in FORMS:
            judged = [run[form] for run in runs]
            for name in JUDGED:
                unit = "mm/m" if name.startswith("twist") else "mm"
                figure = f"geometry.{label}_{form.value}_{name}"
                found.append(named(figure, max(each.error[name] for each in judged), unit))
            found.append(named(f"geometry.{label}_{form.value}_place", max(each.place for each in judged), "m"))
        for name in JUDGED:
            share = float(np.mean([run[Form.SMOOTHED].within[name] for run in runs]))
            found.append(named(f"geometry.{label}_within_{name}", 100 * share, "percent"))
    return found


def _scenario(speed: float, grade: ImuGrade, seed: int) -> Scenario:
    dynamics = Dynamics(run=RunSettings(contact="elastic", step=5e-4), wheels=None, second_imu=False)
    return curve_scenario(speed=speed, grade=grade, seed=seed).model_copy(update={"dynamics": dynamics})


def _judged_run(scenario: Scenario) -> dict[str, Judged]:
    with TemporaryDirectory() as folder:
        run = RunDirectory(Path(folder) / "run")
        recorded = record_simulated(scenario, run, progress=_nobody)
        assert recorded.stopped is None, recorded.stopped
        reader = RecordingReader(run.recording)
        replay = Replay(reader, parse_config(reader.header.config_toml, where="recording"), run)
        replay.results(progress=_nobody)
        replay.smoothed(progress=_nobody)
        with np.load(run.truth, allow_pickle=False) as archive:
            truth = {name: archive[name] for name in archive.files if name in ("t", "s") or name.startswith("track_")}
        results = list(results_in(run))
        return {form.value: _against(results, form, replay.config, truth, scenario) for form in FORMS}


def _nobody(share: float) -> None:
    """Nobody watches."""


def _against(
    results: list[Result], form: Form, config: RunConfig, truth: dict[str, Array], scenario: Scenario
) -> Judged:
    """One form of a run's results against the truth."""
    kept = [each for each in results if isinstance(each, GridBlock) and each.form is form]
    data = RunData.build(
        kept,
        label=RunLabel(name="run"),
        places=config.places,
        direction=config.run.direction,
        design=config.track.design(),
    )
    rails = rail_run(data, long_wave=TrackReportConfig().long_wave)
    assert rails is not None
    assert data.rails is not None
    assert scenario.dynamics is not None
    trace, table = rails.trace, data.rails
    t = np.interp(trace.s, table.s, (table.t_ns - START_NS) * 1e-9)
    ahead = scenario.dynamics.scanner_mounting.x - scenario.mounting.x
    true_s = np.interp(t, truth["t"], truth["s"]) + ahead
    measured = track_geometry(trace, QUANTITIES, places=data.places, errors=rails.errors)
    true = track_geometry(_true_trace(trace, true_s, truth, scenario), QUANTITIES, places=data.places)
    inner = (trace.s > ENDS) & (trace.s < trace.s[-1] - ENDS)
    errors, within = {}, {}
    for name, members in JUDGED.items():
        parts = [_error(measured[member], true[member], inner) for member in members]
        errors[name] = MM * float(np.quantile(np.abs(np.concatenate([e for e, _ in parts])), 0.95))
        within[name] = float(np.mean(np.concatenate([np.abs(e) <= WITHIN_95 * sd for e, sd in parts])))
    return Judged(errors, within, float(np.quantile(np.abs(trace.s - true_s)[inner], 0.95)))


def _true_trace(trace: RailTrace, true_s: Array, truth: dict[str, Array], scenario: Scenario) -> RailTrace:
    """The rails as they are below the scanners at the moments the points were passed."""
    alignment, gauge, level, cross = (
        np.interp(true_s, truth["track_s"], truth[f"track_{name}"])
        for name in ("alignment", "gauge", "level", "cross_level")
    )
    off = HEAD_MIDDLE + rail_section(RailSectionConfig()).gauge_face(depth=DEPTH) - HALF_GAUGE
    design = scenario.design()
    return replace(
        trace,
        y_left=alignment + gauge / 2 + off,
        y_right=alignment - gauge / 2 - off,
        z_left=level + cross / 2,
        z_right=level - cross / 2,
        curvature_design=design.curvature(true_s),
        cant_angle_design=design.cant_angle(true_s),
    )


def _error(measured: Quantity, true: Quantity, inner: BoolArray) -> tuple[Array, Array]:
    """Error and stated standard deviation where both are valid."""
    kept = inner & measured.valid & true.valid
    assert measured.sd is not None
    return (measured.values - true.values)[kept], measured.sd[kept]
