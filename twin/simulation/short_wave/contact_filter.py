"""The contact filter: a patch feels the mean roughness below it, so waves as short as the patch do not move the wheel.

The mean is that of two lengths in equal shares, as a patch is longer along its middle than at its sides:

    r(s) = (m(s, L_1) + m(s, L_2)) / 2,   m(s, L) = (I(s + L) - I(s - L)) / (2 L),   I = int r ds

with half lengths fitted to the tabulated filter of 50 kN on a 920 mm wheel [Directive (EU) 2015/996, Table G-2]: within
0.4 dB from 100 to 12.5 mm, but for 0.7 dB at 40 mm, where the table has a kink. As the patch of Hertz they grow with
the cube root of load times wheel radius; the tabulated filters of 25 and 100 kN are met within 0.6 dB down to 20 mm.
With the integral I at hand the mean under the actual load costs four interpolations, whatever its length.
"""

import numpy as np

from twin.core.arrays import Array
from twin.numerics.compiled import compiled

HALF_LENGTHS = (9.73e-3, 3.90e-3)
"""L_1 and L_2 [m] at the reference load on the reference wheel."""
REFERENCE_LOAD = 50e3
"""[N]."""
REFERENCE_RADIUS = 0.46
"""[m]."""
LARGEST_GROWTH = 1.8
"""Of the lengths over the reference ones [-]: a load of 290 kN; wheel loads above it occur in impacts only."""
MARGIN = 0.03
"""Roughness that must be known on either side of a place [m]: the longest half length and the interpolation."""


def patch_growth(load: Array, *, radius: float) -> Array:
    """Patch length over that of the reference, same shape as load [N]; radius of the wheel [m]."""
    share = np.maximum(load, 0.0) * (radius / (REFERENCE_LOAD * REFERENCE_RADIUS))
    # an unloaded wheel has a patch of no length, over which no mean exists: a tenth is below any wave there is
    return np.asarray(np.clip(np.cbrt(share), 0.1, LARGEST_GROWTH))


def filter_gain(wavelength: Array, *, load: float, radius: float = REFERENCE_RADIUS) -> Array:
    """(n,) amplitude after over before the filter at wavelengths (n,) [m]; load [N], radius of the wheel [m]."""
    growth = patch_growth(np.array(load), radius=radius)
    first, second = (np.sinc(2 * L * growth / wavelength) for L in HALF_LENGTHS)
    return np.asarray((first + second) / 2)


def integrated(roughness: Array, *, step: float) -> Array:
    """(points,) integral [m^2] of roughness (points,) [m] from its first point, exact for cubics inside."""
    inner = step / 24 * (13 * (roughness[1:-2] + roughness[2:-1]) - roughness[:-3] - roughness[3:])
    ends = step / 2 * np.array([roughness[0] + roughness[1], roughness[-2] + roughness[-1]])
    return np.cumsum(np.concatenate([[0.0], ends[:1], inner, ends[1:]]))


@compiled
def patch_means(integral: Array, at: Array, growth: Array, step: float) -> Array:
    """(n,) mean roughness [m] below patches of a growth (n,) at fractional points (n,) of an integral (points,) [m^2].

    Every place needs MARGIN of the integral on either side.
    """
    out = np.empty(at.size)
    for i in range(at.size):
        total = 0.0
        for half_length in HALF_LENGTHS:
            L = half_length * growth[i]
            rise = _cubic(integral, at[i] + L / step) - _cubic(integral, at[i] - L / step)
            total += rise / (4 * L)
        out[i] = total
    return out


@compiled
def _cubic(values: Array, at: float) -> float:
    """Lagrange's cubic through the four points about a fractional index."""
    i = int(np.floor(at))
    x = at - i
    return float(
        -x * (x - 1) * (x - 2) / 6 * values[i - 1]
        + (x + 1) * (x - 1) * (x - 2) / 2 * values[i]
        - (x + 1) * x * (x - 2) / 2 * values[i + 1]
        + (x + 1) * x * (x - 1) / 6 * values[i + 2]
    )
