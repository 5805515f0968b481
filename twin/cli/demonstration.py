"""The demonstration: every part of RailTwin on a simulated train, and its results held against the truth."""

import shutil
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

import numpy as np

from recordings import open_recording
from sensors.emulator import Emulator, FaultPlan, packets_of_streams
from sensors.host_clock import ScaledClock
from twin.cli.config import RunConfig
from twin.cli.console import part_of
from twin.cli.replaying import Replay
from twin.cli.reporting import write_report
from twin.cli.run_directory import RunDirectory
from twin.cli.scenario_config import config_of
from twin.core.errors import DeviceError, RecordingError
from twin.report.data import RunData
from twin.simulation import Scenario, SimulatedRun, save_truth, simulate
from twin.simulation.accuracy import Accuracy, Passage, judge

Progress = Callable[[float], None]

SIMULATED, RAN, SMOOTHED = 0.06, 0.75, 0.97
"""Share of the whole that is done after each step, about."""
IDLE = 4.0
"""Silence after which the live run ends [s of its clock]."""
START_TIMEOUT = 60.0
"""For the live run to open its ports [s, real]: a first run compiles."""
SYNC_PERIOD = 0.2
"""Between two clock messages [s]: on a fast clock delays are long, and the shortest of many are wanted."""
WATCH_PERIOD = 0.1
"""[s, real]"""
FAULTS = {
    "imu": FaultPlan(seed=1, bit_error_rate=1e-7, loss=3e-5, drift_ppm=18.0),
    "encoder": FaultPlan(seed=2, bit_error_rate=1e-7, loss=3e-5, drift_ppm=-25.0),
}
"""A few damaged and lost packets and ordinary crystals: what a good cable on a train gives."""


def demonstrate(scenario: Scenario, run: RunDirectory, *, speed: float, progress: Progress) -> list[str]:
    """Do it all; returns the lines that say what was made. speed: times real time of the live run."""
    for leftover in (run.recording, run.path / "replay"):
        shutil.rmtree(leftover, ignore_errors=True)
    run.make()
    simulated = simulate(scenario, part_of(progress, 0, SIMULATED))
    save_truth(run.truth, simulated.truth, simulated.track)
    with tempfile.TemporaryDirectory(prefix="railtwin-ports-") as ports:
        config = _config(scenario, ports, speed)
        t0_ns = _run_live(config, simulated, run, speed=speed, progress=part_of(progress, SIMULATED, RAN))
    replay = _railtwin(
        "replay", str(run.path), "--no-smooth", "--out", str(run.path / "replay"), "--check", str(run.path)
    )
    try:  # on the other core, the best estimate
        Replay(open_recording(run.recording), config, run).smoothed(progress=part_of(progress, RAN, SMOOTHED))
        data = write_report(run, page=run.report, table=run.table)
        found, errors = replay.communicate()
    finally:
        replay.kill()
    progress(1.0)
    if replay.returncode != 0:
        raise RecordingError(f"{run.path}: the replay differs from the live run: {found}{errors}")
    return _summary(run, data, _accuracy(data, config, simulated, t0_ns), speed)


def _config(scenario: Scenario, ports: str, speed: float) -> RunConfig:
    """As a person would write it, but for the fast clock, on which every delay is longer."""
    config = config_of(scenario, name="demo", ports={name: f"{ports}/{name}" for name in ("imu", "encoder")})
    devices = tuple(device.model_copy(update={"sync_period": SYNC_PERIOD}) for device in config.device)
    limits = {name: speed * getattr(config.report, name) for name in ("clock_sd_warn_us", "clock_sd_bad_us")}
    return config.model_copy(update={"device": devices, "report": config.report.model_copy(update=limits)})


