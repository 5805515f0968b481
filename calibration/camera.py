"""Calibration of a laser camera: lens and laser plane from images of a chessboard, refused where data are too poor."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from pydantic import Field

from calibration.camera_boards import Poses
from calibration.camera_bundle import LENS, Bundle, adjust, derivative, mapped, shape_sd
from calibration.store import Calibration, Origin, rounded
from twin.core.arrays import Array
from twin.core.errors import CalibrationError
from twin.core.settings import Settings
from twin.geometry.laser import LaserPlaneCalibration

CELLS = (8, 4)
"""Columns and rows of the cells in which an image is looked at for corners."""
SURVEY = 32
"""Pixels between the places where the mapping is judged."""
Looks = Literal["forward", "backward"]
Row3 = tuple[float, float, float]


class CameraConfig(Settings):
    """What is asked of the images before their calibration is believed."""

    boards: int = Field(8, ge=4, le=200, description="least boards seen: three fix a lens, the others check it")
    lines: int = Field(5, ge=2, le=200, description="least boards with the laser's line: two fix its plane")
    coverage: float = Field(0.6, ge=0.1, le=1, description="least part of the image that boards have covered [-]")
    tilt: float = Field(
        0.17, ge=0.01, le=1, description="least sd of the boards' normals [rad]; parallel boards leave the focal "
        "length open"
    )  # fmt: skip
    rms: float = Field(0.4, gt=0, le=5, description="largest rms distance of corners from where they belong [pixels]")
    plane_rms: float = Field(0.2e-3, gt=0, le=0.01, description="largest rms distance of the line from its plane [m]")
    grazing: float = Field(
        0.17, ge=0.02, le=1, description="least angle of rays against the laser's plane [rad]: below, it lies nearly "
        "through the camera and a pixel of error is many millimetres"
    )  # fmt: skip
    sd_point: float = Field(0.1e-3, gt=0, le=0.01, description="largest sd of a mapped point against others [m]")


class CameraSeat(Settings):
    """How the camera sits, as far as images of boards cannot tell."""

    looks: Looks = Field("forward", description="whether the camera looks at the plane in running direction or against")
    place: Row3 = Field((0.0, 0.0, 0.0), description="of the camera in sensor axes [m]: where points are counted from")


@dataclass(frozen=True, slots=True)
class CameraFound:
    """A laser camera as calibrated."""

    poses: Poses
    bundle: Bundle
    record: LaserPlaneCalibration
    sd_turn: float
    """Of the sensor axes about the laser plane's normal [rad]; 0 where they follow the image by definition."""
    coverage: float
    """Part of the image that corners have covered."""
    survey: Array
    """(n, 2) pixels near which lines were seen."""
    survey_sd: Array
    """(n,) of points mapped there, but for the place of all [m]."""

    @property
    def rms(self) -> float:
        """Of the corners [pixels]: root of the mean square of their distances."""
        return float(np.sqrt(np.mean([np.mean(np.sum(each**2, axis=1)) for each in self.bundle.corner_errors])))

    @property
    def plane_rms(self) -> float:
        """Of the laser's line about its plane [m]."""
        return float(np.sqrt(np.mean(np.concatenate(self.bundle.line_errors) ** 2)))

    def calibration(self, *, date: datetime.date, source: str) -> Calibration:
        """As a file."""
        origin = Origin(kind="camera", date=date, source=source, uncertainty=self.uncertainty)
        return Calibration(calibration=origin, camera=self.record.model_dump(mode="json"))

    @property
    def uncertainty(self) -> dict[str, float]:
        """Standard deviations by the keys of a file."""
        sd_lens = np.sqrt(np.diag(self.bundle.S))[:LENS]
        names = ("focal.0", "focal.1", "centre.0", "centre.1", *(f"distortion.{k}" for k in range(4)))
        values = dict(zip((f"camera.{name}" for name in names), rounded(sd_lens), strict=True))
        sd = np.sqrt(np.diag(_normal_and_distance_covariance(self.bundle)))
        keys = [*(f"camera.plane_normal_c.{k}" for k in range(3)), "camera.plane_distance", "camera.R_bc"]
        return values | dict(zip(keys, rounded(np.append(sd, self.sd_turn)), strict=True))


def calibrate_camera(
    poses: Poses, *, seat: CameraSeat, level: Array | None = None, config: CameraConfig | None = None
) -> CameraFound:
    """Calibrate on poses, or raise CalibrationError with the reason why not.

    level (points, 2): pixels of the line on a straightedge across both rails; without, the image's upright is that of
    the sensor axes.
    """
    config = config or CameraConfig()
    coverage = _enough(poses, config)
    bundle = adjust(poses, largest_rms=config.rms)
    _tilted(bundle, config)
    survey = _survey(poses)
    _good(bundle, survey, config)
    survey_sd = shape_sd(bundle, survey)
    if survey_sd.max() > config.sd_point:
        raise CalibrationError(
            f"mapped points would be known to {1e3 * survey_sd.max():.2g} mm only, {1e3 * config.sd_point:.2g} mm are "
            "needed: take more poses with the laser's line, at more distances and tilts"
        )
    R_bc, sd_turn = sensor_axes(bundle, seat=seat, level=level)
    record = _record(bundle, poses, R_bc, seat)
    return CameraFound(poses, bundle, record, sd_turn, coverage, survey, survey_sd)


