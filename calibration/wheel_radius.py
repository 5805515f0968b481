"""Radius of the encoder's wheel: by a known distance, or by the curves of the design.

Over a known distance the radius is that distance by the angle turned. Without one the navigation's own estimate is
taken: matching the heading to the curves of the design shows by how much the wheel's distance is too long or too short.
"""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from calibration.store import Calibration, Origin, rounded
from twin.core.arrays import Array
from twin.core.blocks import Epoch
from twin.core.errors import CalibrationError
from twin.core.quality import Quality
from twin.core.settings import Settings
from twin.navigation.chain import Setup
from twin.navigation.position import SCALE
from twin.navigation.stage import MotionStage


class WheelRadiusConfig(Settings):
    """What is asked of a run before its radius is believed."""

    shortest: float = Field(200.0, ge=10, description="least distance [m]")
    slipping: float = Field(0.02, ge=0, le=1, description="largest part of the time in which the wheel slips [-]")
    farthest: float = Field(0.1, gt=0, le=0.5, description="largest relative deviation from the configured radius [-]")
    learnt: float = Field(
        0.3,
        gt=0,
        lt=1,
        description="sd of the radius by curves, in that before the run, beyond which they taught little",
    )


@dataclass(frozen=True, slots=True)
class Rolled:
    """A run as the navigation followed it. All (epochs,) but the last ones."""

    d: Array
    """Distance by the wheel at the end of each epoch, with the configured radius [m]."""
    scale: Array
    """Relative error of the radius by the curves passed so far."""
    sd_scale: Array
    sd_before: float
    """Of the relative radius before the run."""
    sd_d: float
    """Of the distance by the wheel, beside the radius [m]."""
    slipping: float
    """Part of the time in motion in which the wheel slipped."""
    radius: float
    """As configured [m]."""


@dataclass(frozen=True, slots=True)
class WheelRadius:
    """The radius found."""

    rolled: Rolled
    radius: float
    """[m]"""
    sd: float
    method: str

    def calibration(self, *, date: datetime.date, source: str) -> Calibration:
        """As a file."""
        sd = rounded(np.array([self.sd]))[0]
        origin = Origin(kind="wheel-radius", date=date, source=source, uncertainty={"vehicle.wheel_radius": sd})
        return Calibration(calibration=origin, vehicle={"wheel_radius": float(f"{self.radius:.7g}")})


def roll_along(setup: Setup, epochs: Iterable[Epoch], *, config: WheelRadiusConfig | None = None) -> Rolled:
    """Follow a run; CalibrationError where it is too short or the wheel slipped too much."""
    config, stage, position = config or WheelRadiusConfig(), MotionStage(setup), setup.config.position
    rows, slipped, moving = [], 0.0, 0.0
    for epoch in epochs:
        followed = stage.process(epoch)
        if followed is None or not len(followed[0]):
            continue
        imu, motion, step, _ = followed
        going = (motion.quality & np.uint8(Quality.STANDSTILL)) == 0
        bad = (motion.quality & np.uint8(Quality.SLIPPING | Quality.BRIDGED)) != 0
        moving += imu.dt * float(np.count_nonzero(going))
        slipped += imu.dt * float(np.count_nonzero(going & bad))
        rows.append((step.d_end, step.x[SCALE], np.sqrt(step.P[SCALE, SCALE])))
    d, scale, sd_scale = np.array(rows).reshape(-1, 3).T
    run = abs(float(d[-1])) if d.size else 0.0
    if run < config.shortest:
        raise CalibrationError(f"the wheel rolled {run:.0f} m, at least {config.shortest:g} m are needed")
    share = slipped / max(moving, 1e-9)
    if share > config.slipping:
        raise CalibrationError(
            f"the wheel slipped, or was silent, in {100 * share:.1f} % of the time, at most "
            f"{100 * config.slipping:g} % may be: run gently on dry rails"
        )
    sd_d = np.hypot(position.distance_noise * np.sqrt(run), position.slip_noise * np.sqrt(slipped))
    return Rolled(d, scale, sd_scale, position.sd_scale, float(sd_d), share, setup.vehicle.wheel_radius)


def by_distance(
    rolled: Rolled, *, distance: float, sd_distance: float, config: WheelRadiusConfig | None = None
) -> WheelRadius:
    """Radius by a known distance over the whole run [m]."""
    run = abs(float(rolled.d[-1]))
    radius = rolled.radius * distance / run
    sd = radius * np.hypot(sd_distance / distance, rolled.sd_d / run)
    return _plausible(WheelRadius(rolled, radius, float(sd), f"{distance:g} m"), config or WheelRadiusConfig())


def by_curves(rolled: Rolled, *, config: WheelRadiusConfig | None = None) -> WheelRadius:
    """Radius by the navigation's match with the design, or CalibrationError where it learnt too little."""
    config = config or WheelRadiusConfig()
    sd = float(rolled.sd_scale[-1])
    if sd > config.learnt * rolled.sd_before:
        needed = config.learnt * rolled.sd_before
        raise CalibrationError(
            f"the curves passed tell the radius to {100 * sd:.2g} % only, {100 * needed:.2g} % are needed: "
            "run over more curves, or give a known --distance"
        )
    radius = rolled.radius * (1 + float(rolled.scale[-1]))
    return _plausible(WheelRadius(rolled, radius, rolled.radius * sd, "curves of the design"), config)


def _plausible(found: WheelRadius, config: WheelRadiusConfig) -> WheelRadius:
    off = found.radius / found.rolled.radius - 1
    if abs(off) > config.farthest:
        raise CalibrationError(
            f"a radius of {1e3 * found.radius:.0f} mm is {100 * off:.0f} % off the configured one: check the "
            "distance and encoder.counts_per_turn"
        )
    return found
