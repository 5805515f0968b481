"""Another run over the same line, laid over one by the waves of its rails."""

from collections.abc import Container
from dataclasses import dataclass

from twin.core.places import Places
from twin.geometry.matching import CHANNELS, MatchConfig, OffsetCurve, match_runs, resampled
from twin.geometry.quantities.quantity import Quantity, TrackGeometry
from twin.geometry.rails import RailTrace
from twin.report.config import TrackReportConfig
from twin.report.data import RunData
from twin.report.rails import quantities_of, rail_run


@dataclass(frozen=True, slots=True)
class LaidOver:
    """Another run on the grid of the one it is laid over; its quantities are computed as they are asked for."""

    name: str
    date: str
    trace: RailTrace
    """NaN where the runs do not match."""
    curve: OffsetCurve
    places: Places
    cant_base: float
    """[m]"""
    config: TrackReportConfig

    def geometry(self, names: Container[str]) -> TrackGeometry:
        """Some quantities by their names."""
        return quantities_of(self.trace, self.config, places=self.places, cant_base=self.cant_base, names=names)

    def __getitem__(self, name: str) -> Quantity:
        """One quantity by its name in words."""
        return self.geometry((name,))[name]


def lay_over(
    data: RunData, other: RunData, config: TrackReportConfig, matching: MatchConfig | None = None
) -> LaidOver | None:
    """Another run on the grid of a run; None where one of them saw no rails."""
    own, second = (rail_run(run, long_wave=config.long_wave) for run in (data, other))
    if own is None or second is None:
        return None
    base = data.cant_base
    waves = quantities_of(own.trace, config, places=data.places, cant_base=base, names=CHANNELS)
    others = quantities_of(second.trace, config, places=other.places, cant_base=base, names=CHANNELS)
    curve = match_runs(waves, others, matching or MatchConfig())
    trace = resampled(second.trace, curve, onto=own.trace)
    return LaidOver(other.label.name, other.label.date, trace, curve, data.places, base, config)
