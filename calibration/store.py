"""Calibration files: dated TOML whose sections go into a run configuration as they are.

[calibration]                    where the numbers come from, and how well they are known
[navigation.odometer.accel]      keys of a run configuration
[vehicle]                        likewise
[[device]]                       by name, with the section of its kind: [device.imu], [device.profile]
[camera]                         lens and laser plane of a camera, for what turns its images into cross-sections
"""

import datetime
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from sensors.imu import ImuCalibration
from sensors.profile import ProfileCalibration
from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.core.settings import Settings
from twin.core.vehicle import VehicleParameters
from twin.geometry.laser.plane import LaserPlaneCalibration
from twin.navigation.config import NavigationConfig

Kind = Literal["static", "navigation", "camera", "imu-noise", "mounting", "wheel-radius"]
Tables = Mapping[str, Any]
"""Plain values and tables by key, as TOML has them."""
TextOf = Callable[[Tables], str]
"""Writes tables as TOML. The caller's, as configurations are: calibrations and configurations read alike."""


class Origin(Settings):
    """Where a calibration comes from."""

    kind: Kind = Field(description="procedure that made it")
    date: datetime.date = Field(description="day on which it was made")
    source: str = Field(min_length=1, description="recording it was made from")
    found: dict[str, float] = Field(
        default_factory=dict, description="what else was found, which no key of a configuration takes, by its name"
    )
    uncertainty: dict[str, Annotated[float, Field(ge=0)]] = Field(
        default_factory=dict, description="standard deviation of each value, by its dotted key and in its unit"
    )


class DevicePart(Settings):
    """What was found about one device."""

    name: str = Field(min_length=1, description="name of the device in the run configuration")
    imu: dict[str, Any] = Field(default_factory=dict, description="keys of its section [device.imu]")
    profile: dict[str, Any] = Field(default_factory=dict, description="keys of its section [device.profile]")


class Calibration(Settings):
    """The content of a calibration file."""

    calibration: Origin = Field(description="where it comes from")
    navigation: dict[str, Any] = Field(default_factory=dict, description="keys of the section [navigation]")
    vehicle: dict[str, Any] = Field(default_factory=dict, description="keys of the section [vehicle]")
    device: tuple[DevicePart, ...] = Field((), description="devices by name")
    camera: dict[str, Any] = Field(default_factory=dict, description="lens and laser plane of a camera")

    def tables(self) -> dict[str, Any]:
        """As tables of a file; what is empty is left out."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def checked(self, *, where: str) -> "Calibration":
        """Itself, or ConfigError where a key is unknown or a value out of its range."""
        NavigationConfig.load(merge(NavigationConfig().model_dump(), self.navigation), where=f"{where}: navigation")
        for part in self.device:
            ImuCalibration.load(part.imu, where=f"{where}: device {part.name}: imu")
            ProfileCalibration.load(part.profile, where=f"{where}: device {part.name}: profile")
        VehicleParameters.load(self.vehicle, where=f"{where}: vehicle")
        if self.camera:
            LaserPlaneCalibration.load(self.camera, where=f"{where}: camera")
        return self


def write_calibration(path: Path, calibration: Calibration, *, text_of: TextOf, force: bool = False) -> None:
    """Write a file that read_calibration gives back equal; an existing one is replaced only by force."""
    text = text_of(calibration.checked(where=str(path)).tables())
    if _parsed(text, where=str(path)) != calibration:
        raise ConfigError(f"{path}: does not read back as it was written; nothing is changed")
    if path.exists() and not force:
        raise ConfigError(f"{path}: exists; choose another name, or --force to replace it")
    fresh = path.with_name(f"{path.name}.new")
    try:
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written ({error.strerror}); choose another place") from None


def read_calibration(path: Path) -> Calibration:
    """Read a calibration, or raise ConfigError naming the file, the key and the remedy."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file; make one with: railtwin calibrate --help") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: byte {error.start} is not UTF-8 text; a calibration is TOML") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    return _parsed(text, where=str(path)).checked(where=str(path))


def merged(config: Tables, calibration: Calibration, *, where: str) -> dict[str, Any]:
    """A run configuration with the calibrated values in place of its own; where: the calibration's file."""
    if calibration.camera:
        raise ConfigError(
            f"{where}: is of a camera and does not say of which: name it in the camera's table, [[camera]] with "
            "file = '...'"
        )
    devices = [dict(device) for device in config.get("device", ())]
    by_name = {device.get("name"): device for device in devices}
    for part in calibration.device:
        device = by_name.get(part.name)
        if device is None:
            known = ", ".join(str(name) for name in by_name) or "none"
            raise ConfigError(
                f"{where}: calibrates the device '{part.name}', which is not configured: there is {known}"
            )
        for section, values in (("imu", part.imu), ("profile", part.profile)):
            if values:
                device[section] = merge(device.get(section) or {}, values)
    sections = {"navigation": calibration.navigation, "vehicle": calibration.vehicle}
    laid = {name: merge(config.get(name, {}), values) for name, values in sections.items() if values}
    return {**config, **laid, "device": devices}


def merge(below: Tables, above: Tables) -> dict[str, Any]:
    """Tables with those above laid over them, key by key."""
    result = dict(below)
    for key, value in above.items():
        old = result.get(key)
        result[key] = merge(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return result


def rounded(values: Array) -> list[float]:
    """Values for a file: five digits are beyond what any calibration knows, and a person reads them."""
    return [float(f"{value:.5g}") for value in values]


def _parsed(text: str, *, where: str) -> Calibration:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: not valid TOML: {error}") from None
    return Calibration.load(data, where=where)
