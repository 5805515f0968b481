"""Normal contact by zones: stretches where a wheel dips into its rail, cut into strips that each carry their share.

Hertz's patch at every local minimum of the gap breaks where surfaces nearly conform: as a pressed minimum nears its end
its curvature goes to zero, its patch grows without bound and then is gone, and neighbouring patches carry their overlap
twice. Here a zone is all the rail the wheel dips into without a break, and a strip dY of it, at an angle theta, carries
along the rail's normal

    dN = E* c h ds = E* c (-g) dY,     h = -g cos(theta),   ds = dY / cos(theta)

with the vertical gap g < 0. This is a simple form of the semi-Hertzian strips of Ayasse and Chollet (STRIPES, Vehicle
System Dynamics 43 (2005) 161). The number c makes a parabolic gap Hertz's: there h = p - B s^2, whose area is
S = 4/3 p sqrt(p / B), and N = k_h p^(3/2) = E* c S asks for

    c(B / A) = 3/4 k_h sqrt(B) / E* = sqrt(B / (A + B)) / lambda^(3/2)

with the lambda(B / A) of Hertz's approach (twin.contact.plain.hertz): c has no unit and depends on B / A alone. It is
bounded where B is and goes to zero with it, and a strip's force vanishes with its h: so a zone's force is continuous in
the pose, however minima and zones merge or split, and nothing is carried twice.

Between two places of the scan the gap is the cubic through values and slopes at both. The mean B of that interval is
half of the turn of the two surfaces' angle over its length; where it lies between the B at both ends, these share the
interval in the proportion that gives it, and so do their c. That is exact where two radii join within the interval, and
does not jump when the joint moves over a place, as the curvature there does.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from twin.contact.curve import curve_at, row_at, value_at
from twin.contact.hertz import CURVATURE_FLOOR, stiffness
from twin.contact.locus import Placement, locus, placed, shadow
from twin.contact.pair import Pair
from twin.contact.points import Side
from twin.core.arrays import Array, frozen
from twin.numerics.compiled import compiled

X, Y, Z, ANGLE, Y_W, X_W, RADIUS, FORCE, DEPTH, ALONG, ACROSS, RATE = range(12)
ZONE_FIELDS = 12
"""Length of a zone's row: see ContactZones."""

_Y, _GAP, _WHEEL_SLOPE, _MEAN_SHARE, _RAIL_SLOPE, _SINE, _B, _SHARE = range(8)
_SUM, _SUM_Y, _SUM_Z, _SUM_PLACE, _SUM_Y_W, _SUM_AREA, _SUM_RATE, _DEEPEST = range(8)

GAUSS = 0.5 / np.sqrt(3.0)
"""Gauss's two points lie so far from the middle of an interval of length one; they integrate a cubic exactly."""


class Scan(NamedTuple):
    """Room for the gap along one wheel, given by the caller so that kernels allocate nothing."""

    places: Array
    """At each place Y, gap, slope of the wheel's shadow, mean c of the interval that begins here, the rail's slope and
    the sine of its angle, which on an arc is linear in Y, B and c; (8, n). A c of -1 has not been asked for yet."""
    sums: Array


def scan_room(pair: Pair) -> Scan:
    """Room for one wheel at a time of that pair."""
    return Scan(np.empty((8, pair.y_w.size)), np.empty(8))


@dataclass(frozen=True)
class ContactZones:
    """The n stretches on which one wheel dips into its rail, in order of rising |y_w|."""

    x: Array
    """Centre of the zone's force along the track (n,) [m]."""
    y: Array
    """Across the track (n,) [m]."""
    z: Array
    """Height of the rail there (n,) [m]."""
    contact_angle: Array
    """Of the zone's force against the vertical (n,) [rad], positive where the rail rises to the left."""
    y_w: Array
    """Place of the centre on the wheel along its axle (n,) [m]."""
    x_w: Array
    """And along its own x axis (n,) [m]."""
    radius: Array
    """Rolling radius there (n,) [m]."""
    N: Array
    """Size of the zone's elastic force (n,) [N]."""
    depth: Array
    """Deepest penetration along the rail's normal (n,) [m]."""
    A: Array
    """Half the curvature along the rolling direction (n,) [1/m]."""
    B: Array
    """Half the summed curvatures across of the parabola with this depth and area of penetration (n,) [1/m]."""
    rate: Array
    """By how much the vertical force grows when the axle sinks (n,) [N/m]."""

    @property
    def count(self) -> int:
        """How many there are."""
        return int(self.y.size)


