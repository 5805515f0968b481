"""Schemas of results as protobuf descriptors, stored in every result file so that existing viewers decode it.

The table below is the single source: the codec takes its field numbers from it, viewers get it as a
FileDescriptorSet. Numbers are for ever; a new field gets a new one.
"""

from dataclasses import dataclass
from typing import Final

from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorSet

_REPEATED: Final = FieldDescriptorProto.LABEL_REPEATED
_KINDS: Final = {
    "string": FieldDescriptorProto.TYPE_STRING,
    "double": FieldDescriptorProto.TYPE_DOUBLE,
    "sfixed64": FieldDescriptorProto.TYPE_SFIXED64,
    "bool": FieldDescriptorProto.TYPE_BOOL,
    "bytes": FieldDescriptorProto.TYPE_BYTES,
}


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message. Its kind is a protobuf type; '?' may be absent, '*' many, '{}' a map from names."""

    name: str
    kind: str


MESSAGES: Final[dict[str, tuple[Field, ...]]] = {
    "Estimate": (
        Field("name", "string"),
        Field("form", "string"),
        Field("states", "string*"),
        Field("units", "string*"),
        Field("t_ns", "sfixed64*"),
        Field("x", "double*"),  # row by row: (samples, states)
        Field("var", "double*"),
        Field("quality", "bytes"),
    ),
    "GridBlock": (
        Field("name", "string"),
        Field("form", "string"),
        Field("step", "double"),
        Field("index", "sfixed64*"),
        Field("t_ns", "sfixed64*"),
        Field("columns", "string*"),
        Field("units", "string*"),
        Field("values", "double*"),  # row by row: (points, columns)
        Field("quality", "bytes"),
    ),
    "Fusion": (
        Field("name", "string"),
        Field("t_ns", "sfixed64*"),
        Field("innovation", "double*"),
        Field("variance", "double*"),
        Field("accepted", "bool*"),
        Field("gate", "double"),
        Field("virtual", "bool"),
    ),
    "Health": (
        Field("t_ns", "sfixed64"),
        Field("source", "string"),
        Field("counts", "sfixed64{}"),
        Field("measures", "double{}"),
    ),
    "OperatorEvent": (
        Field("t_ns", "sfixed64"),
        Field("kind", "string"),
        Field("text", "string"),
        Field("s", "double?"),
    ),
}


def number(message: str, field: str) -> int:
    """Number of a field on the wire: its place in the table."""
    return next(i for i, entry in enumerate(MESSAGES[message], start=1) if entry.name == field)


def descriptor_set(message: str) -> bytes:
    """A FileDescriptorSet that holds one message, as the container's schema record wants it."""
    files = FileDescriptorSet()
    file = files.file.add(name=f"railtwin/{message}.proto", package="railtwin", syntax="proto3")
    description = file.message_type.add(name=message)
    for i, field in enumerate(MESSAGES[message], start=1):
        _describe(description, message, field, i)
    return files.SerializeToString(deterministic=True)


def _describe(description: DescriptorProto, message: str, field: Field, i: int) -> None:
    added = description.field.add(name=field.name, number=i, label=FieldDescriptorProto.LABEL_OPTIONAL)
    if field.kind.endswith("{}"):
        entry = description.nested_type.add(name=f"{field.name.capitalize()}Entry")
        entry.options.map_entry = True
        for j, (name, kind) in enumerate((("key", "string"), ("value", field.kind[:-2])), start=1):
            entry.field.add(name=name, number=j, label=FieldDescriptorProto.LABEL_OPTIONAL, type=_KINDS[kind])
        added.type, added.label = FieldDescriptorProto.TYPE_MESSAGE, _REPEATED
        added.type_name = f".railtwin.{message}.{entry.name}"
        return
    added.type = _KINDS[field.kind.rstrip("*?")]
    if field.kind.endswith("*"):
        added.label = _REPEATED
    if field.kind.endswith("?"):  # proto3 marks presence by a oneof of its own
        added.proto3_optional = True
        added.oneof_index = len(description.oneof_decl)
        description.oneof_decl.add(name=f"_{field.name}")
