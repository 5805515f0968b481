"""Static calibration: what an inertial sensor shows while the vehicle stands on known track.

The gyro shows its bias. The accelerometer shows gravity, turned by cant and gradient of the track, and its own bias:

    f_b = g (-sin(theta_t), cos(theta_t) sin(phi_t), cos(theta_t) cos(phi_t)) + bias

A tilted mounting and a bias look the same in one attitude; here the difference is called bias, since that is what the
decoder takes off, and to first order they act the same. The design does not know how the track lies to the last
milliradian, nor how the body leans on its springs. So the difference is believed against what is already known of the
bias, each by its variance: an accelerometer with a bias of 0.5 mg by its data sheet is better than the track it stands
on, one with 5 mg is not.
"""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from calibration.rest import Rest, RestConfig, longest_rest
from calibration.store import Calibration, DevicePart, Origin, rounded
from sensors.imu import ImuCalibration, Vector3
from twin.core.arrays import Array
from twin.core.blocks import Epoch
from twin.core.errors import CalibrationError
from twin.navigation.chain import Setup
from twin.navigation.inputs import EARTH_RATE

TAUS = (0.1, 0.2, 0.4)
"""Averaging times of the Allan deviation [s]: beyond the sensor's filter and quantisation, before its bias wanders."""
BATCH = 1.0
"""Means over so long are taken as independent [s]: their scatter holds what white noise alone would leave out."""


class StaticConfig(RestConfig):
    """What a static calibration believes."""

    sd_roll: float = Field(
        1e-3, gt=0, lt=0.1, description="of the standing body against the design cant [rad]: cross level, springs"
    )
    sd_pitch: float = Field(
        4e-4, gt=0, lt=0.1, description="of the standing body against the design gradient [rad]: level, springs"
    )
    largest_accel: float = Field(0.7, gt=0, lt=5, description="bias beyond which something else is wrong [m/s^2]")
    largest_gyro: float = Field(0.05, gt=0, lt=1, description="the same for the gyroscopes [rad/s]")


@dataclass(frozen=True, slots=True)
class Static:
    """What a rest shows. All (3,), in the axes of the body."""

    rest: Rest
    accel_bias: Array
    """As the decoder takes it off [m/s^2], and likewise the gyro's."""
    sd_accel_bias: Array
    gyro_bias: Array
    """[rad/s]"""
    sd_gyro_bias: Array
    accel_noise: Array
    """One-sided density [m/s^2/sqrt(Hz)]."""
    gyro_noise: Array
    """One-sided density [rad/s/sqrt(Hz)]."""

    def calibration(self, *, device: str, date: datetime.date, source: str) -> Calibration:
        """As a file: biases of the device, noise for the navigation."""
        origin = f"rest of {self.rest.duration:.0f} s at {self.rest.temperature:.1f} K in {source}"
        imu = {
            "date": date.isoformat(),
            "source": origin,
            "accel_bias": rounded(self.accel_bias),
            "gyro_bias": rounded(self.gyro_bias),
            "sd_accel_bias": rounded(self.sd_accel_bias),
            "sd_gyro_bias": rounded(self.sd_gyro_bias),
        }
        accel, gyro = rounded(np.sqrt([np.mean(noise**2) for noise in (self.accel_noise, self.gyro_noise)]))
        # An Allan variance of n differences is good to sqrt(3 / n) of itself, its root to half; there are three axes.
        relative = 0.5 / np.sqrt(self.rest.duration / TAUS[-1])
        return Calibration(
            calibration=Origin(
                kind="static",
                date=date,
                source=source,
                uncertainty=dict(
                    zip(
                        ("navigation.accel_noise", "navigation.gyro_noise"),
                        rounded(relative * np.array([accel, gyro])),
                        strict=True,
                    )
                ),
            ),
            navigation={"accel_noise": accel, "gyro_noise": gyro},
            device=(DevicePart(name=device, imu=imu),),
        )


