"""A nonlinear vehicle under way on one track: its motion at any time of a window that moves on with the run.

The same questions as twin.simulation.train answers for the kinematic truth. The run is computed ahead as far as asked
for; what lies further back than the window is forgotten, so memory does not grow.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from twin.core.arrays import Array, G
from twin.core.errors import ConfigError, RailTwinError
from twin.core.places import Direction
from twin.core.vehicle import Mounting
from twin.simulation.carriage import MARGIN
from twin.simulation.dynamic.config import Dynamics
from twin.simulation.irregularity import Irregularity, realise
from twin.simulation.kinematics import BodyMotion, Inertial, TrackMotion, inertial, track_motion
from twin.simulation.motion import SpeedProfile
from twin.simulation.scenario import Scenario
from twin.simulation.truth import Truth, observe
from twin.vehicle.library import vehicle
from twin.vehicle.running import Record, RoughRails, Running, RunSettings, rails_between

FINEST = 2000.0
"""Kept states per second, at most [Hz]: four for each sample of an IMU."""
REFERENCE_STEP = 0.1
"""Between the points of the timetable the drive follows [s]."""
BEHIND = 1.0
"""How much of the past is kept [s]."""
REACH = 12.0
"""Of the vehicle beyond its middle that the timetable counts from [m]: half a coach."""


class RunEndedError(RailTwinError):
    """The vehicle left the track, or its motion blew up, before the run was over."""


class DynamicTrain:
    """A scenario with dynamics set in motion, with error-free sensors."""

    def __init__(self, scenario: Scenario, dynamics: Dynamics) -> None:
        self.design = scenario.design()
        self.turned_at = None if scenario.direction is Direction.INCREASING else self.design.length
        """Length of a line that is run from its far end [m]."""
        self.dynamics, self.vehicle = dynamics, vehicle(dynamics.vehicle)
        free = [body.name for body in self.vehicle.bodies if body.parent is None]
        for key, name in (("measuring_body", dynamics.measuring_body), ("second_body", dynamics.second_body)):
            if name not in free:
                raise ConfigError(f"dynamics.{key}: {self.vehicle.name} has no '{name}'; it has {', '.join(free)}")
        self.profile = SpeedProfile.of(scenario.motion)
        self._check_length()
        self.rails = _rails(scenario, self.design.length + 2 * REACH)
        settings = _kept(dynamics.run)
        self.track = rails_between(self.design, _rough(self.rails), first=-REACH, last=self.design.length + REACH)
        self._running = Running(
            self.vehicle,
            self.track,
            speed=self._timetable(),
            s=float(self.profile.position(np.zeros(1))[0]),
            settings=settings,
        )
        self.layout = self._running.model.layout
        self._stopped: str | None = None
        self._kept = self._settled()
        self._start = self._running.t

    def _check_length(self) -> None:
        end = float(self.profile.position(np.array([self.profile.duration]))[0])
        if end > self.design.length:
            raise ConfigError(
                f"the run ends at {end:g} m, the track at {self.design.length:g} m: shorten a leg of motion.legs"
            )

    def _timetable(self) -> tuple[Array, Array]:
        """Times of the running model, which settles first and then departs at once, and speeds."""
        t = np.arange(self.profile.departure, self.profile.duration + REFERENCE_STEP, REFERENCE_STEP)
        at = self.dynamics.settle + t - self.profile.departure
        return np.concatenate(([0.0], at)), np.concatenate(([0.0], self.profile.speed(t)))

    def _settled(self) -> Record:
        """The last state of a rest that is not part of the run."""
        rate = self._running.settings.rate
        record = self._running.stretch(max(1, round(self.dynamics.settle * rate)))
        if record.stopped:
            raise RunEndedError(f"{self.vehicle.name} does not stand on its rails: {record.stopped}")
        return record.rows(slice(-1, None))

    def _model_time(self, t: Array) -> Array:
        """Times of the running model; it does not move before the departure."""
        return np.asarray(self._start + np.maximum(t - self.profile.departure, 0.0))

    def _advance(self, first: float, last: float) -> None:
        """Compute as far as model time last, in whole seconds; forget what is far behind first."""
        parts = [self._kept]
        while parts[-1].t[-1] < last:
            if self._stopped is not None:
                raise RunEndedError(self._stopped)
            part = self._running.stretch(round(self._running.settings.rate))
            if part.t.size:
                parts.append(part)
            if part.stopped:
                self._stopped = self._on_the_clock_of_the_run(part.stopped)
        if len(parts) > 1:
            joined = Record.join(parts)
            self._kept = joined.rows(slice(max(0, int(np.searchsorted(joined.t, first - BEHIND)) - 1), None))

    def _on_the_clock_of_the_run(self, statement: str) -> str:
        """What the running model says about its end; its own clock began with the settling, which nobody sees."""
        t = self._running.t - self._start + self.profile.departure
        return f"{statement.partition(', t = ')[0]}, t = {t:.2f} s"

    def at(self, t: Array) -> Record:
        """The state at ascending times t (samples,) of the run [s]; from a second before those asked last."""
        wanted = self._model_time(t)
        self._advance(float(wanted[0]), float(wanted[-1]))
        found = self._kept.at(wanted)
        moving = (t >= self.profile.departure)[:, None]  # what was left of settling is not part of the rest
        return replace(found, t=t, v=found.v * moving, a=found.a * moving)

    def motion(self, state: Record, body: str, mounting: Mounting) -> tuple[TrackMotion, BodyMotion, Inertial]:
        """Track frame, body, and what an error-free IMU feels; mounting counts from below the body's middle."""
        start = self.layout.index(f"{body}.s")
        q, v, a = (each[:, start : start + 6] for each in (state.q, state.v, state.a))
        track = track_motion(self.design, s=q[:, 0], V=v[:, 0], V_dot=a[:, 0])
        moved = BodyMotion(q[:, 1:], v[:, 1:], a[:, 1:])
        p_b = np.array([mounting.x, mounting.y, mounting.z - self.vehicle.body(body).position[2]])
        return track, moved, inertial(track, moved, p_b=p_b, g=G)

    def felt(self, state: Record, body: str, mounting: Mounting) -> tuple[Array, Array]:
        """(samples, 6) specific force and rate, and (samples,) speed."""
        track, _, felt = self.motion(state, body, mounting)
        return np.concatenate((felt.f_b, felt.omega_b), axis=1), track.V

    def truth(self, state: Record, mounting: Mounting) -> Truth:
        """The truth of the measuring body."""
        return observe(
            self.design, state.t, *self.motion(state, self.dynamics.measuring_body, mounting), height=mounting.z
        )


def _kept(settings: RunSettings) -> RunSettings:
    """The settings with the rate of kept states the sensors need."""
    steps = max(1, round(1 / (settings.dt * FINEST)))
    return settings.model_copy(update={"rate": 1 / (steps * settings.dt)})


def _rough(rails: Irregularity) -> RoughRails:
    return RoughRails(
        rails.s0, rails.step, np.stack((rails.y_left, rails.z_left, rails.y_right, rails.z_right), axis=1)
    )


def _rails(scenario: Scenario, length: float) -> Irregularity:
    rails = realise(scenario.irregularity, s0=-MARGIN - REACH, length=length + 2 * MARGIN)
    return rails if scenario.direction is Direction.INCREASING else rails.reversed(length - 2 * REACH)


def whole_seconds(end: float, block: int) -> Iterator[tuple[float, float]]:
    """Consecutive stretches (from, to) of whole seconds up to end [s]."""
    for t0 in range(0, int(np.ceil(end)), block):
        yield float(t0), min(float(t0 + block), end)
