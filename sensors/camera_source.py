"""Images of a configured camera, each at its time on the common clock."""

from collections.abc import Iterator
from pathlib import Path

from sensors.camera import CameraDevice
from sensors.host_clock import HostClock
from sensors.laser_camera import AravisImages, DeviceImages, ImageSource, TimedImage, VideoImages, folder_images
from sensors.watched_folder import WatchedFolder


def open_source(camera: CameraDevice, clock: HostClock) -> ImageSource:
    """The source of a camera; RecordingError or DeviceError where there is none."""
    shape = (camera.calibration.rows, camera.calibration.columns)
    match camera.source:
        case "folder":
            return folder_images(Path(camera.path), rate=camera.rate, shape=shape)
        case "watched":
            return WatchedFolder(Path(camera.path), clock, shape=shape)
        case "video":
            return VideoImages(Path(camera.path), rate=camera.rate)
        case "device":
            return DeviceImages(int(camera.path) if camera.path.isdecimal() else camera.path, clock)
        case "aravis":
            return AravisImages(camera.path or None, clock)


def live_images(source: ImageSource, camera: CameraDevice, clock: HostClock) -> Iterator[TimedImage]:
    """Images of a source with the host time at which they were taken; what is played waits for its time."""
    delay_ns, start_ns, first_ns = round(camera.delay * 1e9), clock.now_ns(), None
    for t_ns, image in source.frames():
        if not camera.plays:
            yield TimedImage(t_ns - delay_ns, image)
            continue
        first_ns = t_ns if first_ns is None else first_ns
        due_ns = start_ns + t_ns - first_ns
        clock.sleep(max(0, due_ns - clock.now_ns()) * 1e-9)
        yield TimedImage(due_ns, image)
