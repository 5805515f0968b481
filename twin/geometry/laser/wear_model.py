"""How a head may differ from its section: lowered as a whole, worn on the gauge side, rolled within tolerances.

The worn head is the section with its top lowered by one number, and with cubic B-splines of the angle taken off its
radius. What is known beforehand says where that may be much (gauge corner and face), where little (field side: it is
lowered with the crown and keeps its shape) and where nothing but the tolerance of rolling (below the reach of flanges).
There the head is found again, however worn.
"""

from dataclasses import dataclass

import numpy as np
from pydantic import Field

from twin.core.arrays import Array, frozen
from twin.core.settings import Settings
from twin.geometry.laser.section import FIRST, LAST, HeadSection

SPLINES = 42
"""B-splines over the angles of a section: one every 5.4 degrees, 3.4 mm of surface."""
SPACING = (LAST - FIRST) / (SPLINES - 3)
"""Angle from one to the next [rad]."""
WEARS = 1 + SPLINES
"""Numbers of wear: the lowering of the top, and the splines."""


class WearSettings(Settings):
    """What is known of the wear and the tolerances of heads before they are seen."""

    sd_top: float = Field(
        4e-3, gt=0, le=20e-3, description="of the vertical wear [m]: heads are taken out at 8 to 16 mm"
    )
    sd_gauge: float = Field(5e-3, gt=0, le=20e-3, description="of the wear of gauge corner and face [m]")
    sd_field: float = Field(
        0.08e-3, gt=0, le=5e-3, description="by which the field side's shape deviates from the lowered section [m]"
    )
    sd_unworn: float = Field(0.05e-3, gt=0, le=5e-3, description="tolerance of the section where nothing wears it [m]")
    gauge_from: float = Field(
        2e-3, ge=-20e-3, le=20e-3, description="distance from the rail's axis to the gauge side where the wear of the "
        "gauge side begins [m]"
    )  # fmt: skip
    face_to: float = Field(30e-3, ge=14e-3, le=35e-3, description="depth to which flanges wear the face freely [m]")
    unworn_from: float = Field(34e-3, ge=16e-3, le=36e-3, description="depth from which nothing is worn [m]")
    bend: float = Field(0.5e-3, gt=0, le=10e-3, description="sd of the second difference of neighbouring splines [m]")
    lowered_to: tuple[float, float] = Field(
        (18e-3, 30e-3), description="depths between which the lowering of the top fades on the sides [m]"
    )


@dataclass(frozen=True)
class WearModel:
    """What is known of a head's wear before it is seen."""

    information: Array
    """(WEARS, WEARS) inverse covariance of lowering and splines [1/m^2]; their means are zero."""
    fading: tuple[float, float]
    """Angles on the gauge side between which the lowering fades [rad]."""


def wear_model(settings: WearSettings, section: HeadSection) -> WearModel:
    """For a section."""
    middles = FIRST + SPACING * (np.arange(SPLINES) - 1)
    at = np.clip(middles, FIRST, LAST)
    points = section.points(at)
    depth, gauge = -points[:, 1], at > 0
    sd = np.full(SPLINES, settings.sd_field)
    start, end = settings.face_to, settings.unworn_from
    share = np.clip((depth - start) / (end - start), 0.0, 1.0)
    face = np.exp((1 - share) * np.log(settings.sd_gauge) + share * np.log(settings.sd_unworn))
    sd = np.where(gauge & (-points[:, 0] > settings.gauge_from), face, sd)
    sd[at >= section.angle_at_depth(end)] = settings.sd_unworn
    information = np.zeros((WEARS, WEARS))
    information[0, 0] = 1 / settings.sd_top**2
    information[1:, 1:] = np.diag(1 / sd**2)
    second = np.diff(np.eye(SPLINES), n=2, axis=0) / settings.bend
    information[1:, 1:] += second.T @ second
    fading = (section.angle_at_depth(settings.lowered_to[0]), section.angle_at_depth(settings.lowered_to[1]))
    return WearModel(frozen(information), fading)
