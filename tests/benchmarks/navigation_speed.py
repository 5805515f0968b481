"""How much faster than real time the navigation is, and its filter step against filterpy's on the same data."""

import os
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from filterpy.kalman import KalmanFilter
from numpy.testing import assert_allclose

from firmware_interface import Chunk
from recordings import RecordingHeader, RecordingWriter, ResultWriter
from sensors.config import DeviceConfig
from sensors.decode import DeviceDecoder
from sensors.emulator import record_chunks
from tests.benchmarks.figure import Figure, figure
from tests.benchmarks.navigated import config_of, setup_of
from twin.core.arrays import Array
from twin.core.estimate import Fusion
from twin.core.places import Direction
from twin.navigation.attitude import Filtered
from twin.navigation.config import NavigationConfig
from twin.navigation.inputs import Inertial
from twin.navigation.trajectory import Axis, AxisInput
from twin.pipeline.synchroniser import SynchroniserConfig
from twin.pipeline.twin import Twin, TwinSetup
from twin.simulation import ImuGrade, curve_scenario, simulate

RTF_TARGET, FILTERPY_TARGET = 20.0, 15.0
DEVICES = (DeviceConfig(name="imu", kind="imu"), DeviceConfig(name="encoder", kind="encoder"))
WARM_UP = 30.0
"""Of the run, before the timing [s]: compiled kernels are loaded."""
REPEATS = 3
STEPS = 5000
"""Filter steps that are timed."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Seconds of data per second."""

    wall: float
    cpu: float
    """Of all threads of the process."""


def _setup() -> TwinSetup:
    scenario = curve_scenario()
    rates = {device.name: device.rate for device in DEVICES}
    navigation = setup_of(scenario, config_of(ImuGrade.TACTICAL))
    return TwinSetup(navigation, SynchroniserConfig(), rates, Direction.INCREASING)


def run(chunks: Sequence[Chunk], directory: Path) -> Speed:
    """Record, decode, synchronise, navigate (causal and lagged), grid, and write the results, as `railtwin run`."""
    decoders = {device.name: DeviceDecoder(device) for device in DEVICES}
    twin = Twin(_setup())
    header = RecordingHeader(devices=tuple(decoders))
    wall, cpu = time.perf_counter(), time.process_time()
    with RecordingWriter(directory, header) as recording, ResultWriter(directory / "results.mcap", {}) as results:
        for chunk in chunks:
            recording.write_when_room(chunk)
            for block in decoders[chunk.device].process(chunk):
                for result in twin.process(block):
                    results.write(result)
        for result in twin.flush():
            results.write(result)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    seconds = (chunks[-1].t_host_ns - chunks[0].t_host_ns) * 1e-9
    return Speed(seconds / wall, seconds / cpu)


def real_time_factor() -> Speed:
    """Best of some runs over 3 km at 20 m/s: 196 s of an inertial sensor at 500 Hz and an encoder at 200 Hz."""
    chunks = list(record_chunks(simulate(curve_scenario()).streams, DEVICES))
    warm = [chunk for chunk in chunks if chunk.t_host_ns < WARM_UP * 1e9]
    speeds = []
    with tempfile.TemporaryDirectory() as directory:
        run(warm, Path(directory, "warm"))
        for i in range(REPEATS):
            speeds.append(run(chunks, Path(directory, str(i))))
    return Speed(max(speed.wall for speed in speeds), max(speed.cpu for speed in speeds))


