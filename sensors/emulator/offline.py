"""What Acquisition would have recorded of emulated devices, computed without ports, threads or waiting."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge

import numpy as np

from firmware_interface import Chunk, Identify, Message, Start, Stop, SyncRequest, encode, to_packet
from sensors.config import DeviceConfig
from sensors.emulator.device import EmulatedDevice
from sensors.emulator.faults import FaultPlan
from sensors.emulator.packets import Stream, TimedPacket
from sensors.emulator.stretches import StretchFeed

DELAY_LEAST = 0.1e-3
"""[s] One way through adapter, driver and scheduler when nothing is in the way."""
DELAY_QUEUEING = 0.2e-3
"""[s] Mean of what is in the way; exponential, so that now and then it is several times as long."""
RECONNECT_DELAY_NS = 100_000_000
"""From plugging in to the first command of the host: its back-off."""


def record_chunks(
    streams: Sequence[Stream],
    devices: Sequence[DeviceConfig],
    faults: Mapping[str, FaultPlan] | None = None,
    *,
    read_period: float = 0.01,
    seed: int = 0,
    start_ns: int = 0,
) -> Iterator[Chunk]:
    """Chunks of all devices in order of host time; equal arguments give equal bytes.

    The host connects when the first stream begins, identifies and starts each device and asks for its time every
    sync_period. A device sends its measurements in bursts every read_period [s] and answers at once.
    Host time is start_ns [ns] plus the time of the streams.
    """
    return record_stretches([streams], devices, faults, read_period=read_period, seed=seed, start_ns=start_ns)


def record_stretches(
    stretches: Iterable[Sequence[Stream]],
    devices: Sequence[DeviceConfig],
    faults: Mapping[str, FaultPlan] | None = None,
    *,
    read_period: float = 0.01,
    seed: int = 0,
    start_ns: int = 0,
) -> Iterator[Chunk]:
    """The same bytes of a run that comes in stretches, each fetched when needed: memory does not grow with the run."""
    feed = StretchFeed(stretches, {device.name: device for device in devices})
    begin_ns = max(0, round(feed.begin * 1e9))  # jitter can take a first sample a microsecond before the run
    seeds = np.random.SeedSequence(seed).spawn(len(feed.devices))
    lines = []
    for number, (config, line_seed) in enumerate(zip(feed.devices, seeds, strict=True)):
        timing = _Timing(begin_ns, start_ns, round(read_period * 1e9), np.random.default_rng(line_seed))
        line = _Line(config, (faults or {}).get(config.name, FaultPlan()), timing)
        lines.append(line.chunks(feed.packets(number)))
    return merge(*lines, key=lambda chunk: chunk.t_host_ns)


@dataclass(frozen=True, slots=True)
class _Timing:
    begin_ns: int
    """Time of the run at which the host connects [ns]."""
    start_ns: int
    """Host time at time zero of the run [ns]."""
    read_period_ns: int
    rng: np.random.Generator

    def delay_ns(self) -> int:
        """One way between host and device."""
        return int((DELAY_LEAST + self.rng.exponential(DELAY_QUEUEING)) * 1e9)


class _Line:
    """Host and device at the two ends of one line. Times are those of the run until they are stamped."""

    def __init__(self, config: DeviceConfig, plan: FaultPlan, timing: _Timing) -> None:
        self._name = config.name
        self._plan = plan
        self._timing = timing
        self._device = EmulatedDevice(config, plan)
        self._sync_period_ns = round(config.sync_period * 1e9)
        self._burst_ns = timing.begin_ns + int(timing.rng.integers(timing.read_period_ns))  # devices share no phase
        self._sync_ns = timing.begin_ns
        self._busy_ns = timing.begin_ns  # the host has handled everything up to here: stamps never go back
        self._connected = False
        self._sequence = 0
        self._syncs = 0

    def chunks(self, packets: Iterator[TimedPacket]) -> Iterator[Chunk]:
        """Everything that passes on the line, in order of host time."""
        t_ns = self._timing.begin_ns
        yield from self._pass([], t_ns)
        packet = next(packets, None)
        while packet is not None:
            frames = []
            while packet is not None and packet.due_ns <= t_ns:
                frames += self._device.measure(packet)
                packet = next(packets, None)
            yield from self._pass(frames, t_ns)
            t_ns = min(self._burst_ns, self._sync_ns)
        if self._connected:
            yield from self._exchange([Stop()], self._device.finish(), t_ns)

    def _pass(self, frames: list[bytes], t_ns: int) -> Iterator[Chunk]:
        """A burst of the device, a request of the host, or neither while the device is away."""
        if t_ns >= self._burst_ns:
            self._burst_ns += self._timing.read_period_ns
        back_ns = self._plan.away_until_ns(t_ns)
        if back_ns is not None:
            self._device.unsent += len(frames)
            self._device.unplug()
            self._connected = False
            self._sync_ns = back_ns + RECONNECT_DELAY_NS
        elif t_ns >= self._sync_ns:
            yield from self._exchange(self._requests(t_ns), frames, t_ns)
        else:
            yield from self._received(frames, t_ns)

    def _requests(self, t_ns: int) -> list[Message]:
        """What the host sends when its next request is due."""
        greeting: list[Message] = [] if self._connected else [Identify(), Start()]
        self._connected = True
        self._sync_ns = t_ns + self._sync_period_ns
        self._syncs += 1
        now_ns = max(t_ns, self._busy_ns) + self._timing.start_ns
        return [*greeting, SyncRequest(id=self._syncs, t_host_ns=now_ns)]

    def _exchange(self, messages: list[Message], frames: list[bytes], t_ns: int) -> Iterator[Chunk]:
        """The host sends messages; the device, which was sending frames, answers at once."""
        t_ns = max(t_ns, self._busy_ns)
        arrival_ns = t_ns + self._timing.delay_ns()
        for message in messages:
            sent = encode(to_packet(message, sequence=self._sequence, ticks=0))
            self._sequence = (self._sequence + 1) & 0xFFFF
            yield Chunk(self._name, t_ns + self._timing.start_ns, sent, sent=True)
            frames = frames + self._device.receive(sent, arrival_ns)
        yield from self._received(frames, arrival_ns)

    def _received(self, frames: list[bytes], t_ns: int) -> Iterator[Chunk]:
        """The host reads what the device sent at t_ns."""
        if frames:
            self._busy_ns = max(t_ns + self._timing.delay_ns(), self._busy_ns)
            yield Chunk(self._name, self._busy_ns + self._timing.start_ns, b"".join(frames))
