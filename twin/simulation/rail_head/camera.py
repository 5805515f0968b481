"""A camera that looks at the laser's line on a rail: images of 1280 x 512 pixels, 8 bit."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from twin.core.arrays import Array, BoolArray, IntArray
from twin.core.settings import Settings
from twin.simulation.rail_head.episodes import EpisodeConfig, Episodes, NumberedChance
from twin.simulation.rail_head.light import (
    FIELD,
    Image,
    Light,
    add_spot,
    background_field,
    draw_line,
    expose,
    noise_field,
    shade,
    speckle_field,
)
from twin.simulation.rail_head.pinhole import COLUMNS, ROWS, CameraTruth, PinholeConfig, camera_truth
from twin.simulation.rail_head.section import Rail, RailPlace, RailSection
from twin.simulation.rail_head.sight import FanConfig, Sighting, as_left, seen_from, sighting, surface_points
from twin.simulation.rail_head.soiling import CLEAN, SMALLEST, Soiling, SoilingConfig, between

RAYS = 2048
"""Rays that make the line of an image: more than it has columns."""
BREAK = 4e-3
"""Way along the outline between two neighbouring rays beyond which the line is broken [m]: something is in between."""
MATT = 0.2e-3
"""Thickness of dirt that leaves 1/e of the polish to be seen [m]."""
GHOST_LENGTH = 0.3
"""Longest reflected line over the whole fan."""
GHOST_WIDTH = 1.5
"""Width of a reflected line over that of its source: polished steel is no mirror."""


class LineConfig(Settings):
    """How the laser's line looks: its width, and the light that steel sends back. Counts are those of 8 bit."""

    sd: float = Field(1.8, ge=0.5, le=10, description="standard deviation of the line's cross-section [pixels]")
    exposure: float = Field(
        420.0, ge=1, le=1e4, description="counts of a white matt surface that the light meets squarely"
    )
    rust: float = Field(0.22, ge=0, le=1, description="share of red light that rust scatters")
    steel: float = Field(0.45, ge=0, le=1, description="the same of steel polished by wheels, away from its gloss")
    gloss: float = Field(1.2, ge=0, le=20, description="peak of the gloss of polished steel over a white matt surface")
    gloss_width: float = Field(0.30, gt=0.02, le=1.5, description="sd of its surface's slopes [rad]: rolled, scratched")
    edge_loss: float = Field(0.4, ge=0, le=1, description="share of brightness the line has lost at the fan's ends")
    speckle: float = Field(0.35, ge=0, le=1, description="contrast of the speckle after the averaging of a pixel")
    speckle_size: float = Field(1.0, ge=0.3, le=5, description="sd of a speckle [pixels]")


class SensorConfig(Settings):
    """The image sensor and the light that is not the laser's."""

    black: float = Field(4.0, ge=0, le=50, description="count without light: keeps the noise off zero")
    read: float = Field(1.5, ge=0, le=20, description="sd of the amplifier's noise [counts]")
    shot: float = Field(0.03, ge=0, le=5, description="variance of photons per count of light [counts]: 8000 electrons")
    background: float = Field(3.0, ge=0, le=200, description="foreign light through the colour filter [counts]")
    glare: float = Field(60.0, ge=0, le=255, description="foreign light in full glare [counts]")


class StrayConfig(Settings):
    """Light that came another way, and drops on the camera's window."""

    spots: float = Field(0.6, ge=0, le=50, description="mean number of glare spots in an image")
    spot_radius: float = Field(5.0, gt=0.5, le=100, description="mean radius of a spot, one sd [pixels]")
    spot_peak: float = Field(120.0, ge=0, le=1e4, description="mean brightness of a spot [counts]")
    ghost: float = Field(0.15, ge=0, le=1, description="chance of a second line by a reflection from polished steel")
    ghost_shift: float = Field(60.0, ge=0, le=400, description="greatest distance from its source [pixels]")
    ghost_share: float = Field(0.35, ge=0, le=1, description="greatest brightness over that of its source")
    drops: EpisodeConfig = Field(
        EpisodeConfig(frequency=0.02, shortest=2.0, longest=20.0), description="drops on the camera's window"
    )
    drop_radius: float = Field(70.0, gt=2, le=400, description="greatest radius of a drop [pixels]; out of focus")
    drop_loss: float = Field(0.9, ge=0, le=1, description="greatest share of light a drop takes")


