"""Axle-box accelerometers: gain, noise, resonance, saturation, mounting, and that cuts change no bit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.wheel_stretches import VEHICLE_RATE, cut, rolling
from twin.core.arrays import Array, G
from twin.core.errors import ConfigError
from twin.simulation.short_wave import FastStretch, ShortWaveConfig, ShortWaves
from twin.simulation.wheel_sensors import AxleBoxConfig, AxleBoxSensors, BoxAxis

RATE = 25600.0
COMPLETE = 25396
"""Fast samples that a second of the vehicle completes: up to eight of its samples before the end."""
IDEAL = AxleBoxConfig(noise_density=0.0, bias=0.0, scale=0.0, cross_axis=0.0, mounting=0.0, lsb=0.0)


def delivered(config: AxleBoxConfig, shaken: Array, *, seed: int = 1) -> Array:
    """(n, channels) of a second, with all boxes shaken upwards (n,) [m/s^2] at the fast rate, at rest otherwise."""
    stretch = rolling(V=20.0, duration=1.0)
    acceleration = np.repeat(shaken[:, None], 4, axis=1)
    fast = FastStretch(0, 0.0, RATE, force=np.full_like(acceleration, 5e4), acceleration=acceleration)
    sensors = AxleBoxSensors(config, wheels=4, vehicle_rate=VEHICLE_RATE, seed=seed)
    return sensors.process(stretch, fast).values


def gain(config: AxleBoxConfig, f: float) -> float:
    t = np.arange(COMPLETE) / RATE
    values = delivered(config, np.sin(2 * np.pi * f * t))[5000:25000, 0]
    wave = np.exp(-2j * np.pi * f * t[5000:25000])
    return float(2 * np.abs(np.mean((values - values.mean()) * wave)))


def test_at_rest_an_ideal_sensor_reads_gravity() -> None:
    assert_allclose(delivered(IDEAL, np.zeros(COMPLETE)), G, rtol=1e-9)


def test_below_its_bandwidth_a_sensor_is_true_and_at_it_3_db_low() -> None:
    stiff = IDEAL.model_copy(update={"resonance": 1e5, "bandwidth": 6e3})
    assert_allclose(gain(stiff, 500.0), 1.0, rtol=2e-3)
    assert_allclose(20 * np.log10(gain(stiff, 6e3)), -3.0, atol=0.15)


def test_a_resonance_lifts_by_the_law_of_the_oscillator() -> None:
    """1 / (1 - (f / f_0)^2) well below it."""
    for resonance in (8e3, 21e3):
        soft, stiff = (IDEAL.model_copy(update={"resonance": f_0}) for f_0 in (resonance, 1e5))
        f = 4e3
        lift = gain(soft, f) / gain(stiff, f)
        assert_allclose(lift, 1 / (1 - (f / resonance) ** 2), rtol=0.015)


def test_noise_has_the_density_of_the_datasheet() -> None:
    config = IDEAL.model_copy(update={"noise_density": 2e-3})
    values = delivered(config, np.zeros(COMPLETE))
    assert_allclose(values.std(axis=0), 2e-3 * np.sqrt(RATE / 2), rtol=4 / np.sqrt(2 * COMPLETE))


def test_a_sensor_ends_at_its_limit() -> None:
    t = np.arange(COMPLETE) / RATE
    values = delivered(IDEAL, 3000.0 * np.sin(2 * np.pi * 50.0 * t))
    assert values.max() <= 100 * G
    assert (np.abs(values) > 0.999 * 100 * G).mean() > 0.5


def test_values_are_whole_steps_of_the_converter() -> None:
    config = AxleBoxConfig(lsb=0.03)
    counts = delivered(config, np.zeros(COMPLETE)) / 0.03
    assert_allclose(counts, np.rint(counts), atol=1e-6)


def test_scale_and_axis_errors_are_those_of_the_datasheet() -> None:
    config = IDEAL.model_copy(update={"scale": 0.01, "cross_axis": 0.02, "mounting": 0.01, "axes": tuple(BoxAxis)})
    shaken = np.zeros(COMPLETE)
    gains = np.array([delivered(config, shaken, seed=seed)[100].reshape(4, 3) / G for seed in range(60)]).reshape(-1, 3)
    sd = gains.std(axis=0)
    n = gains.shape[0]
    assert_allclose(sd[BoxAxis.VERTICAL], 0.01, rtol=4 / np.sqrt(2 * n))
    assert_allclose(sd[: BoxAxis.VERTICAL], np.hypot(0.02, 0.01), rtol=4 / np.sqrt(2 * n))


def test_cuts_change_no_bit() -> None:
    stretch = rolling(V=25.0, duration=0.4)
    rng = np.random.default_rng(4)
    stretch.box_acceleration[:] += rng.standard_normal(stretch.box_acceleration.shape)

    def stages() -> tuple[ShortWaves, AxleBoxSensors]:
        config = AxleBoxConfig(axes=tuple(BoxAxis))
        boxes = AxleBoxSensors(config, wheels=4, vehicle_rate=VEHICLE_RATE, seed=9)
        return ShortWaves(ShortWaveConfig(), vehicle_rate=VEHICLE_RATE), boxes

    waves, boxes = stages()
    whole = boxes.process(stretch, waves.process(stretch))
    waves, boxes = stages()
    parts = [boxes.process(part, waves.process(part)) for part in cut(stretch, [1, 3, 20, 21, 22, 300])]
    assert_array_equal(np.concatenate([part.values for part in parts]), whole.values)
    assert [part.first for part in parts[1:]] == list(np.cumsum([part.values.shape[0] for part in parts])[:-1])


def test_a_fast_stretch_of_another_time_is_refused() -> None:
    stretch = rolling(V=20.0, duration=0.1)
    fast = ShortWaves(ShortWaveConfig(), vehicle_rate=VEHICLE_RATE).process(stretch)
    boxes = AxleBoxSensors(AxleBoxConfig(), wheels=4, vehicle_rate=VEHICLE_RATE, seed=1)
    boxes.process(stretch, fast)
    with pytest.raises(ConfigError, match="same stretches"):
        boxes.process(stretch, fast)


def test_a_bandwidth_beyond_half_the_rate_is_refused() -> None:
    with pytest.raises(ConfigError, match="bandwidth must lie below"):
        AxleBoxSensors(AxleBoxConfig(bandwidth=13e3), wheels=4, vehicle_rate=VEHICLE_RATE, seed=1)
