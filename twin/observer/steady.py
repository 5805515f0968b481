"""The steady Kalman filter and smoother of a constant model: what a full one settles to within a second.

Between two speeds of the schedule nothing of a covariance changes, so gains are found once and a step costs a product
of matrix and vector. The covariance P of a prediction solves P = F (P - P C' S^-1 C P) F' + Q; it is found by doubling
[Chu, Fan, Lin, Wang, Int. J. Control 77, 2004], and refined by Newton's steps, which are Joseph's form summed over all
time: what rounding left of slow states in the doubling is gone. The smoother is that of de Jong and of Durbin and
Koopman: with the innovation v and L = F (I - K C),

    r_before = C' S^-1 v + L' r        x_smoothed = x_predicted + P r_before        P_smoothed = P - P N P

which needs no inverse of P: delays make that as good as singular.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from twin.core.arrays import Array
from twin.numerics.kalman import symmetric

DOUBLINGS = 40
CONVERGED = 1e-10
POLISH = 2


class Steady(NamedTuple):
    """Gains and covariances of one constant model."""

    P: Array
    """(n, n) of the prediction."""
    K: Array
    """(n, m) gain."""
    S: Array
    """(m, m) of the innovations."""
    weights: Array
    """(n, m) C' S^-1."""
    back: Array
    """(n, n) L."""
    P_corrected: Array
    P_smoothed: Array


def steady(F: Array, Q: Array, C: Array, r: Array) -> Steady:
    """Of x -> F x + noise Q, z = C x + noise of variances r (m,)."""
    P = _riccati(F, Q, C, r)
    for _ in range(POLISH):
        _, K = _joseph(F, Q, C, r, P)
        P = _summed(F @ (np.eye(len(F)) - K @ C), Q + F @ ((K * r) @ K.T) @ F.T)
    corrected, K = _joseph(np.eye(len(F)), np.zeros_like(F), C, r, P)
    S = symmetric(C @ P @ C.T + np.diag(r))
    weights = cho_solve(cho_factor(S), C).T
    back = F @ (np.eye(len(F)) - K @ C)
    N = _summed(back.T, weights @ C)
    return Steady(P, K, S, weights, back, corrected, symmetric(P - P @ N @ P))


def _joseph(F: Array, Q: Array, C: Array, r: Array, P: Array) -> tuple[Array, Array]:
    """The prediction after correcting P, and the gain."""
    S = symmetric(C @ P @ C.T + np.diag(r))
    K = cho_solve(cho_factor(S), C @ P).T
    left = np.eye(len(P)) - K @ C
    return symmetric(F @ (left @ P @ left.T + (K * r) @ K.T) @ F.T + Q), K


def _riccati(F: Array, Q: Array, C: Array, r: Array) -> Array:
    A, G, H = F.T.copy(), C.T @ (C / r[:, None]), Q.copy()
    for _ in range(DOUBLINGS):
        W = np.linalg.inv(np.eye(len(F)) + G @ H)
        AW = A @ W
        grown = A.T @ H @ W @ A
        A, G, H = AW @ A, symmetric(G + AW @ G @ A.T), symmetric(H + grown)
        if _small(grown, H):
            break
    return H


def _summed(A: Array, M: Array) -> Array:
    """Sum of A^k M A'^k over k >= 0, by doubling."""
    total = symmetric(M)
    for _ in range(DOUBLINGS):
        grown = A @ total @ A.T
        total, A = symmetric(total + grown), A @ A
        if _small(grown, total):
            break
    return total


def _small(grown: Array, total: Array) -> bool:
    """Whether no variance grows any more."""
    return bool((np.abs(np.diagonal(grown)) <= CONVERGED * np.abs(np.diagonal(total))).all())
