"""The track as the equations of motion see it: one frame per body, given by eight numbers, and what lies between two.

The track frame at arc length s turns by rho = (rho_tw, rho_v, rho_h) per metre, in its own axes. The equations take
those, their slopes along s, and the roll and pitch of the frame (for gravity) at each body's own s.
"""

from dataclasses import dataclass
from typing import Self

import casadi as ca
import numpy as np

from twin.core.arrays import Array
from twin.core.track import DesignTrack
from twin.vehicle.symbolic.tree import Basis, Point, zyx_rotation

NUMBERS = ("rho_tw", "rho_v", "rho_h", "rho_tw_slope", "rho_v_slope", "rho_h_slope", "roll", "pitch")
"""Of one track frame: turn per metre [1/m], its slopes [1/m^2], absolute angles [rad]."""

SLOPE_STEP = 0.01
"""Of the central difference that gives the slopes of rho_v and rho_h [m]: far below the rounding of a design track."""


@dataclass(frozen=True, slots=True)
class TrackFrame:
    """The frame under one body, as expressions."""

    rho: ca.SX
    """(3,) turn per metre about x, y, z: rho_tw, rho_v, rho_h [1/m]"""
    rho_slope: ca.SX
    """(3,) d rho / ds [1/m^2]"""
    roll: ca.SX
    pitch: ca.SX

    @classmethod
    def from_numbers(cls, numbers: ca.SX) -> Self:
        """numbers (8,): in the order of NUMBERS."""
        return cls(numbers[0:3], numbers[3:6], numbers[6], numbers[7])

    def moving(self, rate: ca.SX) -> tuple[Basis, Point]:
        """Basis and origin of the frame while it runs along the track at rate [m/s]: root of a body's trees."""
        return Basis(ca.SX.eye(3), self.rho * rate), Point(ca.SX.zeros(3), ca.vertcat(rate, 0, 0))

    def gravity_t(self, gravity: float) -> ca.SX:
        """Gravity in the canted frame on its gradient [m/s^2]; pitch is positive downhill, roll to the right."""
        level = ca.cos(self.pitch)
        return gravity * ca.vertcat(ca.sin(self.pitch), -level * ca.sin(self.roll), -level * ca.cos(self.roll))


def between(a: TrackFrame, b: TrackFrame, *, D: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Origin (3,) [m] and rotation (3, 3) of track frame b in the axes of track frame a, a distance D [m] behind it.

    The series of q^{ti,tj} of [Esc eq. 12] to second order in the turns. Its linear terms integrate the cubic through
    values and slopes of rho at both ends instead of the Taylor series at one of them: where a transition begins
    between the two bodies, a series from one end is blind to it (millimetres over a semi-pivot of 9.5 m).
    """
    turn = D / 2 * (a.rho + b.rho) + D**2 / 12 * (a.rho_slope - b.rho_slope)
    bend = D**2 * (7 * a.rho + 3 * b.rho) / 20 + D**3 * (a.rho_slope / 20 - b.rho_slope / 30)
    tw, v, h = ca.vertsplit((a.rho + b.rho) / 2)
    origin = ca.vertcat(D - (h**2 + v**2) * D**3 / 6, bend[2] + v * tw * D**3 / 6, -bend[1] + h * tw * D**3 / 6)
    angles = turn + ca.vertcat(v * h, -h * tw, tw * v) * D**2 / 2
    return origin, zyx_rotation(angles)


def frame_numbers(track: DesignTrack, s: Array) -> Array:
    """(bodies, 8) numbers of the frames of a design track at arc lengths s (bodies,) [m]."""
    here = track.pose(s)
    ahead, behind = track.pose(s + SLOPE_STEP), track.pose(s - SLOPE_STEP)
    slope_v, slope_h = (
        (getattr(ahead, name) - getattr(behind, name)) / (2 * SLOPE_STEP) for name in ("rho_v", "rho_h")
    )
    columns = (here.rho_tw, here.rho_v, here.rho_h, here.rho_tw_rate, slope_v, slope_h, here.roll, here.pitch)
    return np.stack(columns, axis=1)
