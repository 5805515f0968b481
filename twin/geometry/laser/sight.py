"""Rail heads from what a sensor delivers: images of a laser camera, or points of a profile scanner."""

import numpy as np

from twin.core.arrays import Array
from twin.geometry.laser.line import Centres, ExtractionSettings, LineExtractor
from twin.geometry.laser.plane import LaserPlaneCalibration, plane_map
from twin.geometry.laser.registration import HeadFix, Registration, RegistrationSettings
from twin.geometry.laser.ridges import Image
from twin.geometry.laser.section import HeadSection
from twin.geometry.laser.strip import Strip


class CameraSight:
    """Image after image of one rail to its head. Remembers what its registration remembers."""

    def __init__(
        self,
        calibration: LaserPlaneCalibration,
        registration: RegistrationSettings,
        *,
        rail: int,
        extraction: ExtractionSettings | None = None,
        section: HeadSection | None = None,
    ) -> None:
        self._extractor = LineExtractor(
            extraction or ExtractionSettings(), rows=calibration.rows, columns=calibration.columns
        )
        self._map = plane_map(calibration)
        self._registration = Registration(registration, rail=rail, section=section)

    def find(self, seen: Image | Strip | Centres, *, tilt: float = 0.0) -> HeadFix:
        """The head in an image (rows, columns) of 8 bit, its strip or its line, which all give the same.

        tilt: roll of the plane over both rails [rad].
        """
        line = seen if isinstance(seen, Centres) else self._extractor.centres(seen)
        points, moved = self._map.points_and_sd(line.column.astype(np.float64), line.row, line.sd)
        return self._registration.find(points, moved, line.saturated, tilt=tilt, peak=line.peak)

    def forget(self) -> None:
        """The next image is looked at as if it were the first."""
        self._registration.forget()


class ScannerSight:
    """Cross-section after cross-section of one rail, point by point, to its head."""

    def __init__(
        self,
        registration: RegistrationSettings,
        *,
        rail: int,
        sd_depth: float = 40e-6,
        section: HeadSection | None = None,
    ) -> None:
        """sd_depth: of a point across the surface [m]; a scanner's points share no errors."""
        settings = registration.model_copy(
            update={"sd_point": float(np.hypot(sd_depth, registration.sd_point)), "shared": 1.0, "thinned": 2}
        )
        self._registration = Registration(settings, rail=rail, section=section)

    def find(self, row: Array, *, tilt: float = 0.0) -> HeadFix:
        """The head in a row (1 + 2 points): the rail, then y and z of every point [m], NaN where there is none."""
        points = row[1:].reshape(-1, 2)
        return self._registration.find(points, np.zeros_like(points), tilt=tilt)
