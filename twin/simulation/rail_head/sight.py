"""What a fan of laser light meets first: a depth buffer over the rays of the fan.

Everything is computed for a left rail; a right one is mirrored at the door. Angles of rays are turned from y towards z.
"""

from dataclasses import dataclass
from math import atan2, ceil, cos, floor, sin

import numpy as np
from pydantic import Field

from twin.core.arrays import Array, BoolArray, IntArray
from twin.core.settings import Settings
from twin.numerics.compiled import compiled
from twin.simulation.rail_head.section import Rail, RailSection

NO_HIT = -1
"""Segment of a ray that meets nothing."""
SILHOUETTE = 0.3e-3
"""How far behind the neighbouring sight lines' hits a point may lie and still be seen [m]."""


class FanConfig(Settings):
    """Where the laser sits and what it lights, for the left rail; that of the right one is its mirror image."""

    nominal_y: float = Field(
        0.7535, ge=0, le=1.5, description="|y| of the reference point of a rail in its nominal place [m]"
    )
    nominal_z: float = Field(
        -0.45, ge=-2, le=2, description="z of that point [m]: the sensor body rides above the rails"
    )
    aim_y: float = Field(
        -0.012, ge=-0.1, le=0.1, description="aim of the fan off the reference point, to the field side [m]"
    )
    aim_z: float = Field(-0.015, ge=-0.1, le=0.1, description="the same upwards [m]: middle of what can be seen")
    distance: float = Field(0.30, ge=0.1, le=1.0, description="from the laser to the aim [m]; out of stones' way")
    inclination: float = Field(
        0.7, ge=-1.2, le=1.2, description="of the fan's middle from the vertical to the gauge side [rad]: it must see "
        "the running surface and the gauge face"
    )  # fmt: skip
    opening: float = Field(0.5, ge=0.05, le=1.2, description="angle between the outer rays [rad]: head and its motion")

    @property
    def aim(self) -> Array:
        """(2,) y and z of the aim in the axes of the body, left rail [m]."""
        return np.array([self.nominal_y + self.aim_y, self.nominal_z + self.aim_z])

    @property
    def towards_laser(self) -> Array:
        """(2,) unit vector from the aim to the laser, left rail."""
        return np.array([-sin(self.inclination), cos(self.inclination)])

    @property
    def origin(self) -> Array:
        """(2,) y and z of the laser, left rail [m]."""
        return np.asarray(self.aim + self.distance * self.towards_laser)

    def angles(self, rays: int) -> Array:
        """(rays,) directions of the rays, from the gauge side to the field side [rad]."""
        middle = atan2(-self.towards_laser[1], -self.towards_laser[0])
        return np.asarray(middle + self.opening * np.linspace(-0.5, 0.5, rays))


@dataclass(frozen=True)
class Sighting:
    """What each ray meets in each image, arrays (samples, rays); NaN where it meets nothing."""

    distance: Array
    """From the laser to the surface [m]."""
    cosine: Array
    """Of the angle between the ray and the surface's normal."""
    heading: Array
    """Direction of the outline there in the axes of the body, from y towards z [rad]; its normal is on the left."""
    path: Array
    """Place on the section, as RailSection.path [m]."""
    polish: Array
    """Share of polished surface there."""


def as_left(place: Array, rail: Rail) -> Array:
    """Places (samples, 3) y, z, roll of a rail, mirrored to the left if it is the right one."""
    return place if rail == 0 else place * np.array([-1.0, 1.0, -1.0])


def sighting(section: RailSection, *, place: Array, origin: Array, angles: Array) -> Sighting:
    """What rays (rays,) from an origin (2,) meet of a left rail at places (samples, 3)."""
    origin_s, direction = _in_section(origin, place), angles - place[:, 2, None]
    distance, segment = _first_hits(section, origin_s, direction, _step(angles))
    missed = segment == NO_HIT
    at, reach = np.where(missed, 0, segment), np.where(missed, 0.0, distance)
    along_y, along_z, length = np.diff(section.y), np.diff(section.z), np.diff(section.path)
    ray_y, ray_z = np.cos(direction), np.sin(direction)
    heading = np.arctan2(along_z, along_y)[at]
    hit_y, hit_z = origin_s[:, :1] + reach * ray_y, origin_s[:, 1:] + reach * ray_z
    done = (hit_y - section.y[at]) * along_y[at] + (hit_z - section.z[at]) * along_z[at]
    path = section.path[at] + done / length[at]
    polish = np.interp(path, section.path, section.polish)
    values = distance, np.sin(heading - direction), heading + place[:, 2, None], path, polish
    return Sighting(*(np.where(missed, np.nan, value) for value in values))


