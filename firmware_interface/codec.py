"""Messages to payloads and back, one at a time (`pack`, `unpack`) or many at once (`payload_dtype`)."""

import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firmware_interface.framing import Packet
from firmware_interface.layout import LAYOUTS, MESSAGES, item_dtype
from firmware_interface.schema import Message, PacketKind, Rows, Wire


def payload_dtype(kind: PacketKind) -> np.dtype[Any]:
    """Structured dtype of the fixed part of a payload.

    Kinds without rows decode many packets in one go:
    np.frombuffer(b"".join(packet.payload for packet in packets), payload_dtype(kind)).
    """
    return LAYOUTS[kind].dtype


def to_packet(message: Message, *, sequence: int, ticks: int) -> Packet:
    """A message as a packet of its kind."""
    return Packet(message.kind, sequence, ticks, pack(message))


def pack(message: Message) -> bytes:
    """The payload of a message."""
    layout = LAYOUTS[message.kind]
    values: list[Any] = []
    for name, wire in layout.fixed:
        values.extend(_to_wire(getattr(message, name), name, wire))
    try:
        fixed = layout.struct.pack(*values)
    except struct.error as error:
        raise ValueError(f"{type(message).__name__} does not fit the wire: {error}") from None
    payload = fixed if layout.rows is None else fixed + _rows_to_wire(message, *layout.rows)
    if not layout.fits(payload):
        raise ValueError(f"the counts stated in {type(message).__name__} do not fit its rows or their limits")
    return payload


def unpack(packet: Packet) -> Message:
    """The message in a packet. A packet from a Deframer always has one; any other may raise ValueError."""
    layout = LAYOUTS[packet.kind]
    if not layout.fits(packet.payload):
        raise ValueError(f"{len(packet.payload)} bytes do not fit a payload of kind {packet.kind.name}")
    flat = iter(layout.struct.unpack_from(packet.payload))
    values = {name: _from_wire(flat, wire) for name, wire in layout.fixed}
    if layout.rows is not None:
        name, rows = layout.rows
        shape = tuple(values[d] if isinstance(d, str) else d for d in rows.shape)
        values[name] = np.frombuffer(packet.payload, item_dtype(rows.type), offset=layout.size).reshape(shape)
    return MESSAGES[packet.kind](**values)


def _to_wire(value: Any, name: str, wire: Wire) -> tuple[Any, ...]:
    if wire.type == "char":
        text = value.encode("latin-1")
        if len(text) > wire.length:
            raise ValueError(f"{name} holds {wire.length} characters, got {value!r}")
        return (text,)
    return tuple(value) if wire.length > 1 else (value,)


def _from_wire(flat: Iterator[Any], wire: Wire) -> Any:
    if wire.type == "char":  # latin-1 reads every byte: a damaged serial number is a wrong one, not an exception
        return next(flat).rstrip(b"\0").decode("latin-1")
    return tuple(next(flat) for _ in range(wire.length)) if wire.length > 1 else next(flat)


def _rows_to_wire(message: Message, name: str, rows: Rows) -> bytes:
    values: NDArray[Any] = getattr(message, name)
    stated = tuple(getattr(message, d) if isinstance(d, str) else d for d in rows.shape)
    wire = item_dtype(rows.type)
    if values.shape != stated or not np.can_cast(values.dtype, wire):
        raise ValueError(f"{name} must be {wire.name} of shape {stated}, got {values.dtype} {values.shape}")
    return values.astype(wire).tobytes()
