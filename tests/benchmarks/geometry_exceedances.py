"""Planted defects found again: by the nonlinear vehicle's own run over them, recorded, replayed, smoothed, reported.

Every part is the line of the accuracy runs under another line speed, so that all columns of the limits are met, with
defects planted whose peaks in truth lie 0.5 mm or more from every limit. What is true is what the same rules make of
the true rails. The run is laid over a survey of the line, the true rails with errors of their own, as a run is laid
over an earlier one; places are judged after that.
"""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from recordings import RecordingReader
from tests.benchmarks.figure import Figure
from tests.benchmarks.vehicle_figure import named
from tests.planted_defects import MARGIN_OF_PEAKS, PlantedLine, in_metres, nearest_limit, plant, true_trace
from twin.cli.config import RunConfig, parse_config
from twin.cli.replaying import Replay
from twin.cli.run_directory import RunDirectory, results_in
from twin.cli.simulating import START_NS, record_simulated
from twin.core.arrays import Array
from twin.core.estimate import Form, GridBlock
from twin.core.places import Places
from twin.geometry.matching import MatchConfig, match_runs
from twin.geometry.quantities.config import QuantityConfig
from twin.geometry.quantities.exceedances import Exceedance, ExceedanceConfig, exceedances, with_limits
from twin.geometry.quantities.geometry import track_geometry
from twin.geometry.quantities.limits import read_limits
from twin.geometry.quantities.quantity import Kind, Severity, TrackGeometry
from twin.report.config import TrackReportConfig
from twin.report.data import RunData, RunLabel
from twin.report.rails import rail_run
from twin.simulation import Dynamics, Scenario, curve_scenario
from twin.vehicle.running import RunSettings

LINE_SPEEDS = (160.0, 80.0, 300.0, 120.0, 230.0)
"""Of the parts [km/h]: one for each column of the limits."""
FIRST_SEED = 901
"""Of the first part. How fast the offset of two runs may change was chosen after a look at the fourth one's."""
DEFECTS = 40
"""Of a part."""
PLANTED_FROM, PLANTED_TO, SCATTER = 345.0, 2615.0, 5.0
"""Where the middles of defects lie, and by how much they leave an even spacing [m]."""
ENDS = 300.0
"""Left out at both ends [m]: filters settle."""
ROUNDING = 1e-6
"""Of margins, where limits leave just room for a peak between them [m]."""
SD_SURVEY = 0.1e-3
"""White error of each coordinate of the survey that runs are laid over [m]."""
AROUND = 1.0
"""How far about a reported exceedance the truth is looked at before it is called false or another [m]."""
QUANTITIES = QuantityConfig(chords=())
Listed = Sequence[tuple[Exceedance, float]]
"""Reported exceedances and their places after alignment [m]."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one true exceedance."""

    sort: str
    """Of the defect planted for it; empty where none was."""
    true: Exceedance
    found: Exceedance | None
    """Of the same quantity and rail at the place, of whatever class."""
    off: float
    """Place of its peak after alignment, less the true one [m]; NaN where nothing was found."""

    @property
    def right(self) -> bool:
        """Found with its class."""
        return self.found is not None and self.found.severity is self.true.severity


@dataclass(frozen=True, slots=True)
class Part:
    """One run over one part of the line."""

    line_speed_kmh: float
    planted: tuple[Outcome, ...]
    clear: tuple[Outcome, ...]
    """All true exceedances whose peaks lie off every limit by as much as planted ones."""
    reported: int
    false: tuple[Exceedance, ...]
    """Reported where the truth does not come near the limit of the class."""
    length: float
    """Judged [m]."""
    matching: Array
    """Error of the place after alignment along the line [m]."""
    own: Array
    """The same before."""


def figures(parts: int = 1, table: str | None = None, processes: int = 2) -> list[Figure]:
    """All of them; table: file for what became of every sort of defect."""
    with ProcessPoolExecutor(processes) as pool:
        found = list(pool.map(measured_part, range(parts)))
    if table is not None:
        Path(table).parent.mkdir(parents=True, exist_ok=True)
        Path(table).write_text(as_table(found), encoding="utf-8")
    return figures_of(found)


