"""Cross-sections and images in, heads of rails out: one finder for each source."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from pydantic import Field

from twin.core.arrays import Array, IntArray
from twin.core.blocks import RawBlock
from twin.core.quality import UNUSABLE
from twin.core.settings import Settings
from twin.geometry.fusion import SeenRail
from twin.geometry.laser.line import Centres, ExtractionSettings
from twin.geometry.laser.plane import LaserPlaneCalibration
from twin.geometry.laser.registration import HeadFix, RegistrationSettings
from twin.geometry.laser.ridges import Image
from twin.geometry.laser.sight import CameraSight, ScannerSight
from twin.geometry.laser.strip import Strip
from twin.geometry.laser.verdict import PLACE_FAULTS, Verdict

RAILS = 2


@dataclass(frozen=True, slots=True)
class RailImage:
    """An image of one rail on its way in."""

    source: str
    """Name of the camera in the configuration."""
    t_ns: int
    """When it was taken, common time [ns]."""
    start_ns: int
    """When its camera was started [ns]: with another start the rail is looked for afresh."""
    seen: Image | Strip | Centres | None
    """None where the record of the image is damaged."""


@dataclass(frozen=True, slots=True)
class HeadsFound:
    """The heads in what a source gave at once."""

    source: str
    t_ns: int
    """Host time [ns]."""
    heads: tuple[SeenRail, ...]
    counts: Mapping[str, int]
    """Cross-sections or images, and what was wrong with those that cannot be used."""


class Finder(Protocol):
    """Finds the heads of one source, in the order of what it gives."""

    def process(self, item: RawBlock | RailImage) -> HeadsFound:
        """The heads in cross-sections or in an image."""
        ...


class HeadConfig(Settings):
    """How heads are found in the points of a cross-section."""

    extraction: ExtractionSettings = Field(ExtractionSettings(), description="the laser's line in an image")
    registration: RegistrationSettings = Field(RegistrationSettings(), description="the fit of a head to points")
    sd_depth: float = Field(
        40e-6, gt=0, le=2e-3, description="noise of a point along the light [m]; scanners have 20 to 50 um on rails"
    )


class HeadFinder:
    """Finds the head in every cross-section of one source. Remembers what it saw of each rail."""

    def __init__(self, config: HeadConfig) -> None:
        self._sights = [ScannerSight(config.registration, rail=rail, sd_depth=config.sd_depth) for rail in range(RAILS)]

    def process(self, block: RawBlock | RailImage) -> HeadsFound:
        """Heads of a block, rail by rail; rows are rail, then y and z of every point [m]."""
        if not isinstance(block, RawBlock):
            raise TypeError(f"{block.source} gives points, not images")
        counts: Counter[str] = Counter()
        if block.clock is None:
            counts["unsynchronised"] += block.ticks.size
            return HeadsFound(block.source, block.t_host_ns, (), counts)
        t_ns = block.clock.to_ns(block.ticks)
        usable = (block.quality & np.uint8(UNUSABLE)) == 0
        rails = np.where(np.isfinite(block.values[:, 0]), block.values[:, 0], -1.0)
        found = []
        for rail in range(RAILS):
            rows = np.flatnonzero(rails == rail)
            if rows.size:
                fixes = [self._find(rail, block.values[row], bool(usable[row])) for row in rows]
                _count(counts, fixes)
                found.append(_seen(rail, t_ns[rows], fixes))
        return HeadsFound(block.source, block.t_host_ns, tuple(found), counts)

    def _find(self, rail: int, row: Array, usable: bool) -> HeadFix:
        return self._sights[rail].find(row if usable else row[:1])


class ImageHeadFinder:
    """Finds the head in every image of one camera. Remembers what it saw, until its camera is started anew."""

    def __init__(self, config: HeadConfig, plane: LaserPlaneCalibration, *, rail: int) -> None:
        self._sight = CameraSight(plane, config.registration, rail=rail, extraction=config.extraction)
        self._rail, self._shape = rail, (plane.rows, plane.columns)
        self._start_ns: int | None = None

    def process(self, item: RawBlock | RailImage) -> HeadsFound:
        """The head in an image; nothing where the image is damaged or of another size."""
        if not isinstance(item, RailImage):
            raise TypeError(f"{item.source} gives images, not points")
        seen = item.seen
        shape = seen.shape if isinstance(seen, Strip | np.ndarray) else self._shape
        counts: Counter[str] = Counter()
        if seen is None or shape != self._shape:
            counts["damaged" if seen is None else "other_size"] += 1
            return HeadsFound(item.source, item.t_ns, (), counts)
        if item.start_ns != self._start_ns:
            self._sight.forget()
            self._start_ns = item.start_ns
        fix = self._sight.find(seen)
        _count(counts, [fix])
        return HeadsFound(item.source, item.t_ns, (_seen(self._rail, np.array([item.t_ns]), [fix]),), counts)


def _count(counts: Counter[str], fixes: list[HeadFix]) -> None:
    for fix in fixes:
        counts["samples"] += 1
        for reason in () if fix.usable else Verdict(fix.verdict):
            counts[(reason.name or "unknown").lower()] += 1


def _seen(rail: int, t_ns: IntArray, fixes: list[HeadFix]) -> SeenRail:
    placed = [None if fix.verdict & PLACE_FAULTS else fix for fix in fixes]  # roll and wear need the whole head
    wear = [
        (np.nan,) * 3 if fix is None or fix.wear is None else (fix.wear.vertical, fix.wear.side, fix.wear.corner)
        for fix in placed
    ]
    return SeenRail(
        rail=rail,
        t_ns=t_ns,
        y=np.array([fix.gauge_y for fix in fixes]),
        z=np.array([fix.top_z for fix in fixes]),
        var_y=np.array([fix.sd_gauge**2 for fix in fixes]),
        var_z=np.array([fix.sd_top**2 for fix in fixes]),
        roll=np.array([np.nan if fix is None else fix.place[2] for fix in placed]),
        wear=np.array(wear),
        good=np.array([fix.usable for fix in fixes]),
    )
