"""Figures of the laser camera: how well lines and heads are found, how surely bad fits are called bad, how fast."""

from collections.abc import Callable
from time import process_time

import cv2
import numpy as np
from scipy.spatial import cKDTree

from tests.benchmarks.figure import Figure
from tests.benchmarks.vehicle_figure import named
from tests.laser_cases import (
    BRIGHT,
    DEGRADED,
    SPECKLED,
    Stretch,
    calibration_of,
    lit_head,
    off_line,
    stretches,
    true_head,
)
from twin.core.arrays import Array, BoolArray
from twin.geometry.laser import (
    PLACE_FAULTS,
    CameraSight,
    ExtractionSettings,
    HeadSection,
    Image,
    LaserPlaneCalibration,
    LineExtractor,
    RegistrationSettings,
    ScannerSight,
    SectionSettings,
    head_section,
    plane_map,
)
from twin.geometry.laser.section import FIRST, LAST, NODES
from twin.simulation.rail_head import CameraConfig, ProfileScanner, RailPlace, ScannerConfig

SEED = 4001
"""Nothing was chosen on the rails that follow from it."""
WRONG = 0.5e-3
"""Error of gauge point or running surface of a wrong fit [m]."""
BARE = 0.05e-3
"""Dirt at gauge point and running surface that counts as none [m]."""
SD_SECTION = 30e-6
"""Error of a measured section [m], over a centimetre of surface."""
USABLE, PLACED, LIT, STEEL, PLACE = 0, 1, slice(2, 4), slice(4, 6), slice(6, 9)
"""Columns of errors: verdicts on head and place; gauge point and running surface against the surface as the laser
lights it, dirt included, and against bare steel; y, z and roll of the place."""
NAIVE_ROUNDS = 30
"""Of iterated closest points."""


def figures(rails: int = 40, length: int = 30) -> list[Figure]:
    """All of them."""
    return [*_speeds(), *_lines(), *_heads(rails, length)]


def _lines() -> list[Figure]:
    """95 % of the distance across the line, over all points of forty images each [pixels]."""
    extractor = LineExtractor(ExtractionSettings())
    found = []
    for name, config in (("clean", BRIGHT), ("speckled", SPECKLED), ("degraded", DEGRADED)):
        off = []
        for stretch in stretches(config, count=40, length=1, seed=SEED):
            seen = extractor.extract(stretch.camera.render(stretch.first, stretch.places[0]))
            line = stretch.camera.line(stretch.first / config.rate, stretch.places[0])
            off.append(off_line(seen.column, seen.row, line))
        found.append(named(f"geometry.line_subpixel_{name}", float(np.percentile(np.concatenate(off), 95)), "pixel"))
    return found


def _heads(rails: int, length: int) -> list[Figure]:
    """Errors of heads in the reference camera's light, and verdicts in that and in bad light.

    Wrong is what is off bare steel: dirt on running surface or gauge face counts against the fit.

    Every second pair of rails is fitted with a section that was measured, with its errors.
    """
    service = _errors_of(CameraConfig(), rails, length, seed=SEED)
    both = np.concatenate([service, _errors_of(DEGRADED, rails, length, seed=SEED + 1)])
    used = service[service[:, USABLE] > 0]
    p95 = np.percentile(np.abs(used[:, STEEL.start :]), 95, axis=0) * 1e3
    known = both[np.isfinite(both[:, STEEL]).all(axis=1)]
    usable = known[:, USABLE] > 0
    wrong = np.abs(known[:, STEEL]).max(axis=1) > WRONG
    off_both = wrong & (np.abs(known[:, LIT]) > WRONG).any(axis=1)  # not even the dirt was met
    coat = np.abs(known[:, STEEL] - known[:, LIT])
    bare = ~wrong & (coat < BARE).all(axis=1)
    place_wrong = np.abs(known[:, PLACE.start]) > WRONG
    return [
        named("geometry.head_gauge_95_mm", p95[0], "mm"),
        named("geometry.head_running_surface_95_mm", p95[1], "mm"),
        named("geometry.head_place_y_95_mm", p95[2], "mm"),
        named("geometry.head_place_z_95_mm", p95[3], "mm"),
        named("geometry.head_roll_95_mrad", p95[4], "mrad"),
        named("geometry.fits_judged", known.shape[0], "1"),
        named("geometry.fits_wrong", wrong.sum(), "1"),
        named("geometry.fits_wrong_flagged", _percent(~usable & wrong, wrong, empty=100.0), "%"),
        named("geometry.fits_good_flagged", _percent(~usable & ~wrong, ~wrong, empty=0.0), "%"),
        named("geometry.fits_good_flagged_service", 100 * float(np.mean(service[:, USABLE] == 0)), "%"),
        named("geometry.fits_bare_flagged", _percent(~usable & bare, bare, empty=0.0), "%"),
        named("geometry.fits_wrong_off_dirt_too", off_both.sum(), "1"),
        named("geometry.fits_wrong_off_dirt_too_unflagged", (usable & off_both).sum(), "1"),
        named("geometry.place_wrong", place_wrong.sum(), "1"),
        named("geometry.place_wrong_unflagged", (place_wrong & (known[:, PLACED] > 0)).sum(), "1"),
    ]


