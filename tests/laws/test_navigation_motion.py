"""Motion along the track: rest, slides and worn wheels, and the same line run both ways."""

import numpy as np
import pytest

from tests.benchmarks.navigated import Navigated, config_of, epochs, error, navigate, setup_of
from twin.core.arrays import Array, BoolArray
from twin.core.places import Direction
from twin.core.quality import Quality
from twin.core.vehicle import VehicleParameters
from twin.numerics.bands import band
from twin.simulation import (
    ImuGrade,
    Leg,
    MotionConfig,
    Scenario,
    SimulatedRun,
    Slide,
    TrueVehicle,
    curve_scenario,
    simulate,
)

SLIDE = Slide(s=860, duration=3.0, ratio=-0.2)
"""On the tangent behind the first curve."""


def scenario(*, start: float = 100.0, length: float = 1200.0, **changes: object) -> Scenario:
    """10 s of rest, quickly to 20 m/s, through the first two curves of the accuracy run."""
    motion = MotionConfig(legs=(Leg(speed=20, distance=length),), start=start, standstill=10.0, acceleration=3.0)
    return curve_scenario(seed=31).model_copy(update={"motion": motion, **changes})


def followed(planned: Scenario) -> tuple[SimulatedRun, Navigated]:
    run = simulate(planned)
    return run, navigate(setup_of(planned, config_of(ImuGrade.TACTICAL)), epochs(run.streams))


def flagged(found: Navigated, flag: Quality) -> BoolArray:
    return np.asarray((found.causal.quality & np.uint8(flag)) != 0)


@pytest.fixture(scope="module")
def sliding() -> tuple[SimulatedRun, Navigated]:
    """With a wheel 2 % too small and a slide."""
    vehicle = TrueVehicle(wheel_radius=0.98 * VehicleParameters().wheel_radius)
    return followed(scenario(vehicle=vehicle, slides=(SLIDE,)))


def test_a_standing_train_has_no_speed_and_keeps_its_place(sliding: tuple[SimulatedRun, Navigated]) -> None:
    _, found = sliding
    t = found.causal.t_ns * 1e-9
    rest = (t > 2.0) & (t < 9.9)
    assert flagged(found, Quality.STANDSTILL)[rest].all()
    assert np.abs(found.causal["speed"][rest]).max() < 2e-3
    assert np.ptp(found.causal["s"][rest]) < 2e-3


def test_a_moving_train_does_not_stand(sliding: tuple[SimulatedRun, Navigated]) -> None:
    run, found = sliding
    v = np.interp(found.causal.t_ns * 1e-9, run.truth.t, run.truth.v)
    assert not flagged(found, Quality.STANDSTILL)[v > 0.5].any()


def test_a_slide_is_seen_while_it_lasts_and_only_then(sliding: tuple[SimulatedRun, Navigated]) -> None:
    run, found = sliding
    t = found.causal.t_ns * 1e-9
    begin = float(np.interp(SLIDE.s, run.truth.s_body, run.truth.t))
    slipping = t[flagged(found, Quality.SLIPPING)]
    assert begin < slipping.min() < begin + 0.5
    assert begin + SLIDE.duration - 0.5 < slipping.max() < begin + SLIDE.duration + 1.0


def test_a_slide_costs_less_than_a_metre_though_the_wheel_lost_nine(sliding: tuple[SimulatedRun, Navigated]) -> None:
    run, found = sliding
    s = np.interp(found.causal.t_ns * 1e-9, run.truth.t, run.truth.s)
    behind = (s > 800) & (s < 1100)
    turned = run.streams[1].values[:, 0] * 0.98 * VehicleParameters().wheel_radius
    missing = (run.truth.s[-1] - run.truth.s[0]) - (turned[-1] - turned[0])
    assert missing > 8.0
    assert np.abs(error(found.causal, run.truth, "s")[behind]).max() < 1.0


def test_the_wheel_radius_is_learnt_from_the_first_curve(sliding: tuple[SimulatedRun, Navigated]) -> None:
    run, found = sliding
    t = found.causal.t_ns * 1e-9
    behind = t > np.interp(1000.0, run.truth.s, run.truth.t)
    relative = error(found.causal, run.truth, "speed", true="v")[behind] / 20.0
    assert np.abs(relative).mean() < 2e-3


def smoothed_on_line(direction: Direction) -> Array:
    """(points, 2) path in D1 along increasing kilometres, every 0.25 m from 400 to 1000 m of the line."""
    length = 3000.0
    start = 100.0 if direction is Direction.INCREASING else length - 1300.0
    # A body without motion of its own runs the same path both ways.
    run, found = followed(scenario(start=start, direction=direction, vehicle=TrueVehicle(own_motion=0.0)))
    sign = 1 if direction is Direction.INCREASING else -1
    s = np.interp(found.smoothed.t_ns * 1e-9, run.truth.t, run.truth.s)
    s_line = s if sign > 0 else run.design.length - s
    new = np.concatenate(([True], np.abs(np.diff(s)) > 1e-6))
    order = np.argsort(s_line[new])
    grid = np.arange(200.0, 1200.0, 0.25)
    path = np.stack(
        [
            np.interp(grid, s_line[new][order], factor * found.smoothed[name][new][order])
            for name, factor in (("r_y", sign), ("r_z", 1))
        ],
        axis=1,
    )
    return band(path, step=0.25, name="D1")[(grid >= 400) & (grid <= 1000)]


def test_both_running_directions_give_the_same_geometry() -> None:
    up, down = smoothed_on_line(Direction.INCREASING), smoothed_on_line(Direction.DECREASING)
    assert np.quantile(np.abs(up), 0.95, axis=0).min() > 1e-3
    assert np.quantile(np.abs(up - down), 0.95, axis=0).max() < 1e-4
