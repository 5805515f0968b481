"""How far two searches agree, counted as [Fal 4.1.1, 4.1.2, 5.2] count."""

from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array, IntArray, frozen
from twin.numerics.compiled import compiled

TOLERANCE = 2e-3
"""Distance up to which two points are the same [m], as in [Fal Table 10]."""


@dataclass(frozen=True)
class Agreement:
    """Errors of a tested search by the number h = 0 ... P of points the reference has."""

    errors: IntArray
    """Sum of E^AB over the poses with h points (P + 1,)."""
    poses: IntArray
    """T_h, the number of poses with h points (P + 1,)."""

    @property
    def by_count(self) -> Array:
        """e_h of [Fal eq. 60] (P + 1,); NaN where no pose has h points, and for h = 0, where it has no meaning."""
        points = np.arange(self.poses.size) * self.poses
        return np.asarray(np.divide(self.errors, points, out=np.full(points.size, np.nan), where=points > 0))

    @property
    def total(self) -> float:
        """e of [Fal eq. 61]: errors over points of the reference; 0 without any.

        Poses in which the reference has no point have no place in [Fal]'s sums; what the test finds there is in
        errors[0].
        """
        points = int(np.sum(np.arange(self.poses.size) * self.poses))
        return float(self.errors[1:].sum() / points) if points else 0.0


def agreement(
    *,
    reference: Array,
    reference_counts: IntArray,
    tested: Array,
    tested_counts: IntArray,
    tolerance: float = TOLERANCE,
) -> Agreement:
    """Compare the points of two searches in the same n poses [Fal eqs 60, 61].

    reference, tested (n, capacity, d): places on the rail [m], d coordinates; counts (n,): how many of them are
    points; tolerance [m].
    """
    errors = pose_errors(reference, reference_counts, tested, tested_counts, tolerance)
    h = int(reference_counts.max(initial=0)) + 1
    return Agreement(
        frozen(np.bincount(reference_counts, errors, minlength=h).astype(np.int64)),
        frozen(np.bincount(reference_counts, minlength=h)),
    )


@compiled
def pose_errors(A: Array, N_A: IntArray, B: Array, N_B: IntArray, tolerance: float) -> IntArray:
    """E^AB (n,) by the algorithm of [Fal 5.2]: points of A in turn take the first free point of B within reach."""
    errors = np.zeros(N_A.size, dtype=np.int64)
    taken = np.zeros(B.shape[1], dtype=np.bool_)
    for k in range(N_A.size):
        taken[:] = False
        pairs = 0
        for i in range(N_A[k]):
            for j in range(N_B[k]):
                if not taken[j] and np.sum((A[k, i] - B[k, j]) ** 2) <= tolerance**2:
                    taken[j] = True
                    pairs += 1
                    break
        errors[k] = max(N_A[k], N_B[k]) - pairs
    return errors


def classification_error(*, reference_counts: IntArray, tested_counts: IntArray) -> float:
    """E_c of [Fal eq. 56]: points too many or too few over all points of the reference."""
    return float(np.abs(tested_counts - reference_counts).sum() / reference_counts.sum())


def point_error(*, reference: Array, tested: Array, tolerance: float = 1e-3) -> float:
    """E_k of [Fal eqs 57, 58]: share of points that lie tolerance [m] or more off.

    reference, tested (n, k, d): the k points of n poses, in the same order.
    """
    return float(np.mean(np.linalg.norm(tested - reference, axis=2) >= tolerance))


def network_error(*, errors: Array, available: IntArray) -> float:
    """E_NN of [Fal eq. 59]: E_k (L,) of the networks for k = 1 ... L points, weighted by k times the data A_k (L,)."""
    weights = np.arange(1, errors.size + 1) * available
    return float(np.sum(errors * weights) / np.sum(weights))
