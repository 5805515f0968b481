"""The configuration of a run: one TOML file, strict, and the same text inside the recording."""

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from calibration.store import read_calibration
from recordings.config import RecordingConfig
from recordings.image_record import MOST_PIXELS
from sensors.camera import CameraDevice
from sensors.config import DeviceConfig
from twin.cli.toml_text import to_toml
from twin.core.errors import ConfigError
from twin.core.places import Direction, Places
from twin.core.settings import Settings
from twin.core.track import DesignTrack, HorizontalElement, VerticalElement
from twin.core.vehicle import VehicleParameters
from twin.navigation.config import NavigationConfig
from twin.pipeline.synchroniser import SynchroniserConfig
from twin.pipeline.track_geometry import GeometryConfig
from twin.report.config import ReportConfig


class RunIdentity(Settings):
    """Which run this is, and where it starts."""

    name: str = Field(
        "run",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
        description="name of the run: in reports and as a folder, hence letters, digits, dot, dash, underscore",
    )
    direction: Direction = Field(
        Direction.INCREASING, description="running direction against the kilometres; reports always follow them"
    )
    start_s: float = Field(
        0.0, ge=0, description="where the run starts, along the line and growing with the kilometres [m]"
    )
    start_sd: float = Field(5.0, gt=0, le=5000, description="how well that is known, as a standard deviation [m]")
    speed_limit: float = Field(
        60.0, gt=0, le=150, description="fastest the vehicle can run: a faster reading is a fault [m/s]"
    )


class TrackConfig(Settings):
    """Design geometry of the line, given here or in a file of its own."""

    file: str | None = Field(
        None,
        description="TOML file with the other keys of this section, beside this file; "
        "the effective configuration holds its content instead",
    )
    horizontal: tuple[HorizontalElement, ...] = Field(
        (), description="tangents, clothoids and arcs, end to end from s = 0 along growing kilometres"
    )
    vertical: tuple[VerticalElement, ...] = Field(
        (), description="gradients and vertical curves, end to end from s = 0; level track if left out"
    )
    cant_base: float = Field(1.5, gt=0.5, lt=2.5, description="distance over which cant is measured [m]")
    rounding: float = Field(
        5.0, gt=0, le=50, description="length that rounds the corners of curvature and cant, as the track does [m]"
    )

    @model_validator(mode="after")
    def _one_source(self) -> "TrackConfig":
        if self.file is not None and (self.horizontal or self.vertical):
            raise ValueError("give either 'file' or the elements themselves, not both")
        if self.file is None and not self.horizontal:
            raise ValueError("the track has no horizontal element: list them, or name a 'file' that does")
        return self

    def design(self) -> DesignTrack:
        """The design centre line along growing kilometres."""
        return DesignTrack.from_elements(
            list(self.horizontal), list(self.vertical), cant_base=self.cant_base, rounding=self.rounding
        )


