"""The running surface of rails and wheels at short waves: roughness, corrugation, joints and squats.

A rail is made tile by tile, each from random numbers keyed by its own place: a run of any length needs the few tiles
under the wheels, and the same place has the same roughness whatever was visited before. Two Gaussian realisations
overlap on every tile with weights sin and cos, whose squares add up to one: the spectrum is the same everywhere.
"""

from collections import OrderedDict
from collections.abc import Callable
from enum import StrEnum
from typing import Self

import numpy as np
from pydantic import Field, model_validator

from twin.core.arrays import Array, frozen
from twin.core.settings import Settings
from twin.simulation.randomness import generator
from twin.simulation.short_wave.contact_filter import MARGIN, integrated, patch_growth, patch_means
from twin.simulation.short_wave.levels import (
    RAIL_LIMIT,
    WHEEL_DISC_BRAKED,
    WHEEL_TREAD_BRAKED,
    synthesise_short_waves,
)

TILE_POINTS = 2**15
"""Points of a tile: 33 m at 1 mm, long against the waves of at most 1 m, short against memory (0.3 MB)."""
TILES_KEPT = 12
"""Tiles of a rail kept at hand: a vehicle of 26 m with wheels at both ends touches three."""


class Side(StrEnum):
    """Of the track, looking along increasing kilometres."""

    LEFT = "left"
    RIGHT = "right"


class Rails(StrEnum):
    """Which rails a fault is on."""

    LEFT = "left"
    RIGHT = "right"
    BOTH = "both"

    def has(self, side: Side) -> bool:
        """Whether this rail is among them."""
        return self.value in (side.value, "both")


class CorrugationPatch(Settings):
    """A stretch of rail with a wave of one length."""

    rails: Rails = Field(Rails.BOTH, description="left, right or both")
    from_s: float = Field(description="arc length of its start [m]")
    to_s: float = Field(description="arc length of its end [m]")
    wavelength: float = Field(ge=0.01, le=1.0, description="[m]; 0.02-0.1 short pitch, 0.1-0.3 long pitch")
    depth: float = Field(ge=0, le=1e-3, description="peak to peak [m]; 20e-6 is found, 100e-6 is ground away")
    fade: float = Field(1.0, gt=0, le=50, description="length of each end over which it swells or fades [m]")

    @model_validator(mode="after")
    def _is_long_enough(self) -> Self:
        if self.to_s - self.from_s < 2 * self.fade:
            raise ValueError(f"to_s must lie at least 2 * fade = {2 * self.fade:g} m beyond from_s")
        return self

    def height(self, s: Array) -> Array:
        """(n,) of the rail's surface [m] at arc lengths s (n,) [m]."""
        inside = np.clip(np.minimum(s - self.from_s, self.to_s - s) / self.fade, 0.0, 1.0)
        envelope = np.sin(np.pi / 2 * inside) ** 2
        return np.asarray(self.depth / 2 * envelope * np.cos(2 * np.pi * (s - self.from_s) / self.wavelength))


class FaultShape(StrEnum):
    """Single faults of the running surface."""

    JOINT = "joint"
    """Two dipped rail ends: parabolas that meet in a cusp."""
    SQUAT = "squat"
    """A hollow without an edge: one wave of a cosine."""


class SurfaceFault(Settings):
    """A dip of the running surface, some centimetres long."""

    shape: FaultShape = Field(FaultShape.JOINT, description="joint or squat")
    rails: Rails = Field(Rails.BOTH, description="left, right or both")
    s: float = Field(description="arc length of its middle [m]")
    depth: float = Field(ge=0, le=0.02, description="[m]; squats have 0.1-2 mm, dipped joints 1-10 mm")
    length: float = Field(0.1, ge=0.02, le=2.0, description="from end to end [m]; squats 0.02-0.1, joints 0.1-1")

    def height(self, s: Array) -> Array:
        """(n,) of the rail's surface [m] at arc lengths s (n,) [m]."""
        x = np.minimum(np.abs(s - self.s) / (self.length / 2), 1.0)
        shape = (1 - x) ** 2 if self.shape is FaultShape.JOINT else np.cos(np.pi / 2 * x) ** 2
        return np.asarray(-self.depth * shape)


class RoughnessConfig(Settings):
    """The short-wave surface of one track; the same seed is the same track."""

    above_limit_db: float = Field(
        -3.0, ge=-60, le=30, description="of the rails' level over the ISO 3095 limit [dB]; -3 is a kept track"
    )
    shortest: float = Field(7.1e-3, ge=4e-3, le=0.1, description="shortest wave [m]; 7.1 mm ends the band of 8 mm")
    step: float = Field(1e-3, ge=2.5e-4, le=2e-3, description="grid [m]; seven points on the shortest wave")
    seed: int = Field(1, ge=0, description="names the realisation: keep it to run over the same track again")
    corrugation: tuple[CorrugationPatch, ...] = Field((), description="patches added to the roughness")
    faults: tuple[SurfaceFault, ...] = Field((), description="joints and squats added to the roughness")

    @model_validator(mode="after")
    def _has_points_enough(self) -> Self:
        if self.step > self.shortest / 4:
            raise ValueError(f"step must be at most shortest / 4 = {self.shortest / 4:g} m, got {self.step:g} m")
        return self


