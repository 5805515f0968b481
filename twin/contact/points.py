"""Contact points: the record every search gives, and its row in compiled code.

All in the left-hand form of pair.py: y and slopes as on the left rail; Side turns results of a right wheel back.
"""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from twin.contact.curve import curve_at
from twin.core.arrays import Array, BoolArray, frozen
from twin.numerics.compiled import compiled

X_W, Y_W, X_R, Y_R, Z_R, SLOPE, GAP, VERTICAL_GAP, RADIUS, K_ROLLING, K_WHEEL, K_RAIL = range(12)
FIELDS = 12
"""Length of a row: what a contact point is, see ContactPoints."""

CAPACITY = 8
"""Rows the doors offer a kernel at first; a kernel counts on beyond, and a door comes back with more."""


class Pose(NamedTuple):
    """Where the wheelset is in the track frame: axle centre G_y, G_z [m], yaw and roll [rad] [Fal eqs 8, 12]."""

    G_y: float
    G_z: float
    yaw: float = 0.0
    roll: float = 0.0

    def mirrored(self) -> "Pose":
        """The pose seen from the other side of the track."""
        return Pose(-self.G_y, self.G_z, -self.yaw, -self.roll)


class Side(Enum):
    """Which wheel of the wheelset."""

    LEFT = 1
    RIGHT = -1


@dataclass(frozen=True)
class ContactPoints:
    """Local minima of the gap between one wheel and its rail, n of any number, in order of rising |y_w|.

    Points that do not touch are among them, with gap > 0: `touching` keeps those that do. The points are those of
    rigid surfaces; the centre of a loaded patch lies elsewhere where the surfaces are nearly conformal.
    """

    x_w: Array
    """Place on the wheel along its own x axis (n,) [m]."""
    y_w: Array
    """Place on the wheel along its axle (n,) [m]."""
    x: Array
    """Place along the track (n,) [m]."""
    y: Array
    """Place on the rail across the track (n,) [m]."""
    z: Array
    """Height of that place (n,) [m]."""
    slope: Array
    """Slope dz/dy of the rail there (n,): the tangent of the contact angle, positive rising to the left."""
    gap: Array
    """Distance of the surfaces along the rail's normal (n,) [m]; negative is penetration."""
    vertical_gap: Array
    """Distance along z (n,) [m]."""
    radius: Array
    """Rolling radius (n,) [m]."""
    curvature_rolling: Array
    """Of the wheel along the rolling direction (n,) [1/m]."""
    curvature_wheel: Array
    """Of the wheel across (n,) [1/m]; negative where hollow."""
    curvature_rail: Array
    """Of the rail across (n,) [1/m]."""

    @property
    def count(self) -> int:
        """How many local minima there are."""
        return int(self.y.size)

    @property
    def touching(self) -> BoolArray:
        """Which of them touch (n,)."""
        return np.asarray(self.gap <= 0.0)

    @property
    def contact_angle(self) -> Array:
        """Angle of the rail's surface there (n,) [rad], positive rising to the left."""
        return np.asarray(np.arctan(self.slope))


def contact_points(rows: Array, side: Side) -> ContactPoints:
    """The record of rows (n, FIELDS) found in left-hand form, for the wheel of that side."""
    sign = float(side.value)
    columns = [frozen(np.ascontiguousarray(rows[:, k])) for k in range(FIELDS)]
    for k in (Y_W, Y_R, SLOPE):
        columns[k] = frozen(sign * columns[k])
    return ContactPoints(*columns)


@compiled
def fill_surfaces(wheel: Array, rail: Array, y_w: float, y: float, row: Array) -> None:
    """Write what the two surfaces are at y_w and y: height, slope, rolling radius and curvatures.

    Wheel: surface of revolution, 1 / (r sqrt(1 + r'^2)) along and -r'' / (1 + r'^2)^(3/2) across; rail: a cylinder.
    The yaw between their axes is left out of the curvatures: its effect is of second order, 3e-4 at one degree.
    """
    r, r1, r2 = curve_at(wheel, y_w)
    b, b1, b2 = curve_at(rail, y)
    across_wheel, across_rail = np.sqrt(1.0 + r1 * r1), np.sqrt(1.0 + b1 * b1)
    row[Y_W], row[Y_R], row[Z_R], row[SLOPE], row[RADIUS] = y_w, y, b, b1, r
    row[K_ROLLING] = 1.0 / (r * across_wheel)
    row[K_WHEEL] = -r2 / across_wheel**3
    row[K_RAIL] = -b2 / across_rail**3
