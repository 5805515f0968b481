"""Contacts of the running vehicle: knives as whole rails, two points at once, unlike and worn profiles, climbing."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

from tests.knife_against_full import CORNERS, error_with_tilted_heads, error_with_upright_heads
from tests.running_cases import CONTACTS, GRIPPING, Contact, into_curve, known, running, straight
from twin.contact.creep import Friction
from twin.contact.curve import curve_values
from twin.contact.profiles import Profile, rail_profile, wheel_profile, worn
from twin.contact.seating import seat
from twin.core.arrays import Array
from twin.vehicle.running import Record, RunSettings, WheelRailSettings, run, wheelsets_on_rails

both_contacts = pytest.mark.parametrize("contact", CONTACTS)
STEP: dict[Contact, float] = {"elastic": 5e-4, "knife": 1e-3}
FLANK = np.deg2rad(70.0)
"""Of the S1002 flange."""


@pytest.mark.parametrize("cant", [1 / 40, 1 / 20])
def test_knives_of_a_run_stand_as_whole_rails_do_within_10_um_and_30_urad_3_mm_off(cant: float) -> None:
    error = error_with_tilted_heads(cant, CORNERS)
    assert error.z < 10e-6
    assert error.roll < 30e-6


@pytest.mark.parametrize("cant", [1 / 40, 1 / 20])
def test_so_do_knives_below_rails_whose_heads_stay_upright(cant: float) -> None:
    error = error_with_upright_heads(cant, CORNERS)
    assert error.z < 10e-6
    assert error.roll < 30e-6


def in_sharp_curve(contact: Contact, on: WheelRailSettings, *, R: float, speed: float, duration: float) -> Record:
    rails = into_curve(R=R, straight=12.0, transition=20.0, length=100.0)
    settings = RunSettings(contact=contact, step=STEP[contact], wheel_rail=on)
    return run(running("manchester", rails, speed=speed, settings=settings), duration)


def flanged_cone(path: Path) -> str:
    """A tread of 1/20 and a flank of 70 degrees, with a root between them too sharp for the rail's corner of R13."""
    y = np.linspace(-0.055, 0.06, 1151)
    tread, flank, tip, rounding = -y / 20, 0.010 - np.tan(FLANK) * (y + 0.0375), 0.028, 4e-3
    rooted = (tread + flank + np.hypot(tread - flank, rounding)) / 2
    z = (rooted + tip - np.hypot(rooted - tip, rounding)) / 2
    np.savetxt(path, np.column_stack((y, z)) * 1e3, fmt="%.6f", delimiter=",")
    return str(path)


def test_tread_and_flange_carry_at_once_in_a_sharp_curve_and_knives_share_the_load_as_elastic_contacts_do(
    tmp_path: Path,
) -> None:
    on = WheelRailSettings(wheel=flanged_cone(tmp_path / "wheel.csv"))
    elastic, knife = (in_sharp_curve(contact, on, R=150.0, speed=10.0, duration=4.0) for contact in CONTACTS)
    leading = 1  # the outer wheel of the first wheelset
    for record in (elastic, knife):
        assert record.stopped is None
        assert np.all(record.wheel("points")[-500:, leading] == 2)
        assert np.all(record.wheel("angle")[-500:, leading] > np.deg2rad(65))
        # means of a contact on the tread at 741 mm and one on the flank below 720 mm
        assert np.all(np.abs(record.wheel("offset")[-500:, leading] - 0.730) < 9e-3)
    for name, atol in (("Y", 500.0), ("Q", 500.0), ("X", 500.0), ("offset", 3e-4)):
        means = [record.wheel(name)[-500:].mean(axis=0)[leading] for record in (elastic, knife)]
        np.testing.assert_allclose(means[1], means[0], rtol=0, atol=atol)


def nadal(mu: float) -> float:
    """Y/Q at which a wheel on its flank no longer slides down [Nadal 1896]."""
    return float((np.tan(FLANK) - mu) / (1 + mu * np.tan(FLANK)))


def over_50_ms(values: Array) -> Array:
    """Sliding mean of samples a millisecond apart."""
    return np.convolve(values, np.full(50, 1 / 50), mode="valid")


