"""A laser profile scanner over a rail: points of its cross-section, with the errors such instruments have."""

import numpy as np
from pydantic import Field

from twin.core.arrays import Array, BoolArray
from twin.core.errors import ConfigError
from twin.core.settings import Settings
from twin.simulation.rail_head.episodes import NumberedChance
from twin.simulation.rail_head.section import Rail, RailPlace, RailSection
from twin.simulation.rail_head.sight import FanConfig, Sighting, as_left, sighting
from twin.simulation.rail_head.soiling import Soiling, SoilingConfig

OUTSHONE = 0.5
"""Share of the glare that the brighter line on polished steel makes harmless."""
RUN_REACH = 2.0
"""Farthest a run of reflected points is off, over the spread of single ones."""


class ScannerErrors(Settings):
    """Errors of the points of an industrial laser scanner, by its datasheet and by what rails do to it."""

    sd_depth: float = Field(
        25e-6, ge=0, le=2e-3, description="noise along the ray at normal incidence [m]: speckle sets it, not pixels"
    )
    sd_across: float = Field(10e-6, ge=0, le=2e-3, description="noise across the ray [m]")
    grazing_noise: float = Field(
        2.0, ge=0, le=20, description="growth of the depth noise: sd times 1 + this times (1 - cosine of incidence)"
    )
    lsb: float = Field(5e-6, ge=0, le=1e-3, description="step of depth and across [m]; 0 for none")
    near: float = Field(0.22, gt=0, le=2, description="start of the measuring range, from the laser [m]")
    far: float = Field(0.40, gt=0, le=2, description="end of the measuring range, from the laser [m]")
    dropout: float = Field(0.01, ge=0, le=1, description="chance that a point is not found, at normal incidence")
    grazing: float = Field(
        0.08, ge=0, le=1, description="cosine of incidence at which a point is lost with a chance of 1/e; 0 for none"
    )
    glare_loss: float = Field(0.5, ge=0, le=1, description="chance that full glare takes a point of rusty steel")
    glare_noise: float = Field(
        1.0, ge=0, le=20, description="growth of the depth noise: sd times 1 + this in full glare"
    )
    outlier: float = Field(0.002, ge=0, le=1, description="chance that a point is a stray reflection")
    sd_outlier: float = Field(8e-3, ge=0, le=0.1, description="spread of stray reflections in depth [m]")
    reflection: float = Field(
        0.02, ge=0, le=1, description="chance per image of a second reflection: a run of points off together"
    )
    reflection_width: int = Field(12, ge=1, le=200, description="greatest number of points of such a run")
    missing: float = Field(0.002, ge=0, le=1, description="chance that an image is lost whole")


PERFECT = ScannerErrors(
    sd_depth=0.0,
    sd_across=0.0,
    lsb=0.0,
    dropout=0.0,
    grazing=0.0,
    glare_loss=0.0,
    outlier=0.0,
    reflection=0.0,
    missing=0.0,
)
"""A scanner without errors."""


class ScannerConfig(Settings):
    """A profile scanner: where it looks, how finely, with what errors."""

    points: int = Field(256, ge=8, le=507, description="rays of the fan, points of a cross-section; 507 by the wire")
    fan: FanConfig = Field(FanConfig(), description="the laser's place and fan")
    errors: ScannerErrors = Field(ScannerErrors(), description="of its points")
    soiling: SoilingConfig = Field(SoilingConfig(), description="dirt and glare")


