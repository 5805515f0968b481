"""Bytes as they came from, or went to, one device."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one read of a port returned. Recordings hold these; replay feeds them to the same decoders."""

    device: str
    """Name of the device in the configuration."""
    t_host_ns: int
    """Host monotonic time at which the read returned [ns]."""
    data: bytes
    sent: bool = False
    """True for bytes the host sent to the device."""
