"""Levenberg and Marquardt's method for perceptrons with one hidden layer.

Every epoch solves (J'J + mu diag(J'J)) step = J'e [Marquardt 1963, Hagan and Menhaj 1994]: Gauss-Newton where mu is
small, a short step down the gradient where it is large. Levenberg's mu I in place of the diagonal left 1.6 to 1.8 times
the mean square error after 300 epochs on contact points (two starts). mu falls after a step that lowers the mean square
error and rises until one does. The validation set has no part in the steps: it decides when to stop, and which weights
are kept.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from pydantic import Field

from twin.core.arrays import Array
from twin.core.settings import Settings
from twin.numerics.compiled import compiled
from twin.numerics.perceptron import Perceptron, Scale, gram_products, squared_residuals, with_ones

FLOOR = 1e-3
"""Of the diagonal of J'J in the damping: a neuron that has no effect must not take a boundless step."""

LEAST_MU = 1e-12
"""Damping below which rounding decides whether a step can be solved for."""

EpochProgress = Callable[[int, float], None]
"""Is told the number of epochs done and the mean square error of the validation set, scaled."""


class TrainingSettings(Settings):
    """How a perceptron is trained. The defaults are those of [Fal 4.1.2]."""

    epochs: int = Field(150, ge=1, le=10_000, description="steps at most; [Fal] stops at 150")
    patience: int = Field(5, ge=1, le=1000, description="consecutive rises of the validation error that end it all")
    mu: float = Field(1e-3, gt=0, le=1e3, description="damping of the first step, a share of the diagonal of J'J")
    mu_fall: float = Field(0.1, gt=0, lt=1, description="factor on the damping after a step that succeeds")
    mu_rise: float = Field(10.0, gt=1, le=1e3, description="factor on the damping after a step that fails")
    mu_most: float = Field(1e10, gt=1, le=1e100, description="damping beyond which no step can help: the training ends")


class Samples(NamedTuple):
    """What is known of a function at n places."""

    inputs: Array
    """(n, d)"""
    targets: Array
    """(n, k)"""


@dataclass(frozen=True, slots=True)
class Training:
    """A trained perceptron and how it came to be."""

    perceptron: Perceptron
    """With the weights of the epoch whose validation error was least."""
    epochs: int
    """Steps taken."""
    best_epoch: int
    """The step whose weights are kept."""
    mse: float
    """Mean square error of the training set at that epoch, in scaled units."""
    validation_mse: float


@dataclass(frozen=True, slots=True)
class _Weights:
    """Layers with their biases as the last column: what the steps change."""

    first: Array
    """(d + 1, h)"""
    last: Array
    """(k, h + 1)"""

    def stepped(self, step: Array) -> "_Weights":
        """Further along a step ((d + 1) h + k (h + 1),)."""
        cut = self.first.size
        return _Weights(
            self.first + step[:cut].reshape(self.first.shape), self.last + step[cut:].reshape(self.last.shape)
        )


def spread(samples: Samples, *, hidden: int, seed: int) -> Perceptron:
    """A start: neurons spread over the box of the inputs [Nguyen and Widrow 1990], output weights zero.

    From zero the first step finds the output weights as the linear least squares problem they are.
    """
    d, k = samples.inputs.shape[1], samples.targets.shape[1]
    steepness = 0.7 * hidden ** (1 / d)
    W = np.random.default_rng(seed).standard_normal((hidden, d))
    W *= steepness / np.linalg.norm(W, axis=1, keepdims=True)
    b = steepness * np.linspace(-1.0, 1.0, hidden) * np.sign(W[:, 0])
    return Perceptron(W, b, np.zeros((k, hidden)), np.zeros(k), Scale.of(samples.inputs), Scale.of(samples.targets))


