"""From pixels to metres: camera, lens and laser plane as calibrated, and a table that maps fast.

Pixels are (column, row); the middle of the first pixel is (0, 0). Camera axes c: x along the columns, y along the rows
(down), z along the line of sight. Distortion is OpenCV's (k1, k2, p1, p2, k3). Sensor axes b: those of the body that
navigation knows, x forward, y left, z up; the laser's plane is across the rail, so y and z of a point are enough.
"""

from dataclasses import dataclass
from math import floor

import numpy as np
from pydantic import Field, model_validator

from twin.core.arrays import Array, frozen
from twin.core.errors import ConfigError
from twin.core.settings import Settings
from twin.numerics.compiled import compiled

STEP = 8
"""Pixels from one node of the table to the next: the bilinear error of a usual lens stays below a micrometre."""
ROUNDS = 60
"""Of the inversion of the lens: the error shrinks by the distortion's slope in each, 0.1 in a strong lens."""
TURNED = 1e-6
"""Largest deviation of R_bc from a rotation."""

Row3 = tuple[float, float, float]


class LaserPlaneCalibration(Settings):
    """What a calibration finds of a laser camera."""

    columns: int = Field(1280, ge=64, le=8192, description="of an image")
    rows: int = Field(512, ge=64, le=8192, description="of an image")
    focal: tuple[float, float] = Field(description="focal lengths along columns and rows [pixels]")
    centre: tuple[float, float] = Field(description="principal point, column and row [pixels]")
    distortion: tuple[float, float, float, float, float] = Field(
        (0.0, 0.0, 0.0, 0.0, 0.0), description="k1, k2, p1, p2, k3 as OpenCV has them"
    )
    plane_normal_c: Row3 = Field(description="unit normal n of the laser's plane n . p = d, camera axes")
    plane_distance: float = Field(gt=0, le=10, description="d, of the plane from the camera along its normal [m]")
    R_bc: tuple[Row3, Row3, Row3] = Field(description="turns camera components into sensor axes")
    p_b: Row3 = Field(description="place of the camera in sensor axes [m]")

    @model_validator(mode="after")
    def _is_geometry(self) -> "LaserPlaneCalibration":
        R_bc = np.array(self.R_bc)
        if np.abs(R_bc @ R_bc.T - np.eye(3)).max() > TURNED or np.linalg.det(R_bc) < 0:
            raise ValueError("R_bc must be a rotation: orthonormal, determinant 1")
        if abs(np.linalg.norm(self.plane_normal_c) - 1) > TURNED:
            raise ValueError("plane_normal_c must have length 1")
        if min(self.focal) <= 0:
            raise ValueError("focal lengths must be positive")
        return self

    @property
    def K(self) -> Array:
        """(3, 3) camera matrix."""
        return np.array([[self.focal[0], 0.0, self.centre[0]], [0.0, self.focal[1], self.centre[1]], [0.0, 0.0, 1.0]])

    def points_b(self, pixels: Array) -> Array:
        """Points (n, 3) of the laser's plane in sensor axes [m] for pixels (n, 2), exactly, one by one."""
        x = undistorted((pixels - np.array(self.centre)) / np.array(self.focal), self.distortion)
        rays = np.column_stack([x, np.ones(pixels.shape[0])])
        reach = self.plane_distance / (rays @ np.array(self.plane_normal_c))
        return np.asarray(np.array(self.p_b) + (reach[:, None] * rays) @ np.array(self.R_bc).T)


def distorted(x: Array, distortion: tuple[float, float, float, float, float]) -> Array:
    """Where a lens puts rays (n, 2) x/z, y/z."""
    k1, k2, p1, p2, k3 = distortion
    r2 = np.sum(x**2, axis=1, keepdims=True)
    radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
    product = 2 * x[:, :1] * x[:, 1:]
    tangential = product * np.array([p1, p2]) + (r2 + 2 * x**2) * np.array([p2, p1])
    return np.asarray(x * radial + tangential)


def undistorted(seen: Array, distortion: tuple[float, float, float, float, float]) -> Array:
    """The rays (n, 2) that a lens puts at places (n, 2): distorted() turned round.

    Each round takes off the error that is left; OpenCV does the same, and stops after five.
    """
    x = seen.copy()
    for _ in range(ROUNDS):
        x = x + (seen - distorted(x, distortion))
    return x


@dataclass(frozen=True)
class PlaneMap:
    """Table of y, z over the pixels of one camera."""

    nodes: Array
    """(rows of nodes, columns of nodes, 2): y and z in sensor axes [m], every STEP pixels."""

    def points(self, column: Array, row: Array) -> Array:
        """(n, 2) y, z [m] of pixels (n,)."""
        return self.points_and_sd(column, row, np.zeros(row.shape))[0]

    def points_and_sd(self, column: Array, row: Array, sd_row: Array) -> tuple[Array, Array]:
        """Points (n, 2) y, z [m], and (n, 2) how far one sd of the row moves them, as a vector [m]."""
        points, moved = np.empty((row.size, 2)), np.empty((row.size, 2))
        look_up(self.nodes, column, row, points, moved)
        return points, moved * sd_row[:, None]


def plane_map(calibration: LaserPlaneCalibration) -> PlaneMap:
    """The table of a calibration; ConfigError where the plane is not in front of every pixel."""
    columns = np.arange(0.0, calibration.columns + STEP, STEP)
    rows = np.arange(0.0, calibration.rows + STEP, STEP)
    grid = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2)
    points = calibration.points_b(grid)
    ahead = (points - np.array(calibration.p_b)) @ np.array(calibration.R_bc)[:, 2]
    if not np.all(np.isfinite(points)) or ahead.min() <= 0:
        raise ConfigError("the laser's plane must lie in front of the camera for every pixel: check the calibration")
    return PlaneMap(frozen(points[:, 1:].reshape(rows.size, columns.size, 2).copy()))


@compiled
def look_up(nodes: Array, column: Array, row: Array, points: Array, per_row: Array) -> None:
    """Fill points (n, 2) with y, z of pixels (n,), and per_row (n, 2) with what a row changes; bilinear in nodes."""
    for i in range(row.size):
        c = min(max(floor(column[i] / STEP), 0), nodes.shape[1] - 2)
        r = min(max(floor(row[i] / STEP), 0), nodes.shape[0] - 2)
        across, down = column[i] / STEP - c, row[i] / STEP - r
        for k in range(2):
            top = nodes[r, c, k] + across * (nodes[r, c + 1, k] - nodes[r, c, k])
            bottom = nodes[r + 1, c, k] + across * (nodes[r + 1, c + 1, k] - nodes[r + 1, c, k])
            points[i, k] = top + down * (bottom - top)
            per_row[i, k] = (bottom - top) / STEP
