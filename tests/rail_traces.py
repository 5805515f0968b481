"""Rails with known irregularities on the grid of the line, for tests of track geometry."""

import numpy as np

from twin.core.arrays import Array
from twin.core.track import DesignTrack
from twin.geometry.rails import STEP, RailFlag, RailTrace
from twin.simulation.irregularity import Irregularity, IrregularityConfig, realise

TRUTH_STEP = 0.05
EVERY = round(STEP / TRUTH_STEP)
SPEED = 20.0


def true_rails(*, seed: int, length: float, **config: object) -> Irregularity:
    """A seeded track of the simulation that starts at 0."""
    settings = IrregularityConfig.model_validate({"seed": seed, "step": TRUTH_STEP, **config})
    return realise(settings, s0=0.0, length=length)


def trace_of(rails: Irregularity, design: DesignTrack | None = None) -> RailTrace:
    """What a perfect measurement makes of rails that start at 0."""
    s = np.asarray(rails.s[::EVERY])
    n = s.size
    return RailTrace(
        s=STEP * np.arange(n),
        y_left=rails.y_left[::EVERY],
        z_left=rails.z_left[::EVERY],
        y_right=rails.y_right[::EVERY],
        z_right=rails.z_right[::EVERY],
        flags=np.full(n, RailFlag.MEASURED, dtype=np.uint8),
        speed=np.full(n, SPEED),
        curvature_design=None if design is None else design.curvature(s),
        cant_angle_design=None if design is None else design.cant_angle(s),
    )


def flat_trace(n: int, **columns: Array) -> RailTrace:
    """Rails exactly on the design, but for the columns given."""
    zero = np.zeros(n)
    given: dict[str, Array] = {"y_left": zero, "z_left": zero, "y_right": zero, "z_right": zero, **columns}
    speed = given.pop("speed", np.full(n, SPEED))
    flags = np.full(n, RailFlag.MEASURED, dtype=np.uint8)
    return RailTrace(s=STEP * np.arange(n), flags=flags, speed=speed, **given)
