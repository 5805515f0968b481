"""Faults that strike a sensor for some seconds: in the sensor itself, on its wire, or in what was decoded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from sensors.emulator import FaultPlan, Unplug
from sensors.imu import LIMITS
from sensors.plausibility import Plausibility
from twin.core.arrays import Array, BoolArray
from twin.core.blocks import RawBlock
from twin.simulation import SensorStream

START_NS = 1_000_000_000_000
"""Host time at which a run begins."""
BEGIN, END = 30.0, 33.0
"""Of every fault, since the run began [s]."""

Streams = tuple[SensorStream, ...]
Edit = Callable[[Array, BoolArray], None]
"""Changes values (samples, channels) in place where the fault strikes (samples,)."""


def _same_streams(streams: Streams) -> Streams:
    return streams


def _same_block(block: RawBlock) -> RawBlock:
    return block


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong, at one of three places."""

    sensor: Callable[[Streams], Streams] = _same_streams
    wire: Mapping[str, FaultPlan] = field(default_factory=dict)
    decoded: Callable[[RawBlock], RawBlock] = _same_block


def in_sensor(device: str, edit: Edit) -> Fault:
    """The sensor reports what it should not; its device sends that in good packets."""

    def change(stream: SensorStream) -> SensorStream:
        if stream.source != device:
            return stream
        values = stream.values.copy()
        edit(values, (stream.t >= BEGIN) & (stream.t < END))
        return replace(stream, values=values)

    return Fault(sensor=lambda streams: tuple(map(change, streams)))


def unplugged(*devices: str) -> Fault:
    """The devices are away."""
    away = Unplug(t=BEGIN, duration=END - BEGIN)
    return Fault(wire={device: FaultPlan(unplug=(away,)) for device in devices})


def in_values(device: str, value: float, *, judged: bool) -> Fault:
    """Decoded samples hold a value no wire can carry; judged: the plausibility check of the decoder sees it."""

    def change(block: RawBlock) -> RawBlock:
        if block.source != device or block.clock is None:
            return block
        t = (block.clock.to_ns(block.ticks) - START_NS) * 1e-9
        values = block.values.copy()
        values[(t >= BEGIN) & (t < END), ::2] = value
        quality = block.quality
        if judged:
            quality = Plausibility(LIMITS, tick_hz=1e6).flag(block.ticks, values, quality)
        return replace(block, values=values, quality=quality)

    return Fault(decoded=change)


def _hold(values: Array, during: BoolArray) -> None:
    values[during] = values[np.flatnonzero(during)[0]]


def _leap(values: Array, during: BoolArray) -> None:
    values[np.flatnonzero(during)[::50]] += 1e3


def _knock_accel(values: Array, during: BoolArray) -> None:
    """A blow that is within every limit."""
    values[np.flatnonzero(during)[::50], :3] += np.array([30.0, -30.0, 30.0])


def _knock_gyro(values: Array, during: BoolArray) -> None:
    """The same of the angular rates."""
    values[np.flatnonzero(during)[::50], 3:6] += np.array([1.0, -1.0, 1.0])


def _saturate(values: Array, during: BoolArray) -> None:
    values[during, :6] = 1e4


FAULTS: dict[str, Fault] = {
    "imu_nan": in_values("imu", np.nan, judged=True),
    "imu_inf": in_values("imu", -np.inf, judged=True),
    "imu_nan_unjudged": in_values("imu", np.nan, judged=False),
    "imu_inf_unjudged": in_values("imu", np.inf, judged=False),
    "imu_spikes": in_sensor("imu", _leap),
    "imu_knocks_accel": in_sensor("imu", _knock_accel),
    "imu_knocks_gyro": in_sensor("imu", _knock_gyro),
    "imu_saturated": in_sensor("imu", _saturate),
    "imu_stuck": in_sensor("imu", _hold),
    "imu_unplugged": unplugged("imu"),
    "encoder_nan": in_values("encoder", np.nan, judged=False),
    "encoder_inf": in_values("encoder", np.inf, judged=False),
    "encoder_spikes": in_sensor("encoder", _leap),
    "encoder_stuck": in_sensor("encoder", _hold),
    "encoder_unplugged": unplugged("encoder"),
    "both_unplugged": unplugged("imu", "encoder"),
}
"""By name."""
