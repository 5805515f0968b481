"""Bytes of one device to RawBlocks: the first stage of every run, live or replayed."""

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import asdict

import numpy as np

from firmware_interface import (
    Arrival,
    Chunk,
    Deframer,
    Identity,
    Packet,
    PacketKind,
    SequenceMonitor,
    SyncResponse,
    unpack,
)
from sensors.block import BlockCalibration, BlockDecoder
from sensors.clock import DeviceClock, SyncMeasurement
from sensors.config import DeviceConfig
from sensors.encoder import EncoderCalibration, EncoderDecoder
from sensors.imu import ImuCalibration, ImuDecoder
from sensors.payload import Decoded, PayloadDecoder
from sensors.plausibility import Plausibility
from sensors.profile import ProfileCalibration, ProfileDecoder
from twin.core.arrays import FlagArray
from twin.core.blocks import RawBlock
from twin.core.quality import Quality
from twin.core.stage import Latency

_FLAGS = {
    "saturated": int(Quality.SATURATED),
    "implausible": int(Quality.IMPLAUSIBLE),
    "stuck": int(Quality.STUCK),
    "clock_unsure": int(Quality.CLOCK_UNSURE),
}
_OWN_COUNTS = ("samples", *_FLAGS, "duplicated", "unexpected", "bad_shape", "bad_ticks", "wrong_identity")
_LONGEST_NS = 1 << 62
"""Device times beyond this, 146 years, are no times: conversions to nanoseconds stay within 64 bits."""


