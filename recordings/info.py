"""What a recording holds: the content of `railtwin info`."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from firmware_interface.chunk import Chunk
from recordings.damage import DamageReport, together
from recordings.header import RecordingHeader
from recordings.image import RecordedImage, has_images
from recordings.reader import RecordingReader
from recordings.segments import IMAGES
from twin.core.errors import RecordingError
from twin.core.estimate import OperatorEvent

if TYPE_CHECKING:
    from recordings.image_record import RecordKind

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
class CameraInfo:
    """What came from one camera."""

    camera: str
    kinds: "Mapping[RecordKind, int]"
    """Images by what of them is there: whole, the strip around the line, the line alone."""
    damaged: int
    """Images whose record makes no sense."""
    size: int
    """[bytes]"""
    start_ns: int
    end_ns: int
    gaps: int
    """Silences longer than GAP_S."""
    longest_gap_s: float

    @property
    def images(self) -> int:
        """All of them."""
        return sum(self.kinds.values()) + self.damaged

    @property
    def rate(self) -> float:
        """Images per second."""
        return self.images / max((self.end_ns - self.start_ns) / 1e9, 1e-9) if self.images > 1 else 0.0


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
    cameras: tuple[CameraInfo, ...]
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
            *(_camera_line(camera) for camera in self.cameras),
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
    images = RecordingReader(path, stem=IMAGES) if has_images(path) else None
    cameras: dict[str, _Camera] = {}
    for _, item, _ in () if images is None else images.items():
        if isinstance(item, RecordedImage):
            cameras.setdefault(item.camera, _Camera()).add(item)
    return RecordingInfo(
        path=path,
        header=_header(reader),
        segments=len(reader.segments),
        sessions=reader.sessions,
        size=sum(segment.size for each in (reader, images) if each is not None for segment in each.segments),
        start_ns=start_ns or 0,
        end_ns=end_ns or 0,
        streams=tuple(stream.info(*key) for key, stream in sorted(streams.items())),
        cameras=tuple(camera.info(name) for name, camera in sorted(cameras.items())),
        events=tuple(events),
        damage=reader.damage if images is None else together(reader.damage, images.damage),
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


class _Camera:
    """Sums of one camera."""

    def __init__(self) -> None:
        self._stream = _Stream()
        self._kinds: Counter[RecordKind] = Counter()
        self._damaged = 0

    def add(self, image: RecordedImage) -> None:
        from recordings.image_record import kind_of  # here, as a recorder starts sooner without it

        self._stream.add(Chunk(image.camera, image.t_ns, image.data))
        kind = kind_of(image.data)
        if kind is None:
            self._damaged += 1
        else:
            self._kinds[kind] += 1

    def info(self, name: str) -> CameraInfo:
        found = self._stream.info(name, sent=False)
        return CameraInfo(
            camera=name,
            kinds=dict(self._kinds),
            damaged=self._damaged,
            size=found.size,
            start_ns=found.start_ns,
            end_ns=found.end_ns,
            gaps=found.gaps,
            longest_gap_s=found.longest_gap_s,
        )


def _header(reader: RecordingReader) -> RecordingHeader | None:
    try:
        return reader.header
    except RecordingError:
        return None


def _camera_line(camera: CameraInfo) -> str:
    kinds = ", ".join(f"{count} {kind.name.lower()}" for kind, count in sorted(camera.kinds.items()))
    damaged = f", {camera.damaged} damaged" if camera.damaged else ""
    gaps = f"{camera.gaps} gaps, longest {camera.longest_gap_s:.2f} s" if camera.gaps else "no gaps"
    size = f"{camera.size / 1e6:.1f} MB, {camera.rate:.1f} per s"
    return f"images of {camera.camera}: {camera.images} ({kinds}{damaged}), {size}, {gaps}"


def _line(stream: StreamInfo) -> str:
    way = "to" if stream.sent else "from"
    gaps = f"{stream.gaps} gaps, longest {stream.longest_gap_s:.2f} s" if stream.gaps else "no gaps"
    return f"{way} {stream.device}: {stream.messages} reads, {stream.size} bytes, {stream.rate:.1f} per s, {gaps}"
