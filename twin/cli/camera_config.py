"""What the estimators are told about the cameras of a simulated run: a calibration with the errors of one."""

import numpy as np

from sensors.camera import RAILS, CameraDevice
from twin.core.arrays import Array
from twin.geometry.laser import LaserPlaneCalibration
from twin.numerics.rotations import rotation
from twin.simulation import Scenario
from twin.simulation.rail_head import COLUMNS, ROWS, CameraTruth, Rail, camera_truth
from twin.simulation.survey import CameraErrors

DIGITS = 9
"""Of a calibration's numbers: a file of one holds no more."""


def camera_devices(scenario: Scenario) -> tuple[CameraDevice, ...]:
    """The cameras of a scenario as they are configured; their images are played from the folder of the run."""
    imaging = None if scenario.dynamics is None else scenario.dynamics.cameras
    if imaging is None:
        return ()
    rails: tuple[Rail, Rail] = (0, 1)
    return tuple(
        CameraDevice(
            name=f"camera_{side}",
            rail=side,
            source="folder",
            path=f"images/{side}",
            rate=imaging.camera.rate,
            mounting=scenario.surveyed.mounting(imaging.mounting, kind="camera"),
            origin="simulated calibration",
            plane=calibrated(
                camera_truth(imaging.camera.pinhole, imaging.camera.fan, rail=rail), scenario.surveyed.camera(side)
            ),
        )
        for rail, side in zip(rails, RAILS, strict=True)
    )


def calibrated(truth: CameraTruth, errors: CameraErrors) -> LaserPlaneCalibration:
    """What a calibration with these errors finds; the true laser plane is x = 0 of the body."""
    turned = rotation(roll=errors.turn[0], pitch=errors.turn[1], yaw=errors.turn[2]) @ np.array(truth.R_cb)
    p_b = np.array(truth.p_b) + np.array([0.0, *errors.place])
    normal, distance = -np.array(truth.R_cb)[:, 0], float(truth.p_b[0])
    side = 1.0 if distance > 0 else -1.0
    across = np.linalg.svd(normal[None, :])[2][1:]  # two directions in the plane
    normal = normal + errors.plane_turn @ across
    focal = truth.K[[0, 1], [0, 1]] + errors.lens[0]
    R_bc = _nearest_rotation(np.round(turned.T, DIGITS))
    return LaserPlaneCalibration(
        columns=COLUMNS,
        rows=ROWS,
        focal=(float(focal[0]), float(focal[1])),
        centre=(float(truth.K[0, 2] + errors.lens[1]), float(truth.K[1, 2] + errors.lens[2])),
        distortion=(truth.k1, truth.k2, 0.0, 0.0, 0.0),
        plane_normal_c=tuple((side * normal / np.linalg.norm(normal)).tolist()),
        plane_distance=side * distance + errors.plane_distance,
        R_bc=tuple(tuple(row) for row in R_bc.tolist()),
        p_b=tuple(p_b.tolist()),
    )


def _nearest_rotation(R: Array) -> Array:
    U, _, Vt = np.linalg.svd(R)
    return np.asarray(U @ Vt)
