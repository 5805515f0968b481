"""The linear vehicle about a nonlinear steady state, in a curve for example: for curves too sharp for straight track's.

In a sharp curve wheelsets stand off the middle of the track and roll with creepages that are no longer small: conicity,
contact angles and creep coefficients are those of the points they stand on, left and right differ, and the vertical and
the lateral block meet. So all coordinates stay. The equations of motion are differentiated as on straight track, and
the forces of the contacts by finite differences of the very functions the nonlinear vehicle runs on:

    M q'' + C q' + K q + S e = forces of u,   all against the steady state.

The speed of the body that is pulled is prescribed. The spin of each wheelset follows at once: its creep forces turn it
within a millisecond or two. Wheels on their flanges, or close to them, are outside the linear range: `on_flange` says
which.
"""

from dataclasses import dataclass
from typing import NamedTuple

import casadi as ca
import numpy as np

from twin.core.arrays import Array, G
from twin.core.errors import ConfigError
from twin.vehicle.contact_slopes import IRREGULARITIES, ContactSlopes, DifferenceSteps, WheelsetContact, WheelsetState
from twin.vehicle.description import Vehicle
from twin.vehicle.linear import StateSpace
from twin.vehicle.running import Running
from twin.vehicle.running.elastic import ElasticWheels
from twin.vehicle.symbolic import between_by_series, derive

FLANGE_ANGLE = 0.3
"""Contact angle beyond which a wheel runs on the root of its flange [rad]: treads stay below 0.15."""
RATES = ("", "_rate")
"""Of each irregularity under each wheelset [m], and in time [m/s]."""


class _Full(NamedTuple):
    """Derivatives of forces F and of the rates A of internal states by q, v, u and e; all coordinates."""

    M: Array
    F_q: Array
    F_v: Array
    F_u: Array
    F_e: Array
    A_q: Array
    A_v: Array
    A_e: Array


@dataclass(frozen=True, slots=True)
class SteadyState:
    """A vehicle that runs steadily: means over a window of a run."""

    speed: float
    """[m/s]"""
    q: Array
    """(n,) coordinates; s against the body that is pulled."""
    v: Array
    """(n,)"""
    states: Array
    """(m,) of dampers."""
    numbers: Array
    """(frames, 12) of the track frames."""
    on_flange: tuple[str, ...]
    """Wheelsets with a wheel on the root of its flange."""


def steady_state(running: Running, *, samples: int) -> SteadyState:
    """The state of a vehicle that has settled, over the next samples of its run."""
    record = running.stretch(samples)
    if record.stopped is not None:
        raise ConfigError(f"no steady state: {record.stopped}")
    layout, machine = running.model.layout, running.machine
    q = record.q.mean(axis=0)
    pulled = running.drive.coordinate
    places = [block.start for block in layout.blocks]
    q[places] = np.mean(record.q[:, places] - record.q[:, [pulled]], axis=0)
    angles = record.wheel("angle").mean(axis=0).reshape(-1, 2).max(axis=1)
    return SteadyState(
        speed=float(record.v[:, pulled].mean()),
        q=q,
        v=record.v.mean(axis=0),
        states=machine.states.copy(),
        numbers=machine.track.copy(),
        on_flange=tuple(
            wheelset.name
            for wheelset, angle in zip(running.vehicle.wheelsets, angles, strict=True)
            if angle > FLANGE_ANGLE
        ),
    )


