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
puts that variance between the samples. So r'' is white here: the prior of every sample is sd_accel(V), the
measurement replaces it but for the sensor's own noise, and what lies far outside the prior is rejected.

The paper's gyro row takes the body for a point that follows the line. A body on two wheelsets turns by their chord:
rotation over slope is tan(k a) / (k a) for waves of number k and half the wheelbase a, 29 % too much at 10 m, and each
wheelset and spring adds motion of its own. That error grows with the wave number and peaks near 1/a: it is the
band-pass o' with w0 = 2 pi V / own_wavelength. So the gyro is believed for long waves, where it beats the
accelerometer at low speed, and not for short ones. (Undoing the chord by its first term, (a^2 / 3 V^2) d(rate)/dt, multiplies the suspension's rotation
at 5 Hz by sixty at 3 m/s: tried, and worse.) The sensor sits off the body's middle by (x, y, h), where its path differs
from the middle's by known rotations: that is kappa.
"""

from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array, BoolArray
from twin.core.estimate import Fusion
from twin.navigation.attitude import Filtered
from twin.navigation.config import AxisConfig, NavigationConfig
from twin.navigation.inputs import Inertial
from twin.navigation.odometer import fusion
from twin.numerics.compiled import compiled
from twin.numerics.kalman import correct_scalar

STATES = 6
ZETA = 0.7
"""Damping of the own rotation's band-pass: flat, no resonance assumed."""


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


class Axis:
    """Remembers the path of one axis."""

    def __init__(self, name: str, config: NavigationConfig, axis: AxisConfig, *, level: float) -> None:
        """level: density of the walk of b beside the accelerometer's own [m/s^2/sqrt(s)]."""
        self._name = name
        self._trajectory = config.trajectory
        self._x = np.zeros(STATES)
        self._P = np.diag(np.square([0.01, 0.02, 1e-4, 1e-3, 1e-3, 0.02]))
        self._memory = np.zeros(5)
        t = config.trajectory
        self._noise = np.array(
            [
                config.accel_noise**2 / 2, config.gyro_noise**2 / 2, axis.accel.rest**2, (axis.accel.moving / 20) ** 2,
                axis.own_rate**2, config.accel_bias_walk**2 + level**2 / 2, 2 * np.pi / axis.own_wavelength,
                2 * np.pi / t.cutoff, t.speed_minimum, t.gate, t.rate_interval,
            ]
        )  # fmt: skip

    def process(self, imu: Inertial, given: AxisInput) -> tuple[Filtered, list[Fusion]]:
        """Follow one block."""
        n, k = len(imu), STATES
        out = Filtered(
            np.empty((n, k)), np.empty((n, k, k)), np.empty((n, k, k)), np.empty((n, k, k)), np.zeros((n, k))
        )
        rows = np.full((3, n, 3), np.nan)
        _follow(
            self._x, self._P, self._memory, imu.dt, given.accel, given.rate, given.offset, given.f_x, given.v,
            given.standing, self._noise, out.x, out.P, out.F, out.Q, out.u, rows,
        )  # fmt: skip
        gate = self._trajectory.gate
        kinds = (("accel", gate, False), ("rate", gate, False), ("virtual", np.inf, True))
        fusions = []
        for (kind, limit, virtual), row in zip(kinds, rows, strict=True):
            used = np.isfinite(row[:, 2])
            fusions.append(fusion(f"trajectory.{self._name}_{kind}", imu.t_ns[used], row[used], limit, virtual=virtual))
        return out, fusions


