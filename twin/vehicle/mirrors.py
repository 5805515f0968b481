"""Copies by mirrors: a vehicle is written down once for one corner, and its symmetry gives the rest."""

import re
from collections.abc import Iterable
from typing import TypeVar

from pydantic import Field

from twin.core.settings import Settings
from twin.vehicle.description import Axis, Body, BumpStop, Element, Part, Vector

AXES = "xyz"
AnyPart = TypeVar("AnyPart", bound=Part)


class Mirror(Settings):
    """A plane across an axis, and the words that change in names on its other side."""

    axis: Axis = Field(description="normal of the plane")
    about: float = Field(0.0, description="place of the plane on that axis [m]")
    words: dict[str, str] = Field(min_length=1, description="on this side to on the other: left = 'right'")

    def renamed(self, name: str) -> str:
        """Name on the other side; the same where no word of the mirror occurs in it."""
        pattern = "|".join(re.escape(word) for word in self.words)
        return re.sub(pattern, lambda match: self.words[match.group()], name)

    def reflected(self, point: Vector) -> Vector:
        """Point on the other side."""
        x, y, z = (2 * self.about - p if axis == self.axis else p for axis, p in zip(AXES, point, strict=True))
        return x, y, z


LEFT_RIGHT = Mirror(axis="y", words={"left": "right"})


def with_copies(parts: Iterable[AnyPart], *mirrors: Mirror) -> tuple[AnyPart, ...]:
    """The parts and their images, mirror after mirror: two mirrors make four of each.

    A part whose name no word of a mirror touches belongs to both sides and is not doubled.
    """
    found = list(parts)
    for mirror in mirrors:
        found += [image(part, mirror) for part in found if mirror.renamed(part.name) != part.name]
    return tuple(found)


def image(part: AnyPart, mirror: Mirror) -> AnyPart:
    """The part on the other side of the mirror."""
    return part.model_copy(update=_changes(part, mirror))


def _changes(part: Part, mirror: Mirror) -> dict[str, object]:
    changes: dict[str, object] = {"name": mirror.renamed(part.name)}
    if isinstance(part, Body):
        changes["position"] = mirror.reflected(part.position)
        changes["pivot"] = mirror.reflected(part.pivot) if part.pivot else None
        changes["parent"] = mirror.renamed(part.parent) if part.parent else None
    if isinstance(part, Element):
        changes |= {"first": mirror.renamed(part.first), "second": mirror.renamed(part.second)}
        changes |= {"at_first": mirror.reflected(part.at_first), "at_second": mirror.reflected(part.at_second)}
    if isinstance(part, BumpStop) and part.axis == mirror.axis:
        changes["sides"] = {"positive": "negative", "negative": "positive"}.get(part.sides, part.sides)
    return changes


def bogie_mirrors(*, half_pivot: float) -> tuple[Mirror, Mirror, Mirror]:
    """Left to right, leading to trailing wheelset in the front bogie, front to rear bogie.

    Written down are the left side of 'wheelset 1' and of 'front bogie', whose middle is at x = half_pivot [m]; the
    wheelsets come out as 1 to 4 from the front.
    """
    within = Mirror(axis="x", about=half_pivot, words={"wheelset 1": "wheelset 2"})
    ends = Mirror(axis="x", words={"front": "rear", "wheelset 1": "wheelset 4", "wheelset 2": "wheelset 3"})
    return LEFT_RIGHT, within, ends
