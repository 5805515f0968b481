"""Absolute roll and pitch of the body [Esc, Eq. 16], with gyro biases and the lateral velocity.

    phi'   = w_x - b_x + tan(theta) (w_y sin(phi) + w_z cos(phi))
    theta' = (w_y - b_y) cos(phi) - w_z sin(phi)
    v_y'   = lateral acceleration of the path (equations.py), with phi - phi_t as its roll against the track
    a_x - V' = -g sin(theta)

The paper levels the roll by the accelerometer itself, z = a_y, which takes the body's lateral acceleration for white
noise. It is not: it integrates to a velocity of millimetres per second, and that velocity over V, the slope of the
alignment, is white in distance to a good approximation (so are the German spectra between 7.6 and 300 m). So the
filter carries the velocity and a virtual sensor holds it near zero: by calculation a quarter of the error.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from twin.core.arrays import Array, BoolArray
from twin.core.estimate import Fusion
from twin.navigation.config import NavigationConfig
from twin.navigation.equations import TrackTerms
from twin.navigation.inputs import Inertial
from twin.navigation.odometer import fusion
from twin.numerics.compiled import compiled
from twin.numerics.kalman import correct_scalar, predict_in_place

PHI, THETA, B_X, B_Y, V_Y = range(5)
SILENT_GYRO = 1e-3
"""Own rates of a body while its gyro is silent [rad/s/sqrt(Hz)]."""
SILENT_ACCELEROMETER = 0.1
"""Lateral acceleration of a body while its accelerometer is silent [m/s^2/sqrt(Hz)]."""


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


class AttitudeNoise(NamedTuple):
    """Noise as the kernel wants it: two-sided densities and variances."""

    gyro: float
    """[rad^2/s]"""
    bias_walk: float
    """[rad^2/s^3]"""
    accel: float
    """[m^2/s^3]"""
    accel_rest: float
    """Variance of a_x against the speed's slope at rest [m^2/s^4] ..."""
    accel_moving: float
    """... and per speed squared [1/s^2]."""
    slope: float
    """Density of the path's slope in distance [m]."""
    rest: float
    """Density of the lateral velocity at rest [m^2/s]."""
    gate: float
    gravity: float

    @classmethod
    def of(cls, config: NavigationConfig) -> "AttitudeNoise":
        """From the configuration."""
        c = config.attitude
        return cls(
            gyro=config.gyro_noise**2 / 2,
            bias_walk=config.gyro_bias_walk**2,
            accel=config.accel_noise**2 / 2,
            accel_rest=c.accel_x.rest**2,
            accel_moving=(c.accel_x.moving / 20) ** 2,
            slope=c.slope_density**2,
            rest=c.sd_rest_velocity**2,
            gate=c.gate,
            gravity=config.gravity,
        )


class Attitude:
    """Remembers roll, pitch, the gyro biases and the lateral velocity."""

    def __init__(self, config: NavigationConfig) -> None:
        self._config = config
        self._noise = AttitudeNoise.of(config)
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
        _follow(
            self._x, self._P, imu.dt, imu.a, imu.w, terms.rate, terms.lateral, terms.roll, v, a, standing, self._noise,
            out.x, out.P, out.F, out.Q, out.u, rows,
        )  # fmt: skip
        return out, fusion("attitude.a_x", imu.t_ns, rows, c.attitude.gate)


