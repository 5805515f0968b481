"""Read a recording back, whole or damaged: every message a checksum vouches for, once, in order."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from firmware_interface.chunk import Chunk
from recordings.damage import DamageLog, DamageReport
from recordings.header import (
    CALIBRATION_PREFIX,
    CLOCK_TOPIC,
    CONFIG_NAME,
    EVENTS_TOPIC,
    HEADER_NAME,
    IMAGE_PREFIX,
    RAW_PREFIX,
    SENT_PREFIX,
    ClockPair,
    RecordingHeader,
    SegmentHead,
    from_attachments,
    topics,
)
from recordings.image import RecordedImage
from recordings.records import Attachment, Channel, Content, RawMessage, parts_of
from recordings.scan import Lost, Scanner
from recordings.segments import RUN, clock_json, event_json, segments_in
from twin.core.errors import RecordingError
from twin.core.estimate import OperatorEvent

Recorded = Chunk | OperatorEvent | ClockPair | RecordedImage

_SLACK_NS = 1_000_000_000
"""Messages of one segment may lie this far outside its time: devices are read by several threads."""
_ATTACHED_BYTES = 2**25
"""Attachments kept of one segment; a hostile file may hold any number."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One file of a recording and what it says about itself."""

    path: Path
    size: int
    """[bytes]"""
    session: int
    """Which process wrote it; counts from 0 in the order of the files."""
    head: SegmentHead | None
    """None where it did not survive."""
    header: RecordingHeader | None


class Numbered(NamedTuple):
    """A recorded item with its running number and the segment it lies in."""

    sequence: int
    item: Recorded
    segment: Segment


class RecordingReader:
    """A recording: a directory of segments, or one segment alone. Raises nothing but RecordingError."""

    def __init__(self, path: Path, *, stem: str = RUN) -> None:
        """stem: of the segments' names."""
        self.path = path
        self.segments = _survey(_files(path, stem))
        self._damage = DamageReport()

    @property
    def sessions(self) -> int:
        """How many times the recording was started: a restart begins a session, and its numbers, anew."""
        return self.segments[-1].session + 1

    @property
    def header(self) -> RecordingHeader:
        """What a replay needs beside the bytes, from the first segment that still has it."""
        for segment in self.segments:
            if segment.header is not None:
                return segment.header
        raise RecordingError(f"{self.path}: no header survives; the configuration must be given by hand")

    @property
    def damage(self) -> DamageReport:
        """What the last completed pass over the messages could not read."""
        return self._damage

    def chunks(
        self, *, start_ns: int | None = None, end_ns: int | None = None, session: int | None = None
    ) -> Iterator[Chunk]:
        """Bytes as received and sent, with start_ns <= t_host_ns < end_ns, of one session or of all."""
        for numbered in self.items(start_ns=start_ns, end_ns=end_ns, session=session):
            if isinstance(numbered.item, Chunk):
                yield numbered.item

    def events(self) -> Iterator[OperatorEvent]:
        """What a person noted."""
        for numbered in self.items():
            if isinstance(numbered.item, OperatorEvent):
                yield numbered.item

    def clocks(self) -> Iterator[ClockPair]:
        """Readings of both host clocks."""
        for numbered in self.items():
            if isinstance(numbered.item, ClockPair):
                yield numbered.item

    def check(self) -> DamageReport:
        """Read everything and say what is lost."""
        for _ in self.items():
            pass
        return self._damage

    def items(
        self, *, start_ns: int | None = None, end_ns: int | None = None, session: int | None = None
    ) -> Iterator[Numbered]:
        """Everything recorded, in order, each number once."""
        log = DamageLog()
        number = _Numbering(log)
        for segment in self._chosen(start_ns, end_ns, session):
            number.enter(segment)
            for message, topic in _messages(segment, self.header_of(segment), log):
                if not number.accepts(message):
                    continue
                item = _item(topic, message)
                if item is None:
                    log.unreadable()
                elif (start_ns is None or message.t_ns >= start_ns) and (end_ns is None or message.t_ns < end_ns):
                    yield Numbered(message.sequence, item, segment)
        self._damage = log.report()

    def _chosen(self, start_ns: int | None, end_ns: int | None, session: int | None) -> Iterator[Segment]:
        """Segments that can hold messages of a time range."""
        for segment, follower in zip(self.segments, [*self.segments[1:], None], strict=True):
            if session is not None and segment.session != session:
                continue
            if segment.head and end_ns is not None and segment.head.first_ns - _SLACK_NS >= end_ns:
                continue
            if start_ns is None or not _ends_before(segment, follower, start_ns - _SLACK_NS):
                yield segment

    def header_of(self, segment: Segment) -> RecordingHeader | None:
        """Header of a segment, or, where it is damaged, of another segment of the same session."""
        same = (other.header for other in self.segments if other.session == segment.session)
        return next((header for header in (segment.header, *same) if header is not None), None)