def _pin() -> None:
    """One core for this process and every thread it starts."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


@dataclass(frozen=True, slots=True)
class Step:
    """What filterpy needs to repeat one step of the trajectory filter."""

    F: Array
    Q: Array
    u: Array
    measured: list[tuple[Array, float, float]]
    """Rows of H (6,), measurements and variances, in the order fused."""


def axis_data(seed: int = 0) -> tuple[Inertial, AxisInput]:
    """An axis of a train at 20 m/s; the work does not depend on what the sensors say."""
    rng = np.random.default_rng(seed)
    dt, n = 0.002, STEPS
    noise = rng.standard_normal((3, n))
    imu = Inertial(
        (np.arange(n) * dt * 1e9).astype(np.int64), dt, np.zeros((n, 3)), np.zeros((n, 3)), np.zeros(n, np.uint8)
    )
    given = AxisInput(
        accel=0.5 * noise[0],
        rate=0.01 * noise[1],
        offset=np.zeros(n),
        f_x=0.1 * noise[2],
        v=np.full(n, 20.0),
        standing=np.zeros(n, np.bool_),
    )
    return imu, given


def _axis() -> Axis:
    config = NavigationConfig()
    return Axis("lateral", config, config.trajectory.lateral, level=0.0)


def steps_of(filtered: Filtered, fusions: list[Fusion], imu: Inertial, given: AxisInput) -> list[Step]:
    """The linear steps and corrections the filter made, with the variances of its measurements recovered from it."""
    _, rate, virtual = ({int(t): i for i, t in enumerate(row.t_ns)} for row in fusions)
    x, P = filtered.x[0], filtered.P[0]
    steps: list[Step] = []
    for k in range(1, len(imu)):
        F, Q, u = filtered.F[k], filtered.Q[k], filtered.u[k]
        x, P = F @ x + u, F @ P @ F.T + Q
        measured: list[tuple[Array, float, float]] = []
        for table, row, h in (
            (rate, fusions[1], np.array([0, 1 / given.v[k], 0, 1, -1, 0])),
            (virtual, fusions[2], np.eye(6)[0]),
        ):
            i = table.get(int(imu.t_ns[k]))
            if i is None or not row.accepted[i]:
                continue
            S = float(row.variance[i])
            measured.append((h, float(row.innovation[i] + h @ x), S - float(h @ P @ h)))
            gain = P @ h / S
            x, P = x + gain * row.innovation[i], P - np.outer(gain, gain) * S
        x, P = filtered.x[k], filtered.P[k]
        steps.append(Step(F, Q, u, measured))
    return steps


def run_filterpy(steps: list[Step], x: Array, P: Array) -> tuple[Array, float]:
    """Last state (6,) and seconds per step: predict, then one scalar update for each measurement."""
    kalman = KalmanFilter(dim_x=6, dim_z=1, dim_u=6)
    kalman.x, kalman.P, kalman.B = x[:, None].copy(), P.copy(), np.eye(6)
    begin = time.perf_counter()
    for step in steps:
        kalman.predict(u=step.u[:, None], F=step.F, Q=step.Q)
        for h, z, r in step.measured:
            kalman.update(z, R=r, H=h[None])
    return kalman.x[:, 0], (time.perf_counter() - begin) / len(steps)


def run_axis(imu: Inertial, given: AxisInput) -> tuple[Filtered, list[Fusion], float]:
    """What the stage's own filter gives, and seconds per step."""
    axis = _axis()
    begin = time.perf_counter()
    filtered, fusions = axis.process(imu, given)
    return filtered, fusions, (time.perf_counter() - begin) / len(imu)


def kalman_speeds() -> tuple[float, float]:
    """Seconds per step of the stage and of filterpy: best of some, in turn; equal results are checked."""
    imu, given = axis_data()
    filtered, fusions, _ = run_axis(imu, given)
    steps = steps_of(filtered, fusions, imu, given)
    ours, theirs = [], []
    for _ in range(REPEATS):
        ours.append(run_axis(imu, given)[2])
        x, seconds = run_filterpy(steps, filtered.x[0], filtered.P[0])
        theirs.append(seconds)
        assert_allclose(x, filtered.x[-1], rtol=1e-6, atol=1e-9)
    return min(ours), min(theirs)


def figures() -> list[Figure]:
    """Timings of one process on one core."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_pin) as pool:
        speed = pool.submit(real_time_factor).result()
        ours, theirs = pool.submit(kalman_speeds).result()
    return [
        figure("navigation_rtf", speed.wall, "ratio"),
        figure("navigation_rtf_cpu", speed.cpu, "ratio"),
        figure("kalman_over_filterpy", theirs / ours, "ratio"),
        figure("trajectory_step_us", 1e6 * ours, "us"),
        figure("trajectory_step_filterpy_us", 1e6 * theirs, "us"),
    ]
