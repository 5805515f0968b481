"""Wheels that leave their rails and land again, and runs that end before their time and say so."""

import numpy as np
import pytest

from tests.running_cases import CONTACTS, Contact, drawn_rails, rough_rails, running, straight
from twin.vehicle.running import Record, RunSettings, run

both_contacts = pytest.mark.parametrize("contact", CONTACTS)


def over_a_dip(contact: Contact, *, depth: float, width: float) -> Record:
    """At 30 m/s over a dip of both rails [m]."""
    s = np.arange(-60.0, 100.0, 0.1)
    level, dip = np.zeros_like(s), -depth * np.exp(-(((s - 20) / width) ** 2))
    rails = straight(length=90, rough=rough_rails((level, dip, level, dip), s0=-60.0, step=0.1))
    settings = RunSettings(contact=contact, step=1e-3 if contact == "knife" else 2.5e-4)
    return run(running("manchester", rails, speed=30.0, settings=settings), 2.0)


def test_wheels_follow_a_long_dip_without_lifting_off_and_both_contacts_say_how_hard() -> None:
    elastic, knife = (over_a_dip(contact, depth=0.05, width=1.2) for contact in CONTACTS)
    for record in (elastic, knife):
        assert record.stopped is None
        assert record.wheel("points").min() == 1
    np.testing.assert_allclose(knife.wheel("Q").max(axis=0), elastic.wheel("Q").max(axis=0), rtol=0.05)


@both_contacts
def test_wheels_lift_off_over_a_short_dip_and_land_again(contact: Contact) -> None:
    record = over_a_dip(contact, depth=0.02, width=0.4)
    assert record.stopped is None
    in_air = record.wheel("points") == 0
    assert np.all(in_air.sum(axis=0) > 20)
    assert np.all(record.wheel("Q")[in_air] == 0.0)
    assert np.all(record.wheel("points")[-1] >= 1)


def test_a_step_too_long_for_elastic_contacts_ends_with_place_and_time_and_keeps_what_was_computed() -> None:
    settings = RunSettings(step=5e-3, rate=200)
    record = run(running("manchester", drawn_rails(length=260, seed=3), speed=30.0, settings=settings), 8.0)
    assert record.stopped is not None
    assert "at s = " in record.stopped
    assert "t = " in record.stopped
    assert 0 < record.t.size < 1600
    assert np.all(np.isfinite(record.q))


@both_contacts
def test_stretches_of_other_lengths_give_bit_equal_runs(contact: Contact) -> None:
    settings = RunSettings(contact=contact, step=1e-3 if contact == "knife" else 5e-4)
    records = []
    for lengths in ((400,), (1, 7, 150, 242)):
        one = running("manchester", drawn_rails(length=260, seed=3), speed=30.0, s=20.0, settings=settings)
        records.append(Record.join([one.stretch(length) for length in lengths]))
    for name in ("t", "q", "v", "a", "wheels"):
        np.testing.assert_array_equal(getattr(records[0], name), getattr(records[1], name))