def open_recording(path: Path) -> RecordingReader:
    """Open a recording: its directory, or one of its files."""
    return RecordingReader(path)


def replay(path: Path, *, start_ns: int | None = None, end_ns: int | None = None) -> Iterator[Chunk]:
    """The bytes of a recording in the order they were recorded."""
    return RecordingReader(path).chunks(start_ns=start_ns, end_ns=end_ns)


class _Numbering:
    """Follows the running numbers: a number left out is a loss, one that comes again a duplicate."""

    def __init__(self, log: DamageLog) -> None:
        self._log = log
        self._session: int | None = None
        self._expected: int | None = None

    def enter(self, segment: Segment) -> None:
        """Numbers begin anew with a session, and where reading begins."""
        if segment.session != self._session:
            self._session = segment.session
            self._expected = segment.head.first_sequence if segment.head else None

    def accepts(self, message: RawMessage) -> bool:
        """False for a message that was already read."""
        ahead = (message.sequence - self._expected) % 2**32 if self._expected is not None else 0
        if ahead >= 2**31:
            self._log.duplicate()
            return False
        if ahead:
            self._log.missing(ahead)
        self._expected = message.sequence + 1
        self._log.read(message.t_ns)
        return True


def _ends_before(segment: Segment, follower: Segment | None, t_ns: int) -> bool:
    """Whether the next segment of the same session begins before a time, and so this one ends before it."""
    return (
        follower is not None
        and follower.session == segment.session
        and follower.head is not None
        and follower.head.first_ns < t_ns
    )


def _messages(segment: Segment, header: RecordingHeader | None, log: DamageLog) -> Iterator[tuple[RawMessage, str]]:
    """Messages of one segment with their topics; without a header the channel records must say them."""
    channels = dict(enumerate(topics(header), start=1)) if header else {}
    with Scanner(segment.path) as scanner:
        for found in scanner.items():
            if isinstance(found, Lost):
                log.lost(segment.path.name, found)
            elif isinstance(found, Content):
                for part in parts_of(found):
                    if isinstance(part, RawMessage):
                        topic = channels.get(part.channel)
                        if topic is None:
                            log.unreadable()
                        else:
                            yield part, topic
                    elif isinstance(part, Channel):
                        channels.setdefault(part.channel, part.topic)
                    else:
                        log.lost(segment.path.name, Lost(part, 0, 0))


def _item(topic: str, message: RawMessage) -> Recorded | None:
    """What a message says, None where it makes no sense."""
    if message.t_ns >= 2**63:
        return None
    if topic.startswith(RAW_PREFIX):
        return Chunk(topic[len(RAW_PREFIX) :], message.t_ns, message.data)
    if topic.startswith(SENT_PREFIX):
        return Chunk(topic[len(SENT_PREFIX) :], message.t_ns, message.data, sent=True)
    if topic.startswith(IMAGE_PREFIX):
        return RecordedImage.unpacked(topic[len(IMAGE_PREFIX) :], message.t_ns, message.data)
    try:
        if topic == EVENTS_TOPIC:
            return event_json.validate_json(message.data)
        if topic == CLOCK_TOPIC:
            return clock_json.validate_json(message.data)
    except ValidationError:
        return None
    return None


def _files(path: Path, stem: str) -> list[Path]:
    try:
        files = segments_in(path, stem) if path.is_dir() else [path]
    except OSError as error:
        raise RecordingError(f"{path}: cannot be listed: {error.strerror}") from None
    if not files:
        raise RecordingError(f"{path}: no recording here: it has no {stem}-000.mcap, {stem}-001.mcap, ...")
    return files


def _survey(files: Iterable[Path]) -> tuple[Segment, ...]:
    """What each file says about itself. A file that lost its head is taken to continue the one before."""
    segments: list[Segment] = []
    session, known, anything = 0, None, False
    for path in files:
        with Scanner(path) as scanner:
            attachments, has_content = _attachments(scanner)
            anything = anything or has_content or bool(attachments) or scanner.has_magic()
            size = scanner.size
        header, head = from_attachments(attachments) or (None, None)
        if head is not None:
            session += known is not None and head.session != known
            known = head.session
        segments.append(Segment(path, size, session, head, header))
    if not anything:
        raise RecordingError(f"{segments[0].path}: not a recording, or nothing of it is left")
    return tuple(segments)


def _attachments(scanner: Scanner) -> tuple[dict[str, bytes], bool]:
    """Attachments ahead of the first message, and whether any message follows."""
    files: dict[str, bytes] = {}
    kept = 0
    for found in scanner.items():
        if isinstance(found, Content):
            return files, True
        if isinstance(found, Attachment) and found.name.startswith((HEADER_NAME, CONFIG_NAME, CALIBRATION_PREFIX)):
            kept += len(found.data)
            if kept > _ATTACHED_BYTES:
                break
            files[found.name] = found.data
    return files, False
