"""Byte layouts derived from the schema: struct formats, numpy dtypes, lengths."""

import struct
from dataclasses import dataclass, fields
from math import prod
from typing import Any, get_args, get_type_hints

import numpy as np

from firmware_interface.schema import CHECKSUM, MAX_PACKET, Header, Message, PacketKind, Rows, Wire, WireType

_STRUCT: dict[WireType, str] = {
    "char": "s",
    "u8": "B",
    "u16": "H",
    "i16": "h",
    "u32": "I",
    "i32": "i",
    "u64": "Q",
    "i64": "q",
}


@dataclass(frozen=True, slots=True)
class Layout:
    """The bytes of one class of the schema: fixed fields, then perhaps rows."""

    fixed: tuple[tuple[str, Wire], ...]
    rows: tuple[str, Rows] | None
    struct: struct.Struct
    """Of the fixed fields."""
    dtype: np.dtype[Any]
    """Of the fixed fields; the same bytes."""

    @property
    def size(self) -> int:
        """Of the fixed fields [bytes]."""
        return self.struct.size

    def rows_shape(self, payload: bytes) -> tuple[int, ...] | None:
        """Shape the fixed fields give to the rows; None where they are out of their limits or cut short."""
        if self.rows is None or len(payload) < self.size:
            return None
        stated = np.frombuffer(payload, self.dtype, count=1)[0]
        wires = dict(self.fixed)
        shape = []
        for dimension in self.rows[1].shape:
            count = dimension if isinstance(dimension, int) else int(stated[dimension])
            limits = None if isinstance(dimension, int) else wires[dimension].limits
            if limits is not None and not limits[0] <= count <= limits[1]:
                return None
            shape.append(count)
        return tuple(shape)

    def fits(self, payload: bytes) -> bool:
        """Whether the payload has exactly the length its fixed fields ask for."""
        if self.rows is None:
            return len(payload) == self.size
        shape = self.rows_shape(payload)
        return shape is not None and len(payload) == self.size + prod(shape) * item_dtype(self.rows[1].type).itemsize


def item_dtype(wire_type: WireType) -> np.dtype[Any]:
    """Little-endian dtype of one element; characters are elements of a bytes string."""
    return np.dtype("S1") if wire_type == "char" else np.dtype(_STRUCT[wire_type]).newbyteorder("<")


def layout_of(record: type) -> Layout:
    """Read the annotations of one schema class."""
    hints = get_type_hints(record, include_extras=True)
    fixed: list[tuple[str, Wire]] = []
    rows: tuple[str, Rows] | None = None
    for entry in fields(record):
        form = next(extra for extra in get_args(hints[entry.name])[1:] if isinstance(extra, Wire | Rows))
        if isinstance(form, Rows):
            rows = (entry.name, form)
        else:
            fixed.append((entry.name, form))
    return Layout(
        fixed=tuple(fixed),
        rows=rows,
        struct=struct.Struct("<" + "".join(_struct_code(wire) for _, wire in fixed)),
        dtype=np.dtype([(name, _field_dtype(wire)) for name, wire in fixed]),
    )


def _struct_code(wire: Wire) -> str:
    return f"{wire.length if wire.length > 1 else ''}{_STRUCT[wire.type]}"


def _field_dtype(wire: Wire) -> Any:
    if wire.type == "char":
        return np.dtype(f"S{wire.length}")
    return item_dtype(wire.type) if wire.length == 1 else np.dtype((item_dtype(wire.type), (wire.length,)))


MESSAGES: dict[PacketKind, type[Message]] = {message.kind: message for message in get_args(Message)}
LAYOUTS: dict[PacketKind, Layout] = {kind: layout_of(message) for kind, message in MESSAGES.items()}
HEADER = layout_of(Header)
OVERHEAD = HEADER.size + item_dtype(CHECKSUM.type).itemsize
"""Header and checksum [bytes]: the length of a packet without payload."""
MAX_PAYLOAD = MAX_PACKET - OVERHEAD
