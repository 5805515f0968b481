"""Emulated devices through real pseudo terminals and acquisition, and the same without either."""

import threading
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from firmware_interface import (
    Acknowledge,
    Chunk,
    Deframer,
    Identify,
    Message,
    Packet,
    PacketKind,
    SequenceMonitor,
    SetRate,
    Start,
    Stop,
    SyncResponse,
    encode,
    to_packet,
    unpack,
)
from sensors.acquisition import Acquisition, AcquisitionConfig, ChunkQueue
from sensors.config import DeviceConfig
from sensors.decode import DeviceDecoder
from sensors.emulator import (
    EmulatedDevice,
    Emulator,
    EmulatorConfig,
    FaultPlan,
    packets_of_recording,
    packets_of_streams,
    record_chunks,
    record_stretches,
)
from sensors.host_clock import ScaledClock, SystemClock
from sensors.port import Port
from twin.core.arrays import Array
from twin.core.errors import ConfigError, RecordingError

PATIENCE = 30.0
"""[s] A served run of a few seconds that takes longer hangs."""


@dataclass(frozen=True)
class Samples:
    """A stream as the simulation hands it over."""

    source: str
    kind: str
    t: Array
    values: Array


def imu_stream(duration: float, rate: float = 500.0) -> Samples:
    rng = np.random.default_rng(1)
    t = np.arange(round(duration * rate)) / rate
    mean, sd = (0, 0, 9.8, 0, 0, 0, 295), (1, 1, 1, 0.1, 0.1, 0.1, 1)
    values = rng.normal(mean, sd, size=(t.size, 7))
    return Samples("imu0", "imu", t, values)


def encoder_stream(duration: float, rate: float = 200.0) -> Samples:
    t = np.arange(round(duration * rate)) / rate
    return Samples("encoder0", "encoder", t, 43.0 * t[:, None])


def devices_in(directory: Path) -> list[DeviceConfig]:
    return [
        DeviceConfig(name=name, kind=kind, port=str(directory / name), sync_period=0.5)
        for name, kind in (("imu0", "imu"), ("encoder0", "encoder"))
    ]


def command(message: Message) -> bytes:
    return encode(to_packet(message, sequence=0, ticks=0))


def serve(emulator: Emulator, acquisition: Acquisition) -> list[Chunk]:
    """Everything acquisition delivers until the emulator has closed its ports."""

    def stop_at_end() -> None:
        emulator.finished.wait(PATIENCE)
        acquisition.stop()

    watcher = threading.Thread(target=stop_at_end)
    with emulator, acquisition:
        watcher.start()
        chunks = list(acquisition.chunks())
    watcher.join()
    assert emulator.finished.is_set()
    return chunks


def served(
    tmp_path: Path, duration: float, *, speed: float = 10.0, faults: dict[str, FaultPlan] | None = None
) -> tuple[Emulator, Acquisition, list[Chunk]]:
    devices = devices_in(tmp_path)
    clock = ScaledClock(speed=speed, origin_ns=time.monotonic_ns())
    packets = packets_of_streams([imu_stream(duration), encoder_stream(duration)], devices)
    emulator = Emulator(devices, packets, clock=clock, directory=tmp_path, faults=faults)
    acquisition = Acquisition(devices, clock)
    return emulator, acquisition, serve(emulator, acquisition)


def received(chunks: Iterable[Chunk], device: str) -> tuple[Deframer, list[tuple[int, Packet]]]:
    """The deframer and the packets of a device, each with its host time."""
    deframer = Deframer()
    own = (chunk for chunk in chunks if chunk.device == device and not chunk.sent)
    return deframer, [(chunk.t_host_ns, packet) for chunk in own for packet in deframer.feed(chunk.data)]


def measurements(chunks: Iterable[Chunk], device: str) -> list[bytes]:
    return [packet.payload for _, packet in received(chunks, device)[1] if packet.kind < PacketKind.SYNC_REQUEST]


def test_every_packet_sent_on_a_port_is_received_once_and_in_order(tmp_path):
    emulator, acquisition, chunks = served(tmp_path, 10.0)
    streams = [imu_stream(10.0), encoder_stream(10.0)]
    for device in ("imu0", "encoder0"):
        sent = [p.payload for p in packets_of_streams(streams, devices_in(tmp_path)) if p.device == device]
        assert measurements(chunks, device) == sent
        assert emulator.counts()[device]["dropped"] == emulator.counts()[device]["unsent"] == 0
        assert acquisition.status()[device].bytes_lost == 0