class RailSurface:
    """One rail: its height at short waves anywhere, and what a patch feels of it. Remembers tiles, nothing else."""

    def __init__(self, config: RoughnessConfig, side: Side) -> None:
        self._config, self._side = config, side
        self._margin = int(np.ceil(MARGIN / config.step)) + 2
        self._heights: OrderedDict[int, Array] = OrderedDict()
        self._integrals: OrderedDict[int, Array] = OrderedDict()

    def height(self, *, tile: int) -> Array:
        """(TILE_POINTS,) surface [m] before the contact filter from s = tile * TILE_POINTS * step on."""
        return _kept(self._heights, tile, self._made)

    def felt(self, s: Array, load: Array, *, radius: float) -> Array:
        """(n,) roughness [m] under patches at s (n,) [m] with a load (n,) [N]; radius of the wheel [m]."""
        step = self._config.step
        tiles = np.floor(s / (TILE_POINTS * step)).astype(np.int64)
        growth = patch_growth(load, radius=radius)
        out = np.empty(s.size)
        for tile in np.unique(tiles):
            here = np.flatnonzero(tiles == tile)
            at = s[here] / step - float(tile * TILE_POINTS) + self._margin
            integral = _kept(self._integrals, int(tile), self._integral)
            out[here] = patch_means(integral, at, growth[here], step)
        return out

    def _integral(self, tile: int) -> Array:
        before, here, after = (self.height(tile=k) for k in (tile - 1, tile, tile + 1))
        whole = np.concatenate([before[-self._margin :], here, after[: self._margin]])
        return integrated(whole, step=self._config.step)

    def _made(self, tile: int) -> Array:
        config = self._config
        turn = np.pi / 2 * np.arange(TILE_POINTS) / TILE_POINTS
        noise = np.cos(turn) * self._noise(tile - 1)[TILE_POINTS:] + np.sin(turn) * self._noise(tile)[:TILE_POINTS]
        s: Array = config.step * np.arange(tile * TILE_POINTS, (tile + 1) * TILE_POINTS, dtype=np.float64)
        height = 10 ** (config.above_limit_db / 20) * noise
        added: tuple[CorrugationPatch | SurfaceFault, ...] = (*config.corrugation, *config.faults)
        for fault in added:
            if fault.rails.has(self._side):
                height += fault.height(s)
        return np.asarray(frozen(height))

    def _noise(self, block: int) -> Array:
        """(2 * TILE_POINTS,) realisation that begins with tile number block and ends with the next."""
        rng = generator(self._config.seed, f"roughness {self._side} {block}")
        return synthesise_short_waves(
            RAIL_LIMIT, points=2 * TILE_POINTS, step=self._config.step, shortest=self._config.shortest, rng=rng
        )


class Polygon(Settings):
    """A wheel with so many corners."""

    order: int = Field(ge=1, le=60, description="waves around the wheel")
    amplitude: float = Field(ge=0, le=1e-3, description="half of peak to peak [m]")


class WheelRoughnessConfig(Settings):
    """Roughness around the wheels; each wheel has its own."""

    above_curve_db: float = Field(0.0, ge=-60, le=30, description="of the level over the published curve [dB]")
    tread_braked: bool = Field(False, description="cast-iron blocks on the tread, which roughen at 40-60 mm")
    shortest: float = Field(7.1e-3, ge=4e-3, le=0.1, description="shortest wave [m]")
    polygons: tuple[Polygon, ...] = Field((), description="added to every wheel")
    seed: int = Field(1, ge=0, description="names the realisation")


class WheelSurface:
    """One wheel: roughness that comes again with every turn."""

    def __init__(self, config: WheelRoughnessConfig, *, radius: float, name: str) -> None:
        self._radius = radius
        circumference = 2 * np.pi * radius
        points = int(np.ceil(circumference / (config.shortest / 8)))
        self._step, self._points = circumference / points, points
        rng = generator(config.seed, f"wheel roughness {name}")
        curve = WHEEL_TREAD_BRAKED if config.tread_braked else WHEEL_DISC_BRAKED
        noise = synthesise_short_waves(curve, points=points, step=self._step, shortest=config.shortest, rng=rng)
        height = 10 ** (config.above_curve_db / 20) * noise
        turn = 2 * np.pi * np.arange(points) / points
        for polygon in config.polygons:
            height += polygon.amplitude * np.cos(polygon.order * turn)
        self.height = frozen(height)
        """(points,) around the wheel [m]."""
        self._margin = int(np.ceil(MARGIN / self._step)) + 2
        self._integral = integrated(np.pad(height, self._margin + 1, mode="wrap"), step=self._step)

    def felt(self, angle: Array, load: Array) -> Array:
        """(n,) roughness [m] in the patch at wheel angles (n,) [rad] under a load (n,) [N]."""
        turns = angle / (2 * np.pi)
        at = (turns - np.floor(turns)) * self._points + self._margin + 1
        return patch_means(self._integral, at, patch_growth(load, radius=self._radius), self._step)


def _kept(shelf: OrderedDict[int, Array], tile: int, make: Callable[[int], Array]) -> Array:
    """The tile from the shelf, or made and put there in place of the one not asked for the longest."""
    if tile not in shelf:
        shelf[tile] = make(tile)
        if len(shelf) > TILES_KEPT:
            shelf.popitem(last=False)
    shelf.move_to_end(tile)
    return shelf[tile]
