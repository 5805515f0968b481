"""Normal contact: Hertz's ellipse, its stiffness, and the damping of an approach.

The shape of the ellipse depends on A/B alone. Its exact solution (`twin.contact.plain.hertz`) is tabulated once over
ln(B/A) in pieces of fifth degree, good to 1e-9, so that a kernel needs one logarithm and three polynomials. Between
a force and an approach stands N = k_h p^(3/2), the stiffness k_h [N/m^(3/2)] constant for given curvatures.

No contact (N <= 0 or approach <= 0) is an ellipse of zeros. Curvatures below CURVATURE_FLOOR, which conformal or
concave profiles have, are raised to it and the result is flagged: Hertz's theory does not hold there, the result only
stays defined and continuous.
"""

from typing import NamedTuple

import numpy as np
from pydantic import Field
from scipy.interpolate import make_interp_spline

from twin.contact.plain.hertz import shape
from twin.core.arrays import Array, frozen
from twin.core.settings import Settings
from twin.numerics.compiled import compiled

CURVATURE_FLOOR = 0.05
"""Least A or B [1/m], a radius of 10 m: a 0.46 m wheel under 100 kN then has a patch 54 mm wide, still a rail head."""
_REACH = float(np.log(1e6))
"""Largest |ln(B/A)| tabulated; beyond it (a floor against a curvature of 20 um radius) the shape stays the same."""
_CELLS = 192


class Material(Settings):
    """Wheel and rail of equal material."""

    G: float = Field(82e9, gt=1e6, lt=1e12, description="shear modulus [Pa], 1e6..1e12; steel, as CONTACT's checks use")
    nu: float = Field(0.28, ge=0.0, le=0.5, description="Poisson's ratio [-], 0..0.5: the range of Kalker's table")
    k_v: float = Field(
        1e5, ge=0.0, le=1e7, description="contact damping [N s/m], 0..1e7; 1e5 in [Ign eq. 15]: calms the contact mode"
    )

    @property
    def E_star(self) -> float:
        """Modulus of the contact of two equal bodies, E / (2 (1 - nu^2)) = G / (1 - nu) [Pa]."""
        return self.G / (1 - self.nu)


class Ellipse(NamedTuple):
    """One Hertzian patch."""

    a: float
    """Semi-axis along the rolling direction [m]."""
    b: float
    """Lateral semi-axis [m]."""
    N: float
    """Normal force, elastic part [N]."""
    approach: float
    """Of the two bodies [m]."""
    conformal: bool
    """A curvature was below the floor: the result is defined, not Hertz's."""


def _quintic_table(values: Array) -> Array:
    """Coefficients (cells, 6) of rising powers in each of the equal cells of [-REACH, REACH]; values (cells + 1,)."""
    spline = make_interp_spline(np.linspace(-_REACH, _REACH, values.size), values, k=5)
    starts = np.linspace(-_REACH, _REACH, values.size)[:-1]
    step = 2 * _REACH / (values.size - 1)
    factorial = np.cumprod([1.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    return np.stack([spline(starts, nu=k) * step**k / factorial[k] for k in range(6)], axis=1)


_shapes = np.array([shape(float(x)) for x in np.linspace(-_REACH, _REACH, _CELLS + 1)])
_MAJOR: Array = frozen(_quintic_table(_shapes[:, 0]))
"""m over ln(B/A); n is the same read at ln(A/B)."""
_APPROACH: Array = frozen(_quintic_table(_shapes[:, 2]))


@compiled
def _read(table: Array, log_ratio: float) -> float:
    """The tabulated function at a place within reach."""
    place = (log_ratio + _REACH) * (_CELLS / (2 * _REACH))
    cell = min(max(int(place), 0), _CELLS - 1)
    c, x = table[cell], place - cell
    value: float = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5]))))
    return value


@compiled
def ellipse_under_force(A: float, B: float, N: float, E_star: float) -> Ellipse:
    """The patch under a force N [N]; A, B: half the summed curvatures along rolling and across [1/m], E_star [Pa]."""
    conformal = not (A >= CURVATURE_FLOOR and B >= CURVATURE_FLOOR)
    if not N > 0.0:
        return Ellipse(0.0, 0.0, 0.0, 0.0, conformal)
    A, B = max(A, CURVATURE_FLOOR), max(B, CURVATURE_FLOOR)
    log_ratio = min(max(np.log(B / A), -_REACH), _REACH)
    s = np.cbrt(0.75 * N / (E_star * (A + B)))
    approach = _read(_APPROACH, log_ratio) * s * s * (A + B)
    return Ellipse(_read(_MAJOR, log_ratio) * s, _read(_MAJOR, -log_ratio) * s, N, approach, conformal)


@compiled
def ellipse_at_approach(A: float, B: float, approach: float, E_star: float) -> Ellipse:
    """The patch of bodies pressed together by an approach [m]; the other arguments as for a force."""
    conformal = not (A >= CURVATURE_FLOOR and B >= CURVATURE_FLOOR)
    if not approach > 0.0:
        return Ellipse(0.0, 0.0, 0.0, 0.0, conformal)
    A, B = max(A, CURVATURE_FLOOR), max(B, CURVATURE_FLOOR)
    log_ratio = min(max(np.log(B / A), -_REACH), _REACH)
    s = np.sqrt(approach / (_read(_APPROACH, log_ratio) * (A + B)))
    N = E_star * (A + B) * s * s * s / 0.75
    return Ellipse(_read(_MAJOR, log_ratio) * s, _read(_MAJOR, -log_ratio) * s, N, approach, conformal)


@compiled
def stiffness(A: float, B: float, E_star: float) -> float:
    """k_h of N = k_h p^(3/2) [N/m^(3/2)]: the constant of [Ign eq. 15]."""
    A, B = max(A, CURVATURE_FLOOR), max(B, CURVATURE_FLOOR)
    compliance = _read(_APPROACH, min(max(np.log(B / A), -_REACH), _REACH))
    k_h: float = E_star / (0.75 * compliance * np.sqrt(compliance * (A + B)))
    return k_h


@compiled
def normal_force(gap: float, v_n: float, k_h: float, k_v: float) -> float:
    """Force that keeps wheel and rail apart [N], never negative [Ign eq. 15].

    gap: negative in penetration [m]; v_n: velocity of the wheel's contact point along the rail's outward normal [m/s],
    negative while approaching. With these signs the equation reads k_h |gap|^(3/2) + k_v |v_n| while approaching and
    k_h |gap|^(3/2) while parting: damping never pulls. At gap = 0 the printed sign() would give half the damping; here
    bodies that only touch exert nothing.
    """
    if not gap < 0.0:
        return 0.0
    force: float = k_h * -gap * np.sqrt(-gap) + k_v * max(-v_n, 0.0)
    return force
