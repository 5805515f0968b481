"""The smoothed chain: position, attitude and trajectory, each smoothed with a lag before the next one uses it."""

from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array
from twin.core.estimate import Estimate, Form
from twin.navigation.attitude import Attitude
from twin.navigation.chain import Along, Setup, Solved, axis_inputs, estimate, follow_attitude, terms_at
from twin.navigation.config import LagConfig
from twin.navigation.inputs import Inertial, Motion
from twin.navigation.position import PositionStep
from twin.numerics.smoothing import FixedLag, Smoothed


class _Rising:
    """A coordinate that never falls: metres of a train that may roll back."""

    def __init__(self) -> None:
        self._highest = -np.inf

    def of(self, values: Array) -> Array:
        rising = np.maximum(np.maximum.accumulate(values), self._highest) if values.size else values
        self._highest = float(rising[-1]) if values.size else self._highest
        return rising


class PositionSmoother:
    """Fixed-lag smoothing of the position filter, one sample per epoch."""

    def __init__(self, lag: LagConfig, *, epoch: float) -> None:
        self._lag = FixedLag(states=5, lag=lag.position, stride=1, cap=max(1, round(lag.longest / epoch)))
        self._rising = _Rising()

    def add(self, step: PositionStep) -> list[tuple[Array, Array]]:
        """Take an epoch; give the states (5,) and covariances (5, 5) of epochs that became final."""
        coordinate = self._rising.of(np.array([step.d_end]))
        return _listed(self._lag.add(step.x[None], step.P[None], step.F[None], step.Q[None], coordinate, step.u[None]))

    def flush(self) -> list[tuple[Array, Array]]:
        """The epochs still held."""
        return _listed(self._lag.flush())


def _listed(smoothed: Smoothed) -> list[tuple[Array, Array]]:
    return [(smoothed.x[i], smoothed.P[i]) for i in range(len(smoothed))]


@dataclass
class _Waiting:
    """Samples whose smoothed partner is still to come."""

    parts: list[Along]

    def take(self, count: int) -> Along:
        """The oldest samples."""
        joined = Along.join(self.parts)
        self.parts = [joined.part(count, len(joined))]
        return joined.part(0, count)


class RefinedChain:
    """Attitude and trajectory on smoothed positions; gives estimates a constant distance behind its input."""

    def __init__(self, setup: Setup, lag: LagConfig, form: Form, *, rate: float) -> None:
        """rate: of the inertial sensor [Hz]."""
        self._setup = setup
        self._form = form
        self._dt = 1 / rate
        stride, cap = max(1, round(lag.stride * rate)), max(1, round(lag.longest * rate))
        self._attitude = Attitude(setup.config)
        self._axes = setup.axes()
        self._attitude_lag = FixedLag(states=5, lag=lag.attitude, stride=stride, cap=cap)
        self._axis_lags = tuple(FixedLag(states=6, lag=lag.trajectory, stride=stride, cap=cap) for _ in self._axes)
        self._attitude_metres, self._axis_metres = _Rising(), _Rising()
        self._for_attitude, self._for_axes = _Waiting([]), _Waiting([])
        self._level: list[tuple[Array, Array]] = []
        self._before: Array | None = None
        self._d = 0.0

    def add(self, imu: Inertial, motion: Motion, x: Array, P: Array) -> list[Estimate]:
        """Take an epoch with its smoothed position x (5,), P (5, 5)."""
        if not len(imu):
            return []
        before = x if self._before is None else self._before
        along = Along.of(imu, motion, before, x, P, self._d)
        self._before, self._d = x, float(motion.d[-1])
        self._dt = imu.dt
        filtered, _ = follow_attitude(self._attitude, along.inertial(imu.dt), terms_at(self._setup, along), along)
        self._for_attitude.parts.append(along)
        metres = self._attitude_metres.of(along.s)
        ready = self._attitude_lag.add(filtered.x, filtered.P, filtered.F, filtered.Q, metres, filtered.u)
        return self._trajectory(ready)

    def flush(self) -> list[Estimate]:
        """What is still held: the run has ended."""
        estimates = self._trajectory(self._attitude_lag.flush())
        lateral, vertical = (lag.flush() for lag in self._axis_lags)
        return estimates + self._gather(lateral, vertical)

    def _trajectory(self, ready: Smoothed) -> list[Estimate]:
        if not len(ready):
            return []
        along = self._for_attitude.take(len(ready))
        imu, terms = along.inertial(self._dt), terms_at(self._setup, along)
        self._for_axes.parts.append(along)
        self._level.append((ready.x, ready.P))
        metres = self._axis_metres.of(along.s)
        given = axis_inputs(self._setup, imu, terms, along, ready.x)
        found = []
        for axis, lag, each in zip(self._axes, self._axis_lags, given, strict=True):
            filtered, _ = axis.process(imu, each)
            found.append(lag.add(filtered.x, filtered.P, filtered.F, filtered.Q, metres, filtered.u))
        return self._gather(*found)

    def _gather(self, lateral: Smoothed, vertical: Smoothed) -> list[Estimate]:
        count = len(lateral)
        if not count:
            return []
        x, P = (np.concatenate([level[i] for level in self._level]) for i in range(2))
        self._level = [(x[count:], P[count:])]
        solved = Solved((x[:count], P[:count]), (lateral.x, lateral.P), (vertical.x, vertical.P))
        return [estimate(self._setup, self._for_axes.take(count), solved, self._form)]