def train(
    start: Perceptron,
    samples: Samples,
    validation: Samples,
    *,
    settings: TrainingSettings,
    progress: EpochProgress | None = None,
) -> Training:
    """Fit a perceptron to samples from a start, whose scales are kept; equal arguments give equal weights."""
    learnt, held = (
        Samples(with_ones(start.of_inputs.scaled(each.inputs)), start.of_outputs.scaled(each.targets))
        for each in (samples, validation)
    )
    weights = _Weights(np.vstack((start.W.T, start.b)), np.column_stack((start.V, start.c)))
    error, last_held, mu = _mse(weights, learnt), _mse(weights, held), settings.mu
    kept, mse, validation_mse, best_epoch = weights, error, last_held, 0
    rises = epoch = 0
    while epoch < settings.epochs and rises < settings.patience:
        found = _descend(weights, learnt, error, mu, settings)
        if found is None:
            break
        weights, error, mu = found
        epoch += 1
        error_held = _mse(weights, held)
        rises = rises + 1 if error_held > last_held else 0
        last_held = error_held
        if error_held < validation_mse:
            kept, mse, validation_mse, best_epoch = weights, error, error_held, epoch
        if progress is not None:
            progress(epoch, error_held)
    trained = replace(start, W=kept.first[:-1].T.copy(), b=kept.first[-1], V=kept.last[:, :-1], c=kept.last[:, -1])
    return Training(trained, epoch, best_epoch=best_epoch, mse=mse, validation_mse=validation_mse)


def _descend(
    weights: _Weights, data: Samples, error: float, mu: float, settings: TrainingSettings
) -> tuple[_Weights, float, float] | None:
    """Weights with less error, that error and the next damping; None where no damping lowers the error."""
    JJ, Je = normal_equations(weights.first, weights.last, data)
    diagonal = np.arange(Je.size)
    scale = np.maximum(JJ[diagonal, diagonal], FLOOR)
    while mu <= settings.mu_most:
        damped = JJ.copy()
        damped[diagonal, diagonal] += mu * scale
        step = Je.copy()
        if solve_positive(damped, step):  # else the damping is too small against the rounding of J'J
            further = weights.stepped(step)
            lower = _mse(further, data)
            if lower < error:
                return further, lower, max(mu * settings.mu_fall, LEAST_MU)
        mu *= settings.mu_rise
    return None


def normal_equations(first: Array, last: Array, data: Samples) -> tuple[Array, Array]:
    """J'J (p, p) and J'e (p,) of the residuals e = target - output by p = (d + 1) h + k (h + 1) weights.

    first (d + 1, h), last (k, h + 1); data: scaled, inputs with a column of ones. All outputs share the rows of
    perceptron.gram_plain but for the factors V, so one Gram matrix serves every output and J itself is never formed.
    """
    (columns, h), k = first.shape, last.shape[0]
    gram, projected = gram_products(data.inputs, data.targets, first, last)
    cut = columns * h
    V = np.tile(last[:, :-1], columns)
    JJ = np.zeros((cut + k * (h + 1), cut + k * (h + 1)))
    JJ[:cut, :cut] = gram[:cut, :cut] * sum(np.outer(each, each) for each in V)
    Je = np.concatenate(((V.T * projected[:cut]).sum(axis=1), projected[cut:].T.ravel()))
    for output in range(k):
        own = slice(cut + output * (h + 1), cut + (output + 1) * (h + 1))
        JJ[own, own] = gram[cut:, cut:]
        JJ[:cut, own] = V[output][:, None] * gram[:cut, cut:]
        JJ[own, :cut] = JJ[:cut, own].T
    return JJ, Je


@compiled
def solve_positive(A: Array, x: Array) -> bool:
    """Replace x (p,) by the solution of A x = b it held; False, and x is lost, if A (p, p) is not positive definite.

    Cholesky's A = U'U, row by row so that the inner loop runs along memory; the upper triangle of A becomes U. On one
    core, as the sums of perceptron.py.
    """
    p = x.size
    for k in range(p):
        if not A[k, k] > 0.0:
            return False
        A[k, k:] /= np.sqrt(A[k, k])
        for i in range(k + 1, p):
            factor, row, pivot = A[k, i], A[i], A[k]
            for j in range(i, p):
                row[j] -= factor * pivot[j]
        x[k] /= A[k, k]
        for i in range(k + 1, p):
            x[i] -= A[k, i] * x[k]
    for k in range(p - 1, -1, -1):
        for j in range(k + 1, p):
            x[k] -= A[k, j] * x[j]
        x[k] /= A[k, k]
    return True


def _mse(weights: _Weights, data: Samples) -> float:
    """Mean square residual over all samples and outputs."""
    return squared_residuals(data.inputs, data.targets, weights.first, weights.last) / data.targets.size
