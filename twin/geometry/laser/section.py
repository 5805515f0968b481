"""The section of a rail head to be found again: radius over angle around a point inside the head.

Seen from a point in its middle a head has one surface in every direction, from the lower corner of the gauge side over
the crown to the field side. So the distance of a measured point from the section is looked up, not searched for, and
wear is a smooth function of the angle.

Axes of a laid left rail: y to the field side, z up, origin at the top centre of the unworn head. Angles are counted
from straight up towards the gauge side.
"""

from dataclasses import dataclass
from functools import cached_property
from math import atan
from pathlib import Path

import numpy as np
from pydantic import Field

from twin.core.arrays import Array, frozen
from twin.core.errors import ConfigError
from twin.core.settings import Settings

FIRST, LAST = np.radians(-100.0), np.radians(112.0)
"""Angles of the table, from the field side to below the lower corner of the gauge side [rad]."""
NODES = 1697
"""Nodes of the table: one every eighth of a degree, 0.08 mm of surface."""
FINE = 0.02e-3
"""Longest stretch of the outline between two points [m]: its radius is interpolated between them."""


class SectionSettings(Settings):
    """The section as rolled, and how it is laid. Below the profile's last point go on the lines of the 60E1 drawing."""

    profile: str | Path = Field("60E1-EN", description="name or file of the rail's profile, unworn or as measured")
    cant: float = Field(1 / 40, ge=0, le=0.1, description="inclination of the laid rail towards the track's middle [-]")
    flank: float = Field(20.0, ge=2, le=100, description="slope of the head's side below the profile [-]")
    underside: float = Field(1 / 2.75, ge=0.1, le=1, description="slope of the head's underside [-]")
    underside_z: float = Field(-51e-3, ge=-80e-3, le=-30e-3, description="its height on the rail's axis [m]")
    lower_corner: float = Field(3e-3, ge=0.5e-3, le=10e-3, description="radius between side and underside [m]")
    middle: float = Field(28e-3, ge=15e-3, le=40e-3, description="depth of the point that angles are counted at [m]")


@dataclass(frozen=True)
class HeadSection:
    """A head as radius over angle."""

    centre: Array
    """(2,) y, z of the point that angles are counted at [m]."""
    table: Array
    """(NODES, 2): radius [m] and its derivative by the angle [m/rad], from FIRST to LAST."""
    inclination: float
    """Of the laid rail's axis [rad]."""

    @property
    def angles(self) -> Array:
        """(NODES,) of the table [rad]."""
        return np.linspace(FIRST, LAST, NODES)

    @cached_property
    def outline(self) -> Array:
        """(NODES, 2) y, z of the section, from the field side to the gauge side [m]."""
        return np.asarray(frozen(self.points(self.angles)))

    @cached_property
    def axis_top(self) -> Array:
        """(2,) where the rail's axis leaves the section [m]."""
        return np.asarray(frozen(self.points(np.array([self.inclination]))[0]))

    @cached_property
    def corner(self) -> Array:
        """(2,) where the gauge corner stands at 45 degrees [m]."""
        slope = np.gradient(self.outline[:, 1]) / np.gradient(self.outline[:, 0])
        gauge = np.flatnonzero(self.angles > 0)
        return np.asarray(frozen(self.outline[gauge[np.abs(slope[gauge] - 1.0).argmin()]]))

    @cached_property
    def face(self) -> Array:
        """(n, 2) y, z of the section from its top down the gauge side [m]."""
        return np.asarray(frozen(self.outline[int(self.outline[:, 1].argmax()) :]))

    def points(self, angle: Array) -> Array:
        """(n, 2) y, z of the section at angles (n,) [m]."""
        radius = np.interp(angle, self.angles, self.table[:, 0])
        return np.asarray(self.centre + radius[:, None] * np.column_stack([-np.sin(angle), np.cos(angle)]))

    def angle_at_depth(self, depth: float) -> float:
        """Angle on the gauge side where the section is so deep below its top centre [rad]."""
        gauge = self.angles > 0
        z = self.points(self.angles[gauge])[:, 1]
        return float(self.angles[gauge][np.flatnonzero(z > -depth)[-1]])


