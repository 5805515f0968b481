"""Ports that are missing, held, forbidden, unplugged and plugged in again."""

import os
import threading
import time

import pytest

from firmware_interface import Deframer, PacketKind
from sensors.acquisition import Acquisition, AcquisitionConfig
from sensors.config import DeviceConfig
from sensors.emulator.pty_port import PtyPort
from sensors.host_clock import SystemClock
from sensors.port import Link, Port, PortLostError
from twin.core.errors import DeviceError

BAUD = 921_600
NOBODY = 65534
PATIENCE = 20.0
"""[s] What takes longer hangs."""


@pytest.fixture
def plug(tmp_path):
    port = PtyPort(tmp_path / "imu0", buffer_bytes=4096)
    port.open()
    yield port
    port.close()


def until(condition, patience: float = PATIENCE) -> bool:
    """Whether the condition comes true in time."""
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.002)
    return True


def test_bytes_pass_a_port_unchanged_in_both_directions(plug):
    every_byte = bytes(range(256))
    port = Port(str(plug.path), BAUD)
    port.open()
    plug.write([every_byte])
    got = b""
    while len(got) < 256:
        got += port.read(PATIENCE)
    assert got == every_byte
    port.write(every_byte)
    back = b""
    end = time.monotonic() + PATIENCE
    while len(back) < 256 and time.monotonic() < end:
        back += plug.read()
    assert back == every_byte
    port.close()


def test_a_read_without_data_returns_nothing_after_its_timeout(plug):
    port = Port(str(plug.path), BAUD)
    port.open()
    assert port.read(0.0) == b""
    assert port.read(0.01) == b""
    port.close()
    port.close()


def test_a_missing_port_is_told_with_the_ports_there_are(tmp_path):
    with pytest.raises(DeviceError, match=r"no such port; available: .*correct 'port'"):
        Port(str(tmp_path / "imu9"), BAUD).open()


def test_a_port_held_by_another_program_is_told(plug):
    first = Port(str(plug.path), BAUD)
    first.open()
    with pytest.raises(DeviceError, match="another program holds the port"):
        Port(str(plug.path), BAUD).open()
    first.close()
    again = Port(str(plug.path), BAUD)
    again.open()
    again.close()


def test_a_forbidden_port_is_told_with_the_group_to_join(tmp_path):
    path = tmp_path / "forbidden"
    path.touch(mode=0o000)
    user = os.geteuid()
    try:
        if user == 0:  # root may open everything
            os.seteuid(NOBODY)
        with pytest.raises(DeviceError, match="dialout"):
            Port(str(path), BAUD).open()
    finally:
        os.seteuid(user)


def test_a_file_that_is_no_serial_port_is_told(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"no port")
    with pytest.raises(DeviceError, match="cannot be opened as a serial port"):
        Port(str(path), BAUD).open()


def test_an_unplugged_port_is_lost_on_reading_and_on_writing(plug):
    for use in (lambda port: port.read(PATIENCE), lambda port: port.write(b"\x01")):
        port = Port(str(plug.path), BAUD)
        port.open()
        plug.close()
        with pytest.raises(PortLostError, match="is gone"):
            use(port)
        assert not port.is_open
        plug.open()


def test_attempts_to_reopen_follow_at_doubling_intervals_up_to_the_longest(tmp_path):
    link = Link(Port(str(tmp_path / "imu0"), BAUD), delay_first=1.0, delay_last=5.0)
    delays = []
    assert link.delay == 0
    for _ in range(5):
        assert not link.connect()
        delays.append(link.delay)
    assert delays == pytest.approx([1, 2, 4, 5, 5], abs=0.5)
    assert link.error is not None
    assert "no such port" in link.error


def test_data_make_the_intervals_short_again_but_opening_alone_does_not(plug):
    link = Link(Port(str(plug.path), BAUD), delay_first=1.0, delay_last=64.0)

    def delay_after_loss(*, with_data: bool) -> float:
        assert link.connect()
        if with_data:
            plug.write([b"\x01"])
            assert link.read(PATIENCE) == b"\x01"
        plug.close()
        assert link.read(PATIENCE) == b""
        assert not link.is_open
        plug.open()
        return link.delay

    delays = [delay_after_loss(with_data=data) for data in (False, False, True, True)]
    assert delays == pytest.approx([1, 2, 1, 1], abs=0.5)
    assert link.reconnects == 3


def test_acquisition_outlives_a_device_that_is_missing_at_first_and_unplugged_twice(tmp_path):
    path = tmp_path / "imu0"
    device = DeviceConfig(name="imu0", kind="imu", port=str(path))
    plug = PtyPort(path, buffer_bytes=65536)
    config = AcquisitionConfig(delay_first=0.02, delay_last=0.05)
    received: list[bytes] = []
    with Acquisition([device], SystemClock(), config) as acquisition:
        consumer = threading.Thread(
            target=lambda: received.extend(chunk.data for chunk in acquisition.chunks() if not chunk.sent)
        )
        consumer.start()
        assert until(lambda: acquisition.status()["imu0"].error is not None)
        assert not acquisition.status()["imu0"].connected
        for turn in (b"first", b"second", b"third"):
            plug.open()
            assert until(lambda: acquisition.status()["imu0"].connected)
            plug.write([turn])
            assert until(lambda turn=turn: b"".join(received).endswith(turn))
            plug.close()
            assert until(lambda: not acquisition.status()["imu0"].connected)
        assert acquisition.status()["imu0"].reconnects == 2
    consumer.join(PATIENCE)
    assert b"".join(received) == b"firstsecondthird"


def test_every_connection_begins_with_identify_and_start_and_ends_with_stop(plug):
    device = DeviceConfig(name="imu0", kind="imu", port=str(plug.path))
    with Acquisition([device], SystemClock()) as acquisition:
        assert until(lambda: acquisition.status()["imu0"].syncs_sent > 0)
    kinds = [packet.kind for packet in Deframer().feed(plug.read())]
    assert kinds[:3] == [PacketKind.IDENTIFY, PacketKind.START, PacketKind.SYNC_REQUEST]
    assert kinds[-1] is PacketKind.STOP
