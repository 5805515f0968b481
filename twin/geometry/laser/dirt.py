"""Whether running surface and gauge point are steel. A coat of dirt fits as well as steel, and takes its place.

Two things tell them apart. Dirt has a shape that wear has not: wheels take more and more off a head from the field side
to the gauge corner and less and less below it, so a place with less wear than on both its sides has something on it.
And dirt is dull: wheels polish the running surface, and flanges a gauge face that they wear, but a coat of leaves,
grease or sand sends back no more light than rust. Rust is in every image, on the far field side and below the reach of
flanges; brightness is judged as a ratio within one image, which neither the laser's power nor the exposure changes.
"""

import numpy as np
from pydantic import Field

from twin.core.arrays import Array, BoolArray
from twin.core.settings import Settings
from twin.geometry.laser.fitting import TOP
from twin.geometry.laser.section import FIRST
from twin.geometry.laser.wear_model import SPACING, SPLINES

FIELD_RUST = np.radians(-55.0), np.radians(-36.0)
"""Directions of the field side that no wheel reaches [rad]."""
LOW_RUST = np.radians(96.0), np.radians(108.0)
"""The same of the gauge side's lower corner [rad]."""
DIMMEST, MIDDLE = (0.0, 0.5), (0.25, 0.75)
"""Part of the points by their brightness whose mean is taken: at a place the dimmer half, so that dirt shows which
covers a part of it and a spot of glare does not hide it; of rust the middle. Means, as brightness has coarse steps."""
ANGLES = np.radians(np.arange(-56.0, 104.0, 2.0))
"""Directions at which wear is compared [rad]: where heads are seen."""
ABOUT = np.radians(9.0)
"""How far about a place a bump is looked for [rad]: 6 mm of surface."""
_OFF = np.abs((ANGLES[:, None] - FIRST) / SPACING - (np.arange(SPLINES) - 1))
SHAPES = np.where(_OFF < 1, (4 - 6 * _OFF**2 + 3 * _OFF**3) / 6, np.where(_OFF < 2, (2 - _OFF) ** 3 / 6, 0.0))
"""(angles, SPLINES): wear at the angles for splines of the fit."""
NOBODY = np.zeros(2, dtype=np.bool_)
"""Neither running surface nor gauge point."""


class DirtSettings(Settings):
    """When a surface counts as dirt."""

    most_bump: float = Field(
        0.33e-3, gt=0, le=5e-3, description="by which wear may be less than on both sides [m]: clean heads have 0.15"
    )
    most_bump_dull: float = Field(0.12e-3, gt=0, le=5e-3, description="the same of a dull running surface [m]")
    least_gloss: float = Field(
        1.45, ge=0, le=20, description="least brightness over that of rust of running surface and worn gauge face; the "
        "reference camera sees 2.2 of steel, 1.1 of dirt. 0 where trains are too rare to polish: not judged"
    )  # fmt: skip
    again: float = Field(1.1, ge=1, le=3, description="factor on both by which dirt must be left to be gone: it lasts")
    reach: float = Field(4e-3, gt=0, le=20e-3, description="how far about a place brightness is looked at [m]")
    fewest: int = Field(5, ge=1, le=200, description="points there, and of rust")
    polished_from: float = Field(
        0.5e-3, gt=0, le=10e-3, description="wear from which on flanges have polished the gauge face [m]"
    )


def soiled(
    settings: DirtSettings,
    points: tuple[Array, Array, Array | None],
    x: Array,
    places: tuple[Array, Array],
    before: BoolArray,
) -> BoolArray:
    """(2,) whether there is dirt on running surface and gauge point.

    points: y, z (n, 2 or more) [m], what the fit says of them (n, 4), and their brightness (n,) or None; x: the fit;
    places: y, z of both [m]; before: (2,) the answer of the image before.
    """
    given, out, peak = points
    wear = SHAPES @ x[TOP + 1 :]
    rust = float("nan") if peak is None else _rust(settings, out[:, 3], peak)
    found = np.zeros(2, dtype=np.bool_)
    for i, (y, z) in enumerate(places):
        near = np.hypot(given[:, 0] - y, given[:, 1] - z) < settings.reach
        if not near.any():
            continue
        angle = float(np.median(out[near, 3]))
        ease = settings.again if before[i] else 1.0
        bump = ease * _bump(wear, angle)
        gloss = float("nan") if peak is None else _dimmest(settings, peak[near]) / rust
        dull = gloss < ease * settings.least_gloss
        polished = bump > settings.most_bump_dull if i == 0 else np.interp(angle, ANGLES, wear) > settings.polished_from
        found[i] = bump > settings.most_bump or (dull and polished)
    return found


def _bump(wear: Array, angle: float) -> float:
    """Greatest amount by which wear (angles,) near an angle is less than somewhere on either side [m]."""
    before, after = np.maximum.accumulate(wear), np.maximum.accumulate(wear[::-1])[::-1]
    return float((np.minimum(before, after) - wear)[np.abs(ANGLES - angle) < ABOUT].max(initial=0.0))


def _rust(settings: DirtSettings, angle: Array, peak: Array) -> float:
    """Brightness of rust: of the brighter side, as a drop or a splash on the glass may dim one; NaN without."""
    sides = [peak[(angle > low) & (angle < high)] for low, high in (FIELD_RUST, LOW_RUST)]
    known = [_mean_of(side, MIDDLE) for side in sides if side.size >= settings.fewest]
    return max(known, default=float("nan"))


def _dimmest(settings: DirtSettings, peak: Array) -> float:
    return _mean_of(peak, DIMMEST) if peak.size >= settings.fewest else float("nan")


def _mean_of(values: Array, part: tuple[float, float]) -> float:
    """Mean of a part of the values, by size."""
    low, high = (round(share * values.size) for share in part)
    return float(np.mean(np.sort(values)[low : max(high, low + 1)]))
