"""Images of a laser camera as they are recorded: whole, as the strip around the line, or as the line alone.

    header   version u8, kind u8, rows u16, columns u16, t_ns i64, start_ns i64, noise f64, size u32, CRC-32 u32
    content  size bytes, compressed in parts without loss

All integers are little endian; the CRC covers everything but itself. Nothing here trusts a number of the bytes: what
does not fit is a fault, a value the caller counts.
"""

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import zstandard
from numpy.typing import NDArray

from twin.core.arrays import IntArray
from twin.geometry.laser import Centres, Image, Strip
from twin.geometry.laser.line import LARGEST_SD, PEAK_STEP, ROW_STEP, SD_STEP, SHARING

VERSION = 1
MOST_PIXELS = 8_000_000
"""Of an image that is recorded: fits one record of the container even where nothing can be compressed."""
CORE, NEAR = 2, 6
"""Rows from the middle of a strip within which the line is bright, and within which it is seen: coded apart, since
codes by frequency of light and dark together are a tenth longer."""
_HEADER = struct.Struct("<BBHHqqdII")
_STRIP = struct.Struct("<HHH")
_PART = struct.Struct("<I")
_CRC = struct.Struct("<I")


class RecordKind(IntEnum):
    """What of an image is there."""

    WHOLE = 0
    STRIP = 1
    LINE = 2


Seen = Image | Strip | Centres
"""What can be recorded of an image, and what comes back."""


@dataclass(frozen=True, slots=True)
class ImageRecord:
    """One image as it was recorded."""

    t_ns: int
    """When it was taken, host time [ns]."""
    start_ns: int
    """When its camera was started [ns]: whoever follows a line starts anew with another one."""
    shape: tuple[int, int]
    """Rows and columns of the image."""
    seen: Seen

    @property
    def kind(self) -> RecordKind:
        """What of the image is there."""
        return _kind(self.seen)


def encode(record: ImageRecord) -> bytes:
    """The bytes of a record."""
    seen, noise = record.seen, 0.0
    match seen:
        case Strip():
            content, noise = _strip_content(seen), seen.noise
        case Centres():
            content = _line_content(seen)
        case _:
            content = _parts([seen.tobytes()])
    head = (VERSION, record.kind, *record.shape, record.t_ns, record.start_ns, noise, len(content))
    bare = _HEADER.pack(*head, 0)[: -_CRC.size]
    return bare + _CRC.pack(zlib.crc32(content, zlib.crc32(bare))) + content


def kind_of(data: bytes) -> RecordKind | None:
    """What of an image is in bytes that their checksum vouches for; None for others."""
    if len(data) < _HEADER.size:
        return None
    version, kind, *_, crc = _HEADER.unpack_from(data)
    bare = data[: _HEADER.size - _CRC.size]
    if version != VERSION or kind not in tuple(RecordKind) or zlib.crc32(data[_HEADER.size :], zlib.crc32(bare)) != crc:
        return None
    return RecordKind(kind)


def decode(data: bytes) -> ImageRecord | str:
    """The record in bytes, or what is wrong with them."""
    if len(data) < _HEADER.size:
        return "too short"
    version, kind, rows, columns, t_ns, start_ns, noise, size, crc = _HEADER.unpack_from(data)
    content = data[_HEADER.size :]
    if zlib.crc32(content, zlib.crc32(data[: _HEADER.size - _CRC.size])) != crc:
        return "damaged"
    if version != VERSION:
        return "unknown version"
    if size != len(content) or not 0 < rows * columns <= MOST_PIXELS or kind not in tuple(RecordKind):
        return "makes no sense"
    try:
        seen = _content(RecordKind(kind), content, (rows, columns), noise)
    except (ValueError, struct.error, zstandard.ZstdError):
        return "makes no sense"
    return ImageRecord(t_ns, start_ns, (rows, columns), seen)


def _kind(seen: Seen) -> RecordKind:
    match seen:
        case Strip():
            return RecordKind.STRIP
        case Centres():
            return RecordKind.LINE
        case _:
            return RecordKind.WHOLE


def _content(kind: RecordKind, content: bytes, shape: tuple[int, int], noise: float) -> Seen:
    """What is seen, or ValueError where the content makes no sense."""
    match kind:
        case RecordKind.STRIP:
            return _strip(content, shape, noise)
        case RecordKind.LINE:
            return _line(content, shape)
        case RecordKind.WHOLE:
            (data,) = _unpacked(content, [shape[0] * shape[1]])
            return np.frombuffer(data, dtype=np.uint8).reshape(shape)


def _strip_content(strip: Strip) -> bytes:
    height, width = strip.pixels.shape
    groups = [strip.pixels[rows].tobytes() for rows in _groups(height)]
    steps = np.diff(strip.top, prepend=0).astype("<i2").tobytes()
    return _STRIP.pack(height, strip.first, width) + _parts([steps, *groups])


