"""Simulate a run: the truth and what the imperfect sensors report, in stretches or whole."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array, G, frozen
from twin.core.errors import ConfigError
from twin.core.places import Direction
from twin.core.track import DesignTrack
from twin.simulation.carriage import MARGIN, Carriage, carriage
from twin.simulation.encoder import EncoderSensor
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
from twin.simulation.motion import MotionConfig, SpeedProfile
from twin.simulation.scenario import Scenario
from twin.simulation.sensors import LEAD, OVERSAMPLING, ImuSensor, Vibration
from twin.simulation.truth import TrackTruth, Truth, observe

BLOCK = 10.0
"""Length of the stretches computed at a time [s]: bounds the memory."""


@dataclass(frozen=True, slots=True)
class SensorStream:
    """Samples of one source as the imperfect sensor reports them."""

    source: str
    kind: str
    t: Array
    """(samples,) true common time of each sample, its jitter included [s]."""
    values: Array
    """(samples, channels) SI; imu: a_x a_y a_z w_x w_y w_z temperature; encoder: unwrapped wheel angle."""


@dataclass(frozen=True, slots=True)
class SimulatedRun:
    """A run, or a stretch of one: what the sensors said, and what was true."""

    streams: tuple[SensorStream, ...]
    truth: Truth
    track: TrackTruth
    design: DesignTrack
    """In running direction."""


class Train:
    """One vehicle under way on one track: the exact motion at any time."""

    def __init__(self, scenario: Scenario) -> None:
        self.design = scenario.design()
        self.rails = _rails(scenario, self.design.length)
        self.profile = SpeedProfile.of(scenario.motion)
        end = float(self.profile.position(np.array([self.profile.duration]))[0])
        if end > self.design.length:
            raise ConfigError(
                f"the run ends at {end:g} m, the track at {self.design.length:g} m: shorten a leg of motion.legs"
            )
        self.carriage: Carriage = carriage(
            scenario.vehicle, self.design, self.rails, self.profile, seed=scenario.seed
        )
        mounting = scenario.mounting
        self._p_b = np.array([mounting.x, mounting.y, mounting.z])
        self._earth = (
            None if scenario.latitude is None else _Earth(scenario.latitude, scenario.heading, self.design)
        )

    def motion(self, t: Array) -> tuple[TrackMotion, BodyMotion, Inertial]:
        """Track frame, body, and what an error-free IMU feels at times t (samples,) [s]."""
        track = self.carriage.track(t)
        body = self.carriage.body(t, track)
        earth_t = None if self._earth is None else self._earth.rate_t(track)
        return track, body, inertial(track, body, p_b=self._p_b, g=G, earth_t=earth_t)

    def felt(self, t: Array) -> tuple[Array, Array]:
        """(samples, 6) specific force and rate, and (samples,) speed; a stretch at rest is computed once."""
        if t[-1] <= self.profile.departure:
            track, _, felt = self.motion(t[:1])
            row = np.concatenate((felt.f_b, felt.omega_b), axis=1)
            return np.repeat(row, t.size, axis=0), np.zeros(t.size)
        track, _, felt = self.motion(t)
        return np.concatenate((felt.f_b, felt.omega_b), axis=1), track.V


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


def stream(scenario: Scenario, *, block: float = BLOCK) -> Iterator[SimulatedRun]:
    """The run in consecutive stretches of a length [s]; memory does not grow with its duration."""
    train = Train(scenario)
    track = TrackTruth.of(train.rails, length=train.design.length)
    inside_rate = scenario.imu_rate * OVERSAMPLING
    imu = ImuSensor(scenario.errors, rate=scenario.imu_rate, seed=scenario.seed)
    vibration = Vibration(
        scenario.vibration, rate=inside_rate, departure=train.profile.departure, seed=scenario.seed
    )
    encoder = EncoderSensor(
        scenario.encoder, scenario.vehicle, train.carriage, scenario.slides, seed=scenario.seed
    )
    for t0 in np.arange(0.0, train.profile.duration, block):
        t1 = min(t0 + block, train.profile.duration)
        k = _indices(t0, t1, scenario.imu_rate)
        j = _indices(t0, t1, scenario.encoder.rate)
        if not k.size or not j.size:
            continue
        inside = (OVERSAMPLING * k[0] + LEAD + np.arange(OVERSAMPLING * k.size)) / inside_rate
        felt, V = train.felt(inside)
        t_imu, imu_values = imu.process(k / scenario.imu_rate, felt + vibration.process(inside, V))
        t_encoder, angle = encoder.process(j / scenario.encoder.rate)
        t = k / scenario.imu_rate
        truth = observe(train.design, t, *train.motion(t), height=scenario.mounting.z)
        streams = (
            SensorStream("imu", "imu", frozen(t_imu), frozen(imu_values)),
            SensorStream("encoder", "encoder", frozen(t_encoder), frozen(angle)),
        )
        yield SimulatedRun(streams, truth, track, train.design)


def simulate(scenario: Scenario, progress: Callable[[float], None] | None = None) -> SimulatedRun:
    """The whole run in memory. progress is told the share that is done, from 0 to 1."""
    duration = SpeedProfile.of(scenario.motion).duration
    parts = []
    for part in stream(scenario):
        parts.append(part)
        if progress is not None:
            progress(float(part.truth.t[-1]) / duration)
    if progress is not None:
        progress(1.0)
    streams = tuple(
        SensorStream(
            same[0].source,
            same[0].kind,
            frozen(np.concatenate([piece.t for piece in same])),
            frozen(np.concatenate([piece.values for piece in same])),
        )
        for same in zip(*(part.streams for part in parts), strict=True)
    )
    return SimulatedRun(streams, Truth.join([part.truth for part in parts]), parts[0].track, parts[0].design)


def standstill(scenario: Scenario, *, duration: float) -> MotionConfig:
    """The scenario's timetable with a rest of a duration [s] before departure."""
    return scenario.motion.model_copy(update={"standstill": duration})


def _rails(scenario: Scenario, length: float) -> Irregularity:
    rails = realise(scenario.irregularity, s0=-MARGIN, length=length + 2 * MARGIN)
    return rails if scenario.direction is Direction.INCREASING else rails.reversed(length)


def _indices(t0: float, t1: float, rate: float) -> Array:
    """Numbers of the samples in [t0, t1)."""
    first, last = np.ceil(np.round(np.array([t0, t1]) * rate, 6))
    return np.arange(first, last)
