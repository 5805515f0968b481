"""Contacts of the linear vehicle from the profiles themselves: stochastic linearisation over the motion of a run.

The best line through a function f of the shift y_c of a wheelset over a run is E[y_c f] / E[y_c^2]; for the
rolling-radius difference that is the conicity, for the roll of the seated wheelset the roll per shift. Between small
motions (the slope in the middle) and wide ones it says what conicity a run of that size feels: for S1002 on 60E1 it
jumps near 0.2 mm. Means are over samples of the motion as it is distributed: in a long arc that is no bell curve.

Creep forces are bent as well: FASTSIM's lines lie below Kalker's (f11 of a cone by 9 %), the more so the wider the
creepages, and the spin of an inclined contact takes of the grip. So the coefficients are those of the best lines
through FASTSIM's forces over the creepages of the run, on the patches that the wheelset comes to ride on.
"""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from scipy.stats import norm

from twin.contact.creep import Creepage, Friction, Patch, rolling_patch
from twin.contact.fastsim import Strips, fastsim_force, workspace
from twin.contact.hertz import Material
from twin.contact.pressed import PressedWheel, press_wheelset
from twin.contact.seating import SeatingError, WheelsetPair
from twin.contact.wheel_forces import ContactLaw, contact_law
from twin.core.arrays import Array
from twin.vehicle.description import Vehicle, wheels_of
from twin.vehicle.statics import at_rest
from twin.vehicle.wheel_rail import WheelRail

PLACES = 81
"""To which a wheelset is moved."""
SAMPLES = 150
"""Of the motion of a run."""
CELLS = 20
"""Strips of a patch, and cells of each."""
LEAST_SHIFT = 2e-4
"""Least spread of the shift [m]: slopes over less are those of single facets of a measured profile."""
LEAST_CREEP = 1e-6
"""Least spread of creepages [-]: far below sliding, far above rounding."""
LEAST_ANGLE = 1e-3
"""Inclination that gives the force of spin where a contact has none [rad]."""


class Spread(NamedTuple):
    """Samples (k,) of a wheelset's motion over a run: where it goes, and how often."""

    shift: Array
    """Of its contacts against the rails, y_c [m]."""
    xi: Array
    """Longitudinal creepage of its left wheel; that of the right one is opposite [-]."""
    eta: Array
    """Lateral creepage [-]."""

    @classmethod
    def normal(cls, *, shift: float, xi: float = 0.0, eta: float = 0.0) -> Self:
        """Normally distributed with these standard deviations, independent of each other."""
        levels = norm.ppf((np.arange(SAMPLES) + 0.5) / SAMPLES)
        random = np.random.default_rng(1)  # only shuffles: any order will do
        spread = cls(shift * levels, *(sd * random.permutation(levels) for sd in (xi, eta)))
        return spread.wide_enough()

    @classmethod
    def of(cls, shift: Array, xi: Array, eta: Array) -> Self:
        """Of the histories of a run."""
        picked = np.linspace(0, shift.size - 1, min(SAMPLES, shift.size)).round().astype(int)
        return cls(shift[picked], xi[picked], eta[picked]).wide_enough()

    def wide_enough(self) -> Self:
        """The same, but motion that hardly is there to and fro by its least spread."""
        sway = np.where(np.arange(self.shift.size) % 2 == 0, 1.0, -1.0)
        roll = np.roll(sway, 1) * sway  # not in step with the other
        least = (LEAST_SHIFT * sway, LEAST_CREEP * sway, LEAST_CREEP * roll)
        return type(self)(*(own if _rms(own) > _rms(floor) else floor for own, floor in zip(self, least, strict=True)))


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


class Steel(NamedTuple):
    """Of what wheels and rails are, and how they grip."""

    material: Material
    friction: Friction


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
    wheels: tuple[tuple[PressedWheel, PressedWheel], ...]
    """(n) left and right."""


def wheel_rails(
    vehicle: Vehicle,
    pairs: Sequence[WheelsetPair],
    *,
    spread: Spread | Sequence[Spread],
    material: Material | None = None,
    friction: Friction | None = None,
) -> list[WheelRail]:
    """Contacts of each wheelset from the front for motion of such a spread, of all or of each."""
    steel = Steel(material or Material(), friction or Friction())
    each = [spread] * len(pairs) if isinstance(spread, Spread) else spread
    loads = at_rest(vehicle).wheel_loads
    return [
        wheel_rail(pair, radius=wheels_of(wheelset).radius, loads=loads[wheelset.name], spread=of, steel=steel)
        for wheelset, pair, of in zip(vehicle.wheelsets, pairs, each, strict=True)
    ]


