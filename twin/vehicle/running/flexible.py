"""Rails that give way under a running vehicle: moving modes in the loop of elastic contacts [Esc 2.6].

All wheels of one rail stand on one reduced rail that travels with the vehicle; the two rails do not know of each other.
A rail lies where the design and its irregularities have it while every wheel presses with its load at rest, Q_0, and
deflects by w, downwards, under the rest of the force,

    w_n = w_free + D f_n,    f_n = Q(z_n + w_n, z._n + (w_n - w_{n-1}) / dt) - Q_0

w_free is what the forces before this instant make of it, D its compliance within one step (rail_steps). Q and w_n are
found together: force and rail one after the other would answer each other by k D, 0.6 for a contact of 1.1 GN/m and
steps of 0.25 ms, which is too much to be right and grows without bound from 1 on. r(w) = Q - Q_0 - (w - w_free) / D is
convex and falls, so Newton's steps find its one root from anywhere.

The wheel's own step is leapfrog's: the force at place z_n changes v_n to v_{n+1}, and v_n is the difference of two
places as the rail's rate is here. So wheel, contact and rail, by the rule of trapezes, exchange in each step the mean
of two forces times the way between: the coupling makes no energy, whatever the rail does above half the rate of the
steps. Steps exact for linear forces would: the modes have poles up to 2.7 kHz, and 0.25 ms show only 2 kHz.

Solved for is the vertical part of the elastic force and of its damping. What creep adds, a hundredth off the flange, is
passed on to the rail slowly: a step later it would feed the rail's fastest modes, which little else damps. The slope of
a deflected rail pushes no wheel along the track: newtons.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from twin.contact.pair import Pair
from twin.contact.wheel_forces import ContactLaw
from twin.contact.zones import Scan, closed_range, vertical_force
from twin.core.arrays import Array
from twin.numerics.compiled import compiled
from twin.vehicle.description import Vehicle
from twin.vehicle.track_flexibility.moving_modes import MovingModes, Reduction, moving_modes
from twin.vehicle.track_flexibility.parameters import Mesh, Track
from twin.vehicle.track_flexibility.rail_steps import RailAtSpeed, RailStep, advance_rail, lossless_rail_at_speed

TO_FREQUENCY = 600.0
"""Up to which the rail's modes are exact [Hz]: beyond it steps of 0.25 ms are not."""
FREQUENCIES = 24
"""Tried up to there: 3 per octave, and a rail on ballast has its resonances octaves apart."""
TOLERANCE = 3e-3
"""Of the rail's receptances over the largest [-]."""
MARGIN = 9.0
"""Track beyond the outermost wheels [m]: echoes of its ends are below 1e-3."""
MOST_SHAPES = 400
"""Of four wheels in a row."""
SPEED_STEP = 1.0
"""Of the speeds the rail is solved for [m/s]: changes receptances by 0.2 %."""
REACH = 0.75 * SPEED_STEP
"""Off its speed a rail serves on [m/s]: beyond the half, so that nothing goes to and fro about a border."""
FASTEST_STEP = 20.0
"""Up to a whole multiple of which the modes are exact [m/s]: vehicles of like speed share them."""
SLOWLY = 5e-3
"""Time in which the vertical part of creep forces is passed on to the rail [s]: up to 30 Hz it is all there."""
CLOSE = 1e-11
"""Step of a deflection at which it counts as found [m]: 10 mN of a contact."""
ITERATIONS = 20
"""Most of Newton's steps: a handful do, but where a wheel leaves its rail the damping ends with a jump."""
SPEEDS_KEPT = 8
"""Steps of the rail kept at hand, one per speed (2 MB each for a vehicle)."""


class Bed(NamedTuple):
    """Both rails at one speed, and what they remember; wheels 2 w on the left rail, 2 w + 1 on the right one."""

    V: float
    """Speed the steps are made for [m/s]."""
    dt: float
    """[s]"""
    rail: RailStep
    zeta: Array
    """(2 rails, 2, m)"""
    load: Array
    """(wheels,) under which the rails lie where they should [N]."""
    f: Array
    """(wheels,) force on the rail above the load [N]."""
    w: Array
    """(wheels,) deflection, downwards [m]."""
    before: Array
    """(wheels,) deflection a step ago [m]."""
    free: Array
    """(wheels,) deflection without the wheel's own force of this instant [m]."""
    normal: Array
    """(wheels,) vertical force found together with the deflection [N]."""
    other: Array
    """(wheels,) and what the whole one has more, creep above all, slowly [N]."""


def rigid_bed(wheels: int) -> Bed:
    """Rails that do not give way."""
    none, p = np.zeros(0), wheels // 2
    still = np.zeros((0, p))
    rail = RailStep(none, none, still, still, still, still, np.zeros((p, p)))
    return Bed(0.0, 1.0, rail, np.zeros((2, 2, 0)), *(np.zeros(wheels) for _ in range(7)))


@compiled
def gives_way(bed: Bed) -> bool:
    """Whether the rails deflect at all."""
    return bool(bed.rail.turn_real.size > 0)


@compiled
def serves(bed: Bed, V: float) -> bool:
    """Whether the steps are good for a speed [m/s]."""
    return not gives_way(bed) or abs(V - bed.V) <= REACH


