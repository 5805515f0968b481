"""Once per second of data time: what every source delivered, and how well every measurement agreed."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from twin.core.arrays import Array
from twin.core.blocks import Epoch, SampleBlock
from twin.core.estimate import Fusion, Health
from twin.core.quality import Quality
from twin.core.stage import Latency

SECOND = 1_000_000_000
"""[ns]"""
OUTSIDE = 3.84
"""95 % of a chi-square with one degree of freedom lie below."""
COUNTED = (
    "samples",
    "missing",
    "late",
    "duplicate",
    "reordered",
    "overlapping",
    "future",
    "unsynchronised",
    "flooding",
)
"""Counts of a source that its arrival explains; present in every record."""
FLAGGED = {"saturated": Quality.SATURATED, "implausible": Quality.IMPLAUSIBLE, "stuck": Quality.STUCK}
"""Counts of a source by the flags of its samples."""


class HealthMonitor:
    """Sums up epochs and the measurements fused in each; a record leaves when an epoch begins another second."""

    def __init__(self, rates: Mapping[str, float]) -> None:
        """rates: nominal sampling rate [Hz] of every source, by name: one that was never heard is missing too."""
        self._rates = dict(rates)
        self._second: int | None = None
        self._t_ns = 0
        self._covered_ns = 0
        self._counts: dict[str, Counter[str]] = {}
        self._clock_sd: dict[str, float] = {}
        self._fusions: dict[str, list[Fusion]] = {}

    @property
    def latency(self) -> Latency:
        """A record waits for the end of its second."""
        return Latency(seconds=1.0)

    def process(self, item: Epoch | Fusion) -> Sequence[Health]:
        """Take an epoch, or a measurement fused in the epoch before; give the records of a second that ended."""
        if isinstance(item, Fusion):
            if not item.virtual:
                self._fusions.setdefault(item.name, []).append(item)
            return ()
        second = item.t0_ns // SECOND
        records = self.flush() if self._second is not None and second != self._second else ()
        self._second = second
        self._t_ns = item.t1_ns
        self._covered_ns += item.t1_ns - item.t0_ns
        for source, rate in self._rates.items():
            self._add(source, rate, item)
        return records

    def flush(self) -> Sequence[Health]:
        """The records of what was taken since the last ones."""
        if self._second is None:
            return ()
        records = [*map(self._of_source, self._rates), *self._of_estimators()]
        self._second, self._covered_ns = None, 0
        self._counts, self._clock_sd, self._fusions = {}, {}, {}
        return records

    def _add(self, source: str, rate: float, epoch: Epoch) -> None:
        counts = self._counts.setdefault(source, Counter())
        block = epoch.samples.get(source)
        if block is None:
            counts["missing"] += round(rate * (epoch.t1_ns - epoch.t0_ns) / SECOND)
        else:
            counts.update(_flag_counts(block))
        counts.update({name: n for name, n in epoch.counts.get(source, {}).items() if name != "missing"})
        if source in epoch.clock_sd:
            self._clock_sd[source] = max(self._clock_sd.get(source, 0.0), epoch.clock_sd[source])

    def _of_source(self, source: str) -> Health:
        counts = self._counts[source]
        measures = {"rate_hz": counts["samples"] * SECOND / self._covered_ns}
        if source in self._clock_sd:
            measures["clock_sd_us"] = self._clock_sd[source] * 1e6
        return Health(self._t_ns, source, {name: counts[name] for name in (*COUNTED, *FLAGGED)}, measures)

    def _of_estimators(self) -> list[Health]:
        """One record per estimator, the part of a measurement's name before its first dot."""
        counts: dict[str, dict[str, int]] = {}
        measures: dict[str, dict[str, float]] = {}
        for name, parts in sorted(self._fusions.items()):
            estimator, _, row = name.partition(".")
            row = row.replace(".", "_")
            nis, rejected = _judged(parts)
            own = counts.setdefault(estimator, {})
            own[f"fused_{row}"], own[f"rejected_{row}"] = nis.size, rejected
            shown = measures.setdefault(estimator, {})
            if nis.size:
                shown[f"nis_{row}"] = float(nis.mean())
                shown[f"outside_{row}"] = float(np.mean(nis > OUTSIDE))
        return [Health(self._t_ns, name, counts[name], measures[name]) for name in counts]


def _flag_counts(block: SampleBlock) -> dict[str, int]:
    missing = int(np.count_nonzero(block.quality & np.uint8(Quality.MISSING)))
    counts = {name: int(np.count_nonzero(block.quality & np.uint8(flag))) for name, flag in FLAGGED.items()}
    return {"samples": len(block) - missing, "missing": missing, **counts}


def _judged(parts: Sequence[Fusion]) -> tuple[Array, int]:
    """Normalised innovations squared of what was accepted, and how many measurements were rejected.

    Parts are joined before anything is summed, so that sums do not depend on how they were cut.
    """
    innovation = np.concatenate([part.innovation for part in parts])
    variance = np.concatenate([part.variance for part in parts])
    accepted = np.concatenate([part.accepted for part in parts])
    made = np.isfinite(innovation) & (variance > 0)  # not where a sensor was silent or a row was left out
    used = made & accepted
    return innovation[used] ** 2 / variance[used], int(np.count_nonzero(made & ~accepted))
