"""What a recording holds: the content of `railtwin info`."""

from dataclasses import dataclass
from pathlib import Path

from firmware_interface.chunk import Chunk
from recordings.damage import DamageReport
from recordings.header import RecordingHeader
from recordings.reader import RecordingReader
from twin.core.errors import RecordingError
from twin.core.estimate import OperatorEvent

GAP_S = 1.0
"""Silence of a device that is called a gap [s]: the slowest sensor sends many packets in it."""


@dataclass(frozen=True, slots=True)
class StreamInfo:
    """What came from, or went to, one device."""

    device: str
    sent: bool
    messages: int
    size: int
    """[bytes]"""
    start_ns: int
    end_ns: int
    gaps: int
    """Silences longer than GAP_S."""
    longest_gap_s: float

    @property
    def rate(self) -> float:
        """Messages per second."""
        return self.messages / max((self.end_ns - self.start_ns) / 1e9, 1e-9) if self.messages > 1 else 0.0


@dataclass(frozen=True, slots=True)
class RecordingInfo:
    """A recording at a glance."""

    path: Path
    header: RecordingHeader | None
    segments: int
    sessions: int
    size: int
    """Of all files [bytes]."""
    start_ns: int
    end_ns: int
    streams: tuple[StreamInfo, ...]
    events: tuple[OperatorEvent, ...]
    damage: DamageReport

    @property
    def duration_s(self) -> float:
        """From the first to the last message [s]."""
        return (self.end_ns - self.start_ns) / 1e9

    def lines(self) -> list[str]:
        """For a person."""
        if self.header is None:
            about = "header lost: version, configuration and calibrations unknown"
        else:
            about = f"started {self.header.started or 'at an unknown time'}, version {self.header.version or '?'}"
        size = f"{self.size / 1e6:.2f} MB in {self.segments} segments, {self.sessions} sessions"
        streams = [_line(stream) for stream in self.streams]
        return [
            f"{self.path}: {self.duration_s:.1f} s, {size}",
            about,
            *streams,
            f"{len(self.events)} operator events",
            *self.damage.lines(),
        ]


def describe(path: Path) -> RecordingInfo:
    """Read a whole recording and sum it up."""
    reader = RecordingReader(path)
    streams: dict[tuple[str, bool], _Stream] = {}
    events: list[OperatorEvent] = []
    start_ns = end_ns = None
    for _, item, _ in reader.items():
        if isinstance(item, Chunk):
            streams.setdefault((item.device, item.sent), _Stream()).add(item)
            start_ns = item.t_host_ns if start_ns is None else min(start_ns, item.t_host_ns)
            end_ns = item.t_host_ns if end_ns is None else max(end_ns, item.t_host_ns)
        elif isinstance(item, OperatorEvent) and len(events) < _LISTED:
            events.append(item)
    return RecordingInfo(
        path=path,
        header=_header(reader),
        segments=len(reader.segments),
        sessions=reader.sessions,
        size=sum(segment.size for segment in reader.segments),
        start_ns=start_ns or 0,
        end_ns=end_ns or 0,
        streams=tuple(stream.info(*key) for key, stream in sorted(streams.items())),
        events=tuple(events),
        damage=reader.damage,
    )


_LISTED = 10_000
"""Operator events kept: more than a shift of typing gives."""


class _Stream:
    """Sums of one device."""

    def __init__(self) -> None:
        self._messages = self._size = self._gaps = 0
        self._longest_ns = 0
        self._start_ns: int | None = None
        self._end_ns = 0

    def add(self, chunk: Chunk) -> None:
        self._messages += 1
        self._size += len(chunk.data)
        if self._start_ns is None:
            self._start_ns = self._end_ns = chunk.t_host_ns
        silence_ns = chunk.t_host_ns - self._end_ns
        self._longest_ns = max(self._longest_ns, silence_ns)
        self._gaps += silence_ns > GAP_S * 1e9
        self._end_ns = max(self._end_ns, chunk.t_host_ns)

    def info(self, device: str, sent: bool) -> StreamInfo:
        return StreamInfo(
            device=device,
            sent=sent,
            messages=self._messages,
            size=self._size,
            start_ns=self._start_ns or 0,
            end_ns=self._end_ns,
            gaps=self._gaps,
            longest_gap_s=self._longest_ns / 1e9,
        )


def _header(reader: RecordingReader) -> RecordingHeader | None:
    try:
        return reader.header
    except RecordingError:
        return None


def _line(stream: StreamInfo) -> str:
    way = "to" if stream.sent else "from"
    gaps = f"{stream.gaps} gaps, longest {stream.longest_gap_s:.2f} s" if stream.gaps else "no gaps"
    return f"{way} {stream.device}: {stream.messages} reads, {stream.size} bytes, {stream.rate:.1f} per s, {gaps}"
