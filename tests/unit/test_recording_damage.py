"""The reader on damaged and hostile files: nothing wrong passes, little is lost, memory and time stay bounded."""

import io
import os
import random
import struct
import subprocess
import sys
import textwrap
import zlib
from pathlib import Path

import lz4.frame
import numpy as np
import pytest
import zstandard
from mcap.writer import CompressionType, Writer

from firmware_interface.chunk import Chunk
from recordings import (
    RecordingConfig,
    RecordingHeader,
    RecordingReader,
    RecordingWriter,
    describe,
    repair,
    replay,
)
from recordings.records import ANCHOR, MAGIC, Fault, Opcode
from recordings.segments import segments_in
from twin.core.errors import RecordingError
from twin.core.estimate import OperatorEvent

HEADER = RecordingHeader(config_toml="a = 1\n" * 100, calibrations={"imu": "b = 2\n"}, devices=("imu", "encoder"))


def stream(count: int, seed: int = 1) -> list[Chunk]:
    """Reads of an IMU at 500 Hz and an encoder at 200 Hz, 100 times a second: 30 kB/s as on a vehicle."""
    dice = random.Random(seed)
    return [
        Chunk(("imu", "encoder")[i % 2], i * 5_000_000, dice.randbytes(230 if i % 2 == 0 else 50)) for i in range(count)
    ]


def record(directory: Path, chunks: list[Chunk], config: RecordingConfig | None = None) -> Path:
    """A recording committed every half second of data, as a live run commits it."""
    with RecordingWriter(directory, HEADER, config) as writer:
        for i, chunk in enumerate(chunks):
            writer.write_when_room(chunk)
            if i % 100 == 99:
                writer.sync()
    return segments_in(directory)[0]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file of some 20 kB in small chunks, so that each kind of damage finds every kind of record."""
    place = tmp_path_factory.mktemp("small")
    with RecordingWriter(place, HEADER, RecordingConfig(chunk_bytes=1024)) as writer:
        for chunk in stream(80):
            writer.write(chunk)
        writer.write_event(OperatorEvent(3, "note", "x"))
    return (place / "run-000.mcap").read_bytes()


def readable(path: Path, data: bytes) -> list[Chunk]:
    """What is read of the bytes; nothing if they are refused."""
    path.write_bytes(data)
    try:
        return list(replay(path))
    except RecordingError:
        return []


def test_file_cut_anywhere_gives_a_prefix_that_grows(tmp_path: Path, small: bytes) -> None:
    whole, previous = stream(80), 0
    for end in range(0, len(small), 7):
        read = readable(tmp_path / "cut.mcap", small[:end])
        assert read == whole[: len(read)]
        assert len(read) >= previous
        previous = len(read)
    assert previous == len(whole)


def test_cut_file_says_what_is_lost(tmp_path: Path, small: bytes) -> None:
    path = tmp_path / "cut.mcap"
    path.write_bytes(small[: len(small) // 2])
    damage = RecordingReader(path).check()
    assert damage.faults[Fault.TRUNCATED] == damage.faults[Fault.UNFINISHED] == 1
    assert damage.lost_bytes > 0
    assert any("file ends inside a record, to the end" in line for line in damage.lines())


def test_crashed_file_without_its_end_loses_nothing(tmp_path: Path, small: bytes) -> None:
    path = tmp_path / "crashed.mcap"
    path.write_bytes(small[: small.rindex(struct.pack("<BQ", 15, 4))])
    reader = RecordingReader(path)
    assert list(reader.chunks()) == stream(80)
    assert reader.damage.clean
    assert reader.damage.faults == {Fault.UNFINISHED: 1}


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The segments of 200 s of recording."""
    place = tmp_path_factory.mktemp("long")
    record(place, stream(40_000))
    return [path.read_bytes() for path in segments_in(place)]


def flipped(data: bytes, rate: float, rng: np.random.Generator) -> bytes:
    """Each byte is changed with a probability."""
    damaged = np.frombuffer(data, np.uint8).copy()
    hits = rng.random(damaged.size) < rate
    damaged[hits] ^= rng.integers(1, 256, int(hits.sum()), dtype=np.uint8)
    return damaged.tobytes()


@pytest.mark.parametrize(("rate", "share"), [(1e-7, 0.995), (1e-6, 0.95), (1e-5, 0.65)])
def test_flipped_bytes_cost_no_more_than_stated_and_nothing_wrong_passes(
    tmp_path: Path, long: list[bytes], rate: float, share: float
) -> None:
    chunks, draws, total = stream(40_000), 8, 0
    for draw in range(draws):
        for i, data in enumerate(long):
            (tmp_path / f"run-{i:03d}.mcap").write_bytes(flipped(data, rate, np.random.default_rng((draw, i))))
        last = -1
        for chunk in replay(tmp_path):
            place = chunk.t_host_ns // 5_000_000
            assert place > last
            assert chunk == chunks[place]
            last, total = place, total + 1
    assert share <= total / (draws * len(chunks)) < 1


