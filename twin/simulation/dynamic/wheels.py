"""Sensors on axle boxes and wheels of the leading bogie: the vehicle's own motion with short waves on top."""

import numpy as np

from twin.core.arrays import Array, G, frozen
from twin.simulation.dynamic.config import Dynamics, WheelSensorConfig
from twin.simulation.dynamic.sensed import WheelTruth, WheelTruths
from twin.simulation.dynamic.train import DynamicTrain
from twin.simulation.kinematics import BodyMotion, inertial, track_motion
from twin.simulation.short_wave import SensorStretch, ShortWaves, Side, WheelPlace, WheelStretch
from twin.simulation.streams import SensorStream, indices
from twin.simulation.wheel_sensors import AxleBoxSensors, BridgeSensors, DistanceLasers
from twin.vehicle.description import wheels_of
from twin.vehicle.running import Record

RATE = 1000.0
"""Of the vehicle's motion handed to the wheels' sensors [Hz]."""
BOX_OUTSIDE = 0.25
"""Of an axle box beyond the rolling circle [m]."""
LEADING = 2
"""Wheelsets with sensors, from the front."""


class WheelSensors:
    """Accelerometers on four axle boxes, bridges and lasers on two wheels. Remembers the short waves' motion."""

    def __init__(self, train: DynamicTrain, config: WheelSensorConfig, *, seed: int) -> None:
        self._train, self._wheelsets = train, train.vehicle.wheelsets[:LEADING]
        first = wheels_of(self._wheelsets[0])
        middle = float(np.mean([wheelset.position[0] for wheelset in self._wheelsets]))
        # the rails keep their sides and their metres when the line is run from its far end
        sides = (Side.LEFT, Side.RIGHT) if train.turned_at is None else (Side.RIGHT, Side.LEFT)
        places = tuple(
            WheelPlace(side=side, place=wheelset.position[0] - middle) for wheelset in self._wheelsets for side in sides
        )
        short = config.short_waves.model_copy(update={"wheels": places, "wheel_radius": first.radius})
        self._waves = ShortWaves(short, vehicle_rate=RATE)
        fast_rate = short.interaction.rate
        self._boxes = AxleBoxSensors(
            config.axle_boxes, wheels=len(places), vehicle_rate=RATE, rate=fast_rate, seed=seed
        )
        bridges = config.bridges.model_copy(update={"wheel_radius": first.radius})
        self._bridges = BridgeSensors(bridges, vehicle_rate=RATE, fast_rate=fast_rate, seed=seed)
        self._lasers = DistanceLasers(config.lasers, vehicle_rate=RATE, seed=seed)
        self._truths = WheelTruths(vehicle_rate=RATE, fast_rate=fast_rate)

    def read(self, t0: float, t1: float) -> tuple[WheelTruth, list[SensorStream]]:
        """What is complete by the motion in [t0, t1) [s]."""
        state = self._train.at(np.asarray(indices(t0, t1, RATE) / RATE))
        stretch = self._stretch(state)
        fast = self._waves.process(stretch)
        return self._truths.process(stretch, fast, self._both(state, "s")), [
            _stream("axle_box", self._boxes.process(stretch, fast)),
            _stream("bridge", self._bridges.process(stretch, fast)),
            _stream("laser_distance", self._lasers.process(stretch)),
        ]

    def _stretch(self, state: Record) -> WheelStretch:
        """The wheels' motion and loads; Y and the contact's offset count towards a wheel's outer face."""
        sides = np.tile((1.0, -1.0), LEADING)
        half = np.repeat([wheels_of(wheelset).half_distance for wheelset in self._wheelsets], 2)
        columns = slice(0, 2 * LEADING)
        offset, points = state.wheel("offset")[:, columns], state.wheel("points")[:, columns]
        s, turned_at = self._both(state, "s"), self._train.turned_at
        return WheelStretch(
            t=state.t,
            s=s if turned_at is None else turned_at - s,
            V=state.v[:, self._train.layout.index(f"{self._wheelsets[0].name}.s")],
            wheel_angle=self._both(state, "spin"),
            Q=state.wheel("Q")[:, columns],
            Y=sides * state.wheel("Y")[:, columns],
            X=state.wheel("X")[:, columns],
            contact_offset=np.where(points > 0.0, offset - half, 0.0),
            box_acceleration=self._box_accelerations(state),
        )

    def _both(self, state: Record, coordinate: str) -> Array:
        """(samples, wheels) one coordinate of the wheelsets, for both wheels of each."""
        return np.repeat([state[f"{each.name}.{coordinate}"] for each in self._wheelsets], 2, axis=0).T

    def _box_accelerations(self, state: Record) -> Array:
        """(samples, wheels, 3) specific force at the boxes, which do not turn with the axle."""
        felt = []
        for wheelset in self._wheelsets:
            start = self._train.layout.index(f"{wheelset.name}.s")
            q, v, a = (each[:, start : start + 6] for each in (state.q, state.v, state.a))
            track = track_motion(self._train.design, s=q[:, 0], V=v[:, 0], V_dot=a[:, 0])
            upright = [each[:, 1:] * (1.0, 1.0, 1.0, 0.0, 1.0) for each in (q, v, a)]
            for side in (1.0, -1.0):
                arm = np.array([0.0, side * (wheels_of(wheelset).half_distance + BOX_OUTSIDE), 0.0])
                felt.append(inertial(track, BodyMotion(*upright), p_b=arm, g=G).f_b)
        return np.stack(felt, axis=1)


def wheel_sensors(train: DynamicTrain, dynamics: Dynamics, *, seed: int) -> WheelSensors | None:
    """The sensors of a vehicle, if it has any."""
    return None if dynamics.wheels is None else WheelSensors(train, dynamics.wheels, seed=seed)


def _stream(name: str, found: SensorStretch) -> SensorStream:
    return SensorStream(name, name, frozen(found.t), found.values)
