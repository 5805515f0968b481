"""A wheelset set down on rigid rails: it touches on both sides, penetrates nowhere, and knows its mirror image."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.contact.curve import Curve, Zone, join
from twin.contact.pair import FALOMI_RANGE, SearchConfig, pair
from twin.contact.plain.seating import seated
from twin.contact.points import CAPACITY, FIELDS
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.seating import SEATED, SeatingError, WheelsetPair, seat, seat_batch
from twin.contact.shapes import line

WHEEL, WORN = (wheel_curve(wheel_profile("S1002"), radius=radius) for radius in (0.460, 0.459))
RAIL, OTHER = laid_rail(rail_profile("60E1-EN")), laid_rail(rail_profile("60E1-MB"), cant=1 / 20)
LEFT, RIGHT = pair(WHEEL, RAIL), pair(WORN, OTHER)
NARROW = pair(WHEEL, RAIL, FALOMI_RANGE)
EQUAL, DIFFERENT = WheelsetPair(LEFT, LEFT), WheelsetPair(LEFT, RIGHT)


@pytest.mark.parametrize("wheelset", [EQUAL, DIFFERENT], ids=["equal", "different"])
def test_both_wheels_touch_to_1e_12_m_and_none_penetrates(wheelset: WheelsetPair) -> None:
    rng = np.random.default_rng(1)
    for y, yaw in rng.uniform(-1, 1, (500, 2)) * (0.008, 0.0175):
        seating = seat(wheelset, y=y, yaw=yaw)
        for points, touching in ((seating.left, seating.touching_left), (seating.right, seating.touching_right)):
            assert abs(points.vertical_gap[touching]) < 1e-12
            assert points.gap.min() > -1e-12


def test_mirrored_wheelset_seats_in_the_mirrored_pose() -> None:
    rng = np.random.default_rng(2)
    for y, yaw in rng.uniform(-1, 1, (200, 2)) * (0.008, 0.0175):
        one, other = seat(DIFFERENT, y=y, yaw=yaw), seat(WheelsetPair(RIGHT, LEFT), y=-y, yaw=-yaw)
        assert_allclose(other.pose, one.pose.mirrored(), rtol=0, atol=1e-12)
        assert_allclose(other.right.y, -one.left.y, rtol=0, atol=1e-11)
        assert other.radius_difference == pytest.approx(-one.radius_difference, abs=1e-11)


def test_equal_wheels_in_the_middle_seat_level_whatever_the_yaw() -> None:
    for yaw in (0.0, 0.005, -0.0175):
        seating = seat(EQUAL, y=0.0, yaw=yaw)
        assert abs(seating.pose.roll) < 1e-13
        assert seating.radius_difference == pytest.approx(0.0, abs=1e-12)


def test_kernel_seats_where_plain_scipy_seats() -> None:
    right = pair(WORN, OTHER, FALOMI_RANGE)
    rng = np.random.default_rng(3)
    for y, yaw in rng.uniform(-1, 1, (6, 2)) * (0.005, 0.0175):
        expected = seated((WHEEL, RAIL), (WORN, OTHER), y=y, yaw=yaw)
        assert_allclose(seat(WheelsetPair(NARROW, right), y=y, yaw=yaw).pose, expected, rtol=0, atol=1e-11)


def test_batch_is_the_single_seating_for_every_position() -> None:
    y_yaw = np.random.default_rng(4).uniform(-1, 1, (50, 2)) * (0.008, 0.0175)
    results, rows = np.empty((50, 5)), np.empty((2, 50, CAPACITY, FIELDS))
    seat_batch(LEFT, RIGHT, y_yaw, results, rows[0], rows[1])
    assert np.all(results[:, 4] == SEATED)
    for (y, yaw), (roll, height, *_) in zip(y_yaw, results, strict=True):
        assert_allclose(seat(DIFFERENT, y=y, yaw=yaw).pose, (y, height, yaw, roll), rtol=0, atol=0)


def crests(count: int, *, highest: int) -> Curve:
    """A rail of crests 5 mm apart and 0.2 mm high, one of them 0.1 mm higher."""
    y = np.linspace(0.75 - 2.5e-3 * count, 0.75 + 2.5e-3 * count, 40 * count + 1)
    phase = 2 * np.pi / 5e-3 * (y - y[0])
    height = 1e-4 * np.where((y - y[0]) // 5e-3 == highest, 1.5, 1.0)
    k = 2 * np.pi / 5e-3
    return join([Zone(y, height * (1 - np.cos(phase)), height * k * np.sin(phase), height * k * k * np.cos(phase))])


def test_wheelset_finds_the_highest_of_twelve_crests() -> None:
    wheel = join([line(start=0.71, end=0.79, value=0.46, slope=0.0)])
    on = pair(wheel, crests(12, highest=10), SearchConfig(wheel=(0.715, 0.785)))
    seating = seat(WheelsetPair(on, on), y=0.0)
    assert seating.left.count == 12
    assert seating.left.y[seating.touching_left] == pytest.approx(0.7725, abs=1e-6)
    assert seating.pose.G_z == pytest.approx(0.4603, abs=1e-9)


@pytest.mark.parametrize(("y", "wheel"), [(0.009, "left"), (-0.009, "right"), (np.nan, "left"), (np.inf, "left")])
def test_wheel_that_leaves_the_range_of_its_rail_is_named(y: float, wheel: str) -> None:
    with pytest.raises(SeatingError, match=f"the {wheel} wheel has no contact"):
        seat(WheelsetPair(NARROW, NARROW), y=y)
