"""Noise of an inertial sensor by the Allan deviation of a long rest [IEEE 952, annex C].

The Allan variance of a signal with white noise, flicker and random walk is, over the averaging time tau,

    sigma^2(tau) = N^2 / tau + (2 ln 2 / pi) B^2 + K^2 tau / 3

Noise densities are one-sided here, as data sheets and the navigation have them: D = sqrt(2) N. The terms are fitted by
least squares with the covariance of the Allan variances themselves, which follows from the spectrum found: all of them
come from the same samples, so that neighbours are far from independent.
"""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from pydantic import Field
from scipy.optimize import nnls

from calibration.rest import Rest, RestConfig, longest_rest
from calibration.store import Calibration, Origin, rounded
from twin.core.arrays import Array
from twin.core.blocks import Epoch
from twin.core.errors import CalibrationError
from twin.navigation.chain import Setup

AXES = ("accel_x", "accel_y", "accel_z", "gyro_x", "gyro_y", "gyro_z")
TERMS = ("noise_density", "bias_instability", "random_walk")
FLICKER = 2 * np.log(2) / np.pi
PER_OCTAVE = 1
"""Averaging times in a factor of two."""
ROUNDS = 6
"""Of the fit, each with the spectrum of the one before."""
FREQUENCIES = 6000
"""At which the spectrum is summed."""
BATCH = 1.0
"""Length of the pieces among which a disturbed one is sought [s]."""


class AllanConfig(RestConfig):
    """What an Allan deviation is asked of a rest."""

    shortest: float = Field(900.0, ge=1, description="least rest [s]: the bias of a usual sensor is best after 100 s")
    longest: float = Field(7200.0, ge=10, description="of a longer rest the first part is used [s]: bounds memory")
    settle: float = Field(5.0, ge=0, le=60, description="left out at both ends [s]")
    first: float = Field(0.1, gt=0, le=10, description="shortest averaging time [s]: beyond the sensor's own filter")
    averages: float = Field(10.0, ge=3, le=100, description="longest averaging time, as so many in the rest")
    shaken: float = Field(
        2.5, gt=1, le=20, description="sd of a second, in that of the usual one, that tells a step or a train nearby"
    )
    most_shaken: float = Field(0.005, ge=0, le=0.2, description="largest part of shaken seconds [-]")
    seen: float = Field(3.0, ge=1, le=10, description="a term is seen if its square is so many of its sd")


@dataclass(frozen=True, slots=True)
class Noise:
    """Noise of one axis."""

    tau: Array
    """(times,) [s]"""
    deviation: Array
    """(times,) Allan deviation, in the unit of the axis."""
    sd: Array
    """(times,) of the deviation."""
    values: Array
    """(3,) one-sided density [unit/sqrt(Hz)], bias instability B [unit], random walk K [unit/sqrt(s)]."""
    sd_values: Array
    """(3,)"""
    seen: tuple[bool, bool, bool]
    """Whether the rest shows the term; the value of one it does not show is an upper bound, two sd from nothing."""

    def model(self, tau: Array) -> Array:
        """(times,) Allan deviation of the terms that are seen."""
        return np.asarray(np.sqrt(_terms(tau) @ np.square(np.where(self.seen, self.values, 0.0))))


@dataclass(frozen=True, slots=True)
class Allan:
    """Noise of an inertial sensor."""

    rest: Rest
    axes: tuple[Noise, ...]
    """As AXES."""

    def calibration(self, *, date: datetime.date, source: str) -> Calibration:
        """As a file: every axis, and what the navigation is told, the mean of three."""
        found, uncertainty = {}, {}
        for axis, noise in zip(AXES, self.axes, strict=True):
            for term, seen, value, sd in zip(
                TERMS, noise.seen, rounded(noise.values), rounded(noise.sd_values), strict=True
            ):
                if seen:
                    found[f"{axis}.{term}"], uncertainty[f"{axis}.{term}"] = value, sd
        navigation: dict[str, float] = {}
        for name, axes in (("accel", self.axes[:3]), ("gyro", self.axes[3:])):
            for key, k in ((f"{name}_noise", 0), (f"{name}_bias_walk", 2)):
                if all(axis.seen[k] for axis in axes):
                    value, sd = _together(axes, k)
                    navigation[key], uncertainty[f"navigation.{key}"] = rounded(np.array([value]))[0], sd
        origin = Origin(kind="imu-noise", date=date, source=source, found=found, uncertainty=uncertainty)
        return Calibration(calibration=origin, navigation=navigation)


def calibrate_imu_noise(setup: Setup, epochs: Iterable[Epoch], *, config: AllanConfig | None = None) -> Allan:
    """Noise from the longest rest, or CalibrationError with the reason why not."""
    config = config or AllanConfig()
    rest = longest_rest(setup, epochs, config)
    values = filled(np.concatenate([rest.a, rest.w], axis=1))
    quiet(values, rest.dt, config)
    return Allan(rest, tuple(axis_noise(column, dt=rest.dt, config=config) for column in values.T))


