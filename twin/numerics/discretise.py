"""Continuous noise models over a step of time: x_next = Phi x + noise of covariance Qd.

van_loan() holds for any linear model; the others are closed forms of the models in use. They take numbers or
arrays of one shape (...) and return matrices (..., k, k), so that a whole run is scheduled in one call.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import expm

from twin.core.arrays import Array

Step = tuple[Array, Array]
"""Transition Phi (..., k, k) and noise covariance Qd (..., k, k) of one step."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(10)


def van_loan(F: Array, L: Array, Qc: Array, dt: float) -> Step:
    """Step of x' = F x + L w, w white of spectral density Qc [Van Loan, IEEE Trans. Automat. Contr. 23, 1978].

    F: (k, k); L: (k, m); Qc: (m, m), two-sided density in units of w^2 s; dt: step [s].
    It grows exp(-F dt) on the way: good to 1e-12 while the fastest decay loses less than a factor 1e2 in a step.
    """
    k = F.shape[0]
    blocks = np.block([[-F, L @ Qc @ L.T], [np.zeros((k, k)), F.T]])
    exponential = expm(blocks * dt)
    Phi = exponential[k:, k:].T
    Qd = Phi @ exponential[:k, k:]
    return Phi, (Qd + Qd.T) / 2


def random_walk(*, dt: ArrayLike, q: ArrayLike) -> Step:
    """x' = w: a value that drifts. dt: step [s]; q: density of w [x^2/s]."""
    dt, q = _arrays(dt, q)
    return _matrix([[np.ones_like(dt)]]), _matrix([[q * dt]])


def white_jerk(*, dt: ArrayLike, q: ArrayLike) -> Step:
    """Position, speed and acceleration under a white jerk. dt: step [s]; q: density of the jerk [m^2/s^5]."""
    dt, q = _arrays(dt, q)
    one, none = np.ones_like(dt), np.zeros_like(dt)
    Phi = _matrix([[one, dt, dt**2 / 2], [none, one, dt], [none, none, one]])
    Qd = _matrix(
        [
            [q * dt**5 / 20, q * dt**4 / 8, q * dt**3 / 6],
            [q * dt**4 / 8, q * dt**3 / 3, q * dt**2 / 2],
            [q * dt**3 / 6, q * dt**2 / 2, q * dt],
        ]
    )
    return Phi, Qd


def gauss_markov(*, dt: ArrayLike, tau: ArrayLike, sd: ArrayLike) -> Step:
    """x' = -x / tau + w: a value that wanders about zero.

    dt: step [s]; tau: correlation time [s]; sd: standard deviation of x in the long run.
    """
    dt, tau, sd = _arrays(dt, tau, sd)
    return _matrix([[np.exp(-dt / tau)]]), _matrix([[-(sd**2) * np.expm1(-2 * dt / tau)]])


def oscillator(*, dt: ArrayLike, omega: ArrayLike, zeta: ArrayLike, sd: ArrayLike) -> Step:
    """x'' + 2 zeta omega x' + omega^2 x = w with states x and x': noise in a band about omega.

    dt: step [s]; omega: undamped frequency [rad/s], > 0; zeta: damping ratio, 0 < zeta < 1 (half the relative
    width of the band); sd: standard deviation of x in the long run, that is w has density 4 zeta omega^3 sd^2.
    """
    dt, omega, zeta, sd = _arrays(dt, omega, zeta, sd)
    if np.any((zeta <= 0) | (zeta >= 1) | (omega <= 0)):
        raise ValueError("an oscillator needs omega > 0 and 0 < zeta < 1")
    x, v = _impulse_response(dt, omega, zeta)
    Phi = _matrix([[v + 2 * zeta * omega * x, x], [-(omega**2) * x, v]])
    Qd = np.where((omega * dt < 1)[..., None, None], _short_noise(dt, omega, zeta), _long_noise(Phi, omega))
    return Phi, Qd * (sd**2)[..., None, None]


def _impulse_response(t: Array, omega: Array, zeta: Array) -> tuple[Array, Array]:
    """Position and speed of the oscillator a time t after a unit impulse."""
    damped = omega * np.sqrt(1 - zeta**2)
    decay = np.exp(-zeta * omega * t)
    x = decay * np.sin(damped * t) / damped
    return x, decay * np.cos(damped * t) - zeta * omega * x


def _short_noise(dt: Array, omega: Array, zeta: Array) -> Array:
    """Noise of unit sd over omega dt < 1: the squared impulse response, integrated by Gauss-Legendre to rounding.

    The closed form is a difference that cancels to nothing here: at omega dt = 1e-5 it has no correct digit.
    """
    dt, omega, zeta = dt[..., None], omega[..., None], zeta[..., None]
    x, v = _impulse_response(dt * (_NODES + 1) / 2, omega, zeta)
    weight = 4 * zeta * omega**3 * dt / 2 * _WEIGHTS
    xx, xv, vv = ((weight * product).sum(axis=-1) for product in (x * x, x * v, v * v))
    return _matrix([[xx, xv], [xv, vv]])


def _long_noise(Phi: Array, omega: Array) -> Array:
    """Noise of unit sd over any other step: what the stationary covariance loses in it."""
    none = np.zeros_like(omega)
    stationary = _matrix([[none + 1, none], [none, omega**2]])
    return np.asarray(stationary - Phi @ stationary @ np.swapaxes(Phi, -1, -2))


def _arrays(*values: ArrayLike) -> tuple[Array, ...]:
    """All values as arrays of their common shape."""
    return np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in values))


def _matrix(rows: list[list[Array]]) -> Array:
    """Matrices (..., k, k) of entries (...)."""
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