class ProfileScanner:
    """One scanner: an image at every time it is given. Remembers how many images there were.

    Its receiver lies beside the laser along the rail, so it sees all the laser lights.
    """

    def __init__(self, config: ScannerConfig, *, rail: Rail, section: RailSection, seed: int) -> None:
        if config.errors.near >= config.errors.far:
            raise ConfigError(f"near must lie below far = {config.errors.far:g} m, got {config.errors.near:g} m")
        self._errors, self._rail, self._section = config.errors, rail, section
        self._origin, self._angles = config.fan.origin, config.fan.angles(config.points)
        self._soiling = Soiling(config.soiling, section, seed=seed, purpose=f"rail scanner {rail}")
        self._chance = NumberedChance(seed, f"rail scanner {rail} points")
        self._number = 0

    def process(self, t: Array, place: RailPlace) -> Array:
        """Rows (samples, 1 + 2 * points) at times t (samples,) [s]: rail, then y and z of every ray [m], continued.

        y and z are in the axes of the sensor body, from the gauge side to the field side; what is not seen is NaN,
        and of a lost image nothing is seen.
        """
        seen = sighting(self._section, place=as_left(place.rows, self._rail), origin=self._origin, angles=self._angles)
        normal, uniform, run = self._drawn(t.size)
        glare = self._soiling.glare(t)[:, None]
        depth = seen.distance - self._soiling.coat(t, seen.path)
        depth += self._sd_depth(seen, glare) * normal[:, 0] + self._stray(uniform, normal, run)
        across = self._errors.sd_across * normal[:, 1]
        lost = self._lost(seen, glare, self._soiling.transmission(t, self._angles.size), uniform, depth)
        lost |= run[:, :1] < self._errors.missing
        return self._rows(np.where(lost, np.nan, depth), across)

    def _drawn(self, samples: int) -> tuple[Array, Array, Array]:
        """Normal (samples, 3, rays), uniform (samples, 2, rays) and five uniform numbers of each image."""
        rays = self._angles.size
        normal, uniform, run = np.empty((samples, 3, rays)), np.empty((samples, 2, rays)), np.empty((samples, 5))
        for i in range(samples):
            stream = self._chance.stream(self._number + i)
            stream.standard_normal(out=normal[i])
            stream.random(out=uniform[i])
            stream.random(out=run[i])
        self._number += samples
        return normal, uniform, run

    def _sd_depth(self, seen: Sighting, glare: Array) -> Array:
        """(samples, rays) standard deviation of the noise along the ray [m]."""
        grazing = 1 + self._errors.grazing_noise * (1 - seen.cosine)
        return np.asarray(self._errors.sd_depth * grazing * (1 + self._errors.glare_noise * glare))

    def _stray(self, uniform: Array, normal: Array, run: Array) -> Array:
        """(samples, rays) how far points are off that the sensor took from reflections, else 0 [m]."""
        single = np.where(uniform[:, 1] < self._errors.outlier, normal[:, 2], 0.0)
        place = np.arange(self._angles.size) - run[:, 2, None] * self._angles.size
        width = 1 + run[:, 3, None] * (self._errors.reflection_width - 1)
        together = (run[:, 1, None] < self._errors.reflection) & (place >= 0) & (place < width)
        run_off = RUN_REACH * (2 * run[:, 4, None] - 1)
        return np.asarray(self._errors.sd_outlier * np.where(together, run_off, single))

    def _lost(self, seen: Sighting, glare: Array, transmission: Array, uniform: Array, depth: Array) -> BoolArray:
        """(samples, rays) whether a point is not found: not lit, too faint, or out of range."""
        e = self._errors
        cosine = np.maximum(np.nan_to_num(seen.cosine), 1e-9)
        faint = np.exp(-cosine / e.grazing) if e.grazing > 0 else np.zeros_like(cosine)
        share = 1 - OUTSHONE * np.nan_to_num(seen.polish)
        found = (1 - e.dropout) * (1 - faint) * (1 - e.glare_loss * glare * share) * transmission
        in_range = (depth > e.near) & (depth < e.far)
        return np.asarray(~in_range | (uniform[:, 0] >= found))

    def _rows(self, depth: Array, across: Array) -> Array:
        """Rounded, turned into the axes of the body, right rails mirrored back."""
        step = self._errors.lsb
        if step > 0:
            depth, across = np.rint(depth / step) * step, np.rint(across / step) * step
        side = 1.0 if self._rail == 0 else -1.0
        rows = np.empty((depth.shape[0], 1 + 2 * depth.shape[1]))
        cosine, sine = np.cos(self._angles), np.sin(self._angles)
        rows[:, 0] = self._rail
        rows[:, 1::2] = side * (self._origin[0] + depth * cosine - across * sine)
        rows[:, 2::2] = self._origin[1] + depth * sine + across * cosine
        return rows
