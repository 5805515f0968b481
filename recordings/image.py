"""Images beside the bytes of the devices: in segments of their own, which can go when the disk is full.

    message   follows u64, little endian, then the image record

follows is the number of the first message of the run's other segments that came after the image: so images take their
place among the bytes again, whatever became of segments on either side.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from recordings.segments import IMAGES, segments_in

if TYPE_CHECKING:
    from recordings.reader import Numbered, Recorded, RecordingReader

_FOLLOWS = struct.Struct("<Q")


class RecordedImage(NamedTuple):
    """One image of a camera."""

    camera: str
    t_ns: int
    """When it was taken, host time [ns]."""
    follows: int
    data: bytes
    """The image record."""

    def packed(self) -> bytes:
        """As a message."""
        return _FOLLOWS.pack(self.follows) + self.data

    @classmethod
    def unpacked(cls, camera: str, t_ns: int, message: bytes) -> Self | None:
        """What a message says; None where it is too short."""
        if len(message) < _FOLLOWS.size:
            return None
        return cls(camera, t_ns, _FOLLOWS.unpack_from(message)[0], message[_FOLLOWS.size :])


def has_images(path: Path) -> bool:
    """Whether the folder of a recording holds images."""
    return path.is_dir() and bool(segments_in(path, IMAGES))


def in_order(reader: "RecordingReader", images: "RecordingReader | None") -> "Iterator[Recorded]":
    """Everything of a recording in the order it was taken in, images among the rest."""
    waiting = iter(()) if images is None else images.items()
    image, session, began = next(waiting, None), None, 0
    for numbered in reader.items():
        if numbered.segment.session != session:
            session, began = numbered.segment.session, _began(reader, numbered)
        while image is not None and images is not None and _is_due(image, _began(images, image), numbered, began):
            yield image.item
            image = next(waiting, None)
        yield numbered.item
    while image is not None:
        yield image.item
        image = next(waiting, None)


def _began(reader: "RecordingReader", numbered: "Numbered") -> int:
    """Host time at which the process that wrote a message began [ns]; 0 where nothing says it."""
    header = reader.header_of(numbered.segment)
    return 0 if header is None else header.clock.monotonic_ns


def _is_due(image: "Numbered", image_began: int, message: "Numbered", began: int) -> bool:
    """Whether an image comes before a message: of an earlier process, or of the same one and before it."""
    if image_began != began or not isinstance(image.item, RecordedImage):
        return image_began < began
    return (message.sequence - image.item.follows) % 2**32 < 2**31
