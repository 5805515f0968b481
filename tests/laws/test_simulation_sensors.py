"""Emulated sensors: their errors are those of the datasheet, no more and no less."""

import numpy as np
import pytest

from twin.core.arrays import Array, G
from twin.simulation import (
    AxisErrors,
    ImuErrors,
    ImuGrade,
    Scenario,
    Slide,
    Train,
    VibrationConfig,
    constant,
    simulate,
)
from twin.simulation.encoder import EncoderSensor
from twin.simulation.sensors import GRADES, LEAD, OVERSAMPLING, ImuSensor, Vibration

RATE = 500.0
AT_REST = np.array([0.0, 0.0, G, 0.0, 0.0, 0.0])


def _at_rest(errors: ImuErrors, *, seconds: float, seed: int = 1) -> Array:
    n = int(seconds * RATE)
    sensor = ImuSensor(errors, rate=RATE, seed=seed)
    inside = np.broadcast_to(AT_REST, (OVERSAMPLING * n, 6))
    return sensor.process(np.arange(n) / RATE, inside)[1]


@pytest.mark.parametrize("grade", [ImuGrade.TACTICAL, ImuGrade.CONSUMER])
def test_noise_has_the_density_of_the_datasheet(grade: ImuGrade) -> None:
    """The mean spectrum between 5 and 100 Hz, one-sided, over 200 s: 19 000 lines, known to 0.7 %."""
    errors = GRADES[grade]
    values = _at_rest(errors, seconds=200.0)[:, :6]
    power = 2 * np.abs(np.fft.rfft(values, axis=0)) ** 2 / (RATE * values.shape[0])
    f = np.fft.rfftfreq(values.shape[0], 1 / RATE)
    density = np.sqrt(power[(f > 5) & (f < 100)].mean(axis=0))
    triads = (errors.accelerometer,) * 3 + (errors.gyroscope,) * 3
    # Rounding to a step adds its own white noise, step^2 / 12.
    expected = [np.hypot(triad.noise_density, triad.lsb / np.sqrt(6 * RATE)) for triad in triads]
    np.testing.assert_allclose(density, expected, rtol=0.03)


@pytest.mark.parametrize("grade", [ImuGrade.TACTICAL, ImuGrade.CONSUMER])
def test_turn_on_biases_over_many_units_have_the_spread_of_the_datasheet(grade: ImuGrade) -> None:
    errors = GRADES[grade]
    means = np.array([_at_rest(errors, seconds=4.0, seed=seed)[:, :6].mean(axis=0) for seed in range(80)]) - AT_REST
    for columns, triad in ((slice(0, 2), errors.accelerometer), (slice(3, 6), errors.gyroscope)):
        tilt = G * triad.misalignment if triad is errors.accelerometer else 0.0
        expected = np.sqrt(triad.turn_on**2 + triad.instability**2 + tilt**2)
        # 160 or 240 independent draws know a deviation to 6 % or 5 %.
        assert np.sqrt(np.mean(means[:, columns] ** 2)) == pytest.approx(expected, rel=0.2)


def test_an_ideal_unit_reports_a_motion_at_the_time_it_stamps() -> None:
    """The delay of the anti-alias filter is compensated: at 10 Hz the phase is right to 5 microseconds."""
    n, w = 2000, 2 * np.pi * 10.0
    sensor = ImuSensor(GRADES[ImuGrade.IDEAL], rate=RATE, seed=1)
    inside = np.sin(w * (np.arange(OVERSAMPLING * n) + LEAD) / (RATE * OVERSAMPLING))
    t, values = sensor.process(np.arange(n) / RATE, np.repeat(inside[:, None], 6, axis=1))
    late = slice(500, None)
    assert np.max(np.abs(values[late, 0] - np.sin(w * t[late]))) < w * 5e-6


def test_values_end_at_the_range_and_lie_on_the_steps() -> None:
    errors = ImuErrors(accelerometer=AxisErrors(limit=5.0, lsb=0.01, noise_density=0.01))
    values = _at_rest(errors, seconds=1.0)
    assert np.all(values[:, 2] == 5.0)
    steps = values[:, 0] / 0.01
    np.testing.assert_allclose(steps, np.rint(steps), atol=1e-9)


def test_vibration_grows_with_speed_keeps_its_level_and_is_silent_at_rest() -> None:
    config, rate = VibrationConfig(), RATE * OVERSAMPLING
    t = np.arange(0.0, 60.0, 1 / rate)
    vibration = Vibration(config, rate=rate, departure=5.0, seed=2)
    values = vibration.process(t, np.where(t < 5.0, 0.0, np.where(t < 30.0, 10.0, 20.0)))
    assert np.all(values[t < 5.0] == 0.0)
    slow, fast = values[(t > 8) & (t < 30)].std(axis=0), values[t > 33].std(axis=0)
    np.testing.assert_allclose(fast, [config.acceleration] * 3 + [config.rate] * 3, rtol=0.1)
    np.testing.assert_allclose(slow / fast, 0.5, rtol=0.12)


def test_encoder_counts_the_distance_with_its_true_radius() -> None:
    scenario = Scenario(motion=constant(speed=20.0, length=1500.0))
    run = simulate(scenario)
    angle = run.streams[1].values[:, 0]
    travelled = run.truth.s_body[-1] - run.truth.s_body[0]
    measured = (angle[-1] - angle[0]) * scenario.vehicle.wheel_radius
    assert measured == pytest.approx(travelled, rel=5e-4)  # conicity in the curve, 3 ms between last samples
    counts = angle / (2 * np.pi / scenario.encoder.counts)
    np.testing.assert_allclose(counts, np.rint(counts), atol=1e-6)
    assert np.all(np.diff(angle) >= 0)


def test_a_slide_loses_the_distance_of_its_window_and_no_other() -> None:
    scenario = Scenario(motion=constant(speed=20.0, length=1500.0))
    slide = Slide(s=1000.0, duration=4.0, ratio=-0.25)
    train = Train(scenario)
    t = np.arange(0.0, train.profile.duration, 1 / scenario.encoder.rate)
    rolling, sliding = (
        EncoderSensor(scenario.encoder, scenario.vehicle, train.carriage, slides, seed=1).process(t)[1][:, 0]
        for slides in ((), (slide,))
    )
    lost = (rolling - sliding) * scenario.vehicle.wheel_radius
    start = train.profile.time_at(1000.0)
    assert np.all(lost[t < start] == 0.0)
    # Edges of a quarter of the duration each hold half: three quarters of it in all.
    np.testing.assert_allclose(lost[t > start + 4.0], 0.25 * 20.0 * 3.0, atol=2e-3)
