"""Read one file of records, whatever has happened to it: only what a checksum vouches for comes out.

The walk steps from record to record. Where a record does not fit, it goes back to the end of the last one that a
checksum vouched for and searches byte by byte for the next such record. Memory is bounded by the largest record,
time by a budget on the bytes spent on records that turn out to be false.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from recordings.records import (
    ANCHOR,
    ANCHOR_BYTES,
    MAGIC,
    MAX_BYTES,
    RECORD,
    Attachment,
    Content,
    Fault,
    Opcode,
    skips,
    unpack_attachment,
    unpack_chunk,
)
from twin.core.errors import RecordingError

_WINDOW = 2**18
_TRIAL_BYTES = 256
"""What a false record costs beside its length, in bytes of the budget."""


class Lost(NamedTuple):
    """A stretch of the file that gives nothing, and why."""

    fault: Fault
    offset: int
    length: int


class _Step(NamedTuple):
    """A record at a place: what it gives (None: nothing of interest) and where the next one starts."""

    found: Attachment | Content | Lost | None
    end: int
    checked: bool
    """A checksum vouched for it."""


class Scanner:
    """Everything sound in one file, in order, and what is lost between."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError as error:
            raise RecordingError(f"{path}: cannot be opened: {error.strerror}") from None
        status = os.fstat(self._file)
        if not stat.S_ISREG(status.st_mode):
            os.close(self._file)
            raise RecordingError(f"{path}: not a file; give a recording's directory or one of its .mcap files")
        self.size = status.st_size
        self._budget = 2 * self.size + 2**23  # every record may fail twice: in the walk and in the search

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)

    def has_magic(self) -> bool:
        """Whether the file begins as the format asks."""
        return self._read(0, len(MAGIC)) == MAGIC

    def items(self) -> Iterator[Attachment | Content | Lost]:
        """Walk the whole file."""
        position = trusted = len(MAGIC) if self.has_magic() else 0
        finished = False
        while position < self.size:
            step = self._step(position)
            if isinstance(step, Fault):
                resumed = self._search(trusted + 1)
                start = position if resumed >= position else trusted
                yield Lost(Fault.GAVE_UP if self._budget < 0 else step, start, resumed - start)
                position = resumed
                continue
            if step.found is not None:
                yield step.found
            position = step.end
            trusted = position if step.checked else trusted
            finished = step.end == self.size and self._read(self.size - len(MAGIC), len(MAGIC)) == MAGIC
        if not finished:
            yield Lost(Fault.UNFINISHED, self.size, 0)

    def _step(self, position: int) -> _Step | Fault:
        """Judge the record at a position."""
        head = self._read(position, RECORD.size + 6)
        if len(head) < RECORD.size:
            return Fault.TRUNCATED
        opcode, length = RECORD.unpack_from(head)
        end = position + RECORD.size + length
        if opcode in (Opcode.CHUNK, Opcode.ATTACHMENT):
            return self._checked(opcode, position + RECORD.size, length)
        if opcode == Opcode.MESSAGE and length <= MAX_BYTES and end <= self.size:
            return _Step(Lost(Fault.UNCHECKED, position, end - position), end, checked=False)
        if not skips(opcode, length, head[RECORD.size : RECORD.size + min(length, 6)]):
            return Fault.BAD_RECORD
        if end > self.size:
            return Fault.TRUNCATED
        if opcode == Opcode.FOOTER and self._read(end, len(MAGIC)) == MAGIC:
            end += len(MAGIC)
        return _Step(None, end, checked=False)

    def _checked(self, opcode: int, start: int, length: int) -> _Step | Fault:
        """Judge a record that carries a checksum; failing costs budget, so that a hostile file ends in time."""
        self._budget -= _TRIAL_BYTES
        if length > MAX_BYTES:
            return Fault.REFUSED
        if start + length > self.size:
            return Fault.TRUNCATED
        body = self._read(start, length)
        found = unpack_chunk(body) if opcode == Opcode.CHUNK else unpack_attachment(body)
        if isinstance(found, Fault):
            self._budget -= length
            return found
        self._budget += _TRIAL_BYTES
        return _Step(found, start + length, checked=True)

    def _search(self, position: int) -> int:
        """Where the next record starts that a checksum vouches for; the end of the file if there is none."""
        while position < self.size:
            window = self._read(position, _WINDOW + ANCHOR_BYTES)
            match = ANCHOR.search(window)
            while match is not None and match.start() < _WINDOW:
                if isinstance(self._step(position + match.start()), _Step):
                    return position + match.start()
                if self._budget < 0:
                    return self.size
                match = ANCHOR.search(window, match.start() + 1)
            position += _WINDOW
        return self.size

    def _read(self, position: int, length: int) -> bytes:
        try:
            return os.pread(self._file, length, position)
        except OSError as error:
            raise RecordingError(f"{self.path}: cannot be read at byte {position}: {error.strerror}") from None
