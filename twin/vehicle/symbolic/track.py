"""The track as the equations of motion see it: one frame per body, given by twelve numbers, and what lies between two.

The track frame at arc length s turns by rho = (rho_tw, rho_v, rho_h) per metre, in its own axes. The equations take
those, their slopes along s, the roll and pitch of the frame (for gravity), and where its origin lies and heads, at each
body's own s. What lies between two frames follows from their places, exactly, or from rho and its slopes, by a series.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import casadi as ca
import numpy as np
from scipy.interpolate import CubicHermiteSpline

from twin.core.arrays import Array
from twin.core.track import DesignTrack
from twin.vehicle.symbolic.tree import Basis, Point, X, Y, Z, elementary_rotation

TURNS = ("rho_tw", "rho_v", "rho_h", "rho_tw_slope", "rho_v_slope", "rho_h_slope", "roll", "pitch")
"""Of one track frame: turn per metre [1/m], its slopes [1/m^2], absolute angles [rad]."""
PLACE = ("lag", "y", "z", "heading")
"""Of its origin against a straight track: behind (negative), beside and above [m]; direction of its plan [rad]."""
NUMBERS = TURNS + PLACE
"""All zero on straight level track."""

SLOPE_STEP = 0.01
"""Of the central difference that gives the slopes of rho_v and rho_h [m]: far below the rounding of a design track."""
PLACE_STEP = 0.05
"""Of the integration along the centre line [m]."""


@dataclass(frozen=True, slots=True)
class TrackFrame:
    """The frame under one body, as expressions."""

    rho: ca.SX
    """(3,) turn per metre about x, y, z: rho_tw, rho_v, rho_h [1/m]"""
    rho_slope: ca.SX
    """(3,) d rho / ds [1/m^2]"""
    roll: ca.SX
    pitch: ca.SX
    place: ca.SX
    """(3,) of its origin against a straight track [m]"""
    heading: ca.SX

    @classmethod
    def from_numbers(cls, numbers: ca.SX) -> Self:
        """numbers (12,): in the order of NUMBERS."""
        return cls(numbers[0:3], numbers[3:6], numbers[6], numbers[7], numbers[8:11], numbers[11])

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


Between = Callable[[TrackFrame, TrackFrame, ca.SX], tuple[ca.SX, ca.SX]]
"""Origin (3,) [m] and rotation (3, 3) of track frame b in the axes of track frame a, D [m] ahead of it: (a, b, D)."""


def between_places(a: TrackFrame, b: TrackFrame, D: ca.SX) -> tuple[ca.SX, ca.SX]:
    """From the places of both on the ground: exact on any track, also where curvature jumps between two bodies."""
    R_ga = elementary_rotation(Z, a.heading) @ a.tilt()
    along = ca.vertcat(D, 0, 0) + b.place - a.place
    return R_ga.T @ along, a.tilt().T @ elementary_rotation(Z, b.heading - a.heading) @ b.tilt()


def between_by_series(a: TrackFrame, b: TrackFrame, D: ca.SX) -> tuple[ca.SX, ca.SX]:
    """From rho and its slopes at both, as a linear model needs it, whose inputs are those of each body's own frame.

    The series of q^{ti,tj} of [Esc eq. 12], with what is known at both ends. Roll and pitch of the two frames are
    given, so only the yaw between them is integrated; it and the linear terms of the origin integrate the cubic through
    values and slopes at both ends. A Taylor series from one end is blind to a cant ramp that begins between two bodies
    (2 mrad of roll). Products of two turns are taken at D/4 and D/2, which makes them exact for turns that grow
    linearly. Over 9.5 m: 3 um and 0.01 urad within arcs and transitions; 0.5 mm and 0.1 mrad where a transition of
    60 m to R 300 m begins between the two; where curvature jumps, nonsense.
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
    """(bodies, 12) numbers of the frames of a design track at arc lengths s (bodies,) [m]; places from the least s."""
    turns, (places, _) = frame_turns(track, s), frame_places(track, s)
    return np.concatenate((turns, places), axis=1)


def frame_turns(track: DesignTrack, s: Array) -> Array:
    """(points, 8) in the order of TURNS."""
    here = track.pose(s)
    ahead, behind = track.pose(s + SLOPE_STEP), track.pose(s - SLOPE_STEP)
    slope_v, slope_h = (
        (getattr(ahead, name) - getattr(behind, name)) / (2 * SLOPE_STEP) for name in ("rho_v", "rho_h")
    )
    columns = (here.rho_tw, here.rho_v, here.rho_h, here.rho_tw_rate, slope_v, slope_h, here.roll, here.pitch)
    return np.stack(columns, axis=1)


def frame_places(track: DesignTrack, s: Array) -> tuple[Array, Array]:
    """(points, 4) in the order of PLACE at arc lengths s (points,) [m], zero at the least of them; and their slopes.

    The plan turns by the curvature kappa; the origin moves along (cos heading cos pitch, sin heading cos pitch, -sin
    pitch). Simpson's rule, cubics between.
    """
    first, last = float(s.min()), float(s.max())
    x = np.linspace(first, last, 2 * max(1, int(np.ceil((last - first) / PLACE_STEP))) + 1)
    h = x[2] - x[0] if last > first else 1.0
    kappa, pitch = track.curvature(x), -np.arctan(track.gradient(x))
    heading = np.zeros_like(x)
    heading[2::2] = np.cumsum(h / 6 * (kappa[:-2:2] + 4 * kappa[1::2] + kappa[2::2]))
    heading[1::2] = heading[:-2:2] + h / 24 * (5 * kappa[:-2:2] + 8 * kappa[1::2] - kappa[2::2])
    level = np.cos(pitch)
    slopes = np.stack((np.cos(heading) * level - 1, np.sin(heading) * level, -np.sin(pitch), kappa), axis=1)
    steps = h / 6 * (slopes[:-2:2] + 4 * slopes[1::2] + slopes[2::2])
    places = np.concatenate((np.zeros((1, len(PLACE))), np.cumsum(steps, axis=0)))
    if last == first:
        return np.zeros((s.size, len(PLACE))), np.broadcast_to(slopes[0], (s.size, len(PLACE)))
    course = CubicHermiteSpline(x[::2], places, slopes[::2], axis=0)
    return np.asarray(course(s)), np.asarray(course(s, 1))
