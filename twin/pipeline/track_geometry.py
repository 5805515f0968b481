"""Track geometry beside the navigation: points of cameras in, rails on the grid out, for some forms of the estimate."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import Field

from twin.core.blocks import RawBlock
from twin.core.estimate import Estimate, Form, Health, Result
from twin.core.places import Direction
from twin.core.settings import Settings
from twin.core.track import DesignTrack
from twin.core.vehicle import Mounting
from twin.geometry.fusion import CameraPlace, FusionConfig, PlacerSetup, RailPlacer
from twin.geometry.heads import HeadConfig, HeadFinder


class GeometryConfig(Settings):
    """Track geometry from cameras or scanners over the rails."""

    heads: HeadConfig = Field(HeadConfig(), description="rail heads in the points of a cross-section")
    fusion: FusionConfig = Field(FusionConfig(), description="heads and navigation together")


@dataclass(frozen=True, slots=True)
class GeometrySetup:
    """What track geometry is told before the first sample."""

    config: GeometryConfig
    design: DesignTrack
    """In running direction."""
    direction: Direction
    imu: Mounting
    cameras: Mapping[str, CameraPlace]
    """By source, left rail first."""

    def placer(self, form: Form) -> RailPlacer:
        """The fusion of one form."""
        left, right = (*self.cameras.values(), *self.cameras.values())[:2]
        return RailPlacer(
            PlacerSetup(self.config.fusion, form, self.design, self.direction, self.imu, cameras=(left, right))
        )


class TrackGeometry:
    """Finds heads once, and places them with every form."""

    def __init__(self, setup: GeometrySetup, forms: Iterable[Form]) -> None:
        self._finders = {source: HeadFinder(setup.config.heads) for source in setup.cameras}
        self._placers = {form: setup.placer(form) for form in forms}
        self._t_ns = 0

    def sees(self, source: str) -> bool:
        """Whether blocks of a source are meant for it."""
        return source in self._finders

    def process(self, item: RawBlock | Estimate) -> Sequence[Result]:
        """Take points of a camera, or navigation; give the rails that both complete."""
        results: list[Result] = []
        if isinstance(item, RawBlock):
            self._t_ns = max(self._t_ns, item.t_host_ns)
            for seen in self._finders[item.source].process(item):
                for placer in self._placers.values():
                    results += placer.see(seen)
        elif item.form in self._placers:
            results += self._placers[item.form].follow(item)
        return results

    def flush(self) -> Sequence[Result]:
        """The rails still held, and what became of the cross-sections of every source."""
        results: list[Result] = [block for placer in self._placers.values() for block in placer.flush()]
        return results + [
            Health(self._t_ns, f"{source} heads", dict(finder.counts), {}) for source, finder in self._finders.items()
        ]
