"""Messages to payloads and back."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from firmware_interface import (
    MAX_PAYLOAD,
    AxleBoxBlock,
    EncoderSample,
    Identity,
    ImuSample,
    Message,
    Packet,
    PacketKind,
    ProfilePoints,
    pack,
    payload_dtype,
    to_packet,
    unpack,
)
from firmware_interface.layout import HEADER, LAYOUTS, OVERHEAD
from firmware_interface.schema import MAX_FRAME, MAX_PACKET
from tests.unit.wire_messages import extreme_messages, messages, repeatable


def same(a: Message, b: Message) -> bool:
    """Equal class and fields, arrays included."""

    def fields_of(message: Any) -> list[Any]:
        return [getattr(message, field.name) for field in dataclasses.fields(message)]

    return type(a) is type(b) and all(np.array_equal(x, y) for x, y in zip(fields_of(a), fields_of(b), strict=True))


@repeatable
@given(messages())
def test_every_message_survives_packing(message):
    assert same(unpack(to_packet(message, sequence=0, ticks=0)), message)


@pytest.mark.parametrize("message", extreme_messages(), ids=lambda m: m.kind.name)
def test_extreme_messages_survive_packing(message):
    assert same(unpack(to_packet(message, sequence=0, ticks=0)), message)


def test_an_imu_sample_has_the_bytes_of_its_description():
    payload = pack(ImuSample(accel=(1, -1, 256), gyro=(0, 2**31 - 1, -(2**31)), temperature=-2))
    assert payload == bytes.fromhex("01000000 ffffffff 00010000 00000000 ffffff7f 00000080 feff")


def test_a_block_has_the_bytes_of_its_description():
    block = AxleBoxBlock.of(period_ns=50_000, counts=np.array([[1, 2], [-1, 3], [4, 5]], dtype=np.int16))
    assert pack(block) == bytes.fromhex("50c30000 02 0300 0100 0200 ffff 0300 0400 0500")


def test_header_and_checksum_take_sixteen_bytes():
    assert (HEADER.size, OVERHEAD) == (12, 16)
    assert {kind.name: layout.size for kind, layout in LAYOUTS.items()} == {
        "IMU": 26,
        "ENCODER": 5,
        "AXLE_BOX": 7,
        "BRIDGE": 7,
        "LASER_DISTANCE": 7,
        "PROFILE": 3,
        "SYNC_REQUEST": 12,
        "SYNC_RESPONSE": 20,
        "IDENTIFY": 0,
        "IDENTITY": 27,
        "START": 0,
        "STOP": 0,
        "SET_RATE": 4,
        "ACKNOWLEDGE": 2,
    }


def test_the_longest_packet_just_fits_the_longest_frame():
    assert MAX_PACKET + -(-MAX_PACKET // 254) + 1 == MAX_FRAME


@pytest.mark.parametrize("kind", [kind for kind, layout in LAYOUTS.items() if layout.rows])
def test_limits_of_counts_are_those_of_the_longest_packet(kind):
    layout = LAYOUTS[kind]
    item = payload_of_one_more(kind) - layout.size
    wires = dict(layout.fixed)
    count = wires["samples" if "samples" in wires else "points"]
    assert count.limits is not None
    assert layout.size + count.limits[1] * item <= MAX_PAYLOAD < layout.size + (count.limits[1] + 1) * item


def payload_of_one_more(kind: PacketKind) -> int:
    """Length of a payload with one sample of one channel, or one point [bytes]."""
    if kind is PacketKind.PROFILE:
        return len(pack(ProfilePoints.of(rail=0, yz_um=np.zeros((1, 2), np.int32))))
    return len(pack(AxleBoxBlock.of(period_ns=1000, counts=np.zeros((1, 1), np.int16))))


def test_many_payloads_decode_at_once():
    samples = [ImuSample((i, -i, 0), (0, i, 7), 2500 + i) for i in range(50)]
    table = np.frombuffer(b"".join(map(pack, samples)), payload_dtype(PacketKind.IMU))
    np.testing.assert_array_equal(table["accel"], [s.accel for s in samples])
    np.testing.assert_array_equal(table["gyro"], [s.gyro for s in samples])
    np.testing.assert_array_equal(table["temperature"], [s.temperature for s in samples])


@pytest.mark.parametrize(
    "message",
    [
        EncoderSample(count=2**31, status=0),
        EncoderSample(count=0, status=-1),
        ImuSample(accel=(0, 0), gyro=(0, 0, 0), temperature=0),
        Identity(serial="seventeen letters", device_kind=1, tick_hz=1, rate_mhz=1, firmware=1),
        AxleBoxBlock.of(period_ns=1, counts=np.zeros((0, 3), np.int16)),
        AxleBoxBlock.of(period_ns=1, counts=np.full((4, 3), 40_000, np.int32)),
        AxleBoxBlock(period_ns=1, channels=2, samples=3, counts=np.zeros((3, 3), np.int16)),
    ],
    ids=lambda m: type(m).__name__,
)
def test_what_does_not_fit_the_wire_is_refused(message):
    with pytest.raises(ValueError, match=r"fit|must be|holds"):
        pack(message)


def test_a_payload_of_the_wrong_length_is_refused():
    with pytest.raises(ValueError, match="do not fit a payload of kind IMU"):
        unpack(Packet(PacketKind.IMU, 0, 0, bytes(25)))


def test_a_serial_number_of_any_bytes_is_read():
    identity = unpack(Packet(PacketKind.IDENTITY, 0, 0, bytes(range(255, 228, -1))))
    assert isinstance(identity, Identity)
    assert len(identity.serial) == 16