def test_a_packet_arrives_after_its_sample_was_taken_on_the_clock_both_sides_share(tmp_path):
    emulator, _, chunks = served(tmp_path, 5.0)
    assert emulator.origin_ns is not None
    imu = [item for item in received(chunks, "imu0")[1] if item[1].kind is PacketKind.IMU]
    t_host_ns = np.array([t_ns for t_ns, _ in imu])
    assert (t_host_ns >= emulator.origin_ns + np.rint(imu_stream(5.0).t * 1e9)).all()
    ticks = np.array([packet.ticks for _, packet in imu])
    np.testing.assert_allclose(np.diff(ticks), 2000, atol=1)


def test_sync_round_trips_bracket_the_device_time(tmp_path):
    plan = FaultPlan(drift_ppm=100.0)
    emulator, acquisition, chunks = served(tmp_path, 10.0, faults={"imu0": plan})
    assert emulator.origin_ns is not None
    responses = [(t_ns, unpack(packet)) for t_ns, packet in received(chunks, "imu0")[1]]
    syncs = [(t_ns, message) for t_ns, message in responses if isinstance(message, SyncResponse)]
    assert 10 <= len(syncs) <= acquisition.status()["imu0"].syncs_sent
    ticks = next(packet.ticks for _, packet in received(chunks, "imu0")[1] if packet.kind is PacketKind.IMU)
    for t4_ns, sync in syncs:
        # ticks at the origin of the run are those of the first sample, taken at t = 0
        t_device_ns = emulator.origin_ns + (sync.ticks_received - ticks) * 1000 / (1 + 100e-6)
        assert sync.t_host_ns - 2_000 <= t_device_ns <= t4_ns + 2_000


def test_the_host_identifies_and_starts_a_device_and_records_what_it_sent(tmp_path):
    _, _, chunks = served(tmp_path, 1.0)
    host = Deframer()
    sent = [p for chunk in chunks if chunk.sent and chunk.device == "imu0" for p in host.feed(chunk.data)]
    assert [packet.kind for packet in sent[:3]] == [PacketKind.IDENTIFY, PacketKind.START, PacketKind.SYNC_REQUEST]
    assert [packet.sequence for packet in sent] == list(range(len(sent)))
    replies = [packet.kind for _, packet in received(chunks, "imu0")[1]]
    assert replies[:2] == [PacketKind.IDENTITY, PacketKind.ACKNOWLEDGE]


def test_lost_doubled_and_reordered_packets_arrive_as_counted(tmp_path):
    plan = FaultPlan(seed=7, loss=0.02, duplicate=0.02, reorder=0.02)
    emulator, _, chunks = served(tmp_path, 10.0, faults={"imu0": plan})
    counts = emulator.counts()["imu0"]
    deframer, packets = received(chunks, "imu0")
    monitor = SequenceMonitor()
    for _, packet in packets:
        monitor.observe(packet.sequence)
    assert min(counts["lost"], counts["duplicated"], counts["reordered"]) > 50
    assert len(packets) == counts["frames"] - counts["lost"] + counts["duplicated"]
    assert deframer.counts.rejected == 0
    assert monitor.duplicated == counts["duplicated"]
    assert monitor.reordered == counts["reordered"]


def test_bit_errors_on_a_port_cost_the_damaged_frames_and_at_most_their_neighbours(tmp_path):
    emulator, _, chunks = served(tmp_path, 10.0, faults={"imu0": FaultPlan(seed=7, bit_error_rate=2e-5)})
    counts = emulator.counts()["imu0"]
    _, packets = received(chunks, "imu0")
    assert counts["damaged"] > 10
    # a damaged delimiter joins its frame to the next one; tests/unit/test_faults.py counts these exactly
    assert 0 <= counts["frames"] - counts["damaged"] - len(packets) <= counts["damaged"] / 2
    sent = {p.payload for p in packets_of_streams([imu_stream(10.0)], devices_in(tmp_path))}
    assert all(packet.payload in sent for _, packet in packets if packet.kind is PacketKind.IMU)


def test_an_unplugged_device_is_back_with_data_after_it_is_plugged_in(tmp_path):
    plan = FaultPlan.model_validate({"unplug": [{"t": 5.0, "duration": 5.0}]})
    emulator, acquisition, chunks = served(tmp_path, 30.0, faults={"imu0": plan})
    assert acquisition.status()["imu0"].reconnects == 1
    assert acquisition.status()["encoder0"].reconnects == 0
    assert len(measurements(chunks, "encoder0")) == 6000
    ticks = np.array([p.ticks for _, p in received(chunks, "imu0")[1] if p.kind is PacketKind.IMU])
    gaps = np.diff(ticks) * 1e-6
    assert np.count_nonzero(gaps > 0.1) == 1
    assert gaps.max() >= 5.0
    assert ticks[-1] - ticks[0] == pytest.approx(29.998e6, abs=2)
    assert emulator.counts()["imu0"]["unsent"] > 0


