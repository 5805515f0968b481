"""Rails seen from a moving body, placed in the track: cameras and navigation together."""

from twin.geometry.fusion.placer import RailPlacer
from twin.geometry.fusion.rails_seen import CameraPlace, SeenRail
from twin.geometry.fusion.setup import FusionConfig, PlacerSetup

__all__ = ["CameraPlace", "FusionConfig", "PlacerSetup", "RailPlacer", "SeenRail"]
