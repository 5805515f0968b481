"""Whether a vehicle can be what its file says: units off by a thousand, bodies that nothing holds, odd values.

Errors stop; doubts are told. The ranges are wide enough for every vehicle on rails we know, and narrow enough that a
value in t, g, N/mm or mm falls out of them. For a scaled vehicle they follow similarity with gravity kept: lengths with
the scale s, masses with s^3, frequencies with 1/sqrt(s).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.vehicle.description import (
    AnyElement,
    Body,
    BumpStop,
    Bushing,
    LineDamper,
    RollBar,
    TractionRod,
    Vector,
    Vehicle,
    curve_force,
    wheels_of,
)
from twin.vehicle.small_motion import Coordinate, SmallMotion, small_motion, springs, stiffness
from twin.vehicle.statics import at_rest


class Range(NamedTuple):
    """Lowest and highest plausible value."""

    low: float
    high: float

    def times(self, factor: float) -> "Range":
        """The range in another measure."""
        return Range(self.low * factor, self.high * factor)

    def __contains__(self, value: object) -> bool:
        return isinstance(value, float) and self.low <= value <= self.high


class Usual(NamedTuple):
    """What bodies of one kind have."""

    mass: Range
    gyration: Range
    frequency: Range
    """Of the body alone on its springs, its neighbours held, along each axis with a spring [Hz]."""


USUAL = {
    "carbody": Usual(Range(3e3, 2e5), Range(0.4, 12.0), Range(0.12, 12.0)),
    "bogie": Usual(Range(300.0, 4e4), Range(0.2, 3.0), Range(0.8, 150.0)),
    "bolster": Usual(Range(30.0, 5e3), Range(0.1, 2.5), Range(0.5, 200.0)),
    "wheelset": Usual(Range(200.0, 5e3), Range(0.08, 1.5), Range(2.0, 150.0)),
    "axlebox": Usual(Range(10.0, 1e3), Range(0.03, 1.0), Range(2.0, 1e3)),
    "motor": Usual(Range(50.0, 5e3), Range(0.05, 1.5), Range(1.0, 1e3)),
    "rotor": Usual(Range(10.0, 3e3), Range(0.02, 1.0), Range(1.0, 1e3)),
}
"""Masses [kg], radii of gyration [m], frequencies [Hz] at full size."""
REACH = {"x": Range(-30.0, 30.0), "y": Range(-2.5, 2.5), "z": Range(-0.1, 6.0)}
"""Where parts of a vehicle lie at full size [m]: the longest coaches have 27 m, the loading gauges 3.2 and 5 m."""
RADIUS, HALF_DISTANCE = Range(0.15, 0.7), Range(0.2, 0.9)
"""Of wheels, and between them, at full size [m]: from mine cars of 0.5 m gauge to broad-gauge locomotives."""
STANDS = 0.01
"""Largest distance of a wheel from the rails it stands on, in the description of a full-size vehicle [m]."""


class Strength(NamedTuple):
    """What elements of one sort do: words for it, its unit and plausible range, and its power of the scale."""

    words: str
    unit: str
    usual: Range
    power: float
    remedy: str


SPRING = Strength("stiffness", "N/m", Range(3e3, 3e8), 2.0, "give it in N/m")
ROD = Strength("stiffness", "N/m", Range(2e5, 3e8), 2.0, "give it in N/m")
MESH = Strength("stiffness", "N/m", Range(1e5, 5e9), 2.0, "give it in N/m")
TORSION = Strength("stiffness", "N m/rad", Range(3e4, 3e7), 4.0, "give it in N m/rad")
TURNING = Strength("rotational stiffness", "N m/rad", Range(100.0, 5e8), 4.0, "give it in N m/rad")
SERIES = Strength("series stiffness", "N/m", Range(5e4, 1e9), 2.0, "give it in N/m, or 0 for rigid ends")
VISCOUS = Strength("damping", "N s/m", Range(60.0, 5e5), 2.5, "give it in N s/m")
TURNING_VISCOUS = Strength("rotational damping", "N m s/rad", Range(1.0, 1e7), 4.5, "give it in N m s/rad")
DAMPING = Strength("force at 0.1 m/s of full size", "N", Range(150.0, 2e5), 3.0, "give its curve in m/s and N")
STOPPING = Strength("force at the end of the curve", "N", Range(1e3, 5e6), 3.0, "give its curve in m and N")
DAMPER_SPEED = 0.1
"""At which dampers are judged, at full size [m/s]: a usual speed of a secondary damper on fair track."""
STIFF = 8e-3
"""Static deflection below which a suspension hardly springs [m]; usual are 15 to 250 mm over both stages."""
NOTABLE = 0.2
"""Share of the largest motion from which a direction is named."""
HELD = 1e-9
"""Least stiffness of a motion over the largest, each per mass, below which nothing holds it."""


def check(vehicle: Vehicle) -> Vehicle:
    """The vehicle, or ConfigError naming the entry and the remedy."""
    for body in vehicle.bodies:
        _check_inertia(body, vehicle.scale)
        _check_places(f"body '{body.name}'", vehicle.scale, position=body.position, pivot=body.hinge)
    for wheelset in vehicle.wheelsets:
        _check_wheels(wheelset, vehicle.scale)
    for element in vehicle.elements:
        _check_strength(element, vehicle.scale)
        places = {"at_first": element.at_first, "at_second": element.at_second}
        _check_places(f"element '{element.name}'", vehicle.scale, **places)
    motion = small_motion(vehicle)
    K = stiffness(vehicle, motion)
    _check_frequencies(vehicle, motion, K)
    _check_held(vehicle, motion, K)
    _check_loads(vehicle)
    return vehicle


def doubts(vehicle: Vehicle) -> tuple[str, ...]:
    """What is possible to compute with, but hard to believe."""
    found = []
    for body in vehicle.bodies:
        largest = max(body.inertia)
        if largest > sum(body.inertia) - largest:
            values = "/".join(f"{value:g}" for value in body.inertia)
            reason = "the largest exceeds the sum of the others"
            found.append(f"body '{body.name}': no mass distribution has inertias {values} kg m^2, {reason}")
    stiff: dict[str, list[str]] = {}
    for name, deflection in at_rest(vehicle).deflections.items():
        if 0.0 < deflection < STIFF * vehicle.scale:
            stiff.setdefault(f"{deflection * 1e3:.1f} mm", []).append(name)
    for way, (first, *others) in stiff.items():
        alike = f" and {len(others)} alike" if others else ""
        found.append(f"element '{first}'{alike}: gives only {way} under the weight: too stiff?")
    return tuple(found)


def _check_inertia(body: Body, scale: float) -> None:
    usual = USUAL[body.kind]
    masses = usual.mass.times(scale**3)
    if body.mass not in masses:
        raise ConfigError(
            f"body '{body.name}': mass = {body.mass:g} kg, but a {body.kind} has {masses.low:g} to {masses.high:g} kg:"
            " give it in kg"
        )
    lengths = usual.gyration.times(scale)
    for axis, inertia in zip("xyz", body.inertia, strict=True):
        gyration = (inertia / body.mass) ** 0.5
        if gyration not in lengths:
            raise ConfigError(
                f"body '{body.name}': inertia about {axis} = {inertia:g} kg m^2 makes a radius of gyration of"
                f" {gyration:.3g} m, but a {body.kind} has {lengths.low:g} to {lengths.high:g} m: give it in kg m^2"
            )


def _check_places(where: str, scale: float, **places: Vector) -> None:
    for name, place in places.items():
        for value, (axis, reach) in zip(place, REACH.items(), strict=True):
            usual = reach.times(scale)
            if value not in usual:
                raise ConfigError(
                    f"{where}: {name} has {axis} = {value:g} m, but a vehicle lies within {usual.low:g} to"
                    f" {usual.high:g} m: give it in m, x from the middle of the vehicle, z over the rails"
                )


def _check_wheels(wheelset: Body, scale: float) -> None:
    wheels, where = wheels_of(wheelset), f"body '{wheelset.name}'"
    for name, value, full_size in (
        ("radius", wheels.radius, RADIUS),
        ("half_distance", wheels.half_distance, HALF_DISTANCE),
    ):
        usual = full_size.times(scale)
        if value not in usual:
            raise ConfigError(
                f"{where}: wheels.{name} = {value:g} m, but wheels have {usual.low:g} to {usual.high:g} m: give it in m"
            )
    if abs(wheelset.position[2] - wheels.radius) > STANDS * scale:
        raise ConfigError(
            f"{where}: its axle lies {wheelset.position[2]:g} m over the rails, but its wheels have a radius of"
            f" {wheels.radius:g} m: give position z = wheels.radius, so that it stands on them"
        )


def _check_strength(element: AnyElement, scale: float) -> None:
    for sort, values in _strengths(element, scale):
        usual = sort.usual.times(scale**sort.power)
        for value in values:
            if value != 0.0 and value not in usual:
                raise ConfigError(
                    f"element '{element.name}': {sort.words} = {value:g} {sort.unit}, but a {element.kind} has"
                    f" {usual.low:.3g} to {usual.high:.3g} {sort.unit}: {sort.remedy}"
                )


def _strengths(element: AnyElement, scale: float) -> Iterator[tuple[Strength, tuple[float, ...]]]:
    """What is judged of an element, and its values."""
    if isinstance(element, Bushing):
        yield SPRING, element.stiffness
        yield VISCOUS, element.damping
        yield TURNING, element.rotational_stiffness
        yield TURNING_VISCOUS, element.rotational_damping
        yield SERIES, element.series_stiffness
    elif isinstance(element, LineDamper):
        yield DAMPING, (curve_force(element.curve, DAMPER_SPEED * scale**0.5),)
        yield SERIES, (element.series_stiffness,)
    elif isinstance(element, BumpStop):
        yield STOPPING, (element.curve[-1][1],)
    elif isinstance(element, RollBar):
        yield TORSION, (element.stiffness,)
        yield TURNING_VISCOUS, (element.damping,)
    else:
        yield (ROD if isinstance(element, TractionRod) else MESH), (element.stiffness,)
        yield VISCOUS, (element.damping,)


def _check_frequencies(vehicle: Vehicle, motion: SmallMotion, K: Array) -> None:
    for place, coordinate in enumerate(motion.coordinates):
        body = vehicle.body(coordinate.body)
        spring = K[place, place]
        if coordinate.direction not in "xyz" or spring == 0.0:
            continue
        usual = USUAL[body.kind].frequency.times(vehicle.scale**-0.5)
        frequency = float((spring / body.mass) ** 0.5 / (2 * np.pi))
        if frequency not in usual:
            held = (e for e in vehicle.elements if body.name in (e.first, e.second) and springs(e).any())
            on_it = ", ".join(f"'{element.name}'" for element in held)
            raise ConfigError(
                f"body '{body.name}': its springs along {coordinate.direction} add up to {spring:.4g} N/m and make"
                f" {frequency:.3g} Hz, but a {body.kind} has {usual.low:.3g} to {usual.high:.3g} Hz: give the stiffness"
                f" of {on_it} in N/m"
            )


def _check_held(vehicle: Vehicle, motion: SmallMotion, K: Array) -> None:
    """No body may move without straining a spring while the wheelsets stand, nor a wheelset while the others do.

    Wheelsets may spin.
    """
    owner = np.array([coordinate.body for coordinate in motion.coordinates])
    spin = np.array([c.direction == "pitch" for c in motion.coordinates])
    wheelsets = [wheelset.name for wheelset in vehicle.wheelsets]
    M = sum(_mass_matrix(body, motion.bodies[body.name]) for body in vehicle.bodies)
    groups = [~np.isin(owner, wheelsets), *((owner == name) & ~spin for name in wheelsets)]
    for group in groups:
        size = 1.0 / np.sqrt(np.diag(M)[group])
        values, shapes = np.linalg.eigh(size[:, None] * K[np.ix_(group, group)] * size)
        if values[0] <= HELD * values[-1]:
            body, directions = _loosest([motion.coordinates[place] for place in np.flatnonzero(group)], shapes[:, 0])
            raise ConfigError(
                f"body '{body}': no spring holds its {directions}: add an element on it that does,"
                " or join it to another body"
            )


def _check_loads(vehicle: Vehicle) -> None:
    """Every wheel must press its rail: else the vehicle tips over where it stands."""
    for wheelset, loads in at_rest(vehicle).wheel_loads.items():
        for side, load in zip(("left", "right"), loads, strict=True):
            if load <= 0.0:
                raise ConfigError(
                    f"body '{wheelset}': its {side} wheel would have to hold the vehicle down with {-load:.4g} N at"
                    " rest: bring the masses of the bodies over their wheels"
                )


def _loosest(coordinates: list[Coordinate], shape: Array) -> tuple[str, str]:
    """Body that moves most in a shape, and the directions that make up its motion."""
    share = np.abs(shape) / np.abs(shape).max()
    body = coordinates[int(share.argmax())].body
    moved = [c.direction for c, part in zip(coordinates, share, strict=True) if c.body == body and part > NOTABLE]
    return body, " with ".join(moved)


def _mass_matrix(body: Body, motion: Array) -> Array:
    mass = np.array((body.mass,) * 3 + body.inertia)
    return np.asarray(motion.T @ (mass[:, None] * motion))
