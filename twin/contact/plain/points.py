"""DIFF and DIST in plain numpy and scipy, as [Fal 3] writes them down; for a left wheel.

Nothing is shared with the compiled search but the curves' coefficients: DIFF minimises D(x_w, y_w) in two dimensions,
DIST takes both roots of x_w, inverts the rail's slope and makes the checks of [Fal 3.1.2, 3.1.4] one by one.
"""

from typing import NamedTuple

import numpy as np
from scipy.interpolate import PPoly
from scipy.optimize import brentq, fmin, root

from twin.contact.curve import Curve
from twin.contact.points import Pose
from twin.core.arrays import Array


class Range(NamedTuple):
    """Where points are looked for [m]: y_w on the wheel, y on the rail, |x_w|."""

    wheel: tuple[float, float] = (0.700, 0.790)
    rail: tuple[float, float] = (0.720, 0.780)
    reach: float = 25e-3


FALOMI = Range()
"""The range of [Fal 3.1.2]."""


FURTHER = 0.1
"""Length of the straight lines beyond a profile's ends [m]."""


class Profile(NamedTuple):
    """A cross-section with its derivatives."""

    value: PPoly
    slope: PPoly
    second: PPoly


def profile(curve: Curve) -> Profile:
    """The same pieces as scipy's polynomials; beyond both ends a straight line goes on for FURTHER."""
    ends = curve.knots[0] - FURTHER, curve.knots[-1] + FURTHER
    pieces = PPoly(curve.coefficients[:, ::-1].T, curve.knots)
    slopes = pieces.derivative()(curve.knots[[0, -1]])
    lines = np.zeros((6, 2))
    lines[-2] = slopes
    lines[-1] = pieces(curve.knots[0]) - FURTHER * slopes[0], pieces(curve.knots[-1])
    c = np.column_stack([lines[:, 0], pieces.c, lines[:, 1]])
    value = PPoly(c, [ends[0], *curve.knots, ends[1]])
    return Profile(value, value.derivative(), value.derivative(2))


def rotation(pose: Pose) -> Array:
    """R2 [Fal eq. 8]."""
    ca, sa, cb, sb = np.cos(pose.yaw), np.sin(pose.yaw), np.cos(pose.roll), np.sin(pose.roll)
    return np.array([[ca, -sa * cb, sa * sb], [sa, ca * cb, -ca * sb], [0.0, sb, cb]])


def wheel_point(wheel: Profile, pose: Pose, x_w: Array | float, y_w: Array | float) -> Array:
    """The point of the wheel in the track frame (3, ...) [Fal eqs 9, 10]."""
    down = np.sqrt(wheel.value(y_w) ** 2 - np.square(x_w))
    centre = np.array([0.0, pose.G_y, pose.G_z])
    local = np.stack(np.broadcast_arrays(x_w, y_w, -down))
    return np.asarray(np.tensordot(rotation(pose), local, axes=1) + centre.reshape(3, *[1] * (local.ndim - 1)))


def difference(wheel: Profile, rail: Profile, pose: Pose, x_w: Array | float, y_w: Array | float) -> Array:
    """D(x_w, y_w) [Fal eq. 39]."""
    _, y, z = wheel_point(wheel, pose, x_w, y_w)
    return np.asarray(z - rail.value(y))


def gradient(wheel: Profile, rail: Profile, pose: Pose, x_w: float, y_w: float) -> Array:
    """Derivatives of D with x_w and y_w [Fal eqs 40, 41]."""
    R2 = rotation(pose)
    r, slope = float(wheel.value(y_w)), float(wheel.slope(y_w))
    down = np.sqrt(r * r - x_w * x_w)
    along, across = np.array([1.0, 0.0, x_w / down]), np.array([0.0, 1.0, -r * slope / down])
    b1 = float(rail.slope(wheel_point(wheel, pose, x_w, y_w)[1]))
    return np.array([R2[2] @ tangent - b1 * R2[1] @ tangent for tangent in (along, across)])


