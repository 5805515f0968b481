"""Moving modes: a few shapes that travel with the vehicle and stand for the whole track under its wheels [Esc 2.6].

The shapes are Krylov's: responses of the meshed track to forces at the wheels, at chosen frequencies and speeds. With
them as basis the reduced track answers at those frequencies as the whole one does [Recuero and Escalona, J. Sound Vib.
332, 2013]; the next frequency is always the one where it answers worst, until none is worse than the tolerance.

Displacements q = Phi_q a and velocities v = Phi_v b have bases of their own, orthonormal in elastic and in kinetic
energy, so that the energy of the track is (a'a + b'b) / 2 and

    a. = V G_q a + J b                        J = Phi_q' K Phi_v,  G_q = skew part of Phi_q' K N^-1 G_N Phi_q
    b. = -J' a + (V G_v - R) b + F f          G_v = skew part of Phi_v' G Phi_v,  R = Phi_v' C Phi_v,  F = Phi_v' B
    w = W a                                   W = B' Phi_q

G_q and G_v are antisymmetric, as convection carries energy without making any; the mesh breaks that only by its
rounding and by what leaves at the ends, where nothing is left, so it is restored. R is positive. So the energy never
grows but by the forces' power f' v on the material, at any speed, forth and back, and while it changes: stable by
construction, not by luck. At V = 0 elimination of b gives back the usual M q.. + C q. + K q = B f.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from pydantic import Field
from scipy.linalg import expm
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.core.settings import Settings
from twin.vehicle.track_flexibility.beam import Beam, ComplexArray, meshed, rail_shapes, response
from twin.vehicle.track_flexibility.parameters import Mesh, Track

INDEPENDENT = 1e-7
"""Share of a new shape that must be new [-]: less is the rounding of the others."""


class Reduction(Settings):
    """How good the reduced track shall be, and where."""

    to_frequency: float = Field(
        1500.0,
        gt=10.0,
        le=5e3,
        description="highest frequency [Hz]; corrugation excites up to 1500, the mesh ends at 3000",
    )
    from_frequency: float = Field(
        5.0, gt=0.1, le=100.0, description="lowest frequency tried beside 0 [Hz]; below it the track is its static self"
    )
    frequencies: int = Field(
        48, ge=4, le=1000, description="frequencies tried, in geometric order; 6 per octave suffice"
    )
    speeds: tuple[float, ...] = Field(
        (0.0, 50.0), min_length=1, description="speeds tried [m/s]; the lowest and the highest cover those between"
    )
    tolerance: float = Field(
        1e-3,
        gt=1e-6,
        lt=0.5,
        description="largest error of a receptance over the largest of its frequency and speed [-]",
    )
    most_shapes: int = Field(
        200, ge=2, le=1000, description="where to give up; 200 states are too many for a run in time"
    )


@dataclass(frozen=True, slots=True)
class MovingModes:
    """A reduced track: k_q displacements a and k_v velocities b, p forces."""

    J: Array
    """(k_q, k_v) exchange of kinetic and elastic energy."""
    G_q: Array
    """(k_q, k_q) convection of displacements per speed [1/m], antisymmetric."""
    G_v: Array
    """(k_v, k_v) convection of velocities per speed [1/m], antisymmetric."""
    R: Array
    """(k_v, k_v) damping [1/s], positive semi-definite."""
    F: Array
    """(k_v, p) force to velocities; F' b is the velocity of the material under the forces."""
    W: Array
    """(p, k_q) displacements to deflections under the forces."""
    places: Array
    """(p,) of the forces in the moving frame [m]."""
    nodes: Array
    """(k,) places at which the shapes are drawn [m]."""
    shapes: Array
    """(k, k_q) deflection of the rail per unit of each displacement."""
    worst: tuple[float, ...]
    """Largest error [-] after each frequency taken in; the last one holds."""

    @property
    def states(self) -> int:
        """k_q + k_v."""
        return sum(self.J.shape)


class _Sweep(NamedTuple):
    """Responses of the whole track at one speed, for each frequency."""

    V: float
    omega: Array
    q: list[ComplexArray]
    v: list[ComplexArray]
    receptance: ComplexArray


def moving_modes(
    track: Track, *, places: Array, mesh: Mesh | None = None, reduction: Reduction | None = None
) -> MovingModes:
    """Reduce a track to a few states under forces at places (p,) [m] of the moving frame.

    Raises ConfigError for a track that has no such form (sleepers at speed, hysteretic losses), or that would need
    more shapes than allowed.
    """
    reduction = reduction or Reduction()
    beam = meshed(track, mesh or Mesh(), places=places)
    if beam.H.nnz > 0:
        raise ConfigError(f"{track.name}: hysteretic losses have no response in time: give viscous damping instead")
    basis = _Basis(beam, places)
    sweeps = [_sweep(beam, rail_shapes(beam, places), V, reduction) for V in reduction.speeds]
    worst: list[float] = []
    sweep, k = sweeps[0], 0
    while True:
        before = basis.shapes
        basis.take_in(sweep.q[k], sweep.v[k])
        errors = _errors(basis.reduced(()), sweeps)
        worst.append(float(errors.max()))
        if worst[-1] <= reduction.tolerance:
            return basis.reduced(tuple(worst))
        if basis.shapes > reduction.most_shapes or basis.shapes == before:  # a response known already mends nothing
            raise ConfigError(
                f"{track.name}: {basis.shapes} shapes leave an error of {worst[-1]:.2g}, tolerance is "
                f"{reduction.tolerance:g}: loosen it, lower to_frequency, or allow more shapes"
            )
        row, k = divmod(int(errors.argmax()), errors.shape[1])
        sweep = sweeps[row]


