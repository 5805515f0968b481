"""Chance that does not depend on how a run is cut: numbers by image, and episodes by slot of time."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from pydantic import Field

from twin.core.arrays import Array
from twin.core.settings import Settings
from twin.simulation.randomness import generator

KEPT = 64
"""Slots whose episodes are kept in memory: a block asks for the same few again and again."""


class NumberedChance:
    """One independent stream of random numbers for every number of an image, in any order."""

    def __init__(self, seed: int, purpose: str) -> None:
        self._key = generator(seed, purpose).integers(2**63, size=2)

    def stream(self, number: int) -> np.random.Generator:
        """The stream of an image, always from its beginning."""
        # Philox counts in 256 bits: the number goes above 128 of them, so that no two streams ever meet
        counter = np.array([0, 0, number % 2**64, 0], dtype=np.uint64)
        return np.random.Generator(np.random.Philox(key=self._key, counter=counter))


class EpisodeConfig(Settings):
    """Things that come now and then, and stay for a while."""

    frequency: float = Field(0.1, ge=0, le=50, description="mean number of episodes that begin per second [1/s]")
    shortest: float = Field(0.5, gt=0, le=600, description="least duration [s]; durations are spread evenly")
    longest: float = Field(5.0, gt=0, le=600, description="greatest duration [s]")


@dataclass(frozen=True)
class Episode:
    """One episode and what was drawn for it."""

    start: float
    """[s]."""
    end: float
    """[s]."""
    marks: Array
    """Even random numbers in 0..1 (count,), for those who shape it."""


class Episodes:
    """Episodes of one kind under one seed: a function of time that remembers nothing it could not draw again."""

    def __init__(self, config: EpisodeConfig, *, marks: int, seed: int, purpose: str) -> None:
        self._config, self._marks = config, marks
        self._slot = max(config.longest, config.shortest)
        self._chance = NumberedChance(seed, purpose)
        self._of_slot = lru_cache(maxsize=KEPT)(self._drawn)

    def during(self, start: float, end: float) -> list[Episode]:
        """Those that overlap the time from start to end [s]."""
        # none is longer than a slot, so that what still lasts began in the slot before at the earliest
        slots = range(int(np.floor(start / self._slot)) - 1, int(np.floor(end / self._slot)) + 1)
        return [one for slot in slots for one in self._of_slot(slot) if one.start <= end and one.end > start]

    def _drawn(self, slot: int) -> tuple[Episode, ...]:
        stream = self._chance.stream(slot)
        count = int(stream.poisson(self._config.frequency * self._slot))
        starts = (slot + stream.random(count)) * self._slot
        spread = max(self._config.longest - self._config.shortest, 0.0)
        ends = starts + self._config.shortest + spread * stream.random(count)
        marks = stream.random((count, self._marks))
        return tuple(Episode(float(a), float(b), m) for a, b, m in zip(starts, ends, marks, strict=True))


def active(episode: Episode, t: Array) -> Array:
    """(samples,) 1 at the times t [s] at which the episode lasts, else 0."""
    return np.asarray((t >= episode.start) & (t < episode.end), dtype=np.float64)
