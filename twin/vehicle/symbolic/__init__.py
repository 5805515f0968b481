"""Equations of motion of a vehicle, derived from its description and compiled."""

from twin.vehicle.symbolic.equations import Equations, Layout, derive
from twin.vehicle.symbolic.export import Cost, SlowerWithoutCompiler
from twin.vehicle.symbolic.model import Energies, Linearised, VehicleModel, vehicle_model
from twin.vehicle.symbolic.track import NUMBERS, frame_numbers

__all__ = [
    "NUMBERS",
    "Cost",
    "Energies",
    "Equations",
    "Layout",
    "Linearised",
    "SlowerWithoutCompiler",
    "VehicleModel",
    "derive",
    "frame_numbers",
    "vehicle_model",
]