class CameraConfig(Settings):
    """A laser camera over one rail."""

    rate: float = Field(100.0, ge=1, le=1000, description="images per second [Hz]; dirt and glare last seconds")
    fan: FanConfig = Field(FanConfig(), description="the laser's place and fan")
    pinhole: PinholeConfig = Field(PinholeConfig(), description="the camera's place and lens")
    line: LineConfig = Field(LineConfig(), description="the laser's line on steel")
    sensor: SensorConfig = Field(SensorConfig(), description="the image sensor")
    stray: StrayConfig = Field(StrayConfig(), description="light that came another way")
    soiling: SoilingConfig = Field(SoilingConfig(), description="dirt and glare")


CLEAR = CameraConfig(
    line=LineConfig(speckle=0.0),
    sensor=SensorConfig(black=0.0, read=0.0, shot=0.0, background=0.0, glare=0.0),
    stray=StrayConfig(spots=0.0, ghost=0.0, drops=EpisodeConfig(frequency=0.0)),
    soiling=CLEAN,
)
"""A camera that sees the line and nothing else."""


@dataclass(frozen=True)
class LaserLine:
    """The line of one image, ray by ray of the fan."""

    pixels: Array
    """(rays, 2) column and row; 0 where nothing is seen."""
    brightness: Array
    """(rays,) in the middle of the line [counts]."""
    joined: BoolArray
    """(rays - 1,) whether there is line between a ray and the next."""


