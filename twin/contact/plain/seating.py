"""Rigid seating in plain scipy: the roll at which both wheels ask for the same height of the axle."""

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from twin.contact.curve import Curve
from twin.contact.plain.points import FALOMI, Profile, Range, difference, profile
from twin.contact.points import Pose


def touching_height(wheel: Profile, rail: Profile, pose: Pose, within: Range) -> float:
    """G_z at which the wheel's lowest place over the rail touches it; G_z of the pose is not used."""
    ground = pose._replace(G_z=0.0)
    x_w = np.linspace(-within.reach, within.reach, 201)
    y_w = np.linspace(*within.wheel, 361)
    D = difference(wheel, rail, ground, *np.meshgrid(x_w, y_w))
    best = int(np.argmin(D.min(axis=1)))

    def valley(y: float) -> float:
        """D at the bottom of the valley over y_w."""
        bounds = (-within.reach, within.reach)
        found = minimize_scalar(
            lambda x: float(difference(wheel, rail, ground, x, y)), bounds=bounds, options={"xatol": 1e-9}
        )
        return float(found.fun)

    around = y_w[max(best - 2, 0)], y_w[min(best + 2, y_w.size - 1)]
    return -float(minimize_scalar(valley, bounds=around, options={"xatol": 1e-9}).fun)


def seated(
    left: tuple[Curve, Curve],
    right: tuple[Curve, Curve],
    *,
    y: float,
    yaw: float = 0.0,
    within: Range = FALOMI,
    roll_limit: float = 0.05,
) -> Pose:
    """The pose in which both wheels touch; left, right: wheel and rail, each as a left one; roll within the limit."""
    pairs = [(profile(wheel), profile(rail)) for wheel, rail in (left, right)]

    def heights(roll: float) -> tuple[float, float]:
        pose = Pose(y, 0.0, yaw, roll)
        return (
            touching_height(*pairs[0], pose, within),
            touching_height(*pairs[1], pose.mirrored(), within),
        )

    def miss(roll: float) -> float:
        left_height, right_height = heights(roll)
        return left_height - right_height

    roll = float(brentq(miss, -roll_limit, roll_limit, xtol=1e-13))
    return Pose(y, heights(roll)[0], yaw, roll)
