"""Results of a recording, made anew: the live path over recorded bytes, and the path that sees the whole run."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from firmware_interface import Chunk
from recordings import ClockPair, RecordedImage, RecordingReader, ResultWriter, has_images, in_order
from recordings.damage import DamageReport, together
from recordings.segments import IMAGES
from twin.cli.comparison import Comparison, compare
from twin.cli.config import RunConfig
from twin.cli.console import part_of
from twin.cli.heads import HeadStore, heads_ahead, heads_found
from twin.cli.processing import Decoded, Found, Item, Processing, raw_blocks, twin_setup
from twin.cli.run_directory import RunDirectory, result_metadata
from twin.cli.stretch import Stretch
from twin.core.blocks import RawBlock
from twin.core.estimate import OperatorEvent, Result
from twin.geometry.heads import HeadsFound
from twin.pipeline.offline import smooth
from twin.pipeline.twin import Seen, TwinSetup

Progress = Callable[[float], None]
"""Is told the share that is done, 0 to 1."""
MESSAGE_BYTES = 31
"""A recorded message takes so many bytes more than it holds."""
FIRST_PASS = 0.4
"""Share of the smoothing that finds positions; the rest uses them."""
ALONE_BYTES = 8_000_000
"""Recordings up to this size are seen through before other processes have started: some seconds of images."""
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
    images: RecordingReader | None = None
    """Images beside the bytes of the devices."""

    @property
    def size(self) -> int:
        """Of what is recorded [bytes]."""
        readers = (self.reader, self.images)
        return sum(segment.size for reader in readers if reader is not None for segment in reader.segments)

    @property
    def damage(self) -> DamageReport:
        """What the last pass could not read."""
        readers = (self.reader, self.images)
        return together(*(reader.damage for reader in readers if reader is not None))

    def results(
        self, *, speed: float | None = None, progress: Progress, heads: HeadStore | None = None
    ) -> Comparison | None:
        """Write the results as a live run does, and say how they compare with those that were there before.

        Earlier results that differ stay beside the new ones as results-before.mcap: a difference is worth a look.
        speed: times real time; None for as fast as it goes; heads: where those found are kept.
        """
        run, found = self.run, None
        fresh = run.results.with_suffix(".new")
        with ResultWriter(fresh, result_metadata(self.config)) as writer:
            for result in self._kept(self._processed(speed, progress, heads)):
                writer.write(result)
        if run.results.is_file():
            found = compare(fresh, run.results)
            if not found.equal:
                run.results.replace(run.results.with_name("results-before.mcap"))
        fresh.replace(run.results)
        return found

    def smoothed(self, *, progress: Progress, heads: HeadStore | None = None) -> None:
        """Write the results that have seen the whole run; heads: those found before, if they were kept."""
        fresh = self.run.smoothed.with_suffix(".new")
        setup = twin_setup(self.config)
        passes = iter((part_of(progress, 0, FIRST_PASS), part_of(progress, FIRST_PASS, 1)))
        rounds = iter((partial(self._navigated, setup), partial(self._seen, setup, heads)))

        with ResultWriter(fresh, result_metadata(self.config)) as writer:
            for result in self._kept(smooth(setup, lambda: next(rounds)(next(passes)))):
                writer.write(result)
        fresh.replace(self.run.smoothed)

    def _navigated(self, setup: TwinSetup, progress: Progress) -> Iterator[Seen]:
        """Samples of everything but what sees the rails."""
        chunks = (item for item in self._items(progress, images=False) if isinstance(item, Chunk))
        return raw_blocks(self.config, chunks, but=_seeing(setup))

    def _seen(self, setup: TwinSetup, heads: HeadStore | None, progress: Progress) -> Iterator[Seen]:
        """Samples, and heads: found now, or those kept in the place of the items they came from."""
        processing = Processing(self.config)
        if heads is None:
            decoded = (each for item in self._items(progress) for each in processing.decode(item))
            yield from (item for item in self._with_heads(decoded, setup) if isinstance(item, RawBlock | HeadsFound))
            return
        seeing, kept = _seeing(setup), iter(heads)
        following = next(kept, None)
        for position, item in enumerate(self._items(progress)):
            while following is not None and following[0] <= position:
                yield following[1]
                following = next(kept, None)
            if isinstance(item, Chunk) and item.device not in seeing:
                yield from (each for each in processing.decode(item) if isinstance(each, RawBlock))

    def _processed(self, speed: float | None, progress: Progress, heads: HeadStore | None) -> Iterator[Result]:
        processing, setup = Processing(self.config), twin_setup(self.config)
        numbers: deque[int] = deque()
        seeing = _seeing(setup)

        def decoded() -> Iterator[Decoded]:
            for position, item in enumerate(paced(self._items(progress), speed)):
                for each in processing.decode(item):
                    if not isinstance(each, OperatorEvent) and _name(each) in seeing:
                        numbers.append(position)
                    yield each

        for item in self._with_heads(decoded(), setup, ahead=speed is None):
            if isinstance(item, HeadsFound):
                position = numbers.popleft()
                if heads is not None:
                    heads.add(position, item)
            yield from processing.follow(item)
        yield from processing.finish()

    def _with_heads(self, items: Iterable[Decoded], setup: TwinSetup, *, ahead: bool = True) -> Iterator[Found]:
        """The items with heads in place of what sees the rails; ahead: whether other processes may work ahead."""
        if setup.geometry is None:
            return iter(items)
        if ahead and self.size > ALONE_BYTES:
            return heads_ahead(items, setup.geometry)
        return heads_found(items, setup.geometry)

    def _kept(self, results: Iterable[Result]) -> Iterator[Result]:
        for result in results:
            kept = result if self.stretch is None else self.stretch.select(result)
            if kept is not None:
                yield kept

    def _items(self, progress: Progress, *, images: bool = True) -> Iterator[Item]:
        """What is recorded, with the progress told by bytes."""
        total, done = self.size, 0
        for number, item in enumerate(recorded_items(self.reader, self.images if images else None)):
            yield item
            done += MESSAGE_BYTES + (0 if isinstance(item, OperatorEvent) else len(item.data))
            if number % TOLD_EVERY == 0:
                progress(min(done / max(total, 1), 1.0))
        progress(1.0)


def recorded_items(reader: RecordingReader, images: RecordingReader | None = None) -> Iterator[Item]:
    """What a run was fed with, in its order."""
    for item in in_order(reader, images):
        if not isinstance(item, ClockPair):
            yield item


def images_beside(path: Path) -> RecordingReader | None:
    """The images of a recording; None where there are none."""
    return RecordingReader(path, stem=IMAGES) if has_images(path) else None


def _seeing(setup: TwinSetup) -> frozenset[str]:
    """Names of what sees the rails."""
    return frozenset(() if setup.geometry is None else setup.geometry.sources)


def _name(item: RawBlock | RecordedImage) -> str:
    return item.camera if isinstance(item, RecordedImage) else item.source


def paced(items: Iterable[Item], speed: float | None) -> Iterator[Item]:
    """The items, none before its time at this speed; at once if None."""
    origin_ns, began = None, time.monotonic()
    for item in items:
        if speed is not None:
            t_ns = item.t_host_ns if isinstance(item, Chunk) else item.t_ns
            origin_ns = t_ns if origin_ns is None else origin_ns
            time.sleep(max(0.0, began + (t_ns - origin_ns) * 1e-9 / speed - time.monotonic()))
        yield item
