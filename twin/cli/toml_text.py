"""TOML out: the part of the language a configuration needs; `tomllib` reads it back unchanged."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from textwrap import wrap
from typing import Any

Remarks = Callable[[str], str]
"""What to say about a dotted key (list indices left out); empty for nothing."""
COMMENT_WIDTH = 100

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def to_toml(data: Mapping[str, Any]) -> str:
    """Text of a table of plain values (text, numbers, truths, lists, tables); None is left out."""
    return _text(_table((), data, lambda key: ""))


def to_commented_toml(data: Mapping[str, Any], remarks: Remarks) -> str:
    """The same with comments before every key; a key without value stands as a comment, ready to be filled in.

    In a list of tables the first one carries the comments.
    """
    told: set[str] = set()

    def once(key: str) -> str:
        if key in told:
            return ""
        told.add(key)
        return remarks(key)

    return _text(_table((), data, once))


def _text(lines: Iterator[str]) -> str:
    return "\n".join(lines).strip("\n") + "\n"


def _table(path: tuple[str, ...], table: Mapping[str, Any], remarks: Remarks) -> Iterator[str]:
    """Lines of a table's body: TOML wants its plain keys before its sub-tables."""
    nested = [key for key, value in table.items() if isinstance(value, Mapping) or _is_deep_list(value)]
    for key, value in table.items():
        if key not in nested:
            yield from _plain((*path, key), value, remarks)
    for key in nested:
        inner, value = (*path, key), table[key]
        yield ""
        yield from _comment(remarks(".".join(inner)))
        if isinstance(value, Mapping):
            yield f"[{_name(inner)}]"
            yield from _table(inner, value, remarks)
        else:
            for i, item in enumerate(value):
                yield from [""] * (i > 0)
                yield f"[[{_name(inner)}]]"
                yield from _table(inner, item, remarks)


def _plain(path: tuple[str, ...], value: Any, remarks: Remarks) -> Iterator[str]:
    remark = remarks(".".join(path))
    key = _name(path[-1:])
    yield from _comment(remark)
    if value is None:
        if remark:
            yield f"# {key} ="
    elif _is_list_of_tables(value):
        for column in value[0]:
            yield from _comment(remarks(".".join((*path, column))), label=f"  {column}: ")
        yield f"{key} = ["
        yield from (f"    {_value(item)}," for item in value)
        yield "]"
    else:
        yield f"{key} = {_value(value)}"


def _comment(remark: str, *, label: str = "") -> list[str]:
    """Comment lines, those after the first set in under the label."""
    first, rest = f"# {label}", "# " + " " * len(label)
    return wrap(remark, COMMENT_WIDTH, initial_indent=first, subsequent_indent=rest)


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _is_deep_list(value: Any) -> bool:
    """Tables that hold tables get a heading each; flat ones fit a line each."""
    return _is_list_of_tables(value) and any(
        isinstance(inner, Mapping) or _is_list_of_tables(inner) for item in value for inner in item.values()
    )


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)  # the shortest text that reads back to the same number
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    if isinstance(value, Mapping):
        pairs = (f"{_name((key,))} = {_value(inner)}" for key, inner in value.items() if inner is not None)
        return "{ " + ", ".join(pairs) + " }"
    raise TypeError(f"no TOML form for {type(value).__name__}")


def _name(path: tuple[str, ...]) -> str:
    return ".".join(part if _BARE_KEY.fullmatch(part) else _value(part) for part in path)
