"""What every segment says about itself: configuration, calibrations, version, clocks, its place in the run.

It is stored as attachments, because attachments carry a checksum and metadata records do not; the metadata record
beside them is for people who open the file in a viewer.
"""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field, ValidationError

HEADER_NAME = "header.json"
CONFIG_NAME = "config.toml"
CALIBRATION_PREFIX = "calibration/"

EVENTS_TOPIC = "/events"
CLOCK_TOPIC = "/clock"
RAW_PREFIX = "/raw/"
SENT_PREFIX = "/sent/"
IMAGE_PREFIX = "/image/"


class _Stored(BaseModel):
    """A record read back from a file: frozen; keys of a newer version are ignored, not refused."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class ClockPair(_Stored):
    """The host's two clocks read at one moment: wall time is a label for people, never an input."""

    monotonic_ns: int
    wall_ns: int
    """Since 1970-01-01 UTC [ns]."""


class RecordingHeader(_Stored):
    """What a replay needs beside the bytes."""

    config_toml: str = Field(default="", description="the whole configuration as written")
    calibrations: dict[str, str] = Field(default_factory=dict, description="calibration files by name, as text")
    version: str = Field(default="", description="software that recorded")
    started: str = Field(default="", description="wall time of the start, ISO 8601; a label")
    clock: ClockPair = Field(default=ClockPair(monotonic_ns=0, wall_ns=0), description="both host clocks at the start")
    devices: tuple[str, ...] = Field(default=(), max_length=1000, description="names of the devices, in order")
    cameras: tuple[str, ...] = Field(default=(), max_length=1000, description="names of the cameras, in order")


class SegmentHead(_Stored):
    """The place of one file in its recording."""

    session: int
    """Number of the first segment written by the same process: a restart begins a new session."""
    index: int
    """Number of this segment."""
    first_ns: int
    """Host time of its first message [ns]."""
    first_sequence: int
    """Running number of its first message, modulo 2**32."""


class _HeaderFile(_Stored):
    """Content of header.json."""

    segment: SegmentHead
    version: str
    started: str
    clock: ClockPair
    devices: tuple[str, ...] = Field(max_length=1000)
    cameras: tuple[str, ...] = Field(default=(), max_length=1000)


def topics(header: RecordingHeader) -> tuple[str, ...]:
    """Topics of a recording. The channel of a topic is its place in this list plus one, in every segment:
    so a segment whose channel records are damaged can still be read.
    """
    pairs = [prefix + device for device in header.devices for prefix in (RAW_PREFIX, SENT_PREFIX)]
    return (*pairs, EVENTS_TOPIC, CLOCK_TOPIC, *(IMAGE_PREFIX + camera for camera in header.cameras))


def to_attachments(header: RecordingHeader, head: SegmentHead) -> dict[str, bytes]:
    """Attachments of one segment by name."""
    stored = _HeaderFile(
        segment=head,
        version=header.version,
        started=header.started,
        clock=header.clock,
        devices=header.devices,
        cameras=header.cameras,
    )
    files = {HEADER_NAME: stored.model_dump_json(indent=1).encode(), CONFIG_NAME: header.config_toml.encode()}
    for name, text in header.calibrations.items():
        files[CALIBRATION_PREFIX + name] = text.encode()
    return files


def from_attachments(files: Mapping[str, bytes]) -> tuple[RecordingHeader, SegmentHead] | None:
    """The header of a segment, or None where header.json or the configuration did not survive."""
    if HEADER_NAME not in files or CONFIG_NAME not in files:
        return None
    try:
        stored = _HeaderFile.model_validate_json(files[HEADER_NAME])
        texts = {name: data.decode() for name, data in files.items()}
    except (ValidationError, UnicodeDecodeError):
        return None
    calibrations = {
        name.removeprefix(CALIBRATION_PREFIX): text
        for name, text in texts.items()
        if name.startswith(CALIBRATION_PREFIX)
    }
    header = RecordingHeader(
        config_toml=texts[CONFIG_NAME],
        calibrations=calibrations,
        version=stored.version,
        started=stored.started,
        clock=stored.clock,
        devices=stored.devices,
        cameras=stored.cameras,
    )
    return header, stored.segment
