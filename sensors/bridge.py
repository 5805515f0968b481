"""Strain bridges on an instrumented wheelset."""

from pydantic import Field

from sensors.block import BlockCalibration


class BridgeCalibration(BlockCalibration):
    """Strain [1] of each channel. The nominal set: eight bridges, +-3277 microstrain."""

    scale: tuple[float, ...] = Field(
        (1e-7,) * 8, min_length=1, max_length=255, description="strain per count of each channel [1]"
    )
