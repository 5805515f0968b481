"""The cameras of a live run: started, listened to, recorded, and their disk watched."""

import os
import shutil
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import Self

from recordings import RecordedImage
from recordings.image_record import RecordKind, decode, encode, kind_of
from recordings.segments import IMAGES, segments_in
from recordings.thinning import NOTHING, Thinned, thin_segment
from sensors.host_clock import HostClock
from twin.cli.camera_process import CameraImage, CameraProcess, CameraStatus, CameraTask
from twin.cli.camera_recorder import without_pixels
from twin.cli.config import RunConfig, parse_config
from twin.cli.processing import twin_setup
from twin.cli.workers import end_with_parent
from twin.core.errors import RecordingError
from twin.core.estimate import OperatorEvent
from twin.geometry.laser import LineExtractor

LOOK_S = 2.0
"""Between two looks at the room on the disk [s, real]: images of a second are some megabytes."""

READY_S = 30.0
"""The longest a run waits for its cameras before it reads its devices [s, real]."""

Take = Callable[[str, CameraImage], bool]
"""Takes an image of a camera; False where it cannot be recorded."""


class LiveCameras:
    """All cameras of a run. Use as a context manager."""

    def __init__(self, config: RunConfig, clock: HostClock, take: Take) -> None:
        geometry = twin_setup(config).geometry
        sources = {} if geometry is None else geometry.sources
        self._take = take
        self._cameras = [
            CameraProcess(
                CameraTask(camera, config.geometry.heads, sources.get(camera.name), config.recording.images, clock)
            )
            for camera in config.camera
        ]
        self._threads = [
            threading.Thread(target=self._listen, args=(camera,), name=camera.status.name, daemon=True)
            for camera in self._cameras
        ]

    def __enter__(self) -> Self:
        """Returns when the cameras can see, or should long have been able to."""
        for camera, thread in zip(self._cameras, self._threads, strict=True):
            camera.start()
            thread.start()
        for camera in self._cameras:
            camera.ready.wait(READY_S)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Returns when everything the cameras have seen is taken."""
        for camera in self._cameras:
            camera.stop()
        for camera, thread in zip(self._cameras, self._threads, strict=True):
            thread.join()
            camera.end()

    def status(self) -> tuple[CameraStatus, ...]:
        """All cameras as they are now."""
        return tuple(camera.status for camera in self._cameras)

    def _listen(self, camera: CameraProcess) -> None:
        while (image := camera.next()) is not None:
            if self._take(camera.status.name, image):
                camera.status.images += 1
            else:
                camera.status.lost += 1


class PixelKeeper:
    """Takes the pixels of the oldest images where the disk gets full. Says so, each time, by an event."""

    def __init__(self, config: RunConfig, recording: Path, note: Callable[[OperatorEvent], None]) -> None:
        """note: takes the event."""
        self._config, self._recording, self._note = config, recording, note
        self._done: set[Path] = set()

    def watch(self, over: threading.Event) -> None:
        """Until the run is over."""
        with ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=end_with_parent) as pool:
            pool.submit(os.getpid)  # starts the process: it takes seconds to load
            while not over.wait(LOOK_S):
                if shutil.disk_usage(self._recording).free < self._config.recording.images.free_bytes:
                    self._thin(pool)

    def _thin(self, pool: ProcessPoolExecutor) -> None:
        """The oldest segment that has pixels; not the newest one, which is being written."""
        for path in segments_in(self._recording, IMAGES)[:-1]:
            if path in self._done:
                continue
            self._done.add(path)
            try:
                thinned = pool.submit(take_pixels, path, self._config.to_toml()).result()
            except RecordingError as error:
                self._note(OperatorEvent(0, "images", str(error)))
                return
            if thinned.images:
                self._note(OperatorEvent(thinned.end_ns, "images", _said(path, thinned)))
                return


def take_pixels(path: Path, config_toml: str, keep: Sequence[tuple[int, int]] = ()) -> Thinned:
    """Leave the lines alone of a segment's images, but for those taken in stretches of time to keep [ns]."""
    config = parse_config(config_toml, where="configuration")
    planes = {camera.name: camera.calibration for camera in config.camera}
    extractors = {
        name: LineExtractor(config.geometry.heads.extraction, rows=plane.rows, columns=plane.columns)
        for name, plane in planes.items()
    }

    def line_of(image: RecordedImage) -> bytes | None:
        extractor, plane = extractors.get(image.camera), planes.get(image.camera)
        if extractor is None or plane is None or kind_of(image.data) in (None, RecordKind.LINE):
            return None
        if any(start <= image.t_ns <= end for start, end in keep):
            return None
        record = decode(image.data)
        if isinstance(record, str) or record.shape != (plane.rows, plane.columns):
            return None
        return encode(without_pixels(record, extractor))

    return thin_segment(path, line_of) if planes else NOTHING


def _said(path: Path, thinned: Thinned) -> str:
    seconds = (thinned.end_ns - thinned.start_ns) * 1e-9
    gone = f"{path.name}: the pixels of {thinned.images} images over {seconds:.0f} s are gone"
    return f"{gone}, {thinned.freed / 1e6:.0f} MB; their lines stay"
