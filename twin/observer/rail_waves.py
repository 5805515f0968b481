"""Irregularities under a bogie as states: shaped to the track's spectrum, met again by the trailing wheelset.

A signal is white noise through three corners, 1/((s + a)(s + b)(s + c)) along the track, so that its rate and
acceleration under a wheelset, which the vehicle needs, are states as well. The published alignment and level have the
corners Omega_r and Omega_c; cross level has Omega_c and Omega_s (its Omega / Omega_r is 1 but beyond 200 m); the third
is the shortest wave that is followed.

The trailing wheelset meets the same signal 2 b / V later. Its delay is an all-pass of Pade, of order ORDER: right to
1 % down to 1.2 m for a wheelbase of 2.6 m, in coordinates in which it neither gains nor loses (A + A' = -B B'), as a
companion form would not survive covariances. The way to the next bogie is seven waves long; there a Pade form would
need thirty states, so each bogie has a signal of its own, and the two estimates are joined where they tell of one
place.
"""

from dataclasses import dataclass
from math import factorial

import numpy as np
from scipy.linalg import block_diag, solve_continuous_lyapunov
from scipy.signal import tf2ss

from twin.core.arrays import Array
from twin.observer.config import TrackPrior

ORDER = 10
SHAPED = 3
"""States of a signal: itself, its rate, its acceleration in time."""


@dataclass(frozen=True, slots=True)
class Wave:
    """One signal under the wheelsets of one bogie: x' = A x + L w, w white of unit density."""

    A: Array
    """(k, k)"""
    L: Array
    """(k,)"""
    rows: Array
    """(wheelsets, 3, k) itself, its rate and its acceleration under each wheelset."""


def shaping(prior: TrackPrior, word: str) -> tuple[tuple[float, float, float], float]:
    """Corners [rad/m], and the two-sided density at which white noise drives them, of a signal [m]."""
    last = 2 * np.pi / prior.cut
    amplitude = {"alignment": prior.A_a, "level": prior.A_v, "cross_level": 4 * prior.A_v}[word]
    corners = (prior.omega_s if word == "cross_level" else prior.omega_r, prior.omega_c, last)
    return corners, np.pi * amplitude * prior.omega_c**2 * last**2


def wave(prior: TrackPrior, word: str, *, V: float, behind: tuple[float, ...]) -> Wave:
    """The signal at speed V [m/s]; behind: distances of wheelsets from the leading one, itself left out [m]."""
    corners, density = shaping(prior, word)
    polynomial = np.poly([-V * corner for corner in corners])
    A = np.zeros((SHAPED, SHAPED))
    A[0, 1] = A[1, 2] = 1.0
    A[2] = -polynomial[:0:-1]
    L = np.array([0.0, 0.0, np.sqrt(density * V**5)])
    rows = [np.eye(SHAPED)]
    for distance in behind:
        a, b, c, d = _delay(distance / V)
        k, m = len(A), len(a)
        A = np.block([[A, np.zeros((k, m))], [np.outer(b, np.eye(k)[0]), a]])
        L = np.concatenate((L, np.zeros(m)))
        rows = [np.hstack((each, np.zeros((SHAPED, m)))) for each in rows]
        late = np.concatenate((d * np.eye(k)[0], c))
        rows.append(np.stack((late, late @ A, late @ A @ A)))
    return Wave(A, L, np.stack(rows))


def _delay(tau: float) -> tuple[Array, Array, Array, float]:
    """A, B, C, D of the all-pass that delays by tau [s]."""
    n = ORDER
    terms = [
        factorial(2 * n - k) * factorial(n) / (factorial(2 * n) * factorial(k) * factorial(n - k)) for k in range(n + 1)
    ]
    denominator = np.array(terms[::-1])
    numerator = denominator * np.array([(-1.0) ** k for k in range(n, -1, -1)])
    a, b, c, d = tf2ss(numerator, denominator)
    T = np.linalg.cholesky(solve_continuous_lyapunov(a, -b @ b.T))
    a, b, c = np.linalg.solve(T, a @ T), np.linalg.solve(T, b), c @ T
    return a / tau, b[:, 0] / np.sqrt(tau), c[0] / np.sqrt(tau), float(d[0, 0])


def joined(waves: list[Wave]) -> tuple[Array, Array]:
    """A (k, k) and L (k, signals) of several signals side by side."""
    return block_diag(*(each.A for each in waves)), block_diag(*(each.L[:, None] for each in waves))
