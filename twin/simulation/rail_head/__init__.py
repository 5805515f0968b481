"""Simulated laser cameras over the rail heads: points as a profile scanner gives them, images as a camera does."""

from twin.simulation.rail_head.camera import (
    CLEAR,
    CameraConfig,
    LaserLine,
    LineConfig,
    RailCamera,
    SensorConfig,
    StrayConfig,
)
from twin.simulation.rail_head.episodes import EpisodeConfig
from twin.simulation.rail_head.light import Image
from twin.simulation.rail_head.pinhole import COLUMNS, ROWS, CameraTruth, PinholeConfig, camera_truth
from twin.simulation.rail_head.scanner import PERFECT, ProfileScanner, ScannerConfig, ScannerErrors
from twin.simulation.rail_head.section import Rail, RailPlace, RailSection, RailSectionConfig, rail_section
from twin.simulation.rail_head.sight import FanConfig
from twin.simulation.rail_head.soiling import CLEAN, SoilingConfig

__all__ = [
    "CLEAN",
    "CLEAR",
    "COLUMNS",
    "PERFECT",
    "ROWS",
    "CameraConfig",
    "CameraTruth",
    "EpisodeConfig",
    "FanConfig",
    "Image",
    "LaserLine",
    "LineConfig",
    "PinholeConfig",
    "ProfileScanner",
    "Rail",
    "RailCamera",
    "RailPlace",
    "RailSection",
    "RailSectionConfig",
    "ScannerConfig",
    "ScannerErrors",
    "SensorConfig",
    "SoilingConfig",
    "StrayConfig",
    "camera_truth",
    "rail_section",
]