def broken(path: Path, chunk: Chunk) -> bytes:
    """The bytes of a file with one of them changed, inside a message."""
    data = bytearray(path.read_bytes())
    data[data.index(chunk.data) + 5] ^= 1
    return bytes(data)


def test_lost_messages_are_counted_by_their_numbers(tmp_path: Path) -> None:
    chunks = stream(3000)
    path = record(tmp_path, chunks)
    path.write_bytes(broken(path, chunks[1500]))
    reader = RecordingReader(path)
    read = list(reader.chunks())
    assert 0 < reader.damage.missing == len(chunks) - len(read) <= 100
    part = reader.damage.parts[0]
    assert part.fault is Fault.BAD_CRC
    assert part.after_ns is not None
    assert part.before_ns is not None
    assert part.before_ns - part.after_ns == (reader.damage.missing + 1) * 5_000_000


def test_stretch_of_zeros_or_a_missing_stretch_costs_only_itself(tmp_path: Path) -> None:
    chunks = stream(3000)
    path = record(tmp_path, chunks)
    sound = path.read_bytes()
    middle = len(sound) // 2
    for damaged in (
        sound[:middle] + bytes(10_000) + sound[middle + 10_000 :],
        sound[:middle] + sound[middle + 10_000 :],
        sound[:middle] + random.Random(9).randbytes(10_000) + sound[middle:],
        bytes(100) + sound,
        sound + bytes(4096),
    ):
        read = readable(path, damaged)
        assert set(read) <= set(chunks)
        assert len(read) >= len(chunks) - 300


def test_header_is_found_in_another_segment_when_the_first_is_damaged(tmp_path: Path) -> None:
    chunks = stream(1000)
    path = record(tmp_path, chunks, RecordingConfig(segment_s=2))
    data = bytearray(path.read_bytes())
    data[200] ^= 1
    path.write_bytes(data)
    reader = RecordingReader(tmp_path)
    assert reader.header == HEADER
    assert list(reader.chunks()) == chunks


def test_missing_segment_is_noticed(tmp_path: Path) -> None:
    chunks = stream(2000)
    record(tmp_path, chunks, RecordingConfig(segment_s=2))
    segments_in(tmp_path)[1].unlink()
    assert RecordingReader(tmp_path).check().missing == 400


def test_hostile_mutations_raise_nothing_but_recording_error(tmp_path: Path, small: bytes) -> None:
    dice, path, known = random.Random(11), tmp_path / "hostile.mcap", set(stream(80))
    for _ in range(1500):
        data = bytearray(small)
        for _ in range(dice.choice((1, 3, 10, 50))):
            at = dice.randrange(len(data) - 16)
            mutation = dice.randrange(5)
            if mutation == 0:
                data[at] = dice.randrange(256)
            elif mutation == 1:
                data[at : at + 8] = struct.pack("<Q", dice.choice((0, 1, 2**24 - 1, 2**31, 2**63, 2**64 - 1)))
            elif mutation == 2:
                del data[at : at + dice.randrange(1, 500)]
            elif mutation == 3:
                data[at:at] = data[dice.randrange(len(data)) :][: dice.randrange(1, 500)]
            else:
                data[at] = dice.randrange(1, 16)
        assert set(readable(path, bytes(data))) <= known


def test_checksummed_nonsense_raises_nothing_but_recording_error(tmp_path: Path, small: bytes) -> None:
    """An attacker can make checksums fit: the content of chunks and attachments is mutated and sealed again."""
    dice, path = random.Random(12), tmp_path / "sealed.mcap"
    start = next(match.start() for match in ANCHOR.finditer(small) if match[0][0] == Opcode.CHUNK)
    for _ in range(1500):
        records = bytearray(dice.randbytes(dice.randrange(200)) + small[2000:6000])
        for _ in range(20):
            records[dice.randrange(len(records))] = dice.choice((0, 3, 4, 5, 22, 255))
        header = dice.choice((small[:start], MAGIC + attachment(b"header.json", bytes(records[:100]))))
        readable(path, header + sealed(bytes(records[dice.randrange(len(records)) :])))


def sealed(records: bytes, name: bytes = b"", stored: bytes | None = None, size: int | None = None) -> bytes:
    """A chunk record whose checksum fits."""
    stored = records if stored is None else stored
    body = struct.pack("<QQQII", 0, 0, len(records) if size is None else size, zlib.crc32(records), len(name))
    body += name + struct.pack("<Q", len(stored)) + stored
    return struct.pack("<BQ", 6, len(body)) + body


def attachment(name: bytes, data: bytes) -> bytes:
    body = struct.pack("<QQI", 0, 0, len(name)) + name + struct.pack("<IQ", 0, len(data)) + data
    body += struct.pack("<I", zlib.crc32(body))
    return struct.pack("<BQ", 9, len(body)) + body


