"""Speed and distance along the track: encoder and longitudinal accelerometer, slip and standstill.

State: distance, speed, acceleration (white jerk) and the slow difference between accelerometer and speed, which holds
the accelerometer's bias and the pitch against the design gradient. While a wheel slips or slides, the acceleration
measured carries the speed on; the encoder is believed again once it agrees for a while.
"""

from collections import deque
from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array, FlagArray, IntArray
from twin.core.blocks import SampleBlock
from twin.core.estimate import Fusion
from twin.core.quality import UNUSABLE, Quality
from twin.navigation.config import OdometerConfig
from twin.navigation.inputs import Inertial, Motion
from twin.numerics.compiled import compiled
from twin.numerics.discretise import white_jerk
from twin.numerics.kalman import correct_scalar, predict_in_place

SLIPPING, AGREEING, SINCE = 0, 1, 2
"""Memory of the slip detector: slipping or not, seconds of agreement, seconds since it began."""


@dataclass(frozen=True, slots=True)
class SpeedMeasurements:
    """Mean speeds between encoder samples. All (measurements,)."""

    row: IntArray
    """Inertial sample at which each is applied."""
    speed: Array
    """[m/s]"""
    age: Array
    """From the middle of its interval to that sample [s]."""
    span: Array
    """Length of its interval [s]."""


class Odometer:
    """Remembers speed, the encoder's last window and whether the vehicle stands."""

    def __init__(self, config: OdometerConfig, *, wheel_radius: float, gravity: float, accel_noise: float) -> None:
        """accel_noise: one-sided density of the accelerometer's own noise [m/s^2/sqrt(Hz)]."""
        self._config = config
        self._radius = wheel_radius
        self._gravity = gravity
        self._accel_noise = accel_noise
        self._x = np.zeros(4)
        self._P = np.diag([1e-6, 100.0, 1.0, 0.04])
        self._slip = np.zeros(3)
        self._window: tuple[int, float] | None = None
        self._since = 0
        self._recent: deque[tuple[float, float, float, float]] = deque()
        self.standing = False

    def process(self, imu: Inertial, encoder: SampleBlock | None, pitch: Array) -> tuple[Motion, list[Fusion]]:
        """Follow one epoch; pitch (samples,): design pitch of the track at the inertial samples [rad]."""
        speeds = self._speeds(imu, encoder)
        self._judge_standstill(imu, encoder)
        c = self._config
        F, Q = _model(imu.dt, c.jerk, c.bias_walk)
        step = 2 * np.pi * self._radius / c.counts_per_turn
        setting = np.array([c.sd_speed**2, step**2 / 6, c.gate, c.return_after, c.longest_slip])
        n = len(imu)
        out, flags = np.empty((n, 4)), np.zeros(n, np.uint8)
        accel_fusion, speed_fusion = np.empty((n, 3)), np.empty((speeds.row.size, 3))
        _follow(
            self._x, self._P, self._slip, F, Q, imu.a[:, 0] + self._gravity * np.sin(pitch),
            self._accel_variance(imu.dt), speeds.row, speeds.speed, speeds.age, speeds.span, setting,
            imu.dt, self.standing, out, flags, accel_fusion, speed_fusion,
        )  # fmt: skip
        if encoder is None or not len(encoder) or bool(np.all(encoder.quality & np.uint8(UNUSABLE))):
            flags |= np.uint8(Quality.BRIDGED)
        motion = Motion(d=out[:, 0], v=out[:, 1], a=out[:, 2], var_v=out[:, 3], quality=flags)
        fusions = [fusion("odometer.a_x", imu.t_ns, accel_fusion, 25.0)]
        if speeds.row.size:
            fusions.append(fusion("odometer.speed", imu.t_ns[speeds.row], speed_fusion, c.gate))
        return motion, fusions

    def _speeds(self, imu: Inertial, encoder: SampleBlock | None) -> SpeedMeasurements:
        """Mean speeds over windows of encoder samples; a gap starts a new window."""
        found: list[tuple[int, float, float, float]] = []
        if encoder is not None and len(imu):
            bad = (encoder.quality & np.uint8(UNUSABLE)) != 0
            for t, angle, unusable in zip(
                encoder.t_ns.tolist(), encoder.values[:, 0].tolist(), bad.tolist(), strict=True
            ):
                if unusable:
                    self._window = None
                    continue
                if self._window is None:
                    self._window, self._since = (t, angle), 0
                    continue
                self._since += 1
                if self._since >= self._config.window:
                    t0, angle0 = self._window
                    span = (t - t0) * 1e-9
                    row = max(int(np.searchsorted(imu.t_ns, t, side="right")) - 1, 0)
                    age = (int(imu.t_ns[row]) - t) * 1e-9 + span / 2
                    found.append((row, (angle - angle0) * self._radius / span, age, span))
                    self._window, self._since = (t, angle), 0
        table = np.array(found, dtype=float).reshape(-1, 4)
        return SpeedMeasurements(table[:, 0].astype(np.int64), table[:, 1], table[:, 2], table[:, 3])

    def _accel_variance(self, dt: float) -> float:
        """Of one sample [m^2/s^4]: the sensor's own noise, and what shakes it."""
        noise = self._config.accel
        return float(self._accel_noise**2 / 2 / dt + noise.rest**2 + (noise.moving * self._x[1] / 20) ** 2)

    def _judge_standstill(self, imu: Inertial, encoder: SampleBlock | None) -> None:
        """Standing: the wheel has not turned by more than a count, the body does not rotate, for long enough."""
        c = self._config
        rates = imu.w[np.isfinite(imu.w[:, 0])]
        spread = float(np.abs(rates - rates.mean(axis=0)).max()) if len(rates) else np.inf
        angles = encoder.values[np.isfinite(encoder.values[:, 0]), 0] if encoder is not None else np.zeros(0)
        low, high = (float(angles.min()), float(angles.max())) if angles.size else (-np.inf, np.inf)
        self._recent.append((len(imu) * imu.dt, low, high, spread))
        while sum(entry[0] for entry in self._recent) - self._recent[0][0] > c.stand_time:
            self._recent.popleft()
        enough = sum(entry[0] for entry in self._recent) >= c.stand_time
        turned = max(e[2] for e in self._recent) - min(e[1] for e in self._recent)
        still = turned <= 1.5 * 2 * np.pi / c.counts_per_turn
        quiet = max(e[3] for e in self._recent) <= c.stand_rate
        slow = abs(self._x[1]) < 0.5 or not self._slip[SLIPPING]
        self.standing = bool(enough and still and quiet and slow)