class RailCamera:
    """One camera. Image number n is taken at n / rate seconds and always looks the same; nothing is remembered."""

    def __init__(self, config: CameraConfig, *, rail: Rail, section: RailSection, seed: int) -> None:
        name = f"rail camera {rail}"
        self._config, self._rail, self._section = config, rail, section
        self.truth: CameraTruth = camera_truth(config.pinhole, config.fan, rail=rail)
        self._angles = config.fan.angles(RAYS)
        self._soiling = Soiling(config.soiling, section, seed=seed, purpose=name)
        self._drops = Episodes(config.stray.drops, marks=4, seed=seed, purpose=f"{name} drops")
        self._chance = NumberedChance(seed, f"{name} images")
        self._speckle = speckle_field(
            contrast=config.line.speckle, size=config.line.speckle_size, seed=seed, purpose=f"{name} speckle"
        )
        self._noise = noise_field(seed=seed, purpose=f"{name} noise")
        self._background = background_field(rows=ROWS, columns=COLUMNS, seed=seed, purpose=f"{name} background")

    def project(self, points_yz: Array) -> Array:
        """Pixels (n, 2), column and row, of points (n, 2) y, z of the laser's plane in the axes of the body [m]."""
        return self.truth.pixels(points_yz)

    def images(self, first: int, place: RailPlace) -> Iterator[Image]:
        """The images of successive places, numbered from first on."""
        for i, row in enumerate(place.rows):
            yield self.render(first + i, row)

    def render(self, number: int, place: Array) -> Image:
        """The image (512, 1280) with a number, of a rail at a place (3,) y, z, roll."""
        stream = self._chance.stream(number)
        t = number / self._config.rate
        line = self.line(t, place)
        sensor = self._config.sensor
        foreign = sensor.background + sensor.glare * float(self._soiling.glare(np.array([t]))[0])
        light = self._background * np.float32(foreign)
        row, column = _shift(stream)
        speckle = self._speckle[row : row + ROWS, column : column + COLUMNS]
        draw_line(light, line.pixels, line.brightness, line.joined, self._config.line.sd, speckle)
        self._add_ghost(light, line, speckle, stream)
        self._add_spots(light, line, stream)
        for drop in self._drops.during(t, t):
            radius = self._config.stray.drop_radius * between(SMALLEST, drop.marks[2])
            loss = self._config.stray.drop_loss * float(drop.marks[3])
            shade(light, COLUMNS * float(drop.marks[0]), ROWS * float(drop.marks[1]), radius, loss)
        row, column = _shift(stream)
        noise = self._noise[row : row + ROWS, column : column + COLUMNS]
        image = np.empty((ROWS, COLUMNS), dtype=np.uint8)
        expose(light, noise, sensor.black, sensor.read, sensor.shot, image)
        return image

    def line(self, t: float, place: Array) -> LaserLine:
        """Where the camera sees the line at a time [s] on a rail at a place (3,), and how bright it is."""
        left, now = as_left(place[None, :], self._rail), np.array([t])
        origin, eye = self._config.fan.origin, self._mirrored(self.truth.p_b)
        lit = sighting(self._section, place=left, origin=origin, angles=self._angles)
        met = np.flatnonzero(np.isfinite(lit.distance[0]))
        coat = self._soiling.coat(now, lit.path)[0, met]
        points = surface_points(origin, self._angles[met], lit.distance[0, met])
        seen = np.zeros(RAYS, dtype=np.bool_)
        if met.size:
            seen[met] = seen_from(self._section, place=left[0], eye=eye[1:], points=points)
        points = surface_points(origin, self._angles[met], lit.distance[0, met] - coat)
        pixels, brightness = np.zeros((RAYS, 2)), np.zeros(RAYS)
        pixels[met] = self.project(self._mirrored(points))
        brightness[met] = self._returned(lit, met, points, coat)
        brightness *= self._soiling.transmission(now, RAYS)[0]
        near = np.abs(np.diff(np.nan_to_num(lit.path[0]))) < BREAK
        return LaserLine(pixels, brightness, seen[:-1] & seen[1:] & near)

    def _returned(self, lit: Sighting, met: IntArray, points: Array, coat: Array) -> Array:
        """(n,) counts of the light sent back from points (n, 2) of a left rail under a coat of dirt (n,) [m]."""
        line = self._config.line
        to_laser = _units(np.column_stack([np.zeros(met.size), self._config.fan.origin - points]))
        to_camera = _units(self._mirrored(self.truth.p_b) - np.column_stack([np.zeros(met.size), points]))
        heading = lit.heading[0, met]
        normal = np.column_stack([np.zeros(met.size), -np.sin(heading), np.cos(heading)])
        # gloss: the share of small facets that stand halfway between laser and camera
        halfway = np.sum(normal * _units(to_laser + to_camera), axis=1)
        gloss = line.gloss * np.exp(-0.5 * (np.arccos(np.clip(halfway, -1.0, 1.0)) / line.gloss_width) ** 2)
        polish = lit.polish[0, met] * np.exp(-coat / MATT)
        matt = line.rust + polish * (line.steel - line.rust)
        across = 2 * (self._angles[met] - self._angles.mean()) / self._config.fan.opening
        fan = line.exposure * (1 - line.edge_loss * across**2)
        return np.asarray(fan * np.clip(lit.cosine[0, met], 0.0, 1.0) * (matt + polish * gloss))

    def _add_ghost(self, light: Light, line: LaserLine, speckle: Light, stream: np.random.Generator) -> None:
        """A stretch of the line once more, fainter, elsewhere."""
        stray = self._config.stray
        chance, start, width, share = stream.random(4)
        shift = stray.ghost_shift * (2 * stream.random(2) - 1)
        lit = np.flatnonzero(line.brightness)
        if chance >= stray.ghost or not lit.size:
            return
        first = int(lit[int(start * lit.size)])
        stop = min(first + int(GHOST_LENGTH * between(SMALLEST, width) * RAYS), RAYS)
        brightness = stray.ghost_share * share * line.brightness[first:stop]
        draw_line(
            light,
            line.pixels[first:stop] + shift,
            brightness,
            line.joined[first : stop - 1],
            GHOST_WIDTH * self._config.line.sd,
            speckle,
        )

    def _add_spots(self, light: Light, line: LaserLine, stream: np.random.Generator) -> None:
        """Glare where the laser's light finds edges and wet places, near the line."""
        stray = self._config.stray
        lit = np.flatnonzero(line.brightness)
        for _ in range(int(stream.poisson(stray.spots)) if lit.size else 0):
            ray = int(stream.choice(lit))
            column, row = line.pixels[ray] + stray.ghost_shift * stream.standard_normal(2)
            radius = stray.spot_radius * between(SMALLEST, stream.exponential())
            add_spot(light, float(column), float(row), radius, stray.spot_peak * float(stream.exponential()))

    def _mirrored(self, points: Array) -> Array:
        """Points (..., 2) y, z or (..., 3) x, y, z of the body as a left rail has them, and back."""
        side = np.array([1.0, 1.0 if self._rail == 0 else -1.0, 1.0])
        return np.asarray(points * side[-points.shape[-1] :])


def _shift(stream: np.random.Generator) -> tuple[int, int]:
    """A random place of an image within a field."""
    return int(stream.integers(FIELD[0] - ROWS + 1)), int(stream.integers(FIELD[1] - COLUMNS + 1))


def _units(vectors: Array) -> Array:
    """(n, 3) of length 1."""
    return np.asarray(vectors / np.sqrt(np.sum(vectors**2, axis=1, keepdims=True)))