def bombs() -> dict[str, bytes]:
    """Small files that unpack to gigabytes, or claim to."""
    zeros = bytes(2**21)
    packer = zstandard.ZstdCompressor(level=3).compressobj()
    bomb = b"".join(packer.compress(zeros) for _ in range(1024)) + packer.flush()
    crc = b"\x12\x34\x56\x78"

    def chunk(name: bytes, stored: bytes, size: int) -> bytes:
        return sealed(crc, name, stored, size)

    return {
        "zstd 2 GB, honest size": MAGIC + chunk(b"zstd", bomb, 2**31),
        "zstd 2 GB, small size": MAGIC + chunk(b"zstd", bomb, 2**22),
        "lz4": MAGIC + chunk(b"lz4", lz4.frame.compress(bytes(2**27)), 2**23),
        "record of 2**63 bytes": MAGIC + struct.pack("<BQ", 6, 2**63) + bytes(1000),
        "chunks that all claim the rest": MAGIC + claims(60_000),
        "many small bombs": MAGIC + chunk(b"zstd", zstandard.compress(bytes(2**17)), 2**17) * 2000,
        "endless channels": MAGIC + sealed(b"\x04" + struct.pack("<QHHI", 8 + 2**20, 1, 0, 2**20) + bytes(2**20)) * 5,
    }


def claims(count: int) -> bytes:
    """Chunk headers one after another, each consistent with a body that reaches far into the others."""
    length = 2**20
    head = struct.pack("<BQQQQIIQ", 6, length, 0, 0, length - 40, 1, 0, length - 40)
    return head * count


def test_bombs_are_refused_in_bounded_memory_and_time(tmp_path: Path) -> None:
    paths = []
    for i, data in enumerate(bombs().values()):
        path = tmp_path / f"{i}.mcap"
        path.write_bytes(data)
        assert path.stat().st_size < 10_000_000
        paths.append(str(path))
    script = """
        import sys, time
        from pathlib import Path
        from recordings import RecordingReader
        for path in sys.argv[1:]:
            start = time.process_time()
            damage = RecordingReader(Path(path)).check()
            assert not damage.clean or damage.faults, path
            print(Path(path).name, round(time.process_time() - start, 3))
            assert time.process_time() - start < 2, path
        # Not ru_maxrss, which keeps the peak of the process that forked this one.
        status = Path("/proc/self/status").read_text()
        peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
        assert peak < 256, f"{peak} MB"
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), *paths], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_that_are_no_recordings_are_refused_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "text.mcap").write_text("hello")
    (tmp_path / "empty.mcap").touch()
    os.mkfifo(tmp_path / "pipe.mcap")
    (tmp_path / "nothing").mkdir()
    for name, reason in {
        "text.mcap": "not a recording",
        "empty.mcap": "not a recording",
        "pipe.mcap": "not a file",
        "nothing": "no recording here",
        "absent": "cannot be opened",
    }.items():
        with pytest.raises(RecordingError, match=reason):
            RecordingReader(tmp_path / name)


def test_messages_without_a_checksum_are_not_passed(tmp_path: Path) -> None:
    for chunking in (False, True):
        buffer = io.BytesIO()
        writer = Writer(buffer, use_chunking=chunking, enable_crcs=False, compression=CompressionType.NONE)
        writer.start()
        channel = writer.register_channel("/raw/imu", "", writer.register_schema("railtwin.RawChunk", "", b""))
        writer.add_message(channel, 5, b"unchecked", 5)
        writer.finish()
        path = tmp_path / "foreign.mcap"
        path.write_bytes(buffer.getvalue())
        reader = RecordingReader(path)
        assert list(reader.chunks()) == []
        assert not reader.damage.clean


def test_repair_writes_a_sound_copy_and_leaves_the_original(tmp_path: Path) -> None:
    chunks = stream(3000)
    path = record(tmp_path / "run", chunks, RecordingConfig(segment_s=5))
    path.write_bytes(broken(path, chunks[500])[:-100])
    before = {file.name: file.read_bytes() for file in segments_in(tmp_path / "run")}
    reader = RecordingReader(tmp_path / "run")
    read = list(reader.chunks())
    report = repair(tmp_path / "run", tmp_path / "copy")
    assert {file.name: file.read_bytes() for file in segments_in(tmp_path / "run")} == before
    copy = RecordingReader(tmp_path / "copy")
    assert list(copy.chunks()) == read
    assert copy.header == HEADER
    assert copy.damage.faults == {}
    assert copy.damage.missing == report.damage.missing == reader.damage.missing > 0
    assert report.messages == len(read)
    with pytest.raises(RecordingError, match="exists already"):
        repair(tmp_path / "run", tmp_path / "copy")


def test_description_counts_what_is_there(tmp_path: Path) -> None:
    chunks = [chunk for chunk in stream(2000) if not 2e9 < chunk.t_host_ns < 5e9]
    record(tmp_path, chunks)
    info = describe(tmp_path)
    encoder, imu = info.streams
    assert (encoder.device, imu.device) == ("encoder", "imu")
    assert imu.messages + encoder.messages == len(chunks)
    assert imu.size == sum(len(chunk.data) for chunk in chunks if chunk.device == "imu")
    assert (imu.gaps, round(imu.longest_gap_s, 2)) == (1, 3.0)
    assert info.duration_s == pytest.approx(9.995)
    assert info.header == HEADER
    assert info.damage.clean
    assert "1 gaps, longest 3.00 s" in "\n".join(info.lines())
