"""Base of every configuration record: frozen, strict, and helpful about wrong keys."""

from difflib import get_close_matches
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from twin.core.errors import ConfigError


class Settings(BaseModel):
    """A frozen configuration record. Every field has a unit, a range and a reason in its description."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    def load(cls, data: dict[str, Any], *, where: str) -> Self:
        """Validate data read from the file or section named in where, or raise ConfigError."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            lines = [_explain(cls, entry) for entry in error.errors()]
            raise ConfigError(f"{where}: " + "; ".join(lines)) from None


def _explain(model: type[BaseModel], entry: ErrorDetails) -> str:
    key = ".".join(str(part) for part in entry["loc"])
    if entry["type"] == "extra_forbidden":
        known = _keys_at(model, entry["loc"][:-1])
        near = get_close_matches(str(entry["loc"][-1]), known, n=1)
        remedy = f"did you mean '{near[0]}'?" if near else f"known keys: {', '.join(known) or 'none'}"
        return f"unknown key '{key}': {remedy}"
    if entry["type"] == "missing":
        return f"missing key '{key}': add it"
    message = entry["msg"].removeprefix("Value error, ")
    if not key:  # a check across keys of the outermost record: its message names them
        return message
    # the same of a record within it: its contents would bury the message
    value = "" if isinstance(entry["input"], dict | list | BaseModel) else f" = {entry['input']!r}"
    return f"'{key}'{value}: {message}"


def _keys_at(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    """Names of the fields of the record at a location, looking through lists and optional records."""
    current: Any = model
    for part in location:
        if isinstance(part, int) or not hasattr(current, "model_fields"):
            continue
        field = current.model_fields.get(part)
        current = _record_in(field.annotation) if field else None
    return sorted(current.model_fields) if hasattr(current, "model_fields") else []


def _record_in(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for inner in getattr(annotation, "__args__", ()):
        found = _record_in(inner)
        if found is not None:
            return found
    return None
