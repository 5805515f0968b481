"""Compiled products and solutions for matrices of a few rows, into arrays that are there already.

BLAS costs more in its call than in its work at this size, and its sums depend on the machine's threads and vector
width; these loops add in one fixed order. Sizes n <= 12 are meant; nothing here allocates.
"""

from math import sqrt

from twin.core.arrays import Array
from twin.numerics.compiled import compiled

PIVOT_FLOOR = 1e-13
"""Share of its own variance below which what the other states leave unexplained of a state is rounding error."""


@compiled
def multiply(A: Array, B: Array, out: Array) -> None:
    """out = A B, all (n, n); out is neither A nor B."""
    n = A.shape[0]
    for i in range(n):
        for j in range(n):
            out[i, j] = A[i, 0] * B[0, j]
        for k in range(1, n):
            a = A[i, k]
            for j in range(n):
                out[i, j] += a * B[k, j]


@compiled
def add_symmetric_product(AP: Array, A: Array, out: Array) -> None:
    """out += A P A' for the product AP of before, all (n, n), exactly symmetric if out was."""
    n = A.shape[0]
    for i in range(n):
        for j in range(i, n):
            total = out[i, j]
            for k in range(n):
                total += AP[i, k] * A[j, k]
            out[i, j] = total
            out[j, i] = total


@compiled
def transform(A: Array, x: Array, out: Array) -> None:
    """out = A x for A (n, n) and x (n,); out is not x."""
    n = A.shape[0]
    for i in range(n):
        total = 0.0
        for k in range(n):
            total += A[i, k] * x[k]
        out[i] = total


@compiled
def factor(P: Array, L: Array) -> None:
    """Cholesky factor P = L L' of a covariance (n, n), which may be singular.

    A state that the states before it explain down to PIVOT_FLOOR gets an empty column: its diagonal is zero, and
    solve() gives it no share. So L L' still reproduces P, where a regularised factor would bias every state.
    """
    n = P.shape[0]
    for j in range(n):
        pivot = P[j, j]
        for k in range(j):
            pivot -= L[j, k] * L[j, k]
        independent = pivot > PIVOT_FLOOR * P[j, j]
        L[j, j] = sqrt(pivot) if independent else 0.0
        for i in range(j + 1, n):
            L[j, i] = 0.0
            total = P[i, j]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            L[i, j] = total / L[j, j] if independent else 0.0


@compiled
def solve(L: Array, B: Array) -> None:
    """Replace B by a solution X of L L' X = B, all (n, n), L from factor().

    For a singular L L' it is one of many; they agree in every product that stays in the range of L L'.
    """
    n = L.shape[0]
    for i in range(n):
        for k in range(i):
            for j in range(n):
                B[i, j] -= L[i, k] * B[k, j]
        for j in range(n):
            B[i, j] = B[i, j] / L[i, i] if L[i, i] > 0.0 else 0.0
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            for j in range(n):
                B[i, j] -= L[k, i] * B[k, j]
        for j in range(n):
            B[i, j] = B[i, j] / L[i, i] if L[i, i] > 0.0 else 0.0