def contact_zones(rows: Array, side: Side) -> ContactZones:
    """The record of rows (n, ZONE_FIELDS) found in left-hand form, for the wheel of that side."""
    columns = [np.ascontiguousarray(rows[:, k]) for k in range(ZONE_FIELDS)]
    for k in (Y, ANGLE, Y_W):
        columns[k] = side.value * columns[k]
    return ContactZones(*(frozen(column) for column in columns))


@compiled
def value_and_slope(curve: Array, y: float) -> tuple[float, float]:
    """Of a curve, within its ends."""
    i = row_at(curve, y)
    t = y - curve[i]
    c1, c2, c3, c4, c5 = curve[i + 3], curve[i + 4], curve[i + 5], curve[i + 6], curve[i + 7]
    return (
        curve[i + 2] + t * (c1 + t * (c2 + t * (c3 + t * (c4 + t * c5)))),
        c1 + t * (2.0 * c2 + t * (3.0 * c3 + t * (4.0 * c4 + t * 5.0 * c5))),
    )


@compiled
def strip_share(A: float, B: float) -> float:
    """c of a strip whose half curvatures are A along the rolling direction and B across [1/m]."""
    B = max(B, CURVATURE_FLOOR)
    return float(0.75 * np.sqrt(B) * stiffness(A, B, 1.0))


@compiled
def scan_gap(pair: Pair, place: Placement, scan: Scan) -> None:
    """Gap and slopes at all places; the gap is infinite where it cannot be closed.

    That is off the rail, where the locus does not exist, and where wheel and neighbours lie above all of the rail.
    """
    places, top, last = scan.places, pair.rail_top, pair.y_w.size - 1
    rail, rail_from, rail_to = pair.rail, pair.rail_from, pair.rail_to  # unpacked once: 365 times costs microseconds
    shadow(place, pair.y_w, pair.r, pair.slope, places[:4])
    before = np.inf
    for i in range(last + 1):
        y, z, after = places[_Y, i], places[1, i], places[1, min(i + 1, last)]
        slope = -places[2, i] / places[3, i]
        places[_GAP, i] = np.inf
        if min(before, z, after) <= top and rail_from <= y <= rail_to and np.isfinite(slope):
            b, b1 = value_and_slope(rail, y)
            places[_GAP, i], places[_WHEEL_SLOPE, i], places[_RAIL_SLOPE, i] = z - b, slope, b1
            places[_MEAN_SHARE, i], places[_SHARE, i] = -1.0, -1.0
            places[_SINE, i] = b1 / np.sqrt(1.0 + b1 * b1)
        before = z


@compiled
def _place_share(rail: Array, r: Array, slope: Array, second: Array, places: Array, i: int) -> None:
    """Find B and c at a place, unless they are known; r, slope and second derivative are the wheel's."""
    if places[_SHARE, i] < 0.0:
        on_rail, on_wheel = 1.0 - places[_SINE, i] ** 2, 1.0 / (1.0 + slope[i] ** 2)  # squared cosines of their angles
        rail_second = curve_at(rail, places[_Y, i])[2]
        places[_B, i] = -0.5 * (second[i] * on_wheel * np.sqrt(on_wheel) + rail_second * on_rail * np.sqrt(on_rail))
        places[_SHARE, i] = strip_share(0.5 / r[i] * np.sqrt(on_wheel), places[_B, i])


