"""NN as it reads: what twin/contact/network.py computes, in numpy's own words."""

import numpy as np
from scipy.optimize import brentq

from twin.contact.curve import Curve, curve_values
from twin.contact.locus import locus_points
from twin.contact.network import OUTSIDE, ContactNetwork, Ranges
from twin.contact.points import Pose
from twin.core.arrays import Array, BoolArray, IntArray


def locate(network: ContactNetwork, poses: Array) -> tuple[IntArray, Array]:
    """Counts (n,) and x, y (n, most, 2) [m] of poses (n, 3: yaw, roll, G_y); what is no point is zero."""
    known = inside(network.ranges, poses)
    folded = np.column_stack((np.abs(poses[:, 0]), poses[:, 1:]))  # the networks know one side of the yaw
    counts = np.full(len(poses), OUTSIDE, dtype=np.int64)
    xy = np.zeros((len(poses), network.counts[-1], 2))
    counts[known] = classify(network, folded[known])
    for count, locator in zip(network.counts, network.locators, strict=True):
        chosen = counts == count
        xy[chosen, :count] = locator(folded[chosen]).reshape(chosen.sum(), count, 2)
    xy[poses[:, 0] < 0.0, :, 0] *= -1.0
    return counts, xy


def classify(network: ContactNetwork, poses: Array) -> IntArray:
    """Number of points (n,) in poses of yaw >= 0."""
    return np.asarray(np.array(network.counts)[np.sum(network.classifier(poses) > 0.0, axis=1)])


def inside(ranges: Ranges, poses: Array) -> BoolArray:
    """Which poses lie in the ranges (n,)."""
    yaw, roll, G_y = poses.T
    return np.asarray(
        (np.abs(yaw) <= ranges.yaw)
        & (ranges.roll_from <= roll)
        & (roll <= ranges.roll_to)
        & (ranges.G_y_from <= G_y)
        & (G_y <= ranges.G_y_to)
    )


def wheel_place(wheel: Curve, pose: Pose, y: float) -> float:
    """y_w of the point of the locus over the place y on the rail [m], between 5 mm to either side of the guess."""

    def miss(y_w: float) -> float:
        r, slope, _ = curve_values(wheel, np.array([y_w])).T
        place = locus_points(y_w=np.array([y_w]), r=r, slope=slope, yaw=pose.yaw, roll=pose.roll)
        return float(pose.G_y + place[0, 1] - y)

    radius = float(curve_values(wheel, np.array([y]))[0, 0])
    guess = y - pose.G_y - pose.roll * radius
    return float(brentq(miss, guess - 5e-3, guess + 5e-3, xtol=1e-14))
