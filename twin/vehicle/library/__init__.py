"""Vehicles by name, each with the source of its numbers, and vehicles from files."""

from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path

from twin.core.errors import ConfigError
from twin.vehicle.description import Vehicle
from twin.vehicle.library.crh380a import crh380a
from twin.vehicle.library.e464 import e464, e464_printed
from twin.vehicle.library.feve3000 import feve3000
from twin.vehicle.library.manchester import manchester
from twin.vehicle.library.scaled import scaled
from twin.vehicle.library.vivalto import vivalto, vivalto_printed
from twin.vehicle.plausibility import check
from twin.vehicle.vehicle_file import read_vehicle

VEHICLES: dict[str, Callable[[], Vehicle]] = {
    "manchester": manchester,
    "e464": e464,
    "e464-printed": e464_printed,
    "vivalto": vivalto,
    "vivalto-printed": vivalto_printed,
    "feve3000": feve3000,
    "crh380a": crh380a,
    "scaled": scaled,
}


def vehicle(name: str) -> Vehicle:
    """The vehicle of that name, or of the TOML file at that path; checked."""
    if name.lower() in VEHICLES:
        return check(VEHICLES[name.lower()]())
    if name.endswith(".toml") or Path(name).is_file():
        return read_vehicle(Path(name))
    near = get_close_matches(name.lower(), VEHICLES, n=1)
    remedy = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(VEHICLES)}, or give a .toml file"
    raise ConfigError(f"no vehicle '{name}': {remedy}")
