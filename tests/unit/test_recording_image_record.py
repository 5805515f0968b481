"""Image records: without loss, and no bytes make them fail."""

import struct
import zlib
from random import Random

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from recordings.image_record import ImageRecord, RecordKind, Seen, decode, encode, kind_of
from twin.geometry.laser.line import ROW_STEP, SD_STEP, Centres, shared_peak
from twin.geometry.laser.strip import Strip

SHAPE = (96, 128)
RNG = np.random.default_rng(4)
IMAGE = RNG.integers(0, 255, SHAPE, dtype=np.uint8)
STRIP = Strip(SHAPE, 1.25, 7, RNG.integers(0, SHAPE[0] - 41, 90), RNG.integers(0, 99, (41, 90), dtype=np.uint8))
LINE = Centres(
    np.arange(10, 90, 2),
    np.round(RNG.uniform(0, 90, 40) / ROW_STEP) * ROW_STEP,
    np.round(RNG.uniform(0.05, 3, 40) / SD_STEP) * SD_STEP,
    shared_peak(RNG.uniform(0, 900, 40)),
    RNG.random(40) > 0.5,
)
EMPTY = Centres(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0, np.bool_))
KINDS: dict[str, Seen] = {"whole": IMAGE, "strip": STRIP, "line": LINE, "empty": EMPTY}


def record(seen: Seen) -> ImageRecord:
    return ImageRecord(123_456_789_012, 99, SHAPE, seen)


@pytest.mark.parametrize("name", KINDS)
def test_a_record_reads_back_as_it_was(name: str) -> None:
    seen = KINDS[name]
    found = decode(encode(record(seen)))
    assert isinstance(found, ImageRecord)
    assert (found.t_ns, found.start_ns, found.shape, found.kind) == (123_456_789_012, 99, SHAPE, record(seen).kind)
    assert kind_of(encode(record(seen))) is found.kind
    if isinstance(seen, np.ndarray):
        assert_array_equal(found.seen, seen)
        return
    for key, value in vars(seen).items():
        assert_array_equal(getattr(found.seen, key), value)


def test_a_line_takes_a_tenth_of_its_strip() -> None:
    columns = np.arange(300, 900)
    dice = np.random.default_rng(1)
    row = 200 + 0.2 * (columns - 300) + 0.3 * dice.standard_normal(columns.size)
    line = Centres(
        columns,
        np.rint(row / ROW_STEP) * ROW_STEP,
        np.rint(dice.uniform(0.1, 0.3, columns.size) / SD_STEP) * SD_STEP,
        shared_peak(120 * (1 + 0.25 * dice.standard_normal(columns.size))),
        np.zeros(columns.size, np.bool_),
    )
    assert len(encode(ImageRecord(0, 0, (512, 1280), line))) < 2600


@pytest.mark.parametrize("name", KINDS)
def test_any_changed_byte_is_found_out(name: str) -> None:
    data, dice = encode(record(KINDS[name])), Random(3)
    for _ in range(300):
        place = dice.randrange(len(data))
        changed = bytearray(data)
        changed[place] ^= dice.randrange(1, 256)
        assert isinstance(decode(bytes(changed)), str)
        assert kind_of(bytes(changed)) is None


@pytest.mark.parametrize("name", KINDS)
def test_a_record_cut_anywhere_is_a_fault(name: str) -> None:
    data = encode(record(KINDS[name]))
    for end in range(0, len(data), max(1, len(data) // 97)):
        assert isinstance(decode(data[:end]), str)


def vouched(data: bytes) -> bytes:
    """The bytes with a checksum that fits them: what a hostile file has."""
    head, content = data[:30], data[38:]
    head = head + struct.pack("<I", len(content))
    return head + struct.pack("<I", zlib.crc32(content, zlib.crc32(head))) + content


@pytest.mark.parametrize("name", KINDS)
def test_hostile_records_are_faults_or_images_and_never_exceptions(name: str) -> None:
    data, dice = encode(record(KINDS[name])), Random(5)
    assert vouched(data) == data
    outcomes = set()
    for _ in range(1500):
        changed = bytearray(data)
        for _ in range(dice.choice((1, 1, 2, 5))):
            changed[dice.randrange(len(changed))] = dice.randrange(256)
        if dice.random() < 0.2:
            changed = changed[: dice.randrange(38, len(changed) + 1)]
        found = decode(vouched(bytes(changed)))
        outcomes.add(type(found))
        if isinstance(found, ImageRecord) and isinstance(found.seen, Strip):
            strip = found.seen
            assert strip.pixels.shape == (strip.pixels.shape[0], strip.top.size)
            assert 0 <= strip.top.min() <= strip.top.max() <= found.shape[0] - strip.pixels.shape[0]
            assert strip.first + strip.top.size <= found.shape[1]
    assert str in outcomes


def test_a_part_that_promises_gigabytes_is_not_unpacked() -> None:
    import zstandard

    bomb = zstandard.ZstdCompressor(level=19).compress(bytes(200_000_000))
    assert len(bomb) < 20_000
    head = struct.pack("<BBHHqqdI", 1, RecordKind.WHOLE, *SHAPE, 0, 0, 0.0, len(bomb) + 4)
    content = struct.pack("<I", len(bomb)) + bomb
    assert decode(head + struct.pack("<I", zlib.crc32(content, zlib.crc32(head))) + content) == "makes no sense"
