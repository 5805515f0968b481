"""Smoothing of filtered states: Rauch, Tung and Striebel over a whole run, and with a fixed lag while it goes on.

Sample i is reached from sample i - 1 by x -> F[i] x + u[i] + noise of covariance Q[i]; the F, Q and u of a run's
first sample are never used. F and Q are either constant (k, k) or one per sample (n, k, k). Where a filter was
started anew at sample i, F[i] = 0 keeps the smoother from reading the new start as knowledge of the past.

With the prediction x_p = F x_f + u, P_p = F P_f F' + Q and the gain G = P_f F' P_p^-1,

    x_s = x_f + G (x_s_next - x_p)        P_s = C + G P_s_next G'        C = (I - G F) P_f (I - G F)' + G Q G'

C is P_f - G P_p G' written as a sum of squares, so that no rounding makes a variance negative. A singular P_p
(exactly known states, or some that others explain) is solved on its independent states: F P_f lies in the range of
P_p, where every generalised inverse gives the same estimate.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from twin.core.arrays import Array
from twin.numerics.compiled import compiled
from twin.numerics.kalman import symmetric
from twin.numerics.small_matrices import add_symmetric_product, factor, multiply, solve, transform


def rts_plain(x_f: Array, P_f: Array, F: Array, Q: Array, u: Array | None = None) -> tuple[Array, Array]:
    """The textbook form of rts(): what the kernels are tested against."""
    n, k = x_f.shape
    F, Q = np.broadcast_to(F, (n, k, k)), np.broadcast_to(Q, (n, k, k))
    u = np.zeros((n, k)) if u is None else u
    x_s, P_s = x_f.copy(), P_f.copy()
    for i in range(n - 2, -1, -1):
        x_p = F[i + 1] @ x_f[i] + u[i + 1]
        P_p = symmetric(F[i + 1] @ P_f[i] @ F[i + 1].T + Q[i + 1])
        G = P_f[i] @ F[i + 1].T @ np.linalg.pinv(P_p, hermitian=True)
        x_s[i] = x_f[i] + G @ (x_s[i + 1] - x_p)
        P_s[i] = symmetric(P_f[i] + G @ (P_s[i + 1] - P_p) @ G.T)
    return x_s, P_s


def rts(x_f: Array, P_f: Array, F: Array, Q: Array, u: Array | None = None) -> tuple[Array, Array]:
    """Smooth filtered states x_f (n, k) with covariances P_f (n, k, k) over the whole run; u (n, k) is known."""
    filtered = _filtered(x_f, P_f, F, Q, u)
    smoothed = _States(np.empty_like(filtered.x), np.empty_like(filtered.P))
    if len(x_f):
        _smooth_run(filtered, _links(1, x_f.shape[1]), smoothed)
    return smoothed.x, smoothed.P


@dataclass(frozen=True, slots=True)
class Smoothed:
    """Consecutive samples whose estimate is final."""

    start: int
    """How many samples were emitted before these."""
    coordinate: Array
    """(n,) as given with the filtered samples."""
    x: Array
    """(n, k)"""
    P: Array
    """(n, k, k)"""

    def __len__(self) -> int:
        return len(self.x)


class FixedLag:
    """Smooth while the run goes on: a sample is final once the run is a lag beyond it.

    The lag is measured in a coordinate that never falls, such as metres travelled or seconds. After every `stride`
    samples, counted from the first one of the run, all samples at least a lag behind the newest are smoothed from
    there and emitted; so nothing depends on how the samples were cut into blocks. A sample has thus seen at least
    `lag` and at most `lag` plus `stride` samples of its future. At standstill, where metres stop, `cap` samples of
    future are enough, which bounds the memory to cap + stride samples. A lag longer than the run, with flush() at
    its end, gives exactly rts(). Each batch goes over smoothly from what the batch before had made of its samples:
    modes slower than the lag (a bias, say) would otherwise leave a step at every seam.
    """

    def __init__(self, *, states: int, lag: float, stride: int, cap: int) -> None:
        if lag < 0 or stride < 1 or cap < 1:
            raise ValueError(f"need lag >= 0, stride >= 1 and cap >= 1, got {lag:g}, {stride}, {cap}")
        self._lag = lag
        self._stride = stride
        self._cap = cap
        self._links = _links(cap + stride, states)
        self._coordinate = np.empty(cap + stride)
        self._newest = _States(np.zeros(states), np.zeros((states, states)))
        self._ahead = np.empty((0, states))
        self._taken = 0
        self._emitted = 0

    def add(self, x_f: Array, P_f: Array, F: Array, Q: Array, coordinate: Array, u: Array | None = None) -> Smoothed:
        """Take filtered samples x_f (n, k), P_f (n, k, k) at coordinate (n,); give those that became final."""
        filtered = _filtered(x_f, P_f, F, Q, u)
        parts = [self._emit(0)]  # so that a block that finishes nothing gives empty arrays of the right shape
        start = 0
        while start < len(coordinate):
            stop = min(len(coordinate), start + self._stride - self._taken % self._stride)
            self._take(filtered.part(start, stop), coordinate[start:stop])
            if self._taken % self._stride == 0:
                parts.append(self._emit(self._final()))
            start = stop
        return _joined(parts)

    def flush(self) -> Smoothed:
        """Give all samples still held: the run ends here."""
        return self._emit(self._taken - self._emitted)

    def _take(self, filtered: "_Filtered", coordinate: Array) -> None:
        slots = np.arange(self._taken, self._taken + len(coordinate)) % len(self._coordinate)
        self._coordinate[slots] = coordinate
        _link_run(filtered, self._links, self._newest, self._taken)
        self._taken += len(coordinate)

    def _final(self) -> int:
        """How many of the samples held are at least a lag, or cap samples, behind the newest."""
        slots = np.arange(self._emitted, self._taken) % len(self._coordinate)
        coordinate = self._coordinate[slots]
        behind = int(np.searchsorted(coordinate, coordinate[-1] - self._lag, side="right"))
        return max(behind, len(slots) - self._cap)

    def _emit(self, count: int) -> Smoothed:
        states = self._newest.x.size
        ahead = min(self._stride, self._taken - self._emitted - count) if count else 0
        out = _States(np.empty((count + ahead, states)), np.empty((count + ahead, states, states)))
        if count:
            _smooth_held(self._links, self._newest, self._emitted, self._taken, out)
            self._fade(out.x[:count])
            self._ahead = out.x[count:]
        slots = np.arange(self._emitted, self._emitted + count) % len(self._coordinate)
        smoothed = Smoothed(self._emitted, self._coordinate[slots], out.x[:count], out.P[:count])
        self._emitted += count
        return smoothed

    def _fade(self, x: Array) -> None:
        """Go over from what the last pass made of these samples to x, in place: the two differ by the slow modes."""
        length = min(len(self._ahead), len(x))
        share = (np.arange(length) / max(length, 1))[:, None]
        x[:length] = (1 - share) * self._ahead[:length] + share * x[:length]


def _joined(parts: list[Smoothed]) -> Smoothed:
    return Smoothed(
        start=parts[0].start,
        coordinate=np.concatenate([part.coordinate for part in parts]),
        x=np.concatenate([part.x for part in parts]),
        P=np.concatenate([part.P for part in parts]),
    )


class _States(NamedTuple):
    """One state (k,) and its covariance (k, k), or n of each along a first axis."""

    x: Array
    P: Array


class _Filtered(NamedTuple):
    """Filtered samples and the steps that reached them; F, Q and u may hold one entry that serves all."""

    x: Array
    P: Array
    F: Array
    Q: Array
    u: Array

    def part(self, start: int, stop: int) -> "_Filtered":
        def cut(values: Array) -> Array:
            return values if len(values) == 1 else values[start:stop]

        return _Filtered(self.x[start:stop], self.P[start:stop], cut(self.F), cut(self.Q), cut(self.u))


def _filtered(x_f: Array, P_f: Array, F: Array, Q: Array, u: Array | None) -> _Filtered:
    n, k = x_f.shape
    u = np.zeros((1, k)) if u is None else u
    F, Q = (each[None] if each.ndim == 2 else each for each in (F, Q))
    fit = P_f.shape == (n, k, k) and all(each.shape in ((1, k, k), (n, k, k)) for each in (F, Q))
    if not fit or u.shape not in ((1, k), (n, k)):
        raise ValueError(f"shapes do not fit {n} samples of {k} states: {P_f.shape} {F.shape} {Q.shape} {u.shape}")
    return _Filtered(*(_own(each) for each in (x_f, P_f, F, Q, u)))


def _own(values: Array) -> Array:
    """Contiguous and writable: the one array type the kernels are compiled for."""
    return np.require(values, dtype=np.float64, requirements=["C", "W"])


class _Links(NamedTuple):
    """What ties each sample to its successor, and scratch; sample i of a run lies in slot i modulo slots."""

    x_f: Array
    """(slots, k)"""
    x_p: Array
    """(slots, k) prediction of the successor."""
    G: Array
    """(slots, k, k) gain."""
    C: Array
    """(slots, k, k) covariance that no knowledge of the successor removes."""
    scratch: Array
    """(2, k, k)"""


def _links(slots: int, states: int) -> _Links:
    vectors, matrices = (slots, states), (slots, states, states)
    return _Links(
        x_f=np.empty(vectors),
        x_p=np.empty(vectors),
        G=np.empty(matrices),
        C=np.empty(matrices),
        scratch=np.empty((2, states, states)),
    )


@compiled
def _link(links: _Links, slot: int, x_f: Array, P_f: Array, filtered: _Filtered, successor: int) -> None:
    """Tie x_f (k,), P_f (k, k) to the sample `successor` of a run: everything backward needs but its future."""
    F = filtered.F[min(successor, len(filtered.F) - 1)]
    Q = filtered.Q[min(successor, len(filtered.Q) - 1)]
    u = filtered.u[min(successor, len(filtered.u) - 1)]
    x_p, G, C = links.x_p[slot], links.G[slot], links.C[slot]
    FP, work = links.scratch[0], links.scratch[1]
    k = x_f.shape[0]
    links.x_f[slot] = x_f
    transform(F, x_f, x_p)
    for i in range(k):
        x_p[i] += u[i]
    multiply(F, P_f, FP)
    C[:] = Q
    add_symmetric_product(FP, F, C)  # P_p, in the place of C for now
    factor(C, work)
    solve(work, FP)  # now G'
    for i in range(k):
        for j in range(k):
            G[i, j] = FP[j, i]
    _link_covariance(links, slot, P_f, F, Q)


@compiled
def _link_covariance(links: _Links, slot: int, P_f: Array, F: Array, Q: Array) -> None:
    """C = (I - G F) P_f (I - G F)' + G Q G' of a slot that has its gain."""
    G, C, A, work = links.G[slot], links.C[slot], links.scratch[0], links.scratch[1]
    k = G.shape[0]
    multiply(G, F, A)
    for i in range(k):
        for j in range(k):
            A[i, j] = -A[i, j]
        A[i, i] += 1.0
    C[:] = 0.0
    multiply(A, P_f, work)
    add_symmetric_product(work, A, C)
    multiply(G, Q, work)
    add_symmetric_product(work, G, C)


@compiled
def _step_back(links: _Links, slot: int, x: Array, P: Array) -> None:
    """Turn the smoothed successor x (k,), P (k, k) into the smoothed sample of this slot, in place."""
    difference, work = links.scratch[0, 0], links.scratch[1]
    k = x.shape[0]
    for i in range(k):
        difference[i] = x[i] - links.x_p[slot, i]
    transform(links.G[slot], difference, x)
    for i in range(k):
        x[i] += links.x_f[slot, i]
    multiply(links.G[slot], P, work)
    P[:] = links.C[slot]
    add_symmetric_product(work, links.G[slot], P)


@compiled
def _smooth_run(filtered: _Filtered, link: _Links, out: _States) -> None:
    """Smooth n > 0 samples, with memory for one link."""
    n = filtered.x.shape[0]
    x, P = filtered.x[n - 1].copy(), filtered.P[n - 1].copy()
    out.x[n - 1], out.P[n - 1] = x, P
    for i in range(n - 2, -1, -1):
        _link(link, 0, filtered.x[i], filtered.P[i], filtered, i + 1)
        _step_back(link, 0, x, P)
        out.x[i], out.P[i] = x, P


@compiled
def _link_run(filtered: _Filtered, links: _Links, newest: _States, taken: int) -> None:
    """Tie new samples to those before; `newest`, the last of the `taken` samples so far, moves on."""
    slots = links.x_f.shape[0]
    for i in range(filtered.x.shape[0]):
        if taken + i > 0:
            _link(links, (taken + i - 1) % slots, newest.x, newest.P, filtered, i)
        newest.x[:] = filtered.x[i]
        newest.P[:] = filtered.P[i]


@compiled
def _smooth_held(links: _Links, newest: _States, first: int, taken: int, out: _States) -> None:
    """Smooth from the newest sample, number taken - 1, back to sample `first`; keep the oldest len(out.x)."""
    slots, kept = links.x_f.shape[0], out.x.shape[0]
    x, P = newest.x.copy(), newest.P.copy()
    for i in range(taken - 1, first - 1, -1):
        if i < taken - 1:
            _step_back(links, i % slots, x, P)
        if i - first < kept:
            out.x[i - first], out.P[i - first] = x, P
