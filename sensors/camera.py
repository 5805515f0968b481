"""What the configuration says about one laser camera."""

from typing import Literal

from pydantic import Field, model_validator

from twin.core.settings import Settings
from twin.core.vehicle import Mounting
from twin.geometry.laser import LaserPlaneCalibration, StripSettings

SourceKind = Literal["folder", "watched", "video", "device", "aravis"]
RAILS = ("left", "right")


class CameraDevice(Settings):
    """One laser camera over one rail: where its images come from, where it sits, how it is calibrated."""

    name: str = Field(
        pattern=r"^[a-z][a-z0-9_]{0,31}$",
        description="name in recordings and reports: lower-case letters, digits, _; 32 at most",
    )
    rail: Literal["left", "right"] = Field(description="the rail it sees, in running direction")
    source: SourceKind = Field(
        "device",
        description="what its images come from: a folder or video played at its own pace, a watched folder into which "
        "others write images and an index, a video device (UVC), an Aravis camera",
    )
    path: str = Field(
        "", description="the folder, video or device, such as /dev/video0; of Aravis the camera's name, or the first"
    )
    rate: float = Field(100.0, ge=1, le=2000, description="images per second [Hz], where the source does not say it")
    delay: float = Field(
        0.0, ge=0, le=1, description="from the middle of the exposure to the arrival of an image [s]; 1 ms is 2 cm at "
        "20 m/s"
    )  # fmt: skip
    mounting: Mounting = Field(Mounting(), description="origin of the sensor axes its calibration counts from")
    roll: float = Field(0.0, ge=-0.2, le=0.2, description="of its axes against those of the inertial sensor [rad]")
    y: float = Field(0.0, ge=-0.1, le=0.1, description="added to the lateral places it finds [m]")
    z: float = Field(0.0, ge=-0.1, le=0.1, description="added to the heights it finds [m]")
    file: str | None = Field(
        None,
        description="calibration by `railtwin calibrate camera`, beside this file; the effective configuration holds "
        "its content as 'plane' instead",
    )
    origin: str = Field("nominal", description="where the calibration comes from; filled in from its file")
    plane: LaserPlaneCalibration | None = Field(None, description="lens and laser plane")
    strip: StripSettings = Field(StripSettings(), description="what is recorded of its images")

    @model_validator(mode="after")
    def _is_calibrated(self) -> "CameraDevice":
        if self.file is None and self.plane is None:
            raise ValueError(
                f"camera '{self.name}' has no calibration: name a 'file' written by railtwin calibrate camera, or give "
                "its content as [camera.plane]"
            )
        if self.file is not None and self.plane is not None:
            raise ValueError(f"camera '{self.name}': give either 'file' or [camera.plane], not both")
        return self

    @property
    def rail_number(self) -> int:
        """0 the left one, 1 the right one, in running direction."""
        return RAILS.index(self.rail)

    @property
    def calibration(self) -> LaserPlaneCalibration:
        """Its lens and laser plane, once its file has been read."""
        if self.plane is None:
            raise TypeError(f"the calibration of camera '{self.name}' has not been read from {self.file}")
        return self.plane

    @property
    def plays(self) -> bool:
        """Whether its images have times of their own, which begin when it is started."""
        return self.source in ("folder", "video")
