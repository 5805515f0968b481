"""The device's end of a pseudo terminal: to the host, a serial adapter that can be unplugged."""

import contextlib
import fcntl
import os
import struct
import termios
import tty
from collections.abc import Iterable
from pathlib import Path

READ_SIZE = 65536


class PtyPort:
    """A pseudo terminal under a stable name. Writing never blocks; what a host leaves unread is dropped."""

    def __init__(self, path: Path, *, buffer_bytes: int) -> None:
        """path: the name hosts open; buffer_bytes: most bytes waiting for the host besides the kernel's own."""
        self.path = path
        self.frames_dropped = 0
        self._buffer_bytes = buffer_bytes
        self._buffer = bytearray()
        self._master = -1
        self._slave = -1

    @property
    def is_open(self) -> bool:
        return self._master >= 0

    def fileno(self) -> int:
        """For select; readable when the host has sent something."""
        return self._master

    def open(self) -> None:
        """Appear under the name."""
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # a rename replaces a stale name in one step: a host never finds half a name
        fresh = self.path.with_name(f".{self.path.name}.new")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(os.ttyname(self._slave))
        fresh.replace(self.path)

    def close(self) -> None:
        """Vanish: the name goes, and a host that has the port open finds it hung up."""
        if self.is_open:
            self.path.unlink(missing_ok=True)
            os.close(self._master)
            os.close(self._slave)
            self._master = self._slave = -1
            self._buffer.clear()

    def read(self) -> bytes:
        """What the host has sent; b"" for nothing."""
        with contextlib.suppress(BlockingIOError):
            return os.read(self._master, READ_SIZE)
        return b""

    def write(self, frames: Iterable[bytes]) -> None:
        """Queue frames, whole or not at all, and send what the host takes."""
        for frame in frames:
            if len(self._buffer) + len(frame) > self._buffer_bytes:
                self._push()
            if len(self._buffer) + len(frame) > self._buffer_bytes:
                self.frames_dropped += 1
            else:
                self._buffer += frame
        self._push()

    def is_drained(self) -> bool:
        """Whether the host has read everything."""
        self._push()
        # the slave is held open here too, so its input queue can be asked for its length
        (unread,) = struct.unpack("i", fcntl.ioctl(self._slave, termios.FIONREAD, b"\0" * 4))
        return not self._buffer and unread == 0

    def _push(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._buffer:
                del self._buffer[: os.write(self._master, self._buffer)]
