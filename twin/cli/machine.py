"""What `railtwin doctor` asks of a machine, one function per question."""

import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryFile

DISTRIBUTION = "railtwin"
PYTHON_NEEDED = (3, 11)
MEMORY_NEEDED = 1 << 30
"""[bytes] a run with its recording queue and compiled kernels stays well below"""
DISK_NEEDED = 2 << 30
"""[bytes] the reference installation without cameras fills about 1 GB in an hour"""
SYNC_GOOD_S, SYNC_BEARABLE_S = 0.1, 0.5
"""A recording is made durable every 0.5 s: slower disks fall behind and live on the queue."""
SYNC_TRIALS, SYNC_BYTES = 8, 1 << 16
CLOCK_NEEDED_S = 1e-6


class Verdict(StrEnum):
    """How a question is answered."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Check:
    """One answer."""

    subject: str
    verdict: Verdict
    finding: str
    remedy: str = ""
    """What to do about it; empty when all is well."""


def check_machine(*, directory: Path, ports: list[str]) -> Iterator[Check]:
    """Ask everything, cheap questions first.

    directory: where recordings will be written; ports: serial devices the configuration names, may be empty.
    """
    yield python()
    yield packages()
    yield processor()
    yield memory()
    yield clock()
    yield disk_space(directory)
    yield disk_latency(directory)
    yield from serial_ports(ports)
    yield tool("gcc", purpose="compile and test the C side of the wire", package="gcc")
    yield tool("chromium", purpose="test reports in a browser", package="chromium")
    yield compiler()


def python() -> Check:
    """Is this interpreter new enough?"""
    found = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info[:2] >= PYTHON_NEEDED:
        return Check("Python", Verdict.OK, found)
    needed = ".".join(str(part) for part in PYTHON_NEEDED)
    return Check("Python", Verdict.FAIL, found, f"install Python {needed} or newer")


def packages() -> Check:
    """Is every package that the distribution asks for here, and new enough?"""
    try:
        required = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return Check("packages", Verdict.FAIL, f"{DISTRIBUTION} is not installed", "pip install --editable .")
    wanted = [line.partition(">=") for line in required if ";" not in line]  # markers name optional extras
    bad = [f"{name} {_installed(name) or 'missing'}" for name, _, least in wanted if not _fits(name, least)]
    if bad:
        return Check("packages", Verdict.FAIL, ", ".join(bad), f"pip install --upgrade {DISTRIBUTION}")
    shown = ", ".join(f"{name} {_installed(name)}" for name in ("numpy", "scipy", "numba", "mcap"))
    return Check("packages", Verdict.OK, f"{len(wanted)} present: {shown}, ...")


def processor() -> Check:
    """Can acquisition and estimation run side by side?"""
    cores = len(os.sched_getaffinity(0))
    if cores >= 2:
        return Check("processor", Verdict.OK, f"{cores} cores")
    return Check("processor", Verdict.WARN, "1 core", "give RailTwin two cores: one reads, one estimates")


def memory() -> Check:
    """Is there room for a run?"""
    available = _available_memory()
    finding = f"{available / 2**30:.1f} GiB available"
    if available >= MEMORY_NEEDED:
        return Check("memory", Verdict.OK, finding)
    return Check("memory", Verdict.WARN, finding, "close other programs: a run wants 1 GiB")


def clock() -> Check:
    """Is the monotonic clock fine enough to stamp packets?"""
    start = now = time.monotonic_ns()
    while now == start:
        now = time.monotonic_ns()
    step = max((now - start) * 1e-9, time.get_clock_info("monotonic").resolution)
    finding = f"monotonic, reads apart by {step * 1e9:.0f} ns"
    if time.get_clock_info("monotonic").resolution <= CLOCK_NEEDED_S:
        return Check("clock", Verdict.OK, finding)
    return Check("clock", Verdict.FAIL, finding, "use a kernel with high-resolution timers")


def disk_space(directory: Path) -> Check:
    """Is there room for recordings?"""
    place = _existing(directory)
    free = shutil.disk_usage(place).free
    finding = f"{free / 2**30:.1f} GiB free at {place}"
    if free >= DISK_NEEDED:
        return Check("disk space", Verdict.OK, finding)
    return Check("disk space", Verdict.WARN, finding, "free some space, or record elsewhere: recording.directory")


def disk_latency(directory: Path) -> Check:
    """How long does the disk take to promise that data are safe?"""
    place = _existing(directory)
    try:
        worst = max(_sync_times(place))
    except OSError as error:
        return Check("disk sync", Verdict.FAIL, f"{place}: {error.strerror}", "record elsewhere: recording.directory")
    finding = f"fdatasync {worst * 1e3:.1f} ms at worst of {SYNC_TRIALS}"
    if worst <= SYNC_GOOD_S:
        return Check("disk sync", Verdict.OK, finding)
    verdict = Verdict.WARN if worst <= SYNC_BEARABLE_S else Verdict.FAIL
    return Check("disk sync", verdict, finding, "record to a local disk, not a network or busy one")


def serial_ports(wanted: list[str]) -> Iterator[Check]:
    """Are the configured ports there and ours to open? Without a configuration: which are there?"""
    from serial.tools.list_ports import comports

    present = sorted(port.device for port in comports())
    if not wanted:
        finding = ", ".join(present) or "none found"
        verdict = Verdict.OK if present else Verdict.WARN
        yield Check("serial ports", verdict, finding, "" if present else "plug in a device; the demo needs none")
    for path in wanted or present:
        yield from _port(path, present=present, required=bool(wanted))


def tool(name: str, *, purpose: str, package: str) -> Check:
    """Is an optional program installed?"""
    path = shutil.which(name)
    if path:
        return Check(name, Verdict.OK, path)
    return Check(name, Verdict.WARN, f"absent; only needed to {purpose}", f"apt-get install {package}")


def compiler() -> Check:
    """Do numba kernels compile, and can they be kept for the next start?"""
    from twin.numerics.compiled import compiled

    start = time.monotonic()
    try:
        kernel = compiled(_sum_below)  # finds a writable cache, or raises
    except RuntimeError as error:
        return Check("compiler", Verdict.FAIL, str(error), "set NUMBA_CACHE_DIR to a folder you can write")
    try:
        total = kernel(10)
    except Exception as error:  # whatever the compiler stumbles over is the finding
        return Check("compiler", Verdict.FAIL, f"{type(error).__name__}: {error}", "reinstall numba and llvmlite")
    if total != sum(range(10)):
        return Check("compiler", Verdict.FAIL, f"a kernel gave {total}, not 45", "reinstall numba and llvmlite")
    return Check("compiler", Verdict.OK, f"kernel ready in {time.monotonic() - start:.1f} s, cache writable")


def _sum_below(n: int) -> int:
    total = 0
    for i in range(n):
        total += i
    return total


def _port(path: str, *, present: list[str], required: bool) -> Iterator[Check]:
    """A finding for one port; a port that nobody asked for speaks only when it is locked."""
    if not os.path.exists(path):
        there = ", ".join(present) or "none"
        yield Check(path, Verdict.FAIL, "absent", f"plug it in, or correct its port; present: {there}")
    elif not os.access(path, os.R_OK | os.W_OK):
        verdict = Verdict.FAIL if required else Verdict.WARN
        yield Check(path, verdict, "no permission", "sudo usermod -aG dialout $USER, then log in again")
    elif required:
        yield Check(path, Verdict.OK, "present, may be opened")


def _existing(directory: Path) -> Path:
    """The directory, or the nearest one above it that exists already."""
    place = directory.absolute()
    while not place.is_dir():
        place = place.parent
    return place


def _sync_times(place: Path) -> Iterator[float]:
    """Seconds from write to durable, as a recording does it."""
    with TemporaryFile(dir=place) as scratch:
        for _ in range(SYNC_TRIALS):
            start = time.monotonic()
            scratch.write(os.urandom(SYNC_BYTES))
            scratch.flush()
            os.fdatasync(scratch.fileno())
            yield time.monotonic() - start


def _available_memory() -> int:
    """[bytes] the kernel can hand out, its caches included."""
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        key, _, value = line.partition(":")
        if key == "MemAvailable":
            return int(value.split()[0]) * 1024
    return 0


def _installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _fits(name: str, least: str) -> bool:
    found = _installed(name)
    return found is not None and _numbers(found) >= _numbers(least)


def _numbers(version: str) -> list[int]:
    """Leading numbers of a version: 2.1rc1 gives 2, 1."""
    return [int(number) for number in re.findall(r"\d+", re.split(r"[a-z+]", version)[0])]
