"""A look at a run now and then: news, the status line, and its end."""

import shutil
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recordings import ClockPair, RecordingWriter
from sensors.acquisition import Acquisition, DeviceStatus
from sensors.host_clock import HostClock
from twin.cli.console import terminal
from twin.cli.estimation import Estimation
from twin.cli.live_cameras import LiveCameras
from twin.cli.run_directory import RunDirectory
from twin.core.places import Places
from twin.report.units import KMH

WATCH_PERIOD = 0.2
"""Between two looks [s, real]."""
CLOCK_PERIOD = 60.0
"""Between two records of both host clocks [s, real]: enough to label any moment with the time of day."""


@dataclass(frozen=True, slots=True)
class Ending:
    """When a run ends by itself. Host time [s]; None for never."""

    duration: float | None = None
    idle: float | None = None
    """Silence of all devices."""

    def reached(self, *, start_ns: int, now_ns: int, heard_ns: int) -> bool:
        """Whether it is time; heard_ns: host time of the last byte."""
        lasted, silent = (now_ns - start_ns) * 1e-9, (now_ns - max(start_ns, heard_ns)) * 1e-9
        return (self.duration is not None and lasted >= self.duration) or (
            self.idle is not None and silent >= self.idle
        )


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that works in a live run."""

    run: RunDirectory
    places: Places
    clock: HostClock
    acquisition: Acquisition
    cameras: LiveCameras
    recording: RecordingWriter
    estimation: Estimation


class Watch:
    """Looks at a run now and then: says what changed, keeps the status line, ends the run in time."""

    def __init__(self, parts: Parts, ending: Ending) -> None:
        self._parts, self._ending = parts, ending
        self._start_ns = self._looked_ns = parts.clock.now_ns()
        self._said: dict[str, str | None] = {}
        self._heard: dict[str, int] = {}

    def look(self, over: threading.Event) -> None:
        """Until the run is over."""
        clock_due = time.monotonic() + CLOCK_PERIOD
        with terminal().status() as show:
            while not over.wait(WATCH_PERIOD):
                now_ns, devices = self._parts.clock.now_ns(), self._parts.acquisition.status()
                self._tell(devices)
                show(self._line(now_ns, devices))
                if time.monotonic() >= clock_due:
                    clock_due += CLOCK_PERIOD
                    self._parts.recording.write_clock(ClockPair(monotonic_ns=now_ns, wall_ns=time.time_ns()))
                heard_ns = max(status.t_last_ns or 0 for status in devices.values())
                if self._ending.reached(start_ns=self._start_ns, now_ns=now_ns, heard_ns=heard_ns):
                    self._parts.acquisition.stop()

    def _tell(self, devices: dict[str, DeviceStatus]) -> None:
        """Say what is new: a port lost or back, a wrong device, a failing disk, a failed estimate."""
        recording, estimation = self._parts.recording.status, self._parts.estimation
        news = {status.name: status.error for status in devices.values()}
        news |= {f"identity {number}": problem for number, problem in enumerate(estimation.problems())}
        news |= {
            f"{status.name} port": f"{status.name}: its port was lost and is back, {status.reconnects} times by now"
            for status in devices.values()
            if status.reconnects
        }
        news |= {camera.name: camera.error for camera in self._parts.cameras.status()}
        if recording.failing is not None:
            news["disk"] = f"{self._parts.run.recording}: cannot be written ({recording.failing}); free space"
        news["estimate"] = estimation.failure
        for subject, problem in news.items():
            if problem is not None and problem != self._said.get(subject):
                terminal().warn(problem)
        self._said = news

    def _line(self, now_ns: int, devices: dict[str, DeviceStatus]) -> str:
        """Where the train is, what the devices send, what is lost, what the disk holds."""
        parts = [f"{(now_ns - self._start_ns) * 1e-9:.0f} s"]
        seen = self._parts.estimation.whereabouts()
        if seen is not None:
            parts += [f"{seen.speed * KMH:.1f} km/h", f"km {self._parts.places.kilometre(np.array(seen.s)):.3f}"]
            parts += [f"{seen.lag_s:.0f} s behind"] if seen.lag_s > 2 else []
        elapsed = max((now_ns - self._looked_ns) * 1e-9, 1e-3)
        for name, status in devices.items():
            rate = (status.bytes_received - self._heard.get(name, 0)) / elapsed
            parts.append(f"{name} {rate / 1e3:.1f} kB/s" if status.connected else f"{name} away")
            self._heard[name] = status.bytes_received
        for camera in self._parts.cameras.status():
            parts.append(f"{camera.name} {(camera.images - self._heard.get(camera.name, 0)) / elapsed:.0f}/s")
            self._heard[camera.name] = camera.images
        self._looked_ns = now_ns
        parts.append(f"lost {self._parts.recording.status.lost + sum(each.chunks_lost for each in devices.values())}")
        return "  ".join([*parts, f"free {_free(self._parts.run.path)}"])


def _free(path: Path) -> str:
    """Room on the disk; a disk that was taken away is said elsewhere."""
    try:
        return f"{shutil.disk_usage(path).free / 1e9:.0f} GB"
    except OSError:
        return "-"
