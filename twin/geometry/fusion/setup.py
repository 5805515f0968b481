"""What the fusion of cameras and navigation is told before the first image."""

from dataclasses import dataclass

from pydantic import Field

from twin.core.estimate import Form
from twin.core.places import Direction
from twin.core.settings import Settings
from twin.core.track import DesignTrack
from twin.core.vehicle import Mounting
from twin.geometry.fusion.rails_seen import CameraPlace
from twin.geometry.rails import STEP


class FusionConfig(Settings):
    """How rails are put together from single images."""

    gauge: float = Field(1.435, ge=0.5, le=2.0, description="nominal track gauge [m]")
    longest_gap: float = Field(
        10.0, ge=0, le=60, description="time without a good image that is bridged by the body's own path [s]"
    )
    longest_bridge: float = Field(
        150.0, ge=0, le=1000, description="way without a good image that is bridged [m]; beyond it rails are unknown"
    )
    sd_own_lateral: float = Field(
        1.5e-3,
        ge=0,
        le=0.05,
        description="by which a rail leaves a body's path, lateral [m]; said of bridged stretches",
    )
    sd_own_vertical: float = Field(1.5e-3, ge=0, le=0.05, description="the same, vertical [m]")
    late: float = Field(5.0, ge=0.1, le=60, description="how long an image may come after its navigation [s]")
    one_sided: float = Field(
        10.0, ge=1, le=500, description="lead of one rail, beyond a bridge, after which the other is unseen [m]"
    )


@dataclass(frozen=True, slots=True)
class PlacerSetup:
    """One form of the estimates, one run."""

    config: FusionConfig
    form: Form
    design: DesignTrack
    """In running direction."""
    direction: Direction
    imu: Mounting
    cameras: tuple[CameraPlace, CameraPlace]
    """Of the left and the right rail, in running direction."""
    step: float = STEP
