"""The longest rest in a recording: what a static calibration works on."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from pydantic import Field

from twin.core.arrays import Array
from twin.core.blocks import Epoch
from twin.core.errors import CalibrationError
from twin.core.quality import Quality
from twin.core.settings import Settings
from twin.navigation.chain import Setup
from twin.navigation.inputs import Inertial
from twin.navigation.position import DELTA
from twin.navigation.stage import MotionStage

TEMPERATURE = 6
"""Channel of the inertial sensor."""


class RestConfig(Settings):
    """What counts as a rest worth calibrating on."""

    shortest: float = Field(
        10.0, ge=1, description="least rest [s]; in 10 s a tactical gyro shows its bias to 2 deg/h, a consumer one to 4"
    )
    longest: float = Field(600.0, ge=10, description="of a longer rest the first part is used [s]: bounds memory")
    settle: float = Field(
        1.0, ge=0, le=60, description="left out at both ends [s]: the body swings out, brakes are released"
    )
    largest_gap: float = Field(0.05, gt=0, lt=1, description="share of samples that may be missing or faulty")


@dataclass(frozen=True, slots=True)
class Rest:
    """Samples of a vehicle that stands; unusable ones are NaN."""

    a: Array
    """(samples, 3) specific force [m/s^2]"""
    w: Array
    """(samples, 3) angular rate, the earth's about the vertical taken off [rad/s]"""
    dt: float
    """[s]"""
    s: float
    """Where it stands: arc length in running direction [m]."""
    temperature: float
    """Mean [K]."""

    @property
    def duration(self) -> float:
        """[s]"""
        return len(self.a) * self.dt


@dataclass
class _Growing:
    """A rest as its epochs come in."""

    parts: list[Inertial] = field(default_factory=list)
    temperatures: list[float] = field(default_factory=list)
    duration: float = 0.0
    s: float = 0.0

    def add(self, imu: Inertial, temperature: float, s: float) -> None:
        self.parts.append(imu)
        self.temperatures.append(temperature)
        self.duration += len(imu) * imu.dt
        self.s = s


def longest_rest(setup: Setup, epochs: Iterable[Epoch], config: RestConfig) -> Rest:
    """The longest time for which wheel and gyro are still, or CalibrationError with the reason there is none."""
    motion = MotionStage(setup)
    heard = {setup.config.imu: False, setup.config.encoder: False}
    best, now = _Growing(), _Growing()
    for epoch in epochs:
        for name in heard:
            heard[name] = heard[name] or bool(len(epoch.samples.get(name, ())))
        followed = motion.process(epoch)
        if followed is None:
            continue
        imu, moved, step, _ = followed
        if not np.all(moved.quality & np.uint8(Quality.STANDSTILL)):
            now = _Growing()
        elif now.duration < config.longest + 2 * config.settle:
            block = epoch.samples[setup.config.imu]
            now.add(imu, _mean(block.values[:, TEMPERATURE]), step.d_end + float(step.x[DELTA]))
        best = max(best, now, key=lambda rest: rest.duration)
    for name, spoke in heard.items():
        if not spoke:
            raise CalibrationError(f"the recording holds no sample of '{name}': rest cannot be told from motion")
    return _usable(best, config)


def _usable(found: _Growing, config: RestConfig) -> Rest:
    needed = config.shortest + 2 * config.settle
    if found.duration < needed:
        raise CalibrationError(
            f"the longest rest lasts {found.duration:.1f} s, at least {needed:g} s are needed: "
            "let the vehicle stand still, nobody walking in it, and record again"
        )
    dt = float(np.median([part.dt for part in found.parts]))
    cut = round(config.settle / dt)
    a, w = (np.concatenate([getattr(part, name) for part in found.parts])[cut:] for name in ("a", "w"))
    a, w = a[: len(a) - cut], w[: len(w) - cut]
    missing = 1 - float(np.isfinite(a).all(axis=1).mean())
    if missing > config.largest_gap:
        raise CalibrationError(
            f"{100 * missing:.0f} % of the samples at rest are missing or faulty, at most "
            f"{100 * config.largest_gap:g} % may be: see what is wrong with: railtwin info"
        )
    return Rest(a, w, dt, found.s, _mean(np.array(found.temperatures)))


def _mean(values: Array) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else float("nan")
