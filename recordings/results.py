"""Result files: what the twin found, typed, readable in existing viewers, and the same bytes for the same results.

Times are data times, chunks are cut by size and data time, the library string is fixed: a result file is a pure
function of the results and the metadata given, so a replay can be compared with the run byte for byte.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import TypeAdapter, ValidationError

from recordings.damage import DamageLog, DamageReport
from recordings.records import Attachment, Channel, Content, RawMessage, parts_of
from recordings.result_codec import Archived, decode, encode
from recordings.result_schema import descriptor_set
from recordings.scan import Lost, Scanner
from recordings.segments import Spool, stock_writer, sync_directory, write_all
from twin.core.errors import RecordingError
from twin.core.estimate import Estimate, Fusion, GridBlock, Health, OperatorEvent

CHUNK_BYTES = 64 * 1024
FLUSH_NS = 10_000_000_000
"""Data time between two hand-overs to the system [ns]. Results can be computed again: no wait for the disk."""
PART_BYTES = 256 * 1024
"""A longer estimate is written, and read back, as several: readers never need more memory than this."""
_METADATA_NAME = "metadata.json"


class ResultWriter:
    """Writes results to one file, in the order given."""

    def __init__(self, path: Path, metadata: Mapping[str, str]) -> None:
        """metadata: what the results were made from; no wall times, or two runs will not compare equal."""
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise RecordingError(f"{path}: cannot be written: {error.strerror}") from None
        self._spool = Spool()
        self._writer = stock_writer(self._spool, chunk_bytes=CHUNK_BYTES, compression="none")
        self._writer.start(profile="", library="railtwin")
        content = json.dumps(dict(metadata), sort_keys=True).encode()
        self._writer.add_attachment(0, 0, _METADATA_NAME, "application/json", content)
        self._writer.add_metadata("railtwin", dict(sorted(metadata.items())))
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        self._sequence = 0
        self._last_ns: int | None = None
        self._flushed_ns: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def write(self, result: Archived) -> None:
        """Append a result."""
        for part in _parts(result):
            self._append(part)

    def close(self) -> None:
        """Index the file, make it durable, close it."""
        try:
            self._writer.finish()
            self._writer.flush()
            self._store()
            os.fsync(self._handle)
            sync_directory(self.path.parent)
        except OSError as error:
            raise RecordingError(f"{self.path}: cannot be made durable: {error.strerror}") from None
        finally:
            os.close(self._handle)

    def _append(self, result: Archived) -> None:
        t_ns = _time(result)
        if t_ns is None:
            t_ns = self._last_ns or 0
        self._last_ns = t_ns
        self._writer.add_message(self._channel(result), max(t_ns, 0), encode(result), max(t_ns, 0), self._sequence)
        self._sequence = (self._sequence + 1) % 2**32
        if self._flushed_ns is None:
            self._flushed_ns = t_ns
        if t_ns - self._flushed_ns >= FLUSH_NS:
            self._flushed_ns = t_ns
            self._writer.flush()
            self._store()
        elif len(self._spool.waiting) > CHUNK_BYTES:
            self._store()

    def _channel(self, result: Archived) -> int:
        topic, kind = topic_of(result), type(result).__name__
        if topic not in self._channels:
            if kind not in self._schemas:
                schema = self._writer.register_schema(f"railtwin.{kind}", "protobuf", descriptor_set(kind))
                self._schemas[kind] = schema
            self._channels[topic] = self._writer.register_channel(topic, "protobuf", self._schemas[kind])
        return self._channels[topic]

    def _store(self) -> None:
        try:
            write_all(self._handle, self._spool.waiting)
        except OSError as error:
            raise RecordingError(f"{self.path}: cannot be written: {error.strerror}; free space") from None
        self._spool.waiting.clear()


class ResultReader:
    """Results of one file, in the order written; what is damaged is left out and counted."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._damage = DamageReport()
        with Scanner(path) as scanner:
            self.metadata = _metadata(scanner)

    @property
    def damage(self) -> DamageReport:
        """What the last completed pass could not read."""
        return self._damage

    def __iter__(self) -> Iterator[Archived]:
        log = DamageLog()
        expected = 0
        for message, topic in self._messages(log):
            ahead = (message.sequence - expected) % 2**32
            if ahead < 2**31:
                log.missing(ahead)
            expected = message.sequence + 1
            log.read(message.t_ns)
            try:
                yield decode(_KINDS.get(topic.strip("/").split("/")[0], ""), message.data)
            except ValueError:
                log.unreadable()
        self._damage = log.report()

    def _messages(self, log: DamageLog) -> Iterator[tuple[RawMessage, str]]:
        channels: dict[int, str] = {}
        with Scanner(self.path) as scanner:
            for found in scanner.items():
                if isinstance(found, Lost):
                    log.lost(self.path.name, found)
                for part in parts_of(found) if isinstance(found, Content) else ():
                    if isinstance(part, Channel):
                        channels[part.channel] = part.topic
                    elif not isinstance(part, RawMessage):
                        log.lost(self.path.name, Lost(part, 0, 0))
                    elif part.channel in channels:
                        yield part, channels[part.channel]
                    else:
                        log.unreadable()


_KINDS = {
    "estimate": "Estimate",
    "grid": "GridBlock",
    "fusion": "Fusion",
    "health": "Health",
    "events": "OperatorEvent",
}


def topic_of(result: Archived) -> str:
    """Topic of a result: its kind first, then what tells it from others of the kind."""
    match result:
        case Estimate():
            return f"/estimate/{result.name}/{result.form.value}"
        case GridBlock():
            return f"/grid/{result.name}/{result.form.value}"
        case Fusion():
            return f"/fusion/{result.name}"
        case Health():
            return f"/health/{result.source}"
        case OperatorEvent():
            return "/events"


def _time(result: Archived) -> int | None:
    """Data time at which a result was complete [ns]; None for one without samples."""
    if isinstance(result, Health | OperatorEvent):
        return result.t_ns
    return int(result.t_ns[-1]) if result.t_ns.size else None


def _parts(result: Archived) -> Iterator[Archived]:
    """A long result cut into short ones."""
    if isinstance(result, Health | OperatorEvent):
        yield result
        return
    columns = 4 if isinstance(result, Fusion) else 2 * len(result.layout.names) + 3
    rows = max(PART_BYTES // (8 * columns), 1)
    for start in range(0, max(result.t_ns.size, 1), rows):
        yield _rows(result, slice(start, start + rows))


def _rows(result: Estimate | GridBlock | Fusion, rows: slice) -> Archived:
    if isinstance(result, Estimate):
        return replace(
            result, t_ns=result.t_ns[rows], x=result.x[rows], var=result.var[rows], quality=result.quality[rows]
        )
    if isinstance(result, GridBlock):
        return replace(
            result,
            index=result.index[rows],
            t_ns=result.t_ns[rows],
            values=result.values[rows],
            quality=result.quality[rows],
        )
    return replace(
        result,
        t_ns=result.t_ns[rows],
        innovation=result.innovation[rows],
        variance=result.variance[rows],
        accepted=result.accepted[rows],
    )


def _metadata(scanner: Scanner) -> dict[str, str]:
    """What the results were made from; empty where it did not survive."""
    for found in scanner.items():
        if isinstance(found, Attachment) and found.name == _METADATA_NAME:
            try:
                return _TEXTS.validate_json(found.data)
            except ValidationError:
                return {}
        if isinstance(found, Content):
            return {}
    raise RecordingError(f"{scanner.path}: not a result file, or nothing of it is left")


_TEXTS = TypeAdapter(dict[str, str])
