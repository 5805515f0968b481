"""Accelerometers on the axle boxes."""

from pydantic import Field

from sensors.block import BlockCalibration


class AxleBoxCalibration(BlockCalibration):
    """Acceleration [m/s^2] of each channel. The nominal sensor: one vertical channel per side, +-100 g."""

    scale: tuple[float, ...] = Field(
        (0.03, 0.03), min_length=1, max_length=255, description="acceleration per count of each channel [m/s^2]"
    )
