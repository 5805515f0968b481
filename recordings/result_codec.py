"""Results to protobuf bytes and back.

Arrays are spliced in as raw little-endian bytes, which is exactly what packed fixed-width fields are on the wire:
a block costs microseconds, where element-wise encoding costs hundreds. Equal results give equal bytes.
"""

import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from recordings.result_schema import number
from twin.core.estimate import Estimate, Form, Fusion, GridBlock, Health, OperatorEvent, Result, StateLayout

Archived = Result | Fusion
"""What a result file holds."""

_DOUBLE, _FIXED = struct.Struct("<d"), struct.Struct("<q")
_VARINT, _I64, _BYTES = 0, 1, 2
T = TypeVar("T")


def encode(result: Archived) -> bytes:
    """The protobuf message of a result."""
    match result:
        case Estimate():
            return _encode_estimate(result)
        case GridBlock():
            return _encode_grid(result)
        case Fusion():
            return _encode_fusion(result)
        case Health():
            return _encode_health(result)
        case OperatorEvent():
            return _encode_event(result)


def decode(kind: str, data: bytes) -> Archived:
    """The result of a message of a kind; ValueError where the bytes make no sense."""
    decoder = _DECODERS.get(kind)
    if decoder is None:
        raise ValueError(f"no result is called '{kind}'; there are {', '.join(_DECODERS)}")
    try:
        return decoder(_Fields(kind, data))
    except (IndexError, struct.error, TypeError) as error:
        raise ValueError(f"{kind} does not make sense: {error}") from None