def test_a_host_that_does_not_read_costs_counted_frames_and_blocks_nothing(tmp_path):
    device = devices_in(tmp_path)[0]
    clock = ScaledClock(speed=100, origin_ns=time.monotonic_ns())
    config = EmulatorConfig(buffer_bytes=4096, drain_timeout=0.0)
    packets = packets_of_streams([imu_stream(60.0)], [device])
    emulator = Emulator([device], packets, clock=clock, directory=tmp_path, config=config)
    with emulator:
        port = Port(device.port, device.baud)
        port.open()
        port.write(command(Start()))
        assert emulator.finished.wait(PATIENCE)
        port.close()
    counts = emulator.counts()["imu0"]
    assert counts["frames"] == 30_000 + 1  # and the acknowledgement
    assert counts["dropped"] > 10_000


def test_a_run_that_cannot_be_read_further_is_told_to_who_serves_it(tmp_path):
    devices = devices_in(tmp_path)[:1]

    def packets_until_damage():
        yield from packets_of_streams([imu_stream(0.1)], devices)
        raise RecordingError("the rest of the recording is unreadable")

    emulator = Emulator(
        devices,
        packets_until_damage(),
        clock=SystemClock(),
        directory=tmp_path,
        config=EmulatorConfig(wait_for_host=False),
    )
    with pytest.raises(RecordingError, match="unreadable"), emulator:
        assert emulator.finished.wait(PATIENCE)
    assert not (tmp_path / "imu0").exists()


def test_a_device_obeys_rate_and_stop_and_refuses_a_rate_it_cannot_give(tmp_path):
    device = EmulatedDevice(devices_in(tmp_path)[0], FaultPlan())
    packets = list(packets_of_streams([imu_stream(1.0)], devices_in(tmp_path)))

    def sent(frames: list[bytes]) -> list[Message]:
        return [unpack(packet) for packet in Deframer().feed(b"".join(frames))]

    def measured() -> int:
        return sum(len(device.measure(packet)) for packet in packets)

    assert measured() == 0
    assert sent(device.receive(command(Start()), 0)) == [Acknowledge(command=PacketKind.START, status=0)]
    assert sent(device.receive(command(SetRate(rate_mhz=333_000)), 0))[0].status != 0
    assert sent(device.receive(command(SetRate(rate_mhz=100_000)), 0))[0].status == 0
    assert measured() == 100
    assert sent(device.receive(command(Identify()), 0))[0].rate_mhz == 100_000
    device.receive(command(Stop()), 0)
    assert measured() == 0


def test_a_slow_consumer_costs_counted_chunks_of_its_own_device_only():
    queue = ChunkQueue({"imu0": 100, "encoder0": 100})
    assert queue.put(Chunk("imu0", 1, bytes(90)))
    assert not queue.put(Chunk("imu0", 2, bytes(20)))
    assert queue.put(Chunk("encoder0", 3, bytes(20)))
    assert queue.get() == Chunk("imu0", 1, bytes(90))
    assert queue.put(Chunk("imu0", 4, bytes(20)))
    queue.close_one()
    queue.close_one()
    rest = [queue.get() for _ in range(3)]
    assert [chunk and chunk.t_host_ns for chunk in rest] == [3, 4, None]


def test_the_queue_holds_at_least_five_seconds_of_a_full_line():
    with pytest.raises(ValueError, match="queue_seconds"):
        AcquisitionConfig(queue_seconds=4.0)


def test_a_recording_served_again_gives_the_same_measurements_at_the_same_device_times(tmp_path):
    devices = devices_in(tmp_path)
    recorded = list(record_chunks([imu_stream(5.0), encoder_stream(5.0)], devices, start_ns=10**15))
    clock = ScaledClock(speed=10, origin_ns=time.monotonic_ns())
    emulator = Emulator(devices, packets_of_recording(recorded, devices), clock=clock, directory=tmp_path)
    again = serve(emulator, Acquisition(devices, clock))
    for device in ("imu0", "encoder0"):
        assert measurements(again, device) == measurements(recorded, device)
        old, new = (
            np.array([p.ticks for _, p in received(chunks, device)[1] if p.kind < PacketKind.SYNC_REQUEST])
            for chunks in (recorded, again)
        )
        np.testing.assert_allclose(np.diff(new), np.diff(old), atol=1)


