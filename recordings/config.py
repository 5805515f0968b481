"""Settings of a recording: where it goes, how much a crash may cost, what the disk must keep free."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from twin.core.settings import Settings

Compression = Literal["none", "lz4", "zstd"]


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
