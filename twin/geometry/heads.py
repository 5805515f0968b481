"""Cross-sections in, heads of rails out: one finder for each source of points."""

from collections import Counter

import numpy as np
from pydantic import Field

from twin.core.arrays import Array, IntArray
from twin.core.blocks import RawBlock
from twin.core.quality import UNUSABLE
from twin.core.settings import Settings
from twin.geometry.fusion import SeenRail
from twin.geometry.laser.registration import HeadFix, RegistrationSettings
from twin.geometry.laser.sight import ScannerSight
from twin.geometry.laser.verdict import PLACE_FAULTS, Verdict

RAILS = 2


class HeadConfig(Settings):
    """How heads are found in the points of a cross-section."""

    registration: RegistrationSettings = Field(RegistrationSettings(), description="the fit of a head to points")
    sd_depth: float = Field(
        40e-6, gt=0, le=2e-3, description="noise of a point along the light [m]; scanners have 20 to 50 um on rails"
    )


class HeadFinder:
    """Finds the head in every cross-section of one source. Remembers what it saw of each rail."""

    def __init__(self, config: HeadConfig) -> None:
        self._sights = [ScannerSight(config.registration, rail=rail, sd_depth=config.sd_depth) for rail in range(RAILS)]
        self.counts: Counter[str] = Counter()
        """Cross-sections, and what was wrong with those that cannot be used."""

    def process(self, block: RawBlock) -> list[SeenRail]:
        """Heads of a block, rail by rail; rows are rail, then y and z of every point [m]."""
        if block.clock is None:
            self.counts["unsynchronised"] += block.ticks.size
            return []
        t_ns = block.clock.to_ns(block.ticks)
        usable = (block.quality & np.uint8(UNUSABLE)) == 0
        rails = np.where(np.isfinite(block.values[:, 0]), block.values[:, 0], -1.0)
        found = []
        for rail in range(RAILS):
            rows = np.flatnonzero(rails == rail)
            if rows.size:
                fixes = [self._find(rail, block.values[row], bool(usable[row])) for row in rows]
                found.append(_seen(rail, t_ns[rows], fixes))
        return found

    def _find(self, rail: int, row: Array, usable: bool) -> HeadFix:
        fix = self._sights[rail].find(row if usable else row[:1])
        self.counts["samples"] += 1
        for reason in () if fix.usable else Verdict(fix.verdict):
            self.counts[(reason.name or "unknown").lower()] += 1
        return fix


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
