"""One vehicle under way on one track: the exact motion at any time."""

import numpy as np

from twin.core.arrays import Array, G
from twin.core.errors import ConfigError
from twin.core.places import Direction
from twin.core.track import DesignTrack
from twin.simulation.carriage import MARGIN, carriage
from twin.simulation.irregularity import Irregularity, realise
from twin.simulation.kinematics import (
    EARTH_RATE,
    BodyMotion,
    Inertial,
    TrackMotion,
    inertial,
    rotation,
    turn_back,
)
from twin.simulation.motion import SpeedProfile
from twin.simulation.scenario import Scenario
from twin.simulation.truth import Truth, observe


class Train:
    """A scenario set in motion, with error-free sensors."""

    def __init__(self, scenario: Scenario) -> None:
        self.design = scenario.design()
        self.rails = _rails(scenario, self.design.length)
        self.profile = SpeedProfile.of(scenario.motion)
        end = float(self.profile.position(np.array([self.profile.duration]))[0])
        if end > self.design.length:
            raise ConfigError(
                f"the run ends at {end:g} m, the track at {self.design.length:g} m: shorten a leg of motion.legs"
            )
        self.carriage = carriage(scenario.vehicle, self.design, self.rails, self.profile, seed=scenario.seed)
        self._p_b = np.array([scenario.mounting.x, scenario.mounting.y, scenario.mounting.z])
        self._earth = None
        if scenario.latitude is not None:
            self._earth = _Earth(scenario.latitude, scenario.heading, self.design)

    def motion(self, t: Array) -> tuple[TrackMotion, BodyMotion, Inertial]:
        """Track frame, body, and what an error-free IMU feels at times t (samples,) [s]."""
        track = self.carriage.track(t)
        body = self.carriage.body(t, track)
        earth_t = None if self._earth is None else self._earth.rate_t(track)
        return track, body, inertial(track, body, p_b=self._p_b, g=G, earth_t=earth_t)

    def felt(self, t: Array) -> tuple[Array, Array]:
        """(samples, 6) specific force and rate, and (samples,) speed, at ascending times."""
        track, _, felt = self.motion(self._distinct(t))
        rows = np.concatenate((felt.f_b, felt.omega_b), axis=1)
        return np.broadcast_to(rows, (t.size, 6)), np.broadcast_to(track.V, t.size)

    def truth(self, t: Array) -> Truth:
        """The truth at ascending times."""
        distinct = self._distinct(t)
        truth = observe(self.design, distinct, *self.motion(distinct), height=float(self._p_b[2]))
        return truth if distinct.size == t.size else truth.held(t)

    def _distinct(self, t: Array) -> Array:
        """The times worth computing: one will do for a stretch at rest, so that hours of it cost nothing."""
        return t[:1] if t[-1] <= self.profile.departure else t


class _Earth:
    """The rotation of the Earth seen from the track."""

    def __init__(self, latitude: float, heading: float, design: DesignTrack) -> None:
        self._rate_g = EARTH_RATE * np.array([0.0, np.cos(latitude), np.sin(latitude)])  # east, north, up
        self._s = np.linspace(0.0, design.length, int(design.length) + 2)
        kappa = design.curvature(self._s)
        steps = (kappa[1:] + kappa[:-1]) / 2 * np.diff(self._s)
        self._heading = heading + np.concatenate(([0.0], np.cumsum(steps)))

    def rate_t(self, track: TrackMotion) -> Array:
        """(samples, 3) [rad/s]"""
        yaw = np.interp(track.s, self._s, self._heading)
        R_gt = rotation(roll=track.roll, pitch=track.pitch, yaw=yaw)
        return turn_back(R_gt, np.broadcast_to(self._rate_g, (yaw.size, 3)))


def _rails(scenario: Scenario, length: float) -> Irregularity:
    rails = realise(scenario.irregularity, s0=-MARGIN, length=length + 2 * MARGIN)
    return rails if scenario.direction is Direction.INCREASING else rails.reversed(length)
