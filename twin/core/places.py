"""Places on a line: which line and track, kilometre posts with jumps, running direction."""

from enum import StrEnum
from itertools import pairwise

import numpy as np
from pydantic import Field, model_validator

from twin.core.arrays import Array
from twin.core.settings import Settings


class Direction(StrEnum):
    """Running direction against the kilometres."""

    INCREASING = "increasing"
    DECREASING = "decreasing"


class KilometrePost(Settings):
    """A post: where it stands along the line, and what it says. Two posts at one place make a jump."""

    s: float = Field(description="arc length along the line, growing with the kilometres [m]")
    km: float = Field(description="kilometre written on the post [km]")


class Places(Settings):
    """Identity and kilometre posts of the track a run is made on."""

    line: str = Field("demo", description="line identity")
    track: str = Field("1", description="track identity")
    posts: tuple[KilometrePost, ...] = Field(
        (), description="kilometre posts, ascending in s; jumps as two posts at one s"
    )

    @model_validator(mode="after")
    def _ascending(self) -> "Places":
        for a, b in pairwise(self.posts):
            if b.s < a.s:
                raise ValueError(f"posts must ascend along the line: km {b.km:g} stands before km {a.km:g}")
            if b.s > a.s and b.km <= a.km:
                raise ValueError(f"kilometres must grow between two posts: {a.km:g} to {b.km:g}")
        return self

    def kilometre(self, s: Array) -> Array:
        """Kilometre label [km] of arc lengths along the line; beyond the posts 1 km is 1000 m."""
        s = np.asarray(s, dtype=float)
        if not self.posts:
            return s / 1000
        at = np.array([post.s for post in self.posts])
        km = np.array([post.km for post in self.posts])
        i = np.searchsorted(at, s, side="right") - 1
        before, last = i < 0, i >= at.size - 1
        i = np.clip(i, 0, max(at.size - 2, 0))
        plain = np.where(before, km[0] + (s - at[0]) / 1000, km[-1] + (s - at[-1]) / 1000)
        if at.size == 1:
            return np.asarray(plain)
        width = np.where(at[i + 1] > at[i], at[i + 1] - at[i], 1.0)
        between = km[i] + (s - at[i]) / width * (km[i + 1] - km[i])
        return np.asarray(np.where(before | last, plain, between))
