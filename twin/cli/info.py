"""`railtwin info`: what a recording holds, and what is lost."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.console import ExitCode, stop, terminal

if TYPE_CHECKING:
    from rich.table import Table

    from recordings.damage import DamageReport
    from recordings.info import CameraInfo, RecordingInfo, StreamInfo


def info(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="Recording: its folder, or one file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts instead of tables.")] = False,
) -> None:
    """Say what a recording holds: time, devices, versions, gaps, and what cannot be read.

    Ends with 1 if anything is lost.
    """
    from recordings.info import describe

    found = describe(path)
    if as_json:
        terminal().show(json.dumps(summary(found), indent=2))
    else:
        for line in _head(found):
            terminal().show(line)
        terminal().show(_streams(found))
        if found.cameras:
            terminal().show(_cameras(found))
        for line in found.damage.lines():
            terminal().show(line)
    if not found.damage.clean:
        stop(ExitCode.PROBLEM)


def summary(found: "RecordingInfo") -> dict[str, Any]:
    """What `--json` prints. Times in s and ns on the host's monotonic clock, sizes in bytes, rates in Hz."""
    header = found.header
    return {
        "path": str(found.path),
        "started": header.started if header else None,
        "version": header.version if header else None,
        "start_ns": found.start_ns,
        "end_ns": found.end_ns,
        "duration_s": found.duration_s,
        "segments": found.segments,
        "sessions": found.sessions,
        "bytes": found.size,
        "streams": [_stream(stream) for stream in found.streams],
        "cameras": [_camera(camera) for camera in found.cameras],
        "events": [asdict(event) for event in found.events],
        "damage": _damage(found.damage),
    }


def _stream(stream: "StreamInfo") -> dict[str, Any]:
    return {
        "device": stream.device,
        "direction": "sent" if stream.sent else "received",
        "reads": stream.messages,
        "bytes": stream.size,
        "rate_hz": stream.rate,
        "start_ns": stream.start_ns,
        "end_ns": stream.end_ns,
        "gaps": stream.gaps,
        "longest_gap_s": stream.longest_gap_s,
    }


def _camera(camera: "CameraInfo") -> dict[str, Any]:
    return {
        "camera": camera.camera,
        "images": camera.images,
        **{kind.name.lower(): count for kind, count in camera.kinds.items()},
        "damaged": camera.damaged,
        "bytes": camera.size,
        "rate_hz": camera.rate,
        "start_ns": camera.start_ns,
        "end_ns": camera.end_ns,
        "gaps": camera.gaps,
        "longest_gap_s": camera.longest_gap_s,
    }


def _damage(damage: "DamageReport") -> dict[str, Any]:
    return {
        "clean": damage.clean,
        "lost_bytes": damage.lost_bytes,
        "missing_messages": damage.missing,
        "unreadable_messages": damage.unreadable,
        "duplicate_messages": damage.duplicates,
        "faults": {str(fault): count for fault, count in damage.faults.items()},
        "parts": [
            {
                "file": part.file,
                "offset": part.offset,
                "bytes": part.length,
                "fault": str(part.fault),
                "after_ns": part.after_ns,
                "before_ns": part.before_ns,
            }
            for part in damage.parts
        ],
    }


def _head(found: "RecordingInfo") -> list[str]:
    """Lines before the table."""
    if found.header is None:
        about = "header lost: version, configuration and calibrations unknown"
    else:
        about = f"started {found.header.started or 'at an unknown time'} by version {found.header.version or '?'}"
    size = f"{found.size / 1e6:.2f} MB, segments: {found.segments}, sessions: {found.sessions}"
    return [
        f"{found.path}: {found.duration_s:.1f} s, {size}",
        f"{about}; operator events: {len(found.events)}",
    ]


def _streams(found: "RecordingInfo") -> "Table":
    from rich.table import Table

    table = Table("device", "")
    for title in ("reads", "kB", "reads/s", "gaps", "longest gap [s]"):
        table.add_column(title, justify="right")
    for stream in found.streams:
        table.add_row(
            stream.device,
            "sent" if stream.sent else "received",
            str(stream.messages),
            f"{stream.size / 1e3:.1f}",
            f"{stream.rate:.1f}",
            str(stream.gaps),
            f"{stream.longest_gap_s:.2f}",
        )
    return table


def _cameras(found: "RecordingInfo") -> "Table":
    from rich.table import Table

    from recordings.image_record import RecordKind

    table = Table("camera")
    for title in ("images", "strips", "whole", "lines alone", "damaged", "MB", "images/s", "gaps", "longest gap [s]"):
        table.add_column(title, justify="right")
    for camera in found.cameras:
        kinds = (camera.kinds.get(kind, 0) for kind in (RecordKind.STRIP, RecordKind.WHOLE, RecordKind.LINE))
        table.add_row(
            camera.camera,
            str(camera.images),
            *map(str, kinds),
            str(camera.damaged),
            f"{camera.size / 1e6:.1f}",
            f"{camera.rate:.1f}",
            str(camera.gaps),
            f"{camera.longest_gap_s:.2f}",
        )
    return table
