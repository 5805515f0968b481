"""A short simulated train on real pseudo terminals, and `railtwin run` as a real process that reads it."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from sensors.emulator import Emulator, FaultPlan, packets_of_streams
from sensors.host_clock import ScaledClock
from twin.cli.config import RunConfig
from twin.cli.run_directory import RunDirectory
from twin.cli.scenario_config import config_of
from twin.core.track import HorizontalElement
from twin.simulation import IrregularityConfig, Leg, MotionConfig, Scenario, simulate

PATIENCE = 120.0
"""[s] A process that takes longer hangs; the first one on a machine compiles."""
SPEED = 8.0
"""Times real time."""
IDLE = 24.0
"""Silence that ends a run [s of its clock]: three real seconds, as a busy machine may not serve it for one."""
SCENARIO = Scenario(
    horizontal=(
        HorizontalElement(length=60),
        HorizontalElement(length=60, curvature_end=1 / 300, cant_end=0.08),
        HorizontalElement(length=180, curvature_start=1 / 300, curvature_end=1 / 300, cant_start=0.08, cant_end=0.08),
    ),
    vertical=(),
    irregularity=IrregularityConfig(seed=3),
    motion=MotionConfig(legs=(Leg(speed=12, distance=180),), start=20, standstill=4, acceleration=3),
)
"""22 s: 4 s at rest, 180 m into a curve."""


def railtwin(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """A command in a process of its own, to its end."""
    process = start(*arguments)
    out, err = process.communicate(timeout=PATIENCE)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def start(*arguments: str | Path) -> "subprocess.Popen[str]":
    """A command in a process of its own."""
    command = [sys.executable, "-m", "twin.cli", *map(str, arguments)]
    pipe, environment = subprocess.PIPE, os.environ | {"COLUMNS": "300", "NO_COLOR": "1"}
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment)


class ServedRun:
    """The ports, the configuration that names them, and the folder of the run. Use as a context manager."""

    def __init__(
        self,
        directory: Path,
        *,
        faults: Mapping[str, FaultPlan] | None = None,
        origin_ns: int | None = None,
        speed: float = SPEED,
    ) -> None:
        """origin_ns: where the fast clock and the machine's agree [ns]; now if None; speed: times real time."""
        ports = directory / "ports"
        names = ("imu", "encoder")
        self.config: RunConfig = config_of(SCENARIO, name="served", ports={name: str(ports / name) for name in names})
        self.file = directory / "run.toml"
        self.file.write_text(self.config.to_toml())
        self.run = RunDirectory(directory / "run")
        self.simulated = simulate(SCENARIO)
        self.clock = ScaledClock(speed=speed, origin_ns=time.monotonic_ns() if origin_ns is None else origin_ns)
        packets = packets_of_streams(self.simulated.streams, self.config.device)
        self.emulator = Emulator(self.config.device, packets, clock=self.clock, directory=ports, faults=faults)
        self._processes: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Self:
        self.emulator.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            process.kill()
            process.communicate()
        self.emulator.__exit__(kind, error, trace)

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """`railtwin run` on the ports."""
        pace = ("--clock-speed", str(self.clock.speed), "--clock-origin", str(self.clock.origin_ns))
        process = start("run", self.file, "--out", self.run.path, "--until-idle", str(IDLE), *pace, *arguments)
        self._processes.append(process)
        return process

    def wait_until(self, t: float) -> None:
        """Returns when the run on the ports has reached a time [s]."""
        deadline = time.monotonic() + PATIENCE
        while self.emulator.origin_ns is None or self.clock.now_ns() - self.emulator.origin_ns < t * 1e9:
            if time.monotonic() > deadline:
                raise TimeoutError(f"the emulated run did not reach {t:g} s")
            time.sleep(0.01)
