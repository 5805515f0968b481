"""Another run over the same line, laid over a judged one by the waves of its rails."""

from dataclasses import dataclass

from twin.geometry.matching import CHANNELS, MatchConfig, OffsetCurve, match_runs, resampled
from twin.geometry.quantities.quantity import TrackGeometry
from twin.report.config import TrackReportConfig
from twin.report.data import RunData
from twin.report.judged import Judged
from twin.report.rails import quantities_of, rail_run


@dataclass(frozen=True, slots=True)
class LaidOver:
    """Another run on the grid of a judged one."""

    name: str
    date: str
    geometry: TrackGeometry
    """The quantities the judged run has; NaN where the runs do not match."""
    curve: OffsetCurve


def lay_over(
    judged: Judged, other: RunData, data: RunData, config: TrackReportConfig, matching: MatchConfig | None = None
) -> LaidOver | None:
    """Another run on the grid of a judged one, whose data are given; None where it saw no rails."""
    rails = rail_run(other, long_wave=config.long_wave)
    if rails is None:
        return None
    own = quantities_of(rails.trace, other, config, names=CHANNELS)
    curve = match_runs(judged.geometry, own, matching or MatchConfig())
    trace = resampled(rails.trace, curve, onto=judged.rails.trace)
    geometry = quantities_of(trace, data, config, names={quantity.name for quantity in judged.geometry})
    return LaidOver(other.label.name, other.label.date, geometry, curve)
