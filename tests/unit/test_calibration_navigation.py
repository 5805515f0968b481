"""Tuning on a simulated run: the same answer from any start, and innovations of the size the filters expect."""

import datetime
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from calibration.navigation import ATTITUDE, ODOMETER, PATHS, TuneConfig, Tuned, tune
from calibration.store import merge
from sensors.emulator import record_chunks
from twin.cli.processing import raw_blocks, twin_setup
from twin.cli.scenario_config import config_of
from twin.core.blocks import Epoch
from twin.core.errors import CalibrationError
from twin.core.quality import Quality
from twin.navigation.chain import Setup
from twin.navigation.config import NavigationConfig
from twin.pipeline.synchroniser import Synchroniser
from twin.simulation import Leg, MotionConfig, Scenario, TrueVehicle, curve_scenario, simulate

KEYS = (*ODOMETER, *ATTITUDE, *PATHS[0], *PATHS[1])
SEED = 211
"""Not among those accuracy is judged on."""


@cache
def recorded() -> tuple[Setup, tuple[Epoch, ...]]:
    """50 s from a tangent into a curve, as a recording gives them back."""
    motion = MotionConfig(legs=(Leg(speed=20, duration=12),), standstill=4)
    known = TrueVehicle(wheel_radius=0.46)  # or the first curve would teach the wheel's radius, at the cost of its rows
    scenario: Scenario = curve_scenario(seed=SEED).model_copy(update={"motion": motion, "vehicle": known})
    config = config_of(scenario)
    setup = twin_setup(config)
    synchroniser = Synchroniser(setup.synchroniser, setup.rates)
    epochs: list[Epoch] = []
    for block in raw_blocks(config, record_chunks(simulate(scenario).streams, config.device, seed=SEED)):
        epochs += synchroniser.process(block)
    return setup.navigation, (*epochs, *synchroniser.flush())


def wrong_by(setup: Setup, factor: float) -> Setup:
    """The setup with every parameter that is tuned off by a factor."""
    tables = setup.config.model_dump()
    for key in KEYS:
        *path, last = key.split(".")
        table = tables
        for part in path:
            table = table[part]
        table[last] *= factor
    return replace(setup, config=NavigationConfig.model_validate(tables))


@cache
def tuned(factor: float) -> tuple[Tuned, tuple[float, ...]]:
    """What is found from a wrong start, and the progress told on the way."""
    setup, epochs = recorded()
    told: list[float] = []
    return tune(wrong_by(setup, factor), epochs, told.append), tuple(told)


@pytest.mark.parametrize("factor", [3.0, 1 / 3])
def test_every_row_becomes_consistent_from_a_wrong_start(factor: float) -> None:
    found, _ = tuned(factor)
    before = {row.name: row.nis for row in found.before}
    after = {row.name: row.nis for row in found.after}
    assert set(after) == {
        "odometer.a_x", "odometer.speed", "attitude.a_x", "trajectory.lateral_accel", "trajectory.lateral_rate",
        "trajectory.vertical_accel", "trajectory.vertical_rate",
    }  # fmt: skip
    assert all(0.8 <= nis <= 1.25 for nis in after.values()), after
    off = [name for name, nis in before.items() if not 0.5 <= nis <= 2]
    assert len(off) >= 6, before


def test_both_starts_end_at_the_same_parameters() -> None:
    high, low = tuned(3.0)[0], tuned(1 / 3)[0]
    assert [each.key for each in high.parameters] == list(KEYS)
    for one, other in zip(high.parameters, low.parameters, strict=True):
        assert one.value == pytest.approx(other.value, rel=0.15), one.key
        assert one.start == pytest.approx(9 * other.start)
        assert not one.at_bound
        assert 0.001 < one.sd / one.value < 0.2


def test_nothing_but_the_parameters_changes() -> None:
    setup, _ = recorded()
    found, _ = tuned(3.0)
    made = found.calibration(date=datetime.date(2026, 3, 14), source="line7").checked(where="here")
    from_file = NavigationConfig.model_validate(merge(setup.config.model_dump(), made.navigation))
    assert found.config.accel_noise == setup.config.accel_noise
    assert found.config.trajectory.cutoff == setup.config.trajectory.cutoff
    assert from_file.trajectory.lateral.own_rate == pytest.approx(found.config.trajectory.lateral.own_rate, rel=1e-4)
    assert from_file.position == found.config.position
    assert set(made.calibration.uncertainty) == {f"navigation.{key}" for key in KEYS}


def test_progress_rises_to_one() -> None:
    _, told = tuned(3.0)
    assert list(told) == sorted(told)
    assert told[-1] == 1


def without(name: str) -> Iterator[Epoch]:
    for epoch in recorded()[1]:
        yield replace(epoch, samples={key: block for key, block in epoch.samples.items() if key != name})


def standing() -> Iterator[Epoch]:
    """The same epochs with a wheel that does not turn."""
    for epoch in recorded()[1]:
        if (block := epoch.samples.get("encoder")) is not None:
            still = replace(block, values=np.zeros_like(block.values))
            yield replace(epoch, samples={**epoch.samples, "encoder": still})


def damaged() -> Iterator[Epoch]:
    """Every tenth sample of the inertial sensor is missing."""
    for epoch in recorded()[1]:
        if (block := epoch.samples.get("imu")) is not None:
            lost = (np.arange(len(block)) % 10 == 0) * np.uint8(Quality.MISSING)
            yield replace(epoch, samples={**epoch.samples, "imu": replace(block, quality=block.quality | lost)})


@pytest.mark.parametrize(
    ("epochs", "message"),
    [
        (lambda: iter(()), "no sample of 'imu'"),
        (lambda: without("encoder"), "no sample of 'encoder'"),
        (lambda: without("imu"), "no sample of 'imu'"),
        (standing, "moves at 2 m/s or more for 0 s only"),
        (lambda: recorded()[1][:150], r"for \d+ s only: choose a recording with at least 30 s"),
        (damaged, r"1\d % of the samples of 'imu' are missing"),
    ],
)
def test_unfit_data_are_refused_with_the_reason(epochs: Callable[[], Iterable[Epoch]], message: str) -> None:
    setup, _ = recorded()
    with pytest.raises(CalibrationError, match=message):
        tune(setup, epochs())


def test_a_parameter_that_wants_beyond_its_bound_is_named() -> None:
    setup, epochs = recorded()
    far = wrong_by(setup, 1 / 3).config
    found = tune(setup, epochs, config=TuneConfig(factor=1.5, tolerance=0.09), prior=far)
    assert {each.key for each in found.parameters if each.at_bound} == set(KEYS)
