"""Kalker's table, its interpolation and its limits in plain numpy and scipy."""

import numpy as np
from scipy.interpolate import PchipInterpolator

from twin.contact.kalker import FIRST, POISSON, TABLE, asymptotes
from twin.core.arrays import Array


def table_at(nu: float) -> Array:
    """The table's rows (19, 4) for one Poisson's ratio, by the parabola through 1/C, which is nearly linear in nu."""
    at_0, at_quarter, at_half = 1 / TABLE.transpose(1, 0, 2)
    t = nu / POISSON[1]
    return np.asarray(1 / (at_0 * (t - 1) * (t - 2) / 2 - at_quarter * t * (t - 2) + at_half * t * (t - 1) / 2))


def coefficients(*, a_over_b: float, nu: float) -> Array:
    """C11, C22, C23, C33 (4,)."""
    rows = table_at(nu)
    g = min(a_over_b, 1 / a_over_b)
    if g < FIRST:
        end = rows[0] if a_over_b < 1 else rows[-1]
        at_end = np.array(asymptotes(FIRST if a_over_b < 1 else 1 / FIRST, nu))
        return np.asarray(np.array(asymptotes(a_over_b, nu)) * (1 + (end / at_end - 1) * g / FIRST))
    place = 10 * g if a_over_b < 1 else 20 - 10 * g
    return np.asarray(1 / PchipInterpolator(np.arange(1, 20), 1 / rows)(place))
