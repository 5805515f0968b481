"""What the configuration says about one device."""

from typing import Any, Literal, NamedTuple

from pydantic import Field, model_validator

from firmware_interface import PacketKind
from sensors import imu
from sensors.axle_box import AxleBoxCalibration
from sensors.block import BlockCalibration
from sensors.bridge import BridgeCalibration
from sensors.clock import ClockConfig
from sensors.encoder import EncoderCalibration
from sensors.imu import ImuCalibration
from sensors.laser_distance import LaserDistanceCalibration
from sensors.plausibility import Limits
from sensors.profile import ProfileCalibration
from twin.core.settings import Settings
from twin.core.vehicle import Mounting

DeviceKind = Literal["imu", "encoder", "axle_box", "bridge", "laser_distance", "profile"]
Calibration = (
    ImuCalibration
    | EncoderCalibration
    | AxleBoxCalibration
    | BridgeCalibration
    | LaserDistanceCalibration
    | ProfileCalibration
)


class _Rate(NamedTuple):
    """Sampling rates a kind can have [Hz]."""

    least: float
    usual: float
    most: float


_RATES: dict[str, _Rate] = {
    "imu": _Rate(10, 500, 4_000),
    "encoder": _Rate(10, 200, 10_000),
    "axle_box": _Rate(100, 25_600, 100_000),
    "bridge": _Rate(10, 1_000, 20_000),
    "laser_distance": _Rate(10, 1_000, 20_000),
    "profile": _Rate(1, 100, 2_000),
}


class DeviceConfig(Settings):
    """One device: where it is plugged in, where it sits, how it counts, what it can give."""

    name: str = Field(
        pattern=r"^[a-z][a-z0-9_]{0,31}$",
        description="name in recordings and reports: lower-case letters, digits, _; 32 at most",
    )
    kind: DeviceKind = Field(description="what it measures")
    port: str = Field("", description="serial port, by a name that stays, such as /dev/serial/by-id/...")
    baud: int = Field(921_600, ge=9_600, le=12_000_000, description="speed of the line [bit/s]; a pty ignores it")
    rate: float = Field(0.0, ge=0, description="sampling rate [Hz]; the usual one of its kind if not given")
    tick_hz: int = Field(
        1_000_000, ge=1_000, le=1_000_000_000, description="nominal rate of its clock [Hz]; the device states it"
    )
    required: bool = Field(True, description="whether an interval of time waits for its data")
    sync_period: float = Field(
        1.0, ge=0.05, le=60, description="between two clock messages [s]; 1 s keeps a crystal within microseconds"
    )
    mounting: Mounting = Field(Mounting(), description="where it sits on the body")
    limits: Limits | None = Field(None, description="plausible values; those of its kind if not given")
    clock: ClockConfig = Field(ClockConfig(), description="how its clock is followed")
    imu: ImuCalibration | None = Field(None, description="calibration, for kind imu")
    encoder: EncoderCalibration | None = Field(None, description="calibration, for kind encoder")
    axle_box: AxleBoxCalibration | None = Field(None, description="calibration, for kind axle_box")
    bridge: BridgeCalibration | None = Field(None, description="calibration, for kind bridge")
    laser_distance: LaserDistanceCalibration | None = Field(None, description="calibration, for kind laser_distance")
    profile: ProfileCalibration | None = Field(None, description="calibration, for kind profile")

    @model_validator(mode="before")
    @classmethod
    def _usual(cls, data: Any) -> Any:
        """Fill in what depends on the kind, so that the recorded configuration says everything."""
        if not isinstance(data, dict) or data.get("kind") not in _RATES:
            return data
        kind = data["kind"]
        usual: dict[str, Any] = {"rate": _RATES[kind].usual, kind: {}}
        if kind == "imu":
            usual["limits"] = imu.LIMITS
        return {**usual, **{key: value for key, value in data.items() if value is not None}}

    @model_validator(mode="after")
    def _fitting(self) -> "DeviceConfig":
        rates = _RATES[self.kind]
        if not rates.least <= self.rate <= rates.most:
            raise ValueError(f"{self.kind} samples at {rates.least:g} to {rates.most:g} Hz, got rate = {self.rate:g}")
        for kind in _RATES:
            if kind != self.kind and getattr(self, kind) is not None:
                raise ValueError(
                    f"a device of kind {self.kind} has no section '{kind}': remove it or set kind = '{kind}'"
                )
        if self.limits is not None and len(self.limits.low) != self.channels:
            raise ValueError(
                f"limits need one value for each of the {self.channels} channels of {self.kind}, "
                f"got {len(self.limits.low)}"
            )
        if self.limits is not None and self.kind == "profile":
            raise ValueError("a profile has no limits per channel: set profile.reach instead")
        return self

    @property
    def packet_kind(self) -> PacketKind:
        """Kind of the packets that carry its measurements."""
        return PacketKind[self.kind.upper()]

    @property
    def calibration(self) -> Calibration:
        """The calibration of its kind."""
        calibration: Calibration = getattr(self, self.kind)
        return calibration

    @property
    def channels(self) -> int:
        """Columns of its values."""
        match self.calibration:
            case ImuCalibration():
                return 7
            case EncoderCalibration():
                return 1
            case ProfileCalibration(points=points):
                return 1 + 2 * points
            case BlockCalibration(scale=scale):
                return len(scale)