class _Message:
    """A protobuf message being built."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._parts: list[bytes] = []

    def raw(self, field: str, data: bytes) -> None:
        """A length-delimited field: text, bytes, a packed array, or a nested message."""
        self._parts += (_varint(number(self._kind, field) << 3 | _BYTES), _varint(len(data)), data)

    def texts(self, field: str, values: Iterable[str]) -> None:
        for value in values:
            self.raw(field, value.encode())

    def fixed(self, field: str, data: bytes) -> None:
        """An eight-byte field."""
        self._parts += (_varint(number(self._kind, field) << 3 | _I64), data)

    def flag(self, field: str, value: bool) -> None:
        self._parts += (_varint(number(self._kind, field) << 3 | _VARINT), _varint(int(value)))

    def array(self, field: str, values: NDArray[Any], dtype: str) -> None:
        self.raw(field, np.ascontiguousarray(values, dtype=dtype).tobytes())

    def map(self, field: str, values: Mapping[str, T], pack: Callable[[T], bytes]) -> None:
        """A map from names to eight-byte values, in the order given."""
        for key, value in values.items():
            name = key.encode()
            self.raw(field, b"\x0a" + _varint(len(name)) + name + b"\x11" + pack(value))

    def joined(self) -> bytes:
        return b"".join(self._parts)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _encode_estimate(result: Estimate) -> bytes:
    message = _Message("Estimate")
    message.texts("name", [result.name])
    message.texts("form", [result.form.value])
    message.texts("states", result.layout.names)
    message.texts("units", result.layout.units)
    message.array("t_ns", result.t_ns, "<i8")
    message.array("x", result.x, "<f8")
    message.array("var", result.var, "<f8")
    message.array("quality", result.quality, "u1")
    return message.joined()


def _encode_grid(result: GridBlock) -> bytes:
    message = _Message("GridBlock")
    message.texts("name", [result.name])
    message.texts("form", [result.form.value])
    message.fixed("step", _DOUBLE.pack(result.step))
    message.array("index", result.index, "<i8")
    message.array("t_ns", result.t_ns, "<i8")
    message.texts("columns", result.layout.names)
    message.texts("units", result.layout.units)
    message.array("values", result.values, "<f8")
    message.array("quality", result.quality, "u1")
    return message.joined()


def _encode_fusion(result: Fusion) -> bytes:
    message = _Message("Fusion")
    message.texts("name", [result.name])
    message.array("t_ns", result.t_ns, "<i8")
    message.array("innovation", result.innovation, "<f8")
    message.array("variance", result.variance, "<f8")
    message.array("accepted", result.accepted, "u1")  # a packed bool is one byte, 0 or 1
    message.fixed("gate", _DOUBLE.pack(result.gate))
    message.flag("virtual", result.virtual)
    return message.joined()


def _encode_health(result: Health) -> bytes:
    message = _Message("Health")
    message.fixed("t_ns", _FIXED.pack(result.t_ns))
    message.texts("source", [result.source])
    message.map("counts", result.counts, _FIXED.pack)
    message.map("measures", result.measures, _DOUBLE.pack)
    return message.joined()


def _encode_event(result: OperatorEvent) -> bytes:
    message = _Message("OperatorEvent")
    message.fixed("t_ns", _FIXED.pack(result.t_ns))
    message.texts("kind", [result.kind])
    message.texts("text", [result.text])
    if result.s is not None:
        message.fixed("s", _DOUBLE.pack(result.s))
    return message.joined()


class _Fields:
    """Fields of a protobuf message by number, each as the list of its raw values in order."""

    def __init__(self, kind: str, data: bytes) -> None:
        self._kind = kind
        self._values: dict[int, list[bytes]] = {}
        position = 0
        while position < len(data):
            tag, position = _read_varint(data, position)
            position = self._take(tag >> 3, tag & 7, data, position)

    def _take(self, field: int, wire: int, data: bytes, position: int) -> int:
        """Keep one value; returns where the next field starts."""
        if wire == _VARINT:
            value, end = _read_varint(data, position)
            kept = b"\x01" if value else b"\x00"
        elif wire in (_I64, _BYTES):
            length, start = (8, position) if wire == _I64 else _read_varint(data, position)
            end = start + length
            kept = data[start:end]
        else:
            raise ValueError(f"{self._kind}: wire type {wire} is not used by results")
        if end > len(data):
            raise ValueError(f"{self._kind}: field {field} is cut short")
        self._values.setdefault(field, []).append(kept)
        return end

    def raws(self, field: str) -> list[bytes]:
        return self._values.get(number(self._kind, field), [])

    def text(self, field: str) -> str:
        return self.raws(field)[-1].decode()

    def texts(self, field: str) -> tuple[str, ...]:
        return tuple(value.decode() for value in self.raws(field))

    def array(self, field: str, dtype: str) -> NDArray[Any]:
        return np.frombuffer(self.raws(field)[-1], dtype=dtype)

    def double(self, field: str) -> float:
        return float(_DOUBLE.unpack(self.raws(field)[-1])[0])

    def fixed(self, field: str) -> int:
        return int(_FIXED.unpack(self.raws(field)[-1])[0])

    def flag(self, field: str) -> bool:
        return self.raws(field)[-1] == b"\x01"

    def map(self, field: str) -> dict[str, bytes]:
        """Raw eight-byte values by name."""
        entries: dict[str, bytes] = {}
        for entry in self.raws(field):
            length, start = _read_varint(entry, 1)
            entries[entry[start : start + length].decode()] = entry[start + length + 1 :]
        return entries


def _read_varint(data: bytes, position: int) -> tuple[int, int]:
    """A number and where the next field starts; IndexError where the bytes end inside it."""
    value = shift = 0
    while True:
        byte = data[position]
        value |= (byte & 0x7F) << shift
        position += 1
        if byte < 0x80:
            return value, position
        shift += 7
        if shift > 63:
            raise ValueError("a number on the wire is longer than 64 bits")


def _decode_estimate(fields: _Fields) -> Estimate:
    layout = StateLayout(fields.texts("states"), fields.texts("units"))
    t_ns = fields.array("t_ns", "<i8")
    shape = (t_ns.shape[0], len(layout.names))
    return Estimate(
        name=fields.text("name"),
        form=Form(fields.text("form")),
        layout=layout,
        t_ns=t_ns,
        x=fields.array("x", "<f8").reshape(shape),
        var=fields.array("var", "<f8").reshape(shape),
        quality=fields.array("quality", "u1"),
    )


def _decode_grid(fields: _Fields) -> GridBlock:
    layout = StateLayout(fields.texts("columns"), fields.texts("units"))
    index = fields.array("index", "<i8")
    _same_length(index, fields.array("t_ns", "<i8"), fields.array("quality", "u1"))
    return GridBlock(
        name=fields.text("name"),
        form=Form(fields.text("form")),
        step=fields.double("step"),
        index=index,
        t_ns=fields.array("t_ns", "<i8"),
        layout=layout,
        values=fields.array("values", "<f8").reshape(index.shape[0], len(layout.names)),
        quality=fields.array("quality", "u1"),
    )


def _decode_fusion(fields: _Fields) -> Fusion:
    t_ns, accepted = fields.array("t_ns", "<i8"), fields.array("accepted", "u1") != 0
    innovation, variance = fields.array("innovation", "<f8"), fields.array("variance", "<f8")
    _same_length(t_ns, accepted, innovation, variance)
    return Fusion(
        name=fields.text("name"),
        t_ns=t_ns,
        innovation=innovation,
        variance=variance,
        accepted=accepted,
        gate=fields.double("gate"),
        virtual=fields.flag("virtual"),
    )


def _same_length(*arrays: NDArray[Any]) -> None:
    if len({array.shape for array in arrays}) > 1:
        raise ValueError(f"arrays of one result differ in length: {[array.size for array in arrays]}")


def _decode_health(fields: _Fields) -> Health:
    counts = {name: int(_FIXED.unpack(raw)[0]) for name, raw in fields.map("counts").items()}
    measures = {name: float(_DOUBLE.unpack(raw)[0]) for name, raw in fields.map("measures").items()}
    return Health(fields.fixed("t_ns"), fields.text("source"), counts, measures)


def _decode_event(fields: _Fields) -> OperatorEvent:
    s = fields.double("s") if fields.raws("s") else None
    return OperatorEvent(fields.fixed("t_ns"), fields.text("kind"), fields.text("text"), s)


_DECODERS: dict[str, Callable[[_Fields], Archived]] = {
    "Estimate": _decode_estimate,
    "GridBlock": _decode_grid,
    "Fusion": _decode_fusion,
    "Health": _decode_health,
    "OperatorEvent": _decode_event,
}
