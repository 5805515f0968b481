"""Laws of the running vehicle as figures: Klingel's wavelength, weight, energy, order of steps, knives as whole rails.

The tests of these laws only say that bounds are kept; here is by how much. Nothing is timed.
"""

import numpy as np

from tests.benchmarks.figure import Figure
from tests.benchmarks.vehicle_figure import named
from tests.energy_account import energy_account
from tests.knife_against_full import CORNERS, Error, drawn_between, error_with_tilted_heads, error_with_upright_heads
from tests.laws import test_vehicle_running_convergence as convergence
from tests.laws.test_vehicle_running_free import WHEEL_LOAD, crossings
from tests.running_cases import CONTACTS, L0, R0, Contact, coned, drawn_rails, running, shift_all, straight
from twin.vehicle.running import RunSettings, run
from twin.vehicle.running.reference import reference_run

ENERGY_SPEED, ENERGY_DURATION, ENERGY_STEP = 20.0, 10.0, 2.5e-4
BETWEEN = 40
"""Draws of irregularity besides the corners."""


def figures() -> list[Figure]:
    """All of them."""
    return [
        named(
            "vehicle.klingel_percent",
            max(_klingel(contact, cone) for contact in CONTACTS for cone in (20, 40)),
            "percent",
        ),
        named("vehicle.wheel_loads_percent", max(_wheel_loads(contact) for contact in CONTACTS), "percent"),
        named("vehicle.energy_balance_percent", _energy_balance(), "percent"),
        named("vehicle.convergence_ratio", _convergence(), "ratio"),
        *_knife_against_full(40),
        *_knife_against_full(20),
    ]


def _klingel(contact: Contact, cone: int) -> float:
    """How far the wavelengths of a free wheelset lie off 2 pi sqrt(r0 l0 / lambda) at most [%]."""
    settings = RunSettings(contact=contact, step=5e-4, wheel_rail=coned(f"cone-{cone}"))
    one = running("single wheelset", straight(length=120), speed=10.0, settings=settings)
    shift_all(one, 0.5e-3)
    lengths = np.diff(crossings(run(one, 8.0)))
    return float(100 * np.abs(lengths / (2 * np.pi * np.sqrt(R0 * L0 * cone)) - 1).max())


def _wheel_loads(contact: Contact) -> float:
    """How far the loads of the rolling Manchester vehicle lie off 54.55 kN at most [%]."""
    settings = RunSettings(contact=contact, step=1e-3 if contact == "knife" else 5e-4)
    record = run(running("manchester", straight(), speed=20.0, settings=settings), 2.0)
    return float(100 * np.abs(record.wheel("Q")[-500:].mean(axis=0) / WHEEL_LOAD - 1).max())


def _energy_balance() -> float:
    """What ten seconds on irregular rails do not explain, over what was lost [%]."""
    rails = drawn_rails(length=ENERGY_SPEED * ENERGY_DURATION + 60, seed=3)
    settings = RunSettings(step=ENERGY_STEP, rate=1 / ENERGY_STEP)
    run = running("manchester", rails, speed=ENERGY_SPEED, settings=settings)
    return 100 * abs(energy_account(run, ENERGY_DURATION).missing)


def _convergence() -> float:
    """By what an error on elastic contacts falls as the step is halved: of four halvings the one farthest from 2."""
    reference = reference_run(convergence.wheelset("elastic"), convergence.DURATION, rtol=1e-6)
    found = convergence.errors("elastic", convergence.STEPS, reference)
    ratios = found[:-1] / found[1:]
    return float(ratios[np.argmax(np.abs(ratios - 2))])


def _knife_against_full(cant: int) -> list[Figure]:
    """On rails up to 3 mm off, upright or tilted with the cross level, whichever is worse."""
    cases = CORNERS + drawn_between(BETWEEN)
    both = (error_with_upright_heads(1 / cant, cases), error_with_tilted_heads(1 / cant, cases))
    worst = Error(max(each.z for each in both), max(each.roll for each in both))
    return [
        named(f"vehicle.knife_vs_full_um_{cant}", 1e6 * worst.z, "um"),
        named(f"vehicle.knife_vs_full_urad_{cant}", 1e6 * worst.roll, "urad"),
    ]
