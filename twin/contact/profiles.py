"""Wheel and rail profiles: by name or from file, laid in the track, worn.

A wheel profile is z(s): s [m] across the tread from the taping line, negative towards the flange, z > 0 a larger
radius. A rail profile is z(u): u [m] across the head, positive to the field side, z up, as rolled (not yet inclined).
Both are those of the left side; the right side is the mirror image. Left and right may differ: each has its Profile.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from math import atan, cos, radians, sin
from pathlib import Path

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

from twin.contact.curve import Curve, Zone, curve_values, join, slope_at
from twin.contact.profile_file import ReadingOptions, read_profile
from twin.contact.profile_formats import Kind
from twin.contact.rail60 import EN, MB, UIC, rail60_zones
from twin.contact.s1002 import s1002_zones
from twin.contact.shapes import refined, trimmed, walkable
from twin.core.arrays import Array
from twin.core.errors import ConfigError

STEEPEST = radians(80.0)
"""Steepest slope of a laid rail [rad]: z(y) is a function up to the vertical, and no wheel's flange is steeper than 75
degrees, so nothing beyond is ever touched from above."""


@dataclass(frozen=True)
class Profile:
    """A cross-section of one wheel or rail, left side."""

    name: str
    kind: Kind
    zones: tuple[Zone, ...]
    notes: tuple[str, ...] = ()
    """What a reader of the file should know: parts cut, assumptions made."""

    @cached_property
    def curve(self) -> Curve:
        """The profile as a function."""
        return join(self.zones)

    @property
    def span(self) -> tuple[float, float]:
        """First and last place [m]."""
        return float(self.zones[0].y[0]), float(self.zones[-1].y[-1])


_WHEELS: dict[str, Callable[[], tuple[Zone, ...]]] = {"S1002": s1002_zones}
_RAILS: dict[str, Callable[[], tuple[Zone, ...]]] = {
    "60E1-EN": lambda: rail60_zones(EN),
    "60E1-MB": lambda: rail60_zones(MB),
    "60E1-UIC": lambda: rail60_zones(UIC),
}
_ALIASES = {"60E1-MANCHESTER": "60E1-MB"}
_CONE = re.compile(r"CONE-(\d+(?:\.\d+)?)")
CONE_SPAN = (-0.05, 0.06)
"""First and last place of a conical wheel [m]: it has no flange."""

WHEELS, RAILS = tuple(_WHEELS), tuple(_RAILS)
"""Names of the profiles that need no file."""


AS_WRITTEN = ReadingOptions()
"""A file in this package's own convention."""


def wheel_profile(name: str | Path, options: ReadingOptions = AS_WRITTEN) -> Profile:
    """The wheel profile of a name (S1002, cone-20 for a plain cone of 1/20) or file; options tell how to read it."""
    cone = _CONE.fullmatch(str(name).upper())
    if cone:
        return conical(1 / float(cone[1]))
    return _profile(name, "wheel", _WHEELS, options)


def conical(slope: float) -> Profile:
    """A plain cone: the radius falls by slope per metre to the outside."""
    s = np.linspace(*CONE_SPAN, 23)
    zone = Zone(s, -slope * s, np.full_like(s, -slope), np.zeros_like(s))
    return Profile(f"cone 1/{1 / slope:g}", "wheel", (zone,))


def rail_profile(name: str | Path, options: ReadingOptions = AS_WRITTEN) -> Profile:
    """The rail profile of a name (60E1-EN, 60E1-MB or 60E1-Manchester, 60E1-UIC) or file."""
    return _profile(name, "rail", _RAILS, options)


def _profile(
    name: str | Path, kind: Kind, known: dict[str, Callable[[], tuple[Zone, ...]]], options: ReadingOptions
) -> Profile:
    asked = str(name).upper()
    found = _ALIASES.get(asked, asked)
    if found in known:
        return Profile(found, kind, known[found]())
    path = Path(name)
    if path.is_file() or path.suffix or len(path.parts) > 1:
        zone, notes = read_profile(path, kind=kind, options=options)
        return Profile(path.name, kind, (zone,), notes)
    near = get_close_matches(asked, known, n=1, cutoff=0.3)
    meant = f"; did you mean '{near[0]}'?" if near else ""
    raise ConfigError(f"no {kind} profile '{name}': known are {', '.join(known)}, or give a file{meant}")


def wheel_curve(profile: Profile, *, radius: float = 0.46, taping_line: float = 0.75) -> Curve:
    """Radius r(y_w) [m] of a left wheel over the place along the axle.

    radius: of the rolling circle at the taping line; taping_line: its distance from the axle's middle [m].
    """
    _demand(profile, "wheel")
    return join([zone.moved(y=taping_line, z=radius) for zone in profile.zones])


