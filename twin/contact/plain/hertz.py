"""Hertz's ellipse from exact elliptic integrals: what the compiled tables are made of and tested against.

Two bodies whose undeformed gap is A x^2 + B y^2 touch in an ellipse with semi-axes a (along x) and b (along y). With
g = b/a the gap's curvatures follow from the pressure p0 sqrt(1 - x^2/a^2 - y^2/b^2) [Johnson 1985, eqs 4.26]:

    A = N / (2 pi E* a^3) R_D(0, g^2, 1)
    B = N / (2 pi E* a^3) R_D(0, 1, g^2)
    approach = 3 N / (2 pi E* a) R_F(0, g^2, 1)

written with Carlson's symmetric integrals in place of K and E: K - E and E/g^2 - K, which Johnson prints, lose all
digits for a circle, their Carlson forms none, and g > 1 needs no exchange of axes.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import elliprd, elliprf


class Shape(NamedTuple):
    """An ellipse without its size: a = m s, b = n s, approach = depth s^2 (A + B), s^3 = 3 N / (4 E* (A + B))."""

    m: float
    n: float
    depth: float


def log_curvature_ratio(log_g: float) -> float:
    """ln(B / A) of the gap that leaves an ellipse of b/a = exp(log_g)."""
    g2 = np.exp(2 * log_g)
    return float(np.log(elliprd(0.0, 1.0, g2) / elliprd(0.0, g2, 1.0)))


def shape(log_ratio: float) -> Shape:
    """The ellipse for log_ratio = ln(B / A), |log_ratio| <= 20, to 1e-13."""
    # b/a lies between (A/B)^(1/2) and (A/B)^(2/3), widened so that the root is inside for a circle too
    reach = abs(log_ratio) + 0.1
    log_g = float(brentq(lambda x: log_curvature_ratio(x) - log_ratio, -reach, reach, xtol=1e-15, rtol=1e-15))
    g2 = np.exp(2 * log_g)
    m = np.cbrt(2 / (3 * np.pi) * (elliprd(0.0, g2, 1.0) + elliprd(0.0, 1.0, g2)))
    return Shape(m=float(m), n=float(m * np.exp(log_g)), depth=float(2 / np.pi * elliprf(0.0, g2, 1.0) / m))


def ellipse_under_force(*, A: float, B: float, N: float, E_star: float) -> tuple[float, float, float]:
    """a, b and approach [m] under N > 0 [N]; A, B > 0: half the summed curvatures along x and y [1/m]."""
    form = shape(float(np.log(B / A)))
    s = np.cbrt(3 * N / (4 * E_star * (A + B)))
    return float(form.m * s), float(form.n * s), float(form.depth * s**2 * (A + B))


def ellipse_at_approach(*, A: float, B: float, approach: float, E_star: float) -> tuple[float, float, float]:
    """a, b [m] and N [N] at an approach > 0 [m]."""
    form = shape(float(np.log(B / A)))
    s = np.sqrt(approach / (form.depth * (A + B)))
    return float(form.m * s), float(form.n * s), float(4 / 3 * E_star * (A + B) * s**3)
