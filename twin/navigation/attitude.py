"""Absolute roll and pitch of the body [Esc, Eq. 16], with gyro biases and the lateral velocity.

    phi'   = w_x - b_x + tan(theta) (w_y sin(phi) + w_z cos(phi))
    theta' = (w_y - b_y) cos(phi) - w_z sin(phi)
    v_y'   = lateral acceleration of the path (equations.py), with phi - phi_t as its roll against the track
    a_x - V' = -g sin(theta)

The paper levels the roll by the accelerometer itself, z = a_y, which takes the body's lateral acceleration for white
noise. It is not: it integrates to a velocity of millimetres per second, and that velocity over V, the slope of the
alignment, is white in distance to a good approximation (so are the German spectra between 7.6 and 300 m). So the
filter carries the velocity and a virtual sensor holds it near zero, which levels ten times faster at equal noise.
"""

from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array, BoolArray
from twin.core.estimate import Fusion
from twin.navigation.config import NavigationConfig
from twin.navigation.equations import TrackTerms
from twin.navigation.inputs import Inertial
from twin.navigation.odometer import fusion
from twin.numerics.compiled import compiled
from twin.numerics.kalman import correct_scalar

PHI, THETA, B_X, B_Y, V_Y = range(5)


@dataclass(frozen=True, slots=True)
class Filtered:
    """Filtered samples of one filter with the linear steps between them (for smoothing)."""

    x: Array
    """(samples, k)"""
    P: Array
    """(samples, k, k)"""
    F: Array
    """(samples, k, k)"""
    Q: Array
    """(samples, k, k)"""
    u: Array
    """(samples, k) x_predicted - F x_before."""


class Attitude:
    """Remembers roll, pitch, the gyro biases and the lateral velocity."""

    def __init__(self, config: NavigationConfig) -> None:
        self._config = config
        self._x = np.zeros(5)
        start = config.attitude.sd_start
        self._P = np.diag(np.square([start, start, config.gyro_bias, config.gyro_bias, 0.05]))

    def process(
        self, imu: Inertial, terms: TrackTerms, *, v: Array, a: Array, standing: BoolArray
    ) -> tuple[Filtered, Fusion]:
        """Follow one block; v, a: speed [m/s] and acceleration [m/s^2] at the samples; standing (samples,) bool."""
        c = self._config
        n = len(imu)
        out = Filtered(
            np.empty((n, 5)), np.empty((n, 5, 5)), np.empty((n, 5, 5)), np.empty((n, 5, 5)), np.empty((n, 5))
        )
        rows = np.empty((n, 3))
        noise = np.array(
            [
                c.gyro_noise**2 / 2, c.gyro_bias_walk**2, c.accel_noise**2 / 2, c.attitude.accel_x.rest**2,
                (c.attitude.accel_x.moving / 20) ** 2, c.attitude.slope_density**2,
                c.attitude.sd_rest_velocity**2, c.attitude.gate, c.gravity,
            ]
        )  # fmt: skip
        _follow(
            self._x, self._P, imu.dt, imu.a, imu.w, terms.rate, terms.lateral, terms.roll, v, a, standing, noise,
            out.x, out.P, out.F, out.Q, out.u, rows,
        )  # fmt: skip
        return out, fusion("attitude.a_x", imu.t_ns, rows, c.attitude.gate)