def hessian(wheel: Profile, rail: Profile, pose: Pose, x_w: float, y_w: float, *, step: float = 1e-7) -> Array:
    """Second derivatives of D [Fal eq. 37] by differences of its gradient."""
    columns = [
        (gradient(wheel, rail, pose, x_w + dx, y_w + dy) - gradient(wheel, rail, pose, x_w - dx, y_w - dy)) / (2 * step)
        for dx, dy in ((step, 0.0), (0.0, step))
    ]
    return np.column_stack(columns)


def difference_points(wheel: Curve, rail: Curve, pose: Pose, *, within: Range = FALOMI, step: float = 5e-5) -> Array:
    """x_w, y_w, x, y, D (n, 5) of all minima of D, in order of y_w: descent from the low places of its valley.

    step: distance of the places across the wheel [m].
    """
    w, b = profile(wheel), profile(rail)
    y_w = np.arange(within.wheel[0], within.wheel[1] + step / 2, step)
    x_w, floor = valley(w, b, pose, y_w, within.reach)
    found: list[Array] = []
    for k in 1 + np.flatnonzero((floor[1:-1] <= floor[:-2]) & (floor[1:-1] <= floor[2:])):
        place = descended(w, b, pose, np.array([x_w[k], y_w[k]]))
        x, y, _ = wheel_point(w, pose, *place)
        if within.rail[0] <= y <= within.rail[1]:
            found.append(np.array([*place, x, y, difference(w, b, pose, *place)]))
    return _single(found)


def _single(found: list[Array]) -> Array:
    """The points (n, 5) in order of y_w, those that were found more than once given once."""
    ordered = sorted(found, key=lambda point: float(point[1]))
    kept = [point for k, point in enumerate(ordered) if k == 0 or point[1] - ordered[k - 1][1] > 1e-9]
    return np.array(kept).reshape(-1, 5)


def valley(wheel: Profile, rail: Profile, pose: Pose, y_w: Array, reach: float) -> tuple[Array, Array]:
    """x_w and D (n,) where D is lowest at each y_w (n,): the best of many x_w and a parabola through its neighbours."""
    x = np.linspace(-reach, reach, 51)
    D = difference(wheel, rail, pose, *np.meshgrid(x, y_w))
    i = np.clip(np.argmin(D, axis=1), 1, x.size - 2)
    n = np.arange(y_w.size)
    before, lowest, after = D[n, i - 1], D[n, i], D[n, i + 1]
    fall, bend = (after - before) / 2, after - 2 * lowest + before
    return x[i] - fall / bend * (x[1] - x[0]), lowest - fall**2 / (2 * bend)


def descended(wheel: Profile, rail: Profile, pose: Pose, start: Array) -> Array:
    """The minimum of D below a start: values to about 10 nm, then the root of the gradient."""
    first = start + 1e-5 * np.array([[0, 0], [1, 0], [0, 1]])

    def D(place: Array) -> float:
        return float(difference(wheel, rail, pose, *place))

    def dD(place: Array) -> Array:
        return gradient(wheel, rail, pose, *place)

    low = fmin(D, start, xtol=1e-8, ftol=1e-16, initial_simplex=first, disp=False)
    return np.asarray(root(dD, low, tol=1e-14).x)


class Branch(NamedTuple):
    """What [Fal eqs 23-29] make of one root of x_w over y_w (n,); NaN where a check fails."""

    x_w: Array
    y_r: Array
    F: Array


def branch(wheel: Profile, rail: Profile, pose: Pose, y_w: Array, sign: float) -> Branch:
    """x_w by [Fal eq. 25], the slope the rail must have [eq. 26], where it has it, and F [eq. 29]."""
    R2 = rotation(pose)
    r, slope = wheel.value(y_w), wheel.slope(y_w)
    A, B, C, D = R2[0, 2], r, R2[0, 0], R2[0, 1] * r * slope
    with np.errstate(invalid="ignore"):
        x_w = (C * D + sign * np.sqrt(C**2 * D**2 - (C**2 + A**2) * (D**2 - A**2 * B**2))) / (C**2 + A**2)
        down = np.sqrt(r**2 - x_w**2)
        true = np.abs(A * down - (C * x_w - D)) < 1e-12  # squaring brings in roots of the other half of the wheel
    b1 = (R2[1, 0] * x_w - R2[1, 1] * r * slope - R2[1, 2] * down) / (R2[2, 1] * r * slope + R2[2, 2] * down)
    y_r = np.array([inverted_slope(rail, value) for value in np.where(true, b1, np.nan)])
    Y = pose.G_y + R2[1, 0] * x_w + R2[1, 1] * y_w - R2[1, 2] * down
    Z = pose.G_z + R2[2, 1] * y_w - R2[2, 2] * down
    return Branch(x_w, y_r, -b1 * (Z - rail.value(y_r)) - (Y - y_r))


