"""Segments of a recording on the disk: their names, their order, and one file written durably."""

import errno
import io
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mcap.writer import CompressionType, Writer
from pydantic import TypeAdapter

from recordings.config import Compression, RecordingConfig
from recordings.header import (
    CLOCK_TOPIC,
    EVENTS_TOPIC,
    IMAGE_PREFIX,
    ClockPair,
    RecordingHeader,
    SegmentHead,
    to_attachments,
    topics,
)
from twin.core.estimate import OperatorEvent

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

RUN, IMAGES = "run", "images"
"""What the names of segments begin with: those of the devices' bytes, and those of cameras' images."""
_NAME = re.compile(rf"({RUN}|{IMAGES})-(\d+)\.mcap")
_COMPRESSION = {"none": CompressionType.NONE, "lz4": CompressionType.LZ4, "zstd": CompressionType.ZSTD}

event_json = TypeAdapter(OperatorEvent)
clock_json = TypeAdapter(ClockPair)


def segment_path(directory: Path, index: int, stem: str = RUN) -> Path:
    """File of a segment: run-000.mcap, run-001.mcap, ..."""
    return directory / f"{stem}-{index:03d}.mcap"


def segment_index(path: Path, stem: str = RUN) -> int | None:
    """Number of a segment, None for a file that is none."""
    match = _NAME.fullmatch(path.name)
    return int(match[2]) if match and match[1] == stem else None


def segments_in(directory: Path, stem: str = RUN) -> list[Path]:
    """Segments of a directory in the order they were written."""
    numbered = [(index, path) for path in directory.iterdir() if (index := segment_index(path, stem)) is not None]
    return [path for _, path in sorted(numbered)]


def sync_directory(directory: Path) -> None:
    """Make names in a directory durable: without it a power cut can lose a whole, synced file."""
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Spool(io.RawIOBase):
    """Takes what the stock writer writes and never fails: the disk is touched in one place, at the commit."""

    def __init__(self) -> None:
        self.waiting = bytearray()
        self._position = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def write(self, data: "ReadableBuffer", /) -> int:
        size = memoryview(data).nbytes
        self.waiting += memoryview(data)
        self._position += size
        return size


def stock_writer(spool: Spool, *, chunk_bytes: int, compression: Compression) -> Writer:
    """The stock container writer with our fixed choices: checksums on, everything indexed."""
    return Writer(io.BufferedWriter(spool), chunk_size=chunk_bytes, compression=_COMPRESSION[compression])


def write_all(handle: int, data: bytearray) -> None:
    """Write every byte, however many calls the disk wants."""
    with memoryview(data) as view:
        written = 0
        while written < len(view):
            written += os.write(handle, view[written:])


class SegmentWriter:
    """One segment: self-contained from its first commit on. Every method may raise OSError; then abandon it."""

    def __init__(self, path: Path, header: RecordingHeader, head: SegmentHead, config: RecordingConfig) -> None:
        self.path, self.head = path, head
        self._reserve = config.reserve_bytes
        self._spool = Spool()
        self._writer = stock_writer(self._spool, chunk_bytes=config.chunk_bytes, compression=config.compression)
        self._writer.start(profile="", library="railtwin")
        self._describe(header, head)
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        self._size = 0
        try:
            self.commit()
            os.fsync(self._handle)
            sync_directory(path.parent)
        except OSError:
            os.close(self._handle)
            path.unlink(missing_ok=True)
            raise

    def _describe(self, header: RecordingHeader, head: SegmentHead) -> None:
        for name, data in to_attachments(header, head).items():
            kind = "application/json" if name.endswith(".json") else "text/plain"
            self._writer.add_attachment(0, head.first_ns, name, kind, data)
        self._writer.add_metadata(
            "railtwin",
            {"version": header.version, "started": header.started, "devices": ", ".join(header.devices)},
        )
        raw = self._writer.register_schema("railtwin.RawChunk", "", b"")
        notes = {
            EVENTS_TOPIC: self._writer.register_schema("railtwin.OperatorEvent", "jsonschema", _EVENT_SCHEMA),
            CLOCK_TOPIC: self._writer.register_schema("railtwin.ClockPair", "jsonschema", _CLOCK_SCHEMA),
        }
        image = self._writer.register_schema("railtwin.ImageRecord", "", b"") if header.cameras else raw
        for topic in topics(header):
            encoding = "json" if topic in notes else "application/octet-stream"
            bare = image if topic.startswith(IMAGE_PREFIX) else raw
            self._writer.register_channel(topic, encoding, notes.get(topic, bare))

    def append(self, *, channel: int, sequence: int, t_ns: int, data: bytes) -> None:
        """Add a message; it is durable after the next commit."""
        stamp = max(t_ns, 0)
        self._writer.add_message(channel, stamp, data, stamp, sequence % 2**32)

    @property
    def waiting(self) -> int:
        """Bytes of finished chunks not yet given to the disk."""
        return len(self._spool.waiting)

    def commit(self) -> None:
        """Close the chunk in progress and wait until the disk has it."""
        self._writer.flush()
        self._store()

    def finish(self) -> int:
        """Write the index and close; returns the size of the file [bytes]."""
        self._writer.finish()
        self._writer.flush()
        self._store()
        os.close(self._handle)
        return self._size

    def abandon(self) -> None:
        """Close a file the disk has failed on, cut back to its last commit where the disk still allows it."""
        try:
            os.ftruncate(self._handle, self._size)
        except OSError:
            pass  # the reader copes with the torn end
        finally:
            os.close(self._handle)

    def _store(self) -> None:
        space = os.fstatvfs(self._handle)
        if space.f_bavail * space.f_frsize < self._reserve + len(self._spool.waiting):
            raise OSError(errno.ENOSPC, f"less than the reserve of {self._reserve} bytes is free")
        write_all(self._handle, self._spool.waiting)
        os.fdatasync(self._handle)
        self._size += len(self._spool.waiting)
        self._spool.waiting.clear()


def _schema(adapter: TypeAdapter[OperatorEvent] | TypeAdapter[ClockPair]) -> bytes:
    return json.dumps(adapter.json_schema(), sort_keys=True).encode()


_EVENT_SCHEMA = _schema(event_json)
_CLOCK_SCHEMA = _schema(clock_json)