def laid_rail(profile: Profile, *, cant: float = 1 / 40, gauge: float = 1.435, gauge_depth: float = 0.014) -> Curve:
    """Height b(y) [m] of the left rail in the track.

    The profile is turned towards the track's centre by atan(cant), its highest point lies at z = 0, and its inner face
    touches y = gauge / 2 somewhere down to gauge_depth below. What is steeper than 80 degrees is left out of b, but
    counts for the gauge: the inner face is usually met there.
    """
    _demand(profile, "rail")
    angle = atan(cant)
    crown = _highest(profile.curve, turned=angle)
    top = _turned(profile.curve, crown, angle)[1]
    face = _inner_face(profile.curve, crown, angle, lowest=top - gauge_depth)
    start, end = walkable(profile.zones, middle=crown, limit=STEEPEST, turned=angle)
    kept = trimmed(profile.zones, start=start, end=end)
    return join([zone.rotated(angle).moved(y=gauge / 2 - face, z=-top) for zone in kept])


def _demand(profile: Profile, kind: Kind) -> None:
    if profile.kind != kind:
        raise ConfigError(f"'{profile.name}' is a {profile.kind} profile where a {kind} profile belongs")


def _turned(curve: Curve, u: float, angle: float) -> tuple[float, float]:
    """The point of the curve at u after the rotation, y towards z."""
    z = float(curve_values(curve, np.array([u]))[0, 0])
    return cos(angle) * u - sin(angle) * z, sin(angle) * u + cos(angle) * z


def _highest(curve: Curve, *, turned: float) -> float:
    """The place u of the highest point after the rotation."""
    knots = curve.knots
    heights = sin(turned) * knots + cos(turned) * curve_values(curve, knots)[:, 0]
    top = int(np.argmax(heights))
    around = float(knots[max(top - 1, 0)]), float(knots[min(top + 1, knots.size - 1)])

    def rise(u: float) -> float:
        return slope_at(curve.packed, u) + float(np.tan(turned))

    if rise(around[0]) * rise(around[1]) >= 0.0:  # a corner, or the end of a file
        return float(knots[top])
    return float(brentq(rise, *around, xtol=1e-15))


def _inner_face(curve: Curve, crown: float, angle: float, *, lowest: float) -> float:
    """Smallest y of the turned curve between the crown and the height lowest [m]."""
    u = np.append(curve.knots[curve.knots < crown], crown)
    z = curve_values(curve, u)[:, 0]
    heights = sin(angle) * u + cos(angle) * z
    below = np.flatnonzero(heights < lowest)
    if below.size == 0:
        return float(np.min(cos(angle) * u - sin(angle) * z))
    last = below[-1]
    depth_met = float(brentq(lambda at: _turned(curve, at, angle)[1] - lowest, u[last], u[last + 1], xtol=1e-15))
    across = np.append(cos(angle) * u[last + 1 :] - sin(angle) * z[last + 1 :], _turned(curve, depth_met, angle)[0])
    return float(np.min(across))


def worn(profile: Profile, *, y: Array, depth: Array) -> Profile:
    """The profile after material of a depth [m] >= 0, given at rising places y [m], has gone normal to its surface.

    Depths between the places follow monotone cubics, so that no material appears; beyond them the last one holds: end
    with zero for wear of a part. The slope turns by the change of depth along the surface, exactly; the second
    derivative is that of the new slope.
    """
    y, depth = np.asarray(y, dtype=np.float64), np.asarray(depth, dtype=np.float64)
    if y.ndim != 1 or y.shape != depth.shape or y.size < 2 or not np.all(np.diff(y) > 0.0):
        raise ConfigError(f"wear of '{profile.name}': give a depth for each of at least two rising places")
    if not (np.all(np.isfinite(depth)) and np.all(depth >= 0.0)):
        raise ConfigError(f"wear of '{profile.name}': depths must be finite and not negative")
    removed = PchipInterpolator(y, depth)
    zones = tuple(_worn_zone(refined(zone), removed, y[0], y[-1]) for zone in profile.zones)
    if not np.all(np.diff(np.concatenate([zone.y[:-1] for zone in zones])) > 0.0):
        raise ConfigError(f"wear of '{profile.name}' is deeper than a radius of the profile, or too sudden: reduce it")
    return replace(profile, name=f"{profile.name} worn", zones=zones)


def _worn_zone(zone: Zone, removed: PchipInterpolator, start: float, end: float) -> Zone:
    places = np.clip(zone.y, start, end)
    depth = removed(places)
    change = np.where(places == zone.y, removed(places, 1), 0.0)  # per metre of y
    if not depth.any() and not change.any():
        return zone
    length = np.hypot(1.0, zone.slope)  # of the surface, per metre of y
    sine, cosine = zone.slope / length, 1.0 / length
    turn = zone.second / length**2  # of the slope's angle, per metre of y
    dy = 1.0 + change * sine + depth * cosine * turn
    dz = zone.slope - change * cosine + depth * sine * turn
    slope = dz / dy
    second = np.where(depth + np.abs(change) > 0.0, np.gradient(slope, zone.y, edge_order=2) / dy, zone.second)
    return Zone(zone.y + depth * sine, zone.z - depth * cosine, slope, second)
