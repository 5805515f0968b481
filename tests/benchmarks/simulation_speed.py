"""Real-time factors of simulated runs with all their sensors, and images of rail heads per second."""

from time import perf_counter
from typing import Literal

import numpy as np

from tests.benchmarks.figure import Figure
from tests.benchmarks.vehicle_figure import named
from twin.simulation import Dynamics, constant, curve_scenario, stream
from twin.simulation.rail_head import CameraConfig, RailCamera, RailPlace, RailSectionConfig, rail_section
from twin.vehicle.running import RunSettings

IMAGES = 300


def figures() -> list[Figure]:
    """All of them."""
    return [
        named("simulation.rtf", _real_time_factor("knife"), "ratio"),
        named("simulation.rtf_elastic", _real_time_factor("elastic"), "ratio"),
        named("simulation.images_per_second", _images_per_second(), "1/s"),
    ]


def _real_time_factor(contact: Literal["knife", "elastic"]) -> float:
    """Of a run through curves at 20 m/s, once everything is compiled and set up, in one process on one core."""
    scenario = curve_scenario(seed=2).model_copy(
        update={
            "motion": constant(speed=20.0, length=1000.0, standstill=5.0),
            "dynamics": Dynamics(run=RunSettings(contact=contact)),
        }
    )
    parts = stream(scenario, block=5)
    next(parts)
    next(parts)
    began, seconds = perf_counter(), 0.0
    for part in parts:
        seconds += float(part.truth.t[-1] - part.truth.t[0])
    return seconds / (perf_counter() - began)


def _images_per_second() -> float:
    """On one core."""
    camera = RailCamera(CameraConfig(), rail=0, section=rail_section(RailSectionConfig()), seed=1)
    rng = np.random.default_rng(1)
    place = RailPlace(
        y=0.7535 + 3e-3 * rng.standard_normal(IMAGES),
        z=-0.45 + 3e-3 * rng.standard_normal(IMAGES),
        roll=3e-3 * rng.standard_normal(IMAGES),
    )
    camera.render(0, place.rows[0])
    began = perf_counter()
    for _ in camera.images(0, place):
        pass
    return IMAGES / (perf_counter() - began)
