"""Perceptrons with one hidden layer of tanh neurons: plain evaluation, and the compiled sums their training needs.

    y = V tanh(W x + b) + c,  with x and y scaled to [-1, 1] over the data

The kernels take the layers with their biases: first (d + 1, h) = [W b]' and last (k, h + 1) = [V c], and inputs with a
column of ones. They use one core whatever else runs, and give the same sums however many there are; the threads of a
BLAS wait for each other where cores are shared: on two busy cores its products took six times as long with two threads
as with one. On one quiet core they take 37 ms for 18 000 samples and 32 neurons, the kernel 45 ms.
"""

from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array
from twin.numerics.compiled import compiled

SATURATED = 12.0
"""Where tanh is 1 to 8e-11."""

ABREAST = 8
"""Samples whose products are summed at once: so many fewer times the sums go through memory."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps the columns of data on [-1, 1]; a constant column becomes 0."""

    centre: Array
    """(m,)"""
    half: Array
    """(m,) half of the range, above 0."""

    @classmethod
    def of(cls, data: Array) -> "Scale":
        """The scale of data (n, m)."""
        low, high = data.min(axis=0), data.max(axis=0)
        return cls(centre=(low + high) / 2, half=np.where(high > low, (high - low) / 2, 1.0))

    def scaled(self, data: Array) -> Array:
        """Data (n, m) in units of their range."""
        return np.asarray((data - self.centre) / self.half)

    def unscaled(self, data: Array) -> Array:
        """The inverse of scaled."""
        return np.asarray(data * self.half + self.centre)


@dataclass(frozen=True, slots=True)
class Perceptron:
    """y = V tanh(W x + b) + c in units of the data's ranges."""

    W: Array
    """(h, d)"""
    b: Array
    """(h,)"""
    V: Array
    """(k, h)"""
    c: Array
    """(k,)"""
    of_inputs: Scale
    of_outputs: Scale

    def __call__(self, inputs: Array) -> Array:
        """Outputs (n, k) of inputs (n, d)."""
        hidden = np.tanh(self.of_inputs.scaled(inputs) @ self.W.T + self.b)
        return self.of_outputs.unscaled(hidden @ self.V.T + self.c)


def with_ones(data: Array) -> Array:
    """Data (n, m) with a column of ones: the bias is the weight of a constant input."""
    return np.column_stack((data, np.ones(data.shape[0])))


def gram_plain(x: Array, target: Array, first: Array, last: Array) -> tuple[Array, Array]:
    """Z'Z (m, m) and Z'e (m, k) of the residuals e = target - output, m = (d + 1) h + h + 1.

    A row of Z holds what the derivatives of all outputs share: x_a (1 - h_j^2) for every input a and neuron j, then
    h_j and 1. The derivative of output o by the weight of input a in neuron j is V_oj x_a (1 - h_j^2); by V_oj, h_j.
    """
    hidden = np.tanh(x @ first)
    slopes = 1.0 - hidden**2
    Z = np.hstack(((x[:, :, None] * slopes[:, None, :]).reshape(len(x), first.size), with_ones(hidden)))
    residuals = target - with_ones(hidden) @ last.T
    return Z.T @ Z, Z.T @ residuals


@compiled
def quick_tanh(x: float) -> float:
    """tanh to 1e-10, without a branch or a table so that neurons are taken several at once.

    Pade's fraction of tanh(x / 8) = p / q, then three times tanh(2 t) = 2 p q / (p^2 + q^2); one division in all.
    """
    t = min(max(x, -SATURATED), SATURATED) * 0.125
    s = t * t
    p = t * (945.0 + s * (105.0 + s))
    q = 945.0 + s * (420.0 + s * 15.0)
    p, q = 2.0 * p * q, p * p + q * q
    p, q = 2.0 * p * q, p * p + q * q
    p, q = 2.0 * p * q, p * p + q * q
    return p / q


@compiled
def _excite(x: Array, first: Array, hidden: Array) -> None:
    """Fill hidden (h,) with the neurons' answers to one sample x (d + 1,)."""
    for j in range(hidden.size):
        hidden[j] = 0.0
    for a in range(x.size):
        for j in range(hidden.size):
            hidden[j] += x[a] * first[a, j]
    for j in range(hidden.size):
        hidden[j] = quick_tanh(hidden[j])


@compiled
def _residual(target: Array, last: Array, hidden: Array, output: int) -> float:
    """Target minus output of one sample."""
    h = hidden.size
    total = target[output] - last[output, h]
    for j in range(h):
        total -= last[output, j] * hidden[j]
    return float(total)


@compiled
def squared_residuals(x: Array, target: Array, first: Array, last: Array) -> float:
    """Sum over all samples and outputs."""
    hidden = np.empty(first.shape[1])
    total = 0.0
    for i in range(x.shape[0]):
        _excite(x[i], first, hidden)
        for output in range(target.shape[1]):
            residual = _residual(target[i], last, hidden, output)
            total += residual * residual
    return total


@compiled
def _add_products(Z: Array, gram: Array) -> None:
    """Add Z'Z of ABREAST rows to the upper triangle of gram."""
    Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7 = Z[0], Z[1], Z[2], Z[3], Z[4], Z[5], Z[6], Z[7]
    for a in range(gram.shape[0]):
        z0, z1, z2, z3, z4, z5, z6, z7 = Z0[a], Z1[a], Z2[a], Z3[a], Z4[a], Z5[a], Z6[a], Z7[a]
        row = gram[a]
        for b in range(a, gram.shape[0]):
            row[b] += (z0 * Z0[b] + z1 * Z1[b] + z2 * Z2[b] + z3 * Z3[b]) + (
                z4 * Z4[b] + z5 * Z5[b] + z6 * Z6[b] + z7 * Z7[b]
            )


@compiled
def gram_products(x: Array, target: Array, first: Array, last: Array) -> tuple[Array, Array]:
    """What gram_plain gives, without the memory for Z."""
    columns, h = first.shape
    m, k = columns * h + h + 1, target.shape[1]
    gram, projected = np.zeros((m, m)), np.zeros((k, m))
    Z, hidden = np.zeros((ABREAST, m)), np.empty(h)
    for i in range(x.shape[0]):
        row = Z[i % ABREAST]
        _excite(x[i], first, hidden)
        for a in range(columns):
            for j in range(h):
                row[a * h + j] = x[i, a] * (1.0 - hidden[j] * hidden[j])
        row[columns * h : m - 1] = hidden
        row[m - 1] = 1.0
        for output in range(k):
            residual = _residual(target[i], last, hidden, output)
            for a in range(m):
                projected[output, a] += residual * row[a]
        if (i + 1) % ABREAST == 0:
            _add_products(Z, gram)
            Z[:] = 0.0
    _add_products(Z, gram)  # the last few; zero rows add nothing
    for a in range(m):
        for b in range(a):
            gram[a, b] = gram[b, a]
    return gram, projected.T.copy()
