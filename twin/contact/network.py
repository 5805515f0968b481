"""NN [Fal 4]: contact points by perceptrons that were trained on DIFF, compiled.

The place of the local minima on the rail does not depend on G_z, so a pose is (yaw, roll, G_y). A classifier says how
many points there are, then the perceptron of that count says where, x and y of each [Fal 4.1.1]. [Fal] separates the
counts by straight lines in (roll, G_y), wrong for 0.9 % of the points; the lines bend a little, and with yaw a further
region opens. Here a perceptron of the whole pose does it: each of its outputs is above zero where there are at least
as many points as the next class has.

Two poses of opposite yaw have mirrored x [Fal 3.1.1], so the perceptrons know yaw >= 0 only. They know nothing outside
the ranges they were trained on: there the answer is OUTSIDE, never a guess.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from twin.contact.curve import curve_at
from twin.contact.difference import fill_difference
from twin.contact.locus import Placement, attitude, locus, placed
from twin.contact.pair import Pair
from twin.contact.points import X_R
from twin.core.arrays import Array, IntArray, frozen
from twin.core.errors import RailTwinError
from twin.numerics.compiled import compiled
from twin.numerics.perceptron import Perceptron, quick_tanh

OUTSIDE = -1
"""Count of a pose outside the trained ranges."""

LANES = 8
"""Neurons are filled up with idle ones to a multiple of this: the processor takes as many at once."""

Index = np.uint64
"""Of the weights. One that may be negative counts from the end: asking so for every weight, or counting the references
to views instead, takes a fifth of the time."""

LOCUS_STEPS = 20
"""Newton steps at most from the place on the rail to the place on the wheel; three do on the tread."""

LOCUS_TOLERANCE = 1e-10
"""Last of these steps [m]: far below what the networks know."""

LEAST_RISE = 0.3
"""Smallest dy/dy_w the steps believe; it is 1 on the tread."""


class OutsideTrainingError(RailTwinError):
    """A pose the networks were not trained for."""


class Ranges(NamedTuple):
    """Poses a network knows; the yaw to either side."""

    yaw: float
    """[rad]"""
    roll_from: float
    """[rad]"""
    roll_to: float
    G_y_from: float
    """[m], left wheel"""
    G_y_to: float

    def __str__(self) -> str:
        return (
            f"yaw {-self.yaw:.5g} to {self.yaw:.5g} rad, roll {self.roll_from:.5g} to {self.roll_to:.5g} rad, "
            f"G_y {1e3 * self.G_y_from:g} to {1e3 * self.G_y_to:g} mm"
        )


Packed = Array
"""Networks as the kernels take them, in one array: a tuple of arrays takes longer to hand over than a network to ask.

