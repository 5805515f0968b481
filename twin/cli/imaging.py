"""Images of the rail heads of a simulated run: rendered by two processes, recorded, and as files with an index.

The folder of a camera, images/left or images/right, holds

    0000000123.png   lossless, 1280 x 512, 8 bit; the number counts images since the start of the run
    index.csv        t_ns, file: host time of each image as in the recording [ns], ascending
    camera.toml      the camera's own true calibration, as CameraTruth, and where its axes sit on the measuring body
"""

import csv
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import cv2
import numpy as np

from recordings import RecordedImage, RecordingWriter
from sensors.camera import CameraDevice
from twin.cli.camera_recorder import CameraRecorder
from twin.cli.config import RunConfig
from twin.cli.toml_text import to_toml
from twin.cli.workers import end_with_parent
from twin.core.arrays import Array, IntArray
from twin.core.errors import RecordingError
from twin.geometry.laser import ExtractionSettings
from twin.simulation.dynamic.config import Dynamics, ImagingConfig
from twin.simulation.dynamic.sensed import RailHeadTruth
from twin.simulation.rail_head import COLUMNS, ROWS, Rail, RailCamera, camera_truth, rail_section

CAMERAS: tuple[tuple[Rail, str], ...] = ((0, "left"), (1, "right"))
BATCH = 50
"""Images rendered between two words of progress."""
AHEAD = 4
"""Batches rendered ahead of what is recorded."""
# speckle and noise have no repeats to be found: codes by frequency alone are smaller and ten times as fast
PNG = (cv2.IMWRITE_PNG_STRATEGY, cv2.IMWRITE_PNG_STRATEGY_HUFFMAN_ONLY)


@dataclass(frozen=True, slots=True)
class Camera:
    """One camera and where its images go."""

    dynamics: Dynamics
    rail: Rail
    seed: int
    folder: Path
    device: CameraDevice
    """As it is configured."""
    extraction: ExtractionSettings
    start_ns: int
    """Host time of its first image [ns]."""


class Batch(NamedTuple):
    """Consecutive images of one camera."""

    t_ns: IntArray
    """(images,)"""
    records: list[bytes]
    size: int
    """Of their files [byte]."""


class ImageRecording:
    """Puts images among the bytes of devices that were recorded before, by their host times."""

    def __init__(self, config: RunConfig, writer: RecordingWriter, received_ns: IntArray) -> None:
        """received_ns (messages,): host times of the messages of the devices, in their order."""
        self.config, self._writer, self._received_ns = config, writer, received_ns

    def add(self, batches: Sequence[tuple[str, Batch]]) -> None:
        """Record the images of one stretch of time, by camera."""
        images = [
            (t, name, data)
            for name, batch in batches
            for t, data in zip(batch.t_ns.tolist(), batch.records, strict=True)
        ]
        for t, name, data in sorted(images, key=lambda image: image[:2]):
            follows = int(np.searchsorted(self._received_ns, t, side="right"))
            self._writer.write_image_when_room(RecordedImage(name, t, follows, data))


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
    recording: ImageRecording,
    progress: Callable[[float], None],
) -> Imaged:
    """Render what the cameras of a run see of both rails, and record it.

    start_ns: host time at time zero of the run [ns].
    """
    imaging = dynamics.cameras
    if imaging is None or not places.t.size:
        return NONE
    numbers = np.rint(places.t * imaging.camera.rate).astype(np.int64)
    t_ns = start_ns + np.rint(places.t * 1e9).astype(np.int64)
    config = recording.config
    cameras = [
        Camera(dynamics, rail, seed, folder / name, device, config.geometry.heads.extraction, int(t_ns[0]))
        for (rail, name), device in zip(CAMERAS, config.camera, strict=True)
    ]
    for camera in cameras:
        _prepare(camera, imaging, numbers, t_ns)
    rows = {0: places.left, 1: places.right}
    size, began = 0, perf_counter()
    with _process() as first, _process() as second:
        pools = list(zip((first, second), cameras, strict=True))
        waiting: deque[list[Future[Batch]]] = deque()
        parts = [slice(start, start + BATCH) for start in range(0, numbers.size, BATCH)]
        for number, part in enumerate([*parts, *[None] * AHEAD]):
            if part is not None:
                waiting.append(
                    [
                        pool.submit(render_batch, camera, t_ns[part], numbers[part], rows[camera.rail][part])
                        for pool, camera in pools
                    ]
                )
            if number >= AHEAD and waiting:
                batches = [future.result() for future in waiting.popleft()]
                size += sum(batch.size for batch in batches)
                recording.add([(camera.device.name, batch) for camera, batch in zip(cameras, batches, strict=True)])
                progress((number - AHEAD + 1) / len(parts))
    return Imaged(len(cameras) * numbers.size, size, perf_counter() - began)


def render_batch(camera: Camera, t_ns: IntArray, numbers: IntArray, places: Array) -> Batch:
    """Write the images of these numbers (n,), taken at t_ns (n,) with the rail at places (n, 3)."""
    eye, recorder, size = _eye(camera), _recorder(camera), 0
    records: list[bytes] = []
    for t, number, place in zip(t_ns.tolist(), numbers.tolist(), places, strict=True):
        image = eye.render(number, place)
        records.append(recorder.keep(t, image).data)
        coded, data = cv2.imencode(".png", image, PNG)
        path = camera.folder / _file(number)
        try:
            size += path.write_bytes(data.tobytes()) if coded else 0
        except OSError as error:
            raise RecordingError(f"{path}: cannot be written ({error.strerror}); make room, or take fewer") from None
    return Batch(t_ns, records, size)


@lru_cache(maxsize=2)
def _recorder(camera: Camera) -> CameraRecorder:
    return CameraRecorder(camera.device, camera.extraction, start_ns=camera.start_ns)


@lru_cache(maxsize=2)
def _eye(camera: Camera) -> RailCamera:
    imaging = camera.dynamics.cameras or ImagingConfig()
    section = rail_section(camera.dynamics.rail_head)
    return RailCamera(imaging.camera, rail=camera.rail, section=section, seed=camera.seed)


def _process() -> ProcessPoolExecutor:
    """One process for one camera: it keeps the fields of noise it draws images from."""
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=end_with_parent)


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
