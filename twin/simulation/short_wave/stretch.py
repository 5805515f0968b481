"""What passes between the vehicle's simulation, its short-wave part and the sensors on axle boxes and wheels."""

from dataclasses import dataclass, fields

import numpy as np

from twin.core.arrays import Array
from twin.core.errors import ConfigError


@dataclass(frozen=True, slots=True)
class WheelStretch:
    """A stretch of the vehicle's own motion at its uniform rate, for the wheels that matter; stretches follow on.

    Instants are instants of the run: t[0] of the first stretch is where every sensor starts. Two samples at least make
    a run. s and wheel_angle grow on over turns and stretches.
    """

    t: Array
    """(n,) uniform [s]."""
    s: Array
    """(n, wheels) arc length of the contacts [m]."""
    V: Array
    """(n,) speed along the track [m/s]."""
    wheel_angle: Array
    """(n, wheels) turned, forward positive [rad]; the wheel's zero mark is in contact at whole turns."""
    Q: Array
    """(n, wheels) vertical wheel load, upwards on the wheel [N]."""
    Y: Array
    """(n, wheels) lateral force of the rail on the wheel, towards the wheel's outer face (away from the flange) [N]."""
    X: Array
    """(n, wheels) longitudinal force of the rail on the wheel, forward [N]."""
    contact_offset: Array
    """(n, wheels) e of the contact from the nominal rolling circle, towards the outer face [m]."""
    box_acceleration: Array
    """(n, wheels, 3) specific force at the axle boxes in their axes x forward, y left, z up [m/s^2]."""

    def __post_init__(self) -> None:
        n, wheels = self.s.shape
        shapes = {"t": (n,), "V": (n,), "box_acceleration": (n, wheels, 3)}
        for field in fields(self):
            found, wanted = getattr(self, field.name).shape, shapes.get(field.name, (n, wheels))
            if found != wanted:
                raise ConfigError(f"{field.name} of a WheelStretch must have the shape {wanted}, got {found}")

    @property
    def wheels(self) -> int:
        """How many."""
        return int(self.s.shape[1])


@dataclass(frozen=True, slots=True)
class FastStretch:
    """The short-wave motion on top, at the rate of the axle boxes; same wheels as in the WheelStretch."""

    first: int
    """Number of its first sample since the start of the run."""
    t_start: float
    """Of the run [s]."""
    rate: float
    """[Hz]."""
    force: Array
    """(n, wheels) contact force, load and dynamic part [N]."""
    acceleration: Array
    """(n, wheels) of the axle boxes by short waves, upwards [m/s^2]."""

    @property
    def t(self) -> Array:
        """(n,) [s]."""
        return np.asarray(self.t_start + (self.first + np.arange(self.force.shape[0])) / self.rate)


@dataclass(frozen=True, slots=True)
class SensorStretch:
    """What a sensor delivered; the stretches of one sensor follow on without a gap."""

    first: int
    """Number of its first sample since the start of the run."""
    t_start: float
    """Of the run [s]."""
    rate: float
    """[Hz]."""
    values: Array
    """(n, channels) SI."""

    @property
    def t(self) -> Array:
        """(n,) [s]."""
        return np.asarray(self.t_start + (self.first + np.arange(self.values.shape[0])) / self.rate)
