"""Fisher's information of a simple process in closed form, and what sensors leave unknown."""

import numpy as np
from numpy.testing import assert_allclose

from twin.observer.full_model import FullModel
from twin.observer.observability import RELATIVE_STEP, bounds, fisher, frequencies, sensor_spectra, unknown_share

A_RATE, DT = 3.0, 0.002


def walker(density: float = 1.0) -> FullModel:
    """x' = -a x + white, seen by one sensor."""
    one = np.ones((1, 1))
    return FullModel(
        20.0, -A_RATE * one, np.zeros((1, 0)), np.sqrt(density) * one, one, np.zeros((1, 0)), (), {"x": np.ones(1)}
    )


def test_spectrum_is_that_of_the_process_and_its_noise() -> None:
    omega = np.array([0.5, 3.0, 30.0])
    found = sensor_spectra(walker(), np.array([0.01]), omega, dt=DT)[:, 0, 0]
    assert_allclose(found.real, 1 / (omega**2 + A_RATE**2) + 0.01 * DT, rtol=1e-12)
    assert_allclose(found.imag, 0.0, atol=1e-15)


def test_density_of_a_clean_process_is_known_to_root_of_two_over_its_waves() -> None:
    """Each wave of a record gives one squared amplitude: the variance of log density is 1 / waves."""
    omega, weights = frequencies(20.0, longest=100.0, shortest=1.0)
    information = fisher(walker(), {"density": walker(1 + RELATIVE_STEP)}, np.array([1e-12]), omega, weights, dt=DT)
    duration = 60.0
    waves = duration * weights.sum() / (2 * np.pi)
    assert_allclose(bounds(information, duration=duration, prior_sd=1e6)[0], 1 / np.sqrt(waves), rtol=2e-3)


def test_what_no_sensor_sees_stays_as_known_before() -> None:
    omega, weights = frequencies(20.0, longest=100.0, shortest=1.0)
    same = fisher(walker(), {"none": walker()}, np.array([0.01]), omega, weights, dt=DT)
    assert_allclose(bounds(same, duration=60.0, prior_sd=0.3), 0.3)


def test_unknown_share_grows_from_clean_waves_to_drowned_ones() -> None:
    omega = np.array([0.1, 1e4])
    share = unknown_share(walker(), np.ones(1), np.array([0.5]), omega, dt=DT)
    noise = 0.5 * DT
    power = 1 / (omega**2 + A_RATE**2)
    assert_allclose(share, noise / (power + noise), rtol=1e-9)