def figures_of(parts: Sequence[Part]) -> list[Figure]:
    """Of parts measured."""
    planted, clear = ([o for part in parts for o in getattr(part, kind)] for kind in ("planted", "clear"))
    off = np.abs([outcome.off for outcome in planted if outcome.found is not None])
    matching = np.abs(np.concatenate([part.matching for part in parts]))
    own = np.abs(np.concatenate([part.own for part in parts]))
    length = sum(part.length for part in parts)
    return [
        named("geometry.exceedances_planted", len(planted), "1"),
        named("geometry.exceedances_found", _percent([outcome.right for outcome in planted]), "%"),
        named("geometry.exceedances_found_any_class", _percent([o.found is not None for o in planted]), "%"),
        named("geometry.exceedances_clear", len(clear), "1"),
        named("geometry.exceedances_clear_found", _percent([outcome.right for outcome in clear]), "%"),
        named("geometry.exceedances_reported", sum(part.reported for part in parts), "1"),
        named("geometry.exceedances_false_per_10km", sum(len(p.false) for p in parts) / length * 1e4, "1/10 km"),
        named("geometry.exceedances_place_95_m", np.quantile(off, 0.95), "m"),
        named("geometry.exceedances_place_max_m", off.max(), "m"),
        named("geometry.matching_run_95_m", np.quantile(matching, 0.95), "m"),
        named("geometry.matching_run_max_m", matching.max(), "m"),
        named("geometry.matching_run_before_max_m", own.max(), "m"),
    ]


def _percent(values: Sequence[bool]) -> float:
    return 100 * float(np.mean(values))


def measured_part(number: int) -> Part:
    """Plant, simulate, replay and judge one part."""
    scenario, line = planted_part(number)
    with TemporaryDirectory() as folder:
        run = RunDirectory(Path(folder) / "run")
        recorded = record_simulated(scenario, run, progress=_nobody)
        assert recorded.stopped is None, recorded.stopped
        reader = RecordingReader(run.recording)
        replay = Replay(reader, parse_config(reader.header.config_toml, where="recording"), run)
        replay.results(progress=_nobody)
        replay.smoothed(progress=_nobody)
        return judged_part(number, run, scenario, line, replay.config)


def _nobody(share: float) -> None:
    """Nobody watches."""


def planted_part(number: int) -> tuple[Scenario, PlantedLine]:
    """The scenario of a part, and what is true of its rails."""
    plain = curve_scenario(seed=FIRST_SEED + number)
    rng = np.random.default_rng(FIRST_SEED + number)
    places = np.linspace(PLANTED_FROM, PLANTED_TO, DEFECTS) + rng.uniform(-SCATTER, SCATTER, DEFECTS)
    line = plant(
        plain.irregularity,
        plain.design(),
        places=places,
        line_speed=LINE_SPEEDS[number % len(LINE_SPEEDS)] / 3.6,
        seed=FIRST_SEED + number,
    )
    dynamics = Dynamics(run=RunSettings(contact="elastic", step=5e-4), wheels=None, second_imu=False)
    return plain.model_copy(update={"irregularity": line.irregularity, "dynamics": dynamics}), line


def judged_part(number: int, run: RunDirectory, scenario: Scenario, line: PlantedLine, config: RunConfig) -> Part:
    """The report of a run against the truth."""
    speed_kmh = LINE_SPEEDS[number % len(LINE_SPEEDS)]
    measured, true_s = _measured(run, scenario, config)
    curve = match_runs(_surveyed(scenario, seed=number), measured, MatchConfig())
    own = curve.s + curve.offset
    known = np.isfinite(own)

    def aligned(each: Exceedance) -> float:
        return float(np.interp(each.s, own[known], curve.s[known]))

    first, last = ENDS, float(line.geometry.s[-1]) - ENDS
    limited = with_limits(measured, read_limits(), line_speed=np.full(measured.s.size, speed_kmh / 3.6))
    listed = [(each, aligned(each)) for each in exceedances(limited, ExceedanceConfig())]
    reported = [(each, place) for each, place in listed if first < place < last]
    true = [each for each in exceedances(line.geometry, ExceedanceConfig()) if first < each.s < last]
    clear = [each for each in true if nearest_limit(each, line.geometry) > MARGIN_OF_PEAKS - ROUNDING]
    inner = (curve.s > first) & (curve.s < last) & known
    truly = np.interp(own[inner], measured.s, true_s)
    return Part(
        line_speed_kmh=speed_kmh,
        planted=tuple(_outcome(each.sort.name, each.exceedance, listed) for each in line.planted),
        clear=tuple(_outcome("", each, listed) for each in clear),
        reported=len(reported),
        false=tuple(each for each, place in reported if _false(each, place, line.geometry)),
        length=last - first,
        matching=curve.s[inner] - truly,
        own=own[inner] - truly,
    )