def sensor_axes(bundle: Bundle, *, seat: CameraSeat, level: Array | None) -> tuple[Array, float]:
    """R_bc with x across the laser's plane, and the sd of its turn about x [rad].

    y is along the straightedge or, without one, level in the image; z is up, where the camera is.
    """
    x_c = bundle.plane / np.linalg.norm(bundle.plane) * (1.0 if seat.looks == "forward" else -1.0)
    sd = 0.0
    if level is None:
        z_c = np.array([0.0, -1.0, 0.0]) - (-x_c[1]) * x_c
        z_c = z_c / np.linalg.norm(z_c)
    else:
        points = mapped(np.concatenate([bundle.lens, bundle.plane]), level)
        along, sd = straight(points)
        z_c = np.cross(x_c, along)
        z_c = z_c * -np.sign(z_c @ points.mean(axis=0))  # the camera looks down on the rail
    return np.stack([x_c, np.cross(z_c, x_c), z_c]), sd


def straight(points: Array) -> tuple[Array, float]:
    """Direction (3,) of a line through points (n, 3), and the sd of its angle in the plane they lie in [rad].

    Points beyond four sd are left out until none is; neighbours a stride apart count as independent.
    """
    kept = points
    while True:
        middle = kept.mean(axis=0)
        _, spread, axes = np.linalg.svd(kept - middle, full_matrices=False)
        off = (kept - middle) @ axes[1]
        inside = np.abs(off) <= 4 * off.std() + np.finfo(float).eps
        if inside.all():
            return axes[0], float(off.std(ddof=2) / spread[0])
        kept = kept[inside]


def covered(poses: Poses) -> Array:
    """(rows, columns) of CELLS: corners in every cell of the image."""
    corners = np.concatenate([pose.corners for pose in poses.found])
    extent = [[0, poses.columns], [0, poses.rows]]
    return np.asarray(np.histogram2d(corners[:, 0], corners[:, 1], bins=CELLS, range=extent)[0].T)


def _enough(poses: Poses, config: CameraConfig) -> float:
    """The part of the image that is covered, if boards and lines are enough."""
    lines = sum(len(pose.line) > 0 for pose in poses.found)
    for what, number, least in (("board", len(poses.found), config.boards), ("laser line", lines, config.lines)):
        if number < least:
            reasons = "; ".join(f"{name}: {reason}" for name, reason in poses.refused.items())
            raise CalibrationError(
                f"a {what} is seen in {number} poses, at least {least} are needed"
                + (f" ({reasons})" if reasons else "")
            )
    coverage = float(np.mean(covered(poses) > 0))
    if coverage < config.coverage:
        raise CalibrationError(
            f"boards cover {100 * coverage:.0f} % of the image, at least {100 * config.coverage:.0f} % are needed: "
            "show them in the corners as well"
        )
    return coverage


def _tilted(bundle: Bundle, config: CameraConfig) -> None:
    spread = float(np.sqrt(np.mean(bundle.tilts**2)))
    if spread < config.tilt:
        raise CalibrationError(
            f"boards are tilted by {np.degrees(spread):.1f} degrees (rms), {np.degrees(config.tilt):.0f} are needed: "
            "parallel boards do not tell the focal length"
        )


def _good(bundle: Bundle, survey: Array, config: CameraConfig) -> None:
    """Raise CalibrationError where the plane is seen edge on, or is none."""
    points = mapped(np.concatenate([bundle.lens, bundle.plane]), survey)
    sine = (points @ bundle.plane) / np.linalg.norm(bundle.plane) / np.linalg.norm(points, axis=1)
    angle = float(np.arcsin(np.abs(sine)).min())
    if angle < config.grazing or points[:, 2].min() <= 0:
        raise CalibrationError(
            f"the laser's plane passes nearly through the camera: rays meet it at {np.degrees(angle):.1f} degrees, at "
            f"least {np.degrees(config.grazing):.0f} are needed; mount the laser farther from the camera"
        )
    plane_rms = float(np.sqrt(np.mean(np.concatenate(bundle.line_errors) ** 2)))
    if plane_rms > config.plane_rms:
        raise CalibrationError(
            f"the laser's line is {1e3 * plane_rms:.2f} mm (rms) from a plane, at most {1e3 * config.plane_rms:g} mm: "
            "did every board hold still between its two images?"
        )


def _survey(poses: Poses) -> Array:
    """(n, 2) pixels of a grid that lie among the points of lines."""
    line = np.concatenate([pose.line[:, :2] for pose in poses.found])
    cells = np.unique(np.round(line / SURVEY).astype(np.int64), axis=0)
    return np.asarray(cells * float(SURVEY))


def _record(bundle: Bundle, poses: Poses, R_bc: Array, seat: CameraSeat) -> LaserPlaneCalibration:
    size = float(np.linalg.norm(bundle.plane))
    fx, fy, cx, cy, k1, k2, p1, p2 = bundle.lens.tolist()
    values: dict[str, Any] = {
        "columns": poses.columns,
        "rows": poses.rows,
        "focal": (fx, fy),
        "centre": (cx, cy),
        "distortion": (k1, k2, p1, p2, 0.0),
        "plane_normal_c": _row(bundle.plane / size),
        "plane_distance": 1 / size,
        "R_bc": tuple(_row(row) for row in R_bc),
        "p_b": seat.place,
    }
    return LaserPlaneCalibration.load(values, where="camera")


def _row(values: Array) -> Sequence[float]:
    return tuple(float(value) for value in values)


def _normal_and_distance_covariance(bundle: Bundle) -> Array:
    """(4, 4) of the plane's normal and distance."""

    def form(q: Array) -> Array:
        size = np.linalg.norm(q)
        return np.append(q / size, 1 / size)

    J = derivative(form, bundle.plane)
    return np.asarray(J @ bundle.S[LENS:, LENS:] @ J.T)
