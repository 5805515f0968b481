"""The observer of the whole vehicle, one block of it: steady gains scheduled by speed, in compiled code.

A step is x_p = F x + Gamma u, v = z - C x_p - D u, x = x_p + K v. Backwards, r gathers what later innovations say of
each prediction (twin.observer.steady). Matrices are kept transposed, so that products run along memory and no sum waits
for the one before.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import expm

from twin.core.arrays import Array, BoolArray, IntArray
from twin.numerics.compiled import compiled
from twin.numerics.discretise import van_loan
from twin.observer.full_model import FullModel
from twin.observer.steady import steady


class FullSteps(NamedTuple):
    """One block at one speed, for compiled code; n states, m channels, p inputs, o outputs."""

    F_T: Array
    """(n, n)"""
    Gamma_T: Array
    """(p, n)"""
    C_T: Array
    """(n, m)"""
    D_T: Array
    """(p, m)"""
    K_T: Array
    """(m, n)"""
    weights_T: Array
    """(m, n) S^-1 C."""
    back: Array
    """(n, n) L: already transposed for L' r."""
    out_T: Array
    """(n, o)"""
    gained_T: Array
    """(n, o) P times outputs."""
    var_innovation: Array
    """(m,)"""
    var_causal: Array
    """(o,)"""
    var_smoothed: Array
    """(o,)"""


def full_steps(model: FullModel, r: Array, *, dt: float, outputs: Array) -> FullSteps:
    """Steps dt [s] of a model whose channels have variances r (m,) per sample; outputs (o, n): rows of the states."""
    n, p = model.B.shape
    held = expm(dt * np.block([[model.A, model.B], [np.zeros((p, n + p))]]))
    F, Gamma = held[:n, :n], held[:n, n:]
    Q = noise(model.A, model.L, dt)
    found = steady(F, Q, model.C, r)
    return FullSteps(
        F_T=np.ascontiguousarray(F.T),
        Gamma_T=np.ascontiguousarray(Gamma.T),
        C_T=np.ascontiguousarray(model.C.T),
        D_T=np.ascontiguousarray(model.D.T),
        K_T=np.ascontiguousarray(found.K.T),
        weights_T=np.ascontiguousarray(found.weights.T),
        back=np.ascontiguousarray(found.back),
        out_T=np.ascontiguousarray(outputs.T),
        gained_T=np.ascontiguousarray(found.P @ outputs.T),
        var_innovation=np.diagonal(found.S).copy(),
        var_causal=np.einsum("ij,jk,ik->i", outputs, found.P_corrected, outputs),
        var_smoothed=np.einsum("ij,jk,ik->i", outputs, found.P_smoothed, outputs),
    )


def noise(A: Array, L: Array, dt: float) -> Array:
    """Covariance that x' = A x + L w, w white of unit densities, gathers in a step, by halves that van_loan() bears."""
    fastest = float(np.abs(np.linalg.eigvals(A)).max())
    halvings = max(0, int(np.ceil(np.log2(max(dt * fastest, 1e-9)))) + 1)
    Phi, Q = van_loan(A, L, np.eye(L.shape[1]), dt / 2**halvings)
    for _ in range(halvings):
        Phi, Q = Phi @ Phi, Phi @ Q @ Phi.T + Q
    return np.asarray((Q + Q.T) / 2)


class FollowedFull(NamedTuple):
    """A stretch that was filtered at one speed of the schedule."""

    steps: FullSteps
    predicted: Array
    """(samples, o) outputs before the correction."""
    causal: Array
    """(samples, o)"""
    innovation: Array
    """(samples, m) NaN where missing."""
    accepted: BoolArray
    """(samples, m)"""