def test_a_recorded_device_that_restarts_keeps_its_place_in_the_run(tmp_path):
    devices = devices_in(tmp_path)[:1]
    plan = FaultPlan.model_validate({"clock_steps": [{"t": 2.0, "seconds": -2.5}]})
    packets = list(packets_of_recording(record_chunks([imu_stream(4.0)], devices, {"imu0": plan}), devices))
    due = np.array([packet.due_ns for packet in packets])
    assert (np.diff(due) >= 0).all()
    assert due[-1] - due[0] == pytest.approx(3.998e9, abs=20e6)


def test_chunks_made_without_ports_hold_every_packet_in_order_of_host_time(tmp_path):
    devices = devices_in(tmp_path)
    streams = [imu_stream(10.0), encoder_stream(10.0)]
    chunks = list(record_chunks(streams, devices, start_ns=5))
    assert all(a.t_host_ns <= b.t_host_ns for a, b in pairwise(chunks))
    for device, stream in zip(devices, streams, strict=True):
        sent = [p.payload for p in packets_of_streams([stream], devices)]
        assert measurements(chunks, device.name) == sent
        kinds = Counter(packet.kind for _, packet in received(chunks, device.name)[1])
        assert kinds[PacketKind.SYNC_RESPONSE] == 20
        assert kinds[PacketKind.IDENTITY] == 1
        packets = [item for item in received(chunks, device.name)[1] if item[1].kind is device.packet_kind]
        late = np.array([t_ns for t_ns, _ in packets]) - 5 - np.rint(stream.t * 1e9)
        assert late.min() > 0
        assert np.median(late) < 10e6


def test_chunks_made_without_ports_depend_on_their_seed_alone(tmp_path):
    devices = devices_in(tmp_path)
    streams = [imu_stream(3.0), encoder_stream(3.0)]
    faults = {"imu0": FaultPlan(seed=2, bit_error_rate=1e-5, loss=0.01)}
    chunks = list(record_chunks(streams, devices, faults, seed=3))
    assert list(record_chunks(streams, devices, faults, seed=3)) == chunks
    assert list(record_chunks(streams, devices, faults, seed=4)) != chunks


def block_stream(duration: float) -> Samples:
    t = np.arange(round(duration * 2000)) / 2000
    return Samples("bridge0", "bridge", t, 1e-6 * np.random.default_rng(2).normal(size=(t.size, 6)))


def test_a_run_in_stretches_gives_the_bytes_of_the_whole(tmp_path):
    """Cuts fall inside packets of many samples, and a stretch may bring nothing of a source that is late."""
    bridge = DeviceConfig.model_validate({"name": "bridge0", "kind": "bridge", "bridge": {"scale": (1e-7,) * 6}})
    devices = [*devices_in(tmp_path), bridge]
    streams = [imu_stream(4.0), encoder_stream(4.0), block_stream(4.0)]
    cuts = {"imu0": (0, 700, 700, 2000), "encoder0": (0, 13, 500, 800), "bridge0": (0, 999, 5001, 8000)}
    stretches = [
        [
            Samples(each.source, each.kind, each.t[a:b], each.values[a:b])
            for each in streams
            for a, b in [cuts[each.source][i : i + 2]]
        ]
        for i in range(3)
    ]
    faults = {"imu0": FaultPlan(seed=2, loss=0.01)}
    whole = list(record_chunks(streams, devices, faults, seed=3))
    assert list(record_stretches(stretches, devices, faults, seed=3)) == whole
    assert len(measurements(whole, "bridge0")) > 100


def test_decoded_samples_equal_the_stream_to_half_a_count_at_the_time_they_were_taken(tmp_path):
    device = devices_in(tmp_path)[0]
    stream = imu_stream(20.0)
    decoder = DeviceDecoder(device)
    plan = FaultPlan(drift_ppm=40.0)
    chunks = record_chunks([stream], [device], {"imu0": plan})
    blocks = [block for chunk in chunks for block in decoder.process(chunk)]
    values = np.concatenate([block.values for block in blocks])
    half = np.array([0.5e-5] * 3 + [0.5e-7] * 3 + [0.005])
    assert (np.abs(values - stream.values) <= half * (1 + 1e-6)).all()
    timed = [block for block in blocks if block.clock is not None]
    error = (
        np.concatenate([b.clock.to_ns(b.ticks) for b in timed]) - stream.t[-sum(len(b.ticks) for b in timed) :] * 1e9
    )
    assert np.abs(error[-5000:]).max() < 0.5e6


