"""Laws of hunting: time integration and eigenvalues agree, limit cycles live below the linear critical speed."""

from functools import cache

import numpy as np
import pytest

from twin.contact.creep import Friction
from twin.core.errors import ConfigError
from twin.vehicle.description import Vehicle
from twin.vehicle.hunting import (
    Cycle,
    HuntingSettings,
    _envelope,
    critical_by_growth,
    falling_branch,
    growth,
    nonlinear_critical_speed,
    rising_branch,
)
from twin.vehicle.library import vehicle
from twin.vehicle.linear import LinearVehicle
from twin.vehicle.linear_contact import Spread, wheel_rails
from twin.vehicle.modes import CriticalSpeed, critical_speed
from twin.vehicle.running import RunSettings, WheelRailSettings, wheelsets_on_rails
from twin.vehicle.symbolic import VehicleModel, vehicle_model

GRIPPING = Friction(mu=1.0)
"""Friction that small motions are far from."""
CONES = WheelRailSettings(wheel="cone-20", friction=GRIPPING)


@cache
def manchester() -> tuple[Vehicle, VehicleModel]:
    found = vehicle("manchester")
    return found, vehicle_model(found)


@cache
def by_eigenvalues() -> CriticalSpeed:
    """Of the linear vehicle on the same cones."""
    found, _ = manchester()
    pairs = wheelsets_on_rails(found, CONES)
    contacts = wheel_rails(found, pairs, spread=Spread.normal(shift=1e-4), friction=GRIPPING)
    critical = critical_speed(LinearVehicle(found, contacts), slowest=60.0)
    assert critical is not None
    return critical


@pytest.mark.parametrize(("share", "sign"), [(0.97, -1), (1.03, 1)])
def test_growth_of_small_disturbances_changes_its_sign_within_3_percent_of_the_linear_critical_speed(
    share: float, sign: int
) -> None:
    found, model = manchester()
    settings = HuntingSettings(run=RunSettings(wheel_rail=CONES), settle=1.5, measured=2.0)
    seen = growth(found, share * by_eigenvalues().speed, settings=settings, model=model)
    assert sign * seen.rate > 0
    assert seen.frequency == pytest.approx(by_eigenvalues().mode.damped_frequency, rel=0.06)


def test_the_critical_speed_by_growth_on_knives_is_the_root_of_the_rate() -> None:
    found, model = manchester()
    run = RunSettings(contact="knife", step=5e-4, wheel_rail=CONES)
    settings = HuntingSettings(run=run, tolerance=0.5)
    critical = critical_by_growth(found, slowest=80.0, fastest=110.0, settings=settings, model=model)
    assert critical is not None
    assert critical.speed == pytest.approx(by_eigenvalues().speed, rel=0.05)
    assert abs(critical.rate) < 0.05
    slow = critical_by_growth(found, slowest=30.0, fastest=50.0, settings=settings, model=model)
    assert slow is None


@pytest.mark.parametrize("rate", [-0.8, 0.05, 1.5])
def test_the_envelope_of_a_growing_oscillation_has_its_rate_and_frequency(rate: float) -> None:
    t = np.arange(5000) / 1000.0
    phases = np.array([0.0, 0.4, 1.0, 2.0])
    v = np.exp(rate * t)[:, None] * np.cos(2 * np.pi * 2.9 * t[:, None] + phases)
    found, frequency = _envelope(v, 1000.0)
    assert found == pytest.approx(rate, abs=5e-3)
    assert frequency == pytest.approx(2.9, rel=0.01)


def test_a_hunting_vehicle_hunts_on_below_the_speed_at_which_it_begins_to_and_is_quiet_further_down() -> None:
    """S1002 on 60E1: at 79 m/s small disturbances decay and large ones end in the flanges; at 72 m/s all decay."""
    found, model = manchester()
    settings = HuntingSettings(run=RunSettings(step=5e-4), quiet=3e-5)
    falling = falling_branch(found, [79.0, 72.0], settings=settings, model=model)
    (rising,) = rising_branch(found, [79.0], settings=settings, model=model)
    assert [cycle.hunts for cycle in falling] == [True, False]
    assert falling[0].amplitude > 5e-3
    assert not rising.hunts
    assert nonlinear_critical_speed(falling) == (72.0, 79.0)


def test_cones_without_flanges_leave_the_track_when_they_hunt() -> None:
    found, model = manchester()
    settings = HuntingSettings(run=RunSettings(contact="knife", wheel_rail=CONES))
    (cycle,) = falling_branch(found, [115.0, 110.0], settings=settings, model=model)
    assert cycle.hunts
    assert np.isnan(cycle.amplitude)
    assert "left the track" in cycle.remark


def test_no_nonlinear_critical_speed_is_told_of_a_cycle_that_was_not_seen_to_die() -> None:
    alive = Cycle(80.0, 6e-3, 5.0, "")
    assert nonlinear_critical_speed([alive]) is None
    assert nonlinear_critical_speed([Cycle(80.0, 0.0, 0.0, "")]) is None
    assert nonlinear_critical_speed([alive, Cycle(76.0, 0.0, 0.0, "")]) == (76.0, 80.0)


def test_speeds_that_cannot_be_run_are_refused() -> None:
    found, model = manchester()
    with pytest.raises(ConfigError, match="5 to 200 m/s"):
        growth(found, 500.0, model=model)
    with pytest.raises(ValueError, match="speeds fall"):
        falling_branch(found, [70.0, 80.0], model=model)