First the five ranges. Then a row of four for the classifier and for each class in turn: where its weights begin,
neurons h, outputs, points. Then the weights of each: of yaw, roll, G_y and bias (4, h), of the outputs (outputs, h),
and constants (outputs,).
"""

HEADER, ROW = 5, 4


@dataclass(frozen=True)
class ContactNetwork:
    """Perceptrons for one wheel on one rail, in left-hand form. Inputs yaw, roll [rad], G_y [m]; outputs [m]."""

    ranges: Ranges
    counts: tuple[int, ...]
    """Numbers of points there are networks for, rising."""
    classifier: Perceptron
    """Output j is above zero where there are at least counts[j + 1] points."""
    locators: tuple[Perceptron, ...]
    """Of each count: x and y on the rail of each point in turn, in order of rising y_w."""
    fingerprint: str
    """Of the pair it was trained on."""

    @cached_property
    def packed(self) -> Packed:
        """The networks with the scales of the data worked into the weights."""
        networks = (self.classifier, *self.locators)
        parts = [_unscaled(each) for each in networks]
        begins = HEADER + ROW * len(parts) + np.cumsum([0, *(part.size for part in parts[:-1])])
        rows = [
            (begin, _filled_up(each.b.size), each.c.size, points)
            for begin, each, points in zip(begins, networks, (0, *self.counts), strict=True)
        ]
        return frozen(np.concatenate((self.ranges, np.ravel(rows), *parts)))

    @property
    def most_hidden(self) -> int:
        """Length of the buffer the kernels need."""
        return max(_filled_up(each.b.size) for each in (self.classifier, *self.locators))


def _filled_up(h: int) -> int:
    return -(-h // LANES) * LANES


def _unscaled(perceptron: Perceptron) -> Array:
    """Weights of raw inputs and outputs, in the order of Packed; idle neurons have zero weights."""
    h, idle = perceptron.b.size, _filled_up(perceptron.b.size) - perceptron.b.size
    W = perceptron.W / perceptron.of_inputs.half
    b = perceptron.b - W @ perceptron.of_inputs.centre
    V = perceptron.V * perceptron.of_outputs.half[:, None]
    c = perceptron.c * perceptron.of_outputs.half + perceptron.of_outputs.centre
    first = np.pad(np.vstack((W.T, b)), ((0, 0), (0, idle)))
    return np.concatenate((first.ravel(), np.pad(V.reshape(-1, h), ((0, 0), (0, idle))).ravel(), c))


@compiled
def _excite(packed: Packed, begin: int, h: int, yaw: float, roll: float, G_y: float, hidden: Array) -> None:
    """Fill hidden (h,) with what the neurons answer."""
    w_yaw, w_roll, w_G_y, bias = Index(begin), Index(begin + h), Index(begin + 2 * h), Index(begin + 3 * h)
    for i in range(h):
        j = Index(i)
        hidden[j] = quick_tanh(
            packed[w_yaw + j] * yaw + packed[w_roll + j] * roll + packed[w_G_y + j] * G_y + packed[bias + j]
        )


@compiled
def _answer(packed: Packed, begin: int, h: int, outputs: int, output: int, hidden: Array) -> float:
    """One output; eight sums side by side, as the order of a single one would keep the processor waiting."""
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    row = Index(begin + (4 + output) * h)
    for i in range(0, h, LANES):
        j = Index(i)
        w = row + j
        s0 += packed[w] * hidden[j]
        s1 += packed[w + Index(1)] * hidden[j + Index(1)]
        s2 += packed[w + Index(2)] * hidden[j + Index(2)]
        s3 += packed[w + Index(3)] * hidden[j + Index(3)]
        s4 += packed[w + Index(4)] * hidden[j + Index(4)]
        s5 += packed[w + Index(5)] * hidden[j + Index(5)]
        s6 += packed[w + Index(6)] * hidden[j + Index(6)]
        s7 += packed[w + Index(7)] * hidden[j + Index(7)]
    constant = packed[begin + (4 + outputs) * h + output]
    return float(((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7)) + constant)


@compiled
def inside(packed: Packed, yaw: float, roll: float, G_y: float) -> bool:
    """Whether a pose lies in the ranges; one that is not finite does not."""
    return bool(abs(yaw) <= packed[0] and packed[1] <= roll <= packed[2] and packed[3] <= G_y <= packed[4])


@compiled
def network_points(packed: Packed, yaw: float, roll: float, G_y: float, hidden: Array, xy: Array) -> int:
    """Write x and y on the rail of every point of a left wheel into xy (capacity, 2) [m]; returns how many, or OUTSIDE.

    xy must have a row for each point of the largest class; the contents of hidden (most_hidden,) are lost.
    """
    if not inside(packed, yaw, roll, G_y):
        return OUTSIDE
    begin, h, outputs = int(packed[HEADER]), int(packed[HEADER + 1]), int(packed[HEADER + 2])
    _excite(packed, begin, h, abs(yaw), roll, G_y, hidden)
    row = HEADER + ROW
    for j in range(outputs):
        row += ROW * int(_answer(packed, begin, h, outputs, j, hidden) > 0.0)
    begin, h, outputs, count = int(packed[row]), int(packed[row + 1]), int(packed[row + 2]), int(packed[row + 3])
    _excite(packed, begin, h, abs(yaw), roll, G_y, hidden)
    side = np.copysign(1.0, yaw)
    for k in range(count):
        xy[k, 0] = side * _answer(packed, begin, h, outputs, 2 * k, hidden)
        xy[k, 1] = _answer(packed, begin, h, outputs, 2 * k + 1, hidden)
    return count


@compiled
def network_batch(packed: Packed, poses: Array, hidden: Array, xy: Array, counts: IntArray) -> None:
    """network_points() for every pose (n, 3: yaw, roll, G_y); xy (n, capacity, 2), counts (n,)."""
    for k in range(poses.shape[0]):
        counts[k] = network_points(packed, poses[k, 0], poses[k, 1], poses[k, 2], hidden, xy[k])


@compiled
def wheel_place(wheel: Array, place: Placement, y: float) -> float:
    """y_w of the point of the locus that lies over the place y on the rail [m], by Newton's steps.

    dy/dy_w = r_22 - r_23 c r' + r_21 (u r' + r u'), where u' is that of locus.py but for terms of fourth order in the
    angles. Where the locus turns back (a fillet at large yaw) the steps are held short instead of running away.
    """
    t = place.turn
    y_w = y - place.G_y + t.r23 * curve_at(wheel, y - place.G_y)[0]
    for _ in range(LOCUS_STEPS):
        r, slope, second = curve_at(wheel, y_w)
        u, c, _ = locus(t, slope)
        Y = placed(place, y_w, r, slope)[1]
        rise = t.r22 - t.r23 * c * slope + t.r21 * (u * slope + r * second * t.r11 * t.r12 / t.across)
        step = (Y - y) / max(rise, LEAST_RISE)
        y_w -= step
        if abs(step) < LOCUS_TOLERANCE:
            break
    return float(y_w)


@compiled
def network_search(
    packed: Packed, pair: Pair, G_y: float, G_z: float, yaw: float, roll: float, hidden: Array, xy: Array, rows: Array
) -> int:
    """All contact points of a left wheel as rows (capacity, FIELDS), like search() gives them; returns how many.

    x and y on the rail are the networks'; the rest is what the surfaces have there, so the gap is that of the place
    named: larger than at the true minimum, by half the relative curvature times the square of the network's error.
    """
    count = network_points(packed, yaw, roll, G_y, hidden, xy)
    place = Placement(attitude(yaw, roll), G_y, G_z)
    for k in range(count):
        fill_difference(pair.wheel, pair.rail, place, wheel_place(pair.wheel, place, xy[k, 1]), rows[k])
        rows[k, X_R] = xy[k, 0]
    return count


def locate(network: ContactNetwork, poses: Array) -> tuple[IntArray, Array]:
    """Counts (n,) and x, y (n, most, 2) [m] of poses (n, 3: yaw, roll, G_y); what is no point is zero."""
    counts, xy = np.zeros(len(poses), dtype=np.int64), np.zeros((len(poses), network.counts[-1], 2))
    network_batch(network.packed, np.ascontiguousarray(poses), np.empty(network.most_hidden), xy, counts)
    return counts, xy
