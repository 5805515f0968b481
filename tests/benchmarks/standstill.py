"""Hours at rest, then departure: variances keep their floor, and every measurement agrees again soon."""

from dataclasses import dataclass, field

import numpy as np

from tests.benchmarks.figure import Figure, figure
from tests.benchmarks.navigated import config_of, epochs, setup_of
from twin.core.arrays import Array
from twin.core.estimate import Fusion
from twin.navigation.stage import CausalNavigation, MotionStage
from twin.simulation import ImuGrade, constant, curve_scenario, standstill, stream

EARLY = 600.0
"""By then every variance has reached what a rest can give [s]."""
UNDER_WAY = 40.0
"""Of the run after departure [s]."""
WINDOW = 5.0
"""Over which NIS is averaged [s]."""
NIS_BAND = (0.5, 2.0)
"""Of such a mean; a row of 20 measurements per second scatters by 0.14."""
BACK_TARGET = 10.0
"""[s]"""


@dataclass
class Watched:
    """What is remembered of a long rest and of the minutes after it."""

    departure: float
    """[s]"""
    early: Array = field(default_factory=lambda: np.zeros(0))
    """Variances at EARLY: of the published states and of the position filter."""
    late: Array = field(default_factory=lambda: np.zeros(0))
    """The same at departure."""
    rows: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    """Time since departure [s] and NIS of every measurement by row."""

    def add(self, t: float, variances: Array, fusions: list[Fusion]) -> None:
        """Take an epoch that ends at t [s]."""
        if t <= EARLY:
            self.early = variances
        if t <= self.departure:
            self.late = variances
            return
        for row in fusions:
            if not row.virtual:
                times = row.t_ns * 1e-9 - self.departure
                self.rows.setdefault(row.name, []).extend(zip(times.tolist(), row.nis.tolist(), strict=True))

    def nis_back(self) -> float:
        """Time after departure from which on the mean over a window of every row is in its band [s]."""
        last = 0.0
        for row in self.rows.values():
            t, nis = np.array(row).T
            for end in np.arange(WINDOW, UNDER_WAY):
                window = nis[(t > end - WINDOW) & (t <= end)]
                if window.size and not NIS_BAND[0] <= window.mean() <= NIS_BAND[1]:
                    last = max(last, float(end) + 1.0)
        return last


def rest_and_depart(hours: float, *, seed: int = 201) -> Watched:
    """Navigate a rest and the departure after it, stretch by stretch; memory does not grow with the rest."""
    scenario = curve_scenario(seed=seed).model_copy(update={"motion": constant(speed=20.0, length=600.0)})
    scenario = standstill(scenario, 3600 * hours)
    setup = setup_of(scenario, config_of(ImuGrade.TACTICAL))
    motion, causal = MotionStage(setup), CausalNavigation(setup)
    watched = Watched(departure=3600 * hours)
    for k, stretch in enumerate(stream(scenario)):
        for epoch in epochs(stretch.streams, first=50 * k):
            found = motion.process(epoch)
            if found is None:
                continue
            imu, moved, step, rows = found
            estimate, more = causal.process(imu, moved, step)
            published = estimate.var[-1, [i for i, n in enumerate(estimate.layout.names) if n != "curvature"]]
            watched.add(epoch.t1_ns * 1e-9, np.concatenate((published, np.diag(step.P))), [*rows, *more])
    return watched


def figures(hours: float = 1.0) -> list[Figure]:
    """Least and greatest change of a variance from EARLY to departure, and the time NIS needs to be back."""
    watched = rest_and_depart(hours)
    change = watched.late / watched.early
    suffix = f"_{hours:g}h"
    return [
        figure(f"standstill_variance_floor{suffix}", change.min(), "ratio"),
        figure(f"standstill_variance_growth{suffix}", change.max(), "ratio"),
        figure(f"standstill_nis_back_s{suffix}", watched.nis_back(), "s"),
    ]
