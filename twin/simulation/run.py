"""Simulate a run: the truth and what the imperfect sensors report, in stretches or whole."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array, frozen
from twin.core.track import DesignTrack
from twin.simulation.dynamic.config import Dynamics
from twin.simulation.dynamic.installation import DynamicInstallation
from twin.simulation.dynamic.sensed import SensedTruth
from twin.simulation.dynamic.train import DynamicTrain, RunEndedError, whole_seconds
from twin.simulation.encoder import EncoderSensor
from twin.simulation.motion import SpeedProfile
from twin.simulation.scenario import Scenario
from twin.simulation.sensors import LEAD, OVERSAMPLING, ImuSensor, Vibration
from twin.simulation.streams import SensorStream, indices
from twin.simulation.train import Train
from twin.simulation.truth import TrackTruth, Truth
from twin.vehicle.running import Record

BLOCK = 10
"""Length of the stretches computed at a time [s]: bounds the memory."""
DYNAMIC_BLOCK = 2
"""The same with dynamics [s]: what is lost when a vehicle leaves the track, and the step of the progress."""


@dataclass(frozen=True, slots=True)
class SimulatedRun:
    """A run, or a stretch of one: what the sensors said, and what was true."""

    streams: tuple[SensorStream, ...]
    truth: Truth
    track: TrackTruth
    design: DesignTrack
    """In running direction."""
    vehicle: Record | None = None
    """Every body and every wheel at the times of the truth, where dynamics made it."""
    sensed: SensedTruth | None = None
    """What sensors of rail heads and wheels are judged on, where dynamics made it."""
    stopped: str | None = None
    """Where and why the vehicle ended the run before its time."""


class _Installation:
    """The sensors on one train, read stretch after stretch."""

    def __init__(self, scenario: Scenario, train: Train) -> None:
        self._rate, self._encoder_rate, seed = scenario.imu_rate, scenario.encoder.rate, scenario.seed
        self._train = train
        self._imu = ImuSensor(scenario.errors, rate=self._rate, seed=seed)
        self._encoder = EncoderSensor(scenario.encoder, scenario.vehicle, train.carriage, scenario.slides, seed=seed)
        self._vibration = Vibration(
            scenario.vibration, rate=self._rate * OVERSAMPLING, departure=train.profile.departure, seed=seed
        )

    def read(self, t0: float, t1: float) -> tuple[Array, tuple[SensorStream, ...]]:
        """Nominal times of the IMU in [t0, t1) [s], and every stream."""
        k, j = indices(t0, t1, self._rate), indices(t0, t1, self._encoder_rate)
        ahead = OVERSAMPLING * k[0] + LEAD + np.arange(OVERSAMPLING * k.size)
        inside = ahead / (self._rate * OVERSAMPLING)
        felt, V = self._train.felt(inside)
        t_imu, values = self._imu.process(k / self._rate, felt + self._vibration.process(inside, V))
        t_encoder, angle = self._encoder.process(j / self._encoder_rate)
        return k / self._rate, (
            SensorStream("imu", "imu", frozen(t_imu), frozen(values)),
            SensorStream("encoder", "encoder", frozen(t_encoder), frozen(angle)),
        )


def stream(scenario: Scenario, *, block: int | None = None) -> Iterator[SimulatedRun]:
    """The run in consecutive stretches of block whole seconds; memory does not grow with a rest before departure."""
    if scenario.dynamics is not None:
        yield from _dynamic(scenario, scenario.dynamics, block or DYNAMIC_BLOCK)
        return
    block = block or BLOCK
    train = Train(scenario)
    track = TrackTruth.of(train.rails, length=train.design.length)
    installation = _Installation(scenario, train)
    end = _end(train.profile)
    for t0 in range(0, int(np.ceil(end)), block):
        t, streams = installation.read(t0, min(t0 + block, end))
        yield SimulatedRun(streams, train.truth(t), track, train.design)


def _dynamic(scenario: Scenario, dynamics: Dynamics, block: int) -> Iterator[SimulatedRun]:
    train = DynamicTrain(scenario, dynamics)
    track = TrackTruth.of(train.rails, length=train.design.length)
    installation = DynamicInstallation(scenario, dynamics, train)
    for t0, t1 in whole_seconds(_end(train.profile), block):
        part = installation.read(t0, t1)
        yield SimulatedRun(part.streams, part.truth, track, train.design, part.state, part.sensed)


def simulate(scenario: Scenario, progress: Callable[[float], None] | None = None) -> SimulatedRun:
    """The whole run in memory. progress is told the share that is done, up to 1."""
    end = duration(scenario)
    parts = []
    stopped = None
    try:
        for part in stream(scenario):
            parts.append(part)
            if progress is not None:
                progress(min((float(part.truth.t[-1]) + 1 / scenario.imu_rate) / end, 1.0))
    except RunEndedError as error:
        if not parts:
            raise
        stopped = str(error)
    streams = tuple(
        SensorStream(
            same[0].source,
            same[0].kind,
            frozen(np.concatenate([piece.t for piece in same])),
            frozen(np.concatenate([piece.values for piece in same])),
        )
        for same in zip(*(part.streams for part in parts), strict=True)
    )
    states = [part.vehicle for part in parts if part.vehicle is not None]
    sensed = [part.sensed for part in parts if part.sensed is not None]
    return SimulatedRun(
        streams,
        Truth.join([part.truth for part in parts]),
        parts[0].track,
        parts[0].design,
        Record.join(states) if states else None,
        SensedTruth.join(sensed) if sensed else None,
        stopped,
    )


def standstill(scenario: Scenario, duration: float) -> Scenario:
    """The same run after a rest of a duration [s]; stream it when the rest is hours."""
    motion = scenario.motion.model_copy(update={"standstill": duration})
    return scenario.model_copy(update={"motion": motion})


def duration(scenario: Scenario) -> float:
    """Of the whole run [s], if nothing ends it early."""
    return _end(SpeedProfile.of(scenario.motion))


def _end(profile: SpeedProfile) -> float:
    """End of the run [s], in whole tenths: no last stretch without a sample of every source."""
    return float(np.floor(profile.duration * 10) / 10)
