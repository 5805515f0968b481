"""Training of perceptrons: derivatives by brute force, known functions found again, and when it stops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from twin.core.arrays import Array
from twin.numerics.levenberg import Samples, TrainingSettings, normal_equations, solve_positive, spread, train
from twin.numerics.perceptron import Perceptron, Scale


def smooth(inputs: Array) -> Array:
    """Two functions of three inputs."""
    a, b, c = inputs.T
    return np.column_stack((np.sin(2 * a) * b + c**2, np.exp(-(a**2)) - b * c))


def samples(rng: np.random.Generator, n: int, noise: float = 0.0) -> Samples:
    inputs = rng.uniform(-1, 1, (n, 3))
    return Samples(inputs, smooth(inputs) + noise * rng.standard_normal((n, 2)))


def outputs(weights: Array, x: Array, h: int, k: int) -> Array:
    """The perceptron of a flat vector of weights, as the module's first lines have it."""
    first, last = weights[: h * x.shape[1]].reshape(-1, h), weights[h * x.shape[1] :].reshape(k, h + 1)
    return np.tanh(x @ first) @ last[:, :-1].T + last[:, -1]


def test_normal_equations_are_those_of_differences_of_the_outputs() -> None:
    rng = np.random.default_rng(1)
    n, h, k = 203, 3, 2
    x, target = np.column_stack((rng.uniform(-1, 1, (n, 3)), np.ones(n))), rng.standard_normal((n, k))
    first, last = rng.standard_normal((4, h)), rng.standard_normal((k, h + 1))
    JJ, Je = normal_equations(first, last, Samples(x, target))
    weights, step = np.concatenate((first.ravel(), last.ravel())), 1e-6
    columns = [
        (outputs(weights + bump, x, h, k) - outputs(weights - bump, x, h, k)).ravel() / (2 * step)
        for bump in step * np.eye(weights.size)
    ]
    J = np.column_stack(columns)
    residual = (target - outputs(weights, x, h, k)).ravel()
    assert_allclose(JJ, J.T @ J, rtol=1e-6, atol=1e-6 * np.abs(JJ).max())
    assert_allclose(Je, J.T @ residual, rtol=1e-6, atol=1e-6 * np.abs(Je).max())


@pytest.mark.parametrize("p", [1, 2, 37])
def test_positive_systems_are_solved_as_numpy_solves_them(p: int) -> None:
    rng = np.random.default_rng(p)
    root, b = rng.standard_normal((p, p + 3)), rng.standard_normal(p)
    A, x = root @ root.T, b.copy()
    expected = np.linalg.solve(A, b)
    assert solve_positive(A, x)
    assert_allclose(x, expected, rtol=1e-9)


@pytest.mark.parametrize("A", [[[0.0]], [[1.0, 2.0], [2.0, 1.0]], [[np.nan]]])
def test_what_is_not_positive_definite_is_not_solved(A: list[list[float]]) -> None:
    assert not solve_positive(np.array(A), np.ones(len(A)))


def test_smooth_functions_are_learnt_to_a_thousandth() -> None:
    rng = np.random.default_rng(2)
    learnt, held, test = samples(rng, 2000), samples(rng, 500), samples(rng, 500)
    done = train(spread(learnt, hidden=15, seed=0), learnt, held, settings=TrainingSettings())
    assert np.sqrt(np.mean((done.perceptron(test.inputs) - test.targets) ** 2)) < 1e-3
    assert done.validation_mse == pytest.approx(done.mse, rel=0.5)


def test_more_neurons_than_the_teacher_has_find_the_teacher() -> None:
    rng = np.random.default_rng(3)
    unit = Scale(np.zeros(3), np.ones(3)), Scale(np.zeros(1), np.ones(1))
    teacher = Perceptron(rng.standard_normal((2, 3)), rng.standard_normal(2), np.ones((1, 2)), np.zeros(1), *unit)
    x, y = rng.uniform(-1, 1, (600, 3)), rng.uniform(-1, 1, (200, 3))
    learnt, held = Samples(x, teacher(x)), Samples(y, teacher(y))
    done = train(spread(learnt, hidden=6, seed=0), learnt, held, settings=TrainingSettings())
    assert_allclose(done.perceptron(y), teacher(y), atol=1e-3)


def test_noise_that_is_learnt_by_heart_stops_the_training_and_the_best_weights_are_kept() -> None:
    rng = np.random.default_rng(4)
    learnt, held = samples(rng, 60, noise=0.5), samples(rng, 400, noise=0.5)
    told: list[float] = []
    start = spread(learnt, hidden=20, seed=0)
    done = train(start, learnt, held, settings=TrainingSettings(), progress=lambda _, mse: told.append(mse))
    assert done.epochs == len(told) < 150
    assert told[-1] > told[-2] > told[-3] > told[-4] > told[-5] > told[-6]
    assert done.validation_mse == min(told) == told[done.best_epoch - 1]
    scale = done.perceptron.of_outputs
    residual = scale.scaled(done.perceptron(held.inputs)) - scale.scaled(held.targets)
    assert np.mean(residual**2) == pytest.approx(done.validation_mse, rel=1e-9)


def test_every_step_lowers_the_error_of_the_training_set() -> None:
    rng = np.random.default_rng(5)
    learnt = samples(rng, 300)
    told: list[float] = []
    train(
        spread(learnt, hidden=10, seed=1),
        learnt,
        learnt,
        settings=TrainingSettings(epochs=60),
        progress=lambda _, mse: told.append(mse),
    )
    assert np.all(np.diff(told) < 0)


def test_equal_seeds_give_equal_weights() -> None:
    learnt, held = samples(np.random.default_rng(6), 300), samples(np.random.default_rng(7), 100)
    settings = TrainingSettings(epochs=10)
    one, two, other = (
        train(spread(learnt, hidden=8, seed=seed), learnt, held, settings=settings).perceptron for seed in (1, 1, 2)
    )
    assert_array_equal(one.W, two.W)
    assert_array_equal(one.V, two.V)
    assert np.abs(one.W - other.W).max() > 1e-3


def test_a_constant_column_and_a_constant_target_do_no_harm() -> None:
    rng = np.random.default_rng(8)
    inputs = np.column_stack((rng.uniform(-1, 1, 200), np.full(200, 7.0)))
    learnt = Samples(inputs, np.column_stack((inputs[:, 0] ** 2, np.full(200, 3.0))))
    done = train(spread(learnt, hidden=6, seed=0), learnt, learnt, settings=TrainingSettings(epochs=40))
    assert_allclose(done.perceptron(inputs), learnt.targets, atol=1e-2)
