"""The observer of the whole vehicle as the book writes it, covariances step by step in Joseph's form."""

import numpy as np

from twin.core.arrays import Array
from twin.numerics.kalman import correct, predict
from twin.numerics.smoothing import rts_plain

Filtered = tuple[Array, Array]
"""States (samples, n) and covariances (samples, n, n)."""


def follow(
    F: Array, Q: Array, C: Array, r: Array, z: Array, driven: Array, P_start: Array
) -> tuple[Filtered, Filtered]:
    """Corrected, and smoothed over the whole run; driven (samples, n): what known inputs add in each step."""
    x, P = np.zeros(len(F)), P_start
    states, covariances = [], []
    for value, added in zip(z, driven, strict=True):
        x, P = predict(x, P, F, Q)
        found = correct(x + added, P, value, C, np.diag(r))
        x, P = found.x, found.P
        states.append(x)
        covariances.append(P)
    corrected = np.array(states), np.array(covariances)
    return corrected, rts_plain(*corrected, F, Q, driven)
