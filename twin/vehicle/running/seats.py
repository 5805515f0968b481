"""Wheels of a vehicle on the rails of a track: profiles by name, ready for elastic contacts or for knives."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from pydantic import Field

from twin.contact.creep import Friction
from twin.contact.curve import SHORTEST, Zone
from twin.contact.fastsim import workspace
from twin.contact.hertz import Material
from twin.contact.knife_edge import START, STOP, Branch, KnifeWheel, knife_edge
from twin.contact.pair import pair
from twin.contact.points import K_RAIL, K_ROLLING, K_WHEEL, RADIUS, SLOPE, Y_W
from twin.contact.profiles import Profile, laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.seating import WheelsetPair
from twin.contact.wheel_forces import ContactLaw, contact_law, wheel_buffers
from twin.core.arrays import Array, frozen
from twin.core.settings import Settings
from twin.vehicle.description import Vehicle, Wheels, wheels_of
from twin.vehicle.running.elastic import ElasticWheels
from twin.vehicle.running.flexible import rigid_bed
from twin.vehicle.running.knife import CONSTRAINT_FIELDS, MOST, KnifeWheels

POINT_STEP = 2e-5
"""Between the contact points kept along a branch [m]: they jump where a wheel runs onto another radius."""
GAUGE_LESS_BASE = 0.065
"""Distance of the rolling circles less the track gauge [m]: 1.500 - 1.435, the same on metre gauge."""

CLOSEST = 5 * SHORTEST
"""Samples of a scaled profile [m]: where it is steep, laying a rail at its inclination brings them closer yet."""


class WheelRailSettings(Settings):
    """What the wheels run on, and how they grip."""

    rail: str = Field("60E1-EN", description="name of the rails' profile, or its file")
    rail_right: str | None = Field(None, description="of the right rail, if it differs; a worn one, for example")
    wheel: str | None = Field(None, description="profile of all wheels, name or file; else that of the vehicle")
    wheel_right: str | None = Field(None, description="of the right wheels, if they differ")
    cant: float = Field(1 / 40, ge=0, le=0.1, description="inclination of the rails, 1/40 or 1/20")
    gauge: float | None = Field(
        None, gt=0.05, lt=2.0, description="track gauge [m]; else rolling circles less 65 mm: 1.435 on standard gauge"
    )
    friction: Friction = Field(Friction(), description="grip of wheel on rail")
    material: Material = Field(Material(), description="steel on steel, and the damping of a contact")
    cells: int = Field(
        10, ge=4, le=100, description="strips of a contact patch, and cells of each: 10 move creep forces by 0.5 %"
    )

    def law(self) -> ContactLaw:
        """Ready for compiled code."""
        return contact_law(self.material, self.friction, n_x=self.cells, n_y=self.cells)


def wheelsets_on_rails(vehicle: Vehicle, settings: WheelRailSettings) -> list[WheelsetPair]:
    """Every wheelset from the front on its rails; equal ones are built once."""
    known: dict[Wheels, WheelsetPair] = {}
    found = []
    for wheelset in vehicle.wheelsets:
        wheels = wheels_of(wheelset)
        if wheels not in known:
            known[wheels] = _on_rails(wheels, settings, vehicle.scale)
        found.append(known[wheels])
    return found


def _on_rails(wheels: Wheels, settings: WheelRailSettings, scale: float) -> WheelsetPair:
    left_wheel = settings.wheel or wheels.profile
    names = ((left_wheel, settings.rail), (settings.wheel_right or left_wheel, settings.rail_right or settings.rail))
    gauge = settings.gauge or 2 * wheels.half_distance - GAUGE_LESS_BASE * scale
    pairs = []
    for wheel, rail in names:
        curve = wheel_curve(
            _scaled(wheel_profile(_path(wheel)), scale), radius=wheels.radius, taping_line=wheels.half_distance
        )
        shape = _scaled(rail_profile(_path(rail)), scale)
        pairs.append(pair(curve, laid_rail(shape, cant=settings.cant, gauge=gauge, gauge_depth=0.014 * scale)))
    return WheelsetPair(*pairs)


def _path(name: str) -> str | Path:
    return Path(name) if Path(name).suffix in (".csv", ".dat", ".txt", ".prr", ".prw") else name


def _scaled(profile: Profile, scale: float) -> Profile:
    """The profile of a model built to a scale."""
    if scale == 1.0:
        return profile
    zones = tuple(_thinned(Zone(z.y * scale, z.z * scale, z.slope, z.second / scale)) for z in profile.zones)
    return replace(profile, zones=zones)


def _thinned(zone: Zone) -> Zone:
    """The zone without samples that lie too close for a curve, both ends kept."""
    kept = [0]
    for i in range(1, zone.y.size - 1):
        if min(zone.y[i] - zone.y[kept[-1]], zone.y[-1] - zone.y[i]) > CLOSEST:
            kept.append(i)
    kept.append(zone.y.size - 1)
    return Zone(*(part[kept] for part in zone))


def elastic_wheels(vehicle: Vehicle, pairs: list[WheelsetPair], law: ContactLaw) -> ElasticWheels:
    """All wheels on elastic contacts."""
    flat = tuple(wheel for wheelset in pairs for wheel in wheelset)
    rooms = {id(each): wheel_buffers(each, law) for each in flat}
    buffers = tuple(rooms[id(each)] for each in flat)
    radius = np.array([wheels_of(wheelset).radius for wheelset in vehicle.wheelsets])
    return ElasticWheels(flat, law, buffers, radius, _half_distances(vehicle), rigid_bed(len(flat)))


def knife_wheels(vehicle: Vehicle, pairs: list[WheelsetPair], law: ContactLaw) -> KnifeWheels:
    """All wheels on knives."""
    edges = {}
    for wheelset, on_rails in zip(vehicle.wheelsets, pairs, strict=True):
        if id(on_rails) not in edges:
            edges[id(on_rails)] = knife_edge(on_rails, radius=wheels_of(wheelset).radius)
    wheels = [branches for each in pairs for branches in (edges[id(each)].left, edges[id(each)].right)]
    packed = [knife for each in pairs for knife in (edges[id(each)].left_wheel, edges[id(each)].right_wheel)]
    points = [_points(branch) for branches in wheels for branch in branches]
    counts = np.array([len(rows) for rows in points], dtype=np.int64)
    return KnifeWheels(
        knives=_joined(packed),
        first=np.concatenate(([0], np.cumsum([len(branches) for branches in wheels]))),
        points=frozen(np.concatenate(points)),
        point_first=np.cumsum(counts) - counts,
        point_count=counts,
        law=law,
        work=workspace(law.grid),
        found=np.zeros((len(pairs), MOST, CONSTRAINT_FIELDS)),
        counts=np.zeros(len(pairs), dtype=np.int64),
        half=_half_distances(vehicle),
        carried=np.zeros(len(points)),
    )


def _half_distances(vehicle: Vehicle) -> Array:
    return np.array([wheels_of(wheelset).half_distance for wheelset in vehicle.wheelsets])


def _joined(packed: list[KnifeWheel]) -> KnifeWheel:
    places, start = [], 0
    for knife in packed:
        moved = knife.places.copy()
        moved[:, [START, STOP]] += start
        places.append(moved)
        start += knife.curves.size
    return KnifeWheel(frozen(np.concatenate(places)), frozen(np.concatenate([knife.curves for knife in packed])))


def _points(branch: Branch) -> Array:
    """(n, 5) true contact points at even places from the first to the last s of a branch."""
    count = max(2, int(np.ceil((branch.last - branch.first) / POINT_STEP)) + 1)
    s, rows = np.linspace(branch.first, branch.last, count), branch.points
    columns = (
        rows[:, Y_W],
        rows[:, RADIUS],
        -rows[:, SLOPE],
        rows[:, K_ROLLING] / 2,
        (rows[:, K_WHEEL] + rows[:, K_RAIL]) / 2,
    )
    return np.ascontiguousarray(np.stack([np.interp(s, branch.s, column) for column in columns], axis=1))