class RunConfig(Settings):
    """Everything a run is told. Sections belong to the packages that use them."""

    run: RunIdentity = Field(RunIdentity(), description="which run this is, and where it starts")
    places: Places = Field(Places(), description="line, track and kilometre posts")
    track: TrackConfig = Field(description="design geometry of the line")
    vehicle: VehicleParameters = Field(VehicleParameters(), description="the vehicle that carries the sensors")
    device: tuple[DeviceConfig, ...] = Field(description="the sensors: at least one imu and one encoder")
    camera: tuple[CameraDevice, ...] = Field((), description="laser cameras over the rails: none, one or both")
    synchroniser: SynchroniserConfig = Field(
        SynchroniserConfig(), description="how the sensors' samples come together on one clock"
    )
    navigation: NavigationConfig = Field(
        NavigationConfig(), description="attitude, trajectory and position of the vehicle"
    )
    geometry: GeometryConfig = Field(
        GeometryConfig(), description="track geometry, where cameras or devices of kind profile see the rails"
    )
    recording: RecordingConfig = Field(RecordingConfig(), description="what is kept of the raw data, and how")
    report: ReportConfig = Field(ReportConfig(), description="when a sensor is called healthy")

    @model_validator(mode="after")
    def _devices_can_be_told_apart(self) -> "RunConfig":
        for what, values in (
            ("name", [device.name for device in self.device] + [camera.name for camera in self.camera]),
            ("port", [device.port for device in self.device if device.port]),
        ):
            twice = [value for value, count in Counter(values).items() if count > 1]
            if twice:
                raise ValueError(f"two devices share the {what} '{twice[0]}': give each its own")
        return self

    @model_validator(mode="after")
    def _cameras_see_a_rail_each(self) -> "RunConfig":
        rails = [camera.rail for camera in self.camera]
        if len(set(rails)) < len(rails):
            raise ValueError(f"two cameras see the {rails[0]} rail: there is one for each rail at most")
        for camera in self.camera:
            if camera.plane is not None and camera.plane.rows * camera.plane.columns > MOST_PIXELS:
                raise ValueError(f"camera '{camera.name}' has more than {MOST_PIXELS / 1e6:g} million pixels: crop it")
        return self

    @model_validator(mode="after")
    def _navigation_has_its_sensors(self) -> "RunConfig":
        for kind, wanted in (("imu", self.navigation.imu), ("encoder", self.navigation.encoder)):
            fitting = [device.name for device in self.device if device.kind == kind]
            if not fitting:
                raise ValueError(f"no device of kind '{kind}': navigation needs one, add a [[device]]")
            if wanted not in fitting:
                raise ValueError(f"navigation.{kind} = '{wanted}' is no {kind} here: choose {' or '.join(fitting)}")
        return self

    @model_validator(mode="after")
    def _start_is_on_the_track(self) -> "RunConfig":
        length = sum(element.length for element in self.track.horizontal)
        if self.track.file is None and self.run.start_s > length:
            raise ValueError(f"run.start_s = {self.run.start_s:g} m lies beyond the track's end at {length:g} m")
        return self

    def to_toml(self) -> str:
        """The effective configuration, every default written out; parse_config reads it back identical."""
        data = self.model_dump(mode="json")
        return to_toml({key: value for key, value in data.items() if key != "camera" or value})


def load_config(path: Path) -> RunConfig:
    """Read a configuration file, or raise ConfigError naming the file, the key and the remedy."""
    data = _read_toml(path, remedy=f"write one with: railtwin config new {path}")
    track = data.get("track")
    if isinstance(track, dict) and isinstance(track.get("file"), str):
        data["track"] = _with_design_file(track, config_path=path)
    cameras = data.get("camera")
    if isinstance(cameras, list):
        data["camera"] = [_with_calibration_file(camera, config_path=path) for camera in cameras]
    return RunConfig.load(data, where=str(path))


def parse_config(text: str, *, where: str) -> RunConfig:
    """Read an effective configuration, such as a recording holds; where names its origin in errors."""
    return RunConfig.load(_parse_toml(text, where=where), where=where)


def _with_design_file(track: dict[str, Any], *, config_path: Path) -> dict[str, Any]:
    """The track section with the file it names put in its place."""
    TrackConfig.load(track, where=f"{config_path}: track")
    design = config_path.parent / track["file"]
    found = _read_toml(design, remedy=f"correct track.file in {config_path}")
    if "file" in found:
        raise ConfigError(f"{design}: 'file' cannot name a further file: put the elements here")
    own = {key: value for key, value in track.items() if key != "file"}
    TrackConfig.load(found, where=str(design))
    return found | own


def _with_calibration_file(camera: Any, *, config_path: Path) -> Any:
    """A camera with the content of the calibration it names in its place; as it is where it names none."""
    if not isinstance(camera, dict) or not isinstance(camera.get("file"), str):
        return camera
    CameraDevice.load(camera, where=f"{config_path}: camera")
    file = config_path.parent / camera["file"]
    found = read_calibration(file)
    if not found.camera:
        raise ConfigError(f"{file}: calibrates no camera; correct camera.file in {config_path}")
    own = {key: value for key, value in camera.items() if key != "file"}
    origin = f"{file.name} of {found.calibration.date.isoformat()}, from {found.calibration.source}"
    return {"origin": origin} | own | {"plane": found.camera}


def _read_toml(path: Path, *, remedy: str) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file; {remedy}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: byte {error.start} is not UTF-8 text; save the file as UTF-8") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); {remedy}") from None
    return _parse_toml(text, where=str(path))


def _parse_toml(text: str, *, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        remedy = "texts need quotes, numbers a decimal dot"
        raise ConfigError(f"{where}: not valid TOML: {error}; {remedy}") from None
