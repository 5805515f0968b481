"""Points of a profile file as they stand there: plain columns, MiniProf, and SIMPACK's .prr and .prw.

Every point keeps the number of its line, so that whoever finds fault with it can say where. What the format itself
states is applied (units, mirrors, shifts); what only the user can know is left to him.
"""

import re
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Literal

import numpy as np

from twin.core.arrays import Array, IntArray
from twin.core.errors import ConfigError

Kind = Literal["wheel", "rail"]

UNITS = {"mm": 1e-3, "m": 1.0}
"""What a file's numbers are multiplied by [m]."""

_COMMENT = re.compile(r"[#!%].*")
_SEPARATOR = re.compile(r"[;,\s]+")


@dataclass(frozen=True, slots=True)
class Points:
    """Points of a file in its order: y across and z up [m]; lines: where each stands."""

    path: Path
    lines: IntArray
    y: Array
    z: Array
    notes: tuple[str, ...] = ()

    def __getitem__(self, chosen: slice | IntArray) -> "Points":
        return replace(self, lines=self.lines[chosen], y=self.y[chosen], z=self.z[chosen])

    def at(self, point: int) -> str:
        """Where a point stands, for an error message."""
        return f"{self.path}, line {self.lines[point]}"


def read_points(path: Path, *, kind: Kind, units: str | None) -> Points:
    """Read the points of a file of any known format; units: "mm", "m", or None for what the file says, else mm."""
    text = _text(path)
    lines = text.splitlines()
    if "point.begin" in text:
        return _simpack(path, lines, kind, units)
    if "[FileInfo]" in text:
        raise ConfigError(f"{path}: a MiniProf file of several parts: export each profile as a .ban or .whl file")
    if "ColumnDef" in text or any("MINIPROF" in line for line in lines[:3]):
        return _miniprof(path, lines, units)
    numbered = [(number, _COMMENT.sub("", line)) for number, line in enumerate(lines, start=1)]
    return _scaled(_columns(path, numbered), UNITS[units or "mm"])


def _text(path: Path) -> str:
    try:
        text = path.read_bytes().decode("utf-8-sig", errors="replace")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}): check the name of the profile file") from None
    if "\0" in text:
        raise ConfigError(f"{path}: not a text file: export the profile as text with two columns")
    return text


def _columns(path: Path, lines: list[tuple[int, str]], columns: tuple[int, int] = (0, 1)) -> Points:
    """Two columns of the numbered lines; empty lines do not count."""
    rows = []
    for number, line in lines:
        fields = [field for field in _SEPARATOR.split(line.strip()) if field]
        if fields:
            rows.append((number, *_pair(f"{path}, line {number}", fields, columns)))
    found, y, z = zip(*rows, strict=True) if rows else ((), (), ())
    return Points(path, np.array(found, dtype=np.int64), np.array(y, dtype=np.float64), np.array(z, dtype=np.float64))


def _pair(where: str, fields: list[str], columns: tuple[int, int]) -> tuple[float, float]:
    if len(fields) <= max(columns):
        raise ConfigError(f"{where}: {len(fields)} column(s), {max(columns) + 1} needed: complete or remove the line")
    return _number(where, fields[columns[0]]), _number(where, fields[columns[1]])


def _number(where: str, field: str) -> float:
    try:
        value = float(field)
    except ValueError:
        raise ConfigError(
            f"{where}: '{field}' is no number: write decimals with a point, and # before titles and remarks"
        ) from None
    if not isfinite(value):
        raise ConfigError(f"{where}: '{field}' is not finite: remove the line")
    return value


def _scaled(points: Points, scale: float) -> Points:
    return replace(points, y=points.y * scale, z=points.z * scale)


