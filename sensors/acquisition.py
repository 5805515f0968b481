"""Live acquisition: one thread per device reads, stamps and delivers; one consumer iterates the chunks."""

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from pydantic import Field

from firmware_interface import Chunk, Identify, Message, Start, Stop, SyncRequest, encode, to_packet
from sensors.config import DeviceConfig
from sensors.host_clock import HostClock
from sensors.port import Link, Port
from twin.core.settings import Settings

LAST_READS = 20
"""Reads after the request to stop: empties a full port, and ends with a device that does not obey."""


class AcquisitionConfig(Settings):
    """How ports are read."""

    read_timeout: float = Field(
        0.01, gt=0, le=0.1, description="longest wait for a byte [s, real]; delays sync requests, never data"
    )
    queue_seconds: float = Field(
        10.0, ge=5, le=600, description="data kept per device for a slow consumer [s at full line rate]"
    )
    delay_first: float = Field(0.1, gt=0, le=10, description="wait before the first reconnection attempt [s, real]")
    delay_last: float = Field(5.0, gt=0, le=60, description="longest wait between two attempts [s, real]")


@dataclass(frozen=True, slots=True)
class DeviceStatus:
    """One device as it is now, for live display. Counts are since the start."""

    name: str
    connected: bool
    reconnects: int
    chunks: int
    bytes_received: int
    chunks_lost: int
    """Not delivered because the consumer was too slow."""
    bytes_lost: int
    syncs_sent: int
    t_last_ns: int | None
    """Host time of the last byte [ns]; None before the first."""
    error: str | None
    """Why it is not connected, as a sentence for a person."""


class ChunkQueue:
    """Chunks of all devices in order of delivery. Bounded per device in bytes; never blocks who delivers."""

    def __init__(self, limits: dict[str, int]) -> None:
        """limits: most bytes waiting, by device."""
        self._limits = limits
        self._waiting = dict.fromkeys(limits, 0)
        self._chunks: deque[Chunk] = deque()
        self._open = len(limits)
        self._changed = threading.Condition()

    def put(self, chunk: Chunk) -> bool:
        """False when the chunk was dropped because too many bytes of its device are waiting."""
        with self._changed:
            waiting = self._waiting[chunk.device] + len(chunk.data)
            if waiting > self._limits[chunk.device]:
                return False
            self._waiting[chunk.device] = waiting
            self._chunks.append(chunk)
            self._changed.notify()
        return True

    def get(self) -> Chunk | None:
        """The next chunk, waiting for it; None when all devices have closed and none is left."""
        with self._changed:
            while not self._chunks:
                if self._open == 0:
                    return None
                self._changed.wait()
            chunk = self._chunks.popleft()
            self._waiting[chunk.device] -= len(chunk.data)
            return chunk

    def close_one(self) -> None:
        """One device delivers no more."""
        with self._changed:
            self._open -= 1
            self._changed.notify_all()


