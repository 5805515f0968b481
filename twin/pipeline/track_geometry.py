"""Track geometry beside the navigation: points of cameras in, rails on the grid out, for some forms of the estimate."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from twin.core.blocks import RawBlock
from twin.core.estimate import Estimate, Form, Health, Result
from twin.core.places import Direction
from twin.core.settings import Settings
from twin.core.track import DesignTrack
from twin.core.vehicle import Mounting
from twin.geometry.fusion import CameraPlace, FusionConfig, PlacerSetup, RailPlacer
from twin.geometry.heads import Finder, HeadConfig, HeadFinder, HeadsFound, ImageHeadFinder, RailImage
from twin.geometry.laser.plane import LaserPlaneCalibration


class GeometryConfig(Settings):
    """Track geometry from cameras or scanners over the rails."""

    prefer: Literal["cameras", "scanners"] = Field(
        "cameras", description="what the rails are measured with where both are fitted; the other is only recorded"
    )
    heads: HeadConfig = Field(HeadConfig(), description="rail heads in the points of a cross-section")
    fusion: FusionConfig = Field(FusionConfig(), description="heads and navigation together")


@dataclass(frozen=True, slots=True)
class RailSource:
    """A camera over one rail, or a scanner of one rail or both."""

    place: CameraPlace
    rail: int | None = None
    """0 the left one, 1 the right one in running direction; None where its samples say it."""
    plane: LaserPlaneCalibration | None = None
    """Of a camera; None for a scanner."""

    def finder(self, config: HeadConfig) -> Finder:
        """What finds its heads."""
        if self.plane is None or self.rail is None:
            return HeadFinder(config)
        return ImageHeadFinder(config, self.plane, rail=self.rail)


@dataclass(frozen=True, slots=True)
class GeometrySetup:
    """What track geometry is told before the first sample."""

    config: GeometryConfig
    design: DesignTrack
    """In running direction."""
    direction: Direction
    imu: Mounting
    sources: Mapping[str, RailSource]
    """By name: one or two. Two that do not say their rail stand in the order left, right."""

    def finders(self) -> dict[str, Finder]:
        """One for each source."""
        return {name: source.finder(self.config.heads) for name, source in self.sources.items()}

    def placer(self, form: Form) -> RailPlacer:
        """The fusion of one form. A rail that no source is known to see has the place of the one there is."""
        given = list(self.sources.values())
        sides = [given[0].place, given[-1].place]
        for source in given:
            if source.rail is not None:
                sides[source.rail] = source.place
        left, right = sides
        return RailPlacer(
            PlacerSetup(self.config.fusion, form, self.design, self.direction, self.imu, cameras=(left, right))
        )


class TrackGeometry:
    """Finds heads once, and places them with every form."""

    def __init__(self, setup: GeometrySetup, forms: Iterable[Form]) -> None:
        self._finders = setup.finders()
        self._counts = {source: Counter[str]() for source in self._finders}
        self._placers = {form: setup.placer(form) for form in forms}
        self._t_ns = 0

    def sees(self, source: str) -> bool:
        """Whether blocks of a source are meant for it."""
        return source in self._finders

    def process(self, item: RawBlock | RailImage | HeadsFound | Estimate) -> Sequence[Result]:
        """Take points of a scanner, an image, heads found in them, or navigation; give the rails that are complete."""
        results: list[Result] = []
        if not isinstance(item, Estimate):
            found = item if isinstance(item, HeadsFound) else self._finders[item.source].process(item)
            self._t_ns = max(self._t_ns, found.t_ns)
            self._counts[found.source].update(found.counts)
            for seen in found.heads:
                for placer in self._placers.values():
                    results += placer.see(seen)
        elif item.form in self._placers:
            results += self._placers[item.form].follow(item)
        return results

    def flush(self) -> Sequence[Result]:
        """The rails still held, and what became of the cross-sections of every source."""
        results: list[Result] = [block for placer in self._placers.values() for block in placer.flush()]
        return results + [
            Health(self._t_ns, f"{source} heads", dict(counts), {}) for source, counts in self._counts.items()
        ]
