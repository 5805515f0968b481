"""The sensors on a nonlinear vehicle, read stretch after stretch."""

import numpy as np

from twin.core.arrays import Array, frozen
from twin.core.vehicle import Mounting
from twin.simulation.dynamic.config import Dynamics
from twin.simulation.dynamic.encoder import TurningEncoder
from twin.simulation.dynamic.rail_heads import RailScanners
from twin.simulation.dynamic.train import DynamicTrain
from twin.simulation.dynamic.wheels import wheel_sensors
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


class DynamicInstallation:
    """IMUs, encoder, rail scanners, axle-box and wheel sensors on a vehicle that moves by its own dynamics."""

    def __init__(self, scenario: Scenario, dynamics: Dynamics, train: DynamicTrain) -> None:
        self._train, self._mounting = train, scenario.mounting
        self._rate, self._encoder_rate = scenario.imu_rate, scenario.encoder.rate
        first = _MountedImu("imu", scenario, train, dynamics.measuring_body, scenario.mounting, scenario.seed)
        self._imus = [first]
        if dynamics.second_imu:
            mounting, seed = dynamics.second_mounting, scenario.seed + SECOND
            self._imus.append(_MountedImu("imu_body", scenario, train, dynamics.second_body, mounting, seed))
        self._scanners, self._scanner_rate = None, dynamics.scanner_rate
        if dynamics.scanners is not None:
            self._scanners = RailScanners(
                train, dynamics.scanner_mounting, dynamics.scanners, dynamics.rail_head, seed=scenario.seed
            )
        self._wheels = wheel_sensors(train, dynamics, seed=scenario.seed)
        windows = [(train.profile.time_at(slide.s), slide) for slide in scenario.slides]
        self._encoder = TurningEncoder(scenario.encoder, windows, seed=scenario.seed)
        self._spin = train.layout.index(f"{train.vehicle.wheelsets[0].name}.spin")

    def read(self, t0: float, t1: float) -> tuple[Truth, Record, tuple[SensorStream, ...]]:
        """Truth and states at the times of the first IMU in [t0, t1) [s], and every stream."""
        k, j = indices(t0, t1, self._rate), indices(t0, t1, self._encoder_rate)
        t = k / self._rate
        state = self._train.at(t)
        turned = self._train.at(j / self._encoder_rate)
        angle = self._encoder.process(turned.t, turned.q[:, self._spin], turned.v[:, self._spin])
        sections = [] if self._scanners is None else self._scanners.read(self._train.at(self._section_times(t0, t1)))
        wheels = [] if self._wheels is None else self._wheels.read(t0, t1)
        ahead = OVERSAMPLING * k[0] + LEAD + np.arange(OVERSAMPLING * k.size)
        inside = self._train.at(ahead / (self._rate * OVERSAMPLING))
        streams = [imu.read(t, inside) for imu in self._imus]
        streams.append(SensorStream("encoder", "encoder", frozen(angle[0]), frozen(angle[1])))
        return self._train.truth(state, self._mounting), state, (*streams, *sections, *wheels)

    def _section_times(self, t0: float, t1: float) -> Array:
        return np.asarray(indices(t0, t1, self._scanner_rate) / self._scanner_rate)
