"""Simulated truth: track, vehicle motion by kinematics or by dynamics, imperfect sensors. Seeded."""

from twin.simulation.archive import TruthArchive, load_truth, save_truth
from twin.simulation.carriage import TrueVehicle
from twin.simulation.dynamic.config import Dynamics
from twin.simulation.encoder import EncoderConfig, Slide
from twin.simulation.irregularity import (
    Defect,
    DefectRail,
    DefectShape,
    Irregularity,
    IrregularityConfig,
    SpectrumClass,
)
from twin.simulation.motion import Leg, MotionConfig, SpeedProfile, constant, with_stop
from twin.simulation.run import SimulatedRun, duration, simulate, standstill, stream
from twin.simulation.scenario import (
    Scenario,
    curve_design,
    curve_scenario,
    demo_design,
    demo_scenario,
    dynamics_scenario,
)
from twin.simulation.sensors import AxisErrors, ImuErrors, ImuGrade, VibrationConfig
from twin.simulation.streams import SensorStream
from twin.simulation.suspension import Mode, SuspensionConfig
from twin.simulation.train import Train
from twin.simulation.truth import TrackTruth, Truth

__all__ = [
    "AxisErrors",
    "Defect",
    "DefectRail",
    "DefectShape",
    "Dynamics",
    "EncoderConfig",
    "ImuErrors",
    "ImuGrade",
    "Irregularity",
    "IrregularityConfig",
    "Leg",
    "Mode",
    "MotionConfig",
    "Scenario",
    "SensorStream",
    "SimulatedRun",
    "Slide",
    "SpectrumClass",
    "SpeedProfile",
    "SuspensionConfig",
    "TrackTruth",
    "Train",
    "TrueVehicle",
    "Truth",
    "TruthArchive",
    "VibrationConfig",
    "constant",
    "curve_design",
    "curve_scenario",
    "demo_design",
    "demo_scenario",
    "duration",
    "dynamics_scenario",
    "load_truth",
    "save_truth",
    "simulate",
    "standstill",
    "stream",
    "with_stop",
]
