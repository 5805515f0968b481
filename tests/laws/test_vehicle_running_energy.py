"""On irregular rails the energy that drives a vehicle is found again, in its motion or as heat."""

import pytest

from tests.energy_account import Account, energy_account
from tests.running_cases import drawn_rails, running
from twin.vehicle.running import RunSettings

SPEED, DURATION, STEP = 20.0, 10.0, 2.5e-4


@pytest.fixture(scope="module")
def account() -> Account:
    rails = drawn_rails(length=SPEED * DURATION + 60, seed=3)
    run = running("manchester", rails, speed=SPEED, settings=RunSettings(step=STEP, rate=1 / STEP))
    return energy_account(run, DURATION)


def test_energy_balance_closes_to_half_a_percent_of_what_was_lost_in_ten_seconds(account: Account) -> None:
    assert abs(account.missing) < 0.005


def test_energy_is_lost_in_dampers_creep_and_contacts_and_gained_by_none(account: Account) -> None:
    assert account.creep > account.dampers > account.contacts > 0
    assert account.heat > 1e3
