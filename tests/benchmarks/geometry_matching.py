"""Two runs laid over each other: how well the offset of the second is found, place by place.

The offset is that of a real pair of runs: 5 to 6 m, drifting by half a metre in two kilometres. Every coordinate of
both runs has errors of its own: white ones of the images and slow ones of the navigation. In figures named changed the
second run comes after the track has changed: a part of its irregularities is new.
"""

from collections.abc import Sequence

import numpy as np

from tests.benchmarks.figure import Figure
from tests.benchmarks.vehicle_figure import named
from twin.core.arrays import Array
from twin.core.places import Places
from twin.geometry.matching import MatchConfig, OffsetCurve, match_runs
from twin.geometry.quantities.config import QuantityConfig
from twin.geometry.quantities.geometry import track_geometry
from twin.geometry.quantities.quantity import TrackGeometry
from twin.geometry.rails import STEP, RailFlag, RailTrace
from twin.simulation.irregularity import Irregularity, IrregularityConfig, realise

SEEDS = (501, 502, 503, 504, 505)
LENGTH = 10_000.0
ENDS = 60.0
"""Left out at both ends [m]: a window there is half empty."""
SD_IMAGE, SD_PATH = 0.1e-3, 0.6e-3
"""White and slow errors of every coordinate [m]; the slow ones are those of waves about 100 m long."""
PATH_LENGTH = 30.0
"""Length over which slow errors are smoothed [m]."""
CHANGED = 0.3
"""Share of the rails' deviations that is new in the second run, where the track has changed."""
NAMES = ("y_left", "z_left", "y_right", "z_right")


def figures(seeds: Sequence[int] = SEEDS) -> list[Figure]:
    """95 % and largest error of the offset, the worst of the seeds, on the same and on changed rails."""
    found = []
    for name, changed in (("", 0.0), ("changed_", CHANGED)):
        errors, shares, ratios = [], [], []
        for seed in seeds:
            curve = _laid_over(seed, changed)
            inner = (curve.s > ENDS) & (curve.s < LENGTH - ENDS)
            off = (curve.offset - true_offset(curve.s))[inner]
            errors.append((np.quantile(np.abs(off), 0.95), np.abs(off).max()))
            shares.append(np.mean(curve.matched[inner]))
            ratios.append(np.mean(np.abs(off) <= 1.96 * curve.sd[inner]))
        p95, most = np.max(errors, axis=0)
        found += [
            named(f"geometry.matching_{name}offset_95_m", p95, "m"),
            named(f"geometry.matching_{name}offset_max_m", most, "m"),
            named(f"geometry.matching_{name}matched", 100 * min(shares), "%"),
            named(f"geometry.matching_{name}within_95", 100 * float(np.mean(ratios)), "%"),
        ]
    return found


def true_offset(s: Array) -> Array:
    """5 to 6 m, drifting by half a metre in two kilometres and back."""
    return np.asarray(5.5 + 0.25 * np.sin(np.pi * s / 2000))


def _laid_over(seed: int, changed: float) -> OffsetCurve:
    rails, later = (realise(IrregularityConfig(seed=s), s0=0.0, length=LENGTH + 50.0) for s in (seed, seed + 1000))
    s = STEP * np.arange(round(LENGTH / STEP))
    place = s.copy()  # true places of what the second run calls s: it calls them place + offset(place)
    for _ in range(20):
        place = s - true_offset(place)
    keep = np.sqrt(1 - changed**2)
    second = {name: keep * getattr(rails, name) + changed * getattr(later, name) for name in NAMES}
    first = {name: getattr(rails, name) for name in NAMES}
    return match_runs(
        _measured(rails, first, s + 20.0, seed), _measured(rails, second, place + 20.0, seed + 1), MatchConfig()
    )


def _measured(rails: Irregularity, columns: dict[str, Array], at: Array, seed: int) -> TrackGeometry:
    """A run whose points lie at arc lengths (n,) [m], with errors."""
    rng = np.random.default_rng(seed)
    n = at.size
    seen = {
        name: np.interp(at, rails.s, values) + SD_IMAGE * rng.standard_normal(n) + _slow(n, rng)
        for name, values in columns.items()
    }
    flags = np.full(n, RailFlag.MEASURED, dtype=np.uint8)
    trace = RailTrace(s=STEP * np.arange(n), flags=flags, speed=np.full(n, 20.0), **seen)
    return track_geometry(trace, QuantityConfig(chords=()), places=Places())


def _slow(n: int, rng: np.random.Generator) -> Array:
    """(n,) errors of a path [m]."""
    reach = round(3 * PATH_LENGTH / STEP)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * STEP / PATH_LENGTH) ** 2)
    values = np.convolve(rng.standard_normal(n + 2 * reach), kernel, mode="valid")
    return np.asarray(SD_PATH * values / np.sqrt(np.sum(kernel**2)))
