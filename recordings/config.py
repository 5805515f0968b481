"""Settings of a recording: where it goes, how much a crash may cost, what the disk must keep free."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from twin.core.settings import Settings

Compression = Literal["none", "lz4", "zstd"]


class ImageStorage(Settings):
    """What is kept of the images of cameras. The line found in an image is always kept: results stay the same."""

    keep: Literal["all", "every", "flagged"] = Field(
        "all",
        description="images whose pixels stay: all, every so many, or those in which no head is believed and one in so "
        "many of the others",
    )
    every: int = Field(10, ge=1, le=10_000, description="one in so many, unless all are kept")
    free_bytes: int = Field(
        2 * 2**30,
        ge=0,
        description="where less of the disk is free, the pixels of the oldest images go, with an event [bytes]",
    )
    segment_s: float = Field(
        default=20.0, ge=0.5, le=60, description="recorded time per file [s]: pixels go by whole files"
    )
    queue_bytes: int = Field(
        default=128 * 1024 * 1024,
        ge=1024 * 1024,
        le=2**32,
        description="memory images may take while the disk stalls [bytes]: beyond, they are lost and counted",
    )


class RecordingConfig(Settings):
    """How raw bytes are made durable."""

    directory: Path = Field(
        default=Path("runs"), description="folder that holds the folders of runs; `railtwin run --out` names one"
    )
    segment_s: float = Field(
        default=60.0,
        ge=0.1,
        le=60,
        description="recorded time per file [s]; short enough that one lost file is a small loss",
    )
    sync_s: float = Field(
        default=0.25,
        ge=0.01,
        le=0.5,
        description="time between two writes to the disk [s]; what a crash or power cut can cost",
    )
    chunk_bytes: int = Field(
        default=16 * 1024,
        ge=1024,
        le=1024 * 1024,
        description="bytes under one checksum; a damaged byte costs this much, a small value costs index space",
    )
    compression: Compression = Field(
        default="none", description="of each chunk; on raw counts lz4 saves a fifth, zstd two fifths"
    )
    queue_s: float = Field(
        default=10.0, ge=5, le=600, description="stall of the disk that loses nothing [s], real time"
    )
    queue_bytes: int = Field(
        default=64 * 1024 * 1024,
        ge=1024 * 1024,
        le=2**30,
        description="memory the queue may take during a stall [bytes]",
    )
    reserve_bytes: int = Field(
        default=64 * 1024 * 1024,
        ge=0,
        description="space the recording leaves free on its disk [bytes]; the rest of the system needs it",
    )
    retry_s: float = Field(
        default=1.0, ge=0.05, le=60, description="pause before a failed disk is tried again [s], in a new segment"
    )
    images: ImageStorage = Field(default=ImageStorage(), description="what is kept of the images of cameras")

    def of_images(self) -> "RecordingConfig":
        """How images are made durable: their records are compressed already."""
        own = {"segment_s": self.images.segment_s, "queue_bytes": self.images.queue_bytes, "compression": "none"}
        return self.model_copy(update=own)
