"""Where the laser scanners on the measuring body see the rails: body, track and irregularities put together."""

import numpy as np

from twin.core.arrays import Array, frozen
from twin.core.vehicle import Mounting
from twin.simulation.dynamic.sensed import RailHeadTruth
from twin.simulation.dynamic.train import DynamicTrain
from twin.simulation.kinematics import rotation, turn_back
from twin.simulation.rail_head import ProfileScanner, Rail, RailPlace, RailSectionConfig, ScannerConfig, rail_section
from twin.simulation.streams import SensorStream
from twin.vehicle.running import Record
from twin.vehicle.running.rails import rails_many

HEAD_MIDDLE = 0.7535
"""Of the top of a 60E1 head from the middle of a track of 1.435 m gauge [m]."""
SOURCES: dict[Rail, str] = {0: "profile_left", 1: "profile_right"}


class RailScanners:
    """A laser scanner above each rail."""

    def __init__(self, config: ScannerConfig, head: RailSectionConfig, *, seed: int) -> None:
        section = rail_section(head)
        self._scanners = {rail: ProfileScanner(config, rail=rail, section=section, seed=seed) for rail in SOURCES}

    def read(self, t: Array, places: dict[Rail, RailPlace]) -> list[SensorStream]:
        """Points of both rails at times t (samples,) [s]."""
        return [
            SensorStream(SOURCES[rail], "profile", t, frozen(scanner.process(t, places[rail])))
            for rail, scanner in self._scanners.items()
        ]


def rail_head_truth(t: Array, places: dict[Rail, RailPlace]) -> RailHeadTruth:
    """Places of both rails at times t (samples,) [s]."""
    return RailHeadTruth(frozen(t), frozen(places[0].rows), frozen(places[1].rows))


def rail_places(train: DynamicTrain, state: Record, body: str, mounting: Mounting) -> dict[Rail, RailPlace]:
    """Both rails in the axes of a body, seen from a point of it; mounting counts from below the body's middle.

    The rail below the point is met where the point's own plane x = 0 cuts it; over the few decimetres to the middle of
    the body the track bends as its curvature there says.
    """
    track, moved, felt = train.motion(state, body, mounting)
    R_tb = rotation(roll=moved.q[:, 2], pitch=moved.q[:, 3], yaw=moved.q[:, 4])
    ahead = felt.u_t[:, 0]
    rails = rails_many(train.track, track.s + ahead)
    tilt = np.arcsin((rails[:, 1] - rails[:, 3]) / (2 * HEAD_MIDDLE))
    rho = track.omega_t / np.where(track.V == 0.0, 1.0, track.V)[:, None]
    found: dict[Rail, RailPlace] = {}
    sides: tuple[tuple[Rail, float], ...] = ((0, 1.0), (1, -1.0))
    for rail, side in sides:
        rail_t = np.stack(
            (
                ahead,
                side * HEAD_MIDDLE + rails[:, 2 * rail] + rho[:, 2] * ahead**2 / 2,
                rails[:, 2 * rail + 1] - rho[:, 1] * ahead**2 / 2,
            ),
            axis=1,
        )
        seen_b = turn_back(R_tb, rail_t - felt.u_t)
        found[rail] = RailPlace(y=_fixed(seen_b[:, 1]), z=_fixed(seen_b[:, 2]), roll=_fixed(tilt - moved.q[:, 2]))
    return found


def _fixed(values: Array) -> Array:
    return frozen(np.ascontiguousarray(values))
