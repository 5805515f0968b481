"""Decoded samples as CSV, a table per device."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

import numpy as np

from firmware_interface import Chunk
from recordings import RecordingReader
from sensors.config import DeviceConfig
from sensors.decode import DeviceDecoder
from twin.cli.config import RunConfig
from twin.core.blocks import RawBlock

_COLUMNS = {
    "imu": ("a_x_m_s2", "a_y_m_s2", "a_z_m_s2", "w_x_rad_s", "w_y_rad_s", "w_z_rad_s", "temperature_K"),
    "encoder": ("angle_rad",),
}


def write_samples(
    config: RunConfig, reader: RecordingReader, folder: Path, *, progress: Callable[[float], None]
) -> list[Path]:
    """Write the samples of every device, calibrated, in SI; returns the files.

    t_s is host time since the first byte of the recording, empty before the device's clock was synchronised; quality
    is the sum of the flags of twin.core.quality. progress is told the share done, 0 to 1.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = {device.name: folder / f"{device.name}.csv" for device in config.device}
    decoders = {device.name: DeviceDecoder(device) for device in config.device}
    total, done = sum(segment.size for segment in reader.segments), 0
    t0_ns: int | None = None
    with ExitStack() as stack:
        tables = {name: stack.enter_context(file.open("w", encoding="utf-8")) for name, file in files.items()}
        for device in config.device:
            tables[device.name].write(",".join(("t_s", "tick", *_columns(device), "quality")) + "\n")
        for chunk in reader.chunks():
            t0_ns = chunk.t_host_ns if t0_ns is None else t0_ns
            done += _write(chunk, decoders, tables, t0_ns)
            progress(min(done / max(total, 1), 1.0))
    progress(1.0)
    return list(files.values())


def _write(chunk: Chunk, decoders: dict[str, DeviceDecoder], tables: Mapping[str, TextIO], t0_ns: int) -> int:
    """Write what a chunk holds; its size [bytes]."""
    if chunk.device in decoders:
        for block in decoders[chunk.device].process(chunk):
            tables[chunk.device].writelines(_rows(block, t0_ns))
    return len(chunk.data)


def _rows(block: RawBlock, t0_ns: int) -> list[str]:
    if block.clock is None:
        times = [""] * block.ticks.size
    else:
        times = [f"{t:.6f}" for t in ((block.clock.to_ns(block.ticks) - t0_ns) * 1e-9).tolist()]
    rows = zip(times, block.ticks.tolist(), block.values.tolist(), block.quality.tolist(), strict=True)
    return [
        ",".join((t, str(tick), *(f"{value:.9g}" if np.isfinite(value) else "" for value in values), str(quality)))
        + "\n"
        for t, tick, values, quality in rows
    ]


def _columns(device: DeviceConfig) -> tuple[str, ...]:
    return _COLUMNS.get(device.kind) or tuple(f"channel_{i}" for i in range(device.channels))
