"""A body carried by two wheelsets: what the rails prescribe, the wheelsets' wander, the suspension's motion."""

from dataclasses import dataclass

import numpy as np
from pydantic import Field
from scipy.interpolate import BSpline, make_interp_spline

from twin.core.arrays import Array, G
from twin.core.settings import Settings
from twin.core.track import DesignTrack
from twin.simulation.irregularity import HALF_BASE, Irregularity, synthesise
from twin.simulation.kinematics import BodyMotion, TrackMotion, curvature_vector, track_motion
from twin.simulation.motion import SpeedProfile
from twin.simulation.randomness import generator
from twin.simulation.suspension import RATE, OwnMotion, SuspensionConfig, own_motion

MARGIN = 10.0
"""Rails needed beyond the ends of the track for the wheelsets ahead of and behind the body's middle [m]."""


class TrueVehicle(Settings):
    """The vehicle as it is, not as the estimators are told."""

    wheel_radius: float = Field(
        0.457, gt=0.1, lt=1, description="true rolling radius [m]; worn, so below the nominal one"
    )
    semi_wheelbase: float = Field(1.28, gt=0.2, lt=10, description="half the distance of the wheelsets [m]")
    conicity: float = Field(0.1, gt=0.01, le=0.5, description="equivalent conicity; sets hunting and curving")
    clearance: float = Field(0.006, gt=0, le=0.02, description="lateral play of a wheelset between the rails [m]")
    wander: float = Field(
        3e-4, ge=0, le=3e-3, description="lateral wander of a wheelset over the rails, 4-30 m waves [m rms]"
    )
    hunting: float = Field(1.5e-4, ge=0, le=3e-3, description="the same at the wavelength of hunting [m rms]")
    suspension: SuspensionConfig = Field(SuspensionConfig(), description="what carries the body on its wheelsets")
    own_motion: float = Field(
        1.0, ge=0, le=5, description="multiplies all motion that is not the track's; 0: the body follows the rails"
    )


@dataclass(frozen=True, slots=True)
class Carriage:
    """The moving body: its coordinates and the track frame below it at any time."""

    design: DesignTrack
    profile: SpeedProfile
    carried: BSpline
    """(y, z, roll, pitch, yaw) that the wheelsets prescribe, over arc length."""
    offset: BSpline
    """Lateral offset of the leading wheelset from the middle of the track over arc length [m]."""
    own: OwnMotion | None

    def track(self, t: Array) -> TrackMotion:
        """The track frame under the body's middle."""
        return track_motion(
            self.design, s=self.profile.position(t), V=self.profile.speed(t), V_dot=self.profile.acceleration(t)
        )

    def body(self, t: Array, track: TrackMotion) -> BodyMotion:
        """The body in that track frame."""
        q, q_dot, q_ddot = _along(self.carried, track)
        if self.own is None:
            return BodyMotion(q, q_dot, q_ddot)
        return BodyMotion(q + self.own(t), q_dot + self.own(t, 1), q_ddot + self.own(t, 2))


def carriage(
    vehicle: TrueVehicle, design: DesignTrack, rails: Irregularity, profile: SpeedProfile, *, seed: int
) -> Carriage:
    """Put a vehicle on its rails for one run."""
    s = rails.s[(rails.s > rails.s[0] + vehicle.semi_wheelbase) & (rails.s < rails.s[-1] - vehicle.semi_wheelbase)]
    front, rear = (vehicle.own_motion * _wander(vehicle, s, generator(seed, name)) for name in ("front", "rear"))
    steady = vehicle.own_motion * _steady_offset(vehicle, design.curvature(s))
    carried = make_interp_spline(s, _prescribed(vehicle, design, rails, s, front + steady, rear + steady), k=5)
    offset = make_interp_spline(s, front + steady, k=3)
    bare = Carriage(design, profile, carried, offset, None)
    if vehicle.own_motion == 0:
        return bare
    t = np.arange(profile.departure, profile.duration + 1.0, 1 / RATE)
    track = bare.track(t)
    own = vehicle.own_motion * own_motion(
        vehicle.suspension,
        acceleration=_along(carried, track)[2],
        unbalanced=track.V * track.omega_t[:, 2] + G * track.up_t[:, 1],
        V=track.V,
        seed=seed,
    )
    return Carriage(design, profile, carried, offset, OwnMotion.through(t, own))


def _along(carried: BSpline, track: TrackMotion) -> tuple[Array, Array, Array]:
    """A function of arc length and its first two time derivatives under the moving body."""
    slope = np.asarray(carried(track.s, nu=1))
    V, V_dot = track.V[:, None], track.V_dot[:, None]
    return np.asarray(carried(track.s)), slope * V, carried(track.s, nu=2) * V**2 + slope * V_dot


def _prescribed(
    vehicle: TrueVehicle, design: DesignTrack, rails: Irregularity, s: Array, front: Array, rear: Array
) -> Array:
    """(points, 5) coordinates of a body that rests rigidly on two wheelsets at s + a and s - a.

    front, rear: (points,) offsets of the wheelsets from the middle of the rails [m]. The curved centre line lies
    aside of its own tangent by rho a^2 / 2 + rho' a^3 / 6 at the wheelsets: the body also cuts the design's chord.
    """
    a = vehicle.semi_wheelbase
    values = np.stack((rails.alignment, rails.level, rails.cross_angle), axis=1)
    surface = make_interp_spline(rails.s, values, k=5)
    ahead, behind = surface(s + a), surface(s - a)
    y_f, y_r = ahead[:, 0] + front, behind[:, 0] + rear
    rho, rho_s = curvature_vector(design, s)
    cant = (design.cant_angle(s + a) + design.cant_angle(s - a)) / 2 - design.cant_angle(s)
    return np.stack(
        (
            (y_f + y_r) / 2 + rho[:, 2] * a**2 / 2,
            (ahead[:, 1] + behind[:, 1]) / 2 - rho[:, 1] * a**2 / 2,
            (ahead[:, 2] + behind[:, 2]) / 2 + cant,
            -(ahead[:, 1] - behind[:, 1]) / (2 * a) + rho_s[:, 1] * a**2 / 6,
            (y_f - y_r) / (2 * a) + rho_s[:, 2] * a**2 / 6,
        ),
        axis=1,
    )


def _wander(vehicle: TrueVehicle, s: Array, rng: np.random.Generator) -> Array:
    """(points,) lateral wander of one wheelset: broad from 4 to 30 m, and around Klingel's hunting wavelength."""
    klingel = 2 * np.pi * np.sqrt(HALF_BASE * vehicle.wheel_radius / vehicle.conicity)
    bands = ((vehicle.wander, 4.0, 30.0), (vehicle.hunting, 0.85 * klingel, 1.15 * klingel))

    def psd(Omega: Array) -> Array:
        total = np.zeros_like(Omega)
        for rms, shortest, longest in bands:
            low, high = 2 * np.pi / longest, 2 * np.pi / shortest
            total += np.where((Omega > low) & (Omega < high), rms**2 / (high - low), 0.0)
        return total

    return synthesise(psd, points=s.size, step=float(s[1] - s[0]), rng=rng)


def _steady_offset(vehicle: TrueVehicle, kappa: Array) -> Array:
    """Outward offset of a wheelset that rolls freely through a curve, ended softly by the clearance [m]."""
    free = kappa * HALF_BASE * vehicle.wheel_radius / vehicle.conicity
    return np.asarray(-vehicle.clearance * np.tanh(free / vehicle.clearance))