@compiled
def interval_share(rail: Array, r: Array, slope: Array, second: Array, places: Array, i: int) -> float:
    """Mean c of the interval from place i to the next, kept once it has been asked for.

    The arrays of the pair come one by one: a kernel takes longer to unpack a tuple of them than for its work here.
    The turn of the two surfaces is taken as its tangent: on a radius of 13 mm an interval turns by 0.03 rad.
    """
    if places[_MEAN_SHARE, i] < 0.0:
        w0, w1, b0, b1 = places[_WHEEL_SLOPE, i], places[_WHEEL_SLOPE, i + 1], places[_RAIL_SLOPE, i], places[4, i + 1]
        turn = (w1 - w0) / (1.0 + w0 * w1) - (b1 - b0) / (1.0 + b0 * b1)
        sine = 0.5 * (places[_SINE, i] + places[_SINE, i + 1])
        B = 0.5 * turn / (places[_Y, i + 1] - places[_Y, i]) * np.sqrt(1.0 - sine * sine)
        _place_share(rail, r, slope, second, places, i)
        _place_share(rail, r, slope, second, places, i + 1)
        B0, B1 = places[_B, i], places[_B, i + 1]
        if min(B0, B1) < B < max(B0, B1):
            part = (B - B1) / (B0 - B1)
            places[_MEAN_SHARE, i] = part * places[_SHARE, i] + (1.0 - part) * places[_SHARE, i + 1]
        else:
            places[_MEAN_SHARE, i] = strip_share(0.5 / (r[i] * np.sqrt(1.0 + slope[i] ** 2)), B)
    share: float = places[_MEAN_SHARE, i]
    return share


class Cubic(NamedTuple):
    """The gap of an interval over t = 0..1: values and slopes over t at both ends [m]."""

    g0: float
    d0: float
    g1: float
    d1: float


@compiled
def interval_gap(places: Array, i: int, lift: float) -> Cubic:
    """The gap from place i to the next with the axle lifted [m]."""
    length = places[_Y, i + 1] - places[_Y, i]
    return Cubic(
        places[_GAP, i] + lift,
        length * (places[_WHEEL_SLOPE, i] - places[_RAIL_SLOPE, i]),
        places[_GAP, i + 1] + lift,
        length * (places[_WHEEL_SLOPE, i + 1] - places[_RAIL_SLOPE, i + 1]),
    )


@compiled
def cubic_at(gap: Cubic, t: float) -> float:
    """Its value."""
    rise = gap.g1 - gap.g0
    c2, c3 = 3.0 * rise - 2.0 * gap.d0 - gap.d1, gap.d0 + gap.d1 - 2.0 * rise
    return gap.g0 + t * (gap.d0 + t * (c2 + t * c3))


@compiled
def turning_places(gap: Cubic) -> tuple[float, float]:
    """Where the cubic has its extrema, in rising order; 1 for one that is not inside the interval."""
    rise = gap.g1 - gap.g0
    half, a = 3.0 * rise - 2.0 * gap.d0 - gap.d1, 3.0 * (gap.d0 + gap.d1 - 2.0 * rise)
    rest = half * half - a * gap.d0
    if rest <= 0.0:
        return 1.0, 1.0
    q = -(half + (np.sqrt(rest) if half > 0.0 else -np.sqrt(rest)))
    first, second = q / a if a != 0.0 else 1.0, gap.d0 / q if q != 0.0 else 1.0
    first = first if 0.0 < first < 1.0 else 1.0
    second = second if 0.0 < second < 1.0 else 1.0
    return min(first, second), max(first, second)


@compiled
def _crossing(gap: Cubic, low: float, high: float) -> float:
    """The one root between low and high, where the cubic is monotone: Newton's steps, or halving where they leave."""
    rise = gap.g1 - gap.g0
    c2, c3 = 3.0 * rise - 2.0 * gap.d0 - gap.d1, gap.d0 + gap.d1 - 2.0 * rise
    closed_below = cubic_at(gap, low) < 0.0
    t = 0.5 * (low + high)
    for _ in range(60):
        g, slope = cubic_at(gap, t), gap.d0 + t * (2.0 * c2 + 3.0 * t * c3)
        if (g < 0.0) == closed_below:
            low = t
        else:
            high = t
        following = t - g / slope if slope != 0.0 else low
        if not low < following < high:
            following = 0.5 * (low + high)
        if abs(following - t) < 1e-15:
            break
        t = following
    return t