@compiled
def advance_bed(bed: Bed) -> None:
    """Move both rails on by a step under the forces that began it."""
    if not gives_way(bed):
        return
    p = bed.rail.D.shape[0]
    f, free = np.empty(p), np.empty(p)
    for side in range(2):
        for j in range(p):
            f[j] = bed.f[2 * j + side]
        advance_rail(bed.rail, bed.zeta[side], f, free)
        for j in range(p):
            for k in range(p):
                if k != j:  # within a step no wheel feels another's change of force
                    free[j] += bed.rail.D[j, k] * f[k]
            bed.free[2 * j + side] = free[j]
            bed.before[2 * j + side] = bed.w[2 * j + side]


@compiled
def find_deflection(bed: Bed, wheel: int, pair: Pair, sinking: float, law: ContactLaw, scan: Scan) -> None:
    """Find the deflection under a wheel together with its normal force.

    The gap has been scanned with the rail where it was a step before. sinking: velocity of the wheel towards the place
    of the rail without deflection [m/s].
    """
    D, before, free = bed.rail.D[wheel // 2, wheel // 2], bed.before[wheel], bed.free[wheel]
    w, lowest, first, after = free + D * bed.f[wheel], np.inf, 0, 0
    for _ in range(ITERATIONS):
        if w < lowest:  # what is open here is open for all that rise from it
            first, after = closed_range(scan.places, w - before)
            lowest = w
        elastic, slope = vertical_force(pair, w - before, scan, first, after)
        force, slope = law.E_star * elastic, law.E_star * slope
        approach = sinking - (w - before) / bed.dt
        if approach > 0.0 and elastic > 0.0:
            force, slope = force + law.k_v * approach, slope - law.k_v / bed.dt
        change = (force + bed.other[wheel] - bed.load[wheel] - (w - free) / D) / (1.0 / D - slope)
        bed.normal[wheel] = force + slope * change
        w += change
        if abs(change) < CLOSE:
            break
    bed.w[wheel] = w


@compiled
def press_rail(bed: Bed, wheel: int, Q: float) -> None:
    """Let the rail take the force its deflection was found with; Q: the whole vertical force of the wheel [N]."""
    bed.f[wheel] = bed.normal[wheel] + bed.other[wheel] - bed.load[wheel]
    bed.other[wheel] += min(bed.dt / SLOWLY, 1.0) * (Q - bed.normal[wheel] - bed.other[wheel])


class FlexibleRails:
    """The rails below one vehicle at any speed; remembers their motion from one speed to the next."""

    def __init__(self, track: Track, vehicle: Vehicle, *, fastest: float, loads: Array, dt: float) -> None:
        """fastest: highest speed [m/s]; loads (wheels,) at rest [N]; dt: step [s]."""
        places = tuple(wheelset.position[0] for wheelset in vehicle.wheelsets)
        fastest = FASTEST_STEP * max(1.0, float(np.ceil(fastest / FASTEST_STEP)))
        self.modes = reduced_rail(track, places, fastest)
        self._dt = dt
        self._known: dict[int, RailAtSpeed] = {}
        self._at: RailAtSpeed | None = None
        self._bed = rigid_bed(loads.size)._replace(dt=dt, load=loads)

    def at(self, V: float) -> Bed:
        """The rails for steps near a speed V [m/s], in the state they are in."""
        if self._at is None or not serves(self._bed, V):
            rail = self._near(round(V / SPEED_STEP))
            f = self._bed.f
            zeta = [rail.poles(x, f[side::2]) for side, x in enumerate(self._states())]
            self._bed, self._at = self._bed._replace(V=rail.V, rail=rail.step, zeta=np.stack(zeta)), rail
        return self._bed

    def energy(self) -> float:
        """Kinetic and elastic energy of both rails [J]."""
        return sum(float(x @ x) / 2 for x in self._states())

    def _states(self) -> list[Array]:
        """Of the modes below the left and the right wheels."""
        if self._at is None:
            return [np.zeros(self.modes.states)] * 2
        return [self._at.state(self._bed.zeta[side], self._bed.f[side::2]) for side in range(2)]

    def _near(self, number: int) -> RailAtSpeed:
        if number not in self._known:
            if len(self._known) >= SPEEDS_KEPT:
                self._known.pop(next(iter(self._known)))
            self._known[number] = lossless_rail_at_speed(self.modes, V=number * SPEED_STEP, dt=self._dt)
        return self._known[number]


@lru_cache(maxsize=4)
def reduced_rail(track: Track, places: tuple[float, ...], fastest: float) -> MovingModes:
    """The rail below wheels at places [m] of a vehicle, forward positive, up to a speed [m/s]; takes some seconds."""
    middle, span = (max(places) + min(places)) / 2, max(places) - min(places)
    length = span + 2 * MARGIN
    # the wheels stay in the part of the mesh that does not absorb
    mesh = Mesh(length=length, absorbing=min(0.3, 0.9 * MARGIN / length))
    reduction = Reduction(
        to_frequency=TO_FREQUENCY,
        frequencies=FREQUENCIES,
        speeds=(0.0, fastest),
        tolerance=TOLERANCE,
        most_shapes=MOST_SHAPES,
    )
    return moving_modes(track, places=np.array(places) - middle, mesh=mesh, reduction=reduction)
