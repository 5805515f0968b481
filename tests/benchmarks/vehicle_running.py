"""Time of a step on knives, and real-time factor of elastic contacts at a step whose halving changes nothing.

Every step is timed by itself, in the loop that runs it: a stretch of one sample at one sample per step, on an irregular
curve with 60E1 rails and S1002 wheels. What a stretch costs besides its steps (room for its record, the call from
Python into compiled code) is timed on stretches of no sample, one before each step, and the median of those is taken
off. So `step_us` holds the whole step, writing its state and all wheels' forces included; it does not hold a
millisecond's share of Python, which a run pays once a second. Whatever else delays a call stays in `step_us_p99`: the
collector of garbage is off, the scheduler of the machine is not. `_cpu` is the same by the clock of the thread, which
stands while another program has the processor.
"""

import gc
from collections.abc import Callable
from time import perf_counter, perf_counter_ns, thread_time_ns

import numpy as np

from tests.benchmarks.figure import Figure
from tests.benchmarks.vehicle_figure import curved, named, rms, rough_rails
from twin.vehicle.library import vehicle
from twin.vehicle.running import Record, Running, RunSettings, run

SPEED = 20.0
RADIUS, CANT = 600.0, 0.1
WARM_UP, STEPS = 200, 30_000
ELASTIC_STEP = 5e-4
DURATION = 20.0


def figures() -> list[Figure]:
    """All of them."""
    times, empty = _knife_times(perf_counter_ns)
    own, _ = _knife_times(thread_time_ns)
    fine, _ = _elastic(ELASTIC_STEP / 2)
    coarse, seconds = _elastic(ELASTIC_STEP)
    moved = max(rms(coarse[name] - fine[name]) / rms(fine[name]) for name in _positions(fine))
    return [
        named("vehicle.step_us", float(np.median(times)), "us"),
        named("vehicle.step_us_p99", float(np.quantile(times, 0.99)), "us"),
        named("vehicle.step_us_cpu", float(np.median(own)), "us"),
        named("vehicle.step_us_cpu_p99", float(np.quantile(own, 0.99)), "us"),
        named("vehicle.empty_stretch_us", empty, "us"),
        named("vehicle.full_rtf", DURATION / seconds, "ratio"),
        named("vehicle.full_step_ms", ELASTIC_STEP * 1e3, "ms"),
        named("vehicle.full_halving", 100 * moved, "percent"),
    ]


def _positions(record: Record) -> list[str]:
    return [name for name in record.layout.coordinates if name.startswith("wheelset") and name.endswith("r_y")]


def _running(settings: RunSettings) -> Running:
    design = curved(radius=RADIUS, cant=CANT, arc=800.0)
    return Running(vehicle("manchester"), rough_rails(design, seed=3), speed=SPEED, s=0.0, settings=settings)


def _knife_times(clock: Callable[[], int]) -> tuple[np.ndarray, float]:
    """Microseconds of each step by a clock [ns], and of a stretch without one, which is taken off."""
    running = _running(RunSettings(contact="knife"))
    assert running.settings.every == 1
    running.stretch(WARM_UP)
    running.stretch(0)
    marks = np.empty((STEPS, 3), dtype=np.int64)
    gc.disable()
    try:
        for row in marks:
            row[0] = clock()
            running.stretch(0)
            row[1] = clock()
            record = running.stretch(1)
            row[2] = clock()
            assert record.stopped is None, record.stopped
    finally:
        gc.enable()
    without, with_step = np.diff(marks, axis=1).T / 1e3
    empty = float(np.median(without))
    return with_step - empty, empty


def _elastic(step: float) -> tuple[Record, float]:
    running = _running(RunSettings(contact="elastic", step=step))
    first = running.stretch(1)
    began = perf_counter()
    record = run(running, DURATION)
    seconds = perf_counter() - began
    assert first.stopped is None
    assert record.stopped is None, record.stopped
    return record, seconds
