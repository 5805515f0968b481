"""Pixels that go when room is wanted: a segment of images written anew with lines in their place."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from recordings.config import RecordingConfig
from recordings.header import IMAGE_PREFIX, topics
from recordings.image import RecordedImage
from recordings.reader import RecordingReader
from recordings.segments import SegmentWriter, sync_directory
from twin.core.errors import RecordingError

PARTIAL = ".thin"
"""Ending of a segment that is being written; no reader looks at it."""
_CONFIG = RecordingConfig(reserve_bytes=0)


@dataclass(frozen=True, slots=True)
class Thinned:
    """What became of one segment."""

    images: int
    """Whose pixels are gone."""
    freed: int
    """[bytes]"""
    start_ns: int
    """Host time of the first of them [ns]."""
    end_ns: int


NOTHING = Thinned(0, 0, 0, 0)


def thin_segment(path: Path, thin: Callable[[RecordedImage], bytes | None]) -> Thinned:
    """Replace the records of a segment's images; thin: the record that stays, None for the old one.

    Every image keeps its number, so nothing counts as lost. The old file stays until the new one is durable.
    """
    reader = RecordingReader(path)
    segment = reader.segments[0]
    if segment.header is None or segment.head is None:
        return NOTHING
    channels = {topic: i for i, topic in enumerate(topics(segment.header), start=1)}
    fresh = path.with_suffix(PARTIAL)
    times: list[int] = []
    try:
        fresh.unlink(missing_ok=True)
        writer = SegmentWriter(fresh, segment.header, segment.head, _CONFIG)
        for sequence, item, _ in reader.items():
            if not isinstance(item, RecordedImage):
                continue
            data = thin(item)
            if data is not None:
                times.append(item.t_ns)
                item = item._replace(data=data)
            channel = channels[IMAGE_PREFIX + item.camera]
            writer.append(channel=channel, sequence=sequence, t_ns=item.t_ns, data=item.packed())
        size = writer.finish()
        if not times:
            fresh.unlink()
            return NOTHING
        os.replace(fresh, path)
        sync_directory(path.parent)
    except OSError as error:
        raise RecordingError(f"{path}: pixels cannot be taken out ({error.strerror}); it stays as it is") from None
    return Thinned(len(times), segment.size - size, min(times), max(times))