@compiled
def closed_parts(gap: Cubic) -> tuple[float, float, float, float]:
    """The one or two stretches of t on which the gap is closed, from, to, from, to; an absent one is empty, 1 to 1.

    A cubic stays within the values of its four Bezier points: most intervals are settled by their signs.
    """
    first, second = gap.g0 + gap.d0 / 3.0, gap.g1 - gap.d1 / 3.0
    if min(min(gap.g0, gap.g1), min(first, second)) >= 0.0:
        return 1.0, 1.0, 1.0, 1.0
    if max(max(gap.g0, gap.g1), max(first, second)) < 0.0:
        return 0.0, 1.0, 1.0, 1.0
    start, from_1, to_1 = 0.0, 1.0, 1.0
    low, closed = 0.0, gap.g0 < 0.0
    e1, e2 = turning_places(gap)
    for high in (e1, e2, 1.0):
        if high > low and (cubic_at(gap, high) < 0.0) != closed:
            root = _crossing(gap, low, high)
            if not closed:
                start = root
            elif from_1 == 1.0:
                from_1, to_1 = start, root
            else:
                return from_1, to_1, start, root
            closed = not closed
        low = high
    if not closed:
        return from_1, to_1, 1.0, 1.0
    return (start, 1.0, 1.0, 1.0) if from_1 == 1.0 else (from_1, to_1, start, 1.0)


@compiled
def lowest_gap(places: Array) -> float:
    """The least gap along the wheel [m]; infinite where there is no rail below."""
    least = np.inf
    for i in range(places.shape[1] - 1):
        if places[_GAP, i] < np.inf and places[_GAP, i + 1] < np.inf:
            gap = interval_gap(places, i, 0.0)
            least = min(least, gap.g0, gap.g1)
            if gap.d0 < 0.0 < gap.d1:
                e1, e2 = turning_places(gap)
                least = min(least, cubic_at(gap, e1), cubic_at(gap, e2))
    return least


@compiled
def _add_strips(
    y_w: Array, places: Array, sums: Array, share: float, i: int, gap: Cubic, low: float, high: float
) -> None:
    """Add the closed part low..high of an interval to the sums: two strips, with the normal half way between them."""
    length, middle = places[_Y, i + 1] - places[_Y, i], 0.5 * (low + high)
    sin = places[_SINE, i] + middle * (places[_SINE, i + 1] - places[_SINE, i])
    cos = np.sqrt(1.0 - sin * sin)
    width = 0.5 * (high - low) * length
    stiff = share * width
    t1, t2 = middle - GAUSS * (high - low), middle + GAUSS * (high - low)
    h1, h2 = -cubic_at(gap, t1), -cubic_at(gap, t2)
    force, t = stiff * (h1 + h2), (h1 * t1 + h2 * t2) / (h1 + h2)
    sums[_SUM] += force
    sums[_SUM_Y] -= force * sin
    sums[_SUM_Z] += force * cos
    sums[_SUM_PLACE] += force * (places[_Y, i] + t * length)
    sums[_SUM_Y_W] += force * (y_w[i] + t * (y_w[i + 1] - y_w[i]))
    sums[_SUM_AREA] += width * (h1 + h2)
    sums[_SUM_RATE] += 2.0 * stiff * cos
    deepest = low if cubic_at(gap, low) < cubic_at(gap, high) else high
    if gap.d0 < 0.0 < gap.d1:
        e1, e2 = turning_places(gap)
        deepest = e1 if cubic_at(gap, e1) < cubic_at(gap, e2) else e2
    sin = places[_SINE, i] + deepest * (places[_SINE, i + 1] - places[_SINE, i])
    sums[_DEEPEST] = max(sums[_DEEPEST], -cubic_at(gap, deepest) * np.sqrt(1.0 - sin * sin))


