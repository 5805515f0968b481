"""Equations of motion of a whole vehicle, derived once: M(q) dv/dt = delta, block-diagonal, one block per chain."""

from dataclasses import dataclass
from itertools import pairwise

import casadi as ca
import numpy as np

from twin.core.arrays import Array, G
from twin.vehicle.description import Vehicle
from twin.vehicle.statics import Rest, at_rest
from twin.vehicle.symbolic.export import Cost, cost
from twin.vehicle.symbolic.motion import Chain, Load, chain_motion, chains_of, coordinate_names, virtual_power
from twin.vehicle.symbolic.suspension import Suspension
from twin.vehicle.symbolic.track import NUMBERS, Between, TrackFrame, between_places

INPUTS = ("q", "v", "track", "wrench", "states")
OUTPUTS = ("M", "delta", "rates")


@dataclass(frozen=True, slots=True)
class Layout:
    """What the numbers of the vectors are."""

    coordinates: tuple[str, ...]
    """Of q, and of v: 'body.coordinate' [m, rad]."""
    blocks: tuple[slice, ...]
    """Coordinates of each chain: rows and columns of its block of M."""
    frames: tuple[str, ...]
    """Free body of each chain: each has its own track frame."""
    bodies: tuple[str, ...]
    """Rows of the wrenches."""
    states: tuple[str, ...]
    """Internal states of dampers and gears [m]."""
    rest: Array
    """q of the vehicle at rest on straight track, its middle at s = 0."""

    def index(self, coordinate: str) -> int:
        """Place of a coordinate in q."""
        return self.coordinates.index(coordinate)

    def matrix(self, M: Array) -> Array:
        """(n, n) mass matrix from the nonzero blocks, as the functions return them one after the other."""
        n = len(self.coordinates)
        full, start = np.zeros((n, n)), 0
        for block in self.blocks:
            size = block.stop - block.start
            full[block, block] = M[start : start + size**2].reshape(size, size)
            start += size**2
        return full


@dataclass(frozen=True, slots=True)
class Equations:
    """Symbols and expressions of one vehicle.

    inputs: q, v (n,), track (12 per chain, in the order of NUMBERS), wrench (6 per body: force and moment about its
    centre of mass in its track axes [N, N m], on a wheelset itself, not on its bearings), internal states.
    outputs: blocks of M one after the other, delta (n,), rates of the states.
    """

    layout: Layout
    inputs: tuple[ca.SX, ...]
    outputs: tuple[ca.SX, ...]
    stored: ca.SX
    """Energy in the springs, against that at rest [J]"""
    dissipated: ca.SX
    """Power taken by the dampers [W]"""
    lifted: ca.SX
    """Energy of weight, each body against the origin of its track frame [J]"""

    def function(self) -> ca.Function:
        """(q, v, track, wrench, states) -> (M, delta, rates), common subexpressions computed once."""
        return ca.Function("motion", self.inputs, self.outputs, INPUTS, OUTPUTS, {"cse": True})

    def costs(self) -> dict[str, Cost]:
        """Atoms and operations of each output by itself, and of all in one function, as [Ros Table 2] lists them."""
        single = {
            name: cost(ca.Function("part", self.inputs, [output], {"cse": True}))
            for name, output in zip(OUTPUTS, self.outputs, strict=True)
        }
        return single | {"together": cost(self.function())}

    def energies(self) -> ca.Function:
        """(q, v, track, states) -> (kinetic, stored in springs, lifted over the track [J], power of dampers [W])."""
        q, v, track, _, states = self.inputs
        kinetic, start = ca.SX(0), 0
        for block in self.layout.blocks:
            size = block.stop - block.start
            M = ca.reshape(self.outputs[0][start : start + size**2], size, size)
            kinetic += ca.bilin(M, v[block], v[block]) / 2
            start += size**2
        parts = (kinetic, self.stored, self.lifted, self.dissipated)
        return ca.Function("energies", (q, v, track, states), parts, {"cse": True})

    def jacobians(self) -> ca.Function:
        """(q, v, track, wrench, states) -> derivatives of delta by q, v and states, then those of the rates."""
        q, v, _, _, states = self.inputs
        _, delta, rates = self.outputs
        parts = [ca.jacobian(what, by) for what in (delta, rates) for by in (q, v, states)]
        return ca.Function("jacobians", self.inputs, [ca.densify(part) for part in parts], {"cse": True})


