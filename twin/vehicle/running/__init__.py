"""Vehicles that run: contact in the loop, steps in compiled code, records of what happened."""

from twin.vehicle.running.rails import Rails, RoughRails, faded_in, rails_between
from twin.vehicle.running.record import WHEEL_FIELDS, Record
from twin.vehicle.running.run import Running, RunSettings, run, stretches
from twin.vehicle.running.seats import WheelRailSettings, wheelsets_on_rails

__all__ = [
    "WHEEL_FIELDS",
    "Rails",
    "Record",
    "RoughRails",
    "RunSettings",
    "Running",
    "WheelRailSettings",
    "faded_in",
    "rails_between",
    "run",
    "stretches",
    "wheelsets_on_rails",
]
