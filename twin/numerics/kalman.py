"""Kalman prediction and correction: the plain form that reads like the book, and compiled kernels for hot loops.

The plain functions return new arrays and are what the kernels are tested against. The kernels work in place, need
no memory but the scratch (n, n) they are given, and are meant to be called from another compiled loop. There,
measurements with independent errors enter one row at a time, which needs no inverse and gates each sensor alone.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from twin.core.arrays import Array
from twin.numerics.compiled import compiled
from twin.numerics.small_matrices import add_symmetric_product, multiply, transform


@dataclass(frozen=True, slots=True)
class Correction:
    """What a measurement z (m,) made of a state (n,)."""

    x: Array
    """(n,) corrected state."""
    P: Array
    """(n, n) its covariance."""
    innovation: Array
    """(m,) z - H x."""
    S: Array
    """(m, m) covariance of the innovation."""
    nis: float
    """Normalised innovation squared: chi-square with m degrees of freedom when all is well."""


def predict(x: Array, P: Array, F: Array, Q: Array) -> tuple[Array, Array]:
    """State (n,) and covariance (n, n) one step x -> F x + noise of covariance Q later."""
    return F @ x, symmetric(F @ P @ F.T + Q)


def correct(x: Array, P: Array, z: Array, H: Array, R: Array) -> Correction:
    """Correct a state (n,) by z (m,) = H x + noise of covariance R (m, m), H (m, n).

    The covariance is updated in Joseph's form, which stays positive whatever the rounding of the gain.
    """
    innovation = z - H @ x
    S = symmetric(H @ P @ H.T + R)
    cholesky = cho_factor(S, lower=True)
    K = cho_solve(cholesky, H @ P).T
    A = np.eye(x.size) - K @ H
    return Correction(
        x=x + K @ innovation,
        P=symmetric(A @ P @ A.T + K @ R @ K.T),
        innovation=innovation,
        S=S,
        nis=float(innovation @ cho_solve(cholesky, innovation)),
    )


def symmetric(P: Array) -> Array:
    """The symmetric part of a covariance (..., n, n) that rounding has made lopsided."""
    return np.asarray((P + np.swapaxes(P, -1, -2)) / 2)


@compiled
def predict_in_place(x: Array, P: Array, F: Array, Q: Array, scratch: Array) -> None:
    """Make x (n,) = F x and P (n, n) = F P F' + Q; the contents of scratch (n, n) are lost."""
    n = x.shape[0]
    transform(F, x, scratch[0])
    for i in range(n):
        x[i] = scratch[0, i]
    multiply(F, P, scratch)
    for i in range(n):
        for j in range(n):
            P[i, j] = Q[i, j]
    add_symmetric_product(scratch, F, P)


@compiled
def correct_scalar(
    x: Array, P: Array, h: Array, z: float, r: float, gate: float, scratch: Array
) -> tuple[float, float, bool]:
    """Correct x (n,) and P (n, n) in place by one measurement z = h x + noise of variance r; h (n,).

    gate: largest normalised innovation squared that is accepted; inf accepts any finite measurement.
    Returns innovation, its variance, and whether it was accepted. A measurement beyond the gate or not finite
    leaves x and P untouched. The contents of scratch (n, n) are lost.
    """
    n = x.shape[0]
    Ph = scratch[0]
    for i in range(n):
        Ph[i] = 0.0
    for k in range(n):
        if h[k] != 0.0:  # most sensors see one or two states
            for i in range(n):
                Ph[i] += P[k, i] * h[k]
    innovation = z
    explained = 0.0
    for i in range(n):
        innovation -= h[i] * x[i]
        explained += h[i] * Ph[i]
    variance = explained + r
    nis = innovation * innovation / variance
    if not (variance > 0.0 and nis <= gate and nis < np.inf):  # written so that a NaN anywhere rejects
        return innovation, variance, False
    # Joseph's form (I - K h) P (I - K h)' + r K K' row by row, in n^2 operations as the gain has rank one.
    share = 1.0 / variance
    for i in range(n):
        gain = Ph[i] * share
        left = Ph[i] - gain * explained
        x[i] += gain * innovation
        for j in range(i, n):
            gain_j = Ph[j] * share
            P[i, j] += r * gain * gain_j - gain * Ph[j] - left * gain_j
            P[j, i] = P[i, j]
    return innovation, variance, True
