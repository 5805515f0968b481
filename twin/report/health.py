"""Verdicts on sensors and measurements, from the health records of a run.

A record of a source counts `samples` and `missing`; every other count is a fault. Its measures are `rate_hz` and
`clock_sd_us`. A record of an estimator gives, for each measurement it fuses and that is not virtual,
`nis_<measurement>` (mean over the interval) and `outside_<measurement>` (share outside the 95 % bounds, 0 to 1),
weighted by the count `fused_<measurement>` where that is given, and counts `rejected_<measurement>`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from twin.core.arrays import Array
from twin.core.estimate import Health
from twin.report.config import ReportConfig

NIS, OUTSIDE, FUSED, REJECTED = "nis_", "outside_", "fused_", "rejected_"


class Verdict(IntEnum):
    """Ordered: the worst of several is their maximum."""

    OK = 0
    WARN = 1
    BAD = 2

    @property
    def word(self) -> str:
        """In lower case, for tables and style sheets."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """One sensor or estimator over the whole run."""

    source: str
    verdict: Verdict
    reasons: tuple[str, ...]
    """Why the verdict is not OK."""
    rate_hz: float
    """Median; NaN where not stated."""
    missing: float
    """Share of the samples due that did not arrive, 0 to 1; NaN where not counted."""
    clock_sd_us: float
    """95 % of the records lie below; NaN where not stated."""
    faults: Mapping[str, int]
    """Counts that are not zero."""
    rate_trace: Array
    """(records,) rate over time [Hz]"""


@dataclass(frozen=True, slots=True)
class MeasurementHealth:
    """One fused measurement over the whole run."""

    name: str
    verdict: Verdict
    reasons: tuple[str, ...]
    nis: float
    """Mean; 1 when all is well."""
    outside: float
    """Share of innovations outside their 95 % bounds; 0.05 when all is well, NaN where not stated."""
    nis_trace: Array
    """(records,) mean over each record"""


def judge_sources(health: Iterable[Health], config: ReportConfig) -> list[SourceHealth]:
    """One verdict per source, by name."""
    by_source = _by_source(record for record in health if _describes_source(record))
    return [_judge_source(source, records, config) for source, records in sorted(by_source.items())]


def judge_measurements(health: Iterable[Health], config: ReportConfig) -> list[MeasurementHealth]:
    """One verdict per measurement and estimator, by name."""
    judged = []
    for source, records in sorted(_by_source(health).items()):
        rows = {name.removeprefix(NIS) for record in records for name in record.measures if name.startswith(NIS)}
        judged += [_judge_measurement(source, row, records, config) for row in sorted(rows)]
    return judged


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of some verdicts, OK of none."""
    return max(verdicts, default=Verdict.OK)


def _by_source(health: Iterable[Health]) -> dict[str, list[Health]]:
    by_source: dict[str, list[Health]] = {}
    for record in health:
        by_source.setdefault(record.source, []).append(record)
    return by_source


def _describes_source(record: Health) -> bool:
    """Whether there is more in it than the statistics of measurements."""
    return any(not name.startswith((FUSED, REJECTED)) for name in record.counts) or "rate_hz" in record.measures


def _judge_source(source: str, records: Sequence[Health], config: ReportConfig) -> SourceHealth:
    counts = _totals(records)
    samples, missing = counts.pop("samples", 0), counts.pop("missing", 0)
    due = samples + missing
    share = missing / due if due else float("nan")
    faults = {name: count for name, count in sorted(counts.items()) if count}
    fault_share = sum(faults.values()) / max(samples, 1)
    clock = _finite(records, "clock_sd_us")
    clock_sd = float(np.quantile(clock, 0.95)) if clock.size else float("nan")
    rate = _finite(records, "rate_hz")
    findings = [
        (_above(share, config.missing_warn, config.missing_bad), f"{100 * share:.2g} % missing"),
        (_above(fault_share, config.faults_warn, config.faults_bad), f"{100 * fault_share:.2g} % faulty"),
        (
            _above(clock_sd, config.clock_sd_warn_us, config.clock_sd_bad_us),
            f"clock known to {clock_sd:,.0f} µs only",
        ),
        (Verdict.BAD if due and not samples else Verdict.OK, "no samples"),
    ]
    return SourceHealth(
        source=source,
        verdict=worst(verdict for verdict, _ in findings),
        reasons=tuple(reason for verdict, reason in findings if verdict),
        rate_hz=float(np.median(rate)) if rate.size else float("nan"),
        missing=share,
        clock_sd_us=clock_sd,
        faults=faults,
        rate_trace=rate,
    )


def _judge_measurement(source: str, row: str, records: Sequence[Health], config: ReportConfig) -> MeasurementHealth:
    weight = np.array([float(record.counts.get(FUSED + row, 1)) for record in records])
    trace = np.array([record.measures.get(NIS + row, np.nan) for record in records])
    nis = _weighted(trace, weight)
    outside = _weighted(np.array([record.measures.get(OUTSIDE + row, np.nan) for record in records]), weight)
    findings = [
        (_off_balance(nis, config), f"mean NIS {nis:.2f}"),
        (
            Verdict.WARN if outside < config.outside_low or outside > config.outside_high else Verdict.OK,
            f"{100 * outside:.1f} % outside",
        ),
    ]
    return MeasurementHealth(
        name=f"{source} · {row}",
        verdict=worst(verdict for verdict, _ in findings),
        reasons=tuple(reason for verdict, reason in findings if verdict),
        nis=nis,
        outside=outside,
        nis_trace=trace[np.isfinite(trace)],
    )


def _totals(records: Sequence[Health]) -> dict[str, int]:
    totals: dict[str, int] = {}
    for record in records:
        for name, count in record.counts.items():
            if not name.startswith(FUSED):
                totals[name] = totals.get(name, 0) + count
    return totals


def _finite(records: Sequence[Health], measure: str) -> Array:
    values = np.array([record.measures.get(measure, np.nan) for record in records])
    return np.asarray(values[np.isfinite(values)], dtype=np.float64)


def _weighted(values: Array, weight: Array) -> float:
    known = np.isfinite(values) & (weight > 0)
    if not known.any():
        return float("nan")
    return float(np.average(values[known], weights=weight[known]))


def _above(value: float, warn: float, bad: float) -> Verdict:
    """NaN is not above anything: what was not stated is not judged."""
    if value > bad:
        return Verdict.BAD
    return Verdict.WARN if value > warn else Verdict.OK


def _off_balance(nis: float, config: ReportConfig) -> Verdict:
    if nis > config.nis_bad or nis < 1 / config.nis_bad:
        return Verdict.BAD
    return Verdict.WARN if nis < config.nis_low or nis > config.nis_high else Verdict.OK