@compiled
def _follow(
    x: Array, P: Array, dt: float, f: Array, w: Array, w_t: Array, lateral: Array, roll_t: Array, v: Array, a: Array,
    standing: BoolArray, noise: Array, x_f: Array, P_f: Array, F_f: Array, Q_f: Array, u_f: Array, rows: Array,
) -> None:  # fmt: skip
    """Roll and pitch over a block; x (5,), P (5, 5) move on in place."""
    q_w, q_b, q_a, r_rest, r_moving, slope, rest, gate, g = noise
    scratch, work = np.empty((5, 5)), np.empty((5, 5))
    h_theta, h_v = np.zeros(5), np.zeros(5)
    h_v[4] = 1.0
    for i in range(v.size):
        q_gyro, q_accel = q_w, q_a
        w_x, w_y, w_z = w[i, 0], w[i, 1], w[i, 2]
        if not (np.isfinite(w_x) and np.isfinite(w_y) and np.isfinite(w_z)):
            w_x, w_y, w_z = w_t[i, 0] + x[2], w_t[i, 1] + x[3], w_t[i, 2]
            q_gyro = 1e-5  # 3 mrad/s/sqrt(Hz): a body's own rates while its gyro is silent
        f_y, f_z = f[i, 1], f[i, 2]
        silent = not (np.isfinite(f_y) and np.isfinite(f_z))
        sin_phi, cos_phi, tan_theta = np.sin(x[0]), np.cos(x[0]), np.tan(x[1])
        turn = w_y * sin_phi + w_z * cos_phi
        F = F_f[i]
        F[:] = 0.0
        for j in range(5):
            F[j, j] = 1.0
        F[0, 0] += dt * tan_theta * (w_y * cos_phi - w_z * sin_phi)
        F[0, 1] = dt * turn / np.cos(x[1]) ** 2
        F[0, 2] = -dt
        F[1, 0] = -dt * (w_y * sin_phi + w_z * cos_phi)
        F[1, 3] = -dt * cos_phi
        for j in range(5):
            u_f[i, j] = x[j]
        phi = x[0] - roll_t[i]
        u_f[i, 0] += dt * (w_x - x[2] + tan_theta * turn)
        u_f[i, 1] += dt * ((w_y - x[3]) * cos_phi - w_z * sin_phi)
        if silent:
            q_accel = 1e-2  # 0.1 m/s^2/sqrt(Hz): a body's lateral acceleration while its accelerometer is silent
        else:
            u_f[i, 4] += dt * (f_y * np.cos(phi) - f_z * np.sin(phi) - lateral[i])
            F[4, 0] = -dt * (f_y * np.sin(phi) + f_z * np.cos(phi))
        Q = Q_f[i]
        Q[:] = 0.0
        Q[0, 0] = Q[1, 1] = q_gyro * dt
        Q[2, 2] = Q[3, 3] = q_b * dt
        Q[4, 4] = q_accel * dt
        _carry(x, P, F, Q, u_f[i], scratch, work)
        # Linearised about the predicted pitch: z + g sin(theta) - g theta cos(theta) = -g cos(theta) theta.
        h_theta[1] = -g * np.cos(x[1])
        z = f[i, 0] - a[i] + g * np.sin(x[1]) + h_theta[1] * x[1]
        r = r_rest + r_moving * v[i] ** 2
        rows[i, 0], rows[i, 1], accepted = correct_scalar(x, P, h_theta, z, r, gate, scratch)
        rows[i, 2] = 1.0 if accepted else 0.0
        r_v = rest if standing[i] else slope * abs(v[i]) + rest
        correct_scalar(x, P, h_v, 0.0, r_v / dt, np.inf, scratch)
        x_f[i] = x
        P_f[i] = P


@compiled
def _carry(x: Array, P: Array, F: Array, Q: Array, predicted: Array, scratch: Array, work: Array) -> None:
    """Make x the predicted state and P = F P F' + Q; predicted becomes u = predicted - F x."""
    n = x.size
    for i in range(n):
        linear = 0.0
        for j in range(n):
            linear += F[i, j] * x[j]
        work[0, i] = predicted[i] - linear
    for i in range(n):
        x[i] = predicted[i]
        predicted[i] = work[0, i]
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += F[i, k] * P[k, j]
            scratch[i, j] = total
    for i in range(n):
        for j in range(i, n):
            total = Q[i, j]
            for k in range(n):
                total += scratch[i, k] * F[j, k]
            P[i, j] = total
            P[j, i] = total
