"""A run of the nonlinear vehicle: what is judged of it, its strips over arc length, and its table.

Forces and accelerations are judged and drawn below 20 Hz, as EN 14363 judges them, without its sliding mean over 2 m; a
filter without delay keeps them in their places. The table has them as they were computed.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.signal import butter, sosfiltfilt

from twin.core.arrays import Array, frozen
from twin.core.track import DesignTrack
from twin.report.table_file import Column
from twin.vehicle.description import Body, Vehicle, wheels_of
from twin.vehicle.running import WHEEL_FIELDS, Rails, Record
from twin.vehicle.running.rails import rails_many
from twin.vehicle.statics import at_rest

CUTOFF = 20.0
"""Of forces and accelerations [Hz], EN 14363."""
LIFTED = 0.05
"""Share of its load at rest below which a wheel hangs: its Y/Q says nothing."""
SIDES = ("left", "right")
OUTWARDS = (-1.0, 1.0)
"""Sign of Y counted outwards: the rail pushes a wheel inwards, the left one to the right."""
UNITS = {"s": "m", "r_y": "m", "r_z": "m"}
"""Of coordinates; all others are angles."""
WHEEL_UNITS = {
    "X": "N",
    "Y": "N",
    "Q": "N",
    "offset": "m",
    "radius": "m",
    "angle": "rad",
    "power": "W",
    "points": "",
    "deflection": "m",
}


@dataclass(frozen=True, slots=True)
class VehicleRun:
    """A run and what is judged of it."""

    vehicle: Vehicle
    design: DesignTrack
    record: Record
    s: Array
    """(samples,) of the vehicle's middle [m]."""
    s_wheelsets: Array
    """(samples, wheelsets) [m]"""
    shift: Array
    """(samples, wheelsets) of each axle's middle off that between its rails, in their plane, left positive [m]."""
    yaw: Array
    """(samples, wheelsets) [rad]"""
    Q: Array
    """(samples, wheels) below 20 Hz [N]."""
    Y: Array
    """(samples, wheels) with which a wheel presses its rail outwards, below 20 Hz [N]."""
    acceleration: Array
    """(samples, 2) of the middle of the body, lateral and vertical, against its track frame, below 20 Hz [m/s^2]."""

    @property
    def loads(self) -> Array:
        """(wheels,) at rest [N]."""
        rest = at_rest(self.vehicle).wheel_loads
        return np.array([load for wheelset in self.vehicle.wheelsets for load in rest[wheelset.name]])

    @property
    def Y_over_Q(self) -> Array:
        """(samples, wheels), no number where a wheel hangs."""
        pressed = self.Q / self.loads > LIFTED
        return np.where(pressed, self.Y / np.where(pressed, self.Q, 1.0), np.nan)

    @property
    def sum_Y(self) -> Array:
        """(samples, wheelsets) force of each wheelset on the track, left positive [N]."""
        return np.asarray((-np.array(OUTWARDS) * self.Y.reshape(self.s.size, -1, 2)).sum(axis=2))


def judged(vehicle: Vehicle, design: DesignTrack, rails: Rails, record: Record) -> VehicleRun:
    """What a record of at least two samples says."""
    body, wheelsets = main_body(vehicle), vehicle.wheelsets
    rate = 1.0 / float(record.t[1] - record.t[0])
    a = np.stack([record.a[:, record.layout.index(f"{body.name}.{name}")] for name in ("r_y", "r_z")], axis=1)
    s, yaw = (np.stack([record[f"{each.name}.{name}"] for each in wheelsets], axis=1) for name in ("s", "yaw"))
    outwards = np.tile(OUTWARDS, len(wheelsets))
    return VehicleRun(
        vehicle=vehicle,
        design=design,
        record=record,
        s=frozen(record[f"{body.name}.s"] - body.position[0]),
        s_wheelsets=frozen(s),
        shift=frozen(np.stack([_shift(record, rails, each) for each in wheelsets], axis=1)),
        yaw=frozen(yaw),
        Q=frozen(below_cutoff(record.wheel("Q"), rate)),
        Y=frozen(below_cutoff(record.wheel("Y") * outwards, rate)),
        acceleration=frozen(below_cutoff(a, rate)),
    )