@compiled
def _follow(
    x: Array, P: Array, memory: Array, dt: float, accel: Array, rate: Array, offset: Array, f_x: Array, v: Array,
    standing: BoolArray, noise: Array, x_f: Array, P_f: Array, F_f: Array, Q_f: Array, u_f: Array, rows: Array,
) -> None:  # fmt: skip
    """One axis over a block; x (6,), P (6, 6) and memory (5,) move on in place.

    memory: samples since the gyro was compared (0: compare afresh), rotation turned since [rad], mean of offset
    since [m/s], and 1/V and kappa at the last comparison when the rotation p is to be taken anew (0: not).
    rows (3, samples, 3): innovation, variance and fate of accelerometer, gyro and virtual sensor; NaN where unused.
    """
    r_a, r_w, rest, moving, walk = noise[0], noise[1], noise[2], noise[3], noise[5]
    k_cut, slowest, gate = noise[7], noise[8], noise[9]
    count = max(1, round(noise[10] / dt))
    scratch = np.empty((6, 6))
    h_w, h_r, h_v = np.zeros(6), np.zeros(6), np.zeros(6)
    h_r[0] = h_v[1] = 1.0
    h_w[3], h_w[4] = 1.0, -1.0
    for i in range(v.size):
        F, Q, u = F_f[i], Q_f[i], u_f[i]
        if abs(v[i]) < slowest or standing[i]:
            _rest(dt, walk, F, Q)
            _carry(x, P, F, Q, u, scratch)
            correct_scalar(x, P, h_v, 0.0, 4e-4, np.inf, scratch)
            memory[:] = 0.0
        else:
            _model(dt, v[i], noise, F, Q)
            if memory[3] > 0.0:  # the rotation of the last comparison becomes p
                F[4, 4] = 0.0
                F[4, 1], F[4, 3] = memory[3] * np.sign(v[i]), 1.0
                u[4] = memory[4]
                memory[3] = 0.0
            prior = rest + moving * v[i] ** 2
            z = accel[i] - x[5]
            force = f_x[i] if np.isfinite(f_x[i]) else 0.0
            variance = prior + P[5, 5] + r_a / dt
            accepted = z * z <= gate * variance
            rows[0, i, 0], rows[0, i, 1], rows[0, i, 2] = z, variance, 1.0 if accepted else 0.0
            if accepted:
                F[1, 5] = -dt
                F[1, 1] += dt * force / v[i]
                F[1, 3] = dt * force
                F[0, 5] = -dt * dt / 2
                u[1] = dt * accel[i]
                u[0] = dt * dt / 2 * accel[i]
                Q[1, 1] = r_a * dt
            else:
                Q[1, 1] = prior * dt * dt
            _carry(x, P, F, Q, u, scratch)
            memory[0] += 1.0
            memory[1] += rate[i] * dt
            memory[2] += offset[i]
            if memory[0] >= count:
                kappa = memory[2] / memory[0] / v[i]
                if np.isfinite(memory[1]) and np.isfinite(kappa):
                    h_w[1] = 1 / v[i]
                    z = memory[1] - kappa
                    r = r_w * memory[0] * dt
                    if P[4, 4] > 0.0 and memory[0] == count:
                        rows[1, i, 0], rows[1, i, 1], ok = correct_scalar(x, P, h_w, z, r, gate, scratch)
                        rows[1, i, 2] = 1.0 if ok else 0.0
                else:
                    kappa = 0.0
                memory[0] = memory[1] = memory[2] = 0.0
                memory[3], memory[4] = 1 / abs(v[i]), kappa
            w_cut = k_cut * abs(v[i])
            r = (r_a + walk / w_cut**2) / w_cut**4 / dt
            rows[2, i, 0], rows[2, i, 1], _ = correct_scalar(x, P, h_r, 0.0, r, np.inf, scratch)
            rows[2, i, 2] = 1.0
        x_f[i] = x
        P_f[i] = P


@compiled
def _model(dt: float, v: float, noise: Array, F: Array, Q: Array) -> None:
    """Write the transition and its noise at speed v, but for the accelerometer's part."""
    F[:] = 0.0
    Q[:] = 0.0
    F[0, 0] = F[1, 1] = F[4, 4] = F[5, 5] = 1.0
    F[0, 1] = dt
    # Exact to second order in w0 dt < 0.1.
    w0 = noise[6] * abs(v)
    F[2, 2] = 1 - (w0 * dt) ** 2 / 2
    F[2, 3] = dt - ZETA * w0 * dt**2
    F[3, 2] = -w0 * w0 * F[2, 3]
    F[3, 3] = 1 - 2 * ZETA * w0 * dt + (4 * ZETA**2 - 1) * (w0 * dt) ** 2 / 2
    q_own = noise[4] / 2 * abs(v) / 20.0  # a rotation of given size in distance turns the faster the faster the train
    Q[2, 2], Q[2, 3], Q[3, 3] = q_own * dt**3 / 3, q_own * dt**2 / 2, q_own * dt
    Q[3, 2] = Q[2, 3]
    Q[5, 5] = noise[5] * dt


@compiled
def _rest(dt: float, walk: float, F: Array, Q: Array) -> None:
    """Transition of a vehicle that stands or creeps: the path stays, its derivatives die away."""
    F[:] = 0.0
    Q[:] = 0.0
    F[0, 0] = F[5, 5] = 1.0
    for j in range(1, 5):
        F[j, j] = 1 - dt
    Q[0, 0] = 1e-10 * dt
    Q[1, 1] = 1e-4 * dt
    Q[2, 2], Q[3, 3], Q[4, 4] = 1e-8 * dt, 1e-6 * dt, 1e-6 * dt
    Q[5, 5] = walk * dt


@compiled
def _carry(x: Array, P: Array, F: Array, Q: Array, u: Array, scratch: Array) -> None:
    """Make x = F x + u and P = F P F' + Q; F is nearly the identity, so zeros are skipped."""
    n = x.size
    for i in range(n):
        total = u[i]
        for j in range(n):
            total += F[i, j] * x[j]
        scratch[0, i] = total
    for i in range(n):
        x[i] = scratch[0, i]
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                if F[i, k] != 0.0:
                    total += F[i, k] * P[k, j]
            scratch[i, j] = total
    for i in range(n):
        for j in range(i, n):
            total = Q[i, j]
            for k in range(n):
                if F[j, k] != 0.0:
                    total += scratch[i, k] * F[j, k]
            P[i, j] = total
            P[j, i] = total
