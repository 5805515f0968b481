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
from twin.vehicle.symbolic.tree import Basis, Point, X, Y, Z, elementary_rotation

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

    def tilt(self) -> ca.SX:
        """Rotation of the frame against the level frame of the same heading."""
        return elementary_rotation(Y, self.pitch) @ elementary_rotation(X, self.roll)

    def plan_curvature(self) -> tuple[ca.SX, ca.SX]:
        """Turn of the heading per metre [1/m] and its slope [1/m^2]."""
        level, c, s = ca.cos(self.pitch), ca.cos(self.roll), ca.sin(self.roll)
        rho, slope = self.rho, self.rho_slope
        turn = (rho[1] * s + rho[2] * c) / level
        pitching, tan = rho[1] * c - rho[2] * s, ca.sin(self.pitch) / level
        rolling = rho[0] + turn * level * tan
        return turn, (slope[1] * s + slope[2] * c + rolling * pitching) / level + turn * tan * pitching


def between(a: TrackFrame, b: TrackFrame, *, D: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Origin (3,) [m] and rotation (3, 3) of track frame b in the axes of track frame a, a distance D [m] behind it.

    The series of q^{ti,tj} of [Esc eq. 12], with what is known at both ends. Roll and pitch of the two frames are
    given, so only the yaw between them is integrated; it and the linear terms of the origin integrate the cubic through
    values and slopes at both ends. A Taylor series from one end is blind to a cant ramp that begins between two bodies
    (2 mrad of roll). Products of two turns are taken at D/4 and D/2, which makes them exact for turns that grow
    linearly. Over 9.5 m: 3 um and 0.01 urad within arcs and transitions; 0.5 mm and 0.1 mrad where a transition of
    60 m to R 300 m begins between the two.
    """
    bend = D**2 * (7 * a.rho + 3 * b.rho) / 20 + D**3 * (a.rho_slope / 20 - b.rho_slope / 30)
    tw_4, v_4, h_4 = ca.vertsplit((3 * a.rho + b.rho) / 4)
    _, v_2, h_2 = ca.vertsplit((a.rho + b.rho) / 2)
    shrink = (h_4 * h_2 + v_4 * v_2) * D**2
    origin = ca.vertcat(
        D * (1 - shrink / 6),
        bend[2] * (1 - shrink / 12) + tw_4 * v_2 * D**3 / 6,
        -bend[1] * (1 - shrink / 12) + tw_4 * h_2 * D**3 / 6,
    )
    (turn_a, slope_a), (turn_b, slope_b) = a.plan_curvature(), b.plan_curvature()
    yaw = D / 2 * (turn_a + turn_b) + D**2 / 12 * (slope_a - slope_b)
    return origin, a.tilt().T @ elementary_rotation(Z, yaw) @ b.tilt()


def frame_numbers(track: DesignTrack, s: Array) -> Array:
    """(bodies, 8) numbers of the frames of a design track at arc lengths s (bodies,) [m]."""
    here = track.pose(s)
    ahead, behind = track.pose(s + SLOPE_STEP), track.pose(s - SLOPE_STEP)
    slope_v, slope_h = (
        (getattr(ahead, name) - getattr(behind, name)) / (2 * SLOPE_STEP) for name in ("rho_v", "rho_h")
    )
    columns = (here.rho_tw, here.rho_v, here.rho_h, here.rho_tw_rate, slope_v, slope_h, here.roll, here.pitch)
    return np.stack(columns, axis=1)
