"""The same motion by an adaptive method of high order: what the steps of a running vehicle are judged by.

Elastic contacts are forces, so the vehicle on them is an ordinary differential equation,

    q' = v,     v' = M^-1 delta(q, v, e, w),     e' = rates(q, v, e),     w' = V(t) - v_s

with e the internal states of dampers and w the memory of the speed's control. Its right-hand side is the one of the
steps, prepared by the same kernel; what differs is all of the integration. Steps are found by the method itself, so it
takes some hundred times as long. Knives hold by constraints, not by forces: they have no such reference.
"""

from typing import Literal

import numpy as np
from scipy.integrate import solve_ivp

from twin.core.arrays import Array, frozen
from twin.core.errors import ConfigError, RailTwinError
from twin.vehicle.running.contacts import ElasticContacts
from twin.vehicle.running.record import WHEEL_FIELDS, Record
from twin.vehicle.running.run import Running
from twin.vehicle.running.step import prepare_elastic

Method = Literal["LSODA", "Radau", "DOP853"]

INSTANT = 1e-6
"""Step over which the rate of the control's memory is taken [s]: 1e-10 of rounding in it."""
SIZES = {"s": 1.0, "spin": 1.0}
"""Of coordinates that grow with the way [m, rad]; all others are small."""
SMALL = 1e-3
"""Size of a shift, an angle or a rate off steady running [m, rad], to which rtol applies where the value is zero."""
TRACED = 1e-3
"""Largest step [s]: a method that finds nothing to do on smooth track must not step over a short irregularity."""


class ReferenceError(RailTwinError):
    """A reference that could not be computed."""


class _Equation:
    """Right-hand side over x = (q, v, e, w), in the arrays of a running vehicle's model."""

    def __init__(self, running: Running) -> None:
        if not isinstance(running.contacts, ElasticContacts):
            raise ConfigError("only elastic contacts have a reference, knives hold by constraints: set contact elastic")
        if running.settings.track is not None:
            raise ConfigError("only rigid track has a reference, flexible rails move in steps: leave out the track")
        self._running, self._wheels = running, running.contacts.wheels
        self.n = running.model.q.size
        self.rows = np.zeros((2 * len(running.pairs), len(WHEEL_FIELDS)))

    def start(self) -> Array:
        """The present state of the vehicle."""
        model = self._running.model
        return np.concatenate((model.q, model.v, model.states, self._running.drive.memory))

    def __call__(self, t: float, x: Array) -> Array:
        run, n = self._running, self.n
        model, drive = run.model, run.drive
        model.q[:], model.v[:], model.states[:], drive.memory[0] = x[:n], x[n : 2 * n], x[2 * n : -1], x[-1]
        prepare_elastic(run.machine, self._wheels, run.rails, drive, t, INSTANT, self.rows)
        slope = (drive.memory[0] - x[-1]) / INSTANT
        return np.concatenate((x[n : 2 * n], model.accelerations(), model.rates, [slope]))

    def tolerance(self, rtol: float) -> Array:
        """Absolute errors allowed in each part of x."""
        words = [name.rsplit(".", 1)[1] for name in self._running.model.layout.coordinates]
        sizes = np.array([SIZES.get(word, SMALL) for word in words])
        rest = np.full(self._running.model.states.size + 1, SMALL)
        return np.asarray(rtol * np.concatenate((sizes, np.full(self.n, SMALL), rest)))


def reference_run(running: Running, duration: float, rtol: float = 1e-8, *, method: Method = "LSODA") -> Record:
    """The next duration [s] of a vehicle on elastic contacts, within rtol at every step of the method.

    The record has the samples of running.settings.rate. Accelerations and wheels are those at the samples, where a run
    in steps has those of the step that led there. The vehicle is left at the end, but its own time does not move on.
    """
    equation = _Equation(running)
    rate, start = running.settings.rate, running.t
    t = start + np.arange(1, round(duration * rate) + 1) / rate
    x = equation.start()
    path = solve_ivp(
        equation,
        (start, float(t[-1])),
        x,
        method=method,
        t_eval=t,
        rtol=rtol,
        atol=equation.tolerance(rtol),
        max_step=TRACED,
    )
    if not path.success:
        raise ReferenceError(f"the reference ended at t = {path.t[-1] if path.t.size else start:g} s: {path.message}")
    n, kept = equation.n, path.y.T
    slopes, wheels = [], []
    for instant, state in zip(t, kept, strict=True):
        slopes.append(equation(float(instant), state)[n : 2 * n])
        wheels.append(equation.rows.copy())
    q, v = frozen(kept[:, :n].copy()), frozen(kept[:, n : 2 * n].copy())
    return Record(running.model.layout, frozen(t), q, v, frozen(np.array(slopes)), frozen(np.array(wheels)))
