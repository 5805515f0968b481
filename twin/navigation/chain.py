"""From motion and position to attitude and trajectory: the chain the causal and the smoothed estimate share."""

from dataclasses import dataclass, fields, replace

import numpy as np

from twin.core.arrays import Array, BoolArray, FlagArray, IntArray
from twin.core.estimate import Estimate, Form, Fusion, StateLayout
from twin.core.quality import UNUSABLE, Quality
from twin.core.track import DesignTrack, TrackPose
from twin.core.vehicle import Mounting, VehicleParameters
from twin.navigation.attitude import B_X, B_Y, PHI, THETA, Attitude, Filtered
from twin.navigation.config import NavigationConfig
from twin.navigation.equations import TrackTerms, path_accelerations, track_terms
from twin.navigation.inputs import EARTH_RATE, Inertial, Motion
from twin.navigation.position import BIAS, DELTA, SCALE
from twin.navigation.trajectory import SPEED, TURN, Axis, AxisInput

LAYOUT = StateLayout(
    names=("s", "speed", "curvature", "roll", "pitch", "roll_rel", "pitch_rel", "yaw_rel", "r_y", "r_z"),
    units=("m", "m/s", "1/m", "rad", "rad", "rad", "rad", "rad", "m", "m"),
)
"""States of the navigation estimate; roll and pitch absolute, all others against the design."""


USUAL_TURN = 2e-3
"""Of a body against its track where it is not measured [rad]: bogies turn less outside sharp curves."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What a navigation is told before the first sample."""

    config: NavigationConfig
    design: DesignTrack
    """In running direction."""
    vehicle: VehicleParameters
    mounting: Mounting
    """Of the inertial sensor."""
    start: float = 0.0
    """Arc length of the body's middle before the run [m]."""
    start_sd: float = 1.0

    @property
    def latitude(self) -> float | None:
        degrees = self.config.latitude_deg
        return None if degrees is None else float(np.deg2rad(degrees))

    @property
    def earth_vertical(self) -> float:
        """The earth's rotation about the vertical [rad/s]; 0 without a latitude."""
        return 0.0 if self.latitude is None else EARTH_RATE * float(np.sin(self.latitude))

    def axes(self) -> tuple[Axis, Axis]:
        """The lateral and the vertical trajectory filter."""
        c = self.config
        lateral = Axis("lateral", c, c.trajectory.lateral, level=c.gravity * c.gyro_noise)
        return lateral, Axis("vertical", c, c.trajectory.vertical, level=0.0)


@dataclass(frozen=True, slots=True)
class Along:
    """Inertial samples with their place on the track. All (samples, ...)."""

    t_ns: IntArray
    a: Array
    w: Array
    quality: FlagArray
    s: Array
    v: Array
    v_dot: Array
    var_s: Array
    var_v: Array
    w_z_bias: Array

    @classmethod
    def of(cls, imu: Inertial, motion: Motion, before: Array, after: Array, P: Array, d_before: float) -> "Along":
        """Samples of an epoch between two states (5,) of the position filter; P (5, 5): covariance of the latter."""
        d_end = motion.d[-1] if len(imu) else d_before
        run = d_end - d_before
        share = (motion.d - d_before) / run if abs(run) > 1e-6 else np.ones(len(imu))
        delta = before[DELTA] + (after[DELTA] - before[DELTA]) * share
        n = len(imu)
        return cls(
            t_ns=imu.t_ns,
            a=imu.a,
            w=imu.w,
            quality=imu.quality | motion.quality,
            s=motion.d + delta,
            v=motion.v * (1 + after[SCALE]),
            v_dot=motion.a * (1 + after[SCALE]),
            var_s=np.full(n, P[DELTA, DELTA]),
            var_v=motion.var_v + motion.v**2 * P[SCALE, SCALE],
            w_z_bias=np.full(n, after[BIAS]),
        )

    def __len__(self) -> int:
        return int(self.t_ns.size)

    @property
    def standing(self) -> BoolArray:
        return np.asarray((self.quality & np.uint8(Quality.STANDSTILL)) != 0)

    def inertial(self, dt: float) -> Inertial:
        """The inertial part, gyro bias about z removed."""
        w = self.w.copy()
        w[:, 2] -= self.w_z_bias
        return Inertial(self.t_ns, dt, self.a, w, self.quality)

    def part(self, start: int, stop: int) -> "Along":
        """Samples start to stop."""
        return replace(self, **{f.name: getattr(self, f.name)[start:stop] for f in fields(self)})

    @staticmethod
    def join(parts: "list[Along]") -> "Along":
        """Consecutive samples as one."""
        return Along(**{f.name: np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(Along)})


