"""Path of the inertial sensor against the design line [Esc, Eq. 17], one filter per axis.

Lateral and vertical do not meet in these equations, so each axis has a filter of its own: seven states each instead
of fourteen, at a quarter of the cost.

    r, r', r''   path and its derivatives, white jerk
    o, o'        own rotation of the body: o'' + 2 zeta w0 o' + w0^2 o = white; the rotation is o'
    p            the body's rotation r'/V + o' one sample ago
    b            what the accelerometer shows beyond r'': bias and the attitude's error times g, a random walk

    accelerometer:   z = r'' + b - f_x (r'/V + o')      (f_x: longitudinal specific force, seen by a turned sensor)
    gyro:            z = (r'/V + o' - p) / dt           (lateral: of w_z - rho_h V, vertical: of rho_v V - w_y)
    virtual sensor:  0 = r

The gyro row is the paper's r''/V - (V'/V^2) r' as the difference that the gyro really measures over a sample. The paper
has neither o nor b: its row takes the body for a point that follows the line. A body on two wheelsets turns by their
chord, which falls short of the slope by (k a)^2 / 3 for long waves (k wave number, a half the wheelbase) and has
little to do with it below 2 pi a. That error grows with the wave number and peaks near 1/a: it is the band-pass o' with
w0 = V/a. So the gyro is believed for long waves, where it beats the accelerometer at low speed, and not for short ones.
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
from twin.numerics.kalman import correct_scalar, predict_in_place

STATES = 7
ZETA = 0.7
"""Damping of the own rotation's band-pass: flat, no resonance assumed."""


@dataclass(frozen=True, slots=True)
class AxisInput:
    """Measurements of one axis. All (samples,)."""

    accel: Array
    """[m/s^2]"""
    rate: Array
    """Rate of the slope r'/V [rad/s]."""
    f_x: Array
    """Longitudinal specific force [m/s^2]."""
    v: Array
    """[m/s]"""
    standing: BoolArray


class Axis:
    """Remembers the path of one axis."""

    def __init__(
        self, name: str, config: NavigationConfig, axis: AxisConfig, *, semi_wheelbase: float, level: float
    ) -> None:
        """level: density of the walk of b beside the accelerometer's own [m/s^2/sqrt(s)]."""
        self._name = name
        self._trajectory = config.trajectory
        self._x = np.zeros(STATES)
        self._P = np.diag(np.square([0.01, 0.02, 0.1, 1e-4, 1e-3, 1e-3, 0.05]))
        self._v = 0.0
        walk = config.accel_bias_walk**2 + level**2
        t = config.trajectory
        self._noise = np.array(
            [
                config.accel_noise**2, config.gyro_noise**2, axis.jerk_track**2, axis.jerk_vibration**2,
                axis.own_rate**2, walk, 1 / semi_wheelbase, 2 * np.pi / t.cutoff, t.speed_minimum, t.gate,
            ]
        )  # fmt: skip

    def process(self, imu: Inertial, given: AxisInput) -> tuple[Filtered, list[Fusion]]:
        """Follow one block."""
        n, k = len(imu), STATES
        out = Filtered(
            np.empty((n, k)), np.empty((n, k, k)), np.empty((n, k, k)), np.empty((n, k, k)), np.zeros((n, k))
        )
        rows = np.empty((3, n, 3))
        _follow(
            self._x, self._P, imu.dt, given.accel, given.rate, given.f_x, given.v, self._v, given.standing, self._noise,
            out.x, out.P, out.F, out.Q, rows,
        )  # fmt: skip
        self._v = float(given.v[-1]) if n else self._v
        used = given.v**2 >= self._trajectory.speed_minimum**2
        gate = self._trajectory.gate
        return out, [
            fusion(f"trajectory.{self._name}.accel", imu.t_ns[used], rows[0][used], gate),
            fusion(f"trajectory.{self._name}.rate", imu.t_ns[used], rows[1][used], gate),
            fusion(f"trajectory.{self._name}.virtual", imu.t_ns[used], rows[2][used], np.inf, virtual=True),
        ]


