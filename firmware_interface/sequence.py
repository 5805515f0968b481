"""What the sequence numbers of one device say about packets lost, repeated and out of order."""

from enum import Enum, auto

_WRAP = 1 << 16


class Arrival(Enum):
    """How a packet came, judged by its sequence number."""

    NEXT = auto()
    """The first packet, or the one expected."""
    GAP = auto()
    """Packets before it are missing; they may still come."""
    REORDERED = auto()
    """One that was missing."""
    DUPLICATE = auto()
    """Seen before."""
    RESTART = auto()
    """Older than the window: the sender counts anew."""


class SequenceMonitor:
    """Counts loss, repetition and disorder of one device. Memory: one bit per number in the window."""

    WINDOW = 64
    """A number this much older than the newest is no straggler: serial adapters reorder a few packets at most."""

    def __init__(self) -> None:
        self.lost = 0
        """Never came, as far as is known now: a packet that still comes is taken off again."""
        self.duplicated = 0
        self.reordered = 0
        self.restarts = 0
        self._newest: int | None = None
        self._seen = 0  # bit i: the number i before the newest has come
        self._span = 0  # from the first number to the newest: what is older was never counted as lost

    def observe(self, sequence: int) -> Arrival:
        """Judge one packet. A gap of more than 32767 packets cannot be told from a restart."""
        if self._newest is None:
            return self._begin(sequence, Arrival.NEXT)
        ahead = (sequence - self._newest) % _WRAP
        if 0 < ahead < _WRAP // 2:
            self._newest = sequence
            self._seen = (self._seen << min(ahead, self.WINDOW) | 1) & ((1 << self.WINDOW) - 1)
            self._span += ahead
            self.lost += ahead - 1
            return Arrival.NEXT if ahead == 1 else Arrival.GAP
        behind = (self._newest - sequence) % _WRAP
        if behind >= self.WINDOW:
            self.restarts += 1
            return self._begin(sequence, Arrival.RESTART)
        if self._seen >> behind & 1:
            self.duplicated += 1
            return Arrival.DUPLICATE
        self._seen |= 1 << behind
        self.reordered += 1
        self.lost -= behind < self._span
        return Arrival.REORDERED

    def restart(self) -> None:
        """Forget the numbers, keep the counts: the device is known to count anew."""
        self._newest = None

    def _begin(self, sequence: int, arrival: Arrival) -> Arrival:
        self._newest, self._seen, self._span = sequence, 1, 0
        return arrival
