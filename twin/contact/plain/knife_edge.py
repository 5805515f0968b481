"""A wheelset on knives, written for reading: each wheel's two equations by root finding, [Esc eq. 15] with the cosine.

(L + s) cos phi + (r + f) sin phi = L - y + y_irr
z - (r + f) cos phi + (L + s) sin phi = h + z_irr
"""

from collections.abc import Sequence
from math import cos, sin

import numpy as np
from scipy.interpolate import PPoly
from scipy.optimize import brentq

from twin.contact.knife_edge import SLACK, Branch, Irregularity, KnifeEdge

MOST_ROLL = 0.03
"""Largest roll tried [rad]: twice that of a wheel on its flange's tip."""


def height_on(branch: Branch, *, y: float, roll: float) -> tuple[float, float]:
    """z of the axle at which the branch touches its knife, and s [m]; -inf where s is beyond the branch."""
    f = PPoly(branch.curve.coefficients[:, ::-1].T, branch.curve.knots)
    (L, h), r = branch.knife, branch.radius

    def across(s: float) -> float:
        return float((L + s) * cos(roll) + (r + f(s)) * sin(roll) - L + y)

    first, last = branch.first - SLACK, branch.last + SLACK
    if across(first) * across(last) > 0.0:
        return -np.inf, 0.0
    s = float(brentq(across, first, last, xtol=1e-16))
    return float(h + (r + f(s)) * cos(roll) - (L + s) * sin(roll)), s


def highest(branches: Sequence[Branch], *, y: float, roll: float) -> tuple[float, float, int]:
    """z and s of the branch that touches first, and which it is."""
    heights = [height_on(branch, y=y, roll=roll) for branch in branches]
    which = int(np.argmax([z for z, _ in heights]))
    return *heights[which], which


def stand(edge: KnifeEdge, *, y: float, rails: Irregularity) -> tuple[float, float, int, int]:
    """z [m] and roll [rad] of the wheelset set down at y, and the touching branches left and right."""

    def left(roll: float) -> tuple[float, float, int]:
        z, s, which = highest(edge.left, y=y - rails.y_left, roll=roll)
        return z + rails.z_left, s, which

    def right(roll: float) -> tuple[float, float, int]:
        z, s, which = highest(edge.right, y=rails.y_right - y, roll=-roll)
        return z + rails.z_right, s, which

    def tilt(roll: float) -> float:
        return left(roll)[0] - right(roll)[0]

    tried = np.linspace(-MOST_ROLL, MOST_ROLL, 61)
    rolls = [roll for roll in tried if np.isfinite(left(roll)[0]) and np.isfinite(right(roll)[0])]
    roll = float(brentq(tilt, rolls[0], rolls[-1], xtol=1e-16))
    return left(roll)[0], roll, left(roll)[2], right(roll)[2]