class CurvingVehicle:
    """A vehicle on elastic contacts, derived once, that gives its state space about any steady state."""

    def __init__(self, vehicle: Vehicle, wheels: ElasticWheels, *, steps: DifferenceSteps | None = None) -> None:
        if any(body.kind == "rotor" for body in vehicle.bodies):
            raise ConfigError("a state space in curves knows no rotors: lock them, or leave them out")
        self.vehicle, self._wheels, self._steps = vehicle, wheels, steps or DifferenceSteps()
        equations = derive(vehicle, gravity=G, between=between_by_series)
        q, v, _, wrench, states = equations.inputs
        M, delta, rates = equations.outputs
        parts = [ca.densify(ca.jacobian(delta, by)) for by in (q, v, wrench, states)]
        parts += [ca.densify(ca.jacobian(rates, by)) for by in (q, v, states)]
        self._layout = equations.layout
        self._derivatives = ca.Function("derivatives", equations.inputs, [M, *parts], {"cse": True})

    def about(self, steady: SteadyState) -> StateSpace:
        """State space against a steady state; inputs are the irregularities under each wheelset and their rates."""
        layout, names = self._layout, [wheelset.name for wheelset in self.vehicle.wheelsets]
        slopes = [self._slopes(w, steady) for w in range(len(names))]
        wrench = np.zeros((len(layout.bodies), 6))
        wrench[[layout.bodies.index(name) for name in names]] = [each.wrench for each in slopes]
        inputs = (steady.q, steady.v, steady.numbers.ravel(), wrench.ravel(), steady.states)
        M, F_q, F_v, F_w, F_e, A_q, A_v, A_e = (np.asarray(value) for value in self._derivatives(*inputs))
        F_u = np.zeros((2, F_q.shape[0], len(names) * len(IRREGULARITIES)))
        for w, (name, each) in enumerate(zip(names, slopes, strict=True)):
            start, row = layout.index(f"{name}.s"), 6 * layout.bodies.index(name)
            own, acting = slice(start, start + 6), F_w[:, row : row + 6]
            columns = slice(w * len(IRREGULARITIES), (w + 1) * len(IRREGULARITIES))
            F_q[:, own] += acting @ each.q
            F_v[:, own] += acting @ each.v
            F_u[0, :, columns], F_u[1, :, columns] = acting @ each.rough, acting @ each.rough_rate
        full = _Full(layout.matrix(M.ravel()), F_q, F_v, np.hstack(tuple(F_u)), F_e, A_q, A_v, A_e)
        return self._reduced(full, steady.speed)

    def _reduced(self, full: "_Full", speed: float) -> StateSpace:
        """Without the place of the pulled body, spins condensed."""
        layout, wheelsets = self._layout, [wheelset.name for wheelset in self.vehicle.wheelsets]
        spins = [layout.index(f"{name}.spin") for name in wheelsets]
        pulled = max(layout.frames, key=lambda name: self.vehicle.body(name).mass)
        gone = {*spins, layout.index(f"{pulled}.s")}
        kept = [place for place in range(len(layout.coordinates)) if place not in gone]
        M, F_q, F_v, F_u, F_e, A_q, A_v, A_e = full
        inverse = -np.linalg.inv(F_v[np.ix_(spins, spins)])
        by_q, by_v, by_u = (inverse @ part for part in (F_q[spins][:, kept], F_v[spins][:, kept], F_u[spins]))
        turned = F_v[np.ix_(kept, spins)]
        K = -(F_q[np.ix_(kept, kept)] + turned @ by_q)
        C = -(F_v[np.ix_(kept, kept)] + turned @ by_v)
        forces, M = F_u[kept] + turned @ by_u, M[np.ix_(kept, kept)]
        n, m = len(kept), A_e.shape[0]
        a_K, a_C, a_S, a_u = (np.linalg.solve(M, part) for part in (-K, -C, F_e[kept], forces))
        e_q, e_v, e_u = (A_v[:, spins] @ part for part in (by_q, by_v, by_u))
        A = np.block(
            [
                [np.zeros((n, n)), np.eye(n), np.zeros((n, m))],
                [a_K, a_C, a_S],
                [A_q[:, kept] + e_q, A_v[:, kept] + e_v, A_e],
            ]
        )
        B = np.vstack((np.zeros((n, F_u.shape[1])), a_u, e_u))
        words = [f"{name}.{word}{rate}" for rate in RATES for name in wheelsets for word in IRREGULARITIES]
        return StateSpace(speed, tuple(layout.coordinates[k] for k in kept), tuple(words), M, C, K, A, B)

    def _slopes(self, w: int, steady: SteadyState) -> ContactSlopes:
        name = self.vehicle.wheelsets[w].name
        start = self._layout.index(f"{name}.s")
        q, v = steady.q[start : start + 6], steady.v[start : start + 6]
        contact = WheelsetContact(self._wheels, w, steady.numbers[self._layout.frames.index(name)])
        return contact.slopes(WheelsetState(q, v, np.zeros(4), np.zeros(4)), self._steps)