def seen_from(section: RailSection, *, place: Array, eye: Array, points: Array) -> BoolArray:
    """Whether points (n, 2) on a left rail at one place (3,) are seen from an eye (2,), all in the body's y-z plane.

    The rail is the same all along x: an eye ahead of the plane sees what its projection into the plane sees.
    """
    angle = np.arctan2(points[:, 1] - eye[1], points[:, 0] - eye[0])
    rays = np.linspace(angle.min() - 1e-3, angle.max() + 1e-3, 2 * angle.size)
    direction = (rays - place[2])[None, :]
    distance, _ = _first_hits(section, _in_section(eye, place[None, :]), direction, _step(rays))
    left = np.clip(np.searchsorted(rays, angle) - 1, 0, rays.size - 2)
    first = np.maximum(distance[0, left], distance[0, left + 1])
    return np.asarray(np.hypot(points[:, 0] - eye[0], points[:, 1] - eye[1]) < first + SILHOUETTE)


def _in_section(point: Array, place: Array) -> Array:
    """A point (2,) of the body in the axes of the section at each place (samples, 3): (samples, 2)."""
    y, z, roll = point[0] - place[:, 0], point[1] - place[:, 1], place[:, 2]
    return np.column_stack([np.cos(roll) * y + np.sin(roll) * z, np.cos(roll) * z - np.sin(roll) * y])


def _step(angles: Array) -> float:
    """Angle between neighbouring rays [rad], of the fan and not of one image: the same however images are cut."""
    return float(angles[1] - angles[0])


def _first_hits(section: RailSection, origin_s: Array, direction: Array, step: float) -> tuple[Array, IntArray]:
    """Distance and segment (samples, rays) of rays from origins (samples, 2), all in the axes of the section."""
    distance = np.full(direction.shape, np.inf)
    segment = np.full(direction.shape, NO_HIT, dtype=np.int64)
    outline = np.column_stack([section.y, section.z])
    for i in range(direction.shape[0]):
        cast_fan(outline, origin_s[i], float(direction[i, 0]), step, distance[i], segment[i])
    return distance, segment


@compiled
def cast_fan(outline: Array, origin: Array, first: float, step: float, distance: Array, segment: IntArray) -> None:
    """Fill distance and segment (rays,) with the first hit of every ray on the outline (n, 2).

    distance must come filled with infinity; ray k points to first + k step [rad]. Each segment of the outline is
    entered into the rays it spans as seen from the origin; the nearest stays, so what is hidden needs no test.
    """
    middle = first + step * (distance.size // 2)  # angles are taken off it: the cut of atan2 lies behind the laser
    cosine, sine = cos(middle), sin(middle)
    last = 0.0
    for j in range(outline.shape[0]):
        y, z = outline[j, 0] - origin[0], outline[j, 1] - origin[1]
        index = atan2(cosine * z - sine * y, cosine * y + sine * z) / step + distance.size // 2
        if j > 0:
            along_y, along_z = outline[j, 0] - outline[j - 1, 0], outline[j, 1] - outline[j - 1, 1]
            for k in range(max(ceil(min(last, index)), 0), min(floor(max(last, index)), distance.size - 1) + 1):
                ray = first + k * step
                reach = (y * along_z - z * along_y) / (cos(ray) * along_z - sin(ray) * along_y)
                if reach < distance[k]:
                    distance[k] = reach
                    segment[k] = j - 1
        last = index


def surface_points(origin: Array, angles: Array, distance: Array) -> Array:
    """(rays, 2) y and z of the points at distances (rays,) along rays (rays,) from an origin (2,)."""
    return np.column_stack([origin[0] + distance * np.cos(angles), origin[1] + distance * np.sin(angles)])
