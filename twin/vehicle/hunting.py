"""Hunting by time integration: how a small disturbance grows, and the oscillation that a large one leaves behind.

The nonlinear vehicle passes one lateral wave of both rails and then runs on straight smooth track. After a small wave
its lateral motion grows or decays as that of the linear vehicle does; the speed between is the linear critical speed.
A large wave may throw it into a limit cycle although small ones decay: the speed below which no cycle lives on, found
by slowing a hunting vehicle down, is the nonlinear critical speed, and the lower of the two as a rule.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field
from scipy.optimize import brentq

from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.core.settings import Settings
from twin.core.track import DesignTrack, HorizontalElement
from twin.vehicle.description import Vehicle
from twin.vehicle.running import Rails, Record, RoughRails, Running, RunSettings, rails_between, run
from twin.vehicle.symbolic import VehicleModel, vehicle_model

SLOWEST, FASTEST = 5.0, 200.0
"""Speeds that can be run [m/s]."""
BEFORE = 5.0
"""Straight track between the first wheelset and the wave [m]."""
PASSING = 0.2
"""Time in which a wheelset passes the wave [s]: it holds all frequencies of hunting, up to 10 Hz."""
ROUGH_STEP = 0.25
"""Between the places of the wave [m]."""
WINDOW = 1.0
"""Over which the amplitude of a cycle is taken [s]: one period of the slowest hunting at least."""
ALIKE = 0.01
"""Largest change of the amplitude from window to window of a cycle that has settled, as a share of it."""
SLOWING = 2.0
"""Rate at which the speed is brought down to the next one [m/s^2]: a firm brake."""
LINEAR = 1e-3
"""Largest shift [m] up to which growth is looked at: creep is far from sliding there."""
ROUNDING = 1e-10
"""Shift [m] below which nothing but rounding is left."""
TRIES = 8
"""Runs that a critical speed takes, as a rule: what its progress is counted by."""


class HuntingSettings(Settings):
    """How a vehicle is disturbed, and how long it is watched."""

    run: RunSettings = Field(
        RunSettings(), description="contact, step and what the wheels run on; on knives S1002 rattles by itself"
    )
    small: float = Field(1e-4, gt=0, le=1e-3, description="height of the wave whose traces grow or decay [m]")
    large: float = Field(8e-3, gt=0, le=2e-2, description="height of the wave that brings the flanges to the rails [m]")
    settle: float = Field(3.0, ge=0.1, le=60, description="time after the wave in which bodies come to rest [s]")
    measured: float = Field(5.0, ge=0.5, le=60, description="time after that over which growth is measured [s]")
    longest: float = Field(20.0, ge=2, le=600, description="time at one speed after which a cycle has not settled [s]")
    quiet: float = Field(1e-5, gt=0, le=1e-3, description="amplitude below which a vehicle no longer hunts [m]")
    tolerance: float = Field(0.2, gt=0, le=10, description="of the critical speed by growth [m/s]")


@dataclass(frozen=True, slots=True)
class Growth:
    """What became of a small disturbance."""

    speed: float
    """[m/s]"""
    rate: float
    """Of the lateral motion, exp(rate t) [1/s]; positive where it grows."""
    frequency: float
    """[Hz]"""


@dataclass(frozen=True, slots=True)
class Cycle:
    """What is left of a disturbance after a long time at one speed."""

    speed: float
    """[m/s]"""
    amplitude: float
    """Half the way of the wheelset that moves most, from side to side [m]."""
    frequency: float
    """[Hz]; 0 where it is quiet."""
    remark: str
    """What a person should know: that it has not settled, or left the track; else empty."""

    @property
    def hunts(self) -> bool:
        """Whether it oscillates, or did so until it left the track."""
        return self.frequency > 0


def growth(
    vehicle: Vehicle, speed: float, *, settings: HuntingSettings | None = None, model: VehicleModel | None = None
) -> Growth:
    """Growth of a small disturbance at a speed [m/s]; model: of the vehicle, if it is built already."""
    settings = settings or HuntingSettings()
    running, passed = _disturbed(vehicle, speed, settings.small, settings, model)
    record = run(running, passed + settings.settle + settings.measured)
    moved = np.abs(_columns(vehicle, record, record.q)).max(axis=1, initial=0.0)
    first = int(np.searchsorted(record.t, passed))
    outside = np.flatnonzero((moved[first:] > LINEAR) | (moved[first:] < ROUNDING))
    last = first + int(outside[0]) if outside.size else record.t.size
    samples = round(settings.measured * running.settings.rate)
    part = record.rows(slice(max(first, last - samples), last))
    if part.t.size < samples // 10:
        raise ConfigError(f"a wave of {settings.small * 1e3:g} mm at {speed:g} m/s is not small: take a lower one")
    rate, frequency = _envelope(_columns(vehicle, part, part.v), running.settings.rate)
    return Growth(speed, rate, frequency)


def critical_by_growth(
    vehicle: Vehicle,
    *,
    slowest: float,
    fastest: float,
    settings: HuntingSettings | None = None,
    model: VehicleModel | None = None,
    progress: Callable[[float], None] | None = None,
) -> Growth | None:
    """Where small disturbances begin to grow between two speeds [m/s], or None if they decay at both.

    A vehicle that hunts already at the slowest speed has that one. All of it is one root, of the rate over the speed.
    """
    settings, model = settings or HuntingSettings(), model or vehicle_model(vehicle)
    tried: dict[float, Growth] = {}

    def rate(speed: float) -> float:
        if speed not in tried:
            tried[speed] = growth(vehicle, speed, settings=settings, model=model)
            if progress is not None:
                progress(min(1.0, len(tried) / TRIES))
        return tried[speed].rate

    if rate(slowest) >= 0:
        return tried[slowest]
    if rate(fastest) <= 0:
        return None
    found = float(brentq(rate, slowest, fastest, xtol=settings.tolerance))
    rate(found)
    return tried[found]


def falling_branch(
    vehicle: Vehicle,
    speeds: Sequence[float],
    *,
    settings: HuntingSettings | None = None,
    model: VehicleModel | None = None,
    progress: Callable[[float], None] | None = None,
) -> tuple[Cycle, ...]:
    """Limit cycles of one vehicle that passes a large wave and is slowed down, speeds [m/s] falling.

    Ends with the first speed at which it is quiet: the cycle lives down to the speed before.
    """
    _check_speeds(speeds, falling=True)
    settings = settings or HuntingSettings()
    running, passed = _disturbed(vehicle, speeds[0], settings.large, settings, model)
    record = run(running, passed)
    found: list[Cycle] = []
    for speed in speeds:
        if record.stopped is None:
            record = _brought_to(running, speed)
        cycle = _cycle(running, speed, settings) if record.stopped is None else _lost(speed, record.stopped)
        found.append(cycle)
        if progress is not None:
            progress(len(found) / len(speeds))
        if cycle.remark or not cycle.hunts:
            break
    return tuple(found)


def rising_branch(
    vehicle: Vehicle,
    speeds: Sequence[float],
    *,
    settings: HuntingSettings | None = None,
    model: VehicleModel | None = None,
    progress: Callable[[float], None] | None = None,
) -> tuple[Cycle, ...]:
    """What a small wave leaves behind at each of the speeds [m/s], which rise."""
    _check_speeds(speeds, falling=False)
    settings, model = settings or HuntingSettings(), model or vehicle_model(vehicle)
    found: list[Cycle] = []
    for speed in speeds:
        running, passed = _disturbed(vehicle, speed, settings.small, settings, model)
        record = run(running, passed)
        found.append(_cycle(running, speed, settings) if record.stopped is None else _lost(speed, record.stopped))
        if progress is not None:
            progress(len(found) / len(speeds))
    return tuple(found)


def nonlinear_critical_speed(falling: Sequence[Cycle]) -> tuple[float, float] | None:
    """Speeds [m/s] between which the cycle dies: quiet at the first, alive at the second; None if it was not seen to.

    falling: from falling_branch.
    """
    if len(falling) < 2 or falling[-1].hunts:
        return None
    return falling[-1].speed, falling[-2].speed


def _check_speeds(speeds: Sequence[float], *, falling: bool) -> None:
    steps = np.diff(speeds) * (-1 if falling else 1)
    if not len(speeds) or (steps <= 0).any():
        raise ValueError(f"speeds {'fall' if falling else 'rise'}, got {list(speeds)}")


def _disturbed(
    vehicle: Vehicle, speed: float, height: float, settings: HuntingSettings, model: VehicleModel | None
) -> tuple[Running, float]:
    """The vehicle before a wave of a height [m], and when its last wheelset has passed it [s]."""
    if not SLOWEST <= speed <= FASTEST:
        raise ConfigError(f"speed {speed:g} m/s: give {SLOWEST:g} to {FASTEST:g} m/s")
    half = max(abs(wheelset.position[0]) for wheelset in vehicle.wheelsets)
    rails = _wave(first=half + BEFORE, length=PASSING * speed, height=height)
    running = Running(vehicle, rails, speed=speed, s=0.0, settings=settings.run, model=model)
    return running, (2 * half + BEFORE) / speed + PASSING


def _wave(*, first: float, length: float, height: float) -> Rails:
    """Both rails to the left and back between first and first + length [m], straight and smooth beyond."""
    s = np.arange(-first - ROUGH_STEP, first + length + 2 * ROUGH_STEP, ROUGH_STEP)
    places = np.zeros((s.size, 4))
    places[:, [0, 2]] = height * np.sin(np.pi * np.clip((s - first) / length, 0.0, 1.0))[:, None] ** 2
    design = DesignTrack.from_elements([HorizontalElement(length=float(s[-1]))], [])
    return rails_between(design, RoughRails(float(s[0]), ROUGH_STEP, places), first=float(s[0]), last=float(s[-1]))


def _columns(vehicle: Vehicle, record: Record, values: Array) -> Array:
    """(samples, wheelsets) the lateral ones of coordinates, or of their rates."""
    return values[:, [record.layout.index(f"{wheelset.name}.r_y") for wheelset in vehicle.wheelsets]]


def _envelope(v: Array, rate: float) -> tuple[float, float]:
    """Growth rate [1/s] and frequency [Hz] of lateral velocities (samples, wheelsets) at a rate [Hz].

    Their mean square over one period is a smooth envelope; a line through its logarithm has twice the rate as slope.
    """
    frequency = _frequency(v, rate)
    period = int(np.clip(round(rate / max(frequency, 1 / WINDOW)), 1, v.shape[0] // 2))
    total = np.concatenate(([0.0], np.cumsum(np.mean(v**2, axis=1))))
    square = (total[period:] - total[:-period]) / period
    slope, _ = np.polyfit(np.arange(square.size) / rate, np.log(square), 1)
    return float(slope) / 2, frequency


def _frequency(v: Array, rate: float) -> float:
    """By the zero crossings of the velocity (samples, wheelsets) that is largest [Hz]; 0 if there are too few."""
    fastest = v[:, int(np.argmax(np.abs(v).max(axis=0)))]
    crossings = np.flatnonzero(np.diff(np.signbit(fastest)))
    return float(rate * (crossings.size - 1) / (2 * (crossings[-1] - crossings[0]))) if crossings.size > 2 else 0.0


def _brought_to(running: Running, speed: float) -> Record:
    """Brake from the present speed to this one [m/s]."""
    now = float(running.drive.speed[-1])
    duration = max(abs(now - speed) / SLOWING, 1 / running.settings.rate)
    times = running.t + np.array([0.0, duration])
    running.drive = running.drive._replace(t=times, speed=np.array([now, speed]))
    return run(running, duration)


def _cycle(running: Running, speed: float, settings: HuntingSettings) -> Cycle:
    """Run on at one speed until the amplitude is constant over three windows, or nothing."""
    rate, start = running.settings.rate, running.t
    amplitudes: list[float] = []
    while True:
        window = running.stretch(round(WINDOW * rate))
        if window.stopped is not None:
            return _lost(speed, window.stopped)
        y, v = (_columns(running.vehicle, window, values) for values in (window.q, window.v))
        amplitudes.append(float(np.ptp(y, axis=0).max()) / 2)
        if amplitudes[-1] < settings.quiet:
            return Cycle(speed, amplitudes[-1], 0.0, "")
        last = amplitudes[-3:]
        if len(last) == 3 and np.ptp(last) < ALIKE * max(last):
            return Cycle(speed, amplitudes[-1], _frequency(v, rate), "")
        if running.t - start > settings.longest:
            change = "grows" if last[-1] > last[0] else "decays"
            return Cycle(speed, amplitudes[-1], _frequency(v, rate), f"not settled: still {change}")


def _lost(speed: float, why: str) -> Cycle:
    return Cycle(speed, float("nan"), float("inf"), why)