def main_body(vehicle: Vehicle) -> Body:
    """The heaviest free body: the one people sit in."""
    return max((body for body in vehicle.bodies if body.parent is None), key=lambda body: body.mass)


def below_cutoff(values: Array, rate: float) -> Array:
    """(samples, channels) what lies below 20 Hz of values at a rate [Hz], without delay."""
    if rate <= 2 * CUTOFF:
        return values
    sos = butter(2, CUTOFF, fs=rate, output="sos")
    return np.asarray(sosfiltfilt(sos, values, axis=0, padlen=min(round(rate / CUTOFF), values.shape[0] - 1)))


def _shift(record: Record, rails: Rails, wheelset: Body) -> Array:
    """(samples,) of the axle's middle off that between the rails, in their plane [m]."""
    s, y, z = (record[f"{wheelset.name}.{name}"] for name in ("s", "r_y", "r_z"))
    y_left, z_left, y_right, z_right = rails_many(rails, np.ascontiguousarray(s)).T
    roll = np.arcsin((z_left - z_right) / (2 * wheels_of(wheelset).half_distance))
    level = (z_left + z_right) / 2
    return np.asarray(np.cos(roll) * y + np.sin(roll) * (z - level) - (y_left + y_right) / 2)


class Extreme(NamedTuple):
    """A figure of a run."""

    words: str
    value: float
    unit: str
    who: str
    """Wheel, wheelset or body."""
    s: float | None
    """Where it was there [m]; none of a mean over the run."""


def summary(run: VehicleRun) -> tuple[Extreme, ...]:
    """The figures a run is judged by; forces and accelerations below 20 Hz."""
    wheelsets = [wheelset.name for wheelset in run.vehicle.wheelsets]
    wheels = [f"{name} {side}" for name in wheelsets for side in SIDES]
    s_wheels = np.repeat(run.s_wheelsets, 2, axis=1)
    unloading = 100 * (1 - run.Q / run.loads)
    body = main_body(run.vehicle).name

    def largest(words: str, values: Array, unit: str, names: list[str], s: Array) -> Extreme:
        known = np.where(np.isfinite(values), np.abs(values) if "|" in words else values, -np.inf)
        row, column = np.unravel_index(int(known.argmax()), known.shape)
        return Extreme(words, float(values[row, column]), unit, names[int(column)], float(s[row, column]))

    def rms(words: str, values: Array) -> Extreme:
        return Extreme(words, float(np.sqrt(np.mean(values**2))), "m/s^2", body, None)

    return (
        largest("largest Y/Q", run.Y_over_Q, "", wheels, s_wheels),
        largest("largest |sum of Y|", run.sum_Y / 1e3, "kN", wheelsets, run.s_wheelsets),
        largest("largest Q", run.Q / 1e3, "kN", wheels, s_wheels),
        largest("largest unloading of a wheel", unloading, "%", wheels, s_wheels),
        largest("largest |lateral shift|", run.shift * 1e3, "mm", wheelsets, run.s_wheelsets),
        rms("lateral acceleration, rms", run.acceleration[:, 0]),
        rms("vertical acceleration, rms", run.acceleration[:, 1]),
    )


def run_columns(run: VehicleRun) -> dict[str, Column]:
    """All that was computed, a row for each kept state: the unit ends the name of a column."""
    record, body = run.record, main_body(run.vehicle).name
    columns: dict[str, Column] = {"t_s": record.t, "s_m": run.s}
    for place, name in enumerate(record.layout.coordinates):
        columns[f"{name}_{UNITS.get(name.rpartition('.')[2], 'rad')}"] = record.q[:, place]
    for name in ("r_y", "r_z"):
        columns[f"{body}.{name}_acceleration_m_s2"] = record.a[:, record.layout.index(f"{body}.{name}")]
    for w, wheelset in enumerate(run.vehicle.wheelsets):
        columns[f"{wheelset.name}.shift_m"] = run.shift[:, w]
        for i, side in enumerate(SIDES):
            for field, name in enumerate(WHEEL_FIELDS):
                unit = WHEEL_UNITS[name]
                columns[f"{wheelset.name} {side}.{name}{unit and '_' + unit}"] = record.wheels[:, 2 * w + i, field]
    return columns
