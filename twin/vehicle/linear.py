"""Weakly coupled linear model of a vehicle that runs steadily along nearly straight track [Esc eqs. 2-3, 11-12].

It is the linearisation of the full equations of motion about running at speed V, so mass, suspension, preloads and
gyroscopic terms are those of the same vehicle. Motion along the track is prescribed; what remains falls into two
blocks, lateral (r_y, roll, yaw) and vertical (r_z, pitch), which do not meet while left and right are alike. Wheelsets
ride on the rails: their height and roll follow from the irregularities and their shift, only r_y and yaw are free.

The derivative by the numbers of every track frame is K^track and C^track of [Esc eq. 12] with the inertia of the
curve and the weight on cant, which a constant K alone lacks.
"""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, Self

import casadi as ca
import numpy as np
from scipy.linalg import expm

from twin.core.arrays import Array, G
from twin.core.errors import ConfigError
from twin.vehicle.description import Vehicle, wheels_of
from twin.vehicle.statics import at_rest
from twin.vehicle.symbolic import NUMBERS, between_by_series, derive
from twin.vehicle.wheel_rail import Rails, Rolling, WheelRail, creep_matrices, gravity_matrix

Block = Literal["lateral", "vertical"]
COORDINATES: dict[Block, tuple[str, ...]] = {"lateral": ("r_y", "roll", "yaw"), "vertical": ("r_z", "pitch")}
HELD = ("r_z", "roll", "spin")
"""Coordinates of a wheelset that the rails and the rolling prescribe."""
HINGES: dict[Block, str] = {"lateral": "hinge_z", "vertical": "hinge_y"}
IRREGULARITIES: dict[Block, tuple[str, ...]] = {"lateral": ("alignment", "cross_level"), "vertical": ("level",)}
"""Inputs under each wheelset [m], each with its rate and acceleration in time."""
TRACK: dict[Block, tuple[str, ...]] = {
    "lateral": ("rho_tw", "rho_h", "rho_tw_slope", "rho_h_slope", "roll"),
    "vertical": ("rho_v", "rho_v_slope", "pitch"),
}

ROUNDING = 1e-12
"""Of the derivatives of internal states, against the largest: what moves one less does not move it."""


@dataclass(frozen=True, slots=True)
class StateSpace:
    """x' = A x + B u of one block at one speed, x = (q, v, e), q against the rest on straight track.

    Behind it M q'' + C q' + K q + S e = forces of u, with n coordinates and m internal states of dampers and gears.
    """

    speed: float
    """[m/s]"""
    coordinates: tuple[str, ...]
    """Of q: 'body.coordinate' [m, rad]."""
    inputs: tuple[str, ...]
    """Of u: 'wheelset.irregularity' [m], its '_rate' [m/s] and '_acceleration', then 'body.number' of track frames."""
    M: Array
    C: Array
    K: Array
    A: Array
    """(2 n + m, 2 n + m)"""
    B: Array
    """(2 n + m, inputs)"""

    def input(self, values: dict[str, float]) -> Array:
        """u with these values; a name without its body stands for all bodies."""
        u = np.zeros(len(self.inputs))
        for name, value in values.items():
            places = [i for i, known in enumerate(self.inputs) if name in (known, known.rsplit(".", 1)[1])]
            if not places:
                raise KeyError(f"no input '{name}'")
            u[places] = value
        return u

    def steady(self, u: Array) -> dict[str, float]:
        """Coordinates at rest under constant inputs, by name."""
        x = np.linalg.lstsq(self.A, -self.B @ u)[0]
        return dict(zip(self.coordinates, x.tolist(), strict=False))

    def stepped(self, dt: float) -> tuple[Array, Array]:
        """Phi, Gamma of x_next = Phi x + Gamma u, u held over the step dt [s]; exact."""
        n, m = self.B.shape
        exponential = expm(dt * np.block([[self.A, self.B], [np.zeros((m, n + m))]]))
        return exponential[:n, :n], exponential[:n, n:]


@dataclass(frozen=True, slots=True)
class _Running:
    """Derivatives of the equations of motion while running at a speed."""

    M: Array
    K: Array
    C: Array
    D: Array
    S: Array
    A_q: Array
    A_v: Array
    A_track: Array
    A_e: Array