def state_matrix(modes: MovingModes, *, V: float) -> Array:
    """A (n, n) of x. = A x + [0; F] f, x = (a, b); V [m/s]."""
    return np.block([[V * modes.G_q, modes.J], [-modes.J.T, V * modes.G_v - modes.R]])


def force_matrix(modes: MovingModes) -> Array:
    """(n, p) of the forces in x. = A x + force_matrix f."""
    return np.vstack([np.zeros((modes.J.shape[0], modes.F.shape[1])), modes.F])


def deflection_matrix(modes: MovingModes) -> Array:
    """(p, n) of the deflections w = deflection_matrix x under the forces."""
    return np.hstack([modes.W, np.zeros((modes.W.shape[0], modes.J.shape[1]))])


def reduced_receptance(modes: MovingModes, *, omega: Array, V: float = 0.0) -> ComplexArray:
    """Deflection at place i under a unit force at place j (frequencies, p, p) [m/N]; omega (frequencies,) [rad/s]."""
    A = state_matrix(modes, V=V)
    dynamic = 1j * omega[:, None, None] * np.eye(modes.states) - A
    return np.asarray(deflection_matrix(modes) @ np.linalg.solve(dynamic, force_matrix(modes)[None].astype(complex)))


def step_matrices(modes: MovingModes, *, V: float, dt: float) -> tuple[Array, Array]:
    """Phi (n, n) and Gamma (n, p) of x(t + dt) = Phi x + Gamma f, exact for forces that stay constant; dt [s]."""
    n, p = modes.states, modes.F.shape[1]
    whole = np.zeros((n + p, n + p))
    whole[:n, :n] = state_matrix(modes, V=V)
    whole[:n, n:] = force_matrix(modes)
    exponential = expm(whole * dt)
    return exponential[:n, :n], exponential[:n, n:]


def _sweep(beam: Beam, B: Array, V: float, reduction: Reduction) -> _Sweep:
    tried = np.geomspace(reduction.from_frequency, reduction.to_frequency, reduction.frequencies)
    omega = 2 * np.pi * np.concatenate([[0.0], tried])
    responses = [response(beam, B, omega=w, V=V) for w in omega]
    q, v = [found[0] for found in responses], [found[1] for found in responses]
    return _Sweep(V, omega, q, v, np.array([B.T @ shape for shape in q], dtype=complex))


def _errors(modes: MovingModes, sweeps: list[_Sweep]) -> Array:
    """(speeds, frequencies) largest error of the receptances over the largest of them [-]."""
    found = [reduced_receptance(modes, omega=sweep.omega, V=sweep.V) for sweep in sweeps]
    rows = zip(found, sweeps, strict=True)
    return np.array([_largest(guess - sweep.receptance) / _largest(sweep.receptance) for guess, sweep in rows])


def _largest(receptance: ComplexArray) -> Array:
    return np.asarray(np.abs(receptance).max(axis=(1, 2)))


class _Basis:
    """Shapes that grow by one response after the other."""

    def __init__(self, beam: Beam, places: Array) -> None:
        self._beam, self._B, self._places = beam, rail_shapes(beam, places), places
        self._drawn = rail_shapes(beam, beam.nodes)
        self._N = splu(beam.N)
        self._q = np.zeros((beam.M.shape[0], 0))
        self._v = np.zeros((beam.M.shape[0], 0))

    @property
    def shapes(self) -> int:
        """Of displacement."""
        return self._q.shape[1]

    def take_in(self, q: ComplexArray, v: ComplexArray) -> None:
        """Extend both bases by the real and the imaginary part of a response, if both have something new.

        They keep one size, so that J can be inverted: every displacement needs a velocity that changes it. A track at
        rest has none; there the displacement itself is the shape of the slow motion towards it.
        """
        v = v if v.any() else q
        q_parts, v_parts = np.hstack([q.real, q.imag]), np.hstack([v.real, v.imag])
        for q_shape, v_shape in zip(q_parts.T, v_parts.T, strict=True):
            new_q, new_v = _new(q_shape, self._q, self._beam.K), _new(v_shape, self._v, self._beam.M)
            if new_q is not None and new_v is not None:
                self._q, self._v = np.column_stack([self._q, new_q]), np.column_stack([self._v, new_v])

    def reduced(self, worst: tuple[float, ...]) -> MovingModes:
        """The track in the present basis."""
        beam, q, v = self._beam, self._q, self._v
        convected = (beam.K @ q).T @ self._N.solve(beam.G_N @ q)
        return MovingModes(
            J=q.T @ (beam.K @ v),
            G_q=_skew(convected),
            G_v=_skew(v.T @ (beam.G @ v)),
            R=v.T @ (beam.C @ v),
            F=v.T @ self._B,
            W=self._B.T @ q,
            places=self._places,
            nodes=beam.nodes,
            shapes=self._drawn.T @ q,
            worst=worst,
        )


def _skew(matrix: Array) -> Array:
    return np.asarray((matrix - matrix.T) / 2)


def _new(shape: Array, basis: Array, metric: csc_array) -> Array | None:
    """What a shape (n,) adds to a basis (n, k) orthonormal in a metric (n, n), of unit size; none if nothing."""
    size = np.sqrt(shape @ (metric @ shape))
    if size == 0.0:
        return None
    new = shape / size
    for _ in range(2):  # once leaves the rounding of nearly parallel shapes, twice does not
        new = new - basis @ (basis.T @ (metric @ new))
    rest = np.sqrt(new @ (metric @ new))
    return new / rest if rest > INDEPENDENT else None
