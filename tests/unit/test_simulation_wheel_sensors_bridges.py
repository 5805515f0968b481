"""Strain bridges: the model of the strain, published harmonics, harmonic cancellation, errors, cuts."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.wheel_stretches import RADIUS, VEHICLE_RATE, cut, rolling
from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.simulation.short_wave import FastStretch, SensorStretch, WheelStretch
from twin.simulation.wheel_sensors import BridgeCircle, BridgeConfig, BridgeSensors, web_harmonics

CIRCLES = (BridgeCircle(radius=0.16, temperature_rise=0.0), BridgeCircle(radius=0.31, temperature_rise=0.0))
EXACT = BridgeConfig(
    circles=CIRCLES,
    angle_error=0.0,
    radius_error=0.0,
    web_variation=0.0,
    gain_error=0.0,
    zero=0.0,
    noise=0.0,
    centrifugal=0.0,
    lsb=0.0,
)


def even(stretch: WheelStretch) -> FastStretch:
    """The wheel loads of a stretch of constant ones, at the fast rate, with nothing on top."""
    n = int(stretch.t.size * 25.6)
    force = np.repeat(stretch.Q[:1], n, axis=0)
    return FastStretch(0, float(stretch.t[0]), 25600.0, force=force, acceleration=np.zeros_like(force))


def measured(config: BridgeConfig, stretch: WheelStretch, seed: int = 1) -> SensorStretch:
    return BridgeSensors(config, vehicle_rate=VEHICLE_RATE, seed=seed).process(stretch, even(stretch))


def turned(values: SensorStretch, *, V: float) -> Array:
    """(n,) angle of the leading wheels [rad]."""
    return np.asarray((101.28 + V * values.t) / RADIUS)


def first_order(values: SensorStretch) -> Array:
    """(3,) complex amplitude in the first three channels, over two turns of 0.289 s at 10 m/s."""
    wave = np.exp(-1j * turned(values, V=10.0))[:, None]
    return np.asarray(np.mean((values.values * wave)[20 : 20 + 578, :3], axis=0))


def test_harmonics_are_those_of_the_computed_wheel() -> None:
    """reference/forces/wheel_web_harmonics, outer face, 0.16 and 0.31 m, in microstrain per kN."""
    near, far = web_harmonics(0.16), web_harmonics(0.31)
    assert_allclose(near.b[:3] * 1e9, [-2.34629, -8.70770, -0.83309])
    assert_allclose(near.a[:3] * 1e9, [0.04407, 0.33757, -0.09707])
    assert_allclose(far.a[:4] * 1e9, [-0.04981, -0.20414, -0.17195, -0.14895])
    assert_allclose(web_harmonics(0.16, scale=0.1).b, 100 * near.b)


def test_a_millimetre_of_contact_shift_under_100_kn_reads_as_220_n_of_lateral_force() -> None:
    """In the first harmonic, as the design says: M / R."""
    web = web_harmonics(0.16)
    assert_allclose(100e3 * 1e-3 * web.m[1] / web.b[1], 220.0, rtol=0.02)


def test_strain_is_the_sum_of_its_harmonics() -> None:
    Q, Y, X, e, V = 60e3, 12e3, 4e3, 5e-3, 10.0
    found = measured(EXACT, rolling(V=V, duration=1.0, Q=Q, Y=Y, X=X, e=e))
    theta, n = turned(found, V=V), np.arange(13)
    for channel in range(12):
        web = web_harmonics(CIRCLES[channel % 6 // 3].radius)
        angle = n * (theta + 2 * np.pi * (channel % 3) / 3)[:, None]
        strain = np.cos(angle) @ (Q * web.a + Y * web.b + Q * e * web.m) + np.sin(angle) @ (X * web.x)
        assert_allclose(found.values[20:, channel], strain[20:], atol=2e-9)


def test_temperature_and_rotation_enter_order_zero_only() -> None:
    warm = tuple(circle.model_copy(update={"temperature_rise": 30.0}) for circle in CIRCLES)
    config = EXACT.model_copy(update={"circles": warm, "centrifugal": 3.3e-9, "temperature_time": 100.0})
    stretch = rolling(V=40.0, duration=2.0)
    more = measured(config, stretch).values - measured(EXACT, stretch).values
    age = np.arange(more.shape[0]) / 2000.0
    expected = 2e-6 * 30.0 * -np.expm1(-age / 100.0) + 3.3e-9 * (40.0 / RADIUS) ** 2
    assert_allclose(more[20:], np.repeat(expected[20:, None], 12, axis=1), atol=1e-10)


def test_a_rotating_transform_cancels_all_but_aliased_orders() -> None:
    """Z_p = mean_j s_j exp(-i p (theta + phi_j)) keeps order p at half, and of the others m N +- p alone."""
    N = 8
    config = EXACT.model_copy(update={"circles": (CIRCLES[0].model_copy(update={"gauges": N}),), "wheels": (0,)})
    Y, V = 20e3, 10.0
    found = measured(config, rolling(V=V, duration=2.0, Q=60e3, Y=Y))
    angle = turned(found, V=V)[:, None] + 2 * np.pi * np.arange(N) / N
    Z = 2 * np.mean(found.values * np.exp(-1j * angle), axis=1)[20:]
    web = web_harmonics(0.16)
    amplitudes = 60e3 * web.a + Y * web.b
    assert_allclose(Z.real, amplitudes[1], atol=1.1 * np.abs(amplitudes[[7, 9]]).sum())


def test_noise_and_placement_are_as_said() -> None:
    config = EXACT.model_copy(update={"noise": 1e-6})
    stretch = rolling(V=10.0, duration=2.0)
    noise = measured(config, stretch).values - measured(EXACT, stretch).values
    assert_allclose(noise.std(axis=0), 1e-6, rtol=4 / np.sqrt(2 * noise.shape[0]))
    misplaced = EXACT.model_copy(update={"angle_error": 0.3 * np.pi / 180})
    lateral = rolling(V=10.0, duration=0.5, Q=0.0, Y=20e3)
    placed = first_order(measured(EXACT, lateral))
    shifts = [np.angle(first_order(measured(misplaced, lateral, seed=seed)) / placed) for seed in range(40)]
    assert_allclose(np.std(shifts), 0.3 * np.pi / 180, rtol=4 / np.sqrt(2 * 120))


def test_dynamic_loads_up_to_500_hz_are_in_the_strain() -> None:
    stretch = rolling(V=0.0, duration=1.0)
    fast = even(stretch)
    t = np.arange(fast.force.shape[0]) / 25600.0
    shaken = fast.force + 10e3 * np.sin(2 * np.pi * 500.0 * t)[:, None]
    sensors = BridgeSensors(EXACT, vehicle_rate=VEHICLE_RATE, seed=1)
    moved = FastStretch(0, 0.0, 25600.0, force=shaken, acceleration=fast.acceleration)
    values = sensors.process(stretch, moved).values[200:]
    still = measured(EXACT, stretch).values[200:]
    assert_allclose((values - still).std(axis=0) / np.abs(still).max(axis=0), 0.2 / np.sqrt(2), rtol=0.02)


def test_cuts_change_no_bit() -> None:
    stretch, config = rolling(V=15.0, duration=0.5, Y=5e3), BridgeConfig()
    fast = even(stretch)
    whole = BridgeSensors(config, vehicle_rate=VEHICLE_RATE, seed=2).process(stretch, fast).values
    sensors = BridgeSensors(config, vehicle_rate=VEHICLE_RATE, seed=2)
    at = [1, 40, 41, 333]
    borders = [0, 3, 900, 1300, 9000, fast.force.shape[0]]
    pieces = [fast.force[start:stop] for start, stop in pairwise(borders)]
    parts = [
        sensors.process(part, FastStretch(0, 0.0, 25600.0, force=piece, acceleration=0 * piece)).values
        for part, piece in zip(cut(stretch, at), pieces, strict=True)
    ]
    assert_array_equal(np.concatenate(parts), whole)


def test_six_channels_on_each_of_two_wheels_by_default() -> None:
    assert measured(BridgeConfig(), rolling(V=10.0, duration=0.1)).values.shape[1] == 12


def test_a_radius_without_known_strains_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"0\.15 to 0\.17 or 0\.30 to 0\.33"):
        web_harmonics(0.25)
