"""Contacts of the linear vehicle: cones on rail heads, with Hertz and Kalker at the load each wheelset carries."""

from typing import TYPE_CHECKING

from twin.core.errors import ConfigError

if TYPE_CHECKING:
    from twin.vehicle.description import Vehicle
    from twin.vehicle.wheel_rail import WheelRail

RAIL_RADIUS = 0.3
"""Of the crown of a 60E1 head [m], where a centred wheel stands; smaller with the scale of the vehicle."""
LARGEST_CONICITY = 1.0
"""Worn wheels have 0.4: more was meant in another unit."""


def conicities(text: str) -> list[float]:
    """Numbers between commas."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        raise ConfigError(f"--conicity {text}: give numbers between commas, such as 0.1,0.2,0.4") from None
    for value in values:
        if not 0 < value <= LARGEST_CONICITY:
            raise ConfigError(f"--conicity {value:g}: a conicity lies above 0, up to {LARGEST_CONICITY:g}")
    return values


def coned_contacts(vehicle: "Vehicle", conicity: float) -> "list[WheelRail]":
    """Contacts of every wheelset at the mean of its two wheel loads, steel on steel, fully gripping."""
    from twin.contact.creep import rolling_patch
    from twin.contact.hertz import Material, ellipse_under_force
    from twin.contact.kalker import kalker_table
    from twin.vehicle.description import wheels_of
    from twin.vehicle.statics import at_rest
    from twin.vehicle.wheel_rail import cones

    material, loads, contacts = Material(), at_rest(vehicle).wheel_loads, []
    table = kalker_table(nu=material.nu)
    for wheelset in vehicle.wheelsets:
        wheels, load = wheels_of(wheelset), sum(loads[wheelset.name]) / 2
        along, across = 1 / (2 * wheels.radius), 1 / (2 * RAIL_RADIUS * vehicle.scale)
        patch = rolling_patch(ellipse_under_force(along, across, load, material.E_star), 1.0, material.G, table)
        size, area = material.G * patch.a * patch.b, patch.a * patch.b
        contacts.append(
            cones(
                conicity=conicity,
                half_distance=wheels.half_distance,
                f11=size * patch.C11,
                f22=size * patch.C22,
                f23=size * area**0.5 * patch.C23,
                f33=size * area * patch.C33,
            )
        )
    return contacts