def axis_noise(values: Array, *, dt: float, config: AllanConfig) -> Noise:
    """Terms of one axis from its samples (n,)."""
    T = values.size * dt
    if T / config.averages < 8 * config.first:
        needed = 8 * config.first * config.averages
        raise CalibrationError(f"a rest of {T:.0f} s has too few averaging times: at least {needed:.0f} s are needed")
    octaves = np.log2(T / config.averages / config.first)
    counts = np.unique(np.round(config.first / dt * 2 ** np.arange(0, octaves + 1e-9, 1 / PER_OCTAVE)).astype(np.int64))
    counts = counts[counts >= 1]
    tau = counts.astype(np.float64) * dt
    variance = np.array([allan_variance(values, int(m)) for m in counts])
    theta, P, C = _fitted(tau, variance, T=T, dt=dt)
    sd_theta = np.sqrt(np.diag(P))
    seen = theta > config.seen * sd_theta
    size = np.sqrt(np.where(seen, theta, theta + 2 * sd_theta))
    deviation = np.sqrt(variance)
    return Noise(
        tau=tau,
        deviation=deviation,
        sd=np.sqrt(np.diag(C)) / (2 * deviation),
        values=size,
        sd_values=sd_theta / (2 * size),
        seen=(bool(seen[0]), bool(seen[1]), bool(seen[2])),
    )


def allan_variance(values: Array, m: int) -> float:
    """Overlapping Allan variance of samples (n,) averaged m at a time, m <= n / 2."""
    total = np.concatenate([[0.0], np.cumsum(values - values.mean())])
    second = total[2 * m :] - 2 * total[m:-m] + total[: -2 * m]
    return float(np.mean(second**2) / (2 * m**2))


def filled(values: Array) -> Array:
    """Samples (n, channels) with missing ones straight between their neighbours: they are few."""
    out = values.copy()
    for column in out.T:
        known = np.isfinite(column)
        if not known.all():
            column[~known] = np.interp(np.flatnonzero(~known), np.flatnonzero(known), column[known])
    return out


def quiet(values: Array, dt: float, config: AllanConfig) -> None:
    """Raise CalibrationError where samples (n, 6) show that the vehicle did not stand in peace."""
    length = max(round(BATCH / dt), 2)
    count = len(values) // length
    sd = values[: count * length].reshape(count, length, -1).std(axis=1)
    shaken = np.any(sd > config.shaken * np.median(sd, axis=0), axis=1)
    if shaken.mean() > config.most_shaken:
        first = int(np.flatnonzero(shaken)[0]) * BATCH
        raise CalibrationError(
            f"the sensor is shaken in {int(shaken.sum())} of {count} s, first after {first:.0f} s of the rest: record "
            "with engines and fans off, nobody in the vehicle and no train nearby"
        )


def _terms(tau: Array) -> Array:
    """(times, 3) Allan variance of a unit of D^2, B^2 and K^2."""
    return np.stack([0.5 / tau, np.full(tau.size, FLICKER), tau / 3], axis=1)


def _fitted(tau: Array, variance: Array, *, T: float, dt: float) -> tuple[Array, Array, Array]:
    """D^2, B^2, K^2 (3,), their covariance, and that of the variances (times, times)."""
    A = _terms(tau)
    C = np.diag(variance**2)
    theta = np.zeros(3)
    for _ in range(ROUNDS):
        L = np.linalg.cholesky(C)
        size = np.linalg.norm(np.linalg.solve(L, A), axis=0)
        theta = nnls(np.linalg.solve(L, A) / size, np.linalg.solve(L, variance))[0] / size
        C = _covariance(tau, theta, T=T, dt=dt)
    whitened = np.linalg.solve(np.linalg.cholesky(C), A)
    size = np.linalg.norm(whitened, axis=0)
    P = np.linalg.inv((whitened / size).T @ (whitened / size)) / np.outer(size, size)
    return theta, P, C


def _covariance(tau: Array, theta: Array, *, T: float, dt: float) -> Array:
    """(times, times) of overlapping Allan variances of Gaussian noise with the spectrum of theta.

    An Allan variance is the mean square of a filtered signal, |H|^2 = 2 sin^4(pi f tau) / (pi f tau)^2; two such means
    over a time T have the covariance 2 / T int S^2 |H_i|^2 |H_j|^2 df, S two-sided.
    """
    f = np.geomspace(0.02 / tau[-1], 0.5 / dt, FREQUENCIES)
    D2, B2, K2 = theta
    S = D2 / 2 + B2 / (2 * np.pi * f) + K2 / (2 * np.pi * f) ** 2
    phase = np.pi * f * tau[:, None]
    H = S * 2 * np.sin(phase) ** 4 / phase**2
    H = H / np.sqrt(T - 2 * tau)[:, None]  # the means are taken over what two averages leave of the rest
    C = 4 * (H * np.gradient(f)) @ H.T
    return np.asarray(C + 1e-6 * np.diag(np.diag(C)))  # neighbours may be equal to rounding


def _together(axes: tuple[Noise, ...], term: int) -> tuple[float, float]:
    """Root of the mean square of three axes, and its sd."""
    values = np.array([axis.values[term] for axis in axes])
    sd = np.array([axis.sd_values[term] for axis in axes])
    mean = float(np.sqrt(np.mean(values**2)))
    return mean, rounded(np.array([np.sqrt(np.sum((values * sd) ** 2)) / (len(axes) * mean)]))[0]
