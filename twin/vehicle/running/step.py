"""One step of a running vehicle, and many: implicit in the creep forces, explicit in the rest [Ros eqs. 28-38].

    (M + dt C_K)(v+ - v) = dt delta(q, v),     q+ = q + dt v+

delta holds all forces at the present state, creep forces among them; C_K is their derivative by the rates, so they are
taken at v+ as far as they are linear. [Ros eq. 38] moves q by the mean of both rates, which makes undamped springs gain
energy; with v+ alone the step is symplectic, and springs keep theirs. M is block-diagonal, a block for each chain.
"""

from typing import NamedTuple

import numpy as np

from twin.core.arrays import Array, IntArray
from twin.numerics.compiled import compiled
from twin.vehicle.running.elastic import ElasticWheels, elastic_wheelset
from twin.vehicle.running.flexible import advance_bed, serves
from twin.vehicle.running.knife import (
    KnifeWheels,
    close_record,
    factorise,
    find_constraints,
    knife_creep,
    push_off,
    solve_factored,
)
from twin.vehicle.running.native import Native, call_native
from twin.vehicle.running.rails import Rails, design_at

ON_TRACK, LEFT_TRACK, NOT_FINITE, NO_CONTACT, OTHER_SPEED = range(5)
"""What became of a step: done; a wheelset has left the track; a number is none; contacts were not resolved; not begun,
as flexible rails must be made for the present speed first."""

BLOCK_START, BLOCK_SIZE, BLOCK_M = range(3)
LARGEST_RATE = 1e4
"""Rates above this are no motion of a train [m/s, rad/s]: the run has blown up."""


class Machine(NamedTuple):
    """The arrays of a vehicle's model, and where in them things are."""

    q: Array
    v: Array
    track: Array
    """(chains, 12)"""
    wrench: Array
    """(bodies, 6)"""
    states: Array
    M: Array
    delta: Array
    rates: Array
    blocks: IntArray
    """(chains, 3): first coordinate, how many, first number in M."""
    wheelsets: IntArray
    """(wheelsets, 2): chain and body of each, from front to rear."""
    A: Array
    """(chains, largest, largest) factors of the step."""
    C: Array
    """(wheelsets, 6, 6) damping of the creep forces."""
    before: Array
    """(n,) rates before the step."""


class Drive(NamedTuple):
    """What keeps the speed: a force on the pulled body, or torques on the wheelsets."""

    t: Array
    """(k,) times of the wanted speed [s]."""
    speed: Array
    """(k,) [m/s], straight between."""
    mass: float
    """Of the train that follows [kg]: scales the control."""
    body: int
    """That is pulled, and whose speed is controlled."""
    coordinate: int
    """Its s in q."""
    radius: float
    """Lever of the torques [m]; 0: pulled."""
    memory: Array
    """(1,) sum of past errors of the speed [m]."""


PROPORTIONAL, INTEGRAL = 1.0, 0.2
"""Gains of the speed's control [1/s, 1/s^2]: settles within some seconds, far slower than any mode of the vehicle."""


@compiled
def drive_force(machine: Machine, drive: Drive, t: float, dt: float) -> None:
    """Add what keeps the speed to the wrenches."""
    wanted = np.interp(t, drive.t, drive.speed)
    ahead = np.interp(t + 0.1, drive.t, drive.speed)
    error = wanted - machine.v[drive.coordinate]
    drive.memory[0] += dt * error
    force = drive.mass * ((ahead - wanted) / 0.1 + PROPORTIONAL * error + INTEGRAL * drive.memory[0])
    if drive.radius == 0.0:
        machine.wrench[drive.body, 0] += force
        return
    count = machine.wheelsets.shape[0]
    for w in range(count):
        machine.wrench[machine.wheelsets[w, 1], 4] += force * drive.radius / count


@compiled
def _place(machine: Machine, rails: Rails) -> None:
    machine.wrench[:, :] = 0.0
    machine.C[:, :, :] = 0.0
    for c in range(machine.blocks.shape[0]):
        design_at(rails, machine.q[machine.blocks[c, BLOCK_START]], machine.track[c])


@compiled
def prepare_elastic(
    machine: Machine, wheels: ElasticWheels, rails: Rails, drive: Drive, t: float, dt: float, rows: Array
) -> int:
    """Fill track and wrenches for the equations of motion, elastic contacts among them; the wheelset off the track."""
    _place(machine, rails)
    drive_force(machine, drive, t, dt)
    advance_bed(wheels.bed)
    lost = -1
    for w in range(machine.wheelsets.shape[0]):
        chain, body = machine.wheelsets[w]
        a = machine.blocks[chain, BLOCK_START]
        q, v, numbers = machine.q[a : a + 6], machine.v[a : a + 6], machine.track[chain]
        both = rows[2 * w : 2 * w + 2]
        if not elastic_wheelset(wheels, w, q, v, numbers, rails, machine.wrench[body], machine.C[w], both):
            lost = w
    return lost


