"""Where cameras sit on their body, from a straight stretch whose gauge or cross level is known, or run in both ways.

Corrections of a camera's roll rho, y and z move the rail that it sees, at (a, b) from its origin, in the axes of the
running vehicle to first order by

    dy = y - rho b          dz = z + rho a          head roll: rho

The rails themselves do not care which way the vehicle runs: what turns round with it is the cameras' (so the roll of
both is half the difference of two runs, by kilometre), what stays is the track's. All that is measured or known goes
into one linear least squares for corrections and rails together. What data cannot tell apart, such as gauge errors of
the left and the right camera, is shared by what was known before, and the covariance says so.
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from calibration.store import Calibration, DevicePart, Origin, rounded
from twin.core.arrays import Array
from twin.core.errors import CalibrationError
from twin.core.places import Direction
from twin.core.settings import Settings

SEEN = ("y_left", "z_left", "head_roll_left", "y_right", "z_right", "head_roll_right")
"""Columns of the rails' grid that are used, by increasing kilometre: lateral, height and roll of each rail."""
BATCH = 25.0
"""Means over so long are taken as independent [m]: most of what waves in track geometry is shorter."""
HALF_BASE = 0.75
"""Of a rail from the middle of the track [m]."""
ROUNDS = 4
"""Of the adjustment: the second puts in what turns are beyond the first order."""
VALUES = ("roll", "y", "z")


class MountingConfig(Settings):
    """What is believed before the data, as standard deviations, and what is asked of them."""

    sd_roll: float = Field(0.02, gt=0, le=0.2, description="of a camera's roll as mounted [rad]")
    sd_y: float = Field(5e-3, gt=0, le=0.1, description="of its lateral place [m]")
    sd_z: float = Field(5e-3, gt=0, le=0.1, description="of its height [m]")
    sd_head: float = Field(0.01, gt=0, le=0.1, description="of a rail's roll against its nominal inclination [rad]")
    sd_gauge: float = Field(5e-3, gt=0, le=0.1, description="of the gauge where it is not measured [m]")
    sd_cross_level: float = Field(10e-3, gt=0, le=0.2, description="of the cross level where it is not measured [m]")
    sd_line: float = Field(10e-3, gt=0, le=0.1, description="of the rails' middle off the design, lateral and up [m]")
    sd_body_roll: float = Field(2e-4, gt=0, le=0.05, description="of the navigation's mean roll in a run [rad]")
    sd_body_place: float = Field(1e-3, gt=0, le=0.05, description="of its mean lateral place and height [m]")
    sd_fit: float = Field(5e-5, gt=0, le=5e-3, description="of a head's fit that does not average out [m]")
    sd_fit_roll: float = Field(
        5e-4, gt=0, le=0.05, description="the same of its roll [rad]: a worn head has none exactly"
    )
    shortest: float = Field(100.0, ge=25, description="least length of the stretch [m]")
    unseen: float = Field(0.1, ge=0, lt=1, description="largest part of it where a rail was not seen [-]")
    straight: float = Field(1e-5, ge=0, le=1e-2, description="largest design curvature on it [1/m]; R 100 km")
    level: float = Field(1e-3, ge=0, le=0.2, description="largest design cant on it [rad]")


@dataclass(frozen=True, slots=True)
class Reference:
    """What was measured by hand over the stretch, as its mean; None where it was not."""

    gauge: float | None = None
    """Less the nominal one [m]."""
    cross_level: float | None = None
    """Left rail above the right one, towards higher kilometres [m]."""
    sd_gauge: float = 0.3e-3
    sd_cross_level: float = 0.3e-3


@dataclass(frozen=True, slots=True)
class Camera:
    """A camera before its correction."""

    device: str
    values: Array
    """(3,) roll [rad], y and z [m] that the run was made with."""
    arms: Array
    """(2, 2) y and z of the left and the right rail from its origin [m], in running direction."""


@dataclass(frozen=True, slots=True)
class StraightRun:
    """What a run has seen of the stretch."""

    direction: Direction
    s: Array
    """(points,) [m]"""
    rails: Array
    """(points, 6) as SEEN; NaN where unknown."""