@compiled
def _follow(
    x: Array, P: Array, dt: float, f: Array, w: Array, w_t: Array, lateral: Array, roll_t: Array, v: Array, a: Array,
    standing: BoolArray, noise: AttitudeNoise, x_f: Array, P_f: Array, F_f: Array, Q_f: Array, u_f: Array, rows: Array,
) -> None:  # fmt: skip
    """Roll and pitch over a block; x (5,), P (5, 5) move on in place. rows: innovation, variance, fate of a_x."""
    scratch = np.empty((5, 5))
    h_theta, h_v = np.zeros(5), np.zeros(5)
    h_v[V_Y] = 1.0
    for i in range(v.size):
        _turn(x, dt, w[i], w_t[i], noise, F_f[i], Q_f[i], u_f[i])
        _slide(x, dt, f[i], lateral[i], roll_t[i], noise, F_f[i], Q_f[i], u_f[i])
        for j in range(5):  # u is what the linear step leaves out
            for k in range(5):
                u_f[i, j] -= F_f[i, j, k] * x[k]
        predict_in_place(x, P, F_f[i], Q_f[i], scratch)
        for j in range(5):
            x[j] += u_f[i, j]
        # Linearised about the predicted pitch: z + g sin(theta) - g theta cos(theta) = -g cos(theta) theta.
        h_theta[THETA] = -noise.gravity * np.cos(x[THETA])
        z = f[i, 0] - a[i] + noise.gravity * np.sin(x[THETA]) + h_theta[THETA] * x[THETA]
        r = noise.accel / dt + noise.accel_rest + noise.accel_moving * v[i] ** 2
        rows[i, 0], rows[i, 1], accepted = correct_scalar(x, P, h_theta, z, r, noise.gate, scratch)
        rows[i, 2] = 1.0 if accepted else 0.0
        density = noise.rest if standing[i] else noise.slope * abs(v[i]) + noise.rest
        correct_scalar(x, P, h_v, 0.0, density / dt, np.inf, scratch)
        x_f[i] = x
        P_f[i] = P


@compiled
def _turn(x: Array, dt: float, w: Array, w_t: Array, noise: AttitudeNoise, F: Array, Q: Array, to: Array) -> None:
    """Roll, pitch and biases one step on, into to (5,), and the linear step; without a gyro the track is followed."""
    w_x, w_y, w_z, q = w[0], w[1], w[2], noise.gyro
    if not (np.isfinite(w_x) and np.isfinite(w_y) and np.isfinite(w_z)):
        w_x, w_y, w_z, q = w_t[0] + x[B_X], w_t[1] + x[B_Y], w_t[2], SILENT_GYRO**2
    sin_phi, cos_phi, tan_theta = np.sin(x[PHI]), np.cos(x[PHI]), np.tan(x[THETA])
    turn = w_y * sin_phi + w_z * cos_phi
    F[:] = 0.0
    Q[:] = 0.0
    for j in range(5):
        F[j, j] = 1.0
        to[j] = x[j]
    F[PHI, PHI] += dt * tan_theta * (w_y * cos_phi - w_z * sin_phi)
    F[PHI, THETA] = dt * turn / np.cos(x[THETA]) ** 2
    F[PHI, B_X] = -dt
    F[THETA, PHI] = -dt * turn
    F[THETA, B_Y] = -dt * cos_phi
    to[PHI] += dt * (w_x - x[B_X] + tan_theta * turn)
    to[THETA] += dt * ((w_y - x[B_Y]) * cos_phi - w_z * sin_phi)
    Q[PHI, PHI] = Q[THETA, THETA] = q * dt
    Q[B_X, B_X] = Q[B_Y, B_Y] = noise.bias_walk * dt


@compiled
def _slide(
    x: Array, dt: float, f: Array, lateral: float, roll_t: float, noise: AttitudeNoise, F: Array, Q: Array, to: Array
) -> None:
    """Lateral velocity one step on, into to (5,), with the linear step; without accelerometer it wanders."""
    if not (np.isfinite(f[1]) and np.isfinite(f[2])):
        Q[V_Y, V_Y] = SILENT_ACCELEROMETER**2 * dt
        return
    phi = x[PHI] - roll_t
    to[V_Y] += dt * (f[1] * np.cos(phi) - f[2] * np.sin(phi) - lateral)
    F[V_Y, PHI] = -dt * (f[1] * np.sin(phi) + f[2] * np.cos(phi))
    Q[V_Y, V_Y] = noise.accel * dt
