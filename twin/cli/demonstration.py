"""The demonstration: every part of RailTwin on a simulated train, and its results held against the truth."""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

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
from twin.report import RunData
from twin.simulation import Scenario, SimulatedRun, save_truth, simulate
from twin.simulation.accuracy import Accuracy, Passage, judge

Progress = Callable[[float], None]

SIMULATED, RAN, REPLAYED, SMOOTHED = 0.05, 0.70, 0.80, 0.97
"""Share of the whole that is done after each step, about."""
IDLE = 4.0
"""Silence after which the live run ends [s of its clock]."""
START_TIMEOUT = 60.0
"""For the live run to open its ports [s, real]: a first run compiles."""
WATCH_PERIOD = 0.1
"""[s, real]"""
FAULTS = {
    "imu": FaultPlan(seed=1, bit_error_rate=1e-7, loss=3e-5, drift_ppm=18.0),
    "encoder": FaultPlan(seed=2, bit_error_rate=1e-7, loss=3e-5, drift_ppm=-25.0),
}
"""A few damaged and lost packets and ordinary crystals: what a good cable on a train gives."""


def demonstrate(scenario: Scenario, run: RunDirectory, *, speed: float, progress: Progress) -> list[str]:
    """Do it all; returns the lines that say what was made. speed: times real time of the live run."""
    shutil.rmtree(run.recording, ignore_errors=True)
    run.make()
    simulated = simulate(scenario, part_of(progress, 0, SIMULATED))
    save_truth(run.truth, simulated.truth, simulated.track)
    with tempfile.TemporaryDirectory(prefix="railtwin-ports-") as ports:
        config = config_of(scenario, name="demo", ports={name: f"{ports}/{name}" for name in ("imu", "encoder")})
        t0_ns = _run_live(config, simulated, run, speed=speed, progress=part_of(progress, SIMULATED, RAN))
    replay = Replay(open_recording(run.recording), config, run)
    compared = replay.results(progress=part_of(progress, RAN, REPLAYED))
    replay.smoothed(progress=part_of(progress, REPLAYED, SMOOTHED))
    data = write_report(run, page=run.report, table=run.table)
    progress(1.0)
    if compared is None or not compared.equal:
        raise RecordingError(f"{run.path}: the replay differs from the live run: {compared}")
    return _summary(run, data, _accuracy(data, config, simulated, t0_ns), speed)


def _run_live(
    config: RunConfig, simulated: SimulatedRun, run: RunDirectory, *, speed: float, progress: Progress
) -> int:
    """Serve the sensors and let `railtwin run`, a process of its own, read them; host time of their start [ns]."""
    origin_ns = time.monotonic_ns()
    clock = ScaledClock(speed=speed, origin_ns=origin_ns)
    ports = Path(config.device[0].port).parent
    file = ports / "run.toml"
    file.write_text(config.to_toml(), encoding="utf-8")
    command = [sys.executable, "-m", "twin.cli", "--quiet", "run", str(file), "--out", str(run.path)]
    command += ["--until-idle", str(IDLE), "--clock-speed", str(speed), "--clock-origin", str(origin_ns)]
    duration_ns = float(simulated.truth.t[-1]) * 1e9
    packets = packets_of_streams(simulated.streams, config.device)
    with Emulator(config.device, packets, clock=clock, directory=ports, faults=FAULTS) as emulator:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            while process.poll() is None and not emulator.finished.wait(WATCH_PERIOD):
                if emulator.origin_ns is not None:
                    progress(min((clock.now_ns() - emulator.origin_ns) / duration_ns, 1.0))
                elif time.monotonic_ns() - origin_ns > START_TIMEOUT * 1e9:
                    raise DeviceError(f"{ports}: nobody opened the emulated ports for {START_TIMEOUT:g} s")
            _, errors = process.communicate(timeout=START_TIMEOUT)
        finally:
            process.kill()
    if emulator.origin_ns is None or process.returncode != 0:
        raise DeviceError(f"the live run ended early ({process.returncode}): {errors.decode(errors='replace').strip()}")
    return emulator.origin_ns


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