def _miniprof(path: Path, lines: list[str], units: str | None) -> Points:
    """MiniProf .whl, .ban and .rail: lines "key=value", an empty line, columns as ColumnDef names them; mm, z up.

    Lines that begin with a quotation mark are struck out. Old files have free text in place of the keys.
    """
    empty = [i for i, line in enumerate(lines) if not line.strip()]
    last_key = max((i for i, line in enumerate(lines) if "=" in line), default=-1)
    start = next((i for i in empty if i > last_key), last_key) + 1
    keys = dict(line.split("=", 1) for line in lines[:start] if "=" in line and not line.startswith('"'))
    names = [name.strip().upper() for name in keys.get("ColumnDef", "X,Y").split(",")]
    if "X" not in names or "Y" not in names:
        raise ConfigError(f"{path}: ColumnDef = {','.join(names)}: the columns X and Y are needed")
    body = [(i + 1, line) for i, line in enumerate(lines) if i >= start and not line.startswith('"')]
    points = _columns(path, body, (names.index("X"), names.index("Y")))
    stated = keys.get("XYPoints", "").strip()
    notes = (f"XYPoints says {stated} points, {points.y.size} read",) if stated not in ("", str(points.y.size)) else ()
    return replace(_scaled(points, UNITS[units or "mm"]), notes=notes)


def _simpack(path: Path, lines: list[str], kind: Kind, units: str | None) -> Points:
    """SIMPACK .prr and .prw: sections with keys, the points between point.begin and point.end.

    z points down there: for a wheel that is towards the larger radius, as here; a rail is turned over.
    """
    keys: dict[str, tuple[int, str]] = {}
    body: list[tuple[int, str]] = []
    section = ""
    for number, raw in enumerate(lines, start=1):
        line = raw.split("!", 1)[0].strip()
        name, _, edge = line.rpartition(".")
        if edge in ("begin", "end") and "=" not in line:
            section = name if edge == "begin" else ""
        elif section == "point":
            body.append((number, line))
        elif "=" in line:
            key, value = line.split("=", 1)
            keys[f"{section}.{key.strip()}"] = (number, value.strip())
    points = _processed(_columns(path, body), _Keys(path, keys))
    stated = _Keys(path, keys).number("header.type", float(kind == "wheel"))
    if bool(stated) != (kind == "wheel"):
        raise ConfigError(
            f"{path}, line {keys['header.type'][0]}: type = {stated:g} is a {'wheel' if stated else 'rail'}"
            f" profile where a {kind} profile belongs"
        )
    if kind == "rail":
        points = replace(points, z=-points.z)
    per_metre = _Keys(path, keys).number("spline.units.len.f", 1.0 / UNITS["mm"])
    if not per_metre > 0.0:
        raise ConfigError(f"{path}, line {keys['spline.units.len.f'][0]}: units.len.f must be positive: 1000 for mm")
    return _scaled(points, UNITS[units] if units else 1.0 / per_metre)


@dataclass(frozen=True, slots=True)
class _Keys:
    """Keys of a SIMPACK file with their lines."""

    path: Path
    values: dict[str, tuple[int, str]]

    def number(self, key: str, default: float = 0.0) -> float:
        """The value of a key, or the default."""
        if key not in self.values:
            return default
        line, value = self.values[key]
        return _number(f"{self.path}, line {line}", value)


def _processed(points: Points, keys: _Keys) -> Points:
    """The points after the shifts, rotation, bounds and mirrors that the file asks for, in that order."""
    y = points.y + keys.number("spline.shift.y")
    z = points.z + keys.number("spline.shift.z")
    angle = keys.number("spline.rotate") / keys.number("spline.units.ang.f", 1.0)
    y, z = np.cos(angle) * y - np.sin(angle) * z, np.sin(angle) * y + np.cos(angle) * z
    kept = np.ones(y.size, dtype=np.bool_)
    for axis, values in (("y", y), ("z", z)):
        low, high = keys.number(f"spline.bound.{axis}.min", 1.0), keys.number(f"spline.bound.{axis}.max")
        if low < high:  # the other way round means none
            kept &= (values >= low) & (values <= high)
    y = -y if keys.number("spline.mirror.y") == 1.0 else y
    z = -z if keys.number("spline.mirror.z") == 1.0 else z
    notes = () if kept.all() else (f"{np.count_nonzero(~kept)} points outside the file's own bounds left out",)
    return replace(points, y=y, z=z, notes=notes)[np.flatnonzero(kept)]
