"""The navigation of one vehicle: epochs in, estimates and fused measurements out."""

from collections import deque
from collections.abc import Sequence

import numpy as np

from twin.core.arrays import Array
from twin.core.blocks import Epoch
from twin.core.estimate import Estimate, Form, Fusion
from twin.core.stage import Latency
from twin.navigation.attitude import Attitude
from twin.navigation.chain import Along, Setup, Solved, axis_inputs, estimate, follow_attitude, terms_at
from twin.navigation.inputs import Inertial, Motion
from twin.navigation.odometer import Odometer
from twin.navigation.position import DELTA, SCALE, Position, PositionStep
from twin.navigation.smoother import PositionSmoother, RefinedChain


class MotionStage:
    """Speed and position of every epoch: what the causal and the smoothed chains both start from."""

    def __init__(self, setup: Setup) -> None:
        c = setup.config
        self._setup = setup
        self._odometer = Odometer(
            c.odometer,
            wheel_radius=setup.vehicle.wheel_radius,
            gravity=c.gravity,
            accel_noise=c.accel_noise,
        )
        self._position = Position(
            c.position,
            setup.design,
            start=setup.start + setup.mounting.x,
            start_sd=setup.start_sd,
            gyro_bias_walk=c.gyro_bias_walk,
        )
        self._s = setup.start + setup.mounting.x
        self._v = 0.0

    def process(self, epoch: Epoch) -> tuple[Inertial, Motion, PositionStep, list[Fusion]] | None:
        """Follow one epoch; None before the inertial sensor has first spoken."""
        block = epoch.samples.get(self._setup.config.imu)
        if block is None or not len(block):
            return None
        imu = Inertial.from_block(block, earth_vertical=self._setup.earth_vertical)
        imu = imu.without_spikes(self._setup.config.spikes, v=self._v)
        encoder = epoch.samples.get(self._setup.config.encoder)
        pitch = np.full(len(imu), self._setup.design.pose(np.array([self._s])).pitch[0])
        motion, fusions = self._odometer.process(imu, encoder, pitch)
        step = self._position.process(imu, motion)
        self._s, self._v = step.d_end + float(step.x[DELTA]), float(motion.v[-1])
        return imu, motion, step, fusions


class CausalNavigation:
    """The estimate at the head of the train: no look-ahead."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._attitude = Attitude(setup.config)
        self._axes = setup.axes()
        self._d = 0.0

    def process(self, imu: Inertial, motion: Motion, step: PositionStep) -> tuple[Estimate, list[Fusion]]:
        """Follow one epoch."""
        # Every sample is placed by the newest correction, carried back along the epoch with its scale.
        before = step.x.copy()
        before[DELTA] -= step.x[SCALE] * (step.d_end - self._d)
        along = Along.of(imu, motion, before, step.x, step.P, self._d)
        self._d = step.d_end
        inertial, terms = along.inertial(imu.dt), terms_at(self._setup, along)
        level, pitch_fusion = follow_attitude(self._attitude, inertial, terms, along)
        inputs = axis_inputs(self._setup, inertial, terms, along, level.x)
        (lateral, lateral_fusions), (vertical, vertical_fusions) = (
            axis.process(inertial, each) for axis, each in zip(self._axes, inputs, strict=True)
        )
        solved = Solved((level.x, level.P), (lateral.x, lateral.P), (vertical.x, vertical.P))
        return (
            estimate(self._setup, along, solved, Form.CAUSAL),
            [pitch_fusion, *lateral_fusions, *vertical_fusions],
        )


class Navigation:
    """Causal estimates as the train runs, and smoothed ones a constant distance behind it."""

    def __init__(self, setup: Setup, *, epoch: float, rate: float) -> None:
        """epoch: length of the epochs [s]; rate: of the inertial sensor [Hz]."""
        self._setup = setup
        self._motion = MotionStage(setup)
        self._causal = CausalNavigation(setup)
        lag = setup.config.lag
        self._smoother = PositionSmoother(lag, epoch=epoch)
        self._refined = RefinedChain(setup, lag, Form.LAGGED, rate=rate)
        self._waiting: deque[tuple[Inertial, Motion]] = deque()

    @property
    def latency(self) -> Latency:
        """Of the lagged estimates; the causal ones have none."""
        lag = self._setup.config.lag
        return Latency(seconds=2 * lag.stride, metres=lag.position + lag.attitude + lag.trajectory)

    def process(self, item: Epoch) -> Sequence[Estimate | Fusion]:
        """Navigate one epoch."""
        followed = self._motion.process(item)
        if followed is None:
            return ()
        imu, motion, step, fusions = followed
        causal, more = self._causal.process(imu, motion, step)
        self._waiting.append((imu, motion))
        return [causal, *fusions, *more, *self._refine(self._smoother.add(step))]

    def flush(self) -> Sequence[Estimate | Fusion]:
        """The smoothed estimates still held."""
        return [*self._refine(self._smoother.flush()), *self._refined.flush()]

    def _refine(self, ready: list[tuple[Array, Array]]) -> list[Estimate]:
        estimates = []
        for x, P in ready:
            imu, motion = self._waiting.popleft()
            estimates += self._refined.add(imu, motion, x, P)
        return estimates
