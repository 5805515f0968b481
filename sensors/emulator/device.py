"""One emulated device: its clock, its sequence numbers, its answers and its faults. No port, no waiting."""

from dataclasses import dataclass, replace
from typing import Self

from firmware_interface import (
    Acknowledge,
    Deframer,
    Identity,
    Message,
    Packet,
    PacketKind,
    SetRate,
    SyncRequest,
    SyncResponse,
    encode,
    pack,
    unpack,
)
from sensors.config import DeviceConfig
from sensors.emulator.faults import FaultInjector, FaultPlan
from sensors.emulator.packets import TimedPacket

FIRMWARE = 1
DONE, REFUSED = 0, 1
"""Status of an Acknowledge."""


@dataclass(frozen=True, slots=True)
class EmulatedClock:
    """Device ticks as a function of common time: the clock that the host has to find out about."""

    offset: float = 1.0
    """What it shows at t = 0 [s]; a device is switched on a little before the run."""
    drift_ppm: float = 0.0
    steps: tuple[tuple[float, float], ...] = ()
    """(t, seconds), both [s]."""
    tick_hz: int = 1_000_000

    @classmethod
    def of(cls, config: DeviceConfig, plan: FaultPlan) -> Self:
        """The clock of a device, as faulty as planned."""
        steps = tuple((step.t, step.seconds) for step in plan.clock_steps)
        return cls(drift_ppm=plan.drift_ppm, steps=steps, tick_hz=config.tick_hz)

    def ticks(self, t_ns: int) -> int:
        """Device ticks at common time t_ns since the run began [ns]; a clock never shows less than zero."""
        t = t_ns * 1e-9
        shown = self.offset + t * (1 + self.drift_ppm * 1e-6)
        for at, seconds in self.steps:
            if t >= at:
                shown += seconds
        return max(0, round(shown * self.tick_hz))

    def waited(self, t: float) -> Self:
        """The same clock for a run that begins t [s] later."""
        return replace(self, offset=self.offset + t * (1 + self.drift_ppm * 1e-6))


class EmulatedDevice:
    """What the firmware of a device does, as a function of the bytes it is sent and the packets it measures."""

    def __init__(self, config: DeviceConfig, plan: FaultPlan) -> None:
        self.name = config.name
        self.plan = plan
        self.clock = EmulatedClock.of(config, plan)
        self.started = False
        self.unsent = 0
        """Measurements made while the host had not asked for any, or while the device was away."""
        self._kind = config.packet_kind
        self._rate_mhz = round(config.rate * 1000)
        self._keep_every = 1
        self._measured = 0
        self._sequence = 0
        self._deframer = Deframer()
        self._faults = FaultInjector(plan)

    @property
    def counts(self) -> dict[str, int]:
        """What became of its frames; see FaultCounts."""
        counts = self._faults.counts
        return {name: getattr(counts, name) for name in counts.__slots__} | {"unsent": self.unsent}

    def measure(self, packet: TimedPacket) -> list[bytes]:
        """Frames on the wire for one measurement; none unless started."""
        self._measured += 1
        if not self.started:
            self.unsent += 1
            return []
        if self._measured % self._keep_every:
            return []
        return self._send(packet.kind, self.clock.ticks(packet.t_ns), packet.payload)

    def receive(self, data: bytes, t_ns: int) -> list[bytes]:
        """Frames on the wire in answer to bytes that arrived at common time t_ns since the run began [ns]."""
        return [
            frame
            for command in self._deframer.feed(data)
            for reply in self._replies(command, t_ns)
            for frame in self._send(reply.kind, self.clock.ticks(t_ns), pack(reply))
        ]

    def unplug(self) -> None:
        """The connection is cut: half a command is forgotten and the host has to ask for measurements again."""
        self.started = False
        self._deframer = Deframer()
        self.unsent += len(self._faults.flush())

    def finish(self) -> list[bytes]:
        """Frames still held back when the run ends."""
        return self._faults.flush()

    def _send(self, kind: PacketKind, ticks: int, payload: bytes) -> list[bytes]:
        packet = Packet(kind, self._sequence, ticks, payload)
        self._sequence = (self._sequence + 1) & 0xFFFF
        return self._faults.apply(encode(packet))

    def _replies(self, command: Packet, t_ns: int) -> list[Message]:
        message = unpack(command)
        if isinstance(message, SyncRequest):
            received = self.clock.ticks(t_ns)
            return [SyncResponse(id=message.id, t_host_ns=message.t_host_ns, ticks_received=received)]
        match command.kind:
            case PacketKind.IDENTIFY:
                return [self._identity()]
            case PacketKind.START | PacketKind.STOP:
                self.started = command.kind is PacketKind.START
                return [Acknowledge(command=command.kind, status=DONE)]
            case PacketKind.SET_RATE if isinstance(message, SetRate):
                return [Acknowledge(command=command.kind, status=self._set_rate(message.rate_mhz))]
            case _:
                return []

    def _identity(self) -> Identity:
        return Identity(
            serial=f"EMU-{self.name}"[:16],
            device_kind=self._kind,
            tick_hz=self.clock.tick_hz,
            rate_mhz=self._rate_mhz // self._keep_every,
            firmware=FIRMWARE,
        )

    def _set_rate(self, rate_mhz: int) -> int:
        """Measurements are made elsewhere: a device with one sample per packet can leave some out, no more."""
        if self._kind not in (PacketKind.IMU, PacketKind.ENCODER) or rate_mhz == 0 or self._rate_mhz % rate_mhz:
            return REFUSED
        self._keep_every = self._rate_mhz // rate_mhz
        return DONE
