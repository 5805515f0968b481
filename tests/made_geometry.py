"""A made-up run that has seen its rails: those of the simulation with planted defects, seen with errors."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from recordings import ResultWriter
from tests.made_run import LABEL, PLACES, cut, design, elements_of, grid, health, irregularity
from twin.cli.config import RunConfig, RunIdentity, TrackConfig
from twin.cli.example import example_config
from twin.cli.run_directory import RunDirectory, result_metadata
from twin.core.arrays import Array
from twin.core.estimate import Form, GridBlock, OperatorEvent, Result
from twin.core.places import Direction
from twin.core.quality import Quality
from twin.geometry.fusion.placer import LAYOUT
from twin.geometry.rails import STEP
from twin.report.data import RunData, RunLabel
from twin.simulation.irregularity import Defect, DefectShape, Irregularity, IrregularityConfig, realise

FINE = 0.05
"""Step of the simulation [m]."""
SD_CAMERA, SD_PATH = 0.08e-3, 0.6e-3
"""Errors of single points, and of the trajectory [m]."""


@dataclass(frozen=True)
class Planted:
    """One defect of the made-up track, and what a report must call it."""

    shape: DefectShape
    s: float
    size: float
    length: float
    name: str
    severity: str


PLANTED = (
    Planted(DefectShape.DIP, 612.5, 0.020, 5.0, "longitudinal level D1 left", "intervention"),
    Planted(DefectShape.DIP, 2250.0, 0.045, 6.0, "longitudinal level D1 right", "immediate action"),
    Planted(DefectShape.KINK, 1480.0, 0.022, 10.0, "alignment D1 left", "intervention"),
    Planted(DefectShape.GAUGE_WIDENING, 880.0, 0.033, 12.0, "gauge", "intervention"),
)
"""At a line speed of 120 km/h."""


@lru_cache(maxsize=2)
def track(length: float, *, later: bool = False) -> Irregularity:
    """The rails; later: after some months, with what has grown since."""
    stretches = max(1, round(length / 10_000))
    defects = tuple(
        Defect(shape=each.shape, s=each.s + 10_000 * k, size=each.size * (1.0 if later else 0.7), length=each.length)
        for k in range(stretches)
        for each in PLANTED
    )
    return realise(IrregularityConfig(seed=11, scale=0.8, step=FINE, defects=defects), s0=0.0, length=length)


def rails_block(
    length: float,
    *,
    seed: int = 1,
    later: bool = True,
    shift: float = 0.0,
    form: Form = Form.SMOOTHED,
    noise: float = SD_CAMERA,
) -> GridBlock:
    """What cameras and navigation make of the rails, in one block by increasing kilometre.

    shift: by which the run's own places are off [m], a multiple of the grid; noise: of single points [m].
    """
    true, rng = track(length, later=later), np.random.default_rng(seed)
    every = round(STEP / FINE)
    n = round(length / STEP)
    columns: dict[str, Array] = {}
    path_y, path_z = (irregularity(rng, n, sd=SD_PATH, wavelength=250) for _ in range(2))
    roll = irregularity(rng, n, sd=0.1e-3, wavelength=250)
    curvature = design(length).curvature(STEP * np.arange(n))
    for side, sign in (("left", 1), ("right", -1)):
        y, z = getattr(true, f"y_{side}")[: n * every : every], getattr(true, f"z_{side}")[: n * every : every]
        outer = np.clip(-sign * curvature * 600, 0, 1)
        columns |= {
            f"y_{side}": y + path_y + noise * rng.standard_normal(n),
            f"z_{side}": z + path_z + sign * 0.75 * roll + noise * rng.standard_normal(n),
            f"sd_y_{side}": np.full(n, SD_CAMERA),
            f"sd_z_{side}": np.full(n, SD_CAMERA),
            f"head_roll_{side}": irregularity(rng, n, sd=1e-3, wavelength=20),
            f"wear_vertical_{side}": np.abs(0.8e-3 + irregularity(rng, n, sd=0.3e-3, wavelength=200)),
            f"wear_side_{side}": np.abs(outer * 2e-3 + irregularity(rng, n, sd=0.1e-3, wavelength=50)),
            f"wear_45_{side}": np.abs(0.5e-3 + outer * 1.2e-3 + irregularity(rng, n, sd=0.1e-3, wavelength=50)),
        }
    t = np.arange(n)
    speed = np.minimum(20.0, np.sqrt(1 + 0.9 * STEP * np.minimum(t, n - 1 - t)))
    columns["speed"] = speed.copy()
    quality = np.zeros(n, dtype=np.uint8)
    _blind(columns, quality, slice(round(0.62 * n), round(0.62 * n) + 24), Quality.BRIDGED)
    _blind(columns, quality, slice(round(0.35 * n), round(0.35 * n) + 200), Quality.MISSING)
    values = np.column_stack([columns[name] for name in LAYOUT.names])
    index = np.arange(n) + round(shift / STEP)
    t_ns = np.cumsum(STEP / speed * 1e9).astype(np.int64)
    return GridBlock("geometry", form, STEP, index, t_ns, LAYOUT, values, quality)


def _blind(columns: dict[str, Array], quality: Array, where: slice, flag: Quality) -> None:
    quality[where] |= int(flag)
    if flag is Quality.MISSING:
        for values in columns.values():
            values[where] = np.nan


def geometry_results(length: float, *, seed: int = 1, later: bool = True, shift: float = 0.0) -> list[Result]:
    """Everything a run with cameras writes."""
    navigation = grid(length, Form.SMOOTHED, Direction.INCREASING, seed)
    rails = rails_block(length, seed=seed, later=later, shift=shift)
    seconds = int(rails.t_ns[-1] // 1_000_000_000)
    events = [
        OperatorEvent(1, "place", "Overbridge 17", s=0.48 * length),
        OperatorEvent(2, "place", "Points 4", s=0.2 * length),
    ]
    return [navigation, rails, *health(min(600, seconds)), *events]


@lru_cache(maxsize=4)
def geometry_run(
    length: float = 3000.0, *, seed: int = 1, later: bool = True, shift: float = 0.0, name: str = LABEL.name
) -> RunData:
    """The run as a report gets it."""
    label = RunLabel(name=name, vehicle=LABEL.vehicle, date=LABEL.date, notes=LABEL.notes)
    return RunData.build(
        geometry_results(length, seed=seed, later=later, shift=shift),
        label=label,
        places=PLACES,
        direction=Direction.INCREASING,
        design=design(length),
    )


def made_config(length: float, name: str) -> RunConfig:
    """The configuration such a run was made with."""
    track = TrackConfig(horizontal=tuple(elements_of(length)))
    update = {"run": RunIdentity(name=name), "places": PLACES, "track": track}
    return example_config().model_copy(update=update)


def written_run(
    path: Path, length: float, *, seed: int = 1, later: bool = True, shift: float = 0.0, noise: float = SD_CAMERA
) -> RunDirectory:
    """The run on the disk: causal results as it ran, smoothed ones after it; no recording."""
    run, config = RunDirectory(path), made_config(length, path.name)
    metadata = result_metadata(config)
    with ResultWriter(run.results, metadata) as writer:
        for form in (Form.CAUSAL, Form.LAGGED):
            for block in cut(grid(length, form, Direction.INCREASING, seed), 1000):
                writer.write(block)
        for block in cut(rails_block(length, seed=seed, later=later, shift=shift, form=Form.CAUSAL), 1000):
            writer.write(block)
        for record in health(60):
            writer.write(record)
    with ResultWriter(run.smoothed, metadata) as writer:
        rails = rails_block(length, seed=seed, later=later, shift=shift, noise=noise)
        for whole in (grid(length, Form.SMOOTHED, Direction.INCREASING, seed), rails):
            for block in cut(whole, 1000):
                writer.write(block)
    return run
