"""Contacts of the linear vehicle from the profiles themselves: stochastic linearisation over a run's lateral motion.

Where a wheelset shifts by y_c with a standard deviation sd, the best line through a function of the shift is
E[y_c f] / E[y_c^2]; for the rolling-radius difference that is the conicity, for the roll of the seated wheelset the
roll per shift. Between sd -> 0 (the slope in the middle) and wide motions it says what conicity a run of that size
feels: for S1002 on 60E1 it jumps near 0.2 mm. Patches, and with them Kalker's coefficients, are those under load in the
middle.
"""

from typing import NamedTuple

import numpy as np

from twin.contact.creep import rolling_patch
from twin.contact.hertz import Material, ellipse_under_force
from twin.contact.kalker import kalker_table
from twin.contact.pressed import PressedWheel, press_wheelset
from twin.contact.seating import SeatingError, WheelsetPair
from twin.core.arrays import Array
from twin.vehicle.description import Vehicle, wheels_of
from twin.vehicle.statics import at_rest
from twin.vehicle.wheel_rail import WheelRail

REACH = 4.0
"""Of the shifts looked at, in standard deviations."""
PLACES = 81


class Traversed(NamedTuple):
    """A loaded wheelset moved across its rails, as functions of the shift of its contacts."""

    y_c: Array
    """(n,) y + r0 roll [m]."""
    radius_growth: Array
    """(n,) half the difference of left and right rolling radius [m]."""
    roll: Array
    """(n,) [rad]"""
    height: Array
    """(n,) of the axle over that in the middle [m]."""


def wheel_rails(
    vehicle: Vehicle, pairs: list[WheelsetPair], *, sd: float | list[float], material: Material | None = None
) -> list[WheelRail]:
    """Contacts of each wheelset from the front for lateral motion of a standard deviation sd [m] > 0."""
    material = material or Material()
    spread = [sd] * len(pairs) if isinstance(sd, int | float) else sd
    loads = at_rest(vehicle).wheel_loads
    return [
        wheel_rail(pair, radius=wheels_of(wheelset).radius, loads=loads[wheelset.name], sd=each, material=material)
        for wheelset, pair, each in zip(vehicle.wheelsets, pairs, spread, strict=True)
    ]


def wheel_rail(
    wheelset: WheelsetPair, *, radius: float, loads: tuple[float, float], sd: float, material: Material
) -> WheelRail:
    """The linear contact of one wheelset; radius: of the rolling circle [m], loads: of its two wheels [N]."""
    moved = traversed(wheelset, loads=loads, material=material, radius=radius, reach=REACH * sd)
    weight = np.exp(-((moved.y_c / sd) ** 2) / 2) * np.gradient(moved.y_c)

    def slope(values: Array) -> float:
        return float(np.sum(weight * moved.y_c * (values - values[PLACES // 2])) / np.sum(weight * moved.y_c**2))

    left, _ = press_wheelset(wheelset, y=0.0, loads=loads, material=material)
    f11, f22, f23, f33 = _creep_coefficients(left, material)
    angle = _mean_angle(left)
    half = abs(float(left.zones.y[np.argmax(left.zones.N)]))
    roll_per_shift = max(slope(moved.roll), 0.0)
    cone_lift = angle * half * roll_per_shift**2 + 2 * roll_per_shift  # what gravity_matrix has of cones already
    square = float(np.sum(weight * moved.y_c**2 * (moved.height - moved.height[PLACES // 2])))
    lift = 2 * square / float(np.sum(weight * moved.y_c**4))
    return WheelRail(
        conicity=max(slope(moved.radius_growth), 0.0),
        f11=f11,
        f22=f22,
        f23=f23,
        f33=f33,
        contact_angle=angle,
        roll_per_shift=roll_per_shift,
        lift_curvature=float(np.clip(lift - cone_lift + radius * roll_per_shift**2, -100.0, 100.0)),
    )


def traversed(
    wheelset: WheelsetPair, *, loads: tuple[float, float], material: Material, radius: float, reach: float
) -> Traversed:
    """Move a loaded wheelset across its rails to both sides [m]."""
    rows = []
    for y in np.linspace(-reach, reach, PLACES):
        try:
            left, right = press_wheelset(wheelset, y=float(y), loads=loads, material=material)
        except SeatingError as error:
            raise SeatingError(f"no linear contact over +-{reach * 1e3:.1f} mm: {error}") from None
        roll = left.pose.roll
        growth = (_mean_radius(left) - _mean_radius(right)) / 2
        rows.append((float(y) + radius * roll, growth, roll, left.pose.G_z))
    y_c, growth_over, roll_over, height = np.array(rows).T
    return Traversed(y_c, growth_over, roll_over, height)


def _mean_radius(wheel: PressedWheel) -> float:
    return float(np.average(wheel.zones.radius, weights=wheel.zones.N))


def _mean_angle(wheel: PressedWheel) -> float:
    return abs(float(np.average(wheel.zones.contact_angle, weights=wheel.zones.N)))


def _creep_coefficients(wheel: PressedWheel, material: Material) -> tuple[float, float, float, float]:
    """f11, f22 [N], f23 [N m], f33 [N m^2] of the patch that carries most."""
    zones, most = wheel.zones, int(np.argmax(wheel.zones.N))
    ellipse = ellipse_under_force(float(zones.A[most]), float(zones.B[most]), float(zones.N.sum()), material.E_star)
    patch = rolling_patch(ellipse, 1.0, material.G, kalker_table(nu=material.nu))
    area = patch.a * patch.b
    size = material.G * area
    return size * patch.C11, size * patch.C22, size * area**0.5 * patch.C23, size * area * patch.C33
