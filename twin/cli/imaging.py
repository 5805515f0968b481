"""Images of the rail heads of a simulated run: rendered by two processes, one file each, with an index beside.

The folder of a camera, images/left or images/right, holds

    0000000123.png   lossless, 1280 x 512, 8 bit; the number counts images since the start of the run
    index.csv        t_ns, file: host time of each image as in the recording [ns], ascending
    camera.toml      the camera's own true calibration, as CameraTruth, and where its axes sit on the measuring body
"""

import csv
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any

import cv2
import numpy as np

from twin.cli.toml_text import to_toml
from twin.core.arrays import Array, IntArray
from twin.core.errors import RecordingError
from twin.simulation.dynamic.config import Dynamics, ImagingConfig
from twin.simulation.dynamic.sensed import RailHeadTruth
from twin.simulation.rail_head import COLUMNS, ROWS, Rail, RailCamera, camera_truth, rail_section

CAMERAS: tuple[tuple[Rail, str], ...] = ((0, "left"), (1, "right"))
BATCH = 50
"""Images rendered between two words of progress."""
# speckle and noise have no repeats to be found: codes by frequency alone are smaller and ten times as fast
PNG = (cv2.IMWRITE_PNG_STRATEGY, cv2.IMWRITE_PNG_STRATEGY_HUFFMAN_ONLY)


@dataclass(frozen=True, slots=True)
class Camera:
    """One camera and where its images go."""

    dynamics: Dynamics
    rail: Rail
    seed: int
    folder: Path


@dataclass(frozen=True, slots=True)
class Imaged:
    """What was rendered."""

    images: int
    size: int
    """[byte]"""
    seconds: float
    """That rendering took."""


NONE = Imaged(0, 0, 0.0)


def render_images(
    dynamics: Dynamics,
    places: RailHeadTruth,
    folder: Path,
    *,
    seed: int,
    start_ns: int,
    progress: Callable[[float], None],
) -> Imaged:
    """Render what the cameras of a run see of both rails; start_ns: host time at time zero of the run [ns]."""
    imaging = dynamics.cameras
    if imaging is None or not places.t.size:
        return NONE
    numbers = np.rint(places.t * imaging.camera.rate).astype(np.int64)
    t_ns = start_ns + np.rint(places.t * 1e9).astype(np.int64)
    cameras = [Camera(dynamics, rail, seed, folder / name) for rail, name in CAMERAS]
    for camera in cameras:
        _prepare(camera, imaging, numbers, t_ns)
    rows = {0: places.left, 1: places.right}
    done, size, began = 0, 0, perf_counter()
    with _process() as first, _process() as second:
        waiting: list[Future[int]] = []
        for start in range(0, numbers.size, BATCH):
            part = slice(start, start + BATCH)
            for pool, camera in zip((first, second), cameras, strict=True):
                waiting.append(pool.submit(render_batch, camera, numbers[part], rows[camera.rail][part]))
        for future in as_completed(waiting):
            size += future.result()
            done += 1
            progress(done / len(waiting))
    return Imaged(len(cameras) * numbers.size, size, perf_counter() - began)


def render_batch(camera: Camera, numbers: IntArray, places: Array) -> int:
    """Write the images of these numbers (n,) with the rail at places (n, 3); their size [byte]."""
    eye, size = _eye(camera), 0
    for number, place in zip(numbers.tolist(), places, strict=True):
        coded, data = cv2.imencode(".png", eye.render(number, place), PNG)
        path = camera.folder / _file(number)
        try:
            size += path.write_bytes(data.tobytes()) if coded else 0
        except OSError as error:
            raise RecordingError(f"{path}: cannot be written ({error.strerror}); make room, or take fewer") from None
    return size


@lru_cache(maxsize=2)
def _eye(camera: Camera) -> RailCamera:
    imaging = camera.dynamics.cameras or ImagingConfig()
    section = rail_section(camera.dynamics.rail_head)
    return RailCamera(imaging.camera, rail=camera.rail, section=section, seed=camera.seed)


def _process() -> ProcessPoolExecutor:
    """One process for one camera: it keeps the fields of noise it draws images from."""
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"))


def _prepare(camera: Camera, imaging: ImagingConfig, numbers: IntArray, t_ns: IntArray) -> None:
    """The folder with index and calibration."""
    camera.folder.mkdir(parents=True, exist_ok=True)
    with (camera.folder / "index.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(("t_ns", "file"))
        table.writerows((t, _file(number)) for t, number in zip(t_ns.tolist(), numbers.tolist(), strict=True))
    (camera.folder / "camera.toml").write_text(to_toml(_calibration(camera, imaging)), encoding="utf-8")


def _calibration(camera: Camera, imaging: ImagingConfig) -> dict[str, Any]:
    true = camera_truth(imaging.camera.pinhole, imaging.camera.fan, rail=camera.rail)
    return {
        "rail": dict(CAMERAS)[camera.rail],
        "rate": imaging.camera.rate,
        "rows": ROWS,
        "columns": COLUMNS,
        "k1": true.k1,
        "k2": true.k2,
        "K": true.K.tolist(),
        "R_cb": true.R_cb.tolist(),
        "p_b": true.p_b.tolist(),
        "H": true.H.tolist(),
        "mounting": imaging.mounting.model_dump(),
    }


def _file(number: int) -> str:
    return f"{number:010d}.png"
