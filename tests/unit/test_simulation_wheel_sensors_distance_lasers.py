"""Distance lasers: what their combination keeps and loses, the run-out, noise, cuts."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from tests.wheel_stretches import RADIUS, VEHICLE_RATE, cut, rolling
from twin.core.arrays import Array
from twin.simulation.short_wave import WheelStretch
from twin.simulation.wheel_sensors import DistanceLaserConfig, DistanceLasers

EXACT = DistanceLaserConfig(height_error=0.0, run_out=0.0, noise=0.0, lsb=0.0)


def measured(config: DistanceLaserConfig, stretch: WheelStretch, seed: int = 1) -> Array:
    return DistanceLasers(config, vehicle_rate=VEHICLE_RATE, seed=seed).process(stretch).values


def combined(values: Array) -> Array:
    """(n, wheels) d_b + d_t - 2 d_s."""
    b, t, s = values.reshape(values.shape[0], -1, 3).transpose(2, 0, 1)
    return np.asarray(b + t - 2 * s)


def test_the_combination_loses_shift_and_roll_and_keeps_8_6_micrometres_per_kilonewton() -> None:
    values = measured(EXACT, rolling(V=20.0, duration=2.0, Y=10e3))
    assert values.std(axis=0).min() > 10e-6
    assert_allclose(combined(values), 86e-6, rtol=1e-6)


def test_the_rim_gives_way_by_22_micrometres_per_kilonewton_beside_the_contact() -> None:
    """reference/forces/wheel_web_harmonics, axial load-point compliance."""
    still = EXACT.model_copy(update={"axial_play": 0.0, "wander": 0.0, "roll": 0.0})
    values = measured(still, rolling(V=20.0, duration=0.1, Y=1e3))
    assert_allclose(values[:, 0] - 0.1, 22e-6, rtol=1e-9)


def test_run_out_comes_again_with_every_turn_and_is_seen_by_all_lasers() -> None:
    config = EXACT.model_copy(update={"run_out": 60e-6, "wander": 0.0, "roll": 0.0})
    V = 2 * np.pi * RADIUS * 5  # five turns a second: 400 samples each
    values = measured(config, rolling(V=V, duration=2.0))
    assert_allclose(values[400:800], values[800:1200], atol=1e-12)
    bottom, top, side = values[400:1600, :3].T
    assert_allclose(np.roll(bottom, 200)[400:800], top[400:800], atol=1e-12)
    assert_allclose(np.roll(bottom, 100)[400:800], side[400:800], atol=1e-12)
    assert bottom.std() > 10e-6


def test_a_misplaced_laser_lets_roll_through() -> None:
    config = EXACT.model_copy(update={"height_error": 1e-3, "roll": 1e-3, "wander_time": 0.01})
    leaks = [combined(measured(config, rolling(V=20.0, duration=2.0), seed=seed)).std(axis=0) for seed in range(30)]
    rms = np.sqrt(np.mean(np.square(leaks)))
    assert_allclose(rms, 1e-3 * 1e-3 * np.sqrt(1 + 1 + 4), rtol=0.4)  # chi-squared of 60 wheels


def test_noise_and_steps_are_those_of_the_datasheet() -> None:
    still = EXACT.model_copy(update={"axial_play": 0.0, "wander": 0.0, "roll": 0.0})
    noisy = measured(still.model_copy(update={"noise": 2e-6}), rolling(V=20.0, duration=2.0))
    assert_allclose(noisy.std(axis=0), 2e-6, rtol=4 / np.sqrt(2 * noisy.shape[0]))
    coarse = measured(still.model_copy(update={"noise": 2e-6, "lsb": 5e-7}), rolling(V=20.0, duration=0.5))
    counts = (coarse - 0.1) / 5e-7
    assert_allclose(counts, np.rint(counts), atol=1e-6)


def test_a_distance_ends_at_the_range() -> None:
    config = EXACT.model_copy(update={"half_range": 1e-4})
    values = measured(config, rolling(V=20.0, duration=0.2, Y=50e3))
    assert_allclose(values[:, 0], 0.1 + 1e-4)


def test_cuts_change_no_bit() -> None:
    stretch, config = rolling(V=15.0, duration=0.5, Y=5e3), DistanceLaserConfig()
    whole = measured(config, stretch, seed=2)
    lasers = DistanceLasers(config, vehicle_rate=VEHICLE_RATE, seed=2)
    parts = [lasers.process(part).values for part in cut(stretch, [1, 2, 60, 61, 400])]
    assert_array_equal(np.concatenate(parts), whole)
