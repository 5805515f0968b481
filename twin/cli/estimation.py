"""The twin beside the recording: on a thread of its own, so that estimating never makes the recording wait."""

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from firmware_interface import Chunk
from recordings import ResultWriter
from twin.cli.config import RunConfig
from twin.cli.processing import Item, Processing
from twin.core.estimate import Form, GridBlock, Result
from twin.geometry.heads import HeadsFound

WAITING_BYTES = 64 * 1024 * 1024
"""Raw bytes that may wait for the twin: half an hour of an IMU and an encoder. Beyond, they are for the replay."""
STANDING_S = 3.0
"""A train that reached no new point of the grid for so long stands [s]: 0.25 m in 3 s is less than walking."""


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """The train as the twin last saw it."""

    s: float
    """Along the line [m]."""
    speed: float
    """[m/s]; 0 where it stands."""
    lag_s: float
    """Data time the twin is behind the newest byte [s]."""


class Estimation:
    """Takes what was recorded and writes what the twin makes of it. Use as a context manager.

    Should it fall behind without bound, bytes are left out and counted; should it fail, the run goes on recording
    and `failure` says why. A replay makes the results whole.
    """

    def __init__(self, config: RunConfig, writer: ResultWriter, *, earlier: Iterable[Item] = ()) -> None:
        """writer: closed at the end; earlier: what a run that is continued recorded before, caught up with first."""
        self.failure: str | None = None
        self.points = 0
        """Points of the grid passed so far."""
        self.skipped = 0
        """Reads left out because the twin was too far behind."""
        self._processing = Processing(config)
        self._writer = writer
        self._earlier = earlier
        self._waiting: deque[Item | HeadsFound] = deque()
        self._waiting_bytes = 0
        self._newest_ns = 0
        self._closed = False
        self._changed = threading.Condition()
        self._last: tuple[float, float, int] | None = None  # place, speed and time of the newest point
        self._thread = threading.Thread(target=self._run, name="twin", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Returns when everything offered has become results."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def offer(self, item: Item | HeadsFound) -> None:
        """Hand an item over without waiting."""
        size = len(item.data) if isinstance(item, Chunk) else 0
        with self._changed:
            if isinstance(item, Chunk):
                self._newest_ns = max(self._newest_ns, item.t_host_ns)
            if self.failure is not None:
                return
            if self._waiting_bytes + size > WAITING_BYTES:
                self.skipped += 1
                return
            self._waiting_bytes += size
            self._waiting.append(item)
            self._changed.notify()

    def whereabouts(self) -> Whereabouts | None:
        """The train as the twin last saw it; None before its first point."""
        last, now_ns = self._last, self._processing.t_ns
        if last is None:
            return None
        s, speed, t_ns = last
        stands = now_ns - t_ns > STANDING_S * 1e9
        return Whereabouts(s, 0.0 if stands else speed, max(0, self._newest_ns - now_ns) * 1e-9)

    def problems(self) -> list[str]:
        """Devices that answer, but are not those configured."""
        return self._processing.problems()

    def _run(self) -> None:
        try:
            with self._writer:
                for item in self._items():
                    self._write(self._processing.feed(item))
                self._write(self._processing.finish())
        except Exception as error:  # whatever it is, it must not take the recording with it
            with self._changed:
                self.failure = f"{type(error).__name__}: {error}"
                self._waiting.clear()

    def _items(self) -> Iterator[Item | HeadsFound]:
        yield from self._earlier
        while True:
            with self._changed:
                while not self._waiting and not self._closed:
                    self._changed.wait()
                if not self._waiting:
                    return
                item = self._waiting.popleft()
                self._waiting_bytes -= len(item.data) if isinstance(item, Chunk) else 0
            yield item

    def _write(self, results: Iterable[Result]) -> None:
        for result in results:
            self._writer.write(result)
            if not isinstance(result, GridBlock) or result.name != "navigation":
                continue
            if result.form is Form.CAUSAL and result.index.size:
                self.points += int(result.index.size)
                self._last = (float(result.s[-1]), float(result["speed"][-1]), int(result.t_ns[-1]))