def derive(vehicle: Vehicle, *, gravity: float = G, between: Between = between_places) -> Equations:
    """Equations of a vehicle that rests on straight level track under gravity [m/s^2].

    between: where the track frames of two bodies lie to each other, by their places or by the series of their turns.
    """
    names = coordinate_names(vehicle.bodies)
    ends = np.cumsum([0] + [len(part) for part in names])
    blocks = tuple(slice(int(a), int(b)) for a, b in pairwise(ends))
    q, v = ca.SX.sym("q", int(ends[-1])), ca.SX.sym("v", int(ends[-1]))
    track = ca.SX.sym("track", len(NUMBERS) * len(blocks))
    wrench = ca.SX.sym("wrench", 6 * len(vehicle.bodies))
    chains = []
    for number, (members, block) in enumerate(zip(chains_of(vehicle.bodies), blocks, strict=True)):
        frame = TrackFrame.from_numbers(track[len(NUMBERS) * number : len(NUMBERS) * (number + 1)])
        chains.append(chain_motion(members, number, q=q[block], v=v[block], frame=frame))
    suspension = _loaded(vehicle, chains, _loads(vehicle, wrench), at_rest(vehicle, gravity=gravity), between)
    powers = [virtual_power(chain, suspension.loads_of(chain), gravity=gravity) for chain in chains]
    return Equations(
        layout=_layout(vehicle, names, blocks, suspension.state_names),
        inputs=(q, v, track, wrench, ca.vertcat(ca.SX(0, 1), *suspension.states)),
        outputs=(
            ca.vertcat(*(ca.vec(ca.densify(M)) for M, _ in powers)),
            ca.densify(ca.vertcat(*(delta for _, delta in powers))),
            ca.densify(ca.vertcat(ca.SX(0, 1), *suspension.rates)),
        ),
        stored=suspension.stored,
        dissipated=suspension.dissipated,
        lifted=sum((chain.lifted(gravity) for chain in chains), ca.SX(0)),
    )


def _loads(vehicle: Vehicle, wrench: ca.SX) -> dict[str, Load]:
    """What acts on each body from outside."""
    loads = {}
    for place, body in enumerate(vehicle.bodies):
        force, moment = wrench[6 * place : 6 * place + 3], wrench[6 * place + 3 : 6 * place + 6]
        loads[body.name] = Load(force, ca.SX.zeros(3), moment)
    return loads


def _loaded(vehicle: Vehicle, chains: list[Chain], loads: dict[str, Load], rest: Rest, between: Between) -> Suspension:
    motions = {motion.body.name: motion for chain in chains for motion in chain.bodies}
    suspension = Suspension(chains, motions, loads, between)
    for element in vehicle.elements:
        suspension.add(element, rest.preloads[element.name])
    return suspension


def _layout(vehicle: Vehicle, names: list[list[str]], blocks: tuple[slice, ...], states: list[str]) -> Layout:
    rest = np.zeros(blocks[-1].stop)
    frames = [body for body in vehicle.bodies if body.parent is None]
    for body, block in zip(frames, blocks, strict=True):
        rest[block.start : block.start + 3] = body.position
    return Layout(
        coordinates=tuple(name for part in names for name in part),
        blocks=blocks,
        frames=tuple(body.name for body in frames),
        bodies=tuple(body.name for body in vehicle.bodies),
        states=tuple(states),
        rest=rest,
    )
