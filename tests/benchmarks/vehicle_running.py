"""Time of a step on knives, and real-time factor of elastic contacts at a step whose halving changes nothing.

A step is timed in the loop that runs it, twenty at a time, on an irregular curve with 60E1 rails and S1002 wheels.
"""

from time import perf_counter

import numpy as np

from tests.benchmarks.figure import Figure
from tests.benchmarks.vehicle_figure import curved, named, rms, rough_rails
from twin.vehicle.library import vehicle
from twin.vehicle.running import Record, Running, RunSettings, run

SPEED = 20.0
RADIUS, CANT = 600.0, 0.1
STEPS, STRETCHES = 20, 1500
ELASTIC_STEP = 5e-4
DURATION = 20.0


def figures() -> list[Figure]:
    """All of them."""
    times = _knife_times()
    fine, _ = _elastic(ELASTIC_STEP / 2)
    coarse, seconds = _elastic(ELASTIC_STEP)
    moved = max(rms(coarse[name] - fine[name]) / rms(fine[name]) for name in _positions(fine))
    return [
        named("vehicle.step_us", float(np.median(times)), "us"),
        named("vehicle.step_us_p99", float(np.quantile(times, 0.99)), "us"),
        named("vehicle.full_rtf", DURATION / seconds, "ratio"),
        named("vehicle.full_step_ms", ELASTIC_STEP * 1e3, "ms"),
        named("vehicle.full_halving", 100 * moved, "percent"),
    ]


def _positions(record: Record) -> list[str]:
    return [name for name in record.layout.coordinates if name.startswith("wheelset") and name.endswith("r_y")]


def _running(settings: RunSettings) -> Running:
    design = curved(radius=RADIUS, cant=CANT, arc=800.0)
    return Running(vehicle("manchester"), rough_rails(design, seed=3), speed=SPEED, s=0.0, settings=settings)


def _knife_times() -> np.ndarray:
    """Microseconds per step of each stretch."""
    running = _running(RunSettings(contact="knife"))
    running.stretch(STEPS)
    times = []
    for _ in range(STRETCHES):
        began = perf_counter()
        record = running.stretch(STEPS)
        times.append((perf_counter() - began) / STEPS * 1e6)
        assert record.stopped is None, record.stopped
    return np.array(times)


def _elastic(step: float) -> tuple[Record, float]:
    running = _running(RunSettings(contact="elastic", step=step))
    first = running.stretch(1)
    began = perf_counter()
    record = run(running, DURATION)
    seconds = perf_counter() - began
    assert first.stopped is None
    assert record.stopped is None, record.stopped
    return record, seconds
