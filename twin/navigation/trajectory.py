"""Path of the inertial sensor against the design line [Esc, Eq. 17], one filter per axis.

Lateral and vertical do not meet in these equations, so each axis has a filter of its own: six states each instead of
twelve, at a quarter of the cost.

    r, v     path and its derivative
    o, o'    own rotation of the body: o'' + 2 zeta w0 o' + w0^2 o = white; the rotation is o'
    p        the body's rotation v/V + kappa + o' when the gyro was last compared
    b        what the accelerometer shows beyond r'': bias and the attitude's error times g, a random walk

    accelerometer:   r'' = z - b + f_x (v/V + o')       (f_x: longitudinal specific force, seen by a turned sensor)
    gyro:            integral of z dt = v/V + kappa + o' - p   over some samples
    virtual sensor:  0 = r                               (its variance set by the cut-off wavelength)

The paper's state has r'' under a white jerk and takes the accelerometer for its noisy measurement. The accelerometer
of a running train is mostly structure vibration, which is neither a random walk nor noise: it is motion, and
integrates to nothing. Read as noise it hides the long waves behind a thousandfold variance; read as a random walk it
puts that variance between the samples. So r'' is white here: the prior of every sample is set by the speed, the
measurement replaces it but for the sensor's own noise, and what lies far outside the prior is rejected.

The paper's gyro row takes the body for a point that follows the line. A body on two wheelsets turns by their chord:
rotation over slope is tan(k a) / (k a) for waves of number k and half the wheelbase a, 29 % too much at 10 m, and each
wheelset and spring adds motion of its own. That error grows with the wave number and peaks near 1/a: it is the
band-pass o' with w0 = 2 pi V / own_wavelength. So the gyro is believed for long waves, where it beats the
accelerometer at low speed, and not for short ones. (Undoing the chord by its first term, (a^2 / 3 V^2) d(rate)/dt,
multiplies the suspension's rotation at 5 Hz by sixty at 3 m/s: tried, and worse.) The sensor sits off the body's
middle by (x, y, h), where its path differs from the middle's by known rotations: that is kappa.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from twin.core.arrays import Array, BoolArray
from twin.core.estimate import Fusion
from twin.navigation.attitude import Filtered
from twin.navigation.config import AxisConfig, NavigationConfig
from twin.navigation.inputs import Inertial
from twin.navigation.odometer import fusion
from twin.numerics.compiled import compiled
from twin.numerics.kalman import correct_scalar, predict_in_place

STATES = 6
PATH, SPEED, OWN, TURN, LAST, BIAS = range(STATES)
"""r, v, o, o', p, b."""
ZETA = 0.7
"""Damping of the own rotation's band-pass: flat, no resonance assumed."""
SILENT_PATH, PATH_LENGTH = 0.01, 60.0
"""While the accelerometer is silent the path is held to its usual size [m], independent after a length [m] ..."""
SILENT_SLOPE, SLOPE_LENGTH = 6e-4, 12.0
"""... and so is its slope [rad]."""
SD_REST = 0.02
"""Velocity across the track of a vehicle that stands or creeps [m/s]."""


@dataclass(frozen=True, slots=True)
class AxisInput:
    """Measurements of one axis. All (samples,)."""

    accel: Array
    """Of the path, but for the turn of the sensor [m/s^2]."""
    rate: Array
    """Of the rotation that follows the slope v/V [rad/s]."""
    offset: Array
    """V kappa: velocity of the body's middle less that of the sensor, by known rotations [m/s]."""
    f_x: Array
    """Longitudinal specific force [m/s^2]."""
    v: Array
    """[m/s]"""
    standing: BoolArray


class AxisNoise(NamedTuple):
    """Noise of one axis as the kernel wants it: two-sided densities and variances."""

    accel: float
    """Density of the accelerometer [m^2/s^3]."""
    gyro: float
    """Density of the gyro [rad^2/s]."""
    prior_rest: float
    """Variance of the acceleration at rest [m^2/s^4] ..."""
    prior_moving: float
    """... per speed squared [1/s^2] ..."""
    prior_track: float
    """... and per speed to the fourth [1/m^2]."""
    own: float
    """Density of the own rotation's drive per speed [rad^2/m]."""
    walk: float
    """Density of the walk of b [m^2/s^5]."""
    k_own: float
    """Wave number about which the own rotation peaks [rad/m]."""
    k_cut: float
    """Wave number below which the virtual sensor holds the path [rad/m]."""
    slowest: float
    """[m/s]"""
    gate: float
    interval: float
    """Between two comparisons with the gyro [s]."""

    @classmethod
    def of(cls, config: NavigationConfig, axis: AxisConfig, *, level: float) -> "AxisNoise":
        """level: one-sided density of the walk of b beside the accelerometer's own [m/s^2/sqrt(s)]."""
        t = config.trajectory
        return cls(
            accel=config.accel_noise**2 / 2,
            gyro=config.gyro_noise**2 / 2,
            prior_rest=axis.accel.rest**2,
            prior_moving=(axis.accel.moving / 20) ** 2,
            prior_track=(axis.accel_track / 20**2) ** 2,
            own=axis.own_rate**2 / 2 / 20,
            walk=config.accel_bias_walk**2 + level**2 / 2,
            k_own=2 * np.pi / axis.own_wavelength,
            k_cut=2 * np.pi / t.cutoff,
            slowest=t.speed_minimum,
            gate=t.gate,
            interval=t.rate_interval,
        )


