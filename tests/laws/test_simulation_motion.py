"""Speed profiles: smooth, within their limits, and ending where they should."""

import numpy as np
import pytest

from twin.core.errors import ConfigError
from twin.simulation import Leg, MotionConfig, SpeedProfile, constant, with_stop

STOPPING = with_stop(speed=20.0, length=2900.0, stop_at=1500.0, dwell=12.0)


def test_position_is_the_integral_of_speed_and_speed_of_acceleration() -> None:
    profile = SpeedProfile.of(STOPPING)
    t = np.linspace(0.0, profile.duration, 200_001)
    for whole, rate in ((profile.position, profile.speed), (profile.speed, profile.acceleration)):
        steps = (rate(t)[1:] + rate(t)[:-1]) / 2 * np.diff(t)
        np.testing.assert_allclose(whole(t)[0] + np.concatenate(([0.0], np.cumsum(steps))), whole(t), atol=1e-5)


def test_acceleration_and_jerk_are_continuous_and_within_the_limit() -> None:
    profile = SpeedProfile.of(STOPPING)
    step = 1e-4
    t = np.arange(0.0, profile.duration, step)
    assert np.max(np.abs(profile.acceleration(t))) == pytest.approx(STOPPING.acceleration, rel=1e-6)
    largest_snap = np.max(np.abs(profile.path(t, 4)))
    assert np.max(np.abs(np.diff(profile.jerk(t)))) < 1.01 * step * largest_snap


def test_a_train_rests_before_departure_and_at_its_stop() -> None:
    profile = SpeedProfile.of(STOPPING)
    assert np.all(profile.speed(np.linspace(0, 30, 50)) == 0.0)
    t = np.arange(31.0, profile.duration, 0.01)
    standing = np.abs(profile.speed(t)) < 1e-9
    assert np.sum(standing) * 0.01 == pytest.approx(12.0, abs=0.1)
    np.testing.assert_allclose(profile.position(t[standing]), 20.0 + 1500.0, atol=1e-6)


def test_a_run_ends_after_its_length() -> None:
    for motion, length in ((constant(speed=3.0, length=500.0), 500.0), (STOPPING, 2900.0)):
        profile = SpeedProfile.of(motion)
        assert float(profile.position(np.array(profile.duration))) == pytest.approx(motion.start + length, abs=1e-6)


def test_legs_written_as_pairs_are_legs() -> None:
    pairs = SpeedProfile.through([(10.0, 400.0), (0.0, 5.0)])
    legs = SpeedProfile.of(MotionConfig(legs=(Leg(speed=10, distance=400), Leg(speed=0, duration=5))))
    np.testing.assert_array_equal(pairs.path.c, legs.path.c)


def test_time_at_inverts_position() -> None:
    profile = SpeedProfile.of(STOPPING)
    assert float(profile.position(np.array(profile.time_at(777.0)))) == pytest.approx(777.0, abs=1e-6)
    with pytest.raises(ConfigError, match="never passed"):
        profile.time_at(5000.0)


def test_a_leg_too_short_for_its_speed_change_says_what_to_do() -> None:
    with pytest.raises(ConfigError, match="lengthen it or raise"):
        SpeedProfile.of(constant(speed=30.0, length=100.0))
    with pytest.raises(ConfigError, match="stop_at must lie between"):
        with_stop(speed=20.0, length=2900.0, stop_at=100.0, dwell=1.0)


@pytest.mark.parametrize("leg", [{"speed": 5}, {"speed": 5, "distance": 1, "duration": 1}, {"speed": 0, "distance": 9}])
def test_a_leg_needs_one_extent_and_a_stop_a_duration(leg: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=r"needs (either|a duration)"):
        Leg.load(leg, where="motion.legs")
