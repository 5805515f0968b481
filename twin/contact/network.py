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
from twin.contact.points import FIELDS, X_R, ContactPoints, Pose, Side, contact_points
from twin.core.arrays import Array, IntArray, frozen
from twin.core.errors import RailTwinError
from twin.numerics.compiled import compiled
from twin.numerics.perceptron import Perceptron, quick_tanh

OUTSIDE = -1
"""Count of a pose outside the trained ranges."""

LANES = 8
"""Neurons are filled up with idle ones to a multiple of this: the processor takes as many at once."""

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


class Packed(NamedTuple):
    """Networks as the kernels take them: classifier first, then one network for each class."""

    ranges: Ranges
    counts: IntArray
    """(c,) points of each class, rising."""
    layout: IntArray
    """(c + 1, 3) of each network: where its weights begin, neurons, outputs."""
    weights: Array
    """Of each network in turn: of yaw, roll, G_y and the bias (4, h), then (outputs, h), then (outputs,) constants."""


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
        layout, parts, begin = [], [], 0
        for each in (self.classifier, *self.locators):
            part = _unscaled(each)
            layout.append((begin, _filled_up(each.b.size), each.c.size))
            parts.append(part)
            begin += part.size
        return Packed(
            self.ranges,
            frozen(np.array(self.counts, dtype=np.int64)),
            frozen(np.array(layout, dtype=np.int64)),
            frozen(np.concatenate(parts)),
        )

    @property
    def most_hidden(self) -> int:
        """Length of the buffer the kernels need."""
        return int(self.packed.layout[:, 1].max())


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
def _excite(weights: Array, begin: int, h: int, yaw: float, roll: float, G_y: float, hidden: Array) -> None:
    """Fill hidden (h,) with what the neurons answer."""
    w_yaw, w_roll = weights[begin : begin + h], weights[begin + h : begin + 2 * h]
    w_G_y, b = weights[begin + 2 * h : begin + 3 * h], weights[begin + 3 * h : begin + 4 * h]
    for j in range(h):
        hidden[j] = quick_tanh(w_yaw[j] * yaw + w_roll[j] * roll + w_G_y[j] * G_y + b[j])


@compiled
def _answer(weights: Array, begin: int, h: int, outputs: int, output: int, hidden: Array) -> float:
    """One output; eight sums side by side, as the order of a single one would keep the processor waiting."""
    row = begin + (4 + output) * h
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    for j in range(0, h, LANES):
        s0 += weights[row + j] * hidden[j]
        s1 += weights[row + j + 1] * hidden[j + 1]
        s2 += weights[row + j + 2] * hidden[j + 2]
        s3 += weights[row + j + 3] * hidden[j + 3]
        s4 += weights[row + j + 4] * hidden[j + 4]
        s5 += weights[row + j + 5] * hidden[j + 5]
        s6 += weights[row + j + 6] * hidden[j + 6]
        s7 += weights[row + j + 7] * hidden[j + 7]
    constant = weights[begin + (4 + outputs) * h + output]
    return float(((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7)) + constant)


@compiled
def inside(ranges: Ranges, yaw: float, roll: float, G_y: float) -> bool:
    """Whether a pose lies in the ranges; one that is not finite does not."""
    return (
        abs(yaw) <= ranges.yaw
        and ranges.roll_from <= roll <= ranges.roll_to
        and ranges.G_y_from <= G_y <= ranges.G_y_to
    )


@compiled
def network_points(packed: Packed, yaw: float, roll: float, G_y: float, hidden: Array, xy: Array) -> int:
    """Write x and y on the rail of every point of a left wheel into xy (capacity, 2) [m]; returns how many, or OUTSIDE.

    xy must have a row for each point of the largest class; the contents of hidden (most_hidden,) are lost.
    """
    if not inside(packed.ranges, yaw, roll, G_y):
        return OUTSIDE
    weights, layout = packed.weights, packed.layout
    begin, h, outputs = layout[0, 0], layout[0, 1], layout[0, 2]
    _excite(weights, begin, h, abs(yaw), roll, G_y, hidden)
    found = 0
    for j in range(outputs):
        found += int(_answer(weights, begin, h, outputs, j, hidden) > 0.0)
    begin, h, outputs = layout[1 + found, 0], layout[1 + found, 1], layout[1 + found, 2]
    _excite(weights, begin, h, abs(yaw), roll, G_y, hidden)
    side = -1.0 if yaw < 0.0 else 1.0
    count = int(packed.counts[found])
    for k in range(count):
        xy[k, 0] = side * _answer(weights, begin, h, outputs, 2 * k, hidden)
        xy[k, 1] = _answer(weights, begin, h, outputs, 2 * k + 1, hidden)
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


def network_contact(network: ContactNetwork, pair: Pair, pose: Pose, *, side: Side = Side.LEFT) -> ContactPoints:
    """Contact points of one wheel by networks that were trained for its pair."""
    left = pose if side is Side.LEFT else pose.mirrored()
    most = network.counts[-1]
    hidden, xy, rows = np.empty(network.most_hidden), np.empty((most, 2)), np.zeros((most, FIELDS))
    count = network_search(network.packed, pair, left.G_y, left.G_z, left.yaw, left.roll, hidden, xy, rows)
    if count == OUTSIDE:
        raise OutsideTrainingError(
            f"yaw {left.yaw:.5g} rad, roll {left.roll:.5g} rad, G_y {1e3 * left.G_y:.5g} mm, seen as a left wheel, "
            f"lies outside what the network was trained for ({network.ranges}); train it on wider ranges, or use DIFF"
        )
    return contact_points(rows[:count], side)


def locate(network: ContactNetwork, poses: Array) -> tuple[IntArray, Array]:
    """Counts (n,) and x, y (n, most, 2) [m] of poses (n, 3: yaw, roll, G_y); what is no point is zero."""
    counts, xy = np.zeros(len(poses), dtype=np.int64), np.zeros((len(poses), network.counts[-1], 2))
    network_batch(network.packed, np.ascontiguousarray(poses), np.empty(network.most_hidden), xy, counts)
    return counts, xy
