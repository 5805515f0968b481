"""Equations of motion of a vehicle, derived from its description and compiled."""

from twin.vehicle.symbolic.equations import Equations, Layout, derive
from twin.vehicle.symbolic.export import Cost, SlowerWithoutCompiler
from twin.vehicle.symbolic.model import Energies, Linearised, VehicleModel, vehicle_model
from twin.vehicle.symbolic.track import (
    NUMBERS,
    PLACE,
    TURNS,
    between_by_series,
    frame_numbers,
    frame_places,
    frame_turns,
)

__all__ = [
    "NUMBERS",
    "PLACE",
    "TURNS",
    "Cost",
    "Energies",
    "Equations",
    "Layout",
    "Linearised",
    "SlowerWithoutCompiler",
    "VehicleModel",
    "between_by_series",
    "derive",
    "frame_numbers",
    "frame_places",
    "frame_turns",
    "vehicle_model",
]
