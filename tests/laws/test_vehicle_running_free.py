"""A wheelset left alone runs Klingel's sine; a vehicle weighs what it weighs, at rest, under way, and backwards."""

import numpy as np
import pytest

from tests.running_cases import CONTACTS, L0, R0, Contact, coned, known, running, shift_all, straight
from twin.core.arrays import Array, G
from twin.vehicle.running import Record, RunSettings, run

both_contacts = pytest.mark.parametrize("contact", CONTACTS)
WHEEL_LOAD = 54.55e3
"""Of the Manchester vehicle [N]."""


def crossings(record: Record) -> Array:
    """Places at which the wheelset crosses the middle to the left [m]."""
    s, y = record["wheelset.s"], record["wheelset.r_y"]
    k = np.flatnonzero((y[:-1] < 0) & (y[1:] >= 0))
    return np.asarray(s[k] - y[k] * (s[k + 1] - s[k]) / (y[k + 1] - y[k]))


@both_contacts
@pytest.mark.parametrize("cone", [20, 40])
def test_a_wheelset_alone_has_klingels_wavelength(contact: Contact, cone: int) -> None:
    settings = RunSettings(contact=contact, step=5e-4, wheel_rail=coned(f"cone-{cone}"))
    one = running("single wheelset", straight(length=120), speed=10.0, settings=settings)
    shift_all(one, 0.5e-3)
    record = run(one, 8.0)
    assert record.stopped is None
    lengths = np.diff(crossings(record))
    assert lengths.size >= 2
    np.testing.assert_allclose(lengths, 2 * np.pi * np.sqrt(R0 * L0 * cone), rtol=0.02)


@both_contacts
@pytest.mark.parametrize("speed", [0.0, 20.0])
def test_every_wheel_of_the_manchester_vehicle_carries_54_55_kn(contact: Contact, speed: float) -> None:
    settings = RunSettings(contact=contact, step=1e-3 if contact == "knife" else 5e-4)
    record = run(running("manchester", straight(), speed=speed, settings=settings), 2.0)
    Q = record.wheel("Q")[-500:].mean(axis=0)
    np.testing.assert_allclose(Q, WHEEL_LOAD, rtol=1e-3)
    assert Q.sum() == pytest.approx(known("manchester")[0].mass * G, rel=1e-4)


@both_contacts
def test_a_vehicle_stands_starts_runs_and_stops(contact: Contact) -> None:
    t, speed = np.array([0.0, 1.0, 4.0, 5.0, 8.0, 13.0]), np.array([0.0, 0.0, 3.0, 3.0, 0.0, 0.0])
    settings = RunSettings(contact=contact, step=1e-3 if contact == "knife" else 5e-4)
    record = run(running("manchester", straight(), speed=(t, speed), settings=settings), 13.0)
    assert record.stopped is None
    way = record["wheelset 1.s"] - record["wheelset 1.s"][0]
    assert np.abs(way[:1000]).max() < 1e-3
    assert way[-1] == pytest.approx(np.trapezoid(speed, t), abs=0.3)
    assert np.abs(record.v[-1]).max() < 0.02
    np.testing.assert_allclose(record.wheel("Q")[-500:].mean(axis=0), WHEEL_LOAD, rtol=5e-3)


@both_contacts
def test_a_vehicle_that_runs_backwards_is_the_mirror_image_of_one_that_runs_forwards(contact: Contact) -> None:
    records = []
    for speed in (10.0, -10.0):
        settings = RunSettings(contact=contact, step=1e-3 if contact == "knife" else 5e-4)
        one = running("manchester", straight(), speed=speed, s=0.0, settings=settings)
        shift_all(one, 2e-3)
        records.append(run(one, 2.0))
    forward, backward = records
    assert forward.stopped is None
    assert backward.stopped is None
    for i in (1, 2, 3, 4):
        ahead, behind = f"wheelset {i}", f"wheelset {5 - i}"
        np.testing.assert_allclose(backward[f"{behind}.r_y"], forward[f"{ahead}.r_y"], atol=2e-5)
        np.testing.assert_allclose(backward[f"{behind}.yaw"], -forward[f"{ahead}.yaw"], atol=2e-5)
        np.testing.assert_allclose(backward[f"{behind}.s"], -forward[f"{ahead}.s"], atol=1e-3)
    assert np.ptp(forward["wheelset 1.r_y"]) > 1e-3
