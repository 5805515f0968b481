"""Equivalent conicity: the cone whose free motion is as long as that of the real wheelset [EN 15302, Annex B].

A wheelset that rolls freely obeys e r0 y'' + delta_r(y) = 0, dashes over distance. It moves as a mass does in the
potential V(y), the integral of delta_r: it turns where V is equal on both sides (the equal areas of the standard), and
the way between its turning points is half the wavelength L. On cones delta_r = 2 tan(gamma) y and
L = 2 pi sqrt(e r0 / (2 tan(gamma))) [Klingel]; tan(gamma_e) is what this formula gives for the L found.

Between the points of a table delta_r is taken as linear. The motion across such a piece is known in closed form, so
nothing is left to a quadrature: no step to choose, and no care for the integrand dy / y' that is infinite where the
wheelset turns. A table of 0.1 mm steps gives the exact result for that table.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from twin.core.arrays import Array, frozen

CONTACT_BASE = 1.5
"""e [m]: distance of the nominal rolling circles of standard gauge [EN 15302]."""
NOMINAL_RADIUS = 0.46
"""r0 [m]: radius of the standard's benchmark wheels."""
ROUNDING = 1e-12
"""Part of the table's largest potential or of the amplitude that counts as nothing: sums of some hundred products."""


@dataclass(frozen=True, slots=True)
class RollingRadiusDifference:
    """Left minus right rolling radius over the lateral position of the wheelset, linear between the points.

    In the track frame (y to the left) a wheelset that finds its way back has delta_r rising with y. Two points at one
    y are a jump.
    """

    y: Array
    """(n,) position [m], never falling."""
    delta_r: Array
    """(n,) [m]"""

    def __post_init__(self) -> None:
        if self.y.ndim != 1 or self.y.shape != self.delta_r.shape or self.y.size < 2:
            raise ValueError(f"y and delta_r are two equally long rows, got {self.y.shape} and {self.delta_r.shape}")
        if not (np.isfinite(self.y).all() and np.isfinite(self.delta_r).all()):
            raise ValueError("y and delta_r must be finite")
        if np.any(np.diff(self.y) < 0.0) or self.y[0] == self.y[-1]:
            raise ValueError("y must rise from point to point")

    @property
    def potential(self) -> Array:
        """(n,) integral of delta_r from the first point on [m^2]."""
        areas = np.diff(self.y) * (self.delta_r[1:] + self.delta_r[:-1]) / 2
        return np.concatenate(([0.0], np.cumsum(areas)))


@dataclass(frozen=True, slots=True)
class EquivalentConicity:
    """The free motion of a wheelset for each of m amplitudes."""

    amplitude: Array
    """(m,) half the way from turning point to turning point [m]."""
    tan_gamma: Array
    """(m,) 0: no motion of this amplitude comes back; NaN: it would leave the table."""
    wavelength: Array
    """(m,) of the motion, on the r0 and e asked for [m]; infinite where tan_gamma is 0, NaN where it is NaN."""
    centre: Array
    """(m,) midway between the turning points [m]: not 0 if the wheels or rails differ; NaN where tan_gamma is."""


def equivalent_conicity(
    difference: RollingRadiusDifference,
    *,
    amplitude: Array,
    r0: float = NOMINAL_RADIUS,
    e: float = CONTACT_BASE,
) -> EquivalentConicity:
    """Equivalent conicity by integration of the wheelset's motion [EN 15302, Annex B].

    amplitude: (m,) [m], > 0. r0: mean rolling radius, e: distance of the rolling circles [m]; both scale the
    wavelength only, as tan(gamma_e) follows from delta_r alone.

    With wheels that differ the motion is not centred on y = 0, nor on the place where delta_r = 0: the amplitude is
    half of y_max - y_min, and the two are placed so that the areas of delta_r on both sides of its zero are equal.
    Where delta_r falls around its zero (worn wheels) there may be several such motions; the one about the
    deepest potential counts. Between the largest motion on one side of a potential hill and the smallest across it
    there is none: tan(gamma_e), which falls to 0 towards this gap from both sides, is 0 there.
    """
    motions = [_motion(difference, difference.potential, float(each)) for each in amplitude]
    half_wave, centre = np.array(motions).reshape(-1, 2).T
    return EquivalentConicity(
        amplitude=frozen(np.array(amplitude, dtype=np.float64)),
        tan_gamma=frozen(np.pi**2 / (2 * half_wave**2)),
        wavelength=frozen(2 * half_wave * np.sqrt(e * r0)),
        centre=frozen(centre),
    )


