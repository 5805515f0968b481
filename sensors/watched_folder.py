"""A folder into which another program writes images as they are taken, each named in an index when it is whole."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from sensors.host_clock import HostClock
from sensors.laser_camera import INDEX, TimedImage, read_image

POLL = 2e-3
"""Between two looks at the index [s]."""
SILENCE = 30.0
"""Time without a new line after which the folder has ended [s]."""


class WatchedFolder:
    """Reads index.csv as it grows: lines of time [ns] and name of the file, under a heading.

    Times are those of the machine's monotonic clock when the image was taken.
    """

    def __init__(self, folder: Path, clock: HostClock, *, shape: tuple[int, int], silence: float = SILENCE) -> None:
        """shape: rows and columns wanted; silence: time without an image after which it has ended [s]."""
        self._folder, self._clock, self._shape, self._silence = folder, clock, shape, silence
        self.faults: Counter[str] = Counter()

    def frames(self) -> Iterator[TimedImage]:
        """Images as they are named; one that cannot be read is counted."""
        last: int | None = None
        for line in self._lines():
            t_text, _, name = line.partition(",")
            path = (self._folder / name.strip()).resolve()
            if not t_text.strip().isdecimal() or self._folder.resolve() not in path.parents:
                self.faults["index"] += 1
                continue
            t_ns = int(t_text)
            image, fault = read_image(path)
            if image is None or image.shape != self._shape:
                self.faults[fault or "other size"] += 1
            elif last is not None and t_ns <= last:
                self.faults["not later"] += 1
            else:
                last = t_ns
                yield TimedImage(t_ns, image)

    def _lines(self) -> Iterator[str]:
        """Whole lines of the index after its heading, as they come."""
        position, text, heading = 0, "", True
        heard_ns = self._clock.now_ns()
        while (self._clock.now_ns() - heard_ns) * 1e-9 < self._silence:
            try:
                with (self._folder / INDEX).open("rb") as index:
                    index.seek(position)
                    data = index.read()
            except OSError:  # not there yet
                data = b""
            if not data:
                self._clock.sleep(POLL)
                continue
            heard_ns, position = self._clock.now_ns(), position + len(data)
            *lines, text = (text + data.decode("utf-8", errors="replace")).split("\n")
            for line in lines:
                if not heading:
                    yield line
                heading = False