@compiled
def prepare_knife(
    machine: Machine, wheels: KnifeWheels, rails: Rails, drive: Drive, t: float, dt: float, rows: Array
) -> int:
    """The same with knives: the constraints are found, only creep forces act yet."""
    _place(machine, rails)
    drive_force(machine, drive, t, dt)
    lost = -1
    for w in range(machine.wheelsets.shape[0]):
        chain, body = machine.wheelsets[w]
        a = machine.blocks[chain, BLOCK_START]
        q, v = machine.q[a : a + 6], machine.v[a : a + 6]
        if not find_constraints(wheels, w, q, v, rails, dt):
            lost = w
        both = rows[2 * w : 2 * w + 2]
        knife_creep(wheels, w, q, v, machine.track[chain], machine.wrench[body], machine.C[w], both)
    return lost


@compiled
def free_rates(machine: Machine, dt: float) -> None:
    """Replace the rates by those at the end of the step, without constraints."""
    machine.before[:] = machine.v
    for c in range(machine.blocks.shape[0]):
        start, n, first = machine.blocks[c]
        A = machine.A[c, :n, :n]
        for i in range(n):
            for k in range(n):
                A[i, k] = machine.M[first + n * i + k]
        for w in range(machine.wheelsets.shape[0]):
            if machine.wheelsets[w, 0] == c:
                A[:6, :6] += dt * machine.C[w]
        factorise(A)
        change = machine.delta[start : start + n]
        solve_factored(A, change)
        for i in range(n):
            machine.v[start + i] += dt * change[i]


@compiled
def hold(machine: Machine, wheels: KnifeWheels, dt: float, rows: Array) -> int:
    """Hold the wheels to their knives; the wheelset whose contacts were not resolved, or -1."""
    lost = -1
    for w in range(machine.wheelsets.shape[0]):
        chain = machine.wheelsets[w, 0]
        start, n, _ = machine.blocks[chain]
        if not push_off(wheels, w, machine.A[chain, :n, :n], machine.v[start : start + n], dt):
            lost = w
        close_record(wheels, w, rows[2 * w : 2 * w + 2])
    return lost


@compiled
def move(machine: Machine, dt: float) -> bool:
    """Move coordinates and internal states on; whether all rates are those of a train."""
    fine = True
    for i in range(machine.q.size):
        machine.q[i] += dt * machine.v[i]
        fine = fine and abs(machine.v[i]) < LARGEST_RATE
    for i in range(machine.states.size):
        machine.states[i] += dt * machine.rates[i]
    return fine


class Room(NamedTuple):
    """Where kept steps are written."""

    q: Array
    """(kept, n)"""
    v: Array
    a: Array
    wheels: Array
    """(kept, wheels, 9)"""
    row: Array
    """(wheels, 9) of the present step."""


@compiled
def keep(machine: Machine, room: Room, k: int, dt: float) -> None:
    """Write the present state as kept step k."""
    room.q[k] = machine.q
    room.v[k] = machine.v
    room.a[k] = (machine.v - machine.before) / dt
    room.wheels[k] = room.row


@compiled
def run_elastic(
    native: Native,
    machine: Machine,
    wheels: ElasticWheels,
    rails: Rails,
    drive: Drive,
    t: float,
    dt: float,
    every: int,
    room: Room,
) -> tuple[int, int, int]:
    """Fill the room with every n-th step; how many were kept, what became of the last step, and of which wheelset."""
    for k in range(room.q.shape[0]):
        if not serves(wheels.bed, machine.v[drive.coordinate]):
            return k, OTHER_SPEED, -1
        for i in range(every):
            lost = prepare_elastic(machine, wheels, rails, drive, t + (k * every + i) * dt, dt, room.row)
            call_native(native)
            free_rates(machine, dt)
            if not move(machine, dt):
                return k, NOT_FINITE, lost
            if lost >= 0:
                return k, LEFT_TRACK, lost
        keep(machine, room, k, dt)
    return room.q.shape[0], ON_TRACK, -1


@compiled
def run_knife(
    native: Native,
    machine: Machine,
    wheels: KnifeWheels,
    rails: Rails,
    drive: Drive,
    t: float,
    dt: float,
    every: int,
    room: Room,
) -> tuple[int, int, int]:
    """The same on knives."""
    for k in range(room.q.shape[0]):
        for i in range(every):
            lost = prepare_knife(machine, wheels, rails, drive, t + (k * every + i) * dt, dt, room.row)
            if lost >= 0:
                return k, LEFT_TRACK, lost
            call_native(native)
            free_rates(machine, dt)
            lost = hold(machine, wheels, dt, room.row)
            if not move(machine, dt):
                return k, NOT_FINITE, lost
            if lost >= 0:
                return k, NO_CONTACT, lost
        keep(machine, room, k, dt)
    return room.q.shape[0], ON_TRACK, -1