def _motion(difference: RollingRadiusDifference, potential: Array, amplitude: float) -> tuple[float, float]:
    """Way of y'' + delta_r(y) = 0 between its turning points, and their middle; NaN if outside the table."""
    if not amplitude > 0.0:
        raise ValueError(f"an amplitude is a positive length, got {amplitude:g} m")
    found = [
        (_half_wave(difference, potential, start, amplitude), start + amplitude)
        for start in _equal_potentials(difference, potential, amplitude)
    ]
    closed = [each for each in found if each[0] < np.inf]
    if closed:
        deepest = difference.y[np.argmin(potential)]
        return min(closed, key=lambda each: abs(each[1] - deepest))
    return found[0] if found else (np.nan, np.nan)


def _equal_potentials(difference: RollingRadiusDifference, potential: Array, amplitude: float) -> list[float]:
    """Every y with V(y) = V(y + 2 amplitude), the right end having the larger delta_r: the only ones that may close.

    V is quadratic between the points, so V(y + 2 amplitude) - V(y) is so between the points of both.
    """
    y, width = difference.y, 2 * amplitude
    last = y[-1] - width
    if last < y[0] - ROUNDING * width:
        return []

    def rise(start: float) -> float:
        low, high = _potential_at(difference, potential, np.array([start, start + width]))
        return float(high - low)

    starts = np.unique(np.clip(np.concatenate((y, y - width)), min(y[0], last), last))
    rises = _potential_at(difference, potential, starts + width) - _potential_at(difference, potential, starts)
    rises[np.abs(rises) <= ROUNDING * np.abs(potential).max()] = 0.0
    crossings = np.flatnonzero((rises[:-1] < 0.0) & (rises[1:] > 0.0))
    found = [float(brentq(rise, starts[i], starts[i + 1], xtol=ROUNDING * width)) for i in crossings]
    return found + [float(starts[i]) for i in _middles_of_zeros(rises)]


def _middles_of_zeros(rises: Array) -> list[int]:
    """Index midway in each run of zeros that does not fall from positive or to negative values."""
    zeros = np.concatenate(([False], rises == 0.0, [False]))
    edges = np.flatnonzero(np.diff(zeros))
    return [
        int((first + end - 1) // 2)
        for first, end in zip(edges[::2], edges[1::2], strict=True)
        if (first == 0 or rises[first - 1] < 0.0) and (end == rises.size or rises[end] > 0.0)
    ]


def _potential_at(difference: RollingRadiusDifference, potential: Array, at: Array) -> Array:
    """V at any places inside the table; beyond its ends by the rounding of a sum at most."""
    y, f = difference.y, difference.delta_r
    piece = np.clip(np.searchsorted(y, at, side="right") - 1, 0, y.size - 2)
    length, t = y[piece + 1] - y[piece], at - y[piece]
    slope = np.divide(f[piece + 1] - f[piece], length, out=np.zeros_like(t), where=length > 0.0)
    return np.asarray(potential[piece] + f[piece] * t + slope * t**2 / 2)


def _half_wave(difference: RollingRadiusDifference, potential: Array, start: float, amplitude: float) -> float:
    """Way of y'' + delta_r(y) = 0 from rest at start to rest 2 amplitude further; infinite if it never arrives."""
    y, f, end = difference.y, difference.delta_r, start + 2 * amplitude
    margin = ROUNDING * amplitude  # a point so near a turning point is that turning point
    first, stop = np.searchsorted(y, [start + margin, end - margin])
    inside = np.arange(first, stop)
    places = np.concatenate(([start], y[inside], [end]))
    energy = _potential_at(difference, potential, places[:1])[0] - potential[inside]
    if np.any(energy <= 0.0):
        return np.inf
    speed = np.concatenate(([0.0], np.sqrt(2 * energy), [0.0]))
    piece = np.arange(first - 1, stop)  # from point piece to piece + 1, the first and last of them in part
    length, whole = np.diff(places), y[piece + 1] - y[piece]
    long = length > 0.0  # a jump takes no way
    slope = (f[piece + 1] - f[piece])[long] / whole[long]
    return _way(length[long], (speed[1:] + speed[:-1])[long], slope)


def _way(length: Array, speeds: Array, slope: Array) -> float:
    """Way in which pieces of y'' = -(a + slope y) are crossed: the sum over all pieces.

    length: (n,) of the pieces in y, speeds: (n,) sum of y' at both ends. With q = sqrt|slope| length / speeds a piece
    takes 2 atan(q) / sqrt(slope), or 2 atanh(|q|) / sqrt(-slope) where delta_r falls, and 2 length / speeds between:
    half the angle of an oscillation is the atan of the mean of sines over the mean of cosines of its ends. q >= 1
    with falling delta_r: the motion turns inside the piece and does not arrive.
    """
    if np.any(speeds <= 0.0):
        return np.inf
    q = np.sqrt(np.abs(slope)) * length / speeds
    falling = slope < 0.0
    if np.any(falling & (q >= 1.0)):
        return np.inf
    angle = np.where(falling, np.arctanh(np.where(falling, q, 0.0)), np.arctan(q))
    stretch = np.divide(angle, q, out=np.ones_like(q), where=q > 0.0)
    return float(np.sum(2 * stretch * length / speeds))
