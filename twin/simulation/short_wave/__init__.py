"""The short-wave part of the truth: roughness of rails and wheels, and what wheels on a flexible rail do over it."""

from twin.simulation.short_wave.half_wheelset import HalfWheelset, WheelsetBending
from twin.simulation.short_wave.interaction import (
    ContactMotion,
    InteractionConfig,
    RailAndWheels,
    box_response,
    reduced_rail,
)
from twin.simulation.short_wave.roughness import (
    CorrugationPatch,
    FaultShape,
    Polygon,
    Rails,
    RailSurface,
    RoughnessConfig,
    Side,
    SurfaceFault,
    WheelRoughnessConfig,
    WheelSurface,
)
from twin.simulation.short_wave.stage import LEADING_BOGIE, ShortWaveConfig, ShortWaves, WheelPlace
from twin.simulation.short_wave.stretch import FastStretch, SensorStretch, WheelStretch

__all__ = [
    "LEADING_BOGIE",
    "ContactMotion",
    "CorrugationPatch",
    "FastStretch",
    "FaultShape",
    "HalfWheelset",
    "InteractionConfig",
    "Polygon",
    "RailAndWheels",
    "RailSurface",
    "Rails",
    "RoughnessConfig",
    "SensorStretch",
    "ShortWaveConfig",
    "ShortWaves",
    "Side",
    "SurfaceFault",
    "WheelPlace",
    "WheelRoughnessConfig",
    "WheelStretch",
    "WheelSurface",
    "WheelsetBending",
    "box_response",
    "reduced_rail",
]
