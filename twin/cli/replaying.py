"""Results of a recording, made anew: the live path over recorded bytes, and the path that sees the whole run."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from firmware_interface import Chunk
from recordings import ClockPair, RecordingReader, ResultWriter
from twin.cli.comparison import Comparison, compare
from twin.cli.config import RunConfig
from twin.cli.console import part_of
from twin.cli.processing import Processing, raw_blocks, twin_setup
from twin.cli.run_directory import RunDirectory, result_metadata
from twin.cli.stretch import Stretch
from twin.core.blocks import RawBlock
from twin.core.estimate import OperatorEvent, Result
from twin.pipeline.offline import smooth

Progress = Callable[[float], None]
"""Is told the share that is done, 0 to 1."""
Item = Chunk | OperatorEvent

MESSAGE_BYTES = 31
"""A recorded message takes so many bytes more than it holds."""
FIRST_PASS = 0.4
"""Share of the smoothing that finds positions; the rest uses them."""
TOLD_EVERY = 256
"""Items between two words on the progress."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A recording, the configuration to see it with, and where its results go."""

    reader: RecordingReader
    config: RunConfig
    run: RunDirectory
    stretch: Stretch | None = None
    """Of which results are kept; all if None. The whole recording is processed: estimates have a past."""

    def results(self, *, speed: float | None = None, progress: Progress) -> Comparison | None:
        """Write the results as a live run does, and say how they compare with those that were there before.

        Earlier results that differ stay beside the new ones as results-before.mcap: a difference is worth a look.
        speed: times real time; None for as fast as it goes.
        """
        run, found = self.run, None
        fresh = run.results.with_suffix(".new")
        with ResultWriter(fresh, result_metadata(self.config)) as writer:
            for result in self._kept(self._processed(speed, progress)):
                writer.write(result)
        if run.results.is_file():
            found = compare(fresh, run.results)
            if not found.equal:
                run.results.replace(run.results.with_name("results-before.mcap"))
        fresh.replace(run.results)
        return found

    def smoothed(self, *, progress: Progress) -> None:
        """Write the results that have seen the whole run."""
        fresh = self.run.smoothed.with_suffix(".new")
        passes = iter((part_of(progress, 0, FIRST_PASS), part_of(progress, FIRST_PASS, 1)))

        def blocks() -> Iterator[RawBlock]:
            items = self._items(next(passes))
            return raw_blocks(self.config, (item for item in items if isinstance(item, Chunk)))

        with ResultWriter(fresh, result_metadata(self.config)) as writer:
            for result in self._kept(smooth(twin_setup(self.config), blocks)):
                writer.write(result)
        fresh.replace(self.run.smoothed)

    def _processed(self, speed: float | None, progress: Progress) -> Iterator[Result]:
        processing = Processing(self.config)
        for item in paced(self._items(progress), speed):
            yield from processing.feed(item)
        yield from processing.finish()

    def _kept(self, results: Iterable[Result]) -> Iterator[Result]:
        for result in results:
            kept = result if self.stretch is None else self.stretch.select(result)
            if kept is not None:
                yield kept

    def _items(self, progress: Progress) -> Iterator[Item]:
        """What is recorded, with the progress told by bytes."""
        total, done = sum(segment.size for segment in self.reader.segments), 0
        for number, item in enumerate(recorded_items(self.reader)):
            yield item
            done += MESSAGE_BYTES + (len(item.data) if isinstance(item, Chunk) else 0)
            if number % TOLD_EVERY == 0:
                progress(min(done / max(total, 1), 1.0))
        progress(1.0)


def recorded_items(reader: RecordingReader) -> Iterator[Item]:
    """What a run was fed with, in its order."""
    for numbered in reader.items():
        if not isinstance(numbered.item, ClockPair):
            yield numbered.item


def paced(items: Iterable[Item], speed: float | None) -> Iterator[Item]:
    """The items, none before its time at this speed; at once if None."""
    origin_ns, began = None, time.monotonic()
    for item in items:
        if speed is not None:
            t_ns = item.t_host_ns if isinstance(item, Chunk) else item.t_ns
            origin_ns = t_ns if origin_ns is None else origin_ns
            time.sleep(max(0.0, began + (t_ns - origin_ns) * 1e-9 / speed - time.monotonic()))
        yield item
