"""Images of laser cameras: from folders, lists of files, videos, video devices and Aravis, all in one form.

A source gives images of 8 bit with their times. What cannot be read, or has another size, is counted and left out; the
source goes on. Only a source that cannot be opened at all is an error.
"""

import importlib
from collections import Counter
from collections.abc import Iterator, Sequence
from csv import reader
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from sensors.host_clock import HostClock
from twin.core.errors import DeviceError, RecordingError

Image = NDArray[np.uint8]

INDEX = "index.csv"
"""In a folder of images: one line per image, time [ns] and name of the file, under a heading."""
IMAGES = (".png", ".bmp", ".tif", ".tiff", ".pgm", ".jpg", ".jpeg")
"""Endings of files that are images."""
LARGEST = 64_000_000
"""Most bytes of an image file, and most pixels: twice an image of 8192 x 4096."""
PNG = b"\x89PNG\r\n\x1a\n"
"""First bytes of a PNG file."""
NS = 1_000_000_000
MISSES = 100
"""Reads without an image after which a device is lost."""
BUFFERS = 16
"""Images an Aravis stream may hold: 160 ms at 100 images per second."""
WAIT_US = 200_000
"""Longest wait for an image of an Aravis camera [us]."""


class TimedImage(NamedTuple):
    """One image and when it was taken."""

    t_ns: int
    """Of the source's own clock [ns]."""
    image: Image
    """(rows, columns)"""


class ImageSource(Protocol):
    """Where images come from."""

    faults: Counter[str]
    """Images left out, by reason."""

    def frames(self) -> Iterator[TimedImage]:
        """The images in order of time; ends with the source."""
        ...


class FileImages:
    """A list of files with their times."""

    def __init__(self, files: Sequence[tuple[int, Path]], *, shape: tuple[int, int] | None = None) -> None:
        """files: time [ns] and path of each; shape: rows and columns wanted, else those of the first image."""
        self._files, self._shape = list(files), shape
        self.faults: Counter[str] = Counter()

    @classmethod
    def at_rate(cls, paths: Sequence[Path], rate: float, *, shape: tuple[int, int] | None = None) -> "FileImages":
        """Files taken one after the other, rate images per second [Hz]."""
        return cls([(round(i * NS / rate), path) for i, path in enumerate(paths)], shape=shape)

    def frames(self) -> Iterator[TimedImage]:
        """The images that can be read, in the order of the list; one that steps back in time is left out."""
        last: int | None = None
        for t_ns, path in self._files:
            image, fault = read_image(path)
            if image is not None and self._shape is None:
                self._shape = (image.shape[0], image.shape[1])
            if image is None:
                self.faults[fault] += 1
            elif image.shape != self._shape:
                self.faults["other size"] += 1
            elif last is not None and t_ns <= last:
                self.faults["not later"] += 1
            else:
                last = t_ns
                yield TimedImage(t_ns, image)


def read_image(path: Path) -> tuple[Image | None, str]:
    """An image of 8 bit, and what is wrong if there is none."""
    try:
        if path.stat().st_size > LARGEST:
            return None, "too large"
        data = path.read_bytes()
    except OSError:
        return None, "not readable"
    if not data:
        return None, "empty"
    if data.startswith(PNG) and _png_pixels(data) > LARGEST:  # some kilobytes may unfold to gigabytes
        return None, "too large"
    try:
        image = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_UNCHANGED)
    except cv2.error:
        return None, "damaged"
    if image is None:
        return None, "damaged"
    grey = as_grey(np.asarray(image))
    return (grey, "") if grey is not None else (None, "not 8 bit")


def _png_pixels(data: bytes) -> int:
    """Columns times rows by the heading of a PNG file."""
    return int.from_bytes(data[16:20], "big") * int.from_bytes(data[20:24], "big")


def as_grey(image: NDArray[np.generic]) -> Image | None:
    """One channel of 8 bit; colour is reduced by its brightness. None for other depths."""
    if image.dtype != np.uint8 or image.ndim not in (2, 3):
        return None
    if image.ndim == 2:
        return np.ascontiguousarray(image, dtype=np.uint8)
    if image.shape[2] == 1:
        return np.ascontiguousarray(image[:, :, 0], dtype=np.uint8)
    if image.shape[2] not in (3, 4):
        return None
    colour = np.ascontiguousarray(image[:, :, :3], dtype=np.uint8)
    return np.asarray(cv2.cvtColor(colour, cv2.COLOR_BGR2GRAY), dtype=np.uint8)


def folder_images(folder: Path, *, rate: float = 100.0, shape: tuple[int, int] | None = None) -> FileImages:
    """The images of a folder: by its index where there is one, else by name at a rate [Hz]."""
    if not folder.is_dir():
        raise RecordingError(f"{folder}: no such folder of images")
    index = folder / INDEX
    if not index.is_file():
        paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in IMAGES)
        return FileImages.at_rate(paths, rate, shape=shape)
    files, wrong = _indexed(index)
    source = FileImages(files, shape=shape)
    if wrong:
        source.faults["index"] += wrong
    return source