class _Comparison(NamedTuple):
    """What the gyro has shown since it was last compared; arrays of one number, so that kernels can write them."""

    samples: Array
    """Samples since."""
    turned: Array
    """Rotation since [rad]."""
    offset: Array
    """Sum of the offsets since [m/s]."""
    inverse_v: Array
    """1/V at the last comparison, when the rotation p is to be taken from there; 0 otherwise."""
    kappa: Array
    """kappa at the last comparison [rad]."""


class Axis:
    """Remembers the path of one axis."""

    def __init__(self, name: str, config: NavigationConfig, axis: AxisConfig, *, level: float) -> None:
        """level: as in AxisNoise.of()."""
        self._name = name
        self.noise = AxisNoise.of(config, axis, level=level)
        self._x = np.zeros(STATES)
        self._P = start_covariance()
        self._since = _Comparison(*(np.zeros(1) for _ in range(5)))

    def process(self, imu: Inertial, given: AxisInput) -> tuple[Filtered, list[Fusion]]:
        """Follow one block."""
        n, k = len(imu), STATES
        out = Filtered(
            np.empty((n, k)), np.empty((n, k, k)), np.empty((n, k, k)), np.empty((n, k, k)), np.zeros((n, k))
        )
        rows = np.full((3, n, 3), np.nan)
        _follow(
            self._x, self._P, self._since, imu.dt, given.accel, given.rate, given.offset, given.f_x, given.v,
            given.standing, self.noise, out.x, out.P, out.F, out.Q, out.u, rows,
        )  # fmt: skip
        kinds = (("accel", self.noise.gate, False), ("rate", self.noise.gate, False), ("virtual", np.inf, True))
        fusions = []
        for (kind, gate, virtual), row in zip(kinds, rows, strict=True):
            used = np.isfinite(row[:, 2])
            fusions.append(fusion(f"trajectory.{self._name}_{kind}", imu.t_ns[used], row[used], gate, virtual=virtual))
        return out, fusions


def start_covariance() -> Array:
    """(6, 6) before the first sample."""
    return np.diag(np.square([0.01, 0.02, 1e-4, 1e-3, 1e-3, 0.02]))


@compiled
def _follow(
    x: Array, P: Array, since: _Comparison, dt: float, accel: Array, rate: Array, offset: Array, f_x: Array, v: Array,
    standing: BoolArray, noise: AxisNoise, x_f: Array, P_f: Array, F_f: Array, Q_f: Array, u_f: Array, rows: Array,
) -> None:  # fmt: skip
    """One axis over a block; x (6,), P (6, 6) and since move on in place.

    rows (3, samples, 3): innovation, variance and fate of accelerometer, gyro and virtual sensor; NaN where unused.
    """
    scratch = np.empty((6, 6))
    count = max(1, round(noise.interval / dt))
    h_r, h_v = np.zeros(6), np.zeros(6)
    h_r[PATH] = h_v[SPEED] = 1.0
    for i in range(v.size):
        F, Q, u = F_f[i], Q_f[i], u_f[i]
        if abs(v[i]) < noise.slowest or standing[i]:
            _rest(dt, noise.walk, F, Q)
            predict_in_place(x, P, F, Q, scratch)
            correct_scalar(x, P, h_v, 0.0, SD_REST**2, np.inf, scratch)
            since.samples[0] = since.turned[0] = since.offset[0] = since.inverse_v[0] = 0.0
        else:
            _model(dt, v[i], noise, since, F, Q, u)
            force = f_x[i] if np.isfinite(f_x[i]) else 0.0
            _drive(x, P, dt, accel[i], force, v[i], noise, F, Q, u, rows[0, i])
            predict_in_place(x, P, F, Q, scratch)
            for j in range(6):
                x[j] += u[j]
            if rows[0, i, 2] == 0.0:
                correct_scalar(x, P, h_v, 0.0, SILENT_SLOPE**2 * SLOPE_LENGTH * abs(v[i]) / dt, np.inf, scratch)
                correct_scalar(x, P, h_r, 0.0, SILENT_PATH**2 * PATH_LENGTH / abs(v[i]) / dt, np.inf, scratch)
            since.samples[0] += 1.0
            since.turned[0] += rate[i] * dt
            since.offset[0] += offset[i]
            if since.samples[0] >= count:
                _compare(x, P, since, dt, v[i], noise, rows[1, i], scratch)
            w_cut = noise.k_cut * abs(v[i])
            r = (noise.accel + noise.walk / w_cut**2) / w_cut**4 / dt
            rows[2, i, 0], rows[2, i, 1], _ = correct_scalar(x, P, h_r, 0.0, r, np.inf, scratch)
            rows[2, i, 2] = 1.0
        x_f[i] = x
        P_f[i] = P