def wheel_rail(
    wheelset: WheelsetPair, *, radius: float, loads: tuple[float, float], spread: Spread, steel: Steel
) -> WheelRail:
    """The linear contact of one wheelset; radius: of the rolling circle [m], loads: of its two wheels [N]."""
    reach = float(np.abs(spread.shift).max())
    moved = traversed(wheelset, loads=loads, material=steel.material, radius=radius, reach=reach)
    middle, y_c = PLACES // 2, spread.shift

    def over(values: Array) -> Array:
        return np.asarray(np.interp(y_c, moved.y_c, values - values[middle]))

    def slope(values: Array) -> float:
        return float(np.sum(y_c * over(values)) / np.sum(y_c**2))

    f11, f22, f23, f33 = _mean_coefficients(moved, spread, steel)
    left, _ = moved.wheels[middle]
    angle = _mean_angle(left)
    half = abs(float(left.zones.y[np.argmax(left.zones.N)]))
    roll_per_shift = max(slope(moved.roll), 0.0)
    cone_lift = angle * half * roll_per_shift**2 + 2 * roll_per_shift  # what gravity_matrix has of cones already
    lift = 2 * float(np.sum(y_c**2 * over(moved.height)) / np.sum(y_c**4))
    return WheelRail(
        conicity=max(slope(moved.radius_growth), 0.0),
        f11=f11,
        f22=f22,
        f23=f23,
        f33=f33,
        contact_angle=angle,
        roll_per_shift=roll_per_shift,
        lift_curvature=float(np.clip(lift - cone_lift + radius * roll_per_shift**2, -100.0, 100.0)),
        spin_share=2 * f23 / (radius * sum(loads)),
    )


def traversed(
    wheelset: WheelsetPair, *, loads: tuple[float, float], material: Material, radius: float, reach: float
) -> Traversed:
    """Move a loaded wheelset across its rails to both sides [m]."""
    rows, wheels = [], []
    for y in np.linspace(-reach, reach, PLACES):
        try:
            left, right = press_wheelset(wheelset, y=float(y), loads=loads, material=material)
        except SeatingError as error:
            raise SeatingError(f"no linear contact over +-{reach * 1e3:.1f} mm: {error}") from None
        roll = left.pose.roll
        growth = (_mean_radius(left) - _mean_radius(right)) / 2
        rows.append((float(y) + radius * roll, growth, roll, left.pose.G_z))
        wheels.append((left, right))
    y_c, growth_over, roll_over, height = np.array(rows).T
    return Traversed(y_c, growth_over, roll_over, height, tuple(wheels))


def _mean_radius(wheel: PressedWheel) -> float:
    return float(np.average(wheel.zones.radius, weights=wheel.zones.N))


def _mean_angle(wheel: PressedWheel) -> float:
    return abs(float(np.average(wheel.zones.contact_angle, weights=wheel.zones.N)))


def _mean_coefficients(moved: Traversed, spread: Spread, steel: Steel) -> Array:
    """(4,) f11, f22 [N], f23 [N m], f33 [N m^2] of one wheel: best lines over the motion, mean of left and right."""
    law = contact_law(steel.material, steel.friction, n_x=CELLS, n_y=CELLS)
    nearest = np.abs(moved.y_c[:, None] - spread.shift).argmin(axis=0)
    squares, sums = np.array([np.sum(spread.xi**2), np.sum(spread.eta**2), nearest.size, nearest.size]), np.zeros(4)
    for k, xi, eta in zip(nearest, spread.xi, spread.eta, strict=True):
        for wheel, side in zip(moved.wheels[k], (1.0, -1.0), strict=True):
            F_x, F_y, f23, f33 = _wheel_forces(wheel, (side * float(xi), float(eta)), law)
            sums += (-side * xi * F_x / 2, -eta * F_y / 2, f23 / 2, f33 / 2)
    return np.asarray(sums / squares)


def _wheel_forces(wheel: PressedWheel, creep: tuple[float, float], law: ContactLaw) -> Array:
    """(4,) F_x, F_y of the creepages xi and eta, f23 and f33 of spin, of all patches of a wheel together."""
    total = np.zeros(4)
    for ellipse, angle, radius in zip(wheel.patches, wheel.zones.contact_angle, wheel.zones.radius, strict=True):
        patch = rolling_patch(ellipse, law.mu, law.G, law.kalker)
        inclined = max(abs(abs(float(angle)) - wheel.pose.roll * np.sign(angle)), LEAST_ANGLE)
        total += _parts(patch, creep, np.sin(inclined) / float(radius), law.grid)
    return total


def _parts(patch: Patch, creep: tuple[float, float], spin: float, grid: Strips) -> Array:
    """(4,) forces that stay when spin [1/m] turns round, and what does not, over the spin."""
    work = workspace(grid)
    one, other = (fastsim_force(Creepage(*creep, sign * spin), patch, grid, work) for sign in (1.0, -1.0))
    return np.array(
        (
            (one.F_x + other.F_x) / 2,
            (one.F_y + other.F_y) / 2,
            -(one.F_y - other.F_y) / (2 * spin),
            -(one.M_z - other.M_z) / (2 * spin),
        )
    )