def _indexed(index: Path) -> tuple[list[tuple[int, Path]], int]:
    """Times and paths of an index, and how many of its lines are wrong. No path leaves the folder."""
    files, wrong = [], 0
    try:
        text = index.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise RecordingError(f"{index}: {error.strerror or error}") from error
    folder = index.parent.resolve()
    for row in list(reader(text.replace("\0", "").splitlines()))[1:]:
        path = (folder / row[1].strip()).resolve() if len(row) > 1 else folder
        if len(row) < 2 or not row[0].strip().isdecimal() or folder not in path.parents:
            wrong += 1
        else:
            files.append((int(row[0]), path))
    return files, wrong


class VideoImages:
    """A video file; times are those of its rate."""

    def __init__(self, path: Path, *, rate: float | None = None) -> None:
        """rate: images per second [Hz], else what the file says."""
        if not path.is_file():
            raise RecordingError(f"{path}: no such video")
        self._path, self._rate = path, rate
        self.faults: Counter[str] = Counter()

    def frames(self) -> Iterator[TimedImage]:
        """The images of the video up to its end or its damage."""
        capture = cv2.VideoCapture(str(self._path))
        try:
            if not capture.isOpened():
                raise RecordingError(f"{self._path}: no video that can be read; write one as FFV1 or MJPG")
            rate = self._rate or float(capture.get(cv2.CAP_PROP_FPS))
            if not 0 < rate < 1e6:
                raise RecordingError(f"{self._path}: the file names no rate; give one")
            promised = int(capture.get(cv2.CAP_PROP_FRAME_COUNT))
            count = 0
            for image in _images_of(capture):
                grey = as_grey(image)
                if grey is None:
                    self.faults["not 8 bit"] += 1
                else:
                    yield TimedImage(round(count * NS / rate), grey)
                count += 1
            if promised > count:
                self.faults["cut off"] += promised - count
        finally:
            capture.release()


def _images_of(capture: cv2.VideoCapture) -> Iterator[NDArray[np.generic]]:
    """What a capture gives until it gives nothing."""
    while True:
        read, image = capture.read()
        if not read or image is None:
            return
        yield np.asarray(image)


class DeviceImages:
    """A video device (UVC) through OpenCV; times are those of the host when an image arrives."""

    def __init__(self, device: int | str, clock: HostClock) -> None:
        """device: number, or path such as /dev/video0."""
        self._device, self._clock = device, clock
        self.faults: Counter[str] = Counter()

    def frames(self) -> Iterator[TimedImage]:
        """Images until the device has given none for MISSES reads."""
        capture = cv2.VideoCapture(self._device)
        try:
            if not capture.isOpened():
                raise DeviceError(f"{self._device}: no camera opens there; check plug, name and the rights to read it")
            misses = 0
            while misses < MISSES:
                read, image = capture.read()
                t_ns = self._clock.now_ns()
                grey = as_grey(np.asarray(image)) if read and image is not None else None
                if grey is None:
                    misses += 1
                    self.faults["no image" if not read else "not 8 bit"] += 1
                    continue
                misses = 0
                yield TimedImage(t_ns, grey)
        finally:
            capture.release()


class AravisImages:
    """An industrial camera (GigE Vision, USB3 Vision) through Aravis; times are those of the host."""

    def __init__(self, name: str | None, clock: HostClock) -> None:
        """name: of the camera as `arv-tool-0.8` lists it; None for the first one."""
        self._aravis = _aravis()
        self._name, self._clock = name, clock
        self.faults: Counter[str] = Counter()

    def frames(self) -> Iterator[TimedImage]:
        """Images until the camera has given none for MISSES waits."""
        camera = self._aravis.Camera.new(self._name)
        if camera is None:
            raise DeviceError(f"{self._name or 'Aravis'}: no such camera; `arv-tool-0.8` lists those there are")
        camera.set_pixel_format(self._aravis.PIXEL_FORMAT_MONO_8)
        stream = camera.create_stream(None, None)
        for _ in range(BUFFERS):
            stream.push_buffer(self._aravis.Buffer.new_allocate(camera.get_payload()))
        camera.start_acquisition()
        try:
            misses = 0
            while misses < MISSES:
                buffer = stream.timeout_pop_buffer(WAIT_US)
                t_ns = self._clock.now_ns()
                if buffer is None or buffer.get_status() != self._aravis.BufferStatus.SUCCESS:
                    misses += 1
                    self.faults["no image" if buffer is None else "incomplete"] += 1
                else:
                    misses = 0
                    rows, columns = buffer.get_image_height(), buffer.get_image_width()
                    image = np.frombuffer(buffer.get_data(), dtype=np.uint8)[: rows * columns]
                    yield TimedImage(t_ns, image.reshape(rows, columns).copy())
                if buffer is not None:
                    stream.push_buffer(buffer)
        finally:
            camera.stop_acquisition()


def _aravis() -> ModuleType:
    """The Aravis library, or DeviceError with what to install."""
    try:
        gi = importlib.import_module("gi")
        gi.require_version("Aravis", "0.8")
        return importlib.import_module("gi.repository.Aravis")
    except (ImportError, ValueError) as error:
        raise DeviceError(
            "Aravis cannot be loaded: install gir1.2-aravis-0.8 and python3-gi, and let this Python see the system's "
            f"packages ({error})"
        ) from error
