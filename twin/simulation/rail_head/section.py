"""The cross-section of a laid and worn rail as a laser meets it, and where the rail lies under the vehicle."""

from dataclasses import dataclass
from math import atan, cos, sin
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field

from twin.contact.profiles import rail_profile
from twin.core.arrays import Array, frozen
from twin.core.settings import Settings
from twin.simulation.rail_head.outline import rail_outline

Rail = Literal[0, 1]
"""0 the left rail, 1 the right one."""

WORN_WHOLE = 15e-3
"""Depth below the crown down to which vertical wear lowers the head as it is [m]: past the gauge corner."""
WORN_NOT = 34e-3
"""Depth from which on nothing is worn [m]: above the fillet of the lower corner."""
FACE_FADES = 16e-3
"""Depth below which side wear fades [m]: flanges reach no deeper than the 14 mm at which the gauge is measured."""
FACE_FROM, FACE_WHOLE = -3e-3, -33e-3
"""Places across the head between which side wear grows from nothing to whole [m]: crown to gauge face."""
BAND_EDGE = 3e-3
"""Width over which the polished band gives way to rust [m]."""

BAND_DEPTH = (4e-3, 10e-3)
"""Depths between which the gauge corner passes from polish to rust, however wide the band [m]."""
FACE_POLISHED = (0.1e-3, 0.5e-3)
"""Side wear from which on, and with which whole, the gauge face is polished by flanges [m]."""


class RailSectionConfig(Settings):
    """A rail by its profile, its laying and its wear."""

    profile: str | Path = Field("60E1-EN", description="name or file of the rail's profile, as rolled and unworn")
    cant: float = Field(1 / 40, ge=0, le=0.1, description="inclination of the laid rail towards the track's middle [-]")
    vertical_wear: float = Field(
        0.0, ge=0, le=8e-3, description="by which the running surface is lower [m]; beyond 8 mm the sides would fold"
    )
    side_wear: float = Field(
        0.0, ge=0, le=10e-3, description="by which the gauge face at 14 mm depth has moved outwards [m]"
    )
    band_middle: float = Field(
        -3e-3, ge=-20e-3, le=20e-3, description="middle of the polished running band [m]; negative to the gauge side"
    )
    band_width: float = Field(36e-3, ge=5e-3, le=60e-3, description="width of the polished running band [m]")


@dataclass(frozen=True)
class RailPlace:
    """Where a rail lies in the axes of the sensor body, arrays (samples,).

    The reference point is the top centre of the unworn head, on its axis of symmetry; roll is that off the nominal
    laying, about x, of the left and the right rail alike.
    """

    y: Array
    """Of the reference point [m]."""
    z: Array
    """Of the reference point [m]."""
    roll: Array
    """Of the rail [rad]."""

    @property
    def rows(self) -> Array:
        """(samples, 3) y, z and roll."""
        return np.column_stack([self.y, self.z, self.roll])


@dataclass(frozen=True)
class RailSection:
    """The outline (n,) of a rail as a left one, laid: y to the field side, z up, origin at the reference point.

    It runs from the gauge side's foot over the head to the field side's. The right rail is the mirror image.
    """

    y: Array
    """[m]."""
    z: Array
    """[m]."""
    polish: Array
    """Share of the surface the wheels have polished: 1 on the running band, 0 on rust."""
    path: Array
    """Way along the outline from its first point [m]."""

    @property
    def running_height(self) -> float:
        """Height of the highest point [m]: of the unworn rail laid at 1/40 it is 0.09 mm, outside the middle."""
        return float(self.z.max())

    def gauge_face(self, *, depth: float = 14e-3) -> float:
        """Smallest y of the head between the running surface and a depth below it [m]."""
        top = int(self.z.argmax())
        lowest = self.running_height - depth
        start = int(np.flatnonzero(self.z[:top] < lowest)[-1])
        share = (lowest - self.z[start]) / (self.z[start + 1] - self.z[start])
        met = self.y[start] + share * (self.y[start + 1] - self.y[start])
        return float(min(met, self.y[start + 1 : top + 1].min()))

    def points_in_body(self, place: Array, *, rail: Rail) -> Array:
        """The outline (n, 2) in the axes of the sensor body for a place (3,) y, z, roll."""
        y, z, roll = place.tolist()
        across = self.y if rail == 0 else -self.y
        return np.column_stack(
            [y + cos(roll) * across - sin(roll) * self.z, z + sin(roll) * across + cos(roll) * self.z]
        )


def rail_section(config: RailSectionConfig) -> RailSection:
    """The section of a rail from its profile, laid and worn."""
    rolled = rail_outline(rail_profile(config.profile))
    u, depth = rolled[:, 0], -rolled[:, 1]
    angle = atan(config.cant)
    y = cos(angle) * u + sin(angle) * depth
    z = sin(angle) * u - cos(angle) * depth
    lowered = 1 - smooth_step(depth, WORN_WHOLE, WORN_NOT)
    shifted = smooth_step(u, FACE_FROM, FACE_WHOLE) * (1 - smooth_step(depth, FACE_FADES, WORN_NOT))
    y = y + config.side_wear * shifted
    z = z - config.vertical_wear * lowered
    path = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(y), np.diff(z)))])
    return RailSection(frozen(y), frozen(z), frozen(_polish(config, u, depth, shifted)), frozen(path))


def _polish(config: RailSectionConfig, u: Array, depth: Array, shifted: Array) -> Array:
    """(n,) the running band, and the gauge face where flanges have worn it by half a millimetre or more."""
    off = np.abs(u - config.band_middle) - config.band_width / 2
    on_top = 1 - smooth_step(depth, *BAND_DEPTH)
    band = on_top * (1 - smooth_step(off, -BAND_EDGE / 2, BAND_EDGE / 2))
    face = (u < 0) * smooth_step(config.side_wear * shifted, *FACE_POLISHED)
    return np.asarray(np.maximum(band, face))


def smooth_step(x: Array, start: float, end: float) -> Array:
    """0 before start, 1 beyond end, with two continuous derivatives between; start may lie above end."""
    t = np.clip((x - start) / (end - start), 0.0, 1.0)
    return np.asarray(t**3 * (10 + t * (6 * t - 15)))
