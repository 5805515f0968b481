"""Irregularities as states: the published spectra, and one signal under two wheelsets."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.observer.config import TrackPrior
from twin.observer.rail_waves import wave

PRIOR, V = TrackPrior(), 20.0


def response(word: str, omega: np.ndarray, *, behind: tuple[float, ...] = ()) -> np.ndarray:
    """(frequencies, wheelsets, 3) of signal, rate and acceleration to unit white noise."""
    found = wave(PRIOR, word, V=V, behind=behind)
    eye = np.eye(len(found.A))
    return np.stack([found.rows @ np.linalg.solve(1j * w * eye - found.A, found.L) for w in omega])


@pytest.mark.parametrize(("word", "amplitude"), [("alignment", PRIOR.A_a), ("level", PRIOR.A_v)])
def test_spectrum_is_the_published_one(word: str, amplitude: float) -> None:
    Omega = 2 * np.pi / np.array([70.0, 25.0, 10.0, 5.0, 3.0])
    one_sided = np.abs(response(word, Omega * V)[:, 0, 0]) ** 2 * V / np.pi
    published = amplitude * PRIOR.omega_c**2 / ((Omega**2 + PRIOR.omega_r**2) * (Omega**2 + PRIOR.omega_c**2))
    assert_allclose(one_sided, published, rtol=0.1)


def test_cross_level_has_the_published_spectrum_below_100_m() -> None:
    Omega = 2 * np.pi / np.array([70.0, 25.0, 10.0, 5.0, 3.0])
    one_sided = np.abs(response("cross_level", Omega * V)[:, 0, 0]) ** 2 * V / np.pi
    c, r, s = PRIOR.omega_c, PRIOR.omega_r, PRIOR.omega_s
    angle = PRIOR.A_v / PRIOR.half_base**2 * c**2 * Omega**2
    angle /= (Omega**2 + r**2) * (Omega**2 + c**2) * (Omega**2 + s**2)
    assert_allclose(one_sided, (2 * PRIOR.half_base) ** 2 * angle, rtol=0.12)


def test_trailing_wheelset_meets_the_same_signal_later() -> None:
    """To 1 % down to 1.2 m."""
    omega, behind = 2 * np.pi * V / np.array([70.0, 10.0, 3.0, 1.2]), 2.56
    both = response("alignment", omega, behind=(behind,))
    late = np.exp(-1j * omega * behind / V)
    for rate in range(3):
        assert_allclose(both[:, 1, rate], both[:, 0, rate] * late, rtol=0.01)


def test_rates_are_derivatives() -> None:
    omega = 2 * np.pi * V / np.array([30.0, 5.0])
    both = response("level", omega, behind=(2.56,))
    assert_allclose(both[:, :, 1], 1j * omega[:, None] * both[:, :, 0], rtol=1e-9)
    assert_allclose(both[:, :, 2], -(omega[:, None] ** 2) * both[:, :, 0], rtol=1e-9)
