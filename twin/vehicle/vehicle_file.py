"""Vehicles from TOML files, with the same records as the library.

name = "measuring coach"
source = "weighing of May, drawings 12 to 17"

[[mirrors]]              # what is written once for one side; images follow in this order
axis = "y"
words = { left = "right" }

[[bodies]]
name = "carbody"
kind = "carbody"
mass = 32000
...

[[elements]]
name = "front left secondary spring"
kind = "bushing"         # bushing, damper, traction_rod, bump_stop, roll_bar, gear
...
"""

import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from twin.core.errors import ConfigError
from twin.vehicle.description import Body, BumpStop, Bushing, Element, Gear, LineDamper, RollBar, TractionRod, Vehicle
from twin.vehicle.mirrors import Mirror, with_copies
from twin.vehicle.plausibility import check

ELEMENTS: dict[str, type[Element]] = {
    "bushing": Bushing,
    "damper": LineDamper,
    "traction_rod": TractionRod,
    "bump_stop": BumpStop,
    "roll_bar": RollBar,
    "gear": Gear,
}


def read_vehicle(path: Path) -> Vehicle:
    """The vehicle of a file, checked; ConfigError names the file, the entry and the remedy."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); give the path of a vehicle file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: is not TOML ({error})") from None
    if not data.get("bodies"):
        raise ConfigError(
            f"{path}: no vehicle: write [[bodies]] above each of its bodies, [[elements]] above each element"
        )
    mirrors = [Mirror.load(entry, where=f"{path}: mirrors") for entry in _entries(data, "mirrors", path)]
    bodies = [Body.load(entry, where=_where(path, "body", entry)) for entry in _entries(data, "bodies", path)]
    elements = [_element(entry, path) for entry in _entries(data, "elements", path)]
    copies = {"bodies": with_copies(bodies, *mirrors), "elements": with_copies(elements, *mirrors)}
    vehicle = Vehicle.load(data | copies, where=str(path))
    try:
        return check(vehicle)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def _entries(data: dict[str, Any], key: str, path: Path) -> list[dict[str, Any]]:
    """Takes the entries of a key out of the data."""
    entries = data.pop(key, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ConfigError(f"{path}: '{key}' are tables: write [[{key}]] above each")
    return entries


def _element(entry: dict[str, Any], path: Path) -> Element:
    where = _where(path, "element", entry)
    kind = str(entry.get("kind", ""))
    if kind not in ELEMENTS:
        near = get_close_matches(kind, ELEMENTS, n=1)
        remedy = f"did you mean '{near[0]}'?" if near else f"kinds are {', '.join(ELEMENTS)}"
        raise ConfigError(f"{where}: kind = '{kind}': {remedy}")
    return ELEMENTS[kind].load(entry, where=where)


def _where(path: Path, what: str, entry: dict[str, Any]) -> str:
    return f"{path}: {what} '{entry.get('name', 'without a name')}'"
