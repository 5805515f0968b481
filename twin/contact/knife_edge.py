"""Knife-edge equivalent profiles: a wheel on an infinitely narrow rail that moves as the real one on the real rail.

[Esc 2.5]: watch from the wheelset, seated on its rails and moved across the track, a fixed point K of the rail. The
line it draws, depth r + f(s) under the axle at L + s from its middle, is the equivalent profile: a wheelset with that
profile on a knife at K is allowed the same motion. With the roll phi, y left, z up,

    (L + s) cos phi + (r + f) sin phi = L - y + y_irr
    z - (r + f) cos phi + (L + s) sin phi = h + z_irr

which for a knife on the rail's top (h = 0, r = r0) and cos phi = 1 are the rows of [Esc eq. 15], signs as printed: its
axes are ours, its z counts from r0. Two things differ. The right wheel is the mirrored left one, where [Esc] counts s
to the left on both. And cos phi stays: leaving it out scales the wheelset by 1 + phi^2 / 2, 23 um at 10 mrad.

Every K is right on the nominal track, but off it (gauge, level) the roll for a given s is another one, and the true
wheel turns about a point on the normal of its contact. [Esc]'s knife lies up to 25 mm off the flange's normals, which
makes 25 um per mrad. The normals of a branch meet in the centre of the rail's arc it touches; with K there the
equivalent profile is the parallel curve of the wheel, exact at any roll. So K is put where they meet: for S1002 on
60E1 with rails 5 mm off, 1 mm of error become 1 um at 1/40 and 18 um at 1/20, where a branch runs over two arcs.

A wheel has several branches, one for each local minimum of its gap followed across the track, also where another one
touches. Each is its own constraint, so tread and flange may touch at once.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from twin.contact.branches import BranchConfig, Followed, follow
from twin.contact.curve import Curve, Zone, curve_at, join
from twin.contact.points import SLOPE, Y_R, Z_R
from twin.contact.seating import SeatingError, WheelsetPair
from twin.core.arrays import Array, frozen
from twin.numerics.compiled import compiled

FLANGE_ANGLE = np.deg2rad(30.0)
"""A branch whose contact gets steeper than this belongs to the flange, its root included [rad]: a tread stays below 10
degrees, the root of the S1002 flange reaches 41, its flank 70."""

SLACK = 2e-6
"""How far beyond its ends a branch counts [m]: two that meet are known to end within a tenth of this."""

PARALLEL = 1e-4
"""Spread of the normals, as a ratio of singular values, below which they are taken to meet nowhere."""

ORDINARY = 8e-3
"""Lateral positions whose normals place a knife [m], all of them where there are none: a flange climbs beyond, where
the other wheel's tread touches arcs of its rail that it never meets otherwise."""

FAR = 3e-3
"""How far beyond its ends a branch need not be looked at [m], s being known to f sin(roll) only: 2 mm at most."""

STEPS = 40
CLOSE = 1e-10
"""Most steps of the roll, and the step after which it counts as found [rad]: the next would be its square."""

MOST_ROLL = 0.1
"""Largest roll a search may reach [rad]: seven times that of a wheel on its flange's tip."""

STANDING, BEYOND, UNSETTLED = 0, 1, 2
"""What became of a seating: found; a wheel is beyond the ends of all its branches; the steps did not settle."""

START, STOP, ACROSS, UP, RADIUS, FIRST, LAST = range(7)
"""Columns of KnifeWheel.places."""


class KnifeWheel(NamedTuple):
    """The n branches of a wheel for compiled code, in left-hand form."""

    places: Array
    """(n, 7): where the branch's packed curve starts and stops, K across and up, r, first and last s [m]."""
    curves: Array
    """The packed curves f(s) (m,)."""


class Irregularity(NamedTuple):
    """Where the rails lie off their nominal places, in track axes [m]."""

    y_left: float = 0.0
    z_left: float = 0.0
    y_right: float = 0.0
    z_right: float = 0.0


