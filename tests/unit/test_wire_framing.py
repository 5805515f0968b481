"""Frames: what is sent is received, however the bytes are cut; what is damaged is dropped and counted."""

from dataclasses import asdict
from itertools import pairwise
from zlib import crc32

import numpy as np
import pytest
from cobs import cobs
from hypothesis import given
from hypothesis import strategies as st

from firmware_interface import (
    MAX_FRAME,
    MAX_PAYLOAD,
    Deframer,
    EncoderSample,
    Packet,
    PacketKind,
    Start,
    SyncRequest,
    encode,
    to_packet,
)
from tests.unit.wire_messages import packets, repeatable

SAMPLE = to_packet(EncoderSample(count=-5, status=0), sequence=7, ticks=1_000_000)


def frame_of(raw: bytes) -> bytes:
    """A frame around any bytes, with the right checksum."""
    return cobs.encode(raw + crc32(raw).to_bytes(4, "little")) + b"\0"


def counted(deframer: Deframer) -> dict[str, int]:
    """Counts that are not zero."""
    return {name: count for name, count in asdict(deframer.counts).items() if count}


def test_a_frame_has_the_bytes_of_its_description():
    raw = bytes.fromhex("01 02 0700 40420f0000000000 fbffffff 00")
    assert encode(SAMPLE) == frame_of(raw)


@repeatable
@given(st.lists(packets(), max_size=5))
def test_what_is_sent_is_received(sent):
    deframer = Deframer()
    assert deframer.feed(b"".join(map(encode, sent))) == sent
    assert deframer.counts.frames == deframer.counts.packets == len(sent)


@repeatable
@given(st.lists(packets() | st.binary(max_size=40), max_size=6), st.lists(st.integers(0, 10_000), max_size=20))
def test_how_the_bytes_are_cut_changes_nothing(pieces, cuts):
    data = b"".join(encode(piece) if isinstance(piece, Packet) else piece for piece in pieces)
    whole, parts = Deframer(), Deframer()
    expected = whole.feed(data)
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    received = [packet for a, b in pairwise(edges) for packet in parts.feed(data[a:b])]
    assert received == expected
    assert parts.counts == whole.counts


@repeatable
@given(st.lists(st.binary(max_size=300), max_size=10))
def test_no_bytes_raise_and_every_frame_is_accounted_for(chunks):
    deframer = Deframer()
    received = [packet for chunk in chunks for packet in deframer.feed(chunk)]
    assert len(received) == deframer.counts.packets


def test_a_packet_arrives_with_its_delimiter_and_not_before():
    deframer = Deframer()
    frame = encode(SAMPLE)
    assert deframer.feed(frame[:-1]) == []
    assert deframer.feed(frame[-1:]) == [SAMPLE]


def test_idle_delimiters_mean_nothing():
    deframer = Deframer()
    assert deframer.feed(b"\0\0\0" + encode(SAMPLE) + b"\0\0") == [SAMPLE]
    assert counted(deframer) == {"frames": 1}


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (b"\x09\x01\x02\0", "bad_cobs"),
        (frame_of(bytes(11)), "bad_length"),
        (b"\x01\0", "bad_length"),
        (frame_of(bytes([1, 2]) + bytes(10 + 4)), "bad_length"),
        (frame_of(bytes([1, 20]) + bytes(10 + 1)), "bad_length"),
        (frame_of(bytes([1, 3]) + bytes(10) + bytes.fromhex("00000000 01 0200 0000")), "bad_length"),
        (frame_of(bytes([1, 3]) + bytes(10) + bytes.fromhex("00000000 00 0500")), "bad_length"),
        (frame_of(bytes([1, 6]) + bytes(10) + bytes.fromhex("00 ffff")), "bad_length"),
        (frame_of(bytes([1, 2]) + bytes(4_080)), "bad_length"),
        (cobs.encode(bytes(40)) + b"\0", "bad_crc"),
        (frame_of(bytes([2, 2]) + bytes(10 + 5)), "unknown_version"),
        (frame_of(bytes([1, 99]) + bytes(10)), "unknown_kind"),
        (bytes([255]) * MAX_FRAME + b"\0", "oversize"),
    ],
)
def test_a_bad_frame_is_counted_by_its_reason_and_costs_nothing_else(frame, reason):
    deframer = Deframer()
    assert deframer.feed(encode(SAMPLE) + frame + encode(SAMPLE)) == [SAMPLE, SAMPLE]
    assert counted(deframer) == {"frames": 3, reason: 1}


def test_every_single_bit_error_is_found():
    frame = encode(SAMPLE)
    for bit in range(8 * (len(frame) - 1)):
        damaged = bytearray(frame)
        damaged[bit // 8] ^= 1 << bit % 8
        deframer = Deframer()
        assert deframer.feed(bytes(damaged)) == []
        assert deframer.counts.rejected >= 1


def test_the_longest_packet_is_received_and_a_longer_one_refused():
    rows = np.full(MAX_PAYLOAD - 7, 1, np.uint8)[: (MAX_PAYLOAD - 7) // 2 * 2]
    longest = Packet(
        PacketKind.BRIDGE,
        0,
        0,
        bytes.fromhex("e8030000 01") + (rows.size // 2).to_bytes(2, "little") + bytes(rows),
    )
    assert Deframer().feed(encode(longest)) == [longest]
    with pytest.raises(ValueError, match="at most 4062 bytes"):
        encode(Packet(PacketKind.BRIDGE, 0, 0, bytes(MAX_PAYLOAD + 1)))


def test_memory_stays_bounded_without_any_delimiter():
    deframer = Deframer()
    for _ in range(2_000):
        deframer.feed(b"\xaa" * 997)
        assert len(deframer._tail) < MAX_FRAME
    assert counted(deframer) == {"frames": 1, "oversize": 1}
    assert deframer.feed(b"\0" + encode(SAMPLE)) == [SAMPLE]


@pytest.mark.parametrize("length", [*range(122, 129), *range(248, 258)])
@pytest.mark.parametrize("ending", [b"", b"\0", b"\1"])
def test_runs_without_zero_around_254_bytes_are_received(length, ending):
    block = bytes.fromhex("e8030000 01") + (length + len(ending)).to_bytes(2, "little")
    payload = block + b"\x7f" * (2 * length) + ending * 2
    packet = Packet(PacketKind.AXLE_BOX, 0x1111, 0x1111111111111111, payload)
    assert Deframer().feed(encode(packet)) == [packet]


def test_commands_are_packets_like_any_other():
    sent = [to_packet(Start(), sequence=1, ticks=0), to_packet(SyncRequest(1, -(2**63)), sequence=2, ticks=0)]
    assert Deframer().feed(b"".join(map(encode, sent))) == sent
