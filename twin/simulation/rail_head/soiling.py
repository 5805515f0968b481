"""Dirt on the laser's window, dirt on the rail, light of the sun: what comes and stays for metres or seconds."""

import numpy as np
from pydantic import Field

from twin.core.arrays import Array
from twin.core.settings import Settings
from twin.simulation.rail_head.episodes import Episode, EpisodeConfig, Episodes, active
from twin.simulation.rail_head.section import RailSection

SMALLEST = 0.2
"""Size of the smallest spot of dirt over that of the greatest."""


class SoilingConfig(Settings):
    """Dirt and glare, each by how often it comes, how long it stays and how bad it is."""

    window: EpisodeConfig = Field(
        EpisodeConfig(frequency=0.01, shortest=3.0, longest=30.0),
        description="splashes on the window: until the next shower or wipe",
    )
    window_width: float = Field(0.12, gt=0, le=1, description="greatest share of the fan a splash covers")
    window_loss: float = Field(0.95, ge=0, le=1, description="greatest share of light a splash takes")
    rail: EpisodeConfig = Field(
        EpisodeConfig(frequency=0.2, shortest=0.02, longest=0.3),
        description="leaves, grease, sand on the rail: half a metre to metres at line speed",
    )
    rail_width: float = Field(25e-3, gt=0, le=0.1, description="greatest width of a patch along the surface [m]")
    rail_height: float = Field(1.5e-3, ge=0, le=20e-3, description="greatest thickness of a patch [m]")
    glare: EpisodeConfig = Field(
        EpisodeConfig(frequency=0.02, shortest=0.2, longest=4.0),
        description="sun into the receiver between cuttings, bridges and trees",
    )
    glare_strength: float = Field(0.6, ge=0, le=1, description="greatest strength: 1 drowns the line of rusty steel")


CLEAN = SoilingConfig(
    window=EpisodeConfig(frequency=0.0), rail=EpisodeConfig(frequency=0.0), glare=EpisodeConfig(frequency=0.0)
)
"""No dirt and no sun."""


class Soiling:
    """The dirt and glare of one sensor under one seed, as functions of time."""

    def __init__(self, config: SoilingConfig, section: RailSection, *, seed: int, purpose: str) -> None:
        self._config = config
        # patches lie where wheels and leaves go: on the head, not below it
        head = section.path[section.z > -20e-3]
        self._head = float(head[0]), float(head[-1])
        self._window = Episodes(config.window, marks=3, seed=seed, purpose=f"{purpose} window")
        self._rail = Episodes(config.rail, marks=3, seed=seed, purpose=f"{purpose} rail")
        self._glare = Episodes(config.glare, marks=1, seed=seed, purpose=f"{purpose} glare")

    def transmission(self, t: Array, rays: int) -> Array:
        """(samples, rays) share of the light that the window lets through at times t (samples,) [s]."""
        share = np.ones((t.size, rays))
        across = np.linspace(0.0, 1.0, rays)
        for splash in _during(self._window, t):
            half = 0.5 * self._config.window_width * between(SMALLEST, splash.marks[1])
            loss = self._config.window_loss * np.sqrt(splash.marks[2])
            share *= 1 - loss * np.outer(active(splash, t), bump((across - splash.marks[0]) / half))
        return share

    def coat(self, t: Array, path: Array) -> Array:
        """(samples, rays) thickness of dirt [m] at places path (samples, rays) of the section; NaN stays NaN."""
        thickness = np.zeros(path.shape)
        first, last = self._head
        for patch in _during(self._rail, t):
            half = 0.5 * self._config.rail_width * between(SMALLEST, patch.marks[1])
            middle = first + (last - first) * patch.marks[0]
            height = self._config.rail_height * patch.marks[2]
            thickness += height * active(patch, t)[:, None] * bump((path - middle) / half)
        return thickness

    def glare(self, t: Array) -> Array:
        """(samples,) strength of foreign light, 0 to 1."""
        strength = np.zeros(t.size)
        for shine in _during(self._glare, t):
            strength = np.maximum(strength, self._config.glare_strength * shine.marks[0] * active(shine, t))
        return strength


def _during(episodes: Episodes, t: Array) -> list[Episode]:
    return episodes.during(float(t.min()), float(t.max())) if t.size else []


def between(least: float, mark: float) -> float:
    """A number from least to 1 for a mark from 0 to 1."""
    return float(least + (1 - least) * mark)


def bump(x: Array) -> Array:
    """1 in the middle, flat there, 0 beyond |x| = 1, without a step."""
    inside = np.clip(1 - x**2, 0.0, None)
    return np.asarray(np.minimum(2 * inside, 1.0) * np.sqrt(np.minimum(2 * inside, 1.0)))