class Standing(NamedTuple):
    """A wheelset standing on knives."""

    z: float
    """Height of the axle's centre [m]."""
    roll: float
    """[rad]"""
    s_left: float
    """Place of the knife on the left equivalent profile [m]."""
    s_right: float
    """On the right one, in left-hand form."""
    left: int
    """Which branch touches."""
    right: int
    state: int
    """STANDING, BEYOND or UNSETTLED; then the rest is finite, but where the search stopped and no seating."""


@dataclass(frozen=True)
class Branch:
    """One branch of an equivalent profile, f(s) for first <= s <= last, left-hand form [m]."""

    kind: Literal["tread", "flange"]
    curve: Curve
    knife: tuple[float, float]
    """K: across and up, in track axes of the left rail [m]."""
    radius: float
    """r: depth of f = 0 under the axle [m]."""
    touches: tuple[float, float] | None
    """First and last s at which this branch carries the wheel on the nominal track [m]; None: never."""
    s: Array
    """Places at which the branch was found (n,), rising [m]."""
    points: Array
    """The true contact points there (n, FIELDS), see twin.contact.points."""

    @property
    def first(self) -> float:
        """Smallest s [m]."""
        return float(self.curve.knots[0])

    @property
    def last(self) -> float:
        """Largest s [m]."""
        return float(self.curve.knots[-1])


@dataclass(frozen=True)
class KnifeEdge:
    """The equivalent profiles of a wheelset: the branches of each wheel in order of falling s, and packed."""

    left: tuple[Branch, ...]
    right: tuple[Branch, ...]
    left_wheel: KnifeWheel
    right_wheel: KnifeWheel


def knife_edge(
    wheelset: WheelsetPair,
    *,
    radius: float = 0.46,
    knife: tuple[float, float] | None = None,
    config: BranchConfig | None = None,
) -> KnifeEdge:
    """The equivalent profiles of a wheelset, or SeatingError where it does not stand on its rails.

    radius: of the rolling circle, from which f counts [m]; knife: K for all branches, left-hand form [m], such as
    [Esc]'s (0.75, 0); without it each branch has its own, where it is right for any roll.
    """
    wheels = []
    for lines in follow(wheelset, config or BranchConfig()):
        branches = [_branch(line, knife or _meeting(line), radius) for line in lines]
        wheels.append(tuple(sorted(branches, key=lambda branch: -branch.last)))
    left, right = wheels
    return KnifeEdge(left, right, _packed(left), _packed(right))


def _meeting(line: Followed) -> tuple[float, float]:
    """The point nearest to the normals of the touching contacts; on the rail where these are parallel."""
    ordinary = line.touching & (np.abs(line.y) <= ORDINARY + SLACK)  # on either side alike, rounded as they may be
    chosen = next((each for each in (ordinary, line.touching) if each.any()), np.ones(line.y.size, dtype=bool))
    rows = line.rows[chosen]
    places, slope = rows[:, (Y_R, Z_R)], rows[:, SLOPE]
    tangents = np.column_stack([np.ones(slope.size), slope]) / np.hypot(1.0, slope)[:, None]
    middle = places.mean(axis=0)
    off = np.sum(tangents * (places - middle), axis=1)
    across, up = middle + np.linalg.lstsq(tangents, off, rcond=PARALLEL)[0]
    return float(across), float(up)


def _branch(line: Followed, knife: tuple[float, float], radius: float) -> Branch:
    """The line K draws on the wheel, with its slope from the motion's derivatives and its bend from neighbours."""
    (L, h), r = knife, radius - knife[1]
    cos, sin = np.cos(line.roll), np.sin(line.roll)
    S, F = cos * (L - line.y) - sin * (line.z - h), cos * (line.z - h) + sin * (L - line.y)
    # derivatives along the motion, y leading
    S_y, F_y = -cos - sin * line.z_y - F * line.roll_y, cos * line.z_y - sin + S * line.roll_y
    s, f, slope = (S - L)[::-1], (F - r)[::-1], (F_y / S_y)[::-1]
    ends = [0, *(line.y.size - np.flatnonzero(line.breaks)[::-1]), line.y.size]
    zones = [Zone(s[a:b], f[a:b], slope[a:b], np.gradient(slope[a:b], s[a:b])) for a, b in pairwise(ends)]
    steepest = np.abs(np.arctan(line.rows[:, SLOPE])).max()
    touching = s[line.touching[::-1]]
    return Branch(
        kind="flange" if steepest > FLANGE_ANGLE else "tread",
        curve=join(zones),
        knife=knife,
        radius=r,
        touches=(float(touching[0]), float(touching[-1])) if touching.size else None,
        s=frozen(s.copy()),
        points=frozen(line.rows[::-1].copy()),
    )


