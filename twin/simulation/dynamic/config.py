"""What a dynamic simulation adds to a scenario: the nonlinear vehicle, and which of its sensors are fitted."""

from typing import Self

import numpy as np
from pydantic import Field, model_validator

from twin.core.arrays import Array, BoolArray
from twin.core.settings import Settings
from twin.core.vehicle import Mounting
from twin.simulation.rail_head import CameraConfig, RailSectionConfig, ScannerConfig
from twin.simulation.short_wave import ShortWaveConfig
from twin.simulation.wheel_sensors import AxleBoxConfig, BridgeConfig, DistanceLaserConfig
from twin.vehicle.running import RunSettings


class WheelSensorConfig(Settings):
    """Sensors on the axle boxes and wheels of the leading bogie, and the short waves they feel."""

    short_waves: ShortWaveConfig = Field(
        ShortWaveConfig(), description="roughness, corrugation, joints; wheels and radius are the vehicle's"
    )
    axle_boxes: AxleBoxConfig = Field(AxleBoxConfig(), description="accelerometers on four axle boxes")
    bridges: BridgeConfig = Field(BridgeConfig(), description="strain bridges on two wheels")
    lasers: DistanceLaserConfig = Field(DistanceLaserConfig(), description="distance lasers at two wheels")


class ImagingConfig(Settings):
    """Cameras over both rail heads and the part of the run they take images of: a kilometre of them is gigabytes."""

    camera: CameraConfig = Field(CameraConfig(), description="each of the two cameras; rate counts images per second")
    mounting: Mounting = Field(
        Mounting(x=0.3, y=0.0, z=0.45), description="origin of their axes, from below the middle of the measuring body"
    )
    from_s: float | None = Field(None, description="images from this arc length on, in running direction [m]")
    to_s: float | None = Field(None, description="images before this arc length [m]")
    from_t: float | None = Field(None, ge=0, description="images from this time of the run on [s]")
    to_t: float | None = Field(None, gt=0, description="images before this time of the run [s]")

    @model_validator(mode="after")
    def _has_an_extent(self) -> Self:
        for low, high in (("from_s", "to_s"), ("from_t", "to_t")):
            first, last = getattr(self, low), getattr(self, high)
            if first is not None and last is not None and not first < last:
                raise ValueError(f"{low} = {first:g} must lie below {high} = {last:g}")
        return self

    def taken(self, t: Array, s: Array) -> BoolArray:
        """(samples,) whether images are taken at times t [s] and arc lengths s [m]."""
        wanted = np.ones(t.size, dtype=np.bool_)
        for values, first, last in ((t, self.from_t, self.to_t), (s, self.from_s, self.to_s)):
            wanted &= (first is None or values >= first) & (last is None or values < last)
        return wanted


class Dynamics(Settings):
    """The vehicle as a nonlinear multibody system with wheel-rail contact in the loop."""

    vehicle: str = Field("manchester", description="name in the library of vehicles, or a .toml file")
    run: RunSettings = Field(
        RunSettings(), description="contact, step and what the wheels run on; speed runs take contact = 'knife'"
    )
    measuring_body: str = Field("front bogie", description="body that carries the measuring beam with the first IMU")
    second_body: str = Field("carbody", description="body that carries the second IMU")
    second_mounting: Mounting = Field(
        Mounting(x=6.0, y=0.0, z=1.2), description="of the second IMU, from below the middle of its body"
    )
    settle: float = Field(
        6.0, ge=0, le=60, description="rest before the run, in which the vehicle settles on its rails; not recorded [s]"
    )
    second_imu: bool = Field(True, description="whether the second IMU is fitted")
    scanners: ScannerConfig | None = Field(
        ScannerConfig(), description="laser scanners of both rail heads on the measuring body; none: not fitted"
    )
    scanner_mounting: Mounting = Field(
        Mounting(x=0.3, y=0.0, z=0.45), description="origin of their points, from below the middle of the body"
    )
    scanner_rate: float = Field(100.0, ge=1, le=2000, description="sections of each rail per second [Hz]")
    cameras: ImagingConfig | None = Field(
        None, description="cameras over both rail heads, whose images are rendered into the folder; none: not fitted"
    )
    wheels: WheelSensorConfig | None = Field(
        WheelSensorConfig(), description="sensors on axle boxes and wheels; none: not fitted"
    )
    rail_head: RailSectionConfig = Field(
        RailSectionConfig(), description="the rail heads the scanners see, with their wear"
    )