def _percent(part: BoolArray, whole: BoolArray, *, empty: float) -> float:
    return 100 * float(part.sum()) / float(whole.sum()) if whole.any() else empty


def _errors_of(config: CameraConfig, rails: int, length: int, *, seed: int) -> Array:
    """Of all images, one rail after the other."""
    every = stretches(config, count=rails, length=length, seed=seed)
    return np.concatenate([_errors(stretch, number) for number, stretch in enumerate(every)])


def _errors(stretch: Stretch, number: int) -> Array:
    """(images, 9): whether head and place are called usable, then errors, as the columns are named above."""
    section = head_section(SectionSettings())
    if number // 2 % 2:
        section = measured_section(section, seed=SEED + number)
    calibration = calibration_of(stretch.camera.truth)
    sight = CameraSight(calibration, RegistrationSettings(), rail=stretch.rail, section=section)
    found = []
    table = plane_map(calibration)
    for i, place in enumerate(stretch.places):
        fix = sight.find(stretch.camera.render(stretch.first + i, place))
        steel = true_head(stretch.section, place, stretch.rail)
        lit = lit_head(stretch, stretch.first + i, place, table)
        head = np.array([fix.gauge_y, fix.top_z])
        placed = not fix.verdict & PLACE_FAULTS
        found.append([fix.usable, placed, *(head - lit), *(head - steel), *(fix.place - place)])
    return np.array(found)


def measured_section(section: HeadSection, *, seed: int) -> HeadSection:
    """The section as an instrument with errors of its own has it."""
    rng = np.random.default_rng(seed)
    places = np.linspace(FIRST, LAST, 16)
    off = np.interp(np.linspace(FIRST, LAST, NODES), places, SD_SECTION * rng.standard_normal(places.size))
    radius = section.table[:, 0] + off
    table = np.column_stack([radius, np.gradient(radius, section.angles)])
    return HeadSection(section.centre, table, section.inclination)


def _speeds() -> list[Figure]:
    """Images and cross-sections per second on one core, extraction and registration, beside the plain way."""
    stretch = next(stretches(CameraConfig(), count=1, length=60, seed=SEED))
    images = [stretch.camera.render(stretch.first + i, place) for i, place in enumerate(stretch.places)]
    calibration = calibration_of(stretch.camera.truth)
    sight = CameraSight(calibration, RegistrationSettings(), rail=0)
    naive = Naive(calibration, head_section(SectionSettings()))
    cv2.setNumThreads(1)
    ours = _rate(lambda: [sight.find(image) for image in images], len(images))
    plain = _rate(lambda: [naive.find(image) for image in images[:10]], 10)
    scanner = ProfileScanner(ScannerConfig(), rail=0, section=stretch.section, seed=1)
    rows = scanner.process(np.arange(60) / 100, RailPlace(*stretch.places.T))
    points = ScannerSight(RegistrationSettings(), rail=0)
    return [
        named("geometry.images_per_s", ours, "1/s"),
        named("geometry.images_over_opencv", ours / plain, "ratio"),
        named("geometry.profiles_per_s", _rate(lambda: [points.find(row) for row in rows], len(rows)), "1/s"),
    ]


def _rate(work: Callable[[], object], count: int) -> float:
    """Times per second of processor time, the best of five after one for the compiler: others share this machine."""
    work()
    taken = []
    for _ in range(5):
        began = process_time()
        work()
        taken.append(process_time() - began)
    return count / min(taken)


class Naive:
    """A head the obvious way: OpenCV's blur, centre of gravity per column, undistortion, iterated closest points."""

    def __init__(self, calibration: LaserPlaneCalibration, section: HeadSection) -> None:
        self._calibration = calibration
        self._outline = section.points(np.linspace(FIRST, LAST, 1500))
        self._tree = cKDTree(self._outline)
        self._place = np.array([0.7535, -0.45])

    def find(self, image: Image) -> tuple[Array, Array]:
        """Rotation (2, 2) and place (2,) of the head."""
        light = cv2.GaussianBlur(image, (5, 5), 0).astype(np.float64)
        light[light < 20] = 0.0
        weight = light.sum(axis=0)
        columns = np.flatnonzero(weight > 100)
        rows = (np.arange(image.shape[0]) @ light)[columns] / weight[columns]
        points = self._calibration.points_b(np.column_stack([columns.astype(np.float64), rows]))[:, 1:]
        R, p = np.eye(2), self._place
        for _ in range(NAIVE_ROUNDS):
            local = (points - p) @ R
            _, nearest = self._tree.query(local)
            target, source = self._outline[nearest], points
            U, _, V = np.linalg.svd((target - target.mean(axis=0)).T @ (source - source.mean(axis=0)))
            R = (U @ np.diag([1.0, np.sign(np.linalg.det(U @ V))]) @ V).T
            p = source.mean(axis=0) - R @ target.mean(axis=0)
        return R, p