def inverted_slope(rail: Profile, slope: float) -> float:
    """Where the rail has the slope; NaN where nowhere. Its slope must fall all the way, as that of a new rail does."""
    low, high = rail.value.x[1], rail.value.x[-2]
    if not rail.slope(high) <= slope <= rail.slope(low):
        return np.nan
    return float(brentq(lambda y: float(rail.slope(y)) - slope, low, high, xtol=1e-15, rtol=1e-15))


def distance_points(wheel: Curve, rail: Curve, pose: Pose, *, within: Range = FALOMI, step: float = 5e-4) -> Array:
    """x_w, y_w, x, y, p_n (n, 5) of all points of DIST, in order of y_w: a scan of so wide a step [m], then brentq."""
    w, b = profile(wheel), profile(rail)
    y_w = np.arange(within.wheel[0], within.wheel[1] + step / 2, step)
    found: list[Array] = []
    for sign in (1.0, -1.0):
        F = branch(w, b, pose, y_w, sign).F
        for i in np.flatnonzero(F[:-1] * F[1:] < 0.0):

            def F_at(y: float, sign: float = sign) -> float:
                return float(branch(w, b, pose, np.array([y]), sign).F[0])

            y = np.array([brentq(F_at, y_w[i], y_w[i + 1], xtol=1e-14, rtol=1e-15)])
            x, y_r, _ = branch(w, b, pose, y, sign)
            convex = relative_curvature(w, b, pose, x[0], y[0], y_r[0]) > 0.0
            if convex and within.rail[0] <= y_r[0] <= within.rail[1]:
                found.append(_distance_point(w, b, pose, x[0], y[0], y_r[0]))
    return _single(found)


def _distance_point(wheel: Profile, rail: Profile, pose: Pose, x_w: float, y_w: float, y_r: float) -> Array:
    x, Y, Z = wheel_point(wheel, pose, x_w, y_w)
    b1 = float(rail.slope(y_r))
    p_n = (Z - rail.value(y_r) - b1 * (Y - y_r)) / np.hypot(1.0, b1)  # [Fal eq. 32]
    return np.array([x_w, y_w, x, y_r, p_n])


def relative_curvature(wheel: Profile, rail: Profile, pose: Pose, x_w: float, y_w: float, y_r: float) -> float:
    """The sign [Fal eq. 33] looks at: positive where the surfaces part in all directions.

    [Fal] wants the summed curvatures across and along positive, each by itself. A yawed wheel is also twisted against
    the rail, so it is the determinant of the summed curvatures that decides, which is what is given here [1/m^2].
    """
    r, r1, r2 = float(wheel.value(y_w)), float(wheel.slope(y_w)), float(wheel.second(y_w))
    b1, b2 = float(rail.slope(y_r)), float(rail.second(y_r))
    u, c = x_w / r, np.sqrt(1.0 - (x_w / r) ** 2)
    across = rotation(pose) @ np.array([r1 * u, 1.0, -r1 * c]) / np.hypot(1.0, r1)  # along the wheel's meridian
    lateral = np.array([0.0, 1.0, b1]) / np.hypot(1.0, b1)
    cos, sin = across @ lateral, across[0]
    k_circle, k_meridian = 1.0 / (r * np.hypot(1.0, r1)), -r2 / np.hypot(1.0, r1) ** 3
    k_22 = k_meridian * cos**2 + k_circle * sin**2 - b2 / np.hypot(1.0, b1) ** 3
    k_11 = k_meridian * sin**2 + k_circle * cos**2
    k_12 = (k_meridian - k_circle) * sin * cos
    return float(k_11 * k_22 - k_12**2)