class LinearVehicle:
    """A vehicle, derived and differentiated once, that gives its state space at any speed."""

    def __init__(self, vehicle: Vehicle, contacts: Sequence[WheelRail], *, gravity: float = G) -> None:
        """contacts: of each wheelset from front to rear; gravity [m/s^2]."""
        if len(contacts) != len(vehicle.wheelsets):
            raise ConfigError(f"{len(vehicle.wheelsets)} wheelsets need as many contacts, got {len(contacts)}")
        self.vehicle = vehicle
        self.contacts = dict(zip((wheelset.name for wheelset in vehicle.wheelsets), contacts, strict=True))
        self._loads = {name: sum(pair) for name, pair in at_rest(vehicle, gravity=gravity).wheel_loads.items()}
        self._equations = derive(vehicle, gravity=gravity, between=between_by_series)
        self._layout = self._equations.layout

    def with_contacts(self, contacts: Sequence[WheelRail]) -> Self:
        """The same vehicle on other wheels and rails, not derived again."""
        other = copy(self)
        other.contacts = dict(zip(self.contacts, contacts, strict=True))
        return other

    def at(self, speed: float, block: Block) -> StateSpace:
        """State space of a block at a speed [m/s], > 0."""
        if not speed > 0:
            raise ValueError(f"creepages need a speed above 0, got {speed:g} m/s")
        free = self._free(block)
        n = len(free)
        rough = [(wheelset, word) for wheelset in self.contacts for word in IRREGULARITIES[block]]
        numbers = [(body, word) for body in self._layout.frames for word in TRACK[block]]
        columns = [self._track_column(body, word) for body, word in numbers]
        X = self._riding(free, rough)
        rows = self._virtual(X[:, :n], block)
        running = self._running(speed)
        M, C, K = (rows.T @ matrix @ X for matrix in (running.M, running.C, running.K))
        D = rows.T @ running.D[:, columns]
        if block == "lateral":
            C_contact, K_contact, D_contact = self._contact(speed, X, rows, rough)
            C, K = C + C_contact[:n], K + K_contact[:n]
            D[:, [numbers.index((wheelset, "rho_h")) for wheelset in self.contacts]] -= D_contact[:n]
        A, B = _first_order(_Block(M, C, K, D, rows.T @ running.S), running, X, columns)
        inputs = [f"{name}.{word}{rate}" for rate in ("", "_rate", "_acceleration") for name, word in rough]
        inputs += [f"{body}.{word}" for body, word in numbers]
        coordinates = tuple(self._layout.coordinates[place] for place in free)
        return StateSpace(speed, coordinates, tuple(inputs), M[:, :n], C[:, :n], K[:, :n], A, B)

    def schedule(self, speeds: Iterable[float], block: Block, *, dt: float) -> tuple[Array, Array]:
        """Phi (k, x, x) and Gamma (k, x, u) of steps dt [s] at k speeds [m/s]."""
        steps = [self.at(speed, block).stepped(dt) for speed in speeds]
        return np.stack([Phi for Phi, _ in steps]), np.stack([Gamma for _, Gamma in steps])

    def _free(self, block: Block) -> list[int]:
        """Places in q of the coordinates of a block."""
        places = []
        for place, name in enumerate(self._layout.coordinates):
            body, word = name.rsplit(".", 1)
            if word == "angle":
                own = self.vehicle.body(body).joint == HINGES[block]
            else:
                own = word in COORDINATES[block] and not (body in self.contacts and word in HELD)
            if own:
                places.append(place)
        return places

    def _riding(self, free: list[int], rough: list[tuple[str, str]]) -> Array:
        """(q, free + irregularities) motion of all coordinates while the wheelsets ride on the rails."""
        X = np.zeros((len(self._layout.coordinates), len(free) + len(rough)))
        X[free, range(len(free))] = 1.0
        for name, contact in self.contacts.items():
            if (name, "level") in rough:
                X[self._layout.index(f"{name}.r_z"), len(free) + rough.index((name, "level"))] = 1.0
            else:
                rails = _rails(name, rough, X.shape[1])
                y = X[self._layout.index(f"{name}.r_y")]
                X[self._layout.index(f"{name}.roll")] = contact.roll(y, rails, wheels_of(self.vehicle.body(name)))
        return X

    def _virtual(self, X: Array, block: Block) -> Array:
        """(q, free) virtual motion, of the rows of all matrices: loads that move from wheel to wheel do no work."""
        rows = X.copy()
        for name, contact in self.contacts.items() if block == "lateral" else ():
            y, wheels = X[self._layout.index(f"{name}.r_y")], wheels_of(self.vehicle.body(name))
            rows[self._layout.index(f"{name}.roll")] = contact.virtual_roll(y, wheels)
        return rows

    def _contact(self, speed: float, X: Array, rows: Array, rough: list[tuple[str, str]]) -> tuple[Array, Array, Array]:
        """C and K of creep forces and weight over the columns of X, D by rho_h under each wheelset."""
        size, n = X.shape[1], rows.shape[1]
        C, K, turned = np.zeros((size, size)), np.zeros((size, size)), []
        for name, contact in self.contacts.items():
            y, roll, yaw = (X[self._layout.index(f"{name}.{word}")] for word in ("r_y", "roll", "yaw"))
            virtual = np.concatenate((rows[self._layout.index(f"{name}.roll")], np.zeros(size - n)))
            rolling = Rolling(wheels_of(self.vehicle.body(name)), _rails(name, rough, size), y, roll, yaw, virtual)
            C_creep, K_creep, D_creep = creep_matrices(contact, rolling, speed=speed)
            C += C_creep
            K += K_creep + gravity_matrix(contact, rolling, load=self._loads[name])
            turned.append(D_creep)
        return C, K, np.stack(turned, axis=1)

    def _track_column(self, body: str, word: str) -> int:
        return len(NUMBERS) * self._layout.frames.index(body) + NUMBERS.index(word)

    @cached_property
    def _derivatives(self) -> ca.Function:
        q, v, track, _, states = self._equations.inputs
        M, delta, rates = self._equations.outputs
        parts = [ca.densify(ca.jacobian(what, by)) for what in (delta, rates) for by in (q, v, track, states)]
        return ca.Function("derivatives", self._equations.inputs, [M, *parts], {"cse": True})

    def _running(self, speed: float) -> _Running:
        """About straight track: all bodies at that speed, wheels rolling, rotors turned by their gears."""
        v = np.zeros(len(self._layout.coordinates))
        for place, name in enumerate(self._layout.coordinates):
            body, word = name.rsplit(".", 1)
            if word == "s":
                v[place] = speed
            elif word == "spin":
                v[place] = speed / wheels_of(self.vehicle.body(body)).radius
        rotors = [
            self._layout.index(f"{body.name}.angle")
            for body in self.vehicle.bodies
            if body.kind == "rotor" and body.joint == "hinge_y"
        ]
        if rotors:
            A_v = self._derived(v).A_v
            v[rotors] = np.linalg.lstsq(A_v[:, rotors], -A_v @ v)[0]
        return self._derived(v)

    def _derived(self, v: Array) -> _Running:
        sizes = [self._derivatives.nnz_in(i) for i in (2, 3, 4)]
        wrench = np.zeros((len(self._layout.bodies), 6))
        for name, load in self._loads.items():
            wrench[self._layout.bodies.index(name), 2] = load
        inputs = (self._layout.rest, v, np.zeros(sizes[0]), wrench.ravel(), np.zeros(sizes[2]))
        M, K, C, D, S, *rates = (np.asarray(value) for value in self._derivatives(*inputs))
        return _Running(self._layout.matrix(M.ravel()), -K, -C, D, -S, *rates)


