"""Rail heads of a recording found ahead of the twin, by a process for each camera or scanner; and kept.

Each source is followed by one process, in the order of its images, so what is found does not depend on the machine.
"""

import struct
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from tempfile import TemporaryFile
from typing import IO, TypeVar

import numpy as np

from recordings import RecordedImage
from recordings.image_record import decode
from twin.cli.workers import end_with_parent
from twin.core.blocks import RawBlock
from twin.geometry.fusion import SeenRail
from twin.geometry.heads import Finder, HeadConfig, HeadsFound, RailImage
from twin.pipeline.track_geometry import GeometrySetup, RailSource

BATCH = 16
"""Images or blocks handed over at once."""
WINDOW = 1024
"""Items read ahead of the twin: some seconds of a recording, and some megabytes."""
WIDTH = 8
"""Numbers of one head: y, z, their variances, roll, three wears."""
_COLUMNS = ("y", "z", "var_y", "var_z", "roll", "wear")
_ITEM = struct.Struct("<qqBB")
_HEAD = struct.Struct("<BI")

Other = TypeVar("Other")


def rail_image(image: RecordedImage) -> RailImage:
    """An image as it was recorded, on its way into the twin."""
    record = decode(image.data)
    if isinstance(record, str):
        return RailImage(image.camera, image.t_ns, 0, None)
    return RailImage(image.camera, record.t_ns, record.start_ns, record.seen)


class _Batch:
    """Items of one source that go to its process together."""

    def __init__(self) -> None:
        self.items: list[RawBlock | RecordedImage] = []
        self.found: Future[list[HeadsFound]] | None = None


def heads_ahead(
    items: Iterable[RawBlock | RecordedImage | Other], setup: GeometrySetup
) -> Iterator[RawBlock | HeadsFound | Other]:
    """The items in their order, with heads in the place of what sees the rails."""
    with ExitStack() as stack:
        workers = {
            name: stack.enter_context(_worker(source, setup.config.heads)) for name, source in setup.sources.items()
        }
        open_batches = {name: _Batch() for name in workers}
        waiting: deque[tuple[_Batch, int] | RawBlock | HeadsFound | Other] = deque()
        for item in items:
            name = _source(item)
            if name in workers and isinstance(item, RawBlock | RecordedImage):
                batch = open_batches[name]
                waiting.append((batch, len(batch.items)))
                batch.items.append(item)
                if len(batch.items) == BATCH:
                    _send(batch, workers[name])
                    open_batches[name] = _Batch()
            elif not isinstance(item, RecordedImage):
                waiting.append(item)
            if len(waiting) > WINDOW:
                yield _next(waiting, workers, open_batches)
        while waiting:
            yield _next(waiting, workers, open_batches)


def heads_found(
    items: Iterable[RawBlock | RecordedImage | Other], setup: GeometrySetup
) -> Iterator[RawBlock | HeadsFound | Other]:
    """The same as heads_ahead(), one after the other."""
    finders = setup.finders()
    for item in items:
        finder = finders.get(_source(item))
        if finder is not None and isinstance(item, RawBlock | RecordedImage):
            yield finder.process(rail_image(item) if isinstance(item, RecordedImage) else item)
        elif not isinstance(item, RecordedImage):
            yield item


def _next(
    waiting: "deque[tuple[_Batch, int] | RawBlock | HeadsFound | Other]",
    workers: Mapping[str, ProcessPoolExecutor],
    open_batches: dict[str, _Batch],
) -> RawBlock | HeadsFound | Other:
    first = waiting.popleft()
    if not isinstance(first, tuple):
        return first
    batch, place = first
    if batch.found is None:
        name = _source(batch.items[0])
        _send(batch, workers[name])
        open_batches[name] = _Batch()
    assert batch.found is not None  # noqa: S101  sent above
    return batch.found.result()[place]


def _source(item: object) -> str:
    if isinstance(item, RecordedImage):
        return item.camera
    return item.source if isinstance(item, RawBlock) else ""


def _send(batch: _Batch, worker: ProcessPoolExecutor) -> None:
    batch.found = worker.submit(_find, batch.items)


def _worker(source: RailSource, heads: HeadConfig) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_prepare, initargs=(source, heads))


_finder: Finder | None = None
"""Of a worker process."""


def _prepare(source: RailSource, heads: HeadConfig) -> None:
    global _finder
    end_with_parent()
    _finder = source.finder(heads)


def _find(items: list[RawBlock | RecordedImage]) -> list[HeadsFound]:
    if _finder is None:
        raise RuntimeError("a worker without a finder")
    return [_finder.process(rail_image(item) if isinstance(item, RecordedImage) else item) for item in items]


class HeadStore:
    """Heads of a run in the order they were found, in a file without a name: 0.1 kB for each."""

    def __init__(self) -> None:
        self._file: IO[bytes] = TemporaryFile(prefix="railtwin-heads-")  # noqa: SIM115  closed by close()
        self._sources: list[str] = []
        self._counts: dict[str, Counter[str]] = {}

    def close(self) -> None:
        """Forget everything."""
        self._file.close()

    def add(self, position: int, found: HeadsFound) -> None:
        """Keep heads that came from the item of the recording at a position."""
        if found.source not in self._sources:
            self._sources.append(found.source)
        self._counts.setdefault(found.source, Counter()).update(found.counts)
        source = self._sources.index(found.source)
        self._file.write(_ITEM.pack(position, found.t_ns, source, len(found.heads)))
        for head in found.heads:
            values = np.column_stack([getattr(head, name) for name in _COLUMNS])
            self._file.write(_HEAD.pack(head.rail, len(head)))
            for part in (head.t_ns, values, head.good):
                self._file.write(part.tobytes())

    def __iter__(self) -> Iterator[tuple[int, HeadsFound]]:
        """Heads with the positions of their items; the counts of a source come all with its first ones."""
        self._file.flush()
        self._file.seek(0)
        counts: dict[str, Mapping[str, int]] = dict(self._counts)
        while data := self._file.read(_ITEM.size):
            position, t_ns, source, heads = _ITEM.unpack(data)
            name = self._sources[source]
            yield position, HeadsFound(name, t_ns, tuple(self._head() for _ in range(heads)), counts.pop(name, {}))

    def _head(self) -> SeenRail:
        rail, n = _HEAD.unpack(self._file.read(_HEAD.size))
        t_ns = np.frombuffer(self._file.read(8 * n), dtype=np.int64)
        values = np.frombuffer(self._file.read(8 * n * WIDTH), dtype=np.float64).reshape(n, WIDTH)
        good = np.frombuffer(self._file.read(n), dtype=np.bool_)
        y, z, var_y, var_z, roll = values[:, :5].T
        return SeenRail(rail, t_ns, y, z, var_y, var_z, roll, values[:, 5:], good)
