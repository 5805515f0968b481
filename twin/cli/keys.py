"""The keys of a configuration record as a person reads them: meaning, kind, limits, default."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from twin.core.errors import ConfigError

_KINDS: dict[Any, tuple[str, str]] = {
    float: ("number", "numbers"),
    int: ("whole number", "whole numbers"),
    bool: ("true or false", "truths"),
    str: ("text", "texts"),
    Path: ("path", "paths"),
    date: ("date", "dates"),
}
_LIMITS = {
    "ge": "at least",
    "gt": "above",
    "le": "at most",
    "lt": "below",
    "min_length": "length at least",
    "max_length": "length at most",
}


@dataclass(frozen=True, slots=True)
class Key:
    """One key of the configuration."""

    name: str
    """Dotted, list indices left out: device.rate"""
    meaning: str
    kind: str
    limits: str
    """Empty where the kind says it all."""
    default: str
    """Empty for a key that must be given."""

    def remark(self) -> str:
        """One line: the meaning, then what may be written."""
        allowed = [self.kind, self.limits, self.default or "must be given"]
        return f"{self.meaning} ({', '.join(filter(None, allowed))})"


def keys_of(model: type[BaseModel]) -> dict[str, Key]:
    """Every key of a record and of the records inside it, by dotted name, in the order of the file."""
    found: dict[str, Key] = {}
    for key in _walk(model, ""):
        found.setdefault(key.name, key)
    return found


def find(keys: dict[str, Key], name: str) -> list[Key]:
    """A key by its dotted name, or every key that ends in it; a table's own keys follow it."""
    exact = [key for key in keys.values() if key.name == name or key.name.startswith(f"{name}.")]
    matches = exact or [key for key in keys.values() if key.name.endswith(f".{name}")]
    if matches:
        return matches
    near = get_close_matches(name, keys, n=1) or [
        key for key in keys if get_close_matches(name.rpartition(".")[2], [key.rpartition(".")[2]])
    ]
    remedy = f"did you mean '{near[0]}'?" if near else f"sections: {', '.join(k for k in keys if '.' not in k)}"
    raise ConfigError(f"no key '{name}': {remedy}")


def _walk(model: type[BaseModel], prefix: str) -> Iterator[Key]:
    for name, field in model.model_fields.items():
        yield Key(
            name=f"{prefix}{name}",
            meaning=field.description or "",
            kind=_kind(field.annotation),
            limits=_limits(field),
            default=_default(field),
        )
        for record in _records(field.annotation):
            yield from _walk(record, f"{prefix}{name}.")


def _records(annotation: Any) -> Iterator[type[BaseModel]]:
    """Records inside an annotation, looking through lists and unions."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _records(inner)


def _kind(annotation: Any) -> str:
    origin, inner = get_origin(annotation), get_args(annotation)
    if annotation in _KINDS:
        return _KINDS[annotation][0]
    if origin is Literal:
        return "one of " + ", ".join(str(choice) for choice in inner)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return "one of " + ", ".join(str(choice.value) for choice in annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "table"
    if origin is Annotated:
        return _kind(inner[0])
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(_kind(choice) for choice in inner if choice is not NoneType))
    if origin in (tuple, list):
        return _list_kind(inner)
    return "table" if origin is dict else "value"


def _list_kind(inner: tuple[Any, ...]) -> str:
    fixed = len(inner) > 1 and inner[-1] is not Ellipsis
    first = get_args(inner[0])[0] if get_origin(inner[0]) is Annotated else inner[0]
    if get_origin(first) in (tuple, list):
        item = f"rows of {_kind(first)}"
    else:
        item = _KINDS[first][1] if first in _KINDS else f"{_kind(first)}s"
    return f"{len(inner)} {item}" if fixed else f"list of {item}"


def _limits(field: FieldInfo) -> str:
    said = []
    for limit in field.metadata:
        for attribute, words in _LIMITS.items():
            bound = getattr(limit, attribute, None)
            if bound is not None:
                said.append(f"{words} {bound}")
    return ", ".join(said)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return ""
    value = field.default
    if value is None or isinstance(value, BaseModel) or field.default_factory is not None:
        return "may be left out"
    return f"default {json.dumps(value, default=str)}"