@dataclass(frozen=True, slots=True)
class Mounted:
    """Cameras as corrected."""

    cameras: tuple[Camera, ...]
    corrections: Array
    """(cameras, 3) to be added to roll, y, z."""
    S: Array
    """(3 cameras, 3 cameras) covariance of the corrections."""
    gauge: Array
    """(runs, 2) mean deviation from the nominal gauge, before and after [m]."""
    cross_level: Array
    """(runs, 2) mean, before and after [m]."""

    @property
    def sd(self) -> Array:
        """(cameras, 3) of the corrections."""
        return np.sqrt(np.diag(self.S)).reshape(-1, 3)

    def calibration(self, *, date: datetime.date, source: str) -> Calibration:
        """As a file."""
        parts: list[DevicePart] = []
        uncertainty: dict[str, float] = {}
        for camera, correction, sd in zip(self.cameras, self.corrections, self.sd, strict=True):
            values = dict(zip(VALUES, rounded(camera.values + correction), strict=True))
            profile = {"date": date.isoformat(), "source": f"straight stretch in {source}", **values}
            parts.append(DevicePart(name=camera.device, profile=profile))
            keys = [f"device.{camera.device}.profile.{name}" for name in VALUES]
            uncertainty |= dict(zip(keys, rounded(sd), strict=True))
        origin = Origin(kind="mounting", date=date, source=source, uncertainty=uncertainty)
        return Calibration(calibration=origin, device=tuple(parts))


def calibrate_mounting(
    runs: Sequence[StraightRun], cameras: Sequence[Camera], reference: Reference, config: MountingConfig | None = None
) -> Mounted:
    """Corrections from one run over a known stretch or two runs in both ways; CalibrationError with the reason else."""
    config = config or MountingConfig()
    _enough(runs, reference, config)
    n = 3 * len(cameras)  # unknown are corrections, then the six places of the rails
    A = [_effects(run.direction, cameras) for run in runs]
    R = [noise + _body(config) for noise in _noise(runs)]
    z = [np.nanmean(run.rails, axis=0) for run in runs]
    found: Array = np.zeros(n)
    P: Array = np.eye(n + 6)
    for _ in range(ROUNDS):
        after = [_moved(run.direction, cameras, found, mean) for run, mean in zip(runs, z, strict=True)]
        N, b = _believed(len(cameras), reference, config)
        for H, mean, noise in zip(A, after, R, strict=True):
            J = np.concatenate([-H, np.eye(6)], axis=1)
            N += J.T @ np.linalg.solve(noise, J)
            b += J.T @ np.linalg.solve(noise, mean - H @ found)
        P = np.asarray(np.linalg.inv(N))
        found = (P @ b)[:n]
    after = [_moved(run.direction, cameras, found, mean) for run, mean in zip(runs, z, strict=True)]
    gauge, cross = (np.array([[w @ x, w @ y] for x, y in zip(z, after, strict=True)]) for w in (_GAUGE, _CROSS))
    return Mounted(tuple(cameras), found.reshape(-1, 3), P[:n, :n], gauge, cross)


def mean_covariance(values: Array, *, step: float) -> Array:
    """(k, k) covariance of the mean of values (points, k), by means over BATCH."""
    length = max(round(BATCH / step), 1)
    count = len(values) // length
    batches = np.array([np.nanmean(values[i * length : (i + 1) * length], axis=0) for i in range(count)])
    return np.atleast_2d(np.cov(batches, rowvar=False)) / count


_GAUGE = np.array([1.0, 0, 0, -1, 0, 0])
_CROSS = np.array([0.0, 1, 0, 0, -1, 0])


def _effects(direction: Direction, cameras: Sequence[Camera]) -> Array:
    """(6, 3 cameras) by which corrections move the rails, by increasing kilometre."""
    sign = 1.0 if direction is Direction.INCREASING else -1.0
    turn = np.diag([sign, 1.0, sign])
    H = np.zeros((6, 3 * len(cameras)))
    for rail in range(2):  # of the line
        side = rail if sign > 0 else 1 - rail  # of the vehicle
        which = min(side, len(cameras) - 1)  # one camera may see both rails
        a, b = cameras[which].arms[side]
        moved = np.array([[-b, 1.0, 0.0], [a, 0.0, 1.0], [1.0, 0.0, 0.0]])
        H[3 * rail : 3 * rail + 3, 3 * which : 3 * which + 3] = turn @ moved
    return H


