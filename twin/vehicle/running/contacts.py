"""The two kinds of contact behind one form: set wheels down, run steps, or the parts of a step one by one."""

from typing import NamedTuple

import numpy as np

from twin.contact.knife_edge import Irregularity, stand_free
from twin.contact.pressed import press_wheelset
from twin.contact.seating import WheelsetPair
from twin.core.arrays import Array
from twin.vehicle.description import Vehicle
from twin.vehicle.running.flexible import FlexibleRails
from twin.vehicle.running.knife import BRANCH, GAP, SIDE, find_constraints
from twin.vehicle.running.native import Native
from twin.vehicle.running.rails import Rails
from twin.vehicle.running.seats import WheelRailSettings, elastic_wheels, knife_wheels
from twin.vehicle.running.step import (
    OTHER_SPEED,
    Drive,
    Machine,
    Room,
    hold,
    prepare_elastic,
    prepare_knife,
    run_elastic,
    run_knife,
)

Loads = tuple[float, float]
"""Of the left and the right wheel [N]."""


class Way(NamedTuple):
    """What moves, on what, and what keeps its speed."""

    machine: Machine
    rails: Rails
    drive: Drive


class ElasticContacts:
    """Wheels that sink into their rails, which may give way."""

    def __init__(
        self,
        vehicle: Vehicle,
        pairs: list[WheelsetPair],
        settings: WheelRailSettings,
        *,
        flexible: FlexibleRails | None = None,
    ) -> None:
        self.wheels, self.flexible = elastic_wheels(vehicle, pairs, settings.law()), flexible
        self._pairs, self._material = pairs, settings.material

    def seat(self, w: int, y: float, loads: Loads) -> tuple[float, float]:
        """Height [m] and roll [rad] of wheelset w at y in the plane of straight rails, under its loads."""
        left, _ = press_wheelset(self._pairs[w], y=y, loads=loads, material=self._material)
        return left.pose.G_z, left.pose.roll

    def load(self, w: int, q: Array, v: Array, rails: Rails, loads: Loads) -> None:
        """Nothing to remember: the force follows from how deep a wheel sinks."""

    def suit(self, way: Way) -> None:
        """Make flexible rails ready for steps at the present speed."""
        if self.flexible is not None:
            V = float(way.machine.v[way.drive.coordinate])
            self.wheels = self.wheels._replace(bed=self.flexible.at(V))

    def prepare(self, way: Way, t: float, dt: float, rows: Array) -> int:
        """Forces before the equations of motion are evaluated; the wheelset off the track, or -1."""
        return prepare_elastic(way.machine, self.wheels, way.rails, way.drive, t, dt, rows)

    def hold(self, way: Way, dt: float, rows: Array) -> int:
        """Nothing is held."""
        return -1

    def steps(self, native: Native, way: Way, t: float, dt: float, every: int, room: Room) -> tuple[int, int, int]:
        """Fill the room: kept steps, what became of the last one, and of which wheelset."""
        done, end, lost = 0, OTHER_SPEED, -1
        while end == OTHER_SPEED:
            self.suit(way)
            rest = Room(room.q[done:], room.v[done:], room.a[done:], room.wheels[done:], room.row)
            now = t + done * every * dt
            kept, end, lost = run_elastic(native, way.machine, self.wheels, way.rails, way.drive, now, dt, every, rest)
            done += kept
        return done, end, lost


class KnifeContacts:
    """Wheels that are held to knives."""

    def __init__(self, vehicle: Vehicle, pairs: list[WheelsetPair], settings: WheelRailSettings) -> None:
        self.wheels = knife_wheels(vehicle, pairs, settings.law())

    def seat(self, w: int, y: float, loads: Loads) -> tuple[float, float]:
        """Height [m] and roll [rad] of wheelset w at y in the plane of straight rails; the loads do not matter."""
        knives, first = self.wheels.knives, self.wheels.first
        left, right = (
            knives._replace(places=knives.places[first[wheel] : first[wheel + 1]]) for wheel in (2 * w, 2 * w + 1)
        )
        standing = stand_free(left, right, y, Irregularity())
        return standing.z, standing.roll

    def load(self, w: int, q: Array, v: Array, rails: Rails, loads: Loads) -> None:
        """Give the branches that touch the load at rest, so that they grip from the first step."""
        find_constraints(self.wheels, w, q, v, rails, 0.0)
        rows = self.wheels.found[w, : self.wheels.counts[w]]
        for side, load in zip((1.0, -1.0), loads, strict=True):
            mine = rows[rows[:, SIDE] == side]
            if len(mine):
                self.wheels.carried[int(mine[np.argmin(mine[:, GAP]), BRANCH])] = load

    def suit(self, way: Way) -> None:
        """Knives do not give way."""

    def prepare(self, way: Way, t: float, dt: float, rows: Array) -> int:
        """Creep forces before the equations of motion are evaluated; the wheelset off the track, or -1."""
        return prepare_knife(way.machine, self.wheels, way.rails, way.drive, t, dt, rows)

    def hold(self, way: Way, dt: float, rows: Array) -> int:
        """Push the wheels off their knives; the wheelset for which that failed, or -1."""
        return hold(way.machine, self.wheels, dt, rows)

    def steps(self, native: Native, way: Way, t: float, dt: float, every: int, room: Room) -> tuple[int, int, int]:
        """Fill the room: kept steps, what became of the last one, and of which wheelset."""
        return run_knife(native, way.machine, self.wheels, way.rails, way.drive, t, dt, every, room)
