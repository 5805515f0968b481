"""Serial ports: the only module that knows pyserial. A port either works or is lost; a Link brings it back."""

import errno
import select
import time

import serial
from serial.tools import list_ports

from twin.core.errors import DeviceError

READ_SIZE = 65536
"""Most bytes one read returns: far above what a port buffers (4 kB), so that one read empties it."""
WRITE_TIMEOUT = 0.2
"""[s] Commands are some 40 bytes: a device that takes longer to accept them has stopped listening."""


class PortLostError(DeviceError):
    """An open port that went away: unplugged, hung up, or no longer accepting bytes."""


class Port:
    """One serial port, opened exclusively, 8N1, raw. Reads wait for the first byte and take what is there."""

    def __init__(self, path: str, baud: int) -> None:
        self.path = path
        self.baud = baud
        self._serial: serial.Serial | None = None

    @property
    def is_open(self) -> bool:
        return self._serial is not None

    def open(self) -> None:
        """Open the port, dropping bytes that arrived before; DeviceError says what to do when that fails."""
        self.close()
        try:
            self._serial = serial.Serial(self.path, self.baud, timeout=0, write_timeout=WRITE_TIMEOUT, exclusive=True)
        except (OSError, ValueError) as error:
            raise DeviceError(f"{self.path}: {_remedy(error)}") from error

    def read(self, timeout: float) -> bytes:
        """The bytes that are there, at once if any, else after at most timeout [s]; b"" when none came."""
        port = self._opened()
        try:
            if not select.select([port.fileno()], [], [], timeout)[0]:
                return b""
            return bytes(port.read(READ_SIZE))
        except (OSError, ValueError, TypeError) as error:  # pyserial's own errors are OSErrors
            raise self._lost(error) from error

    def write(self, data: bytes) -> None:
        """Send all of data within WRITE_TIMEOUT, or the port is lost."""
        port = self._opened()
        try:
            port.write(data)
        except (OSError, ValueError, TypeError) as error:
            raise self._lost(error) from error

    def close(self) -> None:
        """Close; closing twice, or a port that is gone, is not an error."""
        port, self._serial = self._serial, None
        if port is not None:
            try:
                port.close()
            except OSError:
                return  # the device is gone: nothing is left to close

    def _opened(self) -> serial.Serial:
        if self._serial is None:
            raise PortLostError(f"{self.path}: the port is not open")
        return self._serial

    def _lost(self, error: Exception) -> PortLostError:
        self.close()
        return PortLostError(f"{self.path}: the device is gone ({error}); check its plug and cable")


class Link:
    """A port that comes back: after a loss, attempts to reopen follow at doubling intervals.

    It neither sleeps nor raises; its owner waits `delay` seconds between attempts. A device that opens but gives
    no byte does not count as back, so a half-dead one is not hammered.
    """

    def __init__(self, port: Port, *, delay_first: float = 0.1, delay_last: float = 5.0) -> None:
        """delay_first, delay_last: wait after the first loss, and the longest one [s]."""
        self._port = port
        self._delay_first = delay_first
        self._delay_last = delay_last
        self._delay_next = delay_first
        self._due = time.monotonic()
        self.connections = 0
        """Times the port was opened."""
        self.error: str | None = None
        """Why the port is closed, as a sentence for a person; None while it is open."""

    @property
    def is_open(self) -> bool:
        return self._port.is_open

    @property
    def reconnects(self) -> int:
        """Times the port was opened again after the first."""
        return max(0, self.connections - 1)

    @property
    def delay(self) -> float:
        """Real time until the next attempt makes sense [s]."""
        return max(0.0, self._due - time.monotonic())

    def connect(self) -> bool:
        """Try to open once; True when the port is open."""
        try:
            self._port.open()
        except DeviceError as error:
            self._failed(error)
            return False
        self.connections += 1
        self.error = None
        return True

    def read(self, timeout: float) -> bytes:
        """Like Port.read; a lost port gives b"" and is closed."""
        try:
            data = self._port.read(timeout)
        except PortLostError as error:
            self._failed(error)
            return b""
        if data:
            self._delay_next = self._delay_first
        return data

    def write(self, data: bytes) -> bool:
        """True when data was sent; a lost port is closed."""
        try:
            self._port.write(data)
        except PortLostError as error:
            self._failed(error)
            return False
        return True

    def close(self) -> None:
        """Close the port; no further attempt is made by itself."""
        self._port.close()

    def _failed(self, error: DeviceError) -> None:
        self.error = str(error)
        self._due = time.monotonic() + self._delay_next
        self._delay_next = min(2 * self._delay_next, self._delay_last)


def _remedy(error: Exception) -> str:
    """What a person does about a port that does not open."""
    number = getattr(error, "errno", None)
    if number == errno.ENOENT:
        names = ", ".join(sorted(entry.device for entry in list_ports.comports())) or "none"
        return f"no such port; available: {names}. Plug the device in, or correct 'port' in the configuration"
    if number in (errno.EACCES, errno.EPERM):
        return "no permission; add the user to the group dialout (sudo usermod -aG dialout $USER) and log in again"
    if number in (errno.EAGAIN, errno.EWOULDBLOCK, errno.EBUSY):
        return "another program holds the port; close it"
    return f"cannot be opened as a serial port ({error}); check 'port' and 'baud' in the configuration"