def _strip(content: bytes, shape: tuple[int, int], noise: float) -> Strip:
    rows, columns = shape
    height, first, width = _STRIP.unpack_from(content)
    _demand(0 < height <= rows and width > 0 and first + width <= columns and 0 <= noise < np.inf)
    groups = _groups(height)
    steps, *parts = _unpacked(content[_STRIP.size :], [2 * width, *(width * group.size for group in groups)])
    top = np.cumsum(np.frombuffer(steps, dtype="<i2").astype(np.int64))
    _demand(bool(top.min() >= 0) and bool(top.max() <= rows - height))
    pixels = np.empty((height, width), dtype=np.uint8)
    for group, part in zip(groups, parts, strict=True):
        pixels[group] = np.frombuffer(part, dtype=np.uint8).reshape(group.size, width)
    return Strip(shape, noise, first, top, pixels)


def _groups(height: int) -> list[IntArray]:
    """Rows of a strip in groups of like brightness; none is empty."""
    off = np.abs(np.arange(height) - height // 2)
    groups = [np.flatnonzero(off <= CORE), np.flatnonzero((off > CORE) & (off <= NEAR)), np.flatnonzero(off > NEAR)]
    return [group for group in groups if group.size]


def _line_content(line: Centres) -> bytes:
    """Columns, heights, spreads and brightness in whole steps, by bytes: the higher ones are nearly all alike."""
    row = np.diff(np.rint(line.row / ROW_STEP).astype(np.int64), prepend=0).astype("<i4")
    sd = np.rint(line.sd / SD_STEP).astype("<u2")
    column = np.diff(line.column, prepend=0).astype("<u2")
    planes = [_planes(values) for values in (column, row, sd)]
    peak = np.rint(line.peak[::SHARING] / PEAK_STEP).astype(np.uint8).tobytes()
    return _PART.pack(line.column.size) + _parts([*planes, peak, np.packbits(line.saturated).tobytes()])


def _line(content: bytes, shape: tuple[int, int]) -> Centres:
    (n,) = _PART.unpack_from(content)
    _demand(n <= shape[1])
    column, row, sd, peak, white = _unpacked(content[_PART.size :], [2 * n, 4 * n, 2 * n, -(-n // SHARING), -(-n // 8)])
    columns = np.cumsum(_whole(column, "<u2").astype(np.int64))
    heights = np.cumsum(_whole(row, "<i4").astype(np.int64))
    spread = _whole(sd, "<u2").astype(np.float64)
    _demand(not n or bool(np.all(np.diff(columns) > 0) and columns[-1] < shape[1]))
    _demand(not n or bool(heights.min() >= 0 and heights.max() * ROW_STEP < shape[0] and spread.min() >= 1))
    saturated = np.unpackbits(np.frombuffer(white, dtype=np.uint8), count=n).astype(np.bool_)
    return Centres(
        column=columns,
        row=heights.astype(np.float64) * ROW_STEP,
        sd=np.minimum(spread, LARGEST_SD) * SD_STEP,
        peak=np.repeat(np.frombuffer(peak, dtype=np.uint8).astype(np.float64) * PEAK_STEP, SHARING)[:n],
        saturated=saturated,
    )


def _planes(values: NDArray[np.generic]) -> bytes:
    """The lowest bytes of all values, then the next ones."""
    return np.ascontiguousarray(np.frombuffer(values.tobytes(), np.uint8).reshape(-1, values.itemsize).T).tobytes()


def _whole(planes: bytes, dtype: str) -> NDArray[np.generic]:
    """Values put together again from their planes of bytes."""
    size = np.dtype(dtype).itemsize
    return np.frombuffer(np.frombuffer(planes, np.uint8).reshape(size, -1).T.tobytes(), dtype=dtype)


def _parts(parts: Sequence[bytes]) -> bytes:
    """Each part compressed by itself, behind its length."""
    packer = zstandard.ZstdCompressor(level=1)
    coded = [packer.compress(part) for part in parts]
    return b"".join(_PART.pack(len(part)) + part for part in coded)


def _unpacked(data: bytes, sizes: Sequence[int]) -> list[bytes]:
    """Parts of known sizes; a part that promises another one is not unpacked."""
    found, position = [], 0
    for size in sizes:
        (length,) = _PART.unpack_from(data, position)
        position += _PART.size
        part = data[position : position + length]
        _demand(len(part) == length and zstandard.get_frame_parameters(part).content_size == size)
        found.append(zstandard.ZstdDecompressor().decompress(part) if size else b"")
        _demand(len(found[-1]) == size)
        position += length
    _demand(position == len(data))
    return found


def _demand(holds: bool) -> None:
    if not holds:
        raise ValueError
