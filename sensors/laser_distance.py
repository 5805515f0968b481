"""Distance lasers on a bracket that does not rotate."""

from pydantic import Field

from sensors.block import BlockCalibration


class LaserDistanceCalibration(BlockCalibration):
    """Distance [m] of each channel. The nominal set: three lasers, +-16 mm around 100 mm."""

    scale: tuple[float, ...] = Field(
        (5e-7,) * 3, min_length=1, max_length=255, description="distance per count of each channel [m]"
    )
    offset: tuple[float, ...] = Field((0.1,) * 3, description="distance at zero counts of each channel [m]")
