"""Any message the schema allows, for property tests: each field over the whole of its wire type."""

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from firmware_interface import MAX_PAYLOAD, Message, Packet, PacketKind, to_packet
from firmware_interface.layout import LAYOUTS, MESSAGES, Layout, item_dtype
from firmware_interface.schema import Wire, WireType

repeatable = settings(derandomize=True, deadline=None)
"""The same examples in every run, on a machine of any speed."""


def integers(wire_type: WireType) -> st.SearchStrategy[int]:
    """The whole range of a wire type, its ends and zero often."""
    limits = np.iinfo(item_dtype(wire_type))
    low, high = int(limits.min), int(limits.max)
    return st.sampled_from([0, low, high]) | st.integers(low, high)


def _values(wire: Wire) -> st.SearchStrategy[Any]:
    if wire.type == "char":
        return st.text(st.characters(min_codepoint=1, max_codepoint=255), max_size=wire.length)
    if wire.length > 1:
        return st.tuples(*[integers(wire.type)] * wire.length)
    return integers(wire.type)


@st.composite
def _with_rows(draw: st.DrawFn, layout: Layout) -> dict[str, Any]:
    assert layout.rows is not None
    rows_name, rows = layout.rows
    dtype = item_dtype(rows.type)
    room = (MAX_PAYLOAD - layout.size) // dtype.itemsize
    values: dict[str, Any] = {}
    shape = []
    for dimension in reversed(rows.shape):
        if isinstance(dimension, str):
            low, high = dict(layout.fixed)[dimension].limits or (0, room)
            count = draw(st.integers(low, min(high, room)))
            values[dimension] = count
        else:
            count = dimension
        room //= max(count, 1)
        shape.insert(0, count)
    for name, wire in layout.fixed:
        if name not in values:
            values[name] = draw(_values(wire))
    few = st.sampled_from([0, 1, -1, int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)])
    values[rows_name] = draw(st_numpy.arrays(dtype, tuple(shape), elements=few, fill=integers(rows.type)))
    return values


@st.composite
def messages(draw: st.DrawFn, kinds: tuple[PacketKind, ...] = tuple(PacketKind)) -> Message:
    """A message of one of the kinds."""
    kind = draw(st.sampled_from(kinds))
    layout = LAYOUTS[kind]
    if layout.rows is None:
        values = {name: draw(_values(wire)) for name, wire in layout.fixed}
    else:
        values = draw(_with_rows(layout))
    return MESSAGES[kind](**values)


@st.composite
def packets(draw: st.DrawFn, kinds: tuple[PacketKind, ...] = tuple(PacketKind)) -> Packet:
    """A packet with such a message."""
    return to_packet(draw(messages(kinds)), sequence=draw(integers("u16")), ticks=draw(integers("u64")))


def extreme_messages() -> list[Message]:
    """Of every kind the least, the greatest, the zero and the largest one."""
    found: list[Message] = []
    for kind, layout in LAYOUTS.items():
        for pick in (lambda info: 0, lambda info: int(info.min), lambda info: int(info.max)):
            found.append(MESSAGES[kind](**_filled(layout, pick)))
    return found


def _filled(layout: Layout, pick: Any) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, wire in layout.fixed:
        if wire.type == "char":
            values[name] = "R" * wire.length
        else:
            value = pick(np.iinfo(item_dtype(wire.type)))
            values[name] = (value,) * wire.length if wire.length > 1 else value
    if layout.rows is not None:
        rows_name, rows = layout.rows
        dtype = item_dtype(rows.type)
        value = pick(np.iinfo(dtype))
        longest = (MAX_PAYLOAD - layout.size) // dtype.itemsize // (2 if 2 in rows.shape else 1)
        values.update({"channels": 1, "samples": longest} if "channels" in rows.shape else {"points": longest})
        shape = tuple(values[d] if isinstance(d, str) else d for d in rows.shape)
        values[rows_name] = np.full(shape, value, dtype)
    return values
