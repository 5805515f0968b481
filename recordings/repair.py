"""Write a clean, indexed copy of what can be read of a recording; the original is not touched."""

import os
from dataclasses import dataclass
from pathlib import Path

from firmware_interface.chunk import Chunk
from recordings.config import RecordingConfig
from recordings.damage import DamageReport, together
from recordings.header import (
    CLOCK_TOPIC,
    EVENTS_TOPIC,
    IMAGE_PREFIX,
    RAW_PREFIX,
    SENT_PREFIX,
    SegmentHead,
    topics,
)
from recordings.image import RecordedImage, has_images
from recordings.reader import Numbered, Recorded, RecordingReader, Segment
from recordings.segments import IMAGES, RUN, SegmentWriter, clock_json, event_json, segment_path, sync_directory
from twin.core.errors import RecordingError
from twin.core.estimate import OperatorEvent

_COMMIT_BYTES = 4 * 1024 * 1024
_CONFIG = RecordingConfig(reserve_bytes=0)


@dataclass(frozen=True, slots=True)
class RepairReport:
    """What a repair saved, and what it could not."""

    destination: Path
    messages: int
    segments: int
    left_out: int
    """Readable messages of sessions whose header is lost: nobody could interpret them."""
    damage: DamageReport

    def lines(self) -> list[str]:
        """For a person."""
        saved = [f"{self.messages} messages in {self.segments} segments written to {self.destination}"]
        if self.left_out:
            saved.append(f"{self.left_out} messages left out: the header of their session is lost")
        return [*saved, *self.damage.lines()]


def repair(source: Path, destination: Path) -> RepairReport:
    """Copy every readable message to a new directory, each under its old number, so that gaps stay visible.

    The copy appears under its name only when it is complete and durable.
    """
    readers = {RUN: RecordingReader(source)}
    if has_images(source):
        readers[IMAGES] = RecordingReader(source, stem=IMAGES)
    destination = destination.absolute()
    partial = destination.with_name(destination.name + ".partial")
    for path in (destination, partial):
        if path.exists():
            raise RecordingError(f"{path}: exists already; give a new directory or remove it first")
    try:
        partial.mkdir(parents=True)
        copies = [_copied(reader, partial, stem) for stem, reader in readers.items()]
        os.rename(partial, destination)
        sync_directory(destination.parent)
    except OSError as error:
        raise RecordingError(f"{partial}: repair stopped: {error.strerror}; free space and try again") from None
    return RepairReport(
        destination,
        sum(copy.messages for copy in copies),
        sum(copy.segments for copy in copies),
        sum(copy.left_out for copy in copies),
        together(*(reader.damage for reader in readers.values())),
    )


def _copied(reader: RecordingReader, directory: Path, stem: str) -> "_Copy":
    copy = _Copy(reader, directory, stem)
    for numbered in reader.items():
        copy.add(numbered)
    copy.finish()
    return copy


class _Copy:
    """The copy being written: one new segment for each old one that gives anything."""

    def __init__(self, reader: RecordingReader, directory: Path, stem: str) -> None:
        self._reader, self._directory, self._stem = reader, directory, stem
        self._source: Segment | None = None
        self._writer: SegmentWriter | None = None
        self._channels: dict[str, int] = {}
        self._sessions: dict[int, int] = {}
        self.messages = self.segments = self.left_out = 0

    def add(self, numbered: Numbered) -> None:
        """Copy one message."""
        if numbered.segment is not self._source:
            self.finish()
            self._begin(numbered)
        if self._writer is None:
            self.left_out += 1
            return
        topic, t_ns, data = _message(numbered.item)
        self._writer.append(channel=self._channels[topic], sequence=numbered.sequence, t_ns=t_ns, data=data)
        self.messages += 1
        if self._writer.waiting > _COMMIT_BYTES:
            self._writer.commit()

    def finish(self) -> None:
        """Index and close the segment in progress."""
        if self._writer is not None:
            self._writer.finish()
            self._writer = None

    def _begin(self, numbered: Numbered) -> None:
        self._source = segment = numbered.segment
        header = self._reader.header_of(segment)
        if header is None:
            return
        head = SegmentHead(
            session=self._sessions.setdefault(segment.session, self.segments),
            index=self.segments,
            first_ns=segment.head.first_ns if segment.head else _message(numbered.item)[1],
            first_sequence=segment.head.first_sequence if segment.head else numbered.sequence,
        )
        self._writer = SegmentWriter(segment_path(self._directory, head.index, self._stem), header, head, _CONFIG)
        self._channels = {topic: i for i, topic in enumerate(topics(header), start=1)}
        self.segments += 1


def _message(item: Recorded) -> tuple[str, int, bytes]:
    """Topic, time and content of a message that says this."""
    if isinstance(item, Chunk):
        return (SENT_PREFIX if item.sent else RAW_PREFIX) + item.device, item.t_host_ns, item.data
    if isinstance(item, RecordedImage):
        return IMAGE_PREFIX + item.camera, item.t_ns, item.packed()
    if isinstance(item, OperatorEvent):
        return EVENTS_TOPIC, item.t_ns, event_json.dump_json(item)
    return CLOCK_TOPIC, item.monotonic_ns, clock_json.dump_json(item)
