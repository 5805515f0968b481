"""A minute on the rails for tests of the whole chain: a stop, a slide, a curve, and wires that misbehave."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from firmware_interface import Chunk
from sensors.config import DeviceConfig
from sensors.decode import DeviceDecoder
from sensors.emulator import ClockStep, FaultPlan, Unplug, record_chunks
from twin.core.blocks import RawBlock
from twin.core.places import Direction
from twin.core.vehicle import VehicleParameters
from twin.navigation.chain import Setup
from twin.navigation.config import LagConfig, NavigationConfig
from twin.pipeline.synchroniser import SynchroniserConfig
from twin.pipeline.twin import TwinSetup
from twin.simulation import Leg, MotionConfig, Scenario, SimulatedRun, Slide, simulate

START_NS = 7_000_000_000_000
"""Host time at which the run begins."""
DEVICES = (DeviceConfig(name="imu", kind="imu"), DeviceConfig(name="encoder", kind="encoder"))
RATES = {device.name: device.rate for device in DEVICES}
SYNCHRONISER = SynchroniserConfig()
LAG = LagConfig(position=30.0, attitude=30.0, trajectory=40.0, longest=8.0, stride=1.0)
"""Short, so that a minute gives lagged results."""
FAULTS = {
    "imu": FaultPlan(seed=1, bit_error_rate=2e-6, loss=2e-3, duplicate=2e-3, reorder=2e-3, drift_ppm=40.0),
    "encoder": FaultPlan(seed=2, bit_error_rate=2e-6, loss=2e-3, duplicate=2e-3, reorder=2e-3, drift_ppm=-60.0),
}
HARSH = {
    "imu": FAULTS["imu"].model_copy(
        update={"clock_steps": (ClockStep(t=14.0, seconds=-0.7), ClockStep(t=30.0, seconds=3.0))}
    ),
    "encoder": FAULTS["encoder"].model_copy(update={"unplug": (Unplug(t=18.0, duration=4.0),)}),
}
"""Also a clock that steps back and forth, and a device that is away for longer than the horizon."""


def scenario(direction: Direction = Direction.INCREASING) -> Scenario:
    """50 s: off at 3 m/s^2, through a clothoid at 20 m/s, a slide, a stop and off again."""
    legs = (Leg(speed=20, distance=320), Leg(speed=0, duration=3), Leg(speed=12, duration=2))
    return Scenario(
        direction=direction,
        motion=MotionConfig(legs=legs, start=300.0, standstill=2.0, acceleration=3.0),
        slides=(Slide(s=580, duration=2.0, ratio=-0.15),),
    )


@lru_cache
def run(direction: Direction = Direction.INCREASING) -> SimulatedRun:
    """The run as it was, and what its sensors said."""
    return simulate(scenario(direction))


def read_chunks(faults: Mapping[str, FaultPlan], *, direction: Direction = Direction.INCREASING) -> tuple[Chunk, ...]:
    """What the host read of devices with faults, in order of host time."""
    return tuple(record_chunks(run(direction).streams, DEVICES, faults, start_ns=START_NS, seed=3))


def decoded(read: Iterable[Chunk]) -> Iterator[RawBlock]:
    """The samples in chunks."""
    decoders = {device.name: DeviceDecoder(device) for device in DEVICES}
    for chunk in read:
        yield from decoders[chunk.device].process(chunk)


def setup(direction: Direction = Direction.INCREASING) -> TwinSetup:
    """What the twin of this run is told."""
    planned = scenario(direction)
    navigation = Setup(
        config=NavigationConfig(lag=LAG),
        design=planned.design(),
        vehicle=VehicleParameters(),
        mounting=planned.mounting,
        start=planned.motion.start,
    )
    return TwinSetup(navigation, SYNCHRONISER, RATES, direction)
