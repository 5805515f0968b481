"""Runs as timed packets: simulated streams as their devices would send them, or a recording sent once more."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import merge
from typing import NamedTuple, Protocol

import numpy as np

from firmware_interface import Chunk, Deframer, Identity, Packet, PacketKind, unpack
from sensors.config import DeviceConfig
from sensors.emulator.quantise import quantiser_of
from twin.core.arrays import Array
from twin.core.errors import ConfigError

SLICE = 4096
"""Samples converted at once: enough for speed, little in memory."""
JUMP_NS = 500_000_000
"""A recorded device whose ticks and arrival disagree by more was restarted or stepped: its time starts anew."""


class TimedPacket(NamedTuple):
    """A measurement and when the device sends it. Orders by due time. Times count from the start of the run."""

    due_ns: int
    """Common time of sending [ns]."""
    device: str
    t_ns: int
    """Common time of the first sample [ns]."""
    kind: PacketKind
    payload: bytes


class Stream(Protocol):
    """Samples of one source on true common time; what twin.simulation hands over is one."""

    @property
    def source(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def t(self) -> Array:
        """(samples,) common time of sampling since the start of the run [s], ascending."""
        ...

    @property
    def values(self) -> Array:
        """(samples, channels) SI, as the imperfect sensor reports them."""
        ...


def packets_of_streams(streams: Sequence[Stream], devices: Sequence[DeviceConfig]) -> Iterator[TimedPacket]:
    """The packets of all streams in order of sending; every stream needs a device of its name and kind."""
    by_name = {device.name: device for device in devices}
    return merge(*(packets_of_stream(stream, device_of(stream, by_name)) for stream in streams))


def packets_of_stream(stream: Stream, device: DeviceConfig) -> Iterator[TimedPacket]:
    """The packets of one stream; a packet is due when its last sample is taken."""
    name, kind, quantiser = device.name, device.packet_kind, quantiser_of(device)
    samples = quantiser.samples_per_packet
    step = max(SLICE - SLICE % samples, samples)  # no packet straddles two slices
    for i in range(0, stream.t.size, step):
        t_ns = np.rint(stream.t[i : i + step] * 1e9).astype(np.int64)
        payloads = quantiser.payloads(t_ns, stream.values[i : i + step])
        first = np.arange(0, t_ns.size, samples)
        last = np.minimum(first + samples, t_ns.size) - 1
        for due, t, payload in zip(t_ns[last].tolist(), t_ns[first].tolist(), payloads, strict=True):
            yield TimedPacket(due, name, t, kind, payload)


def device_of(stream: Stream, devices: Mapping[str, DeviceConfig]) -> DeviceConfig:
    """The device of a stream, or ConfigError."""
    device = devices.get(stream.source)
    if device is None:
        known = ", ".join(devices) or "none"
        raise ConfigError(f"no device named '{stream.source}' for the stream of that name; configured: {known}")
    if device.kind != stream.kind:
        raise ConfigError(f"device '{device.name}' is of kind {device.kind}, its stream of kind {stream.kind}")
    return device


@dataclass(slots=True)
class _Recorded:
    """Time of one recorded device: ticks count from an anchor."""

    tick_hz: int
    """As configured, until its identity tells another [Hz]."""
    deframer: Deframer = field(default_factory=Deframer)
    tick0: int | None = None
    due0_ns: int = 0
    due_ns: int = 0

    def due(self, packet: Packet, arrival_ns: int) -> int:
        """When to send a packet again: as far from its neighbours as the device measured them [ns]."""
        if self.tick0 is not None:
            due_ns = self.due0_ns + (packet.ticks - self.tick0) * 1_000_000_000 // self.tick_hz
            if abs(due_ns - arrival_ns) <= JUMP_NS:
                self.due_ns = max(due_ns, self.due_ns)
                return self.due_ns
        self.tick0, self.due0_ns = packet.ticks, max(arrival_ns, self.due_ns)
        self.due_ns = self.due0_ns
        return self.due_ns


def packets_of_recording(chunks: Iterable[Chunk], devices: Sequence[DeviceConfig]) -> Iterator[TimedPacket]:
    """The intact measurements of these devices, spaced by device time; the emulator gives them new ticks.

    Damaged frames stay away: faults are the emulator's to inject.
    """
    recorded = {device.name: _Recorded(tick_hz=device.tick_hz) for device in devices}
    begin_ns: int | None = None
    for chunk in chunks:
        device = recorded.get(chunk.device)
        if device is None or chunk.sent:
            continue
        begin_ns = chunk.t_host_ns if begin_ns is None else begin_ns
        for packet in device.deframer.feed(chunk.data):
            if packet.kind < PacketKind.SYNC_REQUEST:
                due_ns = device.due(packet, chunk.t_host_ns - begin_ns)
                yield TimedPacket(due_ns, chunk.device, due_ns, packet.kind, packet.payload)
            elif packet.kind is PacketKind.IDENTITY:
                identity = unpack(packet)
                if isinstance(identity, Identity) and identity.tick_hz > 0:
                    device.tick_hz = identity.tick_hz
