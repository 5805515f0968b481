"""The head of the 60 kg rail: R300, R80, R13 and a flank of 1:20, in the three variants that circulate.

u [m] across the head, positive to the field side; z [m] up, the crown at (0, 0). Each variant is given by the places
where the radii meet; centres and the tangent point of the flank follow from tangency.

- EN: EN 13674-1, widths 20.456 mm (R300 to R80) and 52.053 mm (R80 to R13). The flank then touches at 36.000 mm,
  14.300 mm below the crown, as the drawing says.
- MB: the UIC60 of the Manchester contact benchmark (file v3) and of simulation programs; its second width is a least
  squares fit to that file, residual 5e-5 mm.
- UIC: the UIC60 drawing with widths 21 mm and 52 mm.

They differ by 0.04 mm, and that is enough to move the equivalent conicity of S1002 at 3 mm from 0.177 to 0.184: always
name the variant.
"""

from math import hypot, sqrt
from typing import NamedTuple

from twin.contact.curve import Zone
from twin.contact.shapes import arc, line

CROWN = 300e-3
"""Radius of the crown [m]."""
SHOULDER = 80e-3
"""Radius between crown and corner [m]."""
CORNER = 13e-3
"""Radius of the gauge corner [m]."""
FLANK = 20.0
"""Slope of the flank, 1:20 from the vertical [-]."""
FLANK_DEPTH = 13.5e-3
"""How far the flank goes on below the corner [m]: past every depth at which a gauge is measured."""


class Rail60(NamedTuple):
    """Half widths at which the radii of a variant meet [m]."""

    shoulder: float
    """R300 to R80."""
    corner: float
    """R80 to R13."""


EN = Rail60(shoulder=10.228e-3, corner=26.0265e-3)
MB = Rail60(shoulder=10.5e-3, corner=25.9880361e-3)
UIC = Rail60(shoulder=10.5e-3, corner=26.0e-3)


def rail60_zones(variant: Rail60) -> tuple[Zone, ...]:
    """Zones of the head from the gauge side's flank to the field side's, with exact derivatives."""
    u1, u2 = variant.shoulder, variant.corner
    crown = (0.0, -CROWN)
    shoulder = _towards(crown, (u1, sqrt(CROWN**2 - u1**2) - CROWN), 1.0 - SHOULDER / CROWN)
    corner_at = (u2, shoulder[1] + sqrt(SHOULDER**2 - (u2 - shoulder[0]) ** 2))
    corner = _towards(shoulder, corner_at, 1.0 - CORNER / SHOULDER)
    u3 = corner[0] + CORNER * FLANK / hypot(1.0, FLANK)
    z3 = corner[1] + CORNER / hypot(1.0, FLANK)
    field = (
        arc(start=u1, end=u2, centre=shoulder, radius=SHOULDER),
        arc(start=u2, end=u3, centre=corner, radius=CORNER),
        line(start=u3, end=u3 + FLANK_DEPTH / FLANK, value=z3 + FLANK * u3, slope=-FLANK),
    )
    middle = arc(start=-u1, end=u1, centre=crown, radius=CROWN)
    return (*(zone.mirrored() for zone in reversed(field)), middle, *field)


def _towards(start: tuple[float, float], end: tuple[float, float], share: float) -> tuple[float, float]:
    """The point at a share of the way from start to end."""
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])
