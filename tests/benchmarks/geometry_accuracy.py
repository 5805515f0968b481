"""Track geometry against its truth, and runs against each other: 95 % of |error|, the worst of the seeds.

Truth is the nonlinear vehicle on elastic contacts; tests.geometry_runs has the way a run takes. Estimate and truth are
compared at the moment a point was passed, as in the figures of the navigation; how far the estimated place is off is a
figure of its own. Runs that are compared with each other share rails and survey; sensors, speed, direction and what
is told of the wheel differ, and the second is laid over the first by its waves.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tests.benchmarks.figure import Figure
from tests.benchmarks.vehicle_figure import named
from tests.geometry_runs import Case, DoneRun, Measured, done_run, errors_of, measured_run, p95
from twin.core.estimate import Form
from twin.core.places import Direction
from twin.report.compared import compare_runs
from twin.report.config import ReportConfig
from twin.simulation import ImuGrade

SEED = 301
"""Of rails and sensors, of `make bench`; a study takes five. Nothing was chosen on them."""
OTHER_SENSORS = 100
"""Added to the seed of the sensors for runs that are compared."""
FORWARD = Case("tactical_20", 20.0)
BACK = Case("tactical_20_back", 20.0, direction=Direction.DECREASING, wheel_off=1e-3)
FAST = Case("tactical_40", 40.0)
SLOW = Case("tactical_5", 5.0, way=900.0)
CONSUMER = Case("consumer_20", 20.0, ImuGrade.CONSUMER)
JUDGED: Mapping[str, tuple[str, ...]] = {
    "level_D1": ("longitudinal level D1 left", "longitudinal level D1 right"),
    "level_D2": ("longitudinal level D2 left", "longitudinal level D2 right"),
    "alignment_D1": ("alignment D1 left", "alignment D1 right"),
    "alignment_D2": ("alignment D2 left", "alignment D2 right"),
    "gauge": ("gauge",),
    "cross_level": ("cross level",),
    "twist_3m": ("twist 3 m",),
}
"""Quantities by the name of their figure."""
BANDED = ("level_D1", "alignment_D1")
"""Whose stated bands are judged."""
WITHIN_95 = 1.96
FORMS = (Form.SMOOTHED, Form.CAUSAL)
MM = 1e3


def figures(
    seeds: Mapping[str, Sequence[int]] | None = None, pairs: Sequence[int] = (SEED,), folder: Path | None = None
) -> list[Figure]:
    """Errors of every case; seeds: of each case by its label; pairs: seeds whose runs are compared.

    folder: where runs are kept, so that those there already are not made again.
    """
    seeds = seeds or {FORWARD.label: (SEED,)}
    found: list[Figure] = []
    with TemporaryDirectory() as temporary:
        base = folder or Path(temporary)
        for case in (FORWARD, BACK, FAST, SLOW, CONSUMER):
            if seeds.get(case.label):
                found += _of_case(case, seeds[case.label], base)
        for other in (BACK, FAST):
            if set(pairs) <= set(seeds.get(other.label, ())):
                found += _repeated(other, pairs, base)
    return found


def _run(case: Case, seed: int, base: Path) -> DoneRun:
    sensors = seed if case is FORWARD else seed + OTHER_SENSORS
    return done_run(case, base / f"{case.label}_{seed}", track=seed, sensors=sensors)


def _of_case(case: Case, seeds: Sequence[int], base: Path) -> list[Figure]:
    found: list[Figure] = []
    runs = [_run(case, seed, base) for seed in seeds]
    for form in FORMS:
        measured = [measured_run(run, form) for run in runs]
        for name, members in JUDGED.items():
            unit = "mm/m" if name.startswith("twist") else "mm"
            worst = max(p95(errors_of(each, members)[0]) for each in measured)
            found.append(named(f"geometry.{case.label}_{form.value}_{name}", MM * worst, unit))
        if form is Form.SMOOTHED:
            worst = max(p95(each.place_off[each.inner]) for each in measured)
            found.append(named(f"geometry.{case.label}_place", worst, "m"))
            found += [named(f"geometry.{case.label}_within_{name}", _within(measured, name), "%") for name in BANDED]
    found.append(named(f"geometry.{case.label}_seeds", len(seeds), "1"))
    return found


def _within(measured: Sequence[Measured], name: str) -> float:
    """Share of all errors within their stated 95 % bands [%]."""
    parts = [errors_of(each, JUDGED[name]) for each in measured]
    return 100 * float(np.mean(np.concatenate([np.abs(e) <= WITHIN_95 * sd for e, sd in parts])))


def _repeated(other: Case, seeds: Sequence[int], base: Path) -> list[Figure]:
    """95 % of the differences of two runs over the same rails, the worst of the seeds, and how well they were laid."""
    rows: dict[str, float] = {}
    limits: dict[str, float] = {}
    for seed in seeds:
        first, second = (_run(case, seed, base).data(Form.SMOOTHED) for case in (FORWARD, other))
        for row in compare_runs(first, second, ReportConfig()).rows:
            if row.limit is not None:
                name = row.name.replace(" ", "_").replace("longitudinal_", "")
                rows[name] = max(rows.get(name, 0.0), row.p95)
                limits[name] = row.limit
    label = other.label.removeprefix("tactical_")
    found = [named(f"geometry.repeatability_{label}_{name}", MM * value, "mm") for name, value in rows.items()]
    beyond = sum(rows[name] > limits[name] for name in rows)
    return [*found, named(f"geometry.repeatability_{label}_beyond", beyond, "quantities")]
