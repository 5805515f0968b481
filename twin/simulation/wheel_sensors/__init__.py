"""Imperfect sensors on axle boxes and wheels: accelerometers, strain bridges, distance lasers."""

from twin.simulation.short_wave.stretch import FastStretch, SensorStretch, WheelStretch
from twin.simulation.wheel_sensors.axle_boxes import AxleBoxConfig, AxleBoxSensors, BoxAxis
from twin.simulation.wheel_sensors.bridges import BridgeCircle, BridgeConfig, BridgeSensors
from twin.simulation.wheel_sensors.distance_lasers import DistanceLaserConfig, DistanceLasers, run_out, run_out_map
from twin.simulation.wheel_sensors.web_harmonics import WebHarmonics, web_harmonics

__all__ = [
    "AxleBoxConfig",
    "AxleBoxSensors",
    "BoxAxis",
    "BridgeCircle",
    "BridgeConfig",
    "BridgeSensors",
    "DistanceLaserConfig",
    "DistanceLasers",
    "FastStretch",
    "SensorStretch",
    "WebHarmonics",
    "WheelStretch",
    "run_out",
    "run_out_map",
    "web_harmonics",
]
