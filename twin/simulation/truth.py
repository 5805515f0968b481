"""What really happened: where the sensor was, how it was turned, and what the rails are like."""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from twin.core.arrays import Array, frozen
from twin.core.track import DesignTrack
from twin.simulation.irregularity import Irregularity
from twin.simulation.kinematics import (
    BodyMotion,
    Inertial,
    TrackMotion,
    euler,
    foot,
    rotation,
    turn_back,
)

GRID = 0.25
"""Distance grid of the rails' truth [m]."""


@dataclass(frozen=True, slots=True)
class TrackTruth:
    """The rails off the design on a uniform grid of arc length. All (points,) [m], as in Irregularity."""

    s: Array
    alignment: Array
    gauge: Array
    level: Array
    cross_level: Array

    @classmethod
    def of(cls, rails: Irregularity, *, length: float) -> Self:
        """Read the rails at the grid points of a track of this length [m]."""
        s = GRID * np.arange(int(length / GRID) + 1)
        names = ("alignment", "gauge", "level", "cross_level")
        return cls(frozen(s), *(frozen(np.interp(s, rails.s, getattr(rails, name))) for name in names))


@dataclass(frozen=True, slots=True)
class Truth:
    """The instrumented body at the nominal sampling times of its IMU. All (samples,) unless said.

    s is the foot of the perpendicular from the IMU to the design centre line: the arc length of the track frame
    that has the IMU in its y-z plane. r_y and r_z are its coordinates in that frame, r_z less the nominal height
    mounting.z; the relative angles are ZYX angles of the body against that same frame. This is what a trajectory
    filter estimates. The vibration of the structure around the sensor is not part of it.
    """

    t: Array
    """Common time [s]."""
    s: Array
    s_body: Array
    """Arc length of the body's middle [m]; v and a are its derivatives."""
    v: Array
    a: Array
    roll_abs: Array
    """Absolute ZYX angles of the body against the horizon [rad]."""
    pitch_abs: Array
    roll_rel: Array
    pitch_rel: Array
    yaw_rel: Array
    r_y: Array
    r_z: Array
    f_b: Array
    """(samples, 3) error-free specific force at the IMU, without vibration [m/s^2]."""
    omega_b: Array
    """(samples, 3) error-free angular rate [rad/s]."""

    @classmethod
    def join(cls, parts: list[Self]) -> Self:
        """Consecutive stretches as one."""
        return cls(
            **{field.name: frozen(np.concatenate([getattr(p, field.name) for p in parts])) for field in fields(cls)}
        )

    def held(self, t: Array) -> Self:
        """This single sample over all times t (samples,) of a rest [s]."""
        rows = {
            field.name: np.broadcast_to(value, (t.size, *value.shape[1:]))
            for field in fields(self)
            if (value := getattr(self, field.name)) is not self.t
        }
        return type(self)(t=frozen(t), **rows)


def observe(
    design: DesignTrack, t: Array, track: TrackMotion, body: BodyMotion, felt: Inertial, *, height: float
) -> Truth:
    """The truth of one stretch, from the exact motion; height: nominal height of the IMU [m]."""
    s, v, R_tf = foot(design, s=track.s, u_t=felt.u_t)
    R_tb = rotation(roll=body.q[:, 2], pitch=body.q[:, 3], yaw=body.q[:, 4])
    roll_rel, pitch_rel, yaw_rel = euler(R_tf.transpose(0, 2, 1) @ R_tb)
    up_b = turn_back(R_tb, track.up_t)
    return Truth(
        t=frozen(t),
        s=frozen(s),
        s_body=frozen(track.s),
        v=frozen(track.V),
        a=frozen(track.V_dot),
        roll_abs=frozen(np.arctan2(up_b[:, 1], up_b[:, 2])),
        pitch_abs=frozen(-np.arcsin(up_b[:, 0])),
        roll_rel=frozen(roll_rel),
        pitch_rel=frozen(pitch_rel),
        yaw_rel=frozen(yaw_rel),
        r_y=frozen(v[:, 1]),
        r_z=frozen(v[:, 2] - height),
        f_b=frozen(felt.f_b),
        omega_b=frozen(felt.omega_b),
    )