def head_section(settings: SectionSettings) -> HeadSection:
    """The section of a profile, laid."""
    # here, as a run without cameras starts sooner without them
    from twin.contact.profiles import rail_profile
    from twin.contact.shapes import refined

    profile = rail_profile(settings.profile)
    zones = [refined(zone) for zone in profile.zones]
    u = np.append(np.concatenate([zone.y[:-1] for zone in zones]), zones[-1].y[-1])
    z = np.append(np.concatenate([zone.z[:-1] for zone in zones]), zones[-1].z[-1])
    head = np.column_stack([u, z])
    mirror = np.array([-1.0, 1.0])
    gauge_side = _below(head[0] * mirror, settings) * mirror
    outline = np.concatenate([gauge_side[::-1], head, _below(head[-1], settings)])
    return section_of(outline, cant=settings.cant, middle=settings.middle)


def section_of(outline: Array, *, cant: float, middle: float) -> HeadSection:
    """The section of an outline (n, 2) u, z as rolled [m], from the underside of the gauge side to the field side's."""
    angle = atan(cant)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    centre = turn @ np.array([0.0, -middle])
    off = _dense(outline) @ turn.T - centre
    theta, radius = np.arctan2(-off[:, 0], off[:, 1])[::-1], np.hypot(off[:, 0], off[:, 1])[::-1]
    if not np.all(np.diff(theta) > 0) or theta[0] > FIRST or theta[-1] < LAST:
        raise ConfigError(
            f"from {middle * 1e3:g} mm below its top the head must show one surface in every direction from the field "
            f"side to the gauge side's underside: the outline reaches {np.degrees(theta[0]):.0f} to "
            f"{np.degrees(theta[-1]):.0f} degrees, wanted {np.degrees(FIRST):.0f} to {np.degrees(LAST):.0f}"
        )
    nodes = np.linspace(FIRST, LAST, NODES)
    values = np.interp(nodes, theta, radius)
    table = np.column_stack([values, np.gradient(values, nodes)])
    return HeadSection(frozen(centre), frozen(table), angle)


def _below(end: Array, settings: SectionSettings) -> Array:
    """Points (n, 2) of the field side after the profile's last point: flank, lower corner, underside."""
    u, z = float(end[0]), float(end[1])
    slope, fishing, radius = settings.flank, settings.underside, settings.lower_corner
    down = (z - settings.underside_z - fishing * u) / (1 + fishing / slope)
    corner = np.array([u + down / slope, z - down])
    along_flank = np.array([1 / slope, -1.0]) / np.hypot(1 / slope, 1.0)
    along_under = np.array([-1.0, -fishing]) / np.hypot(1.0, fishing)
    turn = np.arccos(along_flank @ along_under)
    tangent = radius * np.tan(turn / 2)
    if down <= tangent:
        raise ConfigError(f"the profile reaches {-z * 1e3:.1f} mm down, into the head's lower corner: cut its sides")
    inwards = np.array([along_flank[1], -along_flank[0]])
    sweep = np.linspace(0.0, turn, 60)[:, None]
    start = corner - tangent * along_flank
    fillet = start + radius * (np.sin(sweep) * along_flank + (1 - np.cos(sweep)) * inwards)
    return np.concatenate([fillet, (fillet[-1] + 25e-3 * along_under)[None, :]])


def _dense(outline: Array) -> Array:
    """The outline with points no farther apart than FINE."""
    length = np.hypot(*np.diff(outline, axis=0).T)
    pieces = np.maximum(np.ceil(length / FINE).astype(np.int64), 1)
    start, step = np.repeat(outline[:-1], pieces, axis=0), np.repeat(np.diff(outline, axis=0), pieces, axis=0)
    share = (np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)) / np.repeat(pieces, pieces)
    return np.concatenate([start + share[:, None] * step, outline[-1:]])
