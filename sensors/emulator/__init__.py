"""Devices that do not exist: any simulated or recorded run, on pseudo terminals or straight into chunks."""

from sensors.emulator.device import EmulatedClock, EmulatedDevice
from sensors.emulator.faults import ClockStep, FaultPlan, Unplug
from sensors.emulator.offline import record_chunks, record_stretches
from sensors.emulator.packets import Stream, TimedPacket, packets_of_recording, packets_of_streams
from sensors.emulator.server import Emulator, EmulatorConfig

__all__ = [
    "ClockStep",
    "EmulatedClock",
    "EmulatedDevice",
    "Emulator",
    "EmulatorConfig",
    "FaultPlan",
    "Stream",
    "TimedPacket",
    "Unplug",
    "packets_of_recording",
    "packets_of_streams",
    "record_chunks",
    "record_stretches",
]
