"""Cross-sections of a rail, measured point by point."""

from collections.abc import Sequence

import numpy as np
from pydantic import Field

from firmware_interface import Packet, PacketKind, ProfilePoints, unpack
from sensors.payload import CalibrationRecord, Decoded
from twin.core.quality import Quality

_METRE_PER_UM = 1e-6


class ProfileCalibration(CalibrationRecord):
    """How much of a cross-section is kept, and where its points can lie. The wire is in micrometres already."""

    points: int = Field(256, ge=1, le=507, description="most points of a cross-section, 1 to 507 by the wire")
    reach: float = Field(0.5, gt=0, le=10, description="greatest |y| and |z| of a point from the sensor [m]")
    roll: float = Field(0.0, ge=-0.2, le=0.2, description="of its axes against those of the inertial sensor [rad]")
    y: float = Field(0.0, ge=-0.1, le=0.1, description="added to the lateral places of its points [m]")
    z: float = Field(0.0, ge=-0.1, le=0.1, description="added to the heights of its points [m]")


class ProfileDecoder:
    """Packets to one row each: rail (0 left, 1 right), then y and z of every point [m].

    Rows have room for the configured points; what a cross-section does not fill is NaN. One without points, or
    with a point out of reach, is flagged IMPLAUSIBLE. Remembers nothing.
    """

    def __init__(self, calibration: ProfileCalibration) -> None:
        self._points = calibration.points
        self._reach = calibration.reach

    @property
    def channels(self) -> int:
        """Columns of the values."""
        return 1 + 2 * self._points

    def fits(self, packet: Packet) -> bool:
        """Whether there is room for the points of the packet."""
        return packet.kind is PacketKind.PROFILE and self._section(packet).points <= self._points

    def decode(self, packets: Sequence[Packet]) -> Decoded:
        """One row per packet."""
        values = np.full((len(packets), self.channels), np.nan)
        quality = np.zeros(len(packets), dtype=np.uint8)
        for i, packet in enumerate(packets):
            section = self._section(packet)
            yz = section.yz_um.astype(np.float64) * _METRE_PER_UM
            values[i, 0] = section.rail
            values[i, 1 : 1 + yz.size] = yz.ravel()
            if yz.size == 0 or np.abs(yz).max() > self._reach:
                quality[i] = Quality.IMPLAUSIBLE
        return Decoded(np.array([packet.ticks for packet in packets], dtype=np.int64), values, quality)

    @staticmethod
    def _section(packet: Packet) -> ProfilePoints:
        section = unpack(packet)
        if not isinstance(section, ProfilePoints):
            raise TypeError(f"{packet.kind.name} is no cross-section")
        return section
