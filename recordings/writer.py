"""Record a run: whatever happens to the process, the disk or the power, what was committed can be read again."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from firmware_interface.chunk import Chunk
from recordings.backlog import Backlog, Item
from recordings.config import RecordingConfig
from recordings.header import (
    CLOCK_TOPIC,
    EVENTS_TOPIC,
    IMAGE_PREFIX,
    RAW_PREFIX,
    SENT_PREFIX,
    ClockPair,
    RecordingHeader,
    SegmentHead,
    topics,
)
from recordings.image import RecordedImage
from recordings.segments import (
    RUN,
    SegmentWriter,
    clock_json,
    event_json,
    segment_index,
    segment_path,
    segments_in,
    sync_directory,
)
from twin.core.errors import RecordingError
from twin.core.estimate import OperatorEvent

_SPOOL_BYTES = 4 * 1024 * 1024
"""A long backlog is committed in parts of this size, so that catching up takes no memory."""
_CLOSING_S = 30.0
"""The longest a run waits for a dead disk before it ends."""


@dataclass(frozen=True, slots=True)
class WriterStatus:
    """How the recording is doing."""

    offered: int
    """Messages offered, lost ones too."""
    committed: int
    """Messages numbered below this are durable, or were counted as lost."""
    queued: int
    lost: int
    lost_bytes: int
    segments: int
    failures: int
    """Times the disk refused; each is followed by a new segment."""
    failing: str | None
    """Why nothing can be written at the moment."""


class RecordingWriter:
    """Writes segments into a directory on a thread of its own; the run never waits for the disk.

    A directory that already holds segments is continued with the next number: nothing is ever overwritten.
    """

    def __init__(
        self,
        directory: Path,
        header: RecordingHeader,
        config: RecordingConfig | None = None,
        *,
        stem: str = RUN,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        """stem: of the segments' names; seconds: a monotonic clock of real time [s], for the age of the queue."""
        self._config = config or RecordingConfig()
        self._directory, self._header, self._stem = directory, header, stem
        self._channels = {topic: i for i, topic in enumerate(topics(header), start=1)}
        self._backlog = Backlog(queue_s=self._config.queue_s, queue_bytes=self._config.queue_bytes, seconds=seconds)
        self._failures, self._segments = 0, 0
        self._failing: str | None = None
        self._session: int | None = None
        self._segment: SegmentWriter | None = None
        try:
            _make_directory(directory)
            self._segment = self._open(sequence=0, t_ns=header.clock.monotonic_ns)
        except OSError as error:
            raise RecordingError(
                f"{directory}: cannot record here: {error.strerror}; free space or choose another directory"
            ) from None
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="recording", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def write(self, chunk: Chunk) -> bool:
        """Record bytes without waiting; False, and counted as lost, where the queue is full."""
        return self._backlog.offer(self._channel(chunk), chunk.t_host_ns, chunk.data)

    def write_when_room(self, chunk: Chunk) -> None:
        """Record bytes, waiting for the disk: for sources that can wait, such as a simulation."""
        self._backlog.add(self._channel(chunk), chunk.t_host_ns, chunk.data)

    def write_image(self, image: RecordedImage) -> bool:
        """Record an image without waiting; False, and counted as lost, where the queue is full."""
        return self._backlog.offer(self._channels[IMAGE_PREFIX + image.camera], image.t_ns, image.packed())

    def write_image_when_room(self, image: RecordedImage) -> None:
        """Record an image, waiting for the disk."""
        self._backlog.add(self._channels[IMAGE_PREFIX + image.camera], image.t_ns, image.packed())

    def write_event(self, event: OperatorEvent) -> bool:
        """Record what a person noted."""
        return self._backlog.offer(self._channels[EVENTS_TOPIC], event.t_ns, event_json.dump_json(event))

    def write_clock(self, pair: ClockPair) -> bool:
        """Record both host clocks at one moment."""
        return self._backlog.offer(self._channels[CLOCK_TOPIC], pair.monotonic_ns, clock_json.dump_json(pair))

    @property
    def offered(self) -> int:
        """Messages offered so far: the number of the next one."""
        return self._backlog.offered

    @property
    def committed(self) -> int:
        """Every accepted message numbered below this is durable; messages count from 0 in the order offered."""
        return self._backlog.committed

    @property
    def status(self) -> WriterStatus:
        """How the recording is doing now."""
        queue = self._backlog
        return WriterStatus(
            offered=queue.offered,
            committed=queue.committed,
            queued=len(queue),
            lost=queue.lost,
            lost_bytes=queue.lost_bytes,
            segments=self._segments,
            failures=self._failures,
            failing=self._failing,
        )

    def sync(self, *, timeout_s: float = 10.0) -> bool:
        """Wait until everything accepted so far is durable; False if the disk does not manage in time."""
        return self._backlog.wait_committed(timeout_s)

    def close(self) -> WriterStatus:
        """Write what is left, index and close the last segment. What a failed disk refuses is counted as lost."""
        self._ending.set()
        self._backlog.hurry()
        self._thread.join(_CLOSING_S)
        return self.status

    def _channel(self, chunk: Chunk) -> int:
        prefix = SENT_PREFIX if chunk.sent else RAW_PREFIX
        try:
            return self._channels[prefix + chunk.device]
        except KeyError:
            known = ", ".join(self._header.devices) or "none"
            raise ValueError(f"device '{chunk.device}' is not in the header of the recording: {known}") from None

    def _run(self) -> None:
        while not self._ending.is_set():
            self._backlog.pause(self._config.sync_s if self._failing is None else self._config.retry_s)
            self._store(self._backlog.waiting())
        self._store(self._backlog.waiting(), finish=True)
        self._backlog.surrender()

    def _store(self, items: list[Item], *, finish: bool = False) -> None:
        """Make items durable. On failure they stay in the backlog and go whole into a new segment later:
        what the failed file kept of them is a duplicate the reader knows by its number.
        """
        try:
            for item in items:
                segment = self._segment_for(item)
                segment.append(channel=item.channel, sequence=item.sequence, t_ns=item.t_ns, data=item.data)
                if segment.waiting > _SPOOL_BYTES:
                    segment.commit()
                    self._backlog.release(item.sequence + 1)
            if self._segment is not None and items:
                self._segment.commit()
                self._backlog.release(items[-1].sequence + 1)
            if self._segment is not None and finish:
                self._segment.finish()
        except OSError as error:
            self._failures += 1
            self._failing = error.strerror or str(error)
            if self._segment is not None:
                self._segment.abandon()
                self._segment = None
        else:
            self._failing = None

    def _segment_for(self, item: Item) -> SegmentWriter:
        """The segment an item belongs to: the current one, or the next when its time is full."""
        segment = self._segment
        if segment is not None and item.t_ns - segment.head.first_ns >= self._config.segment_s * 1e9:
            segment.finish()
            self._segment = segment = None
            self._backlog.release(item.sequence)
        if segment is None:
            self._segment = segment = self._open(sequence=item.sequence, t_ns=item.t_ns)
        return segment

    def _open(self, *, sequence: int, t_ns: int) -> SegmentWriter:
        existing = segments_in(self._directory, self._stem)
        index = (segment_index(existing[-1], self._stem) or 0) + 1 if existing else 0
        if self._session is None:
            self._session = index
        head = SegmentHead(session=self._session, index=index, first_ns=t_ns, first_sequence=sequence % 2**32)
        segment = SegmentWriter(segment_path(self._directory, index, self._stem), self._header, head, self._config)
        self._segments += 1
        return segment


def _make_directory(directory: Path) -> None:
    """Create a directory so that a power cut does not take its name away."""
    if not directory.is_dir():
        _make_directory(directory.parent)
        directory.mkdir(exist_ok=True)
        sync_directory(directory.parent)
