"""Motion along the track: smooth speed profiles with stops, evaluated at any time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from pydantic import Field, model_validator
from scipy.interpolate import PPoly
from scipy.optimize import brentq

from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.core.settings import Settings

PEAK = 1.875
"""Largest slope of the unit speed change 10 x^3 - 15 x^4 + 6 x^5."""


class Leg(Settings):
    """Change to a speed, then hold it: over a distance (the change included) or for a duration (after it)."""

    speed: float = Field(ge=0, le=100, description="speed to hold [m/s]; 0 is a stop")
    distance: float | None = Field(None, gt=0, description="length of the whole leg [m]")
    duration: float | None = Field(None, ge=0, description="time the speed is held [s]; the dwell of a stop")

    @model_validator(mode="after")
    def _one_extent(self) -> Self:
        if (self.distance is None) == (self.duration is None):
            raise ValueError("a leg needs either a distance or a duration")
        if self.speed == 0 and self.duration is None:
            raise ValueError("a stop needs a duration: nobody travels a distance at rest")
        return self


class MotionConfig(Settings):
    """The timetable of one run."""

    legs: tuple[Leg, ...] = Field(min_length=1, description="legs in running order")
    start: float = Field(20.0, ge=0, description="arc length of the body's middle before departure [m]")
    standstill: float = Field(
        30.0, ge=1, description="time at rest before departure [s]: the static calibration lives on it"
    )
    acceleration: float = Field(
        1.0, gt=0, le=3, description="largest acceleration of a speed change [m/s^2]; passenger service"
    )


@dataclass(frozen=True, slots=True)
class _Piece:
    duration: float
    v0: float
    v1: float

    @property
    def distance(self) -> float:
        return self.duration * (self.v0 + self.v1) / 2

    def coefficients(self, s: float) -> tuple[float, ...]:
        """s + v0 x + dv T F(x / T) with F' = 10 x^3 - 15 x^4 + 6 x^5: the speed has two continuous derivatives."""
        T, dv = self.duration, self.v1 - self.v0
        return dv / T**5, -3 * dv / T**4, 2.5 * dv / T**3, 0.0, 0.0, self.v0, s


@dataclass(frozen=True, slots=True)
class SpeedProfile:
    """Arc length of the body's middle over time: piecewise polynomial, speed twice differentiable."""

    path: PPoly
    departure: float
    """End of the initial standstill [s]."""

    @classmethod
    def of(cls, config: MotionConfig) -> Self:
        """Join the legs of a timetable."""
        pieces = [_Piece(config.standstill, 0.0, 0.0)]
        for leg in config.legs:
            pieces.extend(_pieces(leg, v0=pieces[-1].v1, acceleration=config.acceleration))
        knots = np.cumsum([0.0] + [piece.duration for piece in pieces])
        s = config.start + np.cumsum([0.0] + [piece.distance for piece in pieces])
        rows = [piece.coefficients(float(at)) for piece, at in zip(pieces, s, strict=False)]
        return cls(path=PPoly(np.array(rows).T, knots), departure=config.standstill)

    @classmethod
    def through(cls, legs: Sequence[tuple[float, float]], *, start: float = 20.0, standstill: float = 30.0) -> Self:
        """Legs as (speed [m/s], distance [m]); a speed of 0 takes its second number as dwell [s]."""
        return cls.of(MotionConfig(legs=tuple(_leg(*leg) for leg in legs), start=start, standstill=standstill))

    @property
    def duration(self) -> float:
        """[s]"""
        return float(self.path.x[-1])

    def position(self, t: Array) -> Array:
        """s(t) [m]"""
        return np.asarray(self.path(t))

    def speed(self, t: Array) -> Array:
        """V(t) [m/s]"""
        return np.asarray(self.path(t, 1))

    def acceleration(self, t: Array) -> Array:
        """dV/dt [m/s^2]"""
        return np.asarray(self.path(t, 2))

    def jerk(self, t: Array) -> Array:
        """d2V/dt2 [m/s^3], continuous"""
        return np.asarray(self.path(t, 3))

    def time_at(self, s: float) -> float:
        """First time the body's middle passes an arc length [m]; ConfigError if it never does."""
        first, last = float(self.path(0.0)), float(self.path(self.duration))
        if not first < s < last:
            raise ConfigError(f"arc length {s:g} m is never passed: the run goes from {first:g} to {last:g} m")
        return float(brentq(lambda t: float(self.path(t)) - s, self.departure, self.duration))


def constant(*, speed: float, length: float, start: float = 20.0, standstill: float = 30.0) -> MotionConfig:
    """Rest, then run at one speed [m/s] until a length [m] is travelled."""
    return MotionConfig(legs=(Leg(speed=speed, distance=length),), start=start, standstill=standstill)


def with_stop(*, speed: float, length: float, stop_at: float, dwell: float) -> MotionConfig:
    """Rest, run at one speed [m/s], stand for dwell [s] stop_at [m] from the start, run on over the length [m]."""
    plan = MotionConfig(legs=(Leg(speed=speed, distance=length),))
    braking = PEAK * speed**2 / plan.acceleration / 2
    if not 2 * braking < stop_at < length - braking:
        raise ConfigError(
            f"stop_at must lie between {2 * braking:g} and {length - braking:g} m to reach {speed:g} m/s, "
            f"got {stop_at:g} m"
        )
    legs = (
        Leg(speed=speed, distance=stop_at - braking),
        Leg(speed=0, duration=dwell),
        Leg(speed=speed, distance=length - stop_at),
    )
    return plan.model_copy(update={"legs": legs})


def _leg(speed: float, extent: float) -> Leg:
    return Leg(speed=speed, distance=extent) if speed > 0 else Leg(speed=0, duration=extent)


def _pieces(leg: Leg, *, v0: float, acceleration: float) -> list[_Piece]:
    change = _Piece(max(PEAK * abs(leg.speed - v0) / acceleration, 1e-3), v0, leg.speed)
    if leg.duration is not None:
        hold = leg.duration
    else:
        rest = (leg.distance or 0.0) - change.distance
        if rest < 0:
            raise ConfigError(
                f"a leg of {leg.distance:g} m is too short: {v0:g} to {leg.speed:g} m/s takes "
                f"{change.distance:.0f} m; lengthen it or raise motion.acceleration"
            )
        hold = rest / leg.speed
    return [change] + ([_Piece(hold, leg.speed, leg.speed)] if hold > 0 else [])
