"""Strain in a wheel's web by the angle from the contact: harmonics of a computed wheel, and assumptions beyond them.

Radial strain on the outer face of the web of a generic 920 mm monobloc wheel, as amplitudes of cos(n angle),
n = 0 ... 12, by a semi-analytical finite-element model (reference/forces/wheel_web_harmonics; computed, not measured).
Q is radial inward, Y axial towards the outer face, both at the nominal rolling circle. Two bands of radii are typed in:
about 0.16 m, where Y rules, and about 0.315 m, where its first harmonic is zero and that of Q is not.

The reference has no moment M = Q e and no longitudinal force X. They are assumed, not computed:

    m_n = MOMENT_SHARE_n b_n / R    Y at the radius R bends the wheel with the couple Y R, so a couple alone acts as
                                    Y does in the first harmonic; it has no net axial force, so less in the mean; it
                                    twists the rim, so more in the higher ones: this is what tells M from Y
    x_n = LONGITUDINAL_SHARE a_n    odd about the contact (a sine), half of Q in size
"""

from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array
from twin.core.errors import ConfigError

ORDERS = 13
"""n = 0 ... 12."""
ROLLING_RADIUS = 0.46
"""R of the computed wheel [m]."""
MICROSTRAIN_PER_KILONEWTON = 1e-9
"""[1/N]."""
MOMENT_SHARE = (0.4, 1.0, 1.35, 1.7, 2.05, 2.4, 2.75, 3.1, 3.45, 3.8, 4.15, 4.5, 4.85)
LONGITUDINAL_SHARE = 0.5
TYPED_SPACING = 0.0101
"""Rows further apart than this have none between them [m]."""


def _typed(text: str) -> Array:
    """(rows, columns) of a table of numbers."""
    return np.array([[float(number) for number in line.split()] for line in text.strip().splitlines()])


Q_ROWS = _typed("""
.15 0.04734 0.39983 -0.10023 -0.05681 -0.02049 -0.00688 -0.00225 -0.00073 -0.00023 -0.00008 -0.00003 -0.00001 0.0
.16 0.04407 0.33757 -0.09707 -0.05846 -0.02289 -0.00827 -0.00288 -0.00099 -0.00034 -0.00012 -0.00004 -0.00001 -0.00001
.17 0.04054 0.28855 -0.09888 -0.06213 -0.02595 -0.00996 -0.00368 -0.00134 -0.00049 -0.00018 -0.00007 -0.00002 -0.00001
.30 -0.04132 -0.17186 -0.16812 -0.14331 -0.10397 -0.07098 -0.04673 -0.0302 -0.01942 -0.01253 -0.00815 -0.00536 -0.00356
.31 -0.04981 -0.20414 -0.17195 -0.14895 -0.11141 -0.07863 -0.05354 -0.03578 -0.02379 -0.01587 -0.01067 -0.00725 -0.00497
.32 -0.05824 -0.23549 -0.17406 -0.15327 -0.11814 -0.08612 -0.0606 -0.04185 -0.02874 -0.0198 -0.01375 -0.00964 -0.00682
.33 -0.06646 -0.26557 -0.174 -0.15585 -0.12377 -0.09316 -0.0677 -0.04828 -0.03422 -0.02432 -0.01742 -0.01259 -0.00919
""")
"""(7, 14): radius [m], a_0 ... a_12 [microstrain/kN]."""
Y_ROWS = _typed("""
.15 -2.75191 -10.21536 -0.95674 -0.06699 -0.00949 -0.00187 -0.00046 -0.00013 -0.00004 -0.00001 0.0 0.0 0.0
.16 -2.34629 -8.7077 -0.83309 -0.0616 -0.00951 -0.00207 -0.00055 -0.00017 -0.00006 -0.00002 -0.00001 0.0 0.0
.17 -2.06896 -7.66981 -0.75933 -0.0601 -0.01013 -0.00241 -0.0007 -0.00023 -0.00008 -0.00003 -0.00001 -0.00001 0.0
.30 -0.1714 -0.69526 -0.54253 -0.11634 -0.04191 -0.01916 -0.01002 -0.00572 -0.00346 -0.00219 -0.00142 -0.00094 -0.00063
.31 -0.04229 -0.25763 -0.54329 -0.12451 -0.04655 -0.02201 -0.01188 -0.00699 -0.00435 -0.00282 -0.00189 -0.00128 -0.00089
.32 0.09481 0.19507 -0.54433 -0.13324 -0.05163 -0.02521 -0.01404 -0.00849 -0.00543 -0.00362 -0.00248 -0.00173 -0.00123
.33 0.24122 0.66591 -0.54543 -0.14257 -0.05718 -0.0288 -0.01651 -0.01027 -0.00674 -0.00461 -0.00323 -0.00232 -0.00168
""")
"""(7, 14): radius [m], b_0 ... b_12 [microstrain/kN]."""


@dataclass(frozen=True, slots=True)
class WebHarmonics:
    """Strain of a gauge at an angle from the contact: Q a + Y b + Q e m over cosines, X x over sines. All (13,)."""

    a: Array
    """[1/N]."""
    b: Array
    """[1/N]."""
    m: Array
    """[1/(N m)]."""
    x: Array
    """[1/N]."""


def web_harmonics(radius: float, *, scale: float = 1.0) -> WebHarmonics:
    """At a radius of the computed wheel [m]; a similar wheel of another scale has strains of 1 / scale^2 per newton."""
    a, b = _at(Q_ROWS, radius) / scale**2, _at(Y_ROWS, radius) / scale**2
    x = LONGITUDINAL_SHARE * a
    x[0] = 0.0
    return WebHarmonics(a=a, b=b, m=np.array(MOMENT_SHARE) * b / (ROLLING_RADIUS * scale), x=x)


def _at(rows: Array, radius: float) -> Array:
    """(13,) between the two nearest rows [1/N]."""
    radii = rows[:, 0]
    i = int(np.clip(np.searchsorted(radii, radius, side="right") - 1, 0, radii.size - 2))
    low, high = radii[i], radii[i + 1]
    if not low <= radius <= high or high - low > TYPED_SPACING:
        raise ConfigError(f"no strains are known at the radius {radius:g} m: choose 0.15 to 0.17 or 0.30 to 0.33 m")
    share = (radius - low) / (high - low)
    return np.asarray(((1 - share) * rows[i, 1:] + share * rows[i + 1, 1:]) * MICROSTRAIN_PER_KILONEWTON)
