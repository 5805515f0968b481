"""Packets to frames and back: header, CRC-32, COBS, zero byte as delimiter.

A frame is one encoded packet with its closing delimiter. COBS keeps zero bytes out of the packet, so after any
damage the next delimiter is a sure place to start again: an intact packet between two intact delimiters is never
lost.
"""

from dataclasses import dataclass
from zlib import crc32

from cobs import cobs

from firmware_interface.layout import HEADER, LAYOUTS, MAX_PAYLOAD, OVERHEAD
from firmware_interface.schema import MAX_FRAME, MAX_PACKET, VERSION, PacketKind

DELIMITER = b"\x00"
_RESIDUE = 0x2144DF1C
"""CRC-32 of any bytes followed by their own CRC-32, little endian: checks a packet without cutting it apart."""
_KINDS = {int(kind): kind for kind in PacketKind}
_HEADER = HEADER.struct
_FIXED_LENGTH = {kind: layout.size + OVERHEAD for kind, layout in LAYOUTS.items() if layout.rows is None}


@dataclass(frozen=True, slots=True)
class Packet:
    """One message as it travels: what the schema calls header, and the bytes of the payload."""

    kind: PacketKind
    sequence: int
    """0..65535, wraps; counted by the sender over all kinds."""
    ticks: int
    """Device clock [ticks]; 0 from the host."""
    payload: bytes


@dataclass(slots=True)
class FrameCounts:
    """What became of the frames. Empty ones (delimiters in a row) are idle line and not counted."""

    frames: int = 0
    """All, good or bad."""
    bad_cobs: int = 0
    """Not COBS: bytes lost or a delimiter made up."""
    bad_length: int = 0
    """Shorter than any packet, longer than allowed, or a length that does not fit the kind."""
    bad_crc: int = 0
    unknown_version: int = 0
    """Intact, from another version of the schema."""
    unknown_kind: int = 0
    """Intact, of a kind this schema does not know."""
    oversize: int = 0
    """No delimiter within the longest frame; dropped up to the next one."""

    @property
    def packets(self) -> int:
        """Frames that gave a packet."""
        return self.frames - self.rejected

    @property
    def rejected(self) -> int:
        """Frames that gave none."""
        return self.bad_cobs + self.bad_length + self.bad_crc + self.unknown_version + self.unknown_kind + self.oversize


def encode(packet: Packet) -> bytes:
    """A whole frame with its closing delimiter."""
    if len(packet.payload) > MAX_PAYLOAD:
        raise ValueError(f"a payload holds at most {MAX_PAYLOAD} bytes, got {len(packet.payload)}")
    body = _HEADER.pack(VERSION, packet.kind, packet.sequence, packet.ticks) + packet.payload
    return bytes(cobs.encode(body + crc32(body).to_bytes(4, "little"))) + DELIMITER


class Deframer:
    """Bytes of one device to its packets. Never raises; remembers at most one frame."""

    def __init__(self) -> None:
        self.counts = FrameCounts()
        self._tail = bytearray()
        self._dropping = False

    def feed(self, data: bytes) -> list[Packet]:
        """Packets whose closing delimiter lies in data; how the bytes are cut changes nothing."""
        first, *rest = data.split(DELIMITER)
        self._keep(first)
        if not rest:
            return []
        packets = []
        rest.insert(0, self._close())
        self._keep(rest.pop())
        for frame in rest:
            if frame:
                packet = self._packet(frame)
                if packet is not None:
                    packets.append(packet)
        return packets

    def _keep(self, part: bytes) -> None:
        """Remember the beginning of a frame, unless it grows beyond the longest one."""
        if self._dropping:
            return
        if len(self._tail) + len(part) >= MAX_FRAME:
            self.counts.frames += 1
            self.counts.oversize += 1
            self._dropping = True
            self._tail.clear()
        else:
            self._tail += part

    def _close(self) -> bytes:
        """The remembered frame; empty after one that was dropped."""
        frame = bytes(self._tail)
        self._tail.clear()
        self._dropping = False
        return frame

    def _packet(self, frame: bytes) -> Packet | None:
        """Check from the outside in; the first thing wrong is counted."""
        counts = self.counts
        counts.frames += 1
        if len(frame) >= MAX_FRAME:
            counts.oversize += 1
            return None
        try:
            raw = cobs.decode(frame)
        except cobs.DecodeError:
            counts.bad_cobs += 1
            return None
        if not OVERHEAD <= len(raw) <= MAX_PACKET:
            counts.bad_length += 1
            return None
        if crc32(raw) != _RESIDUE:
            counts.bad_crc += 1
            return None
        version, code, sequence, ticks = _HEADER.unpack_from(raw)
        if version != VERSION:
            counts.unknown_version += 1
            return None
        kind = _KINDS.get(code)
        if kind is None:
            counts.unknown_kind += 1
            return None
        payload = raw[_HEADER.size : -4]
        if len(raw) != _FIXED_LENGTH.get(kind) and not LAYOUTS[kind].fits(payload):
            counts.bad_length += 1
            return None
        return Packet(kind, sequence, ticks, payload)
