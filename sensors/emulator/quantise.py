"""SI values to the counts and payloads of the wire: rounded, clipped and wrapped as the devices do it."""

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from firmware_interface import (
    MAX_PAYLOAD,
    AxleBoxBlock,
    BridgeBlock,
    LaserDistanceBlock,
    PacketKind,
    ProfilePoints,
    pack,
    payload_dtype,
)
from sensors.block import COUNT_END, BlockCalibration
from sensors.config import DeviceConfig
from sensors.encoder import EncoderCalibration
from sensors.imu import TEMPERATURE_LSB, ZERO_CELSIUS, ImuCalibration
from sensors.profile import ProfileCalibration
from twin.core.arrays import Array, IntArray

BLOCK_SECONDS = 0.02
"""Length of a block: a fair share of the latency a live display can have."""
METRE_PER_UM = 1e-6
_BLOCKS = {block.kind: block for block in (AxleBoxBlock, BridgeBlock, LaserDistanceBlock)}


class Quantiser(Protocol):
    """Samples of one kind to payloads."""

    @property
    def samples_per_packet(self) -> int: ...

    def payloads(self, t_ns: IntArray, values: Array) -> list[bytes]:
        """One payload per begun group of samples_per_packet samples (samples, channels) taken at t_ns."""
        ...


class ImuQuantiser:
    """Nominal scale only: bias, scale error and misalignment are what the calibration is about to remove."""

    samples_per_packet = 1

    def __init__(self, calibration: ImuCalibration) -> None:
        self._calibration = calibration

    def payloads(self, t_ns: IntArray, values: Array) -> list[bytes]:
        """values: (samples, 7) specific force [m/s^2], angular rate [rad/s], temperature [K]."""
        c = self._calibration
        rows = np.zeros(values.shape[0], payload_dtype(PacketKind.IMU))
        rows["accel"] = _counts(values[:, :3], c.accel_lsb, math.floor(c.accel_range / c.accel_lsb))
        rows["gyro"] = _counts(values[:, 3:6], c.gyro_lsb, math.floor(c.gyro_range / c.gyro_lsb))
        rows["temperature"] = _counts(values[:, 6] - ZERO_CELSIUS, TEMPERATURE_LSB, np.iinfo(np.int16).max)
        return _rows(rows)


class EncoderQuantiser:
    """A count per line passed; the 32-bit register wraps."""

    samples_per_packet = 1

    def __init__(self, calibration: EncoderCalibration) -> None:
        self._counts_per_radian = calibration.direction * calibration.counts_per_turn / (2 * math.pi)

    def payloads(self, t_ns: IntArray, values: Array) -> list[bytes]:
        """values: (samples, 1) angle of the wheel [rad]."""
        # a simulated angle is whole counts already: rounding, not flooring, gives these back
        counts = np.rint(values[:, 0] * self._counts_per_radian).astype(np.int64)
        rows = np.zeros(values.shape[0], payload_dtype(PacketKind.ENCODER))
        rows["count"] = counts.astype(np.uint32).view(np.int32)
        return _rows(rows)


class BlockQuantiser:
    """Groups of equally spaced samples; the group that ends the stream may be shorter."""

    def __init__(self, kind: PacketKind, calibration: BlockCalibration, *, rate: float) -> None:
        """rate: of sampling [Hz]."""
        channels = len(calibration.scale)
        room = (MAX_PAYLOAD - payload_dtype(kind).itemsize) // (2 * channels)
        self.samples_per_packet = max(1, min(room, round(BLOCK_SECONDS * rate)))
        self._message = _BLOCKS[kind]
        self._period_ns = round(1e9 / rate)
        self._scale = np.array(calibration.scale)
        self._offset = np.array(calibration.offset or (0.0,) * channels)

    def payloads(self, t_ns: IntArray, values: Array) -> list[bytes]:
        """values: (samples, channels) in the unit of the calibration."""
        counts = _counts(values - self._offset, self._scale, COUNT_END).astype(np.int16)
        return [
            pack(self._message.of(period_ns=self._period_ns, counts=counts[i : i + self.samples_per_packet]))
            for i in range(0, counts.shape[0], self.samples_per_packet)
        ]


class ProfileQuantiser:
    """One cross-section per packet; points that are not numbers were not seen and do not travel."""

    samples_per_packet = 1

    def payloads(self, t_ns: IntArray, values: Array) -> list[bytes]:
        """values: (samples, 1 + 2 * points) rail (0 left, 1 right), then y and z of every point [m]."""
        return [self._payload(int(row[0]), row[1:].reshape(-1, 2)) for row in values]

    @staticmethod
    def _payload(rail: int, yz: Array) -> bytes:
        seen = yz[np.isfinite(yz).all(axis=1)]
        yz_um = _counts(seen, METRE_PER_UM, np.iinfo(np.int32).max).astype(np.int32)
        return pack(ProfilePoints.of(rail=rail, yz_um=yz_um))


def quantiser_of(device: DeviceConfig) -> Quantiser:
    """The quantiser of a device."""
    match device.calibration:
        case ImuCalibration() as calibration:
            return ImuQuantiser(calibration)
        case EncoderCalibration() as calibration:
            return EncoderQuantiser(calibration)
        case ProfileCalibration():
            return ProfileQuantiser()
        case calibration:
            return BlockQuantiser(device.packet_kind, calibration, rate=device.rate)


def _counts(values: Array, lsb: float | Array, end: int) -> IntArray:
    """Counts within +-end; what is not a number reads as a sensor at its end."""
    return np.asarray(np.clip(np.nan_to_num(np.rint(values / lsb), nan=end), -end, end), dtype=np.int64)


def _rows(rows: NDArray[Any]) -> list[bytes]:
    data, size = rows.tobytes(), rows.dtype.itemsize
    return [data[i : i + size] for i in range(0, len(data), size)]