def fusion(name: str, t_ns: IntArray, rows: Array, gate: float, *, virtual: bool = False) -> Fusion:
    """A Fusion from rows (innovation, variance, accepted) written by a kernel."""
    return Fusion(name, t_ns, rows[:, 0], rows[:, 1], rows[:, 2] > 0, gate, virtual)


def _model(dt: float, jerk: float, bias_walk: float) -> tuple[Array, Array]:
    F, Q = np.eye(4), np.zeros((4, 4))
    F[:3, :3], Q[:3, :3] = white_jerk(dt=dt, q=jerk**2)
    Q[3, 3] = bias_walk**2 * dt
    return F, Q


@compiled
def _follow(
    x: Array, P: Array, slip: Array, F: Array, Q: Array, a_x: Array, r_a: float, row: IntArray, speed: Array,
    age: Array, span: Array, setting: Array, dt: float, standing: bool, out: Array, flags: FlagArray,
    accel_fusion: Array, speed_fusion: Array,
) -> None:  # fmt: skip
    """One epoch of the odometer; x (4,), P (4, 4) and slip (3,) move on in place."""
    scratch = np.empty((4, 4))
    h_a, h_v, h_r = np.zeros(4), np.zeros(4), np.zeros(4)
    h_a[2] = h_a[3] = 1.0
    h_v[1] = 1.0
    h_r[2] = 1.0
    k = 0
    for i in range(a_x.size):
        predict_in_place(x, P, F, Q, scratch)
        innovation, variance, accepted = correct_scalar(x, P, h_a, a_x[i], r_a, 25.0, scratch)
        accel_fusion[i, 0], accel_fusion[i, 1], accel_fusion[i, 2] = innovation, variance, 1.0 if accepted else 0.0
        while k < row.size and row[k] <= i:
            r_v = setting[0] + setting[1] / span[k] ** 2
            h_v[2] = -age[k]
            z = speed[k]
            _judge_slip(x, P, h_v, z, r_v, span[k], slip, setting)
            gate = -1.0 if slip[0] > 0 else np.inf
            innovation, variance, accepted = correct_scalar(x, P, h_v, z, r_v, gate, scratch)
            speed_fusion[k, 0], speed_fusion[k, 1], speed_fusion[k, 2] = innovation, variance, 1.0 if accepted else 0.0
            k += 1
        if standing:
            h_v[2] = 0.0
            correct_scalar(x, P, h_v, 0.0, 1e-4, np.inf, scratch)
            correct_scalar(x, P, h_r, 0.0, 1e-2, np.inf, scratch)
            flags[i] |= 128
        if slip[0] > 0:
            flags[i] |= 64
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = x[0], x[1], x[2], P[1, 1]


@compiled
def _judge_slip(x: Array, P: Array, h: Array, z: float, r: float, span: float, slip: Array, setting: Array) -> None:
    """Begin or end a slip by the encoder's agreement with the speed carried on."""
    variance = r
    innovation = z
    for i in range(4):
        innovation -= h[i] * x[i]
        for j in range(4):
            variance += h[i] * P[i, j] * h[j]
    agrees = innovation * innovation <= setting[2] * variance
    if slip[0] == 0:
        if not agrees:
            slip[0], slip[1], slip[2] = 1.0, 0.0, 0.0
        return
    slip[1] = slip[1] + span if agrees else 0.0
    slip[2] += span
    if slip[2] > setting[4]:
        P[1, 1] += innovation * innovation
        slip[0] = 0.0
    elif slip[1] >= setting[3]:
        slip[0] = 0.0
