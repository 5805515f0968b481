"""The sensors on a nonlinear vehicle, read stretch after stretch."""

from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array, frozen
from twin.core.vehicle import Mounting
from twin.simulation.dynamic.config import Dynamics
from twin.simulation.dynamic.encoder import TurningEncoder
from twin.simulation.dynamic.rail_heads import RailScanners, rail_head_truth, rail_places
from twin.simulation.dynamic.sensed import RailHeadTruth, SensedTruth, no_rail_heads, no_wheels
from twin.simulation.dynamic.train import DynamicTrain
from twin.simulation.dynamic.wheels import wheel_sensors
from twin.simulation.rail_head import Rail, RailPlace
from twin.simulation.scenario import Scenario
from twin.simulation.sensors import LEAD, OVERSAMPLING, ImuSensor, Vibration
from twin.simulation.streams import SensorStream, indices
from twin.simulation.truth import Truth
from twin.vehicle.running import Record

SECOND = 1_000_003
"""Added to the seed of the second IMU: another unit, with errors of its own."""


class _MountedImu:
    """One IMU on one body."""

    def __init__(
        self, source: str, scenario: Scenario, train: DynamicTrain, body: str, mounting: Mounting, seed: int
    ) -> None:
        self._source, self._train, self._body, self._mounting = source, train, body, mounting
        self._inside_rate = scenario.imu_rate * OVERSAMPLING
        self._sensor = ImuSensor(scenario.errors, rate=scenario.imu_rate, seed=seed)
        self._vibration = Vibration(
            scenario.vibration, rate=self._inside_rate, departure=train.profile.departure, seed=seed
        )

    def read(self, t: Array, inside: Record) -> SensorStream:
        felt, V = self._train.felt(inside, self._body, self._mounting)
        at, values = self._sensor.process(t, felt + self._vibration.process(inside.t, V))
        return SensorStream(self._source, "imu", frozen(at), frozen(values))


@dataclass(frozen=True, slots=True)
class DynamicStretch:
    """What happened in a stretch of time, and what the sensors said of it."""

    truth: Truth
    """Of the measuring body, at the times of the first IMU."""
    state: Record
    """Of the whole vehicle at these times."""
    sensed: SensedTruth
    streams: tuple[SensorStream, ...]


class DynamicInstallation:
    """IMUs, encoder, rail scanners, axle-box and wheel sensors on a vehicle that moves by its own dynamics."""

    def __init__(self, scenario: Scenario, dynamics: Dynamics, train: DynamicTrain) -> None:
        self._train, self._mounting, self._dynamics = train, scenario.mounting, dynamics
        self._rate, self._encoder_rate = scenario.imu_rate, scenario.encoder.rate
        first = _MountedImu("imu", scenario, train, dynamics.measuring_body, scenario.mounting, scenario.seed)
        self._imus = [first]
        if dynamics.second_imu:
            mounting, seed = dynamics.second_mounting, scenario.seed + SECOND
            self._imus.append(_MountedImu("imu_body", scenario, train, dynamics.second_body, mounting, seed))
        self._scanners = None
        if dynamics.scanners is not None:
            self._scanners = RailScanners(dynamics.scanners, dynamics.rail_head, seed=scenario.seed)
        self._wheels = wheel_sensors(train, dynamics, seed=scenario.seed)
        windows = [(train.profile.time_at(slide.s), slide) for slide in scenario.slides]
        self._encoder = TurningEncoder(scenario.encoder, windows, seed=scenario.seed)
        self._spin = train.layout.index(f"{train.vehicle.wheelsets[0].name}.spin")

    def read(self, t0: float, t1: float) -> DynamicStretch:
        """The stretch [t0, t1) [s]."""
        k, j = indices(t0, t1, self._rate), indices(t0, t1, self._encoder_rate)
        t = k / self._rate
        state = self._train.at(t)
        turned = self._train.at(j / self._encoder_rate)
        angle = self._encoder.process(turned.t, turned.q[:, self._spin], turned.v[:, self._spin])
        heads, sections = self._sections(t0, t1)
        images = self._images(t0, t1)
        forces, wheels = (no_wheels(), []) if self._wheels is None else self._wheels.read(t0, t1)
        ahead = OVERSAMPLING * k[0] + LEAD + np.arange(OVERSAMPLING * k.size)
        inside = self._train.at(ahead / (self._rate * OVERSAMPLING))
        streams = [imu.read(t, inside) for imu in self._imus]
        streams.append(SensorStream("encoder", "encoder", frozen(angle[0]), frozen(angle[1])))
        return DynamicStretch(
            self._train.truth(state, self._mounting),
            state,
            SensedTruth(forces, heads, images),
            (*streams, *sections, *wheels),
        )

    def _sections(self, t0: float, t1: float) -> tuple[RailHeadTruth, list[SensorStream]]:
        """Where the rails are below the scanners, and what these see."""
        if self._scanners is None:
            return no_rail_heads(), []
        rate = self._dynamics.scanner_rate
        state = self._train.at(np.asarray(indices(t0, t1, rate) / rate))
        places = self._places(state, self._dynamics.scanner_mounting)
        return rail_head_truth(state.t, places), self._scanners.read(state.t, places)

    def _images(self, t0: float, t1: float) -> RailHeadTruth:
        """Where the rails are below the cameras when these take their images, which others render."""
        imaging = self._dynamics.cameras
        if imaging is None:
            return no_rail_heads()
        state = self._train.at(np.asarray(indices(t0, t1, imaging.camera.rate) / imaging.camera.rate))
        taken = np.flatnonzero(imaging.taken(state.t, state[f"{self._dynamics.measuring_body}.s"]))
        state = state.rows(taken)
        return rail_head_truth(state.t, self._places(state, imaging.mounting)) if taken.size else no_rail_heads()

    def _places(self, state: Record, mounting: Mounting) -> dict[Rail, RailPlace]:
        return rail_places(self._train, state, self._dynamics.measuring_body, mounting)
