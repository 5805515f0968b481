"""Messages between the run and the disk: bounded in time and memory, losses counted, nothing forgotten early."""

import threading
from collections import deque
from collections.abc import Callable
from typing import NamedTuple


class Item(NamedTuple):
    sequence: int
    channel: int
    t_ns: int
    data: bytes
    offered_s: float


class Backlog:
    """A queue whose items leave only when they are durable."""

    def __init__(self, *, queue_s: float, queue_bytes: int, seconds: Callable[[], float]) -> None:
        """queue_s: age of the oldest item at which new ones are lost [s]; seconds: a monotonic clock [s]."""
        self._queue_s, self._queue_bytes, self._seconds = queue_s, queue_bytes, seconds
        self._items: deque[Item] = deque()
        self._changed = threading.Condition()
        self._bytes = 0
        self._urgent = False
        self.offered = 0
        """Messages offered, lost ones too: the number of the next one."""
        self.accepted = 0
        """One more than the number of the last message that was not lost."""
        self.committed = 0
        """Everything numbered below is durable, or was counted as lost."""
        self.lost = 0
        self.lost_bytes = 0

    def __len__(self) -> int:
        return len(self._items)

    def offer(self, channel: int, t_ns: int, data: bytes) -> bool:
        """Add without waiting; False, and counted, where there is no room. A lost message uses up its number."""
        with self._changed:
            if not self._has_room(len(data)):
                self.offered += 1
                self.lost += 1
                self.lost_bytes += len(data)
                return False
            self._add(channel, t_ns, data)
            return True

    def add(self, channel: int, t_ns: int, data: bytes) -> None:
        """Add, waiting for room: for sources that can wait, such as a simulation."""
        with self._changed:
            while not self._has_room(len(data)):
                self._urgent = True
                self._changed.notify_all()
                self._changed.wait(0.1)
            self._add(channel, t_ns, data)

    def _has_room(self, size: int) -> bool:
        if not self._items:
            return True
        age = self._seconds() - self._items[0].offered_s
        return age <= self._queue_s and self._bytes + size <= self._queue_bytes

    def _add(self, channel: int, t_ns: int, data: bytes) -> None:
        self._items.append(Item(self.offered, channel, t_ns, data, self._seconds()))
        self._bytes += len(data)
        self.offered += 1
        self.accepted = self.offered
        if self._bytes > self._queue_bytes // 4 and not self._urgent:
            self._urgent = True
            self._changed.notify_all()

    def waiting(self) -> list[Item]:
        """Everything not yet durable, oldest first."""
        with self._changed:
            self._urgent = False
            return list(self._items)

    def release(self, sequence: int) -> None:
        """Everything numbered below is durable."""
        with self._changed:
            while self._items and self._items[0].sequence < sequence:
                self._bytes -= len(self._items.popleft().data)
            self.committed = max(self.committed, sequence)
            self._changed.notify_all()

    def surrender(self) -> None:
        """Count what is left as lost: the disk is gone and the run is over."""
        with self._changed:
            self.lost += len(self._items)
            self.lost_bytes += self._bytes
            self._items.clear()
            self._bytes = 0
            self._changed.notify_all()

    def hurry(self) -> None:
        """Wake whoever pauses."""
        with self._changed:
            self._urgent = True
            self._changed.notify_all()

    def pause(self, seconds: float) -> None:
        """Wait, at most until someone is in a hurry."""
        with self._changed:
            self._changed.wait_for(lambda: self._urgent, timeout=seconds)
            self._urgent = False

    def wait_committed(self, seconds: float) -> bool:
        """Wait until everything accepted so far is durable; False after the given time."""
        with self._changed:
            goal = self.accepted
            self._urgent = True
            self._changed.notify_all()
            return self._changed.wait_for(lambda: self.committed >= goal, timeout=seconds)
