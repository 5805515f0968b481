"""How well innovations agree with the variances a filter claims for them, as a likelihood and as a table."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array, BoolArray, IntArray
from twin.core.estimate import Fusion

TAIL = 16.0
"""Beyond this nis, 4 sigmas, the cost grows with its logarithm alone: a jolt must not set the variance of a run."""
GATE_95 = 3.841
"""95 % of a chi-square with one degree of freedom lie below."""
BLOCK_NS = 5_000_000_000
"""Stretches of this length are taken as independent: innovations within one are not, vibration is coloured."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Inertial samples in order, and which of them count. All (samples,)."""

    t_ns: IntArray
    counts: BoolArray

    @property
    def blocks(self) -> int:
        """Number of independent stretches."""
        return int((self.t_ns[-1] - self.t_ns[0]) // BLOCK_NS) + 1

    def usable(self, fusion: Fusion) -> BoolArray:
        """(measurements,) those with an innovation at a moment that counts."""
        at = np.minimum(np.searchsorted(self.t_ns, fusion.t_ns), self.t_ns.size - 1)
        return np.asarray(self.counts[at] & np.isfinite(fusion.innovation) & (fusion.variance > 0))

    def block_of(self, t_ns: IntArray) -> IntArray:
        """The stretch in which each time lies."""
        return np.asarray((t_ns - self.t_ns[0]) // BLOCK_NS)


def log_likelihood(fusions: Iterable[Fusion], moments: Moments) -> Array:
    """(blocks,) sum over innovations of -(nis + log variance) / 2, far outliers held back.

    Rejected measurements count as well: which are rejected depends on the variances, and a sum over the accepted ones
    would reward a filter for rejecting. Virtual sensors do not count: their measurement is always zero, so the
    likelihood would take the path's own size for their noise.
    """
    total = np.zeros(moments.blocks)
    for fusion in fusions:
        if fusion.virtual:
            continue
        usable = moments.usable(fusion)
        variance, nis = fusion.variance[usable], fusion.nis[usable]
        cost = np.minimum(nis, TAIL) + TAIL * np.log(np.maximum(nis, TAIL) / TAIL)
        total += np.bincount(
            moments.block_of(fusion.t_ns[usable]), weights=-(cost + np.log(variance)) / 2, minlength=total.size
        )
    return total


@dataclass(frozen=True, slots=True)
class Consistency:
    """One row of measurements: do the innovations have the size the filter expects?"""

    name: str
    samples: int
    """That were accepted."""
    nis: float
    """Mean per degree of freedom; 1 when all is well."""
    outside: float
    """Share outside the 95 % gate; 0.05 when all is well."""
    rejected: int


def consistency(fusions: Iterable[Fusion], moments: Moments) -> tuple[Consistency, ...]:
    """A row for every measurement that is not virtual, in the order met."""
    found: dict[str, list[Array]] = {}
    rejected: dict[str, int] = {}
    for fusion in fusions:
        if fusion.virtual:
            continue
        usable = moments.usable(fusion)
        found.setdefault(fusion.name, []).append(fusion.nis[usable & fusion.accepted])
        rejected[fusion.name] = rejected.get(fusion.name, 0) + int(np.sum(usable & ~fusion.accepted))
    return tuple(_row(name, np.concatenate(parts), rejected[name]) for name, parts in found.items())


def _row(name: str, nis: Array, rejected: int) -> Consistency:
    if not nis.size:
        return Consistency(name, 0, float("nan"), float("nan"), rejected)
    return Consistency(name, nis.size, float(nis.mean()), float(np.mean(nis > GATE_95)), rejected)
