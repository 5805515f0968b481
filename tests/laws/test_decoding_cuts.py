"""What a device decoder gives does not depend on how its bytes were cut into chunks."""

from collections.abc import Sequence

import numpy as np
import pytest

from firmware_interface import (
    AxleBoxBlock,
    Chunk,
    EncoderSample,
    ImuSample,
    Message,
    Packet,
    SyncResponse,
    encode,
    to_packet,
)
from sensors.config import DeviceConfig
from sensors.decode import DeviceDecoder
from twin.core.arrays import Array, FlagArray, IntArray

HOST_NS = 3_000_000_000_000
SECONDS = 6
Result = tuple[IntArray, Array, FlagArray, IntArray, IntArray]


def message(kind: str, i: int, rng: np.random.Generator) -> Message:
    """A measurement that is now and then stuck, saturated or out of reach."""
    if kind == "encoder":
        return EncoderSample(count=i * 20 + (10**6 if i % 97 == 0 else 0), status=int(i % 211 == 0))
    if kind == "axle_box":
        return AxleBoxBlock.of(period_ns=39_062, counts=rng.integers(-32768, 32767, (100, 2)).astype(np.int16))
    if 400 < i < 700:
        return ImuSample(accel=(1, 2, 3), gyro=(4, 5, 6), temperature=7)
    accel, gyro = rng.integers(-(2**24), 2**24, 3).tolist(), rng.integers(-(2**25), 2**25, 3).tolist()
    return ImuSample(accel=tuple(accel), gyro=tuple(gyro), temperature=2_000)


def packets(kind: str, rate: float, rng: np.random.Generator) -> list[Packet]:
    """Six seconds with answers to the clock, and a clock that steps back after four."""
    period = round(1e6 / rate)
    made: list[Packet] = []
    for i in range(round(SECONDS * rate)):
        tick = 10_000_000 + i * period - (700_000 if i * period > 4_000_000 else 0)
        if i * period % 500_000 < period:
            asked_ns = HOST_NS + i * period * 1000 - int(rng.exponential(1e6))
            answer = SyncResponse(id=i, t_host_ns=asked_ns, ticks_received=tick)
            made.append(to_packet(answer, sequence=len(made), ticks=tick))
        made.append(to_packet(message(kind, i, rng), sequence=len(made) % 65536, ticks=tick))
    return made


def stamped_frames(kind: str, rate: float, seed: int) -> list[tuple[int, bytes]]:
    """Frames with the stamp of the read that brings them: every 10 ms, damaged, repeated and swapped at times."""
    rng = np.random.default_rng(seed)
    frames: list[tuple[int, bytes]] = []
    made = packets(kind, rate, rng)
    for i, packet in enumerate(made):
        t_ns = HOST_NS + round(i / len(made) * SECONDS * 1e9)
        stamp = t_ns // 10_000_000 * 10_000_000 + 11_000_000
        frame = bytearray(encode(packet))
        if rng.random() < 0.01:
            frame[int(rng.integers(len(frame)))] ^= 1 << int(rng.integers(8))
        frames.append((stamp, bytes(frame)))
        if rng.random() < 0.01:
            frames.append((stamp, bytes(frame)))
    for i in np.flatnonzero(rng.random(len(frames) - 1) < 0.01):
        (a_stamp, a), (b_stamp, b) = frames[i : i + 2]
        frames[i : i + 2] = [(a_stamp, b), (b_stamp, a)]
    return frames


def whole_reads(frames: Sequence[tuple[int, bytes]]) -> list[Chunk]:
    reads: dict[int, bytes] = {}
    for stamp, frame in frames:
        reads[stamp] = reads.get(stamp, b"") + frame
    return [Chunk("device", stamp, data) for stamp, data in reads.items()]


def recut(chunks: Sequence[Chunk], rng: np.random.Generator) -> list[Chunk]:
    """Every read in random parts of equal stamps, some of them empty."""
    parts = []
    for chunk in chunks:
        cuts = np.sort(rng.integers(0, len(chunk.data) + 1, int(rng.integers(0, 6)))).tolist()
        bounds = zip([0, *cuts], [*cuts, len(chunk.data)], strict=True)
        parts += [Chunk(chunk.device, chunk.t_host_ns, chunk.data[a:b]) for a, b in bounds]
    return parts


def result(decoder: DeviceDecoder, chunks: Sequence[Chunk]) -> Result:
    """Ticks, values, quality, common times (-1 without a clock) and stamps of all samples."""
    blocks = [block for chunk in chunks for block in decoder.process(chunk)]
    times = [np.full(b.ticks.size, -1) if b.clock is None else b.clock.to_ns(b.ticks) for b in blocks]
    return (
        np.concatenate([b.ticks for b in blocks]),
        np.concatenate([b.values for b in blocks]),
        np.concatenate([b.quality for b in blocks]),
        np.concatenate(times),
        np.concatenate([np.full(b.ticks.size, b.t_host_ns) for b in blocks]),
    )


@pytest.mark.parametrize(("kind", "rate"), [("imu", 500.0), ("encoder", 200.0), ("axle_box", 256.0)])
@pytest.mark.parametrize("seed", range(5))
def test_output_does_not_depend_on_how_the_bytes_are_cut(kind: str, rate: float, seed: int) -> None:
    config = DeviceConfig.load({"name": "device", "kind": kind}, where="test")
    chunks = whole_reads(stamped_frames(kind, rate, seed))
    whole, cut = DeviceDecoder(config), DeviceDecoder(config)
    expected = result(whole, chunks)
    found = result(cut, recut(chunks, np.random.default_rng(seed + 100)))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)
    assert cut.health() == whole.health()


def test_the_run_above_holds_every_kind_of_trouble() -> None:
    """So that the law is not kept by an easy stream."""
    decoder = DeviceDecoder(DeviceConfig(name="device", kind="imu"))
    times = result(decoder, whole_reads(stamped_frames("imu", 500.0, 0)))[3]
    health = decoder.health()
    for name in ("lost", "duplicated", "reordered", "implausible", "stuck", "saturated", "clock_steps"):
        assert health[name] > 0, name
    assert health["bad_crc"] + health["bad_cobs"] > 0
    assert (times > 0).mean() > 0.8


def test_random_bytes_never_raise_and_give_nothing() -> None:
    rng = np.random.default_rng(9)
    decoder = DeviceDecoder(DeviceConfig(name="device", kind="imu"))
    for _ in range(300):
        assert decoder.process(Chunk("device", HOST_NS, rng.bytes(int(rng.integers(1, 4000))))) == []
    assert decoder.health()["frames"] > 100
