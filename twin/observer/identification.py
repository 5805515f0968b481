"""Parameters of vehicle and track from a stretch at one speed: Whittle's likelihood, climbed by Fisher's scoring.

The spectra of what all sensors show together fix ratios of forces, delays and resonances; no time history of the rails
is needed. With the measured spectra S_m of K independent records and log-factors theta about a model,

    score_k = K sum tr(S^-1 (S_m - S) S^-1 dS_k)        I_kl = K sum tr(S^-1 dS_k S^-1 dS_l)

A prior holds every factor where nothing is learnt, so its variance cannot grow, and steps are bounded. Amplitudes of
the track belong to the parameters: a rougher track is no softer spring.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array
from twin.observer.full_model import FullModel
from twin.observer.observability import Complex, sensor_spectra

LOG_STEP = 1e-3
LONGEST_STEP = 0.15
"""Of a log-factor, and the most of it per iteration."""
OVERLAP_LOSS = 0.53
"""Independent records per Hann window at half overlap [Welch 1967]: 18 / 34."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Spectra of all channels together."""

    omega: Array
    """(frequencies,) [rad/s]"""
    S: Complex
    """(frequencies, channels, channels) two-sided densities per Hz."""
    records: float
    """Independent ones behind each."""


def measured(z: Array, *, dt: float, segment: int, lowest: float, highest: float) -> Measured:
    """Spectra of samples z (n, channels) between two frequencies [Hz], by Hann windows of so many samples.

    A window is long against the time between the bogies (16 s against 1 s): else they seem to meet other rails.
    """
    window = np.hanning(segment + 1)[:-1]
    starts = range(0, len(z) - segment + 1, segment // 2)
    scale = np.sqrt(dt / np.sum(window**2))
    f = np.fft.rfftfreq(segment, dt)
    kept = (f >= lowest) & (f <= highest)
    S: Complex = np.zeros((int(kept.sum()), z.shape[1], z.shape[1]), dtype=np.complex128)
    for start in starts:
        part = z[start : start + segment]
        X = scale * np.fft.rfft((part - part.mean(axis=0)) * window[:, None], axis=0)[kept]
        S += X[:, :, None] * X[:, None, :].conj()
    return Measured(
        np.asarray(2 * np.pi * f[kept], dtype=np.float64), np.asarray(S / len(starts)), len(starts) * OVERLAP_LOSS
    )


@dataclass(frozen=True, slots=True)
class Identified:
    """Factors that were found."""

    names: tuple[str, ...]
    log_factors: Array
    """(parameters,)"""
    covariance: Array
    """(parameters, parameters) of the log-factors."""
    misfit: float
    """Mean of tr(S^-1 S_m) per channel: 1 where the model explains what was measured."""

    def factor(self, name: str) -> tuple[float, float]:
        """A factor and its standard deviation."""
        place = self.names.index(name)
        value = float(np.exp(self.log_factors[place]))
        return value, value * float(np.sqrt(self.covariance[place, place]))


def identify(
    model_at: Callable[[Array], FullModel],
    names: Sequence[str],
    seen: Measured,
    r: Array,
    *,
    dt: float,
    prior_sd: Array,
    start: Array | None = None,
    iterations: int = 8,
) -> Identified:
    """Most likely log-factors; model_at: the model with log-factors (parameters,); r: variances per sample."""
    prior = np.zeros(len(names)) if start is None else start
    theta, tight = prior.copy(), np.diag(1.0 / np.square(prior_sd))
    information, misfit = tight, 0.0
    for _ in range(iterations):
        score, information, misfit = _score(model_at, theta, seen, r, dt)
        information = information + tight
        step = np.linalg.solve(information, score - tight @ (theta - prior))
        theta = theta + np.clip(step, -LONGEST_STEP, LONGEST_STEP)
    covariance = np.asarray(np.linalg.inv(information), dtype=np.float64)
    return Identified(tuple(names), theta, covariance, misfit)


def _score(
    model_at: Callable[[Array], FullModel], theta: Array, seen: Measured, r: Array, dt: float
) -> tuple[Array, Array, float]:
    """Score, information and misfit at log-factors."""
    S = sensor_spectra(model_at(theta), r, seen.omega, dt=dt)
    slopes = []
    for k in range(theta.size):
        moved = theta + LOG_STEP * np.eye(theta.size)[k]
        slopes.append((sensor_spectra(model_at(moved), r, seen.omega, dt=dt) - S) / LOG_STEP)
    scaled = [np.linalg.solve(S, slope) for slope in slopes]
    fitted = np.linalg.solve(S, seen.S)
    excess = fitted - np.eye(S.shape[1])
    score = np.array([np.einsum("fij,fji->", excess, each).real for each in scaled])
    information = np.array([[np.einsum("fij,fji->", a, b).real for b in scaled] for a in scaled])
    misfit = float(np.einsum("fii->", fitted).real) / (len(S) * S.shape[1])
    return seen.records * score, seen.records * information, misfit
