"""Records of an MCAP file, taken apart with every length checked [MCAP specification, version 0].

All integers are little endian. A record is opcode u8, length u64, body. Nothing here trusts a length: what does
not fit is a Fault, a value the caller counts.
"""

import re
import struct
import zlib
from collections.abc import Iterator
from enum import IntEnum, StrEnum
from typing import NamedTuple

import lz4.frame
import zstandard

MAGIC = b"\x89MCAP0\r\n"
MAX_BYTES = 2**24 - 1
"""Longest record, stored or unpacked, that is read [bytes]. Ours hold 16 kB; the limit bounds the memory."""
EXPANSION = 64
"""Largest ratio of unpacked to stored size, beyond a first 256 kB: more than sensors give, less than a bomb."""
MAX_TOPIC = 256
RECORD = struct.Struct("<BQ")
_MESSAGE = struct.Struct("<HIQQ")
_CHUNK = struct.Struct("<QQQII")
_CHANNEL = struct.Struct("<HHI")
_U32, _U64 = struct.Struct("<I"), struct.Struct("<Q")


class Opcode(IntEnum):
    """Kinds of records."""

    HEADER = 1
    FOOTER = 2
    SCHEMA = 3
    CHANNEL = 4
    MESSAGE = 5
    CHUNK = 6
    MESSAGE_INDEX = 7
    CHUNK_INDEX = 8
    ATTACHMENT = 9
    ATTACHMENT_INDEX = 10
    STATISTICS = 11
    METADATA = 12
    METADATA_INDEX = 13
    SUMMARY_OFFSET = 14
    DATA_END = 15


class Fault(StrEnum):
    """What can be wrong with a part of a file."""

    BAD_CRC = "checksum does not match"
    BAD_RECORD = "record does not make sense"
    REFUSED = "size beyond the limits"
    TRUNCATED = "file ends inside a record"
    UNFINISHED = "file was not closed"
    UNCHECKED = "message without a checksum"
    GAVE_UP = "too much damage to search further"


class Content(NamedTuple):
    """The records inside one chunk, unpacked, vouched for by their checksum."""

    records: bytes


class Attachment(NamedTuple):
    """A named file inside the file, vouched for by its checksum."""

    name: str
    data: bytes


class RawMessage(NamedTuple):
    channel: int
    sequence: int
    t_ns: int
    data: bytes


class Channel(NamedTuple):
    channel: int
    topic: str


ANCHOR = re.compile(
    rb"\x06...\x00{5}.{16}...\x00{5}.{4}(?:\x00{4}|\x03\x00{3}lz4|\x04\x00{3}zstd)|\x09...\x00{5}.{16}..\x00{2}",
    re.DOTALL,
)
"""How the two kinds of records with a checksum begin: where reading can start again after damage."""
ANCHOR_BYTES = 49
"""Longest match of ANCHOR."""


def unpack_chunk(body: bytes) -> Content | Fault:
    """The content of a chunk record, if its checksum vouches for it."""
    if len(body) < _CHUNK.size + 8:
        return Fault.BAD_RECORD
    _, _, size, crc, name_length = _CHUNK.unpack_from(body)
    start = _CHUNK.size + name_length + 8
    if start > len(body):
        return Fault.BAD_RECORD
    name = body[_CHUNK.size : start - 8]
    if _U64.unpack_from(body, start - 8)[0] != len(body) - start:
        return Fault.BAD_RECORD
    if size > MAX_BYTES or size > 2**18 + EXPANSION * (len(body) - start):
        return Fault.REFUSED
    records = _decompressed(name, memoryview(body)[start:], size)
    if isinstance(records, Fault):
        return records
    return Content(records) if zlib.crc32(records) == crc else Fault.BAD_CRC


def _decompressed(name: bytes, data: memoryview, size: int) -> bytes | Fault:
    """Unpack at most the stated size: a lying size costs no more than an honest one."""
    try:
        if name == b"":
            records = bytes(data)
        elif name == b"lz4":
            records = lz4.frame.LZ4FrameDecompressor().decompress(bytes(data), max_length=size + 1)
        elif name == b"zstd":
            with zstandard.ZstdDecompressor(max_window_size=MAX_BYTES + 1).stream_reader(data) as stream:
                records = stream.read(size + 1)
        else:
            return Fault.BAD_RECORD
    except (RuntimeError, zstandard.ZstdError, EOFError):
        return Fault.BAD_CRC
    return records if len(records) == size else Fault.BAD_CRC


def unpack_attachment(body: bytes) -> Attachment | Fault:
    """An attachment, if its checksum vouches for it."""
    if len(body) < 36 or zlib.crc32(memoryview(body)[:-4]) != _U32.unpack_from(body, len(body) - 4)[0]:
        return Fault.BAD_CRC
    name_end = 20 + _U32.unpack_from(body, 16)[0]
    if name_end + 4 > len(body):
        return Fault.BAD_RECORD
    start = name_end + 4 + _U32.unpack_from(body, name_end)[0] + 8
    if start > len(body) - 4 or _U64.unpack_from(body, start - 8)[0] != len(body) - 4 - start:
        return Fault.BAD_RECORD
    try:
        return Attachment(body[20:name_end].decode(), body[start:-4])
    except UnicodeDecodeError:
        return Fault.BAD_RECORD


def parts_of(content: Content) -> Iterator[RawMessage | Channel | Fault]:
    """Messages and channels of a chunk in order; a Fault ends it where a record does not fit."""
    records, position, end = content.records, 0, len(content.records)
    while position < end:
        if position + RECORD.size > end:
            yield Fault.BAD_RECORD
            return
        opcode, length = RECORD.unpack_from(records, position)
        position += RECORD.size
        if length > end - position:
            yield Fault.BAD_RECORD
            return
        if opcode == Opcode.MESSAGE and length >= _MESSAGE.size:
            channel, sequence, t_ns, _ = _MESSAGE.unpack_from(records, position)
            yield RawMessage(channel, sequence, t_ns, records[position + _MESSAGE.size : position + length])
        elif opcode == Opcode.CHANNEL:
            yield _channel(records[position : position + length])
        elif opcode != Opcode.SCHEMA:
            yield Fault.BAD_RECORD
        position += length


def _channel(body: bytes) -> Channel | Fault:
    if len(body) < _CHANNEL.size:
        return Fault.BAD_RECORD
    channel, _, length = _CHANNEL.unpack_from(body)
    if length > min(MAX_TOPIC, len(body) - _CHANNEL.size):
        return Fault.BAD_RECORD
    try:
        return Channel(channel, body[_CHANNEL.size : _CHANNEL.size + length].decode())
    except UnicodeDecodeError:
        return Fault.BAD_RECORD


def skips(opcode: int, length: int, start: bytes) -> bool:
    """Whether a record without a checksum looks sound enough to step over. start: first 6 bytes of its body."""
    if opcode == Opcode.MESSAGE_INDEX:
        return len(start) == 6 and _U32.unpack_from(start, 2)[0] == length - 6
    if opcode == Opcode.FOOTER:
        return length == 20
    if opcode == Opcode.DATA_END:
        return length == 4
    return opcode in _SUMMARY and length <= 2**20


_SUMMARY = {
    Opcode.HEADER,
    Opcode.SCHEMA,
    Opcode.CHANNEL,
    Opcode.CHUNK_INDEX,
    Opcode.ATTACHMENT_INDEX,
    Opcode.STATISTICS,
    Opcode.METADATA,
    Opcode.METADATA_INDEX,
    Opcode.SUMMARY_OFFSET,
}