def _run_live(
    config: RunConfig, simulated: SimulatedRun, run: RunDirectory, *, speed: float, progress: Progress
) -> int:
    """Serve the sensors and let `railtwin run`, a process of its own, read them; host time of their start [ns]."""
    clock = ScaledClock(speed=speed, origin_ns=time.monotonic_ns())
    ports = Path(config.device[0].port).parent
    packets = packets_of_streams(simulated.streams, config.device)
    with Emulator(config.device, packets, clock=clock, directory=ports, faults=FAULTS) as emulator:
        process = _start(config, ports, run, clock)
        try:
            _follow(emulator, process, clock, simulated, progress)
            _, errors = process.communicate(timeout=START_TIMEOUT)
        finally:
            process.kill()
    if emulator.origin_ns is None or process.returncode != 0:
        raise DeviceError(f"the live run ended early ({process.returncode}): {errors.strip()}")
    return emulator.origin_ns


def _start(config: RunConfig, ports: Path, run: RunDirectory, clock: ScaledClock) -> "subprocess.Popen[str]":
    """`railtwin run` on the emulated ports and their clock."""
    file = ports / "run.toml"
    file.write_text(config.to_toml(), encoding="utf-8")
    pace = ["--clock-speed", str(clock.speed), "--clock-origin", str(clock.origin_ns)]
    return _railtwin("run", str(file), "--out", str(run.path), "--until-idle", str(IDLE), *pace)


def _railtwin(*arguments: str) -> "subprocess.Popen[str]":
    """A command in a process of its own, spoken to through pipes."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "twin.cli", "--quiet", *arguments]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def _follow(
    emulator: Emulator,
    process: "subprocess.Popen[str]",
    clock: ScaledClock,
    simulated: SimulatedRun,
    progress: Progress,
) -> None:
    """Until all is sent: tell the progress, and type what an operator would."""
    began = time.monotonic()
    duration = float(simulated.truth.t[-1])
    notes = deque(_notes(simulated))
    while process.poll() is None and not emulator.finished.wait(WATCH_PERIOD):
        if emulator.origin_ns is not None:
            t = (clock.now_ns() - emulator.origin_ns) * 1e-9
            progress(min(t / duration, 1.0))
            if notes and t >= notes[0][0] and process.stdin is not None:
                process.stdin.write(notes.popleft()[1] + "\n")
                process.stdin.flush()
        elif time.monotonic() - began > START_TIMEOUT:
            raise DeviceError(f"nobody opened the emulated ports for {START_TIMEOUT:g} s")


def _notes(simulated: SimulatedRun) -> list[tuple[float, str]]:
    """What an operator on board would note, with its time [s], once the train has left its first place."""
    truth = simulated.truth
    moving = truth.v > 0.1
    changes = np.flatnonzero(np.diff(moving.astype(np.int8)))[1:]
    return [(float(truth.t[i + 1]), "departure" if moving[i + 1] else "stop at the platform") for i in changes]


def _accuracy(data: RunData, config: RunConfig, simulated: SimulatedRun, t0_ns: int) -> Accuracy:
    table = data.best
    if table is None:
        raise RecordingError("the live run gave no result: the emulated sensors were not understood")
    passage = Passage(table.s, table.t_ns, table.column("r_y"), table.column("r_z"), table.step)
    length = simulated.design.length
    return judge(passage, simulated.truth, t0_ns=t0_ns, direction=config.run.direction, length=length)


def _summary(run: RunDirectory, data: RunData, accuracy: Accuracy, speed: float) -> list[str]:
    """Three lines: what was made, how good it is, what to look at."""
    metres = len(data.best) * data.best.step if data.best is not None else 0.0
    lateral, vertical = (1e3 * each["D1"] for each in (accuracy.lateral, accuracy.vertical))
    return [
        f"Ran {metres / 1000:.2f} km through serial ports at {speed:g} times real time into {run.recording}; "
        "the replay is equal, byte for byte.",
        f"Against the truth, 95 %: position within {accuracy.position:.2f} m, "
        f"D1 lateral within {lateral:.3f} mm, vertical within {vertical:.3f} mm.",
        f"Open {run.report} in a browser (the same as a table: {run.table}).",
    ]