def _packed(branches: tuple[Branch, ...]) -> KnifeWheel:
    sizes = [branch.curve.packed.size for branch in branches]
    stops = np.cumsum(sizes)
    places = [
        (stop - size, stop, *branch.knife, branch.radius, branch.first, branch.last)
        for branch, size, stop in zip(branches, sizes, stops, strict=True)
    ]
    curves = np.concatenate([branch.curve.packed for branch in branches])
    return KnifeWheel(frozen(np.array(places, dtype=float)), frozen(curves))


@compiled
def branch_at(wheel: KnifeWheel, i: int, s: float) -> tuple[float, float, float]:
    """f, f' and f'' of branch i; beyond its ends the straight line that goes on there."""
    place = wheel.places[i]
    return curve_at(wheel.curves[int(place[START]) : int(place[STOP])], s)


@compiled
def beyond(wheel: KnifeWheel, i: int, s: float) -> float:
    """How far s lies beyond the ends of branch i [m]; zero within."""
    far = max(wheel.places[i, FIRST] - s, s - wheel.places[i, LAST])
    return float(max(far - SLACK, 0.0))


@compiled
def constraint(
    wheel: KnifeWheel, i: int, y: float, z: float, roll: float
) -> tuple[float, float, float, float, float, bool]:
    """How far branch i is off its knife [m], positive open; its derivatives with y, z and roll; s; whether s is inside.

    Left-hand form; y and z of the axle less the rail's irregularity. These are the wheel's two equations with s
    eliminated: what a vehicle model needs that holds a wheel to its rail.
    """
    place = wheel.places[i]
    cos, sin = np.cos(roll), np.sin(roll)
    across, up = place[ACROSS] - y, z - place[UP]
    S, F = cos * across - sin * up, cos * up + sin * across
    s = S - place[ACROSS]
    f, slope, _ = branch_at(wheel, i, s)
    off = F - place[RADIUS] - f
    return off, slope * cos - sin, cos + slope * sin, S + slope * F, s, beyond(wheel, i, s) == 0.0


@compiled
def stand(wheel: KnifeWheel, i: int, y: float, cos: float, sin: float) -> tuple[float, float, float]:
    """Height z at which branch i touches its knife, its derivative with the roll, and s; left-hand form."""
    place = wheel.places[i]
    curve = wheel.curves[int(place[START]) : int(place[STOP])]
    L, r = place[ACROSS], place[RADIUS]
    s = (L * (1.0 - cos) - y - r * sin) / cos
    f, slope = 0.0, 0.0
    for _ in range(8):  # two or three do: f turns with the small sine only
        f, slope, _ = curve_at(curve, s)
        step = ((L + s) * cos + (r + f) * sin - L + y) / (cos + slope * sin)
        s -= step
        f -= slope * step
        if abs(step) < 1e-9:  # the step after would be its square over the radius of f
            break
    S, F = L + s, r + f
    S_roll = (S * sin - F * cos) / (cos + slope * sin)
    return place[UP] + F * cos - S * sin, S_roll * (slope * cos - sin) - F * sin - S * cos, s


@compiled
def highest(wheel: KnifeWheel, y: float, cos: float, sin: float) -> tuple[float, float, float, int]:
    """stand() of the branch that touches first as the wheelset comes down, and which it is.

    Beyond the ends of all branches the nearest one goes on as a straight line: a search may pass there.
    """
    z, rate, place, which, far = -np.inf, 0.0, 0.0, 0, np.inf
    for i in range(wheel.places.shape[0]):
        if far == 0.0 and beyond(wheel, i, -y - wheel.places[i, RADIUS] * sin) > FAR:
            continue
        z_i, rate_i, s = stand(wheel, i, y, cos, sin)
        far_i = beyond(wheel, i, s)
        if far_i < far or (far_i == far and z_i > z):
            z, rate, place, which, far = z_i, rate_i, s, i, far_i
    return z, rate, place, which