@compiled
def _follow(
    x: Array, P: Array, dt: float, accel: Array, rate: Array, f_x: Array, v: Array, v_before: float, standing: BoolArray,
    noise: Array, x_f: Array, P_f: Array, F_f: Array, Q_f: Array, rows: Array,
) -> None:  # fmt: skip
    """One axis over a block; x (7,), P (7, 7) move on in place. rows (3, samples, 3): what became of each row."""
    r_a, r_w, walk, k_cut, slowest, gate = noise[0], noise[1], noise[5], noise[7], noise[8], noise[9]
    scratch = np.empty((7, 7))
    h_a, h_w, h_r, h_rest = np.zeros(7), np.zeros(7), np.zeros(7), np.zeros(7)
    h_a[2] = h_a[6] = 1.0
    h_w[4], h_w[5] = 1 / dt, -1 / dt
    h_r[0] = 1.0
    rows[:] = 0.0
    for i in range(v.size):
        moves = abs(v[i]) >= slowest and not standing[i]
        moved = abs(v_before) >= slowest
        if moves:
            _model(dt, v[i], v_before if moved else np.inf, noise, F_f[i], Q_f[i])
        else:
            _rest(dt, walk, F_f[i], Q_f[i])
        predict_in_place(x, P, F_f[i], Q_f[i], scratch)
        if moves:
            force = f_x[i] if np.isfinite(f_x[i]) else 0.0
            h_a[1], h_a[4] = -force / v[i], -force
            rows[0, i, 0], rows[0, i, 1], accepted = correct_scalar(x, P, h_a, accel[i], r_a / dt, gate, scratch)
            rows[0, i, 2] = 1.0 if accepted else 0.0
            if moved:
                h_w[1] = 1 / (v[i] * dt)
                rows[1, i, 0], rows[1, i, 1], accepted = correct_scalar(x, P, h_w, rate[i], r_w / dt, gate, scratch)
                rows[1, i, 2] = 1.0 if accepted else 0.0
            w_cut = k_cut * abs(v[i])
            r = (r_a + walk / w_cut**2) / w_cut**4 / dt
            rows[2, i, 0], rows[2, i, 1], accepted = correct_scalar(x, P, h_r, 0.0, r, np.inf, scratch)
            rows[2, i, 2] = 1.0 if accepted else 0.0
        else:
            for j in range(1, 3):
                h_rest[:] = 0.0
                h_rest[j] = 1.0
                correct_scalar(x, P, h_rest, 0.0, (0.02 if j == 1 else 0.1) ** 2, np.inf, scratch)
        v_before = v[i] if moves else 0.0
        x_f[i] = x
        P_f[i] = P


@compiled
def _model(dt: float, v: float, v_before: float, noise: Array, F: Array, Q: Array) -> None:
    """Write the transition and its noise at speed v; v_before: at the sample before, inf when it stood."""
    u = abs(v) / 20.0
    q = noise[2] * u**5 + noise[3] * u**2
    F[:] = 0.0
    Q[:] = 0.0
    F[0, 0] = F[1, 1] = F[2, 2] = F[6, 6] = 1.0
    F[0, 1] = F[1, 2] = dt
    F[0, 2] = dt * dt / 2
    Q[0, 0], Q[0, 1], Q[0, 2] = q * dt**5 / 20, q * dt**4 / 8, q * dt**3 / 6
    Q[1, 1], Q[1, 2], Q[2, 2] = q * dt**3 / 3, q * dt**2 / 2, q * dt
    # Exact to second order in w0 dt < 0.1.
    w0 = noise[6] * abs(v)
    F[3, 3] = 1 - (w0 * dt) ** 2 / 2
    F[3, 4] = dt - ZETA * w0 * dt**2
    F[4, 3] = -w0 * w0 * F[3, 4]
    F[4, 4] = 1 - 2 * ZETA * w0 * dt + (4 * ZETA**2 - 1) * (w0 * dt) ** 2 / 2
    F[5, 1], F[5, 4] = 1 / v_before, 1.0
    q_own = noise[4] * u**2
    Q[3, 3], Q[3, 4], Q[4, 4] = q_own * dt**3 / 3, q_own * dt**2 / 2, q_own * dt
    Q[6, 6] = noise[5] * dt
    for i in range(7):
        for j in range(i):
            Q[i, j] = Q[j, i]


@compiled
def _rest(dt: float, walk: float, F: Array, Q: Array) -> None:
    """Transition of a vehicle that stands or creeps: the path stays, its derivatives die away."""
    F[:] = 0.0
    Q[:] = 0.0
    F[0, 0] = F[6, 6] = 1.0
    for j in range(1, 6):
        F[j, j] = 1 - dt
    Q[0, 0] = 1e-10 * dt
    Q[1, 1] = Q[2, 2] = 1e-4 * dt
    Q[3, 3], Q[4, 4], Q[5, 5] = 1e-8 * dt, 1e-6 * dt, 1e-6 * dt
    Q[6, 6] = walk * dt
