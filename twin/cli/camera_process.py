"""One laser camera of a live run, in a process of its own: images in, records and rail heads out.

Reading, recording and seeing two cameras takes a core: beside the devices' ports, on one interpreter, ports would wait.
"""

import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from queue import Empty, Full
from typing import NamedTuple

import numpy as np

from recordings.config import ImageStorage
from recordings.image_record import ImageRecord, encode
from sensors.camera import CameraDevice
from sensors.camera_source import live_images, open_source
from sensors.host_clock import HostClock
from sensors.laser_camera import TimedImage
from twin.cli.camera_recorder import CameraRecorder
from twin.cli.workers import end_with_parent
from twin.core.errors import RailTwinError
from twin.geometry.heads import Finder, HeadConfig, HeadsFound, RailImage
from twin.pipeline.track_geometry import RailSource

WAITING = 100
"""Images that may wait to be looked at: a second of them."""
HANDED_OVER = 400
"""Records that may wait for the run: they are small."""
AGAIN_S = 2.0
"""Between two tries to open a camera [s, real]."""
LOOK_S = 0.2
"""Between two looks at whether the run is over [s, real]."""
LAST_S = 5.0
"""The longest the end of a run waits for what a camera has seen [s, real]."""


class CameraTask(NamedTuple):
    """What a process is told about its camera."""

    camera: CameraDevice
    heads: HeadConfig
    source: RailSource | None
    """None where the rails are measured by others."""
    storage: ImageStorage
    clock: HostClock


class CameraImage(NamedTuple):
    """What a process says about one image."""

    t_ns: int
    data: bytes
    found: HeadsFound | None


class CameraNews(NamedTuple):
    """What a process says about its camera, now and then."""

    faults: Mapping[str, int]
    error: str | None


@dataclass
class CameraStatus:
    """One camera as it is now, for live display. Counts are since the start."""

    name: str
    images: int = 0
    lost: int = 0
    """Recorded by nobody: the disk was too slow."""
    faults: Mapping[str, int] = field(default_factory=dict)
    """Images left out before they were recorded, by reason."""
    error: str | None = None
    """Why it gives nothing, as a sentence for a person."""


class CameraProcess:
    """The process of one camera, seen from the run. Use as a context manager and iterate `images()`."""

    def __init__(self, task: CameraTask) -> None:
        context = get_context("spawn")
        self.status = CameraStatus(task.camera.name)
        self.ready = threading.Event()
        """Set once the process can see, which takes a while: it loads what is compiled."""
        self._stop = context.Event()
        self._queue: Queue[CameraImage | CameraNews | None] = context.Queue(HANDED_OVER)
        self._process = context.Process(
            target=work, args=(task, self._queue, self._stop), name=task.camera.name, daemon=True
        )

    def start(self) -> None:
        """Begin."""
        self._process.start()

    def stop(self) -> None:
        """Ask it to end; images() still gives what it has seen before."""
        self._stop.set()

    def end(self) -> None:
        """Let go of a process that has ended, or does not."""
        self._process.join(LAST_S)
        self._process.kill()
        self._process.join()

    def next(self) -> CameraImage | None:
        """The next image, waiting for it; None when there is none left or the process is gone."""
        while True:
            try:
                said = self._queue.get(timeout=LOOK_S)
            except Empty:
                if self._process.is_alive():
                    continue
                if not self._stop.is_set():
                    self.status.error = f"{self.status.name}: its process ended ({self._process.exitcode})"
                self.ready.set()
                return None
            self.ready.set()
            if isinstance(said, CameraNews):
                self.status.faults, self.status.error = said.faults, said.error
            else:
                return said


