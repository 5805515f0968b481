"""Moving modes in time: one pole after the other, for the inner loop of a simulation.

At a constant speed x. = A x + F f falls apart into its eigenvectors, each of which only decays and turns. A step then
costs a few operations per pole in place of the square of their number. Between two calls the forces are constant, for
which the step is exact at any dt; contact springs on a rail up to 1500 Hz want dt of 0.1 ms or less. The plain form of
the same step is moving_modes.step_matrices, to which a test binds this one.
"""

from typing import NamedTuple

import numpy as np

from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.numerics.compiled import compiled
from twin.vehicle.track_flexibility.moving_modes import (
    MovingModes,
    deflection_matrix,
    force_matrix,
    state_matrix,
)


class Poles(NamedTuple):
    """A step of dt: z <- turn z + push f, deflections Re(pull z), rates Re(pull_rate z); m poles, p forces.

    Complex numbers are stored as (..., 2): real and imaginary part. Of two conjugate poles one is kept, counted twice.
    """

    turn: Array
    """(m, 2) exp(lambda dt)."""
    push: Array
    """(m, p, 2)."""
    pull: Array
    """(m, p, 2)."""
    pull_rate: Array
    """(m, p, 2)."""


def poles(modes: MovingModes, *, V: float, dt: float) -> Poles:
    """The poles of a reduced track at V [m/s] for steps of dt > 0 [s]."""
    if not dt > 0.0:
        raise ConfigError(f"dt must be positive, got {dt:g} s")
    values, vectors = np.linalg.eig(state_matrix(modes, V=V).astype(complex))
    pushed = np.linalg.solve(vectors, force_matrix(modes).astype(complex))
    pulled = (deflection_matrix(modes) @ vectors).T
    size = np.abs(values).max()
    kept = values.imag > -np.finfo(float).eps * size
    real = np.abs(values.imag) <= np.finfo(float).eps * size
    count = np.where(real, 1.0, 2.0)[kept, None]
    values, pushed, pulled = values[kept], pushed[kept], pulled[kept] * count
    step = np.expm1(values * dt) / values  # the track is stable: no pole is zero
    return Poles(
        turn=_split(np.exp(values * dt)),
        push=_split(step[:, None] * pushed),
        pull=_split(pulled),
        pull_rate=_split(values[:, None] * pulled),
    )


def at_rest(track: Poles) -> Array:
    """State z (m, 2) of a track without load."""
    return np.zeros_like(track.turn)


@compiled
def step_poles(track: Poles, z: Array, force: Array, deflection: Array, rate: Array) -> None:
    """Advance z (m, 2) in place by dt under force (p,) [N]; write deflection (p,) [m] and rate (p,) [m/s] after it.

    Deflections are positive where the force points to, and rates are those seen by a wheel, which travels with the
    frame: the material below has V times the slope more.
    """
    m, p = track.push.shape[0], track.push.shape[1]
    for j in range(p):
        deflection[j] = 0.0
        rate[j] = 0.0
    for i in range(m):
        real = track.turn[i, 0] * z[i, 0] - track.turn[i, 1] * z[i, 1]
        imaginary = track.turn[i, 0] * z[i, 1] + track.turn[i, 1] * z[i, 0]
        for j in range(p):
            real += track.push[i, j, 0] * force[j]
            imaginary += track.push[i, j, 1] * force[j]
        z[i, 0] = real
        z[i, 1] = imaginary
        for j in range(p):
            deflection[j] += track.pull[i, j, 0] * real - track.pull[i, j, 1] * imaginary
            rate[j] += track.pull_rate[i, j, 0] * real - track.pull_rate[i, j, 1] * imaginary


def _split(values: np.ndarray[tuple[int, ...], np.dtype[np.complex128]]) -> Array:
    return np.ascontiguousarray(np.stack([values.real, values.imag], axis=-1))