@compiled
def _finish(pair: Pair, place: Placement, E_star: float, sums: Array, rows: Array, count: int) -> int:
    """Write the zone whose strips have been summed into the next row, if there is one, and count it."""
    if not sums[_SUM] > 0.0:  # a hair that carries nothing
        return count
    if count < rows.shape[0]:
        row = rows[count]
        y, y_w = sums[_SUM_PLACE] / sums[_SUM], sums[_SUM_Y_W] / sums[_SUM]
        r, slope, _ = curve_at(pair.wheel, y_w)
        row[X], row[Y], row[Z] = placed(place, y_w, r, slope)[0], y, value_at(pair.rail, y)
        row[ANGLE] = np.arctan2(-sums[_SUM_Y], sums[_SUM_Z])
        row[Y_W], row[X_W], row[RADIUS] = y_w, r * locus(place.turn, slope)[0], r
        row[FORCE] = E_star * np.sqrt(sums[_SUM_Y] ** 2 + sums[_SUM_Z] ** 2)
        row[DEPTH] = sums[_DEEPEST]
        row[ALONG] = 0.5 / (r * np.sqrt(1.0 + slope * slope))
        row[ACROSS] = 16.0 * sums[_DEEPEST] ** 3 / (9.0 * sums[_SUM_AREA] ** 2)
        row[RATE] = E_star * sums[_SUM_RATE]
    return count + 1


@compiled
def zones(pair: Pair, place: Placement, lift: float, E_star: float, scan: Scan, rows: Array) -> int:
    """All zones of a left wheel whose gap has been scanned, the axle lifted since [m]; returns how many.

    rows (capacity, ZONE_FIELDS) are filled in order of y_w; more zones than rows are counted, not written.
    """
    places, sums = scan.places, scan.sums
    rail, y_w, r, slope, second = pair.rail, pair.y_w, pair.r, pair.slope, pair.second
    count, going = 0, False
    for i in range(places.shape[1]):
        parts, gap = (1.0, 1.0, 1.0, 1.0), Cubic(0.0, 0.0, 0.0, 0.0)
        if i + 1 < places.shape[1] and places[_GAP, i] < np.inf and places[_GAP, i + 1] < np.inf:
            gap = interval_gap(places, i, lift)
            parts = closed_parts(gap)
        if going and parts[0] > 0.0:  # the rail ends within the zone
            count, going = _finish(pair, place, E_star, sums, rows, count), False
        for low, high in ((parts[0], parts[1]), (parts[2], parts[3])):
            if high > low:
                if not going:
                    sums[:] = 0.0
                share = interval_share(rail, r, slope, second, places, i)
                _add_strips(y_w, places, sums, share, i, gap, low, high)
                going = high == 1.0
                if not going:
                    count = _finish(pair, place, E_star, sums, rows, count)
    return count


@compiled
def closed_range(places: Array, lift: float) -> tuple[int, int]:
    """The first closed interval and the one after the last; those of a higher axle lie between them."""
    first, after = 0, 0
    for i in range(places.shape[1] - 1):
        if places[_GAP, i] < np.inf and places[_GAP, i + 1] < np.inf:
            parts = closed_parts(interval_gap(places, i, lift))
            if parts[1] > parts[0]:
                first, after = first if after > 0 else i, i + 1
    return first, after


@compiled
def vertical_force(pair: Pair, lift: float, scan: Scan, first: int, after: int) -> tuple[float, float]:
    """Vertical force of the zones from interval first to before after, over E* [m^2], and its derivative with the lift.

    It falls and is convex in the lift.
    """
    places = scan.places
    rail, r, slope, second = pair.rail, pair.r, pair.slope, pair.second
    force, rate = 0.0, 0.0
    for i in range(first, after):
        if not (places[_GAP, i] < np.inf and places[_GAP, i + 1] < np.inf):
            continue
        gap = interval_gap(places, i, lift)
        parts = closed_parts(gap)
        for low, high in ((parts[0], parts[1]), (parts[2], parts[3])):
            if high > low:
                middle, off = 0.5 * (low + high), GAUSS * (high - low)
                sin = places[_SINE, i] + middle * (places[_SINE, i + 1] - places[_SINE, i])
                share = interval_share(rail, r, slope, second, places, i)
                stiff = share * 0.5 * (high - low) * (places[_Y, i + 1] - places[_Y, i]) * np.sqrt(1.0 - sin * sin)
                force -= stiff * (cubic_at(gap, middle - off) + cubic_at(gap, middle + off))
                rate -= 2.0 * stiff
    return force, rate
