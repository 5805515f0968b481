"""The wheel profile S1002 from its zone formulas [EN 13715, UIC 510-2; zones A to H].

s [m] across the tread from the taping line, 70 mm from the flange's back; s < 0 towards the flange. z [m] > 0 is a
larger radius: zero at the taping line, +28 mm at the tip of the flange. The published coefficients leave steps of
1.2e-4 mm at s = -35 mm (C to D) and 3.7e-5 mm at s = -26 mm (B to C); they are kept: any smoothing would be our own
profile.
"""

from math import radians, sin

from twin.contact.curve import Zone
from twin.contact.shapes import arc, line, polynomial

STEEPEST = radians(80.0)
"""Where the flange's back is cut [rad]: it gets vertical at s = -70 mm, and no rail reaches it from there."""

_TREAD_MM = (
    0.0,
    -3.358537058e-02,
    1.565681624e-03,
    -2.810427944e-05,
    5.844240864e-08,
    -1.562379023e-08,
    5.309217349e-15,
    -5.957839843e-12,
    2.646656573e-13,
)
"""Zone B: coefficients of rising powers of s, all in mm."""
_ROOT_MM = (
    -4.320221063e03,
    -1.038384026e03,
    -1.065501873e02,
    -6.051367875,
    -2.054332446e-01,
    -4.169739389e-03,
    -4.687195829e-05,
    -2.252755540e-07,
)
"""Zone C: coefficients of rising powers of s, all in mm."""


def s1002_zones() -> tuple[Zone, ...]:
    """Zones H to A, from the flange's back to the field side, with exact derivatives."""
    back_centre_mm, back_radius_mm = -49.5, 20.5
    back_mm = back_centre_mm - back_radius_mm * sin(STEEPEST)
    return (
        _arc(back_mm, -62.764705882, centre_mm=(back_centre_mm, 9.519259302), radius_mm=back_radius_mm),  # H
        _arc(-62.764705882, -49.662510381, centre_mm=(-55.0, 16.0), radius_mm=12.0),  # G: tip of the flange
        _arc(-49.662510381, -39.764473993, centre_mm=(-58.558326413, 8.834924130), radius_mm=20.0),  # F
        line(start=-39.764473993e-3, end=-38.426669071e-3, value=-93.576667419e-3, slope=-2.747477419),  # E: 70 degrees
        arc(start=-38.426669071e-3, end=-35e-3, centre=(-26.210665e-3, 16.446e-3), radius=13e-3, side="below"),  # D
        polynomial(start=-35e-3, end=-26e-3, coefficients=_in_metres(_ROOT_MM)),  # C
        polynomial(start=-26e-3, end=32.15796e-3, coefficients=_in_metres(_TREAD_MM)),  # B
        line(start=32.15796e-3, end=60e-3, value=1.364323640e-3, slope=-0.066666667),  # A: chamfer side, 1:15
    )


def _arc(start_mm: float, end_mm: float, *, centre_mm: tuple[float, float], radius_mm: float) -> Zone:
    """An arc above its centre."""
    centre = (centre_mm[0] * 1e-3, centre_mm[1] * 1e-3)
    return arc(start=start_mm * 1e-3, end=end_mm * 1e-3, centre=centre, radius=radius_mm * 1e-3)


def _in_metres(coefficients_mm: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(c * 1e3 ** (power - 1) for power, c in enumerate(coefficients_mm))