def _moved(direction: Direction, cameras: Sequence[Camera], corrections: Array, mean: Array) -> Array:
    """(6,) means of the rails with corrections (3 cameras,) put in: what _effects has to first order, exactly."""
    sign = 1.0 if direction is Direction.INCREASING else -1.0
    out = mean.copy()
    for rail in range(2):
        side = rail if sign > 0 else 1 - rail
        which = min(side, len(cameras) - 1)
        rho, y, z = corrections[3 * which : 3 * which + 3]
        arm, before = cameras[which].arms[side], cameras[which].values[0]
        y_line, z_line, head = mean[3 * rail : 3 * rail + 3]
        seen = _turn(-before) @ (arm + np.array([sign * y_line, z_line]))
        moved = _turn(before + rho) @ (seen + np.array([y, z])) - arm
        out[3 * rail : 3 * rail + 3] = sign * moved[0], moved[1], head + sign * rho
    return out


def _turn(roll: float) -> Array:
    return np.array([[np.cos(roll), -np.sin(roll)], [np.sin(roll), np.cos(roll)]])


def _believed(cameras: int, reference: Reference, config: MountingConfig) -> tuple[Array, Array]:
    """N and b of corrections and the six places of the rails, before any run."""
    n = 3 * cameras
    N, b = np.zeros((n + 6, n + 6)), np.zeros(n + 6)
    N[:n, :n] = np.diag(1 / np.square([config.sd_roll, config.sd_y, config.sd_z] * cameras))
    for H, value, sd in _rails_known(reference, config):
        N[n:, n:] += np.outer(H, H) / sd**2
        b[n:] += H * value / sd**2
    return N, b


def _body(config: MountingConfig) -> Array:
    """(6, 6) covariance of the means of a run by roll and place of the body, and by what fits of heads share."""
    roll = np.array([0.0, HALF_BASE, 1.0, 0.0, -HALF_BASE, 1.0]) * config.sd_body_roll
    y = np.array([1.0, 0, 0, 1, 0, 0]) * config.sd_body_place
    z = np.array([0.0, 1, 0, 0, 1, 0]) * config.sd_body_place
    fit = np.diag(np.square([config.sd_fit, config.sd_fit, config.sd_fit_roll] * 2))
    return np.asarray(np.outer(roll, roll) + np.outer(y, y) + np.outer(z, z) + fit)


def _noise(runs: Sequence[StraightRun]) -> list[Array]:
    """(6, 6) covariance of the means of each run; two runs have the track in common, so their difference tells."""
    if len(runs) == 1:
        return [mean_covariance(runs[0].rails, step=_step(runs[0]))]
    _, first, second = np.intersect1d(np.round(runs[0].s, 3), np.round(runs[1].s, 3), return_indices=True)
    off = runs[0].rails[first] - runs[1].rails[second]
    return [mean_covariance(off, step=_step(runs[0])) / 2] * 2


def _rails_known(reference: Reference, config: MountingConfig) -> list[tuple[Array, float, float]]:
    """What is known of the rails: combination, value and sd."""
    gauge = (0.0, config.sd_gauge) if reference.gauge is None else (reference.gauge, reference.sd_gauge)
    level = (
        (0.0, config.sd_cross_level)
        if reference.cross_level is None
        else (reference.cross_level, reference.sd_cross_level)
    )
    heads = [(np.eye(6)[k], 0.0, config.sd_head) for k in (2, 5)]
    middle = [(np.array([1.0, 0, 0, 1, 0, 0]) / 2, 0.0, config.sd_line)]
    middle.append((np.array([0.0, 1, 0, 0, 1, 0]) / 2, 0.0, config.sd_line))
    return [(_GAUGE, *gauge), (_CROSS, *level), *heads, *middle]


def _enough(runs: Sequence[StraightRun], reference: Reference, config: MountingConfig) -> None:
    if len(runs) == 2 and runs[0].direction is runs[1].direction:
        raise CalibrationError(f"both runs go towards {runs[0].direction.value} kilometres: one must come back")
    if len(runs) == 1 and reference.gauge is None and reference.cross_level is None:
        raise CalibrationError(
            "one run alone says nothing of its cameras: give gauge or cross level as measured by hand, or a run back"
        )
    for run in runs:
        length = run.s.size * _step(run) if run.s.size > 1 else 0.0
        if length < config.shortest:
            raise CalibrationError(
                f"the stretch has {length:.0f} m of rails, at least {config.shortest:g} m are needed"
            )
        unseen = 1 - float(np.isfinite(run.rails).all(axis=1).mean())
        if unseen > config.unseen:
            raise CalibrationError(
                f"on {100 * unseen:.0f} % of the stretch a rail was not seen, at most {100 * config.unseen:g} % may be"
            )


def _step(run: StraightRun) -> float:
    return float(np.median(np.abs(np.diff(run.s))))
