"""Emulated devices on pseudo terminals, sending at their due time on the injected clock."""

import select
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import Field

from sensors.config import DeviceConfig
from sensors.emulator.device import EmulatedDevice
from sensors.emulator.faults import FaultPlan
from sensors.emulator.packets import TimedPacket
from sensors.emulator.pty_port import PtyPort
from sensors.host_clock import HostClock
from twin.core.settings import Settings

DRAINED_CHECKS = 4
"""The kernel passes bytes on in the background: only several empty looks in a row mean empty."""


class EmulatorConfig(Settings):
    """How emulated devices are served."""

    burst_period: float = Field(0.005, gt=0, le=0.1, description="between two bursts of packets [s, real]")
    buffer_bytes: int = Field(
        65536, ge=4096, le=1 << 26, description="waiting per device for a host that does not read [byte]"
    )
    wait_for_host: bool = Field(
        True, description="begin the run when every device has been started by a host; else at once"
    )
    drain_timeout: float = Field(
        2.0, ge=0, le=60, description="time the host gets to read the rest before the ports close [s, real]"
    )


class Emulator:
    """Serve a run: a port per device under directory/name. Use as a context manager, or call `run()` in a process.

    The run begins at `origin_ns` of the clock; a packet due at t is sent at origin_ns + t. When all packets are
    sent and read the ports close. Speed is the clock's business.
    """

    def __init__(
        self,
        devices: Sequence[DeviceConfig],
        packets: Iterable[TimedPacket],
        *,
        clock: HostClock,
        directory: Path,
        faults: Mapping[str, FaultPlan] | None = None,
        config: EmulatorConfig | None = None,
    ) -> None:
        self.config = config or EmulatorConfig()
        self.origin_ns: int | None = None
        """Host time at which the run began [ns]; None before."""
        self.finished = threading.Event()
        """Set when the ports have closed."""
        self._clock = clock
        self._packets: Iterator[TimedPacket] = iter(packets)
        self._next = next(self._packets, None)
        self._stop = threading.Event()
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run_in_thread, name="emulator", daemon=True)
        plans = {config.name: (faults or {}).get(config.name, FaultPlan()) for config in devices}
        self._devices = {config.name: EmulatedDevice(config, plans[config.name]) for config in devices}
        self._run_clocks = {name: device.clock for name, device in self._devices.items()}
        for device in self._devices.values():
            device.clock = replace(device.clock, steps=())  # planned steps belong to the run, not to the wait
        self._ports = {name: PtyPort(directory / name, buffer_bytes=self.config.buffer_bytes) for name in self._devices}
        self._boot_ns = clock.now_ns()
        self._served_ns = -1  # the run is sent up to here

    def __enter__(self) -> Self:
        """Returns when all ports are there to be opened."""
        self._open_ports()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._thread.join()
        if self._failure is not None and error is None:
            raise self._failure

    def stop(self) -> None:
        """Close the ports soon, with packets unsent; returns at once."""
        self._stop.set()

    def counts(self) -> dict[str, dict[str, int]]:
        """What became of the frames of each device: see FaultCounts; dropped: not read by the host in time."""
        return {
            name: device.counts | {"dropped": self._ports[name].frames_dropped}
            for name, device in self._devices.items()
        }

    def run(self) -> None:
        """Serve until all is sent and read, or `stop()`."""
        try:
            self._open_ports()
            while not self._stop.is_set() and (self._next is not None or self.origin_ns is None):
                self._answer(self.config.burst_period)
                self._begin()
                self._send_due()
            self._drain()
        finally:
            for port in self._ports.values():
                port.close()
            self.finished.set()

    def _run_in_thread(self) -> None:
        try:
            self.run()
        except Exception as error:  # handed to the thread that leaves the context: a source that fails is no secret
            self._failure = error

    def _open_ports(self) -> None:
        for port in self._ports.values():
            if not port.is_open:
                port.open()

    def _now_ns(self) -> int:
        """Since the run began, or before that since the devices were switched on [ns]."""
        return self._clock.now_ns() - (self._boot_ns if self.origin_ns is None else self.origin_ns)

    def _answer(self, timeout: float) -> None:
        """Wait for commands for at most timeout [s, real] and answer them at once."""
        ports = {port.fileno(): name for name, port in self._ports.items() if port.is_open}
        for fileno in select.select(list(ports), [], [], timeout)[0]:
            name = ports[fileno]
            data = self._ports[name].read()
            self._ports[name].write(self._devices[name].receive(data, self._now_ns()))

    def _begin(self) -> None:
        """Begin the run once the hosts are ready; the device clocks go on from where they are."""
        ready = not self.config.wait_for_host or all(device.started for device in self._devices.values())
        if self.origin_ns is None and ready:
            self.origin_ns = self._clock.now_ns()
            waited = (self.origin_ns - self._boot_ns) * 1e-9
            for name, device in self._devices.items():
                device.clock = self._run_clocks[name].waited(waited)

    def _send_due(self) -> None:
        if self.origin_ns is None:
            return
        # a late server still stops at every change of a plug: what is lost depends on the plan, not on the machine
        changes_ns = (device.plan.next_change_ns(self._served_ns) for device in self._devices.values())
        now_ns = min([self._now_ns(), *(time_ns for time_ns in changes_ns if time_ns is not None)])
        self._served_ns = now_ns
        frames: dict[str, list[bytes]] = {name: [] for name in self._devices}
        while self._next is not None and self._next.due_ns <= now_ns:
            frames[self._next.device] += self._devices[self._next.device].measure(self._next)
            self._next = next(self._packets, None)
        for name, port in self._ports.items():
            if port.is_open:
                port.write(frames[name])
        self._plug(now_ns)

    def _plug(self, t_ns: int) -> None:
        """Unplug and plug in as planned for time t_ns of the run [ns]."""
        for name, device in self._devices.items():
            away = device.plan.away_until_ns(t_ns) is not None
            port = self._ports[name]
            if away and port.is_open:
                port.close()
                device.unplug()
            elif not away and not port.is_open:
                port.open()

    def _drain(self) -> None:
        """Give the host time to read what was sent: closing a pseudo terminal discards it."""
        open_ports = [(name, port) for name, port in self._ports.items() if port.is_open]
        for name, port in open_ports:
            port.write(self._devices[name].finish())
        deadline = time.monotonic() + self.config.drain_timeout
        empty_checks = 0
        while empty_checks < DRAINED_CHECKS and time.monotonic() < deadline and not self._stop.is_set():
            self._answer(self.config.burst_period)
            empty_checks = empty_checks + 1 if all(port.is_drained() for _, port in open_ports) else 0