def _rails(name: str, rough: list[tuple[str, str]], size: int) -> Rails:
    """Forms that pick the irregularities under a wheelset, which are the last of so many columns."""
    picked = np.eye(size)[size - len(rough) :]
    return Rails(*(picked[rough.index((name, word))] for word in IRREGULARITIES["lateral"]))


class _Block(NamedTuple):
    """M, C, K over free coordinates and irregularities, forces D by the numbers of the track, S by internal states."""

    M: Array
    C: Array
    K: Array
    D: Array
    S: Array


def _first_order(block: _Block, running: _Running, X: Array, columns: list[int]) -> tuple[Array, Array]:
    """A, B of a block; states that nothing of the block moves are left out.

    A block keeps the state of each damper as if it stood in that block alone: exact where left and right are alike.
    """
    M, C, K, D, S = block
    n, rough = M.shape[0], M.shape[1] - M.shape[0]
    e_q, e_v = running.A_q @ X, running.A_v @ X
    moved = np.abs(np.hstack([e_q[:, :n], e_v[:, :n]])).max(axis=1, initial=0.0)
    kept = np.flatnonzero(moved > ROUNDING * moved.max(initial=0.0))
    m = kept.size
    a_K, a_C, a_M, a_S, a_D = (np.linalg.solve(M[:, :n], part) for part in (-K, -C, -M[:, n:], -S[:, kept], D))
    A = np.block(
        [
            [np.zeros((n, n)), np.eye(n), np.zeros((n, m))],
            [a_K[:, :n], a_C[:, :n], a_S],
            [e_q[kept, :n], e_v[kept, :n], running.A_e[np.ix_(kept, kept)]],
        ]
    )
    B = np.block(
        [
            [np.zeros((n, 3 * rough + D.shape[1]))],
            [a_K[:, n:], a_C[:, n:], a_M, a_D],
            [e_q[kept, n:], e_v[kept, n:], np.zeros((m, rough)), running.A_track[np.ix_(kept, np.array(columns))]],
        ]
    )
    return A, B
