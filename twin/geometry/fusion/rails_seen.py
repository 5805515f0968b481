"""A rail seen from a body, in the axes of the track: pure functions.

With the inertial sensor at r = (r_y, h0 + r_z) over the design at s, turned against it by roll phi, pitch theta and yaw
psi, a point at u from the sensor in the body's axes lies at

    (0, r_y, h0 + r_z) + R(psi, theta, phi) u

in the track frame at s, which to first order is DESIGN 3's y^k = r_y + u_y - phi u_z + psi u_x, z^k = h0 + r_z + u_z +
phi u_y - theta u_x. A camera ahead of the inertial sensor sees the rail at s + u_x, where the design has turned on: its
bend over that way, rho_h u_x^2 / 2 and rho_v u_x^2 / 2, and its twist are taken out.
"""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from pydantic import Field

from twin.core.arrays import Array, BoolArray, IntArray
from twin.core.settings import Settings
from twin.core.track import DesignTrack
from twin.core.vehicle import Mounting


class CameraPlace(Settings):
    """Where the points of a camera are counted from, and how its axes are turned on the body."""

    mounting: Mounting = Field(Mounting(), description="origin of its points, from below the middle of the body")
    roll: float = Field(0.0, ge=-0.2, le=0.2, description="of its axes against those of the inertial sensor [rad]")
    y: float = Field(0.0, ge=-0.1, le=0.1, description="added to its lateral places [m]")
    z: float = Field(0.0, ge=-0.1, le=0.1, description="added to its heights [m]")


@dataclass(frozen=True, slots=True)
class SeenRail:
    """One rail in consecutive images. All (images, ...); NaN in images without a fit."""

    rail: int
    """0 the left one, 1 the right one, in running direction."""
    t_ns: IntArray
    y: Array
    """Of the gauge point, in the camera's axes [m]."""
    z: Array
    """Of the running surface [m]."""
    var_y: Array
    var_z: Array
    roll: Array
    """Of the head against its nominal laying, in the camera's axes [rad]."""
    wear: Array
    """(images, 3) vertical, side and at 45 degrees [m]."""
    good: BoolArray
    """Whether the fit may be used."""

    def __len__(self) -> int:
        return int(self.t_ns.size)

    def rows(self, which: slice | BoolArray | IntArray) -> Self:
        """Some of the images."""
        picked = {f.name: getattr(self, f.name)[which] for f in fields(self) if f.name != "rail"}
        return type(self)(self.rail, **picked)


@dataclass(frozen=True, slots=True)
class BodyPlace:
    """The body at the times of images. All (images,)."""

    s: Array
    speed: Array
    roll: Array
    """Against the design [rad]."""
    pitch: Array
    yaw: Array
    r_y: Array
    """Of the inertial sensor off the design line [m]."""
    r_z: Array


@dataclass(frozen=True, slots=True)
class PlacedRail:
    """One rail in the track. All (images,)."""

    s: Array
    """Of the rail below the camera [m]."""
    y: Array
    """Of the gauge point off its nominal place [m]."""
    z: Array
    roll: Array
    """Of the head against its nominal laying [rad]."""


def place_rail(
    seen: SeenRail, body: BodyPlace, camera: CameraPlace, *, imu: Mounting, design: DesignTrack, half_gauge: float
) -> PlacedRail:
    """The rail of each image in the track; half_gauge [m]."""
    at, side = camera.mounting, 1.0 - 2.0 * seen.rail
    cos, sin = np.cos(camera.roll), np.sin(camera.roll)
    y_b = cos * (seen.y + camera.y) - sin * (seen.z + camera.z)
    z_b = cos * (seen.z + camera.z) + sin * (seen.y + camera.y)
    u_x, u_y, u_z = at.x - imu.x, at.y - imu.y + y_b, at.z - imu.z + z_b
    pose = design.pose(body.s)
    c, s = np.cos(body.roll), np.sin(body.roll)
    across, up = c * u_y - s * u_z, c * u_z + s * u_y
    y = body.r_y + across + np.sin(body.yaw) * u_x - pose.rho_h * u_x**2 / 2
    z = imu.z + body.r_z + up - np.sin(body.pitch) * u_x + pose.rho_v * u_x**2 / 2
    twist = pose.rho_tw * u_x  # by which the design has rolled on at the camera, about the line
    y, z = y + twist * z, z - twist * y
    roll = seen.roll + camera.roll + body.roll - twist
    return PlacedRail(body.s + u_x - body.yaw * across, y - side * half_gauge, z, roll)
