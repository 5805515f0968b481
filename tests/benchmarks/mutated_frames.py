"""What damage on the line costs: every second frame is mutated, the rest must come through."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from firmware_interface import MAX_FRAME, Deframer, Packet, PacketKind, encode, unpack
from firmware_interface.layout import LAYOUTS

BATCH = 5_000
"""Frames built and judged together; bounds the memory of a long run."""
SEED = 20_240


def flip_bits(frame: bytes, random: Random) -> bytes:
    """One to eight bits, the delimiter's among them."""
    damaged = bytearray(frame)
    for _ in range(random.randint(1, 8)):
        damaged[random.randrange(len(frame))] ^= 1 << random.randrange(8)
    return bytes(damaged)


def delete_bytes(frame: bytes, random: Random) -> bytes:
    """A run of up to nine, anywhere."""
    start = random.randrange(len(frame))
    return frame[:start] + frame[start + random.randint(1, 9) :]


def insert_bytes(frame: bytes, random: Random) -> bytes:
    """A run of up to nine, delimiters more often than by chance."""
    start = random.randrange(len(frame))
    extra = bytes(random.choice((0, 1, 255, random.randrange(256))) for _ in range(random.randint(1, 9)))
    return frame[:start] + extra + frame[start:]


def truncate(frame: bytes, random: Random) -> bytes:
    """The end is missing, or all of it."""
    return frame[: random.randrange(len(frame))]


def swap_bytes(frame: bytes, random: Random) -> bytes:
    """Two bytes trade places."""
    i, j = random.randrange(len(frame)), random.randrange(len(frame))
    damaged = bytearray(frame)
    damaged[i], damaged[j] = damaged[j], damaged[i]
    return bytes(damaged)


def lose_delimiter(frame: bytes, _: Random) -> bytes:
    """Two frames run into one."""
    return frame[:-1]


def replace_by_junk(_: bytes, random: Random) -> bytes:
    """Any bytes."""
    return random.randbytes(random.randint(1, 200))


def run_away(_: bytes, random: Random) -> bytes:
    """Noise without a delimiter, longer than any frame."""
    return b"\xa5" * random.randint(MAX_FRAME - 2, 2 * MAX_FRAME)


Mutation = Callable[[bytes, Random], bytes]
MUTATIONS: tuple[Mutation, ...] = (
    flip_bits,
    delete_bytes,
    insert_bytes,
    truncate,
    swap_bytes,
    lose_delimiter,
    replace_by_junk,
    run_away,
)
WEIGHTS = (20, 20, 20, 15, 10, 10, 5, 0.1)
"""Runaways are rare: at 6 kB each they would be most of the bytes."""


@dataclass(slots=True)
class Outcome:
    """What became of the frames sent."""

    mutated: int = 0
    exceptions: int = 0
    untouched: int = 0
    """Packets whose bytes and both delimiters are as sent."""
    untouched_decoded: int = 0
    resync: int = 0
    """Most packets lost from the last damaged one, itself included, until one is decoded."""
    wrong: int = 0
    """Packets accepted that were not sent so."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Packets numbered from 0 in their ticks, their frames as sent and as they arrive."""

    packets: list[Packet]
    frames: list[bytes]
    arrived: list[bytes]


def payloads(random: Random) -> list[tuple[PacketKind, bytes]]:
    """Payloads of every kind, random and rich in zeros."""
    found = []
    for kind, layout in LAYOUTS.items():
        for zeros in (0.0, 0.7):
            for samples in (1, 60):
                fixed = bytes(0 if random.random() < zeros else byte for byte in random.randbytes(layout.size))
                if kind is PacketKind.PROFILE:
                    fixed = bytes([0, samples, 0]) + random.randbytes(8 * samples)
                elif layout.rows is not None:
                    fixed = bytes([80, 195, 0, 0, 2, samples, 0]) + random.randbytes(4 * samples)
                found.append((kind, fixed))
    return found


def batches(count: int, random: Random) -> Iterator[Batch]:
    """Frames of which half are mutated, until count are; a whole one closes each batch."""
    pool = payloads(random)
    while count > 0:
        batch = Batch([], [], [])
        for number in range(BATCH):
            kind, payload = random.choice(pool)
            packet = Packet(kind, number, number, payload)
            frame = arrived = encode(packet)
            if count > 0 and number < BATCH - 1 and random.random() < 0.5:
                arrived = random.choices(MUTATIONS, WEIGHTS)[0](frame, random)
                count -= arrived != frame
            batch.packets.append(packet)
            batch.frames.append(frame)
            batch.arrived.append(arrived)
        yield batch


def receive(batch: Batch, deframer: Deframer, random: Random) -> tuple[list[Packet], int]:
    """Packets decoded and exceptions met, the bytes cut at random."""
    data = b"".join(batch.arrived)
    received: list[Packet] = []
    exceptions = at = 0
    while at < len(data):
        length = random.choice((1, 7, 64, 512, 5_000))
        try:
            packets = deframer.feed(data[at : at + length])
            for packet in packets:
                unpack(packet)
            received += packets
        except Exception:
            exceptions += 1
        at += length
    return received, exceptions


def judge(batch: Batch, received: list[Packet], outcome: Outcome) -> None:
    """Compare what came with what was sent."""
    decoded: set[int] = set()
    newest = -1
    for packet in received:
        number = packet.ticks
        right = newest < number < len(batch.packets) and packet == batch.packets[number]
        outcome.wrong += not right
        if right:
            decoded.add(number)
            newest = number
    lost, before = 0, 0  # the byte before the first frame is the delimiter of the batch before
    for number, (frame, arrived) in enumerate(zip(batch.frames, batch.arrived, strict=True)):
        came = number in decoded
        outcome.mutated += arrived != frame
        if arrived == frame and before == 0:
            outcome.untouched += 1
            outcome.untouched_decoded += came
        lost = 0 if came else 1 if arrived != frame else lost + 1
        outcome.resync = max(outcome.resync, lost)
        before = arrived[-1] if arrived else before


def study(count: int, seed: int = SEED) -> Outcome:
    """Mutate count frames among as many whole ones."""
    random = Random(seed)
    outcome, deframer = Outcome(), Deframer()
    for batch in batches(count, random):
        received, exceptions = receive(batch, deframer, random)
        outcome.exceptions += exceptions
        judge(batch, received, outcome)
    return outcome


def figures(count: int) -> list[dict[str, Any]]:
    """The figures of the foundation on damaged frames."""
    outcome = study(count)
    share = 100 * outcome.untouched_decoded / outcome.untouched
    values: list[tuple[str, float, str]] = [
        ("exceptions", outcome.exceptions, "exceptions"),
        ("untouched_decoded", share, "percent"),
        ("resync_packets", outcome.resync, "packets"),
        ("wrong_accepted", outcome.wrong, "packets"),
        ("count", outcome.mutated, "frames"),
    ]
    return [{"name": f"foundation.mutated_frames_{name}", "value": v, "unit": unit} for name, v, unit in values]
