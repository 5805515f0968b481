"""Rail heads as laser cameras see them: cameras in good and bad light, what is true of their images, calibrations."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array
from twin.geometry.laser import LaserPlaneCalibration, PlaneMap
from twin.simulation.rail_head import (
    CLEAN,
    CLEAR,
    COLUMNS,
    ROWS,
    CameraConfig,
    CameraTruth,
    EpisodeConfig,
    LaserLine,
    LineConfig,
    Rail,
    RailCamera,
    RailSection,
    RailSectionConfig,
    SoilingConfig,
    StrayConfig,
    rail_section,
)

BRIGHT = CameraConfig(line=LineConfig(speckle=0.0), stray=CLEAR.stray, soiling=CLEAN)
"""Noise of the sensor and saturation, but no speckle, no dirt and no stray light."""
SPECKLED = CameraConfig(stray=CLEAR.stray, soiling=CLEAN)
"""The same with speckle: clean glass and clean rail in the shade."""
DEGRADED = CameraConfig(
    stray=StrayConfig(spots=3.0, ghost=0.6, drops=EpisodeConfig(frequency=0.3, shortest=1.0, longest=3.0)),
    soiling=SoilingConfig(
        window=EpisodeConfig(frequency=0.3, shortest=1.0, longest=3.0),
        rail=EpisodeConfig(frequency=3.0, shortest=0.05, longest=0.3),
        glare=EpisodeConfig(frequency=1.0, shortest=0.2, longest=2.0),
        glare_strength=1.0,
    ),
)
"""Rain on the window, dirt on rail and laser, sun, reflections: ten times what the reference camera has."""
NOMINAL = np.array([0.7535, -0.45, 0.0])
"""Place of a left rail under the sensor: y, z [m], roll [rad]."""
RATE = CameraConfig().rate
"""Images per second of every camera here [Hz]."""
CROSSINGS = 4
"""Times the line may cross a column."""


@dataclass(frozen=True)
class Stretch:
    """A worn rail under a camera for some images."""

    camera: RailCamera
    section: RailSection
    rail: Rail
    wear: tuple[float, float]
    """Vertical and side wear [m]."""
    places: Array
    """(images, 3) y, z, roll."""
    first: int
    """Number of the first image."""

    @property
    def side(self) -> float:
        """1 for a left rail, -1 for a right one."""
        return 1.0 if self.rail == 0 else -1.0


def stretches(config: CameraConfig, *, count: int, length: int, seed: int) -> Iterator[Stretch]:
    """Rails of all wears, places and rolls, left and right in turn."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        rail: Rail = 0 if k % 2 == 0 else 1
        mirror = np.array([1.0, 1.0, 1.0]) if rail == 0 else np.array([-1.0, 1.0, -1.0])
        wear = (float(rng.uniform(0, 5e-3)), float(rng.uniform(0, 6e-3)))
        section = rail_section(RailSectionConfig(vertical_wear=wear[0], side_wear=wear[1]))
        camera = RailCamera(config, rail=rail, section=section, seed=int(rng.integers(1_000_000)))
        start = NOMINAL + rng.standard_normal(3) * np.array([4e-3, 4e-3, 8e-3])
        places = (start + np.cumsum(0.2e-3 * rng.standard_normal((length, 3)), axis=0)) * mirror
        yield Stretch(camera, section, rail, wear, places, int(rng.integers(100_000)))


def calibration_of(truth: CameraTruth) -> LaserPlaneCalibration:
    """What a perfect calibration finds: the laser's plane is x = 0 of the body."""
    R_cb, p_b = np.array(truth.R_cb), np.array(truth.p_b)
    normal, distance = -R_cb[:, 0], float(p_b[0])
    if distance < 0:
        normal, distance = -normal, -distance
    return LaserPlaneCalibration(
        focal=(float(truth.K[0, 0]), float(truth.K[1, 1])),
        centre=(float(truth.K[0, 2]), float(truth.K[1, 2])),
        distortion=(truth.k1, truth.k2, 0.0, 0.0, 0.0),
        plane_normal_c=tuple(normal.tolist()),
        plane_distance=distance,
        R_bc=tuple(tuple(row) for row in R_cb.T.tolist()),
        p_b=tuple(p_b.tolist()),
    )


def true_rows(line: LaserLine) -> tuple[Array, Array]:
    """Rows where the line crosses each column, and its slope there: (COLUMNS, CROSSINGS), NaN where there is none."""
    rows, slopes = (np.full((COLUMNS, CROSSINGS), np.nan) for _ in range(2))
    count = np.zeros(COLUMNS, dtype=np.int64)
    for i in np.flatnonzero(line.joined):
        (start, top), (end, bottom) = sorted((line.pixels[i].tolist(), line.pixels[i + 1].tolist()))
        for c in range(max(int(np.floor(start)) + 1, 0), min(int(np.floor(end)), COLUMNS - 1) + 1):
            slope = (bottom - top) / (end - start)
            row = top + slope * (c - start)
            if 0 <= row < ROWS and count[c] < CROSSINGS:
                rows[c, count[c]], slopes[c, count[c]] = row, slope
                count[c] += 1
    return rows, slopes


def off_line(column: Array, row: Array, line: LaserLine) -> Array:
    """(n,) distance of points across the line [pixels]; infinite in columns where there is no line."""
    rows, slopes = true_rows(line)
    at = column.astype(np.int64)
    off = np.abs(row[:, None] - rows[at]) / np.hypot(1.0, slopes[at])
    return np.min(np.where(np.isfinite(off), off, np.inf), axis=1)


def true_head(section: RailSection, place: Array, rail: Rail) -> tuple[float, float]:
    """y of the gauge point and z of the running surface in the axes of the body [m]."""
    side = 1.0 if rail == 0 else -1.0
    return _measured(section.points_in_body(place, rail=rail) * np.array([side, 1.0]), side)


def lit_head(stretch: Stretch, number: int, place: Array, table: PlaneMap) -> tuple[float, float]:
    """The same of the surface that the laser lights, dirt included, by its line; NaN where it is hidden."""
    line = stretch.camera.line(number / RATE, place)
    seen = np.append(line.joined, False) | np.append(False, line.joined)
    points = table.points(*line.pixels[seen].T) * np.array([stretch.side, 1.0])
    low = points[:, 1] < points[:, 1].max() - 40e-3
    return _measured(points[~low], stretch.side)


def _measured(points: Array, side: float) -> tuple[float, float]:
    """y of the gauge point and z of the running surface of points (n, 2) of a left rail, from its gauge side on."""
    top = int(points[:, 1].argmax())
    lowest = points[top, 1] - 14e-3
    below = np.flatnonzero(points[:top, 1] < lowest)
    if not below.size:
        return float("nan"), float(points[top, 1])
    start = int(below[-1])
    share = (lowest - points[start, 1]) / (points[start + 1, 1] - points[start, 1])
    met = points[start, 0] + share * (points[start + 1, 0] - points[start, 0])
    return side * float(min(met, points[start + 1 : top + 1, 0].min())), float(points[top, 1])