@compiled
def stand_on(left: KnifeWheel, right: KnifeWheel, i: int, j: int, y: float, rails: Irregularity) -> Standing:
    """The wheelset at y held to the knives by branch i of its left wheel and j of its right one: [Esc eq. 15] solved.

    Newton's steps from a level wheelset; three or four do. Beyond its ends a branch goes on as a straight line, which
    the state BEYOND tells. What is no number is UNSETTLED.
    """
    roll, z, s_left, s_right = 0.0, 0.0, 0.0, 0.0
    state = UNSETTLED
    if not np.isfinite(y + rails.y_left + rails.z_left + rails.y_right + rails.z_right):
        return Standing(z, roll, s_left, s_right, i, j, state)
    for _ in range(STEPS):
        cos, sin = np.cos(roll), np.sin(roll)
        z_left, rate_left, s_left = stand(left, i, y - rails.y_left, cos, sin)
        z_right, rate_right, s_right = stand(right, j, rails.y_right - y, cos, -sin)
        step = (z_left + rails.z_left - z_right - rails.z_right) / (rate_left + rate_right)
        z = 0.5 * (z_left + rails.z_left + z_right + rails.z_right)
        roll = min(max(roll - step, -MOST_ROLL), MOST_ROLL)
        if abs(step) < CLOSE:
            state = STANDING
            break
    if beyond(left, i, s_left) > 0.0 or beyond(right, j, s_right) > 0.0:
        state = BEYOND
    return Standing(z, roll, s_left, s_right, i, j, state)


@compiled
def stand_free(left: KnifeWheel, right: KnifeWheel, y: float, rails: Irregularity) -> Standing:
    """The wheelset set down at y: on each knife the branch that touches first. What is no number is UNSETTLED."""
    roll, z, s_left, s_right, i, j = 0.0, 0.0, 0.0, 0.0, 0, 0
    low, high = -MOST_ROLL, MOST_ROLL  # rolls at which the left wheel lies lower, higher than the right one
    state = UNSETTLED
    if not np.isfinite(y + rails.y_left + rails.z_left + rails.y_right + rails.z_right):
        return Standing(z, roll, s_left, s_right, i, j, state)
    for _ in range(STEPS):
        cos, sin = np.cos(roll), np.sin(roll)
        z_left, rate_left, s_left, i = highest(left, y - rails.y_left, cos, sin)
        z_right, rate_right, s_right, j = highest(right, rails.y_right - y, cos, -sin)
        miss = z_right + rails.z_right - z_left - rails.z_left
        z = 0.5 * (z_left + rails.z_left + z_right + rails.z_right)
        if miss < 0.0:
            low = roll
        else:
            high = roll
        following = roll + miss / (rate_left + rate_right)
        if not low <= following <= high:
            following = 0.5 * (low + high)
        step = following - roll
        roll = following
        if abs(step) < CLOSE:
            state = STANDING
            break
    if beyond(left, i, s_left) > 0.0 or beyond(right, j, s_right) > 0.0:
        state = BEYOND
    return Standing(z, roll, s_left, s_right, i, j, state)


def stand_down(edge: KnifeEdge, *, y: float, rails: Irregularity | None = None) -> Standing:
    """Set a wheelset down on its knives at y [m], or raise SeatingError."""
    found = stand_free(edge.left_wheel, edge.right_wheel, y, rails or Irregularity())
    if found.state == BEYOND:
        wheel = "left" if beyond(edge.left_wheel, found.left, found.s_left) > 0.0 else "right"
        raise SeatingError(
            f"the {wheel} wheel is beyond the ends of its equivalent profile at y = {y * 1e3:g} mm: "
            "move the wheelset back, or follow its branches further (reach)"
        )
    if found.state == UNSETTLED:
        raise SeatingError(f"no roll seats the wheelset on its knives at y = {y * 1e3:g} mm")
    return found