@both_contacts
def test_a_wheel_that_climbs_ends_the_run_with_wheelset_place_and_time_after_y_over_q_passed_nadals_limit(
    contact: Contact,
) -> None:
    mu = 1.0
    on = WheelRailSettings(wheel="S1002", friction=Friction(mu=mu))
    record = in_sharp_curve(contact, on, R=100.0, speed=10.0, duration=3.0)
    assert record.stopped is not None
    assert record.stopped.startswith("wheelset 1 has left the track, at s = ")
    s, t = record["wheelset 1.s"][-1], record.t[-1]
    assert f"t = {t:.2f} s" in record.stopped
    assert float(record.stopped.split("s = ")[1].split(" m")[0]) == pytest.approx(s, abs=0.1)
    assert 1.0 < t < 2.5
    assert np.all(np.isfinite(record.q))
    # the outer wheel in a left curve, over 50 ms all of which it was on its flank
    climbing = over_50_ms(record.wheel("angle")[:, 1] > FLANK - 0.05) > 0.999
    assert climbing.any()
    assert (over_50_ms(record.wheel("Y")[:, 1]) / over_50_ms(record.wheel("Q")[:, 1]))[climbing].max() > nadal(mu)
    assert record["wheelset 1.r_z"][-1] - record["wheelset 1.r_z"][0] > 5e-3


def test_with_little_friction_no_wheel_climbs_in_the_same_curve() -> None:
    record = in_sharp_curve("knife", WheelRailSettings(wheel="S1002"), R=100.0, speed=10.0, duration=3.0)
    assert record.stopped is None
    assert (over_50_ms(record.wheel("Y")[:, 1]) / over_50_ms(record.wheel("Q")[:, 1])).max() < nadal(0.3)


def written(profile: Profile, path: Path) -> str:
    """The profile as points of a file, in mm."""
    y = np.linspace(*profile.span, 1200)
    rows = np.column_stack((y, curve_values(profile.curve, y)[:, 0])) * 1e3
    np.savetxt(path, rows, fmt="%.6f", delimiter=",")
    return str(path)


@dataclass(frozen=True)
class Unlike:
    """What the right side has; the left side runs on 60E1."""

    left: str
    wheel: Profile | None = None
    rail: Profile | None = None


HOLLOW = worn(wheel_profile("S1002"), y=np.array([-0.02, -0.01, 0.0, 0.02]), depth=np.array([0.0, 0.0, 1e-4, 0.0]))
SIDE_WORN = worn(rail_profile("60E1-EN"), y=np.array([-0.03, -0.02, 0.0, 0.01]), depth=np.array([1e-3, 5e-4, 1e-4, 0]))
UNLIKE = {
    "another cone": Unlike("cone-20", wheel=wheel_profile("cone-40")),
    "a hollow wheel": Unlike("S1002", wheel=HOLLOW),
    "a worn rail": Unlike("S1002", rail=SIDE_WORN),
}


@both_contacts
@pytest.mark.parametrize("name", UNLIKE)
def test_unlike_sides_move_a_wheelset_to_where_both_wheels_roll_on_one_radius(
    name: str, contact: Contact, tmp_path: Path
) -> None:
    case = UNLIKE[name]
    on = WheelRailSettings(
        wheel=case.left,
        wheel_right=written(case.wheel, tmp_path / "wheel.csv") if case.wheel else None,
        rail_right=written(case.rail, tmp_path / "rail.csv") if case.rail else None,
        friction=GRIPPING,
    )
    (pair,) = wheelsets_on_rails(known("single wheelset")[0], on)
    expected = float(brentq(lambda y: seat(pair, y=y).radius_difference, -5e-3, 5e-3))
    assert expected * seat(pair, y=0.0).radius_difference < 0  # away from the wheel that is larger in the middle
    assert abs(expected) > 4e-4
    settings = RunSettings(contact=contact, step=STEP[contact], wheel_rail=on)
    record = run(running("single wheelset", straight(length=120), speed=5.0, settings=settings), 10.0)
    assert record.stopped is None
    # it hunts about its new middle, from the old one: the middle of its extremes needs no whole number of waves
    y = record["wheelset.r_y"][-6000:]
    assert (y.max() + y.min()) / 2 == pytest.approx(expected, rel=0.25)
