"""The inertial sensor: counts to specific force, angular rate and temperature."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from firmware_interface import Packet, PacketKind, payload_dtype
from sensors.payload import CalibrationRecord, Decoded
from sensors.plausibility import Limits
from twin.core.arrays import Array, BoolArray
from twin.core.quality import Quality
from twin.numerics.compiled import compiled

Vector3 = tuple[float, float, float]
Matrix3 = tuple[Vector3, Vector3, Vector3]
Deviation3 = tuple[Annotated[float, Field(ge=0)], Annotated[float, Field(ge=0)], Annotated[float, Field(ge=0)]]

IDENTITY: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ZERO_CELSIUS = 273.15
"""[K]"""
TEMPERATURE_LSB = 0.01
"""[K per count], fixed by the wire."""

LIMITS = Limits(
    low=(-60.0, -60.0, -60.0, -3.0, -3.0, -3.0, 220.0),
    high=(60.0, 60.0, 60.0, 3.0, 3.0, 3.0, 380.0),
    stuck_after=0.25,
    stuck_channels=6,
)
"""No vehicle body reaches 6 g or 3 rad/s on its wheels; electronics live between -53 and 107 degrees Celsius."""


class ImuCalibration(CalibrationRecord):
    """Counts to SI in body axes: a_b = accel_matrix @ (counts * accel_lsb - accel_bias), w_b likewise."""

    accel_lsb: float = Field(1e-5, gt=0, le=0.1, description="specific force per count [m/s^2]")
    gyro_lsb: float = Field(1e-7, gt=0, le=0.01, description="angular rate per count [rad/s]")
    accel_range: float = Field(156.9, gt=0, le=5000, description="saturation of the accelerometers [m/s^2]; 16 g")
    gyro_range: float = Field(8.73, gt=0, le=100, description="saturation of the gyroscopes [rad/s]; 500 deg/s")
    accel_bias: Vector3 = Field((0.0, 0.0, 0.0), description="reading at zero specific force [m/s^2]")
    gyro_bias: Vector3 = Field((0.0, 0.0, 0.0), description="reading at zero angular rate [rad/s]")
    accel_matrix: Matrix3 = Field(IDENTITY, description="scale, misalignment and mounting rotation, row by row")
    gyro_matrix: Matrix3 = Field(IDENTITY, description="the same for the gyroscopes")
    sd_accel_bias: Deviation3 = Field((0.05, 0.05, 0.05), description="of accel_bias [m/s^2]; consumer grade")
    sd_gyro_bias: Deviation3 = Field((0.005, 0.005, 0.005), description="of gyro_bias [rad/s]; consumer grade")

    @model_validator(mode="after")
    def _usable(self) -> "ImuCalibration":
        for name in ("accel", "gyro"):
            det = float(np.linalg.det(np.array(getattr(self, f"{name}_matrix"))))
            if not 0.5 <= det <= 2.0:
                raise ValueError(f"{name}_matrix must be near a rotation: determinant 0.5 to 2, got {det:.3g}")
            counts = getattr(self, f"{name}_range") / getattr(self, f"{name}_lsb")
            if counts > np.iinfo(np.int32).max:
                raise ValueError(f"{name}_range is {counts:.3g} counts of {name}_lsb: the wire carries 31 bits")
        return self


class ImuDecoder:
    """Packets to (samples, 7): a_x a_y a_z [m/s^2], w_x w_y w_z [rad/s], temperature [K]. Remembers nothing."""

    channels = 7

    def __init__(self, calibration: ImuCalibration) -> None:
        self._dtype = payload_dtype(PacketKind.IMU)
        self._end = np.full(7, np.inf)  # the temperature has no end
        self._end[:3] = np.floor(calibration.accel_range / calibration.accel_lsb)
        self._end[3:6] = np.floor(calibration.gyro_range / calibration.gyro_lsb)
        self._gain, self._offset = _affine(calibration)

    def fits(self, packet: Packet) -> bool:
        """Always: the deframer has checked the length."""
        return packet.kind is PacketKind.IMU

    def decode(self, packets: Sequence[Packet]) -> Decoded:
        """Samples of one or more packets."""
        fields = np.frombuffer(b"".join([packet.payload for packet in packets]), self._dtype)
        counts = np.empty((fields.size, 7))
        counts[:, :3] = fields["accel"]
        counts[:, 3:6] = fields["gyro"]
        counts[:, 6] = fields["temperature"]
        values, saturated = _calibrate(counts, self._gain, self._offset, self._end)
        ticks = np.array([packet.ticks for packet in packets], dtype=np.int64)
        return Decoded(ticks, values, saturated * np.uint8(Quality.SATURATED))


def _affine(calibration: ImuCalibration) -> tuple[Array, Array]:
    """Gain (7, 7) and offset (7,) of values = gain @ counts + offset."""
    gain, offset = np.zeros((7, 7)), np.zeros(7)
    accel_matrix, gyro_matrix = np.array(calibration.accel_matrix), np.array(calibration.gyro_matrix)
    gain[:3, :3] = accel_matrix * calibration.accel_lsb
    gain[3:6, 3:6] = gyro_matrix * calibration.gyro_lsb
    gain[6, 6] = TEMPERATURE_LSB
    offset[:3] = -accel_matrix @ np.array(calibration.accel_bias)
    offset[3:6] = -gyro_matrix @ np.array(calibration.gyro_bias)
    offset[6] = ZERO_CELSIUS
    return gain, offset


@compiled
def _calibrate(counts: Array, gain: Array, offset: Array, end: Array) -> tuple[Array, BoolArray]:
    """gain @ counts + offset and whether a count reaches its end, for each row.

    Written out because a library product chooses the order of its sums by the number of rows: the last bit would
    depend on how the stream was cut.
    """
    samples, channels = counts.shape
    values = np.empty((samples, channels))
    saturated = np.zeros(samples, dtype=np.bool_)
    for i in range(samples):
        for row in range(channels):
            value = offset[row]
            for column in range(channels):
                value += gain[row, column] * counts[i, column]
            values[i, row] = value
            saturated[i] |= abs(counts[i, row]) >= end[row]
    return values, saturated
