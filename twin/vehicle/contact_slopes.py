"""Derivatives of the elastic contact of a wheelset about any state, by finite differences of the compiled forces.

Contacts are stiff where a wheel sinks, and bent where it shifts and creeps. So steps are narrow in height and roll, and
as wide as the motion about the state in shift and creepage: what comes out is the chord over that motion. A wheelset
that shifts takes height and roll with it so that its wheels keep their loads, or a wide step would tear them off.
"""

from typing import NamedTuple

import numpy as np
from pydantic import Field

from twin.core.arrays import Array
from twin.core.settings import Settings
from twin.vehicle.running import Rails
from twin.vehicle.running.elastic import ElasticWheels, elastic_wheelset
from twin.vehicle.running.record import WHEEL_FIELDS
from twin.vehicle.running.wheelset import R_Y, R_Z, ROLL, SPIN, YAW, S

IRREGULARITIES = ("alignment", "gauge", "level", "cross_level")
"""Of the rails under a wheelset [m]."""
PLACES = np.array([[1.0, 0.0, 1.0, 0.0], [0.5, 0.0, -0.5, 0.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.5, 0.0, -0.5]])
"""What each of them does to y and z of the left rail, y and z of the right one."""
GRID = np.arange(-2.0, 4.0)[:, None]
"""Arc lengths of the coefficients of a spline that is a straight line about 0 [m]."""


class DifferenceSteps(Settings):
    """Steps of the finite differences."""

    shift: float = Field(4e-4, gt=0, le=5e-3, description="of the wheelset across its rails [m]: its spread")
    stiff: float = Field(2e-6, gt=0, le=2e-5, description="of a wheel into its rail [m]; it sinks 60 um under load")
    yaw: float = Field(2e-4, gt=0, le=5e-3, description="[rad]")
    creep: float = Field(2e-4, gt=0, le=2e-3, description="of velocities over the speed [-]: spread of creepages")
    rise: float = Field(1e-3, gt=0, le=0.1, description="of velocities into the rail [m/s]")


class WheelsetState(NamedTuple):
    """A wheelset on its rails, or a change of that."""

    q: Array
    """(6,) s, r_y, r_z, roll, spin, yaw; s and spin do not matter."""
    v: Array
    """(6,) their rates."""
    rough: Array
    """(4,) y and z of the left rail, y and z of the right one off the design [m]."""
    slopes: Array
    """(4,) of these along the track [-]."""

    def moved(self, change: "WheelsetState", by: float) -> "WheelsetState":
        """This and so much of a change."""
        return WheelsetState(*(own + by * other for own, other in zip(self, change, strict=True)))


NOTHING = WheelsetState(np.zeros(6), np.zeros(6), np.zeros(4), np.zeros(4))


class ContactSlopes(NamedTuple):
    """The wrench of a wheelset's rails on it, and its derivatives."""

    wrench: Array
    """(6,) [N, N m]"""
    q: Array
    """(6, 6) by its coordinates."""
    v: Array
    """(6, 6) by their rates."""
    rough: Array
    """(6, 4) by IRREGULARITIES."""
    rough_rate: Array
    """(6, 4) by their rates in time."""


class WheelsetContact:
    """One wheelset of a vehicle in a track frame of given numbers."""

    def __init__(self, wheels: ElasticWheels, w: int, numbers: Array) -> None:
        """w: which wheelset, from the front; numbers (12,): of its track frame."""
        self._wheels, self._w, self._numbers = wheels, w, numbers

    def wrench(self, at: WheelsetState) -> Array:
        """(6,) of its rails on it."""
        q, wrench, C = at.q.copy(), np.zeros(6), np.zeros((6, 6))
        q[S] = 0.0
        straight = np.ascontiguousarray(at.rough + GRID * at.slopes)
        rails = Rails(0.0, 1.0, np.zeros((2, 1)), -1.0, 1.0, straight)
        rows = np.zeros((2, len(WHEEL_FIELDS)))
        elastic_wheelset(self._wheels, self._w, q, at.v, self._numbers, rails, wrench, C, rows)
        return wrench

    def slope(self, at: WheelsetState, change: WheelsetState, step: float) -> Array:
        """(6,) central difference of the wrench along a change."""
        return (self.wrench(at.moved(change, step)) - self.wrench(at.moved(change, -step))) / (2 * step)

    def slopes(self, at: WheelsetState, steps: DifferenceSteps) -> ContactSlopes:
        """All derivatives about a state."""
        V, radius, half = at.v[S], self._wheels.radius[self._w], self._wheels.half[self._w]
        q, fine = self._by_position(at, steps, half)
        v, rough, rate = np.zeros((6, 6)), np.zeros((6, 4)), np.zeros((6, 4))
        sliding, rise = steps.creep * V, steps.rise
        widths = {S: sliding, R_Y: sliding, R_Z: rise, ROLL: rise / half, SPIN: sliding / radius, YAW: sliding / half}
        for place, step in widths.items():
            v[:, place] = self.slope(at, NOTHING._replace(v=np.eye(6)[place]), step)
        for k, places in enumerate(PLACES):
            rough[:, k] = self.slope(at, NOTHING._replace(rough=places), steps.stiff)
            rate[:, k] = self.slope(at, NOTHING._replace(slopes=places), rise / V) / V
        # what the wide step says of a shift holds for rails that move aside, and for those that roll under the axle
        rough[:, 0] = -q[:, R_Y]
        rough[:, 3] += (q[:, R_Y] - fine) * at.q[R_Z] / (2 * half)
        return ContactSlopes(self.wrench(at), q, v, rough, rate)

    def _by_position(self, at: WheelsetState, steps: DifferenceSteps, half: float) -> tuple[Array, Array]:
        """(6, 6) by the coordinates, and (6,) by the shift with a narrow step."""
        q, held = np.zeros((6, 6)), [R_Z, ROLL]
        for place, step in ((R_Y, steps.stiff), (R_Z, steps.stiff), (ROLL, steps.stiff / half), (YAW, steps.yaw)):
            q[:, place] = self.slope(at, NOTHING._replace(q=np.eye(6)[place]), step)
        fine, riding = q[:, R_Y].copy(), np.eye(6)[R_Y]
        riding[held] = -np.linalg.solve(q[np.ix_(held, held)], fine[held])
        q[:, R_Y] = self.slope(at, NOTHING._replace(q=riding), steps.shift) - q[:, held] @ riding[held]
        return q, fine
