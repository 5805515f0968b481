"""Live and replayed results are the same bytes, however the input was cut and interleaved."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from firmware_interface import Chunk
from tests import short_run
from tests.benchmarks.replay_equal import STRAY_NS, interleaved, recut, results, study
from twin.core.estimate import Form, GridBlock, Health
from twin.core.quality import Quality


@pytest.fixture(scope="module")
def read() -> tuple[Chunk, ...]:
    return short_run.read_chunks(short_run.HARSH)


def test_results_are_the_same_bytes_over_random_cuttings_and_interleavings(tmp_path: Path) -> None:
    assert study(4, tmp_path) == 4


def test_cuttings_and_interleavings_are_far_from_the_original(read: tuple[Chunk, ...]) -> None:
    """So that the law is not kept by an easy shuffle: devices overtake each other, bytes stay the same."""
    rng = np.random.default_rng(1)
    mixed = list(recut(interleaved(read, rng), rng))
    assert len(mixed) > 2 * len(read)
    stamps = np.array([chunk.t_host_ns for chunk in mixed])
    behind = np.maximum.accumulate(stamps) - stamps
    assert STRAY_NS / 2 < behind.max() <= STRAY_NS
    for device in short_run.RATES:
        sent = [b"".join(c.data for c in given if c.device == device and not c.sent) for given in (read, mixed)]
        assert sent[0] == sent[1]


def test_the_run_holds_every_kind_of_trouble(read: tuple[Chunk, ...]) -> None:
    """So that the law is not kept by an easy run."""
    found = results(read)
    counts = Counter[str]()
    for record in found:
        if isinstance(record, Health) and record.source in short_run.RATES:
            counts.update(record.counts)
    for name in ("samples", "missing", "reordered", "unsynchronised"):
        assert counts[name] > 0, name
    forms = {block.form for block in found if isinstance(block, GridBlock)}
    assert forms == {Form.CAUSAL, Form.LAGGED}
    flags = np.bitwise_or.reduce(np.concatenate([b.quality for b in found if isinstance(b, GridBlock)]))
    for flag in (Quality.MISSING, Quality.BRIDGED, Quality.SLIPPING, Quality.STANDSTILL):
        assert flags & flag, flag.name
