"""Images of one camera to the records that are kept of them."""

from dataclasses import dataclass

from recordings.image_record import ImageRecord, encode
from sensors.camera import CameraDevice
from twin.geometry.laser import Centres, ExtractionSettings, Image, LineExtractor


@dataclass(frozen=True, slots=True)
class Kept:
    """An image as it is recorded, in bytes and in what these say."""

    record: ImageRecord
    data: bytes


class CameraRecorder:
    """Cuts the strip around the line out of images. Each image is judged by itself: nothing is remembered of others."""

    def __init__(self, camera: CameraDevice, extraction: ExtractionSettings, *, start_ns: int) -> None:
        """start_ns: when the camera is started [ns]."""
        plane = camera.calibration
        self._extractor = LineExtractor(extraction, rows=plane.rows, columns=plane.columns)
        self._strip, self._start_ns = camera.strip, start_ns

    def pixels(self, t_ns: int, image: Image) -> ImageRecord:
        """The strip of an image taken at a time [ns], or the whole image where the line is not clear."""
        strip = self._extractor.cut(image, self._strip)
        return ImageRecord(t_ns, self._start_ns, (image.shape[0], image.shape[1]), image if strip is None else strip)

    def line(self, record: ImageRecord) -> ImageRecord:
        """The same image without its pixels: the line they show."""
        return without_pixels(record, self._extractor)

    def keep(self, t_ns: int, image: Image) -> Kept:
        """An image with its pixels, ready for the disk."""
        record = self.pixels(t_ns, image)
        return Kept(record, encode(record))


def without_pixels(record: ImageRecord, extractor: LineExtractor) -> ImageRecord:
    """The line of an image in place of its pixels; what has none stays as it is."""
    seen = record.seen
    line = seen if isinstance(seen, Centres) else extractor.centres(seen)
    return ImageRecord(record.t_ns, record.start_ns, record.shape, line)
