"""The curve of twin.contact.curve by scipy: the reference its compiled form is tested against."""

from collections.abc import Sequence

import numpy as np
from scipy.interpolate import BPoly, PPoly

from twin.contact.curve import Zone
from twin.core.arrays import Array


def plain_curve(zones: Sequence[Zone]) -> PPoly:
    """Zones that follow each other as one piecewise polynomial of fifth degree."""
    pieces = [_through(zone) for zone in zones]
    starts = np.concatenate([zone.y[:-1] for zone in zones])
    return PPoly(np.hstack([piece.c for piece in pieces]), np.append(starts, zones[-1].y[-1]))


def _through(zone: Zone) -> PPoly:
    """The polynomials through value, slope and second derivative of every two neighbouring samples."""
    return PPoly.from_bernstein_basis(
        BPoly.from_derivatives(zone.y, np.column_stack([zone.z, zone.slope, zone.second]))
    )


def plain_values(curve: PPoly, y: Array) -> Array:
    """Value, slope and second derivative (n, 3) at every y (n,); beyond the ends those of the straight line there."""
    inside = np.clip(y, curve.x[0], curve.x[-1])
    z, slope, second = (curve(inside, order) for order in range(3))
    return np.column_stack([z + slope * (y - inside), slope, np.where(inside == y, second, 0.0)])
