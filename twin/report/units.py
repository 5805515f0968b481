"""From SI to the units a track engineer reads: names, units, decimals and conversions of the columns."""

from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array
from twin.core.quality import Quality

MM = 1e3
"""[mm/m]"""
MRAD = 1e3
"""[mrad/rad]"""
PER_KM = 1e3
"""[(1/km)/(1/m)]"""
KMH = 3.6
"""[(km/h)/(m/s)]"""


@dataclass(frozen=True, slots=True)
class Quantity:
    """How one column of the navigation grid is shown."""

    column: str
    """Name in the grid, SI."""
    name: str
    """Name in tables, with the unit as its suffix."""
    unit: str
    decimals: int
    factor: float = 1.0

    def convert(self, values: Array, *, cant_base: float) -> Array:
        """Values in the unit of the report. cant_base: distance over which cant is measured [m]."""
        if self.column in _CANT_ANGLES:
            return cant_mm(values, cant_base=cant_base)
        return values * self.factor


def cant_mm(cant_angle: Array, *, cant_base: float) -> Array:
    """Right minus left rail height [mm], positive in left curves; cant_angle [rad], cant_base [m]."""
    return np.asarray(-MM * cant_base * np.sin(cant_angle))


_CANT_ANGLES = ("cant_angle", "cant_angle_design")

QUANTITIES: tuple[Quantity, ...] = (
    Quantity("speed", "speed_kmh", "km/h", 2, KMH),
    Quantity("curvature", "curvature_per_km", "1/km", 4, PER_KM),
    Quantity("curvature_design", "curvature_design_per_km", "1/km", 4, PER_KM),
    Quantity("cant_angle", "cant_mm", "mm", 2),
    Quantity("cant_angle_design", "cant_design_mm", "mm", 2),
    Quantity("roll", "roll_mrad", "mrad", 3, MRAD),
    Quantity("pitch", "pitch_mrad", "mrad", 3, MRAD),
    Quantity("r_y", "lateral_mm", "mm", 3, MM),
    Quantity("r_z", "vertical_mm", "mm", 3, MM),
    Quantity("sd_r_y", "sd_lateral_mm", "mm", 3, MM),
    Quantity("sd_r_z", "sd_vertical_mm", "mm", 3, MM),
    Quantity("sd_roll", "sd_roll_mrad", "mrad", 3, MRAD),
    Quantity("s_sd", "sd_position_m", "m", 3),
)

_BY_COLUMN = {quantity.column: quantity for quantity in QUANTITIES}


def quantity(column: str) -> Quantity:
    """How a known column is shown."""
    return _BY_COLUMN[column]


def quality_words(flags: int) -> str:
    """Flags of a sample in words: 'good', or 'bridged+slipping'."""
    names = [flag.name.lower() for flag in Quality if flag & flags and flag.name]
    return "+".join(names) or "good"
