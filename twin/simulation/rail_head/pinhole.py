"""The camera as a pinhole with a distorting lens, and the truth that its calibration is judged against.

Pixels are (column, row); the middle of the first pixel is (0, 0). Camera axes c: x along the columns, y along the
rows (down), z along the line of sight. Distortion as OpenCV has it: x_d = x (1 + k1 r^2 + k2 r^4).
"""

from dataclasses import dataclass
from math import cos, sin

import numpy as np
from pydantic import Field

from twin.core.arrays import Array, frozen
from twin.core.settings import Settings
from twin.numerics.rotations import rotation
from twin.simulation.rail_head.section import Rail
from twin.simulation.rail_head.sight import FanConfig

ROWS, COLUMNS = 512, 1280
"""Size of an image."""


class PinholeConfig(Settings):
    """Lens and mounting of a camera that looks from ahead at the plane of the laser."""

    distance: float = Field(0.40, ge=0.1, le=1.5, description="from the camera to the aim of the laser [m]")
    triangulation: float = Field(
        0.7, ge=0.15, le=1.4, description="angle between the line of sight and the laser's plane [rad]: resolution "
        "of depth grows with its sine, what is hidden with its tangent"
    )  # fmt: skip
    inclination: float = Field(
        0.7,
        ge=-1.2,
        le=1.2,
        description="of the camera, seen along the rail, from the vertical to the gauge side [rad]",
    )
    roll: float = Field(0.004, ge=-0.2, le=0.2, description="mounting error about the line of sight [rad]")
    pitch: float = Field(-0.006, ge=-0.2, le=0.2, description="mounting error about the columns' axis [rad]")
    yaw: float = Field(0.005, ge=-0.2, le=0.2, description="mounting error about the rows' axis [rad]")
    focal_length: float = Field(3200.0, ge=300, le=2e4, description="in pixels: 160 mm fill the width at 0.4 m")
    column: float = Field(648.3, ge=0, le=COLUMNS, description="of the principal point [pixels]: never in the middle")
    row: float = Field(249.1, ge=0, le=ROWS, description="of the principal point [pixels]")
    k1: float = Field(-0.15, ge=-1, le=1, description="radial distortion, second order: 5 pixels in the corners")
    k2: float = Field(0.10, ge=-5, le=5, description="radial distortion, fourth order")


@dataclass(frozen=True)
class CameraTruth:
    """What a calibration tries to find: the camera in the axes of the sensor body b."""

    K: Array
    """(3, 3) intrinsics: focal lengths and principal point [pixels]."""
    k1: float
    """Radial distortion, second order."""
    k2: float
    """Radial distortion, fourth order."""
    R_cb: Array
    """(3, 3) turns components in b into camera axes."""
    p_b: Array
    """(3,) place of the camera [m]; the laser's plane is x = 0."""
    H: Array
    """(3, 3) laser plane (y, z, 1) [m] to undistorted pixels, up to scale."""

    def undistorted(self, points: Array) -> Array:
        """Pixels (n, 2) that a lens without distortion would give points (n, 2) y, z of the laser's plane."""
        rays = np.column_stack([points, np.ones(points.shape[0])]) @ self.H.T
        return np.asarray(rays[:, :2] / rays[:, 2:])

    def pixels(self, points: Array) -> Array:
        """Pixels (n, 2) where the camera sees points (n, 2) y, z of the laser's plane."""
        focal, centre = np.array([self.K[0, 0], self.K[1, 1]]), self.K[:2, 2]
        x = (self.undistorted(points) - centre) / focal
        r2 = np.sum(x**2, axis=1, keepdims=True)
        return np.asarray(centre + focal * x * (1 + r2 * (self.k1 + self.k2 * r2)))


def camera_truth(config: PinholeConfig, fan: FanConfig, *, rail: Rail) -> CameraTruth:
    """The camera over a rail. Those of both rails are mounted as mirror images; their lenses are not mirrored."""
    side = 1.0 if rail == 0 else -1.0
    aim = np.array([0.0, side * fan.aim[0], fan.aim[1]])
    upwards = np.array([0.0, -side * sin(config.inclination), cos(config.inclination)])
    back = cos(config.triangulation) * upwards + np.array([sin(config.triangulation), 0.0, 0.0])
    # an image that is not mirrored, with what lies deeper further down: its columns run to the left rail's field
    # side, and to the right rail's gauge side
    columns = np.array([0.0, cos(config.inclination), side * sin(config.inclination)])
    aimed = np.array([columns, np.cross(-back, columns), -back])
    # the axes of the camera are x, y, z = columns, rows, line of sight
    R_cb = rotation(roll=config.pitch, pitch=config.yaw, yaw=config.roll) @ aimed
    p_b = aim + config.distance * back
    K = np.array([[config.focal_length, 0.0, config.column], [0.0, config.focal_length, config.row], [0.0, 0.0, 1.0]])
    plane = np.column_stack([R_cb[:, 1], R_cb[:, 2], -R_cb @ p_b])
    return CameraTruth(frozen(K), config.k1, config.k2, frozen(R_cb), frozen(p_b), frozen(K @ plane))