@pytest.mark.parametrize(
    ("kind", "calibration"),
    [
        ("axle_box", {"scale": [0.05, 0.05]}),
        ("bridge", {"scale": [1e-8, 1e-8], "offset": [1e-6, 0.0]}),
        ("laser_distance", {"scale": [1e-5, 1e-5], "offset": [0.1, 0.1]}),
    ],
)
def test_blocks_of_samples_come_back_to_half_a_count_and_clip_at_the_end_of_the_wire(tmp_path, kind, calibration):
    device = DeviceConfig.model_validate({"name": "block0", "kind": kind, "rate": 2000, kind: calibration})
    scale, offset = np.array(calibration["scale"]), np.array(calibration.get("offset", [0.0, 0.0]))
    t = np.arange(2010) / 2000
    values = np.random.default_rng(2).uniform(-30000, 30000, (t.size, 2)) * scale + offset
    values[100] = 1e6 * scale + offset
    chunks = record_chunks([Samples("block0", kind, t, values)], [device])
    decoder = DeviceDecoder(device)
    blocks = [block for chunk in chunks for block in decoder.process(chunk)]
    got = np.concatenate([block.values for block in blocks])
    values[100] = 32767 * scale + offset
    assert (np.abs(got - values) <= 0.5 * scale * (1 + 1e-6)).all()
    ticks = np.concatenate([block.ticks for block in blocks])
    np.testing.assert_allclose(np.diff(ticks), 500, atol=1)


def test_cross_sections_come_back_to_a_micrometre_without_the_points_not_seen(tmp_path):
    device = DeviceConfig.model_validate({"name": "profile0", "kind": "profile", "profile": {"points": 3}})
    t = np.arange(4) / 100
    values = np.random.default_rng(3).uniform(-0.1, 0.1, (4, 7))
    values[:, 0] = [0, 1, 0, 1]
    values[2, 5:] = np.nan
    decoder = DeviceDecoder(device)
    chunks = record_chunks([Samples("profile0", "profile", t, values)], [device])
    got = np.concatenate([block.values for chunk in chunks for block in decoder.process(chunk)])
    np.testing.assert_allclose(got, values, atol=0.51e-6)


def test_lost_packets_show_as_gaps_in_the_sequence_numbers(tmp_path):
    device = devices_in(tmp_path)[0]
    sent = {p.t_ns for p in packets_of_streams([imu_stream(20.0)], [device])}
    chunks = record_chunks([imu_stream(20.0)], [device], {"imu0": FaultPlan(seed=5, loss=0.05)})
    monitor = SequenceMonitor()
    packets = [packet for _, packet in received(chunks, "imu0")[1]]
    for packet in packets:
        monitor.observe(packet.sequence)
    imu = sum(packet.kind is PacketKind.IMU for packet in packets)
    # identity, acknowledgements and clock answers are lost as well: a handful beside the measurements
    assert 0 <= monitor.lost - (len(sent) - imu) <= 10
    assert 0.04 < monitor.lost / len(sent) < 0.06


def test_an_unplugged_device_leaves_a_gap_and_is_greeted_again_without_ports(tmp_path):
    device = devices_in(tmp_path)[0]
    plan = FaultPlan.model_validate({"unplug": [{"t": 3.0, "duration": 2.0}]})
    chunks = list(record_chunks([imu_stream(10.0)], [device], {"imu0": plan}))
    gaps = [(b.t_host_ns - a.t_host_ns) * 1e-9 for a, b in pairwise(chunks)]
    assert sum(gap > 0.1 for gap in gaps) == 1
    assert 2.0 < max(gaps) < 2.2
    kinds = Counter(packet.kind for _, packet in received(chunks, "imu0")[1])
    assert kinds[PacketKind.IDENTITY] == 2


def test_a_stream_without_its_device_names_the_devices_there_are(tmp_path):
    with pytest.raises(ConfigError, match=r"'encoder0'.*configured: imu0"):
        list(record_chunks([encoder_stream(1.0)], devices_in(tmp_path)[:1]))


def test_a_scaled_clock_runs_as_much_faster_and_never_back():
    origin_ns = time.monotonic_ns()
    fast, same, real = (
        ScaledClock(speed=50, origin_ns=origin_ns),
        ScaledClock(speed=50, origin_ns=origin_ns),
        SystemClock(),
    )
    before, start = real.now_ns(), fast.now_ns()
    fast.sleep(0.5)
    between, end, after = same.now_ns(), fast.now_ns(), real.now_ns()
    assert end >= between >= start + 500_000_000
    assert end <= origin_ns + 50 * (after - origin_ns)
    assert start >= origin_ns + 50 * (before - origin_ns)
    with pytest.raises(ConfigError, match="speed"):
        ScaledClock(speed=0, origin_ns=0)
