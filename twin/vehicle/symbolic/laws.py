"""Force laws as expressions: piecewise linear curves without branches, rotations that store energy."""

from itertools import pairwise

import casadi as ca

from twin.core.arrays import Array
from twin.vehicle.description import Curve, Vector

FLATTEST = 1e-3
"""Least slope of a curve that is inverted, over its steepest: a damper that blows off at a constant force would have
any speed at that force, and one behind a series spring is asked for its speed."""


def along(curve: Curve, argument: ca.SX) -> ca.SX:
    """Value of a curve through (0, 0), straight between its points and beyond; 0 for negative arguments."""
    return sum((bend * ca.fmax(argument - x, 0) for x, bend in _bends(curve)), ca.SX(0))


def below(curve: Curve, argument: ca.SX) -> ca.SX:
    """Area under the curve from 0 to the argument."""
    return sum((bend * ca.fmax(argument - x, 0) ** 2 / 2 for x, bend in _bends(curve)), ca.SX(0))


def _bends(curve: Curve) -> list[tuple[float, float]]:
    """Where the slope of a curve changes, and by how much."""
    slopes = [(y - before) / (x - start) for (start, before), (x, y) in pairwise(curve)]
    changes = [new - old for old, new in pairwise([0.0, *slopes])]
    return [(x, change) for (x, _), change in zip(curve[:-1], changes, strict=True) if change]


def odd(curve: Curve, argument: ca.SX) -> ca.SX:
    """Value of a curve that is the same in both directions."""
    return along(curve, argument) - along(curve, -argument)


def inverted(curve: Curve) -> Curve:
    """The curve with argument and value exchanged; flat parts are given the slope FLATTEST."""
    steepest = max((y - before) / (x - start) for (start, before), (x, y) in pairwise(curve))
    points, force = [(0.0, 0.0)], 0.0
    for (start, before), (x, y) in pairwise(curve):
        force += max(y - before, FLATTEST * steepest * (x - start))
        points.append((force, x))
    return tuple(points)


def rotational_moment(stiffness: Vector, preload: Array, R_12: ca.SX) -> ca.SX:
    """Moment on body 2, in the axes of body 1, of a rotational spring between two bodies [N m].

    R_12: axes of 2 in those of 1; preload (3,): the moment at rest [N m]. It follows from rotational_energy: three laws
    k sin(angle), one per axis, would not conserve energy where two angles act together.
    """
    S = _weights(stiffness, preload) @ R_12
    S -= S.T
    return -R_12 @ ca.vertcat(S[2, 1], S[0, 2], S[1, 0])


def rotational_energy(stiffness: Vector, preload: Array, R_12: ca.SX) -> ca.SX:
    """Energy tr(B (1 - R_12)) of a rotational spring [J]; stiffnesses [N m/rad] about x, y, z at rest."""
    return ca.trace(_weights(stiffness, preload) @ (ca.SX.eye(3) - R_12))


def _weights(stiffness: Vector, preload: Array) -> ca.SX:
    """B: its symmetric part gives the stiffness of small rotations, its skew part the moment at rest."""
    k_x, k_y, k_z = stiffness
    return ca.diag(ca.SX([(k_y + k_z - k_x) / 2, (k_z + k_x - k_y) / 2, (k_x + k_y - k_z) / 2])) - ca.skew(preload) / 2
