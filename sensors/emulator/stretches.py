"""A long run as timed packets: its stretches are fetched as the packets are taken, so memory does not grow with it."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sensors.config import DeviceConfig
from sensors.emulator.packets import Stream, TimedPacket, device_of, packets_of_stream
from sensors.emulator.quantise import quantiser_of
from twin.core.arrays import Array


@dataclass(frozen=True, slots=True)
class _Samples:
    """A piece of a stream."""

    source: str
    kind: str
    t: Array
    values: Array


class _Grouped:
    """Pieces of one stream, cut where packets end. Remembers the samples of a packet that is not full."""

    def __init__(self, device: DeviceConfig) -> None:
        self._device = device
        self._samples = quantiser_of(device).samples_per_packet
        self._held: Stream | None = None

    def process(self, piece: Stream) -> Iterator[TimedPacket]:
        """Packets that are full by now."""
        whole = piece if self._held is None else _joined(self._held, piece)
        full = whole.t.size - whole.t.size % self._samples
        self._held = _part(whole, slice(full, None))
        return packets_of_stream(_part(whole, slice(0, full)), self._device)

    def flush(self) -> Iterator[TimedPacket]:
        """The last packet, which may be shorter."""
        held, self._held = self._held, None
        return iter(()) if held is None else packets_of_stream(held, self._device)


class StretchFeed:
    """Packets of every source of a run. Fetches the next stretch when one of them runs dry."""

    def __init__(self, stretches: Iterable[Sequence[Stream]], devices: Mapping[str, DeviceConfig]) -> None:
        """stretches: consecutive ones, each with a piece of every source in the same order."""
        self._stretches = iter(stretches)
        first = next(self._stretches, ())
        self.devices = tuple(device_of(stream, devices) for stream in first)
        """Those of the sources, in their order."""
        self.begin = min((float(stream.t[0]) for stream in first if stream.t.size), default=0.0)
        """Time of the first sample of all [s]."""
        self._grouped = [_Grouped(device) for device in self.devices]
        self._waiting: list[deque[TimedPacket]] = [deque() for _ in self.devices]
        self._ended = False
        self._take(first)

    def packets(self, number: int) -> Iterator[TimedPacket]:
        """All packets of the source of a number, in order."""
        waiting = self._waiting[number]
        while waiting or self._fetch():
            if waiting:
                yield waiting.popleft()

    def _fetch(self) -> bool:
        """Whether there was more."""
        if self._ended:
            return False
        stretch = next(self._stretches, None)
        if stretch is None:
            self._ended = True
            for grouped, waiting in zip(self._grouped, self._waiting, strict=True):
                waiting.extend(grouped.flush())
        else:
            self._take(stretch)
        return True

    def _take(self, stretch: Sequence[Stream]) -> None:
        for grouped, waiting, stream in zip(self._grouped, self._waiting, stretch, strict=True):
            waiting.extend(grouped.process(stream))


def _joined(first: Stream, second: Stream) -> Stream:
    t, values = np.concatenate((first.t, second.t)), np.concatenate((first.values, second.values))
    return _Samples(second.source, second.kind, t, values)


def _part(stream: Stream, rows: slice) -> Stream:
    return _Samples(stream.source, stream.kind, stream.t[rows], stream.values[rows])