class FullObserver:
    """Remembers the states of one block. steps_at gives the steps of a speed [m/s] of the schedule."""

    def __init__(self, steps_at: Callable[[float], FullSteps], speeds: Array, *, gate: float) -> None:
        self._steps_at, self._speeds, self._gate = steps_at, speeds, gate
        self._x: Array | None = None

    def places(self, V: Array) -> IntArray:
        """(samples,) of the nearest speed in the schedule, -1 below half a step of the slowest."""
        found = np.abs(np.log(np.maximum(np.abs(V), 1e-3))[:, None] - np.log(self._speeds)).argmin(axis=1)
        return np.where(np.abs(V) < 0.95 * self._speeds[0], -1, found)

    def process(self, V: Array, z: Array, u: Array) -> list[FollowedFull]:
        """Follow samples: speed (n,) [m/s], channels z (n, m), inputs u (n, p) of the design."""
        places = self.places(V)
        edges = np.flatnonzero(np.diff(places)) + 1
        parts = []
        for first, last in zip(np.concatenate(([0], edges)), np.concatenate((edges, [V.size])), strict=True):
            if places[first] < 0:
                self._x = None
                continue
            speed = float(self._speeds[places[first]])
            parts.append(self._stretch(speed, V[first:last], z[first:last], u[first:last]))
        return parts

    def _stretch(self, speed: float, V: Array, z: Array, u: Array) -> FollowedFull:
        steps = self._steps_at(speed)
        n, (samples, m), o = len(steps.F_T), z.shape, steps.out_T.shape[1]
        if self._x is None:
            self._x = np.zeros(n)
        out = FollowedFull(
            steps,
            np.empty((samples, o)),
            np.empty((samples, o)),
            np.empty((samples, m)),
            np.zeros((samples, m), dtype=np.bool_),
        )
        _forward(self._x, steps, z, np.ascontiguousarray(u), self._gate, out[1:])
        return out


def smoothed_outputs(parts: list[FollowedFull], after: int = 0) -> list[Array]:
    """Smoothed outputs (samples, o) of consecutive stretches but the last so many, which only look back on them."""
    r = np.zeros(len(parts[-1].steps.F_T))
    found: list[Array] = []
    for place in range(len(parts) - 1, -1, -1):
        part = parts[place]
        smooth = np.empty_like(part.predicted)
        _backward(r, part.steps, part.innovation, part.accepted, part.predicted, smooth)
        if place < len(parts) - after:
            found.append(smooth)
    return found[::-1]


@compiled
def _add_product(M_T: Array, x: Array, out: Array) -> None:
    """out += M x."""
    for j in range(M_T.shape[0]):
        value = x[j]
        if value != 0.0:
            for i in range(M_T.shape[1]):
                out[i] += M_T[j, i] * value


@compiled
def _forward(
    x: Array, steps: FullSteps, z: Array, u: Array, gate: float, out: tuple[Array, Array, Array, BoolArray]
) -> None:
    """A stretch; x (n,) moves on in place."""
    predicted, causal, innovation, accepted = out
    ahead, shown, used = np.empty(x.size), np.empty(z.shape[1]), np.empty(z.shape[1])
    for i in range(z.shape[0]):
        ahead[:] = 0.0
        shown[:] = 0.0
        _add_product(steps.F_T, x, ahead)
        _add_product(steps.Gamma_T, u[i], ahead)
        _add_product(steps.C_T, ahead, shown)
        _add_product(steps.D_T, u[i], shown)
        for j in range(z.shape[1]):
            v = z[i, j] - shown[j]
            innovation[i, j] = v
            accepted[i, j] = v * v <= gate * steps.var_innovation[j]
            used[j] = v if accepted[i, j] else 0.0
        x[:] = ahead
        _add_product(steps.K_T, used, x)
        predicted[i] = 0.0
        causal[i] = 0.0
        _add_product(steps.out_T, ahead, predicted[i])
        _add_product(steps.out_T, x, causal[i])


@compiled
def _backward(
    r: Array, steps: FullSteps, innovation: Array, accepted: BoolArray, predicted: Array, smooth: Array
) -> None:
    """A stretch backwards; r (n,) moves on in place."""
    before, used = np.empty(r.size), np.empty(innovation.shape[1])
    for i in range(innovation.shape[0] - 1, -1, -1):
        before[:] = 0.0
        _add_product(steps.back, r, before)
        for j in range(used.size):
            used[j] = innovation[i, j] if accepted[i, j] else 0.0
        _add_product(steps.weights_T, used, before)
        r[:] = before
        smooth[i] = predicted[i]
        _add_product(steps.gained_T, r, smooth[i])