def work(task: CameraTask, out: "Queue[CameraImage | CameraNews | None]", stop: Event) -> None:
    """The process: see images until told to stop, or until nobody is left to tell."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the run ends its cameras in order
    end_with_parent()  # nobody takes what is seen once the run was killed
    eye = _Eye(task)
    reader = _Reader(task, stop)
    reader.start()
    told = 0.0
    while not (stop.is_set() and reader.over):
        image = reader.next()
        if image is not None:
            _hand_over(out, eye.see(*image), reader.faults)
        if time.monotonic() >= told + LOOK_S:
            told = time.monotonic()
            _hand_over(out, CameraNews(dict(reader.faults), reader.error), reader.faults)
    _hand_over(out, CameraNews(dict(reader.faults), reader.error), reader.faults)
    out.put(None)
    out.close()
    out.join_thread()


def _hand_over(
    out: "Queue[CameraImage | CameraNews | None]", said: CameraImage | CameraNews, faults: "Counter[str]"
) -> None:
    try:
        out.put_nowait(said)
    except Full:
        faults["not taken"] += isinstance(said, CameraImage)


class _Eye:
    """Images to records and heads. Remembers what its finder remembers, and how many images there were."""

    def __init__(self, task: CameraTask) -> None:
        self._task, self._count = task, 0
        self._finder: Finder | None = None if task.source is None else task.source.finder(task.heads)
        self._recorder: CameraRecorder | None = None
        self._start_ns = -1
        plane = task.camera.calibration
        self.see(0, TimedImage(0, np.zeros((plane.rows, plane.columns), dtype=np.uint8)))  # compiles

    def see(self, start_ns: int, image: TimedImage) -> CameraImage:
        """One image of the camera as it was started at a time."""
        if self._recorder is None or start_ns != self._start_ns:
            self._recorder = CameraRecorder(self._task.camera, self._task.heads.extraction, start_ns=start_ns)
            self._start_ns = start_ns
        record = self._recorder.pixels(image.t_ns, image.image)
        found = self._found(record)
        if not self._keeps_pixels(found):
            record = self._recorder.line(record)
        self._count += 1
        return CameraImage(image.t_ns, encode(record), found)

    def _found(self, record: ImageRecord) -> HeadsFound | None:
        if self._finder is None:
            return None
        return self._finder.process(RailImage(self._task.camera.name, record.t_ns, record.start_ns, record.seen))

    def _keeps_pixels(self, found: HeadsFound | None) -> bool:
        storage = self._task.storage
        if storage.keep == "all" or self._count % storage.every == 0:
            return True
        return storage.keep == "flagged" and found is not None and not all(head.good.all() for head in found.heads)


class _Reader:
    """Reads the camera on a thread of its own, so that it never waits for what is done with its images."""

    def __init__(self, task: CameraTask, stop: Event) -> None:
        self._task, self._stop = task, stop
        self._waiting: deque[tuple[int, TimedImage]] = deque()
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name=f"read {task.camera.name}", daemon=True)
        self.faults: Counter[str] = Counter()
        self.error: str | None = None

    @property
    def over(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting

    def start(self) -> None:
        self._thread.start()

    def next(self) -> tuple[int, TimedImage] | None:
        """When the camera was opened [ns] and its next image; None where none comes for a while."""
        with self._changed:
            if not self._waiting:
                self._changed.wait(LOOK_S)
            return self._waiting.popleft() if self._waiting else None

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._read()
            except RailTwinError as error:
                self.error = f"{self._task.camera.name}: {error}"
            if self._stop.wait(AGAIN_S):
                return

    def _read(self) -> None:
        """Images until the source ends; a folder or video that was played is not played again."""
        camera, clock = self._task.camera, self._task.clock
        source = open_source(camera, clock)
        start_ns, known = clock.now_ns(), Counter[str]()
        for image in live_images(source, camera, clock):
            if self._stop.is_set():
                return
            self.error = None
            self.faults.update(source.faults - known)
            known = Counter(source.faults)
            with self._changed:
                if len(self._waiting) >= WAITING:
                    self.faults["not looked at"] += 1
                    continue
                self._waiting.append((start_ns, image))
                self._changed.notify()
        self.faults.update(source.faults - known)
        if camera.plays:
            self._stop.wait()
        self.error = f"{camera.name}: gives no more images; it is tried again"