class Acquisition:
    """Read all devices until stopped. Use as a context manager and iterate `chunks()`.

    Every byte received is delivered with the host time right after its read; every byte sent too, marked as sent.
    A device that is missing, or goes away and comes back, is a status and a count, not an exception.
    """

    def __init__(
        self, devices: Sequence[DeviceConfig], clock: HostClock, config: AcquisitionConfig | None = None
    ) -> None:
        config = config or AcquisitionConfig()
        # 8N1 sends ten bits per byte: a line cannot deliver more than baud / 10 bytes per second
        limits = {device.name: round(device.baud / 10 * config.queue_seconds) for device in devices}
        self._queue = ChunkQueue(limits)
        self._stop = threading.Event()
        self._readers = [_Reader(device, clock, self._queue, self._stop, config) for device in devices]
        self._threads = [
            threading.Thread(target=reader.run, name=f"read {reader.name}", daemon=True) for reader in self._readers
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        for thread in self._threads:
            thread.join()

    def stop(self) -> None:
        """Ask all devices to stop; returns at once and may be called from a signal handler.

        `chunks()` still gives what was received before, then ends.
        """
        self._stop.set()

    def chunks(self) -> Iterator[Chunk]:
        """Chunks in order of delivery, waiting for them; for a single consumer. Ends after `stop()`."""
        while (chunk := self._queue.get()) is not None:
            yield chunk

    def status(self) -> dict[str, DeviceStatus]:
        """All devices as they are now, by name."""
        return {reader.name: reader.status() for reader in self._readers}


class _Reader:
    """The conversation with one device, on its own thread."""

    def __init__(
        self,
        device: DeviceConfig,
        clock: HostClock,
        queue: ChunkQueue,
        stop: threading.Event,
        config: AcquisitionConfig,
    ) -> None:
        self.name = device.name
        self._clock = clock
        self._queue = queue
        self._stop = stop
        self._read_timeout = config.read_timeout
        self._sync_period_ns = round(device.sync_period * 1e9)
        self._sync_due_ns = 0
        self._link = Link(Port(device.port, device.baud), delay_first=config.delay_first, delay_last=config.delay_last)
        self._sequence = 0
        self._chunks = self._bytes = self._chunks_lost = self._bytes_lost = self._syncs = 0
        self._t_last_ns: int | None = None

    def run(self) -> None:
        try:
            while not self._stop.is_set():
                if self._link.is_open:
                    self._converse()
                elif self._link.connect():
                    self._greet()
                else:
                    self._stop.wait(self._link.delay)
            self._take_leave()
        finally:
            self._link.close()
            self._queue.close_one()

    def status(self) -> DeviceStatus:
        return DeviceStatus(
            name=self.name,
            connected=self._link.is_open,
            reconnects=self._link.reconnects,
            chunks=self._chunks,
            bytes_received=self._bytes,
            chunks_lost=self._chunks_lost,
            bytes_lost=self._bytes_lost,
            syncs_sent=self._syncs,
            t_last_ns=self._t_last_ns,
            error=self._link.error,
        )

    def _greet(self) -> None:
        now_ns = self._clock.now_ns()
        self._send(Identify(), now_ns)
        self._send(Start(), now_ns)
        self._sync_due_ns = now_ns

    def _converse(self) -> None:
        """Ask for the time when due, then take what the device has sent."""
        now_ns = self._clock.now_ns()
        if now_ns >= self._sync_due_ns:
            self._syncs += 1
            self._send(SyncRequest(id=self._syncs, t_host_ns=now_ns), now_ns)
            # after a pause of the machine the schedule starts anew: a burst of requests would tell nothing more
            self._sync_due_ns = max(self._sync_due_ns + self._sync_period_ns, now_ns)
        if not self._receive() and not self._link.is_open:
            self._stop.wait(self._link.delay)

    def _take_leave(self) -> None:
        """Ask the device to stop and take what it had already sent."""
        if self._link.is_open:
            self._send(Stop(), self._clock.now_ns())
        for _ in range(LAST_READS):
            if not self._link.is_open or not self._receive():
                break

    def _receive(self) -> bool:
        """Deliver what is there; False when nothing came."""
        data = self._link.read(self._read_timeout)
        if data:
            self._t_last_ns = self._clock.now_ns()
            self._bytes += len(data)
            self._deliver(Chunk(self.name, self._t_last_ns, data))
        return bool(data)

    def _send(self, message: Message, now_ns: int) -> None:
        frame = encode(to_packet(message, sequence=self._sequence, ticks=0))
        self._sequence = (self._sequence + 1) & 0xFFFF
        if self._link.is_open and self._link.write(frame):
            self._deliver(Chunk(self.name, now_ns, frame, sent=True))

    def _deliver(self, chunk: Chunk) -> None:
        if self._queue.put(chunk):
            self._chunks += 1
        else:
            self._chunks_lost += 1
            self._bytes_lost += len(chunk.data)