@compiled
def _model(dt: float, v: float, noise: AxisNoise, since: _Comparison, F: Array, Q: Array, u: Array) -> None:
    """Write the step at speed v, but for the accelerometer's part."""
    F[:] = 0.0
    Q[:] = 0.0
    F[PATH, PATH] = F[SPEED, SPEED] = F[LAST, LAST] = F[BIAS, BIAS] = 1.0
    F[PATH, SPEED] = dt
    # Exact to second order in w0 dt < 0.1.
    w0 = noise.k_own * abs(v)
    F[OWN, OWN] = 1 - (w0 * dt) ** 2 / 2
    F[OWN, TURN] = dt - ZETA * w0 * dt**2
    F[TURN, OWN] = -w0 * w0 * F[OWN, TURN]
    F[TURN, TURN] = 1 - 2 * ZETA * w0 * dt + (4 * ZETA**2 - 1) * (w0 * dt) ** 2 / 2
    # A rotation of given size in distance turns the faster the faster the train: the drive grows with speed.
    q = noise.own * abs(v)
    Q[OWN, OWN], Q[OWN, TURN], Q[TURN, TURN] = q * dt**3 / 3, q * dt**2 / 2, q * dt
    Q[TURN, OWN] = Q[OWN, TURN]
    Q[BIAS, BIAS] = noise.walk * dt
    if since.inverse_v[0] != 0.0:
        F[LAST, LAST] = 0.0
        F[LAST, SPEED], F[LAST, TURN] = since.inverse_v[0], 1.0
        u[LAST] = since.kappa[0]
        since.inverse_v[0] = 0.0


@compiled
def _drive(
    x: Array, P: Array, dt: float, accel: float, force: float, v: float, noise: AxisNoise, F: Array, Q: Array,
    u: Array, row: Array,
) -> None:  # fmt: skip
    """Write the accelerometer's part of the step, or the prior's where the measurement is absurd or missing."""
    prior = noise.prior_rest + noise.prior_moving * v**2 + noise.prior_track * v**4
    row[0] = accel - x[BIAS]
    row[1] = prior + P[BIAS, BIAS] + noise.accel / dt
    accepted = row[0] * row[0] <= noise.gate * row[1]
    row[2] = 1.0 if accepted else 0.0
    if accepted:
        F[SPEED, SPEED] += dt * force / v
        F[SPEED, TURN] = dt * force
        F[SPEED, BIAS], F[PATH, BIAS] = -dt, -dt * dt / 2
        u[SPEED], u[PATH] = dt * accel, dt * dt / 2 * accel
        Q[SPEED, SPEED] = noise.accel * dt
    else:
        Q[SPEED, SPEED] = prior * dt * dt


@compiled
def _compare(
    x: Array, P: Array, since: _Comparison, dt: float, v: float, noise: AxisNoise, row: Array, scratch: Array
) -> None:
    """Compare the rotation turned since the last comparison with the path's; start the next one."""
    kappa = since.offset[0] / since.samples[0] / v
    known = np.isfinite(kappa) and np.isfinite(since.turned[0])
    if known:
        h = np.zeros(6)
        h[SPEED], h[TURN], h[LAST] = 1 / v, 1.0, -1.0
        r = noise.gyro * since.samples[0] * dt
        row[0], row[1], accepted = correct_scalar(x, P, h, since.turned[0] - kappa, r, noise.gate, scratch)
        row[2] = 1.0 if accepted else 0.0
    since.inverse_v[0], since.kappa[0] = 1 / v, kappa if known else 0.0
    since.samples[0] = since.turned[0] = since.offset[0] = 0.0


@compiled
def _rest(dt: float, walk: float, F: Array, Q: Array) -> None:
    """Step of a vehicle that stands or creeps: the path stays, its derivatives die away."""
    F[:] = 0.0
    Q[:] = 0.0
    F[PATH, PATH] = F[BIAS, BIAS] = 1.0
    for j in range(1, 5):
        F[j, j] = 1 - dt
    Q[PATH, PATH] = 1e-10 * dt
    Q[SPEED, SPEED] = 1e-4 * dt
    Q[OWN, OWN], Q[TURN, TURN], Q[LAST, LAST] = 1e-8 * dt, 1e-6 * dt, 1e-6 * dt
    Q[BIAS, BIAS] = walk * dt
