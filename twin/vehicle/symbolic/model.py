"""A vehicle ready to run: derived, compiled, with its buffers."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import casadi as ca
import numpy as np
from numpy.linalg import solve

from twin.core.arrays import Array, G
from twin.vehicle.description import Vehicle
from twin.vehicle.symbolic.equations import Equations, derive
from twin.vehicle.symbolic.export import buffered, code_directory, found_compiler
from twin.vehicle.symbolic.track import NUMBERS


class Energies(NamedTuple):
    """Of the whole vehicle."""

    kinetic: float
    """[J]"""
    stored: float
    """In the springs, against that at rest [J]"""
    lifted: float
    """By weight, each body against its track frame [J]: the height of the track itself is not known to the vehicle."""
    dissipated: float
    """Power taken by the dampers [W]"""


@dataclass(frozen=True, slots=True)
class Linearised:
    """M dv/dt + C v + K q + S e = 0 and de/dt = A_q q + A_v v + A_e e about a state; e the internal states."""

    M: Array
    C: Array
    K: Array
    S: Array
    A_q: Array
    A_v: Array
    A_e: Array


class VehicleModel:
    """Equations of motion of a vehicle as one compiled function.

    q (n,), v (n,), track (chains, 12) in the order of NUMBERS, wrench (bodies, 6) and states (m,) are the model's own
    arrays: write into them, call evaluate(), and read M (blocks one after the other), delta (n,) and rates (m,).
    """

    def __init__(self, equations: Equations, *, compiler: str | None, directory: Path) -> None:
        self.layout = equations.layout
        self._equations = equations
        self.motion = buffered(equations.function(), compiler=compiler, directory=directory)
        self.q, self.v, track, wrench, self.states = self.motion.inputs.values()
        self.track = track.reshape(-1, len(NUMBERS))
        self.wrench = wrench.reshape(-1, 6)
        self.M, self.delta, self.rates = self.motion.outputs.values()
        self.evaluate = self.motion.call
        self.q[:] = self.layout.rest

    def accelerations(self) -> Array:
        """dv/dt (n,) at the present inputs: one small solution per chain."""
        self.evaluate()
        found, start = np.empty_like(self.delta), 0
        for block in self.layout.blocks:
            size = block.stop - block.start
            M = self.M[start : start + size**2].reshape(size, size)
            found[block] = solve(M, self.delta[block])
            start += size**2
        return found

    def energies(self) -> Energies:
        """Of the present inputs."""
        parts = self._energies(self.q, self.v, self.track.ravel(), self.states)
        return Energies(*(float(part) for part in parts))

    @cached_property
    def _energies(self) -> ca.Function:
        return self._equations.energies()

    @cached_property
    def _jacobians(self) -> ca.Function:
        return self._equations.jacobians()

    def linearised(self) -> Linearised:
        """About the present inputs; the track is held, so on curved track K lacks what its change along s adds."""
        self.evaluate()
        values = self._jacobians(self.q, self.v, self.track.ravel(), self.wrench.ravel(), self.states)
        K, C, S, A_q, A_v, A_e = (np.asarray(value) for value in values)
        return Linearised(self.layout.matrix(self.M), -C, -K, -S, A_q, A_v, A_e)


def vehicle_model(vehicle: Vehicle, *, gravity: float = G, directory: Path | None = None) -> VehicleModel:
    """Derive a vehicle and compile it, or load it if it was compiled before; gravity [m/s^2]."""
    equations = derive(vehicle, gravity=gravity)
    return VehicleModel(equations, compiler=found_compiler(), directory=directory or code_directory())