def terms_at(setup: Setup, along: Along) -> TrackTerms:
    """Track terms at the samples."""
    return track_terms(
        setup.design.pose(along.s), v=along.v, a=along.v_dot, height=setup.mounting.z,
        gravity=setup.config.gravity, latitude=setup.latitude,
    )  # fmt: skip


def follow_attitude(attitude: Attitude, imu: Inertial, terms: TrackTerms, along: Along) -> tuple[Filtered, Fusion]:
    """Attitude over the samples."""
    return attitude.process(imu, terms, v=along.v, a=along.v_dot, standing=along.standing)


def axis_inputs(
    setup: Setup, imu: Inertial, terms: TrackTerms, along: Along, level: Array
) -> tuple[AxisInput, AxisInput]:
    """Measurements of the lateral and the vertical filter; level (samples, 5): states of the attitude filter."""
    r_y, r_z = path_accelerations(imu, terms, roll=level[:, PHI])
    phi, theta, psi = (imu.w - terms.rate).T
    phi, theta = phi - level[:, B_X], theta - level[:, B_Y]
    at = setup.mounting
    lateral = AxisInput(r_y, psi, at.z * phi - at.x * psi, imu.a[:, 0], along.v, along.standing)
    vertical = AxisInput(r_z, -theta, at.x * theta - at.y * phi, imu.a[:, 0], along.v, along.standing)
    return lateral, vertical


@dataclass(frozen=True, slots=True)
class Solved:
    """States (samples, k) and covariances (samples, k, k) of the three filters."""

    attitude: tuple[Array, Array]
    lateral: tuple[Array, Array]
    vertical: tuple[Array, Array]


def estimate(setup: Setup, along: Along, solved: Solved, form: Form) -> Estimate:
    """Gather what the filters found at the samples into one estimate."""
    (att, P_att), (lat, P_lat), (ver, P_ver) = solved.attitude, solved.lateral, solved.vertical
    pose = setup.design.pose(along.s)
    var_level, var_roll = _unseen(setup, along, pose)
    lateral, vertical = setup.config.trajectory.lateral, setup.config.trajectory.vertical
    v = np.where(np.abs(along.v) < setup.config.trajectory.speed_minimum, np.nan, along.v)
    curvature = (along.w[:, 2] - along.w_z_bias) / v
    given = axis_inputs(setup, along.inertial(1.0), terms_at(setup, along), along, att)
    (yaw, var_yaw), (rise, var_pitch) = (
        _rotation(x, P, each.offset, v) for (x, P), each in zip((solved.lateral, solved.vertical), given, strict=True)
    )
    level = (att[:, PHI], att[:, THETA], att[:, PHI] - pose.roll, -rise, yaw)
    x = np.stack([along.s, along.v, curvature, *level, lat[:, 0], ver[:, 0]], axis=1)
    var = np.stack(
        [
            along.var_s,
            along.var_v,
            np.full(len(along), np.nan),
            P_att[:, PHI, PHI] + var_roll,
            P_att[:, THETA, THETA] + var_level,
            P_att[:, PHI, PHI] + var_roll,
            var_pitch,
            var_yaw,
            P_lat[:, 0, 0] + lateral.long_wave**2,
            P_ver[:, 0, 0] + vertical.long_wave**2,
        ],
        axis=1,
    )
    bad = (along.quality & np.uint8(UNUSABLE)) != 0
    quality = along.quality | np.where(bad, np.uint8(Quality.BRIDGED), np.uint8(0))
    return Estimate("navigation", form, LAYOUT, along.t_ns, x, var, quality)


def _rotation(x: Array, P: Array, offset: Array, v: Array) -> tuple[Array, Array]:
    """(samples,) turn of the body against the design [rad] that follows the slope of its path, and its variance.

    The slope of the sensor's path, what the body turns by itself, and the offset of sensor and middle. A train too slow
    to have a slope, or a silent gyro, leaves it at its usual size.
    """
    h_v = 1 / v
    turn = x[:, SPEED] * h_v + x[:, TURN] + offset * h_v
    var = P[:, SPEED, SPEED] * h_v**2 + P[:, TURN, TURN] + 2 * P[:, SPEED, TURN] * h_v
    known = np.isfinite(turn) & np.isfinite(var)
    return np.where(known, turn, 0.0), np.where(known, var, USUAL_TURN**2)


def _unseen(setup: Setup, along: Along, pose: TrackPose) -> tuple[Array, Array]:
    """(samples,) variances of pitch and roll that the filters cannot see [rad^2].

    A constant accelerometer bias looks like a lean, and so does a speed error in a curve: 2 rho_h V dV of lateral
    acceleration, a milliradian at R 600 m and 20 m/s while the wheel radius is known to 0.7 % only.
    """
    g = setup.config.gravity
    level = np.full(len(along), (setup.config.accel_bias / g) ** 2)
    return level, level + (2 * pose.rho_h * along.v / g) ** 2 * along.var_v