def _measured(run: RunDirectory, scenario: Scenario, config: RunConfig) -> tuple[TrackGeometry, Array]:
    """What a run measured, smoothed, and where its points (n,) truly lie [m]."""
    kept = [each for each in results_in(run) if isinstance(each, GridBlock) and each.form is Form.SMOOTHED]
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
    with np.load(run.truth, allow_pickle=False) as archive:
        t, s = archive["t"], archive["s"]
    passed = np.interp(rails.trace.s, data.rails.s, (data.rails.t_ns - START_NS) * 1e-9)
    ahead = scenario.dynamics.scanner_mounting.x - scenario.mounting.x
    geometry = track_geometry(rails.trace, QUANTITIES, places=data.places)
    return geometry, np.interp(passed, t, s) + ahead


def _surveyed(scenario: Scenario, *, seed: int) -> TrackGeometry:
    """The line as it was measured before, on its true places."""
    trace = true_trace(scenario.irregularity, scenario.design())
    rng = np.random.default_rng(seed)
    names = ("y_left", "z_left", "y_right", "z_right")
    columns = {name: getattr(trace, name) + SD_SURVEY * rng.standard_normal(len(trace)) for name in names}
    return track_geometry(replace(trace, **columns), QUANTITIES, places=Places())


def _outcome(sort: str, true: Exceedance, listed: Listed) -> Outcome:
    """What of the reported exceedances a true one is."""
    near = [
        (place - true.s, each)
        for each, place in listed
        if each.name == true.name
        and _overlap(place - each.s + each.start, each.length, true)
        and (true.kind is not Kind.GAUGE or each.peak * true.peak > 0)
    ]
    if not near:
        return Outcome(sort, true, None, float("nan"))
    off, found = min(near, key=lambda pair: abs(pair[0]))
    return Outcome(sort, true, found, off)


def _overlap(start: float, length: float, true: Exceedance) -> bool:
    """Whether a stretch meets a true one, or nearly."""
    return start < true.start + true.length + AROUND and true.start < start + length + AROUND


def _false(reported: Exceedance, place: float, true: TrackGeometry) -> bool:
    """Whether the truth about a reported exceedance stays below the limit of its class by more than the margin."""
    quantity = true[reported.name]
    start = place + reported.start - reported.s
    near = (true.s >= start - AROUND) & (true.s <= start + reported.length + AROUND)
    line = next(each for each in quantity.limits if each.severity is reported.severity)
    margin = MARGIN_OF_PEAKS / in_metres(reported.name)
    above = quantity.values[near] - line.upper[near] > -margin
    below = quantity.values[near] - line.lower[near] < margin
    if reported.kind is Kind.GAUGE:
        return not (above if reported.peak > 0 else below).any()
    return not (above | below).any()


def as_table(parts: Sequence[Part]) -> str:
    """Markdown: what became of every sort of defect, and what was found that is not there."""
    planted = [outcome for part in parts for outcome in part.planted]
    lines = [
        "# Planted defects",
        "",
        "| sort | class | planted | found | class right | place, largest error [m] | peak, largest error |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    groups = sorted({(outcome.sort, list(Severity).index(outcome.true.severity)) for outcome in planted})
    for sort, level in groups:
        severity = list(Severity)[level]
        members = [o for o in planted if o.sort == sort and o.true.severity is severity]
        found = [(o.off, 1e3 * (o.found.peak - o.true.peak)) for o in members if o.found is not None]
        place, peak = (max(map(abs, column), default=float("nan")) for column in zip(*found, strict=True))
        right = sum(o.right for o in members)
        unit = "mm/m" if members[0].true.kind is Kind.TWIST else "mm"
        lines.append(
            f"| {sort} | {severity} | {len(members)} | {len(found)} | {right} | {place:.2f} | {peak:.2f} {unit} |"
        )
    lines += ["", *(_sentence(part) for part in parts), ""]
    return "\n".join(lines)


def _sentence(part: Part) -> str:
    wrong = [f"{e.name} at {e.s:.1f} m, {e.severity}, {1e3 * e.peak:.2f}" for e in part.false]
    missed = [f"{o.true.name} at {o.true.s:.1f} m, {1e3 * o.true.peak:.2f}" for o in part.planted if not o.right]
    return (
        f"- {part.line_speed_kmh:g} km/h, {part.length:.0f} m: {part.reported} reported; "
        f"false: {'; '.join(wrong) or 'none'}; planted and not found with their class: {'; '.join(missed) or 'none'}"
    )
