"""Live results equal replayed results, byte for byte, however the recorded bytes are cut and interleaved.

A run with a stop, a slide, bit errors, loss, duplicates, reordering, clock steps and an unplugged device goes through
decoders and twin as it comes, is recorded, and goes through them again from the recording: every read cut at random
into reads of the same stamp, the devices interleaved at random with every packet inside the horizon.
"""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from firmware_interface import Chunk
from recordings import RecordingHeader, RecordingReader, RecordingWriter, ResultWriter
from tests import short_run
from twin.core.estimate import Result
from twin.pipeline.twin import Twin

STRAY_NS = 500_000_000
"""How far one device may run ahead of another: a quarter of the horizon."""


def recorded(chunks: Iterable[Chunk], directory: Path) -> list[Chunk]:
    """The chunks as a recording gives them back."""
    with RecordingWriter(directory, RecordingHeader(devices=tuple(short_run.RATES))) as writer:
        for chunk in chunks:
            writer.write_when_room(chunk)
    return list(RecordingReader(directory).chunks())


def recut(chunks: Iterable[Chunk], rng: np.random.Generator) -> Iterator[Chunk]:
    """Every read in up to five parts with its stamp, some of them empty."""
    for chunk in chunks:
        n = len(chunk.data)
        bounds = [0, *np.sort(rng.integers(0, n + 1, int(rng.integers(0, 5)))).tolist(), n]
        yield from (replace(chunk, data=chunk.data[a:b]) for a, b in pairwise(bounds))


def interleaved(chunks: Sequence[Chunk], rng: np.random.Generator) -> list[Chunk]:
    """Each device in its order, but late by a random time of its own that changes as it goes."""
    due: list[tuple[int, Chunk]] = []
    for device in short_run.RATES:
        handled = 0
        for chunk in (chunk for chunk in chunks if chunk.device == device):
            stray = int(rng.integers(STRAY_NS)) if rng.random() < 0.02 else 0
            handled = max(handled, chunk.t_host_ns + stray)
            due.append((handled, chunk))
    return [chunk for _, chunk in sorted(due, key=lambda pair: pair[0])]


def results(chunks: Iterable[Chunk]) -> list[Result]:
    """All that decoders and twin make of the chunks."""
    twin = Twin(short_run.setup())
    found = [result for block in short_run.decoded(chunks) for result in twin.process(block)]
    return [*found, *twin.flush()]


def written(found: Iterable[Result], path: Path) -> bytes:
    """The result file."""
    with ResultWriter(path, {"run": "short"}) as writer:
        for result in found:
            writer.write(result)
    return path.read_bytes()


def study(cuttings: int, directory: Path, *, seed: int = 5) -> int:
    """How many of so many replays give the bytes of the live run."""
    read = short_run.read_chunks(short_run.HARSH)
    live = written(results(read), directory / "live.mcap")
    replayed = recorded(read, directory / "recording")
    equal = 0
    for number in range(cuttings):
        rng = np.random.default_rng((seed, number))
        cut = recut(interleaved(replayed, rng), rng)
        equal += written(results(cut), directory / "replayed.mcap") == live
    return equal


def figures(cuttings: int = 20) -> list[dict[str, Any]]:
    """1 if every replay gives the bytes of the live run, else the share that does."""
    with tempfile.TemporaryDirectory() as directory:
        equal = study(cuttings, Path(directory))
    return [
        {"name": "foundation.replay_bit_equal", "value": equal / cuttings, "unit": "share"},
        {"name": "foundation.replay_bit_equal_cuttings", "value": cuttings, "unit": "replays"},
    ]