class DeviceDecoder:
    """Deframe, check, calibrate, flag, and attach the clock: Chunk -> RawBlock, without delay.

    What comes out depends on the order of the device's packets and the stamps of the chunks that close them, not
    on how the bytes are cut. A block holds consecutive samples under one clock fit; where blocks end is not part
    of the result.
    """

    def __init__(self, config: DeviceConfig) -> None:
        self.config = config
        self.identity: Identity | None = None
        """What the device last said about itself."""
        self._kind = config.packet_kind
        self._deframer = Deframer()
        self._sequence = SequenceMonitor()
        self._recent: deque[tuple[int, int]] = deque(maxlen=SequenceMonitor.WINDOW)
        self._clock = DeviceClock(config.clock, tick_hz=config.tick_hz)
        self._payloads = payload_decoder(config)
        self._plausibility = Plausibility(config.limits, tick_hz=config.tick_hz) if config.limits else None
        self._tick_end = int(_LONGEST_NS * config.tick_hz / 1e9)
        self._run: list[Packet] = []  # measurements waiting to become one block; empty between chunks
        self._last_tick = -1  # of the last measurement that came in order
        self._newest_tick = -1  # of all samples given a time in this epoch of the clock
        self._counts = Counter[str]()

    @property
    def latency(self) -> Latency:
        """None: a sample leaves with the chunk that closes its packet."""
        return Latency()

    def process(self, chunk: Chunk) -> list[RawBlock]:
        """Blocks of the packets closed in this chunk; bytes the host sent give none."""
        blocks: list[RawBlock] = []
        if chunk.sent:
            return blocks
        for packet in self._deframer.feed(chunk.data):
            arrival = self._arrival(packet)
            if arrival is Arrival.DUPLICATE:
                self._counts["duplicated"] += 1
            elif packet.ticks >= self._tick_end:
                self._counts["bad_ticks"] += 1
            elif packet.kind is self._kind:
                self._take_measurement(packet, arrival, chunk.t_host_ns, blocks)
            elif packet.kind is PacketKind.SYNC_RESPONSE:
                self._take_sync(packet, chunk.t_host_ns, blocks)
            elif packet.kind is PacketKind.IDENTITY:
                self._take_identity(packet)
            elif packet.kind is not PacketKind.ACKNOWLEDGE:
                self._counts["unexpected"] += 1
        self._close_run(chunk.t_host_ns, blocks)
        return blocks

    def flush(self) -> list[RawBlock]:
        """Nothing is held back."""
        return []

    def health(self) -> Mapping[str, int]:
        """Counts since the start: what came, what was wrong with it, what was made of it."""
        frames = asdict(self._deframer.counts)
        own = {name: self._counts[name] for name in _OWN_COUNTS}
        return {
            **frames,
            "lost": self._sequence.lost,
            "reordered": self._sequence.reordered,
            "clock_steps": self._clock.steps,
            "clock_refused": self._clock.refused,
            **own,
        }

    @property
    def identity_problem(self) -> str | None:
        """What is wrong with the device that answers, in a sentence with its remedy; None while nothing is."""
        if self.identity is None:
            return None
        found, config = self.identity, self.config
        said = f"{config.name}: device {found.serial!r} on {config.port or 'its port'}"
        if found.device_kind != self._kind:
            kinds = {int(kind): kind.name.lower() for kind in PacketKind}
            measures = kinds.get(found.device_kind, f"kind {found.device_kind}")
            return f"{said} measures {measures}, not {config.kind}: check 'port' and 'kind', or swap the plugs"
        if found.tick_hz != config.tick_hz:
            return f"{said} counts {found.tick_hz} ticks per second: set 'tick_hz' = {found.tick_hz}"
        if abs(found.rate_mhz - config.rate * 1e3) > 1:
            return f"{said} samples at {found.rate_mhz / 1e3:g} Hz: set 'rate' = {found.rate_mhz / 1e3:g}"
        return None

    def _arrival(self, packet: Packet) -> Arrival:
        """How the packet came; a number seen before under other ticks is a count begun anew, not a duplicate."""
        if packet.kind is self._kind and packet.ticks < self._last_tick - self.config.tick_hz:
            self._sequence.restart()  # more than 1 s back: the device itself has, and nothing was lost
        arrival = self._sequence.observe(packet.sequence)
        seen = (packet.sequence, packet.ticks)
        if arrival is Arrival.DUPLICATE and seen not in self._recent:
            self._sequence.restart()
            arrival = self._sequence.observe(packet.sequence)
        self._recent.append(seen)
        return arrival

    def _take_measurement(self, packet: Packet, arrival: Arrival, t_host_ns: int, blocks: list[RawBlock]) -> None:
        if not self._payloads.fits(packet):
            self._counts["bad_shape"] += 1
            return
        tick, clock = packet.ticks, self._clock
        in_order = arrival is not Arrival.REORDERED
        if (in_order and tick < self._last_tick) or clock.contradicts(tick, t_host_ns):
            self._close_run(t_host_ns, blocks)
            clock.restart()
            self._newest_tick = -1
        elif tick >= clock.settles_at:
            self._close_run(t_host_ns, blocks)
            clock.settle(tick, newest_tick=self._newest_tick)
        if in_order:
            self._last_tick = tick
        self._run.append(packet)

    def _take_sync(self, packet: Packet, t_host_ns: int, blocks: list[RawBlock]) -> None:
        response = unpack(packet)
        if not isinstance(response, SyncResponse) or response.ticks_received >= self._tick_end:
            self._counts["bad_ticks"] += 1
            return
        self._close_run(t_host_ns, blocks)
        sync = SyncMeasurement(
            t_sent_ns=response.t_host_ns,
            tick_received=response.ticks_received,
            tick_sent=packet.ticks,
            t_received_ns=t_host_ns,
        )
        self._clock.update(sync, newest_tick=self._newest_tick)

    def _take_identity(self, packet: Packet) -> None:
        identity = unpack(packet)
        if isinstance(identity, Identity):
            self.identity = identity
            self._counts["wrong_identity"] += self.identity_problem is not None

    def _close_run(self, t_host_ns: int, blocks: list[RawBlock]) -> None:
        """Turn the waiting measurements into a block under the clock as it is now."""
        if not self._run:
            return
        decoded = self._payloads.decode(self._run)
        self._run = []
        self._newest_tick = max(self._newest_tick, int(decoded.ticks.max()))
        quality = self._flagged(decoded)
        fit = self._clock.fit
        blocks.append(RawBlock(self.config.name, decoded.ticks, decoded.values, quality, t_host_ns, fit))

    def _flagged(self, decoded: Decoded) -> FlagArray:
        quality = decoded.quality
        if self._plausibility is not None:
            quality = self._plausibility.flag(decoded.ticks, decoded.values, quality)
        quality = quality | (decoded.ticks > self._clock.sure_until) * np.uint8(Quality.CLOCK_UNSURE)
        self._counts["samples"] += quality.size
        if quality.any():
            for name, flag in _FLAGS.items():
                self._counts[name] += int(np.count_nonzero(quality & flag))
        return quality


def payload_decoder(config: DeviceConfig) -> PayloadDecoder:
    """The decoder of the device's kind."""
    match config.calibration:
        case ImuCalibration() as calibration:
            return ImuDecoder(calibration)
        case EncoderCalibration() as calibration:
            return EncoderDecoder(calibration, tick_hz=config.tick_hz)
        case ProfileCalibration() as calibration:
            return ProfileDecoder(calibration)
        case BlockCalibration() as calibration:
            return BlockDecoder(config.packet_kind, calibration, tick_hz=config.tick_hz)
