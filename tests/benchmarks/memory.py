"""Memory of a long replay: an hour of recorded bytes through decoders and twin, in a process of its own."""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil

from recordings import RecordingHeader, RecordingReader, RecordingWriter
from sensors.config import DeviceConfig
from sensors.decode import DeviceDecoder
from sensors.emulator import record_chunks
from tests.benchmarks.figure import Figure, figure
from twin.core.arrays import Array, G
from twin.core.places import Direction
from twin.core.track import DesignTrack, HorizontalElement
from twin.core.vehicle import Mounting, VehicleParameters
from twin.navigation.chain import Setup
from twin.navigation.config import NavigationConfig
from twin.pipeline.synchroniser import SynchroniserConfig
from twin.pipeline.twin import Twin, TwinSetup

DEVICES = (DeviceConfig(name="imu", kind="imu"), DeviceConfig(name="encoder", kind="encoder"))
WARM_UP = 600.0
"""Data after which every buffer has its size [s]: ten times the longest lag."""
SPEED = 15.0
"""[m/s]"""
STOP_EVERY, STOP = 300.0, 60.0
"""The train stops once in a while, for as long as the smoothers wait at most [s]: their buffers fill."""
SAMPLED = 5.0
"""Resident memory is read once in so much data [s]."""
TARGET = 5.0
"""[MB]"""


@dataclass(frozen=True, slots=True)
class Made:
    """A stream of samples; see sensors.emulator.Stream. Memory does not care about physics."""

    source: str
    kind: str
    t: Array
    values: Array


def streams(seconds: float, *, seed: int = 5) -> tuple[Made, Made]:
    """A train on straight and level track that stops now and then, with noise on everything."""
    rng = np.random.default_rng(seed)
    t, t_encoder = np.arange(seconds * 500) / 500, np.arange(seconds * 200) / 200
    sd = np.array([0.1, 0.1, 0.1, 1e-3, 1e-3, 1e-3, 0.01])
    imu = np.array([0, 0, G, 0, 0, 0, 293.15]) + sd * rng.standard_normal((t.size, sd.size))
    v = speed(t)
    imu[:, 0] += np.gradient(v, t)
    angle = np.interp(t_encoder, t, np.cumsum(v) / 500) / VehicleParameters().wheel_radius
    return Made("imu", "imu", t, imu), Made("encoder", "encoder", t_encoder, angle[:, None])


def speed(t: Array) -> Array:
    """Speed [m/s] at times t [s]: off at 1 m/s^2, a while at SPEED, a stop, and again."""
    phase = t % STOP_EVERY
    return np.asarray(np.clip(np.minimum(phase, STOP_EVERY - STOP - phase), 0.0, SPEED))


def record(directory: Path, seconds: float) -> None:
    """Record so many seconds of the train."""
    with RecordingWriter(directory, RecordingHeader(devices=tuple(device.name for device in DEVICES))) as writer:
        for chunk in record_chunks(streams(seconds), DEVICES):
            writer.write_when_room(chunk)


def replay(directory: Path) -> dict[str, float]:
    """Replay the recording; what this process held resident in the first and last cycle after the warm-up [MB]."""
    twin, decoders = Twin(_setup()), {device.name: DeviceDecoder(device) for device in DEVICES}
    process = psutil.Process()
    seconds: list[float] = []
    resident: list[float] = []
    for chunk in RecordingReader(directory).chunks():
        for block in decoders[chunk.device].process(chunk):
            twin.process(block)
        t = chunk.t_host_ns * 1e-9
        if not seconds or t >= seconds[-1] + SAMPLED:
            seconds.append(t)
            resident.append(process.memory_info().rss / 1e6)
    t_s, rss = np.array(seconds), np.array(resident)
    first = rss[(t_s >= WARM_UP) & (t_s < WARM_UP + STOP_EVERY)]
    last = rss[t_s >= t_s[-1] - STOP_EVERY]
    # Batches of the smoothers come and go: the middle of a cycle is what stays.
    growth = float(np.median(last) - np.median(first))
    peak_growth = float(rss[t_s >= WARM_UP].max() - rss[t_s < WARM_UP].max())
    return {"growth": growth, "peak_growth": peak_growth, "peak": float(rss.max()), "seconds": seconds[-1]}


def _setup() -> TwinSetup:
    navigation = Setup(
        config=NavigationConfig(),
        design=DesignTrack.from_elements([HorizontalElement(length=100_000.0)], []),
        vehicle=VehicleParameters(),
        mounting=Mounting(),
    )
    rates = {device.name: device.rate for device in DEVICES}
    return TwinSetup(navigation, SynchroniserConfig(), rates, Direction.INCREASING)


def figures(seconds: float = 3600.0) -> list[Figure]:
    """Growth over an hour of data, and the most the process ever held."""
    with tempfile.TemporaryDirectory() as directory:
        record(Path(directory), seconds)
        command = [sys.executable, __file__, directory]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return [
        figure("memory_growth_mb", found["growth"], "MB"),
        figure("memory_peak_growth_mb", found["peak_growth"], "MB"),
        figure("memory_peak_mb", found["peak"], "MB"),
        figure("memory_replayed_s", found["seconds"], "s"),
    ]


if __name__ == "__main__":
    print(json.dumps(replay(Path(sys.argv[1]))))
