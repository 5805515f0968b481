"""Time of a Kalman step of 6 states and 6 measurements: compiled kernels against filterpy on the same data."""

import time
from dataclasses import dataclass

import numpy as np
from filterpy.kalman import KalmanFilter
from numpy.testing import assert_allclose

from twin.core.arrays import Array
from twin.numerics.compiled import compiled
from twin.numerics.discretise import white_jerk
from twin.numerics.kalman import correct_scalar, predict_in_place

STEPS = 2000
REPEATS = 5


@dataclass(frozen=True)
class Problem:
    """Two white-jerk axes at 500 Hz, each measured in position, speed and acceleration."""

    F: Array
    Q: Array
    H: Array
    r: Array
    """(6,) variances of the measurements."""
    z: Array
    """(steps, 6)"""


def problem(seed: int = 0, steps: int = STEPS) -> Problem:
    """Random measurements: the work does not depend on what they say."""
    rng = np.random.default_rng(seed)
    Phi, Qd = white_jerk(dt=0.002, q=10.0)
    return Problem(
        F=np.kron(np.eye(2), Phi),
        Q=np.kron(np.eye(2), Qd),
        H=np.eye(6) + 0.1 * rng.standard_normal((6, 6)),
        r=rng.uniform(0.5, 1.5, 6),
        z=rng.standard_normal((steps, 6)),
    )


def run_filterpy(given: Problem) -> tuple[Array, float]:
    """States (steps, 6) from x = 0, P = I, and the seconds they took; one vector update a step."""
    kalman = KalmanFilter(dim_x=6, dim_z=6)
    kalman.F, kalman.Q, kalman.H, kalman.R = given.F, given.Q, given.H, np.diag(given.r)
    x = np.empty(given.z.shape)
    begin = time.perf_counter()
    for i, z in enumerate(given.z):
        kalman.predict()
        kalman.update(z)
        x[i] = kalman.x[:, 0]
    return x, time.perf_counter() - begin


@compiled
def _loop(F: Array, Q: Array, H: Array, r: Array, z: Array) -> Array:
    x, P, scratch = np.zeros(6), np.eye(6), np.empty((6, 6))
    out = np.empty(z.shape)
    for i in range(z.shape[0]):
        predict_in_place(x, P, F, Q, scratch)
        for j in range(6):
            correct_scalar(x, P, H[j], z[i, j], r[j], np.inf, scratch)
        out[i] = x
    return out


def run_compiled(given: Problem) -> tuple[Array, float]:
    """The same with one scalar correction for each measurement."""
    begin = time.perf_counter()
    x = _loop(given.F, given.Q, given.H, given.r, given.z)
    return x, time.perf_counter() - begin


def figures() -> list[dict[str, str | float]]:
    """Best of some runs of each, taken in turn so that both meet the same machine; equal results are checked."""
    given = problem()
    run_compiled(given)  # compiles or loads the kernels, outside the timing
    seconds_filterpy, seconds_compiled = [], []
    for _ in range(REPEATS):
        x_filterpy, seconds = run_filterpy(given)
        seconds_filterpy.append(seconds)
        x_compiled, seconds = run_compiled(given)
        seconds_compiled.append(seconds)
        assert_allclose(x_compiled, x_filterpy, rtol=1e-9, atol=1e-9)
    slow, fast = 1e6 * min(seconds_filterpy) / STEPS, 1e6 * min(seconds_compiled) / STEPS
    return [
        {"name": "numerics.filterpy_step", "value": slow, "unit": "us"},
        {"name": "numerics.kalman_step", "value": fast, "unit": "us"},
        {"name": "numerics.kalman_over_filterpy", "value": slow / fast, "unit": "ratio"},
    ]
