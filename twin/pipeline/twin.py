"""The twin: from decoded samples to results, the same live and replayed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from twin.core.blocks import Epoch, RawBlock
from twin.core.errors import ConfigError
from twin.core.estimate import Estimate, Form, Fusion, Result
from twin.core.places import Direction
from twin.core.stage import Latency
from twin.geometry.heads import HeadsFound, RailImage
from twin.navigation.chain import Setup
from twin.navigation.stage import Navigation
from twin.pipeline.grid import Gridder
from twin.pipeline.health import HealthMonitor
from twin.pipeline.synchroniser import Synchroniser, SynchroniserConfig
from twin.pipeline.track_geometry import GeometrySetup, TrackGeometry

Seen = RawBlock | RailImage | HeadsFound
"""What a twin is fed with."""


@dataclass(frozen=True, slots=True)
class TwinSetup:
    """What a twin is told before the first sample."""

    navigation: Setup
    """Its design in running direction."""
    synchroniser: SynchroniserConfig
    rates: Mapping[str, float]
    """Nominal sampling rate [Hz] of every source that an epoch waits for, by name."""
    direction: Direction
    """Running direction against the kilometres."""
    grid_step: float = 0.25
    """Of the results [m]."""
    geometry: GeometrySetup | None = None
    """None where no camera sees the rails."""

    def __post_init__(self) -> None:
        config = self.navigation.config
        for key, name in (("imu", config.imu), ("encoder", config.encoder)):
            if name not in self.rates:
                known = ", ".join(self.rates) or "none"
                raise ConfigError(f"navigation.{key} = '{name}' is not among the devices waited for: {known}")

    @property
    def imu_rate(self) -> float:
        """[Hz]"""
        return self.rates[self.navigation.config.imu]

    def track_geometry(self, *forms: Form) -> TrackGeometry | None:
        """Track geometry of some forms, where rails are seen."""
        return None if self.geometry is None else TrackGeometry(self.geometry, forms)

    def gridder(self, form: Form) -> Gridder:
        """A grid of the line for one form of the estimates."""
        return Gridder(self.navigation.design, direction=self.direction, form=form, step=self.grid_step)


class Twin:
    """RawBlocks and images in; what the report needs out: causal and lagged values on the grid, and health."""

    def __init__(self, setup: TwinSetup) -> None:
        self._synchroniser = Synchroniser(setup.synchroniser, setup.rates)
        self._navigation = Navigation(setup.navigation, epoch=setup.synchroniser.epoch, rate=setup.imu_rate)
        self._grids = {form: setup.gridder(form) for form in (Form.CAUSAL, Form.LAGGED)}
        self._geometry = setup.track_geometry(*self._grids)
        self._health = HealthMonitor(setup.rates)

    @property
    def latency(self) -> Latency:
        """Of the lagged grid, the last result to depend on a sample; the causal one waits for its epoch alone."""
        way = (self._synchroniser.latency, self._navigation.latency, self._grids[Form.LAGGED].latency)
        return Latency(seconds=sum(part.seconds for part in way), metres=sum(part.metres for part in way))

    def process(self, item: Seen) -> Sequence[Result]:
        """Take the samples of one device, an image, or heads found in either; give the results they complete."""
        if self._geometry is not None and self._geometry.sees(item.source):
            return self._geometry.process(item)
        return self._follow(self._synchroniser.process(item)) if isinstance(item, RawBlock) else ()

    def flush(self) -> Sequence[Result]:
        """Everything still held: the run has ended."""
        results = self._follow(self._synchroniser.flush())
        results += self._place(self._navigation.flush())
        for grid in self._grids.values():
            results += grid.flush()
        if self._geometry is not None:
            results += self._geometry.flush()
        return [*results, *self._health.flush()]

    def _follow(self, epochs: Iterable[Epoch]) -> list[Result]:
        results: list[Result] = []
        for epoch in epochs:
            results += self._health.process(epoch)
            found = self._navigation.process(epoch)
            results += self._place(found)
            for fusion in found:
                if isinstance(fusion, Fusion):
                    results += self._health.process(fusion)
        return results

    def _place(self, found: Sequence[Estimate | Fusion]) -> list[Result]:
        """Estimates on the grid of their form; at full rate they would be a hundred times the data."""
        results: list[Result] = []
        for estimate in found:
            if isinstance(estimate, Estimate) and estimate.form in self._grids:
                results += self._grids[estimate.form].process(estimate)
                results += () if self._geometry is None else self._geometry.process(estimate)
        return results
