"""What kill -9 costs: real processes record in real time, are killed at random moments and restarted.

Each victim says on a pipe, sample by sample, what it has offered and what its writer calls committed; after the last
kill the recording is read and compared with the last word of every victim.
"""

import os
import struct
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import IO, Any

from firmware_interface.chunk import Chunk
from recordings import RecordingHeader, RecordingReader, RecordingWriter
from twin.core.errors import RecordingError

RATE = 500
"""Samples per second."""
LANES = 3
"""Victims alive at once, each lane with a recording of its own."""
STARTING = 0.2
"""Share of victims killed while they start, not while they record."""
_WORD = struct.Struct("<QQQ")
_SAMPLE = struct.Struct("<QQ")


@dataclass(frozen=True)
class Death:
    """The last word of one victim."""

    offered: int
    committed: int
    last_ns: int
    """Host time of the last sample it offered."""
    restart_s: float | None
    """From its start to its first committed sample; None if it did not live to see one."""


@dataclass(frozen=True)
class Outcome:
    """Sum over all kills."""

    kills: int
    committed_lost: int
    wrong: int
    """Samples read that were never recorded, or twice, or in the wrong order."""
    data_lost_s: float
    """Most data any kill cost."""
    restart_s: float
    """Longest restart."""


def victim(directory: Path, run: int) -> None:
    """Record until killed."""
    with RecordingWriter(directory, RecordingHeader(devices=("imu",))) as writer:
        start_ns = time.monotonic_ns()
        i = 0
        while True:
            t_ns = time.monotonic_ns()
            writer.write(Chunk("imu", t_ns, sample(run, i)))
            os.write(sys.stdout.fileno(), _WORD.pack(i + 1, writer.committed, t_ns))
            i += 1
            time.sleep(max(0.0, (start_ns + i * 1_000_000_000 // RATE - time.monotonic_ns()) / 1e9))


def sample(run: int, i: int) -> bytes:
    """Bytes that tell their place, as long as a packet of an IMU."""
    return _SAMPLE.pack(run, i) + bytes((run + i + k) % 256 for k in range(28))


def study(kills: int, directory: Path, *, seed: int = 9) -> Outcome:
    """Kill that many victims, spread over the lanes, and read what they left."""
    lanes = [len(range(lane, kills, LANES)) for lane in range(LANES)]
    with ThreadPoolExecutor(LANES) as pool:
        jobs = [
            pool.submit(_lane, directory / str(lane), count, Random(seed + lane)) for lane, count in enumerate(lanes)
        ]
        parts = [job.result() for job in jobs]
    return Outcome(
        kills=sum(part.kills for part in parts),
        committed_lost=sum(part.committed_lost for part in parts),
        wrong=sum(part.wrong for part in parts),
        data_lost_s=max(part.data_lost_s for part in parts),
        restart_s=max(part.restart_s for part in parts),
    )


def _lane(directory: Path, kills: int, dice: Random) -> Outcome:
    deaths = [_kill_one(directory, run, dice) for run in range(kills)]
    recovered, wrong = _recovered(directory, kills)
    pairs = list(zip(deaths, recovered, strict=True))
    return Outcome(
        kills=kills,
        committed_lost=sum(max(death.committed - found.count, 0) for death, found in pairs),
        wrong=wrong,
        data_lost_s=max((_lost_s(death, found) for death, found in pairs), default=0.0),
        restart_s=max((death.restart_s for death in deaths if death.restart_s is not None), default=0.0),
    )


@dataclass
class Recovered:
    """What the recording holds of one run: samples without a hole, and the time of the last."""

    count: int = 0
    last_ns: int = 0


def _lost_s(death: Death, found: Recovered) -> float:
    """Data offered and not found [s]."""
    return (death.last_ns - found.last_ns) / 1e9 if found.count else death.offered / RATE


def _kill_one(directory: Path, run: int, dice: Random) -> Death:
    started = time.monotonic()
    process = subprocess.Popen([sys.executable, __file__, str(directory), str(run)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    words = _words(process.stdout)
    restart_s, word = None, (0, 0, 0)
    if dice.random() < STARTING:
        time.sleep(dice.uniform(0.0, 0.6))
    else:
        word = next((word for word in words if word[1] > 0), word)
        restart_s = time.monotonic() - started
        time.sleep(dice.uniform(0.0, 1.0))
    process.kill()
    offered, committed, last_ns = deque([word, *words], maxlen=1).pop()
    process.stdout.close()
    process.wait()
    return Death(offered=offered, committed=committed, last_ns=last_ns, restart_s=restart_s)


def _words(pipe: IO[bytes]) -> Iterator[tuple[int, int, int]]:
    """What a victim says, until its pipe ends."""
    while len(data := pipe.read(_WORD.size)) == _WORD.size:
        yield _WORD.unpack(data)


def _recovered(directory: Path, runs: int) -> tuple[list[Recovered], int]:
    """What is left of each run, and how many samples are wrong."""
    found, wrong = [Recovered() for _ in range(runs)], 0
    try:
        for chunk in RecordingReader(directory).chunks():
            run, i = _SAMPLE.unpack_from(chunk.data)
            if run < runs and i == found[run].count and chunk.data == sample(run, i):
                found[run] = Recovered(i + 1, chunk.t_host_ns)
            else:
                wrong += 1
    except RecordingError:
        pass  # every victim died before its first byte: nothing is found, which the caller judges
    return found, wrong


def figures(kills: int) -> list[dict[str, Any]]:
    """The figures of the foundation on kill -9."""
    with tempfile.TemporaryDirectory() as directory:
        outcome = study(kills, Path(directory))
    values: list[tuple[str, float, str]] = [
        ("committed_lost", outcome.committed_lost, "samples"),
        ("wrong", outcome.wrong, "samples"),
        ("data_lost_s", outcome.data_lost_s, "s"),
        ("restart_s", outcome.restart_s, "s"),
        ("count", outcome.kills, "kills"),
    ]
    return [{"name": f"foundation.kill9_{name}", "value": value, "unit": unit} for name, value, unit in values]


if __name__ == "__main__":
    victim(Path(sys.argv[1]), int(sys.argv[2]))