def calibrate_static(
    setup: Setup, epochs: Iterable[Epoch], *, current: ImuCalibration, config: StaticConfig | None = None
) -> Static:
    """Calibrate on the longest rest, or raise CalibrationError with the reason why not.

    current: calibration the epochs were decoded with; what is found comes on top of it.
    """
    config = config or StaticConfig()
    rest = longest_rest(setup, epochs, config)
    accel, var_accel = _mean(rest.a, rest.dt)
    gyro, var_gyro = _mean(rest.w, rest.dt)
    pose = setup.design.pose(np.array([rest.s]))
    expected = gravity_in_body(gravity=setup.config.gravity, roll=float(pose.roll[0]), pitch=float(pose.pitch[0]))
    _plausible(accel - expected, gyro, config)
    tilt = setup.config.gravity * np.array([config.sd_pitch, config.sd_roll, 0.0])
    shown = _uncalibrated(accel - expected, current.accel_matrix)
    believed, var_believed = _combined(shown, var_accel + tilt**2, np.square(current.sd_accel_bias))
    return Static(
        rest=rest,
        accel_bias=np.array(current.accel_bias) + believed,
        sd_accel_bias=np.sqrt(var_believed),
        gyro_bias=np.array(current.gyro_bias) + _uncalibrated(gyro, current.gyro_matrix),
        sd_gyro_bias=np.sqrt(var_gyro + _earth(setup) ** 2),
        accel_noise=noise_density(rest.a, dt=rest.dt),
        gyro_noise=noise_density(rest.w, dt=rest.dt),
    )


def gravity_in_body(*, gravity: float, roll: float, pitch: float) -> Array:
    """(3,) specific force at rest [m/s^2]; roll, pitch: absolute [rad]."""
    return gravity * np.array([-np.sin(pitch), np.cos(pitch) * np.sin(roll), np.cos(pitch) * np.cos(roll)])


def noise_density(values: Array, *, dt: float) -> Array:
    """(channels,) one-sided density of the white floor [unit/sqrt(Hz)] of values (samples, channels).

    White noise of density D has the Allan variance D^2 / (2 tau).
    """
    squares = []
    for tau in TAUS:
        means = _batches(values, round(tau / dt))
        squares.append(2 * tau * np.nanmean(np.diff(means, axis=0) ** 2, axis=0) / 2)
    return np.asarray(np.sqrt(np.mean(squares, axis=0)))


def _mean(values: Array, dt: float) -> tuple[Array, Array]:
    """Mean over the samples and its variance, by the scatter of shorter means."""
    means = _batches(values, round(BATCH / dt))
    return np.nanmean(values, axis=0), np.nanvar(means, axis=0, ddof=1) / len(means)


def _batches(values: Array, length: int) -> Array:
    """(batches, channels) means of so many consecutive samples; NaN where none is usable."""
    count = len(values) // length
    cut = values[: count * length].reshape(count, length, -1)
    known = np.isfinite(cut)
    number = known.sum(axis=1)
    total = np.where(known, cut, 0.0).sum(axis=1)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


def _combined(shown: Array, var_shown: Array, var_known: Array) -> tuple[Array, Array]:
    """What is shown and what was known to be zero, each by its variance."""
    share = var_known / np.maximum(var_known + var_shown, np.finfo(float).tiny)
    return share * shown, share * var_shown


def _uncalibrated(difference: Array, matrix: tuple[Vector3, Vector3, Vector3]) -> Array:
    """A difference in body axes as one of the sensor's own readings, where biases are taken off."""
    return np.linalg.solve(np.array(matrix), difference)


def _earth(setup: Setup) -> Array:
    """(3,) sd of the earth's rate that a line of unknown heading leaves in the gyros [rad/s]."""
    level = 0.0 if setup.latitude is None else EARTH_RATE * np.cos(setup.latitude) / np.sqrt(2)
    return np.array([level, level, 0.0])


def _plausible(accel: Array, gyro: Array, config: StaticConfig) -> None:
    for what, found, most, unit in (
        ("accelerometer", accel, config.largest_accel, "m/s^2"),
        ("gyro", gyro, config.largest_gyro, "rad/s"),
    ):
        worst = int(np.argmax(np.abs(found)))
        if abs(found[worst]) > most:
            raise CalibrationError(
                f"the {what}'s {'xyz'[worst]} axis is off by {found[worst]:.3g} {unit}, more than the {most:g} {unit} "
                "a bias can be: check scale and mounting (accel_matrix, gyro_matrix), and run.start_s"
            )
