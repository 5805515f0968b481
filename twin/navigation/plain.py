"""The three filters in plain numpy, as the books write them: what the compiled kernels are tested against."""

import numpy as np

from twin.core.arrays import Array, BoolArray
from twin.navigation.attitude import B_X, B_Y, PHI, THETA, V_Y
from twin.navigation.config import NavigationConfig, OdometerConfig
from twin.navigation.equations import TrackTerms
from twin.navigation.inputs import Inertial
from twin.navigation.trajectory import (
    BIAS,
    LAST,
    OWN,
    PATH,
    PATH_LENGTH,
    SD_REST,
    SILENT_PATH,
    SILENT_SLOPE,
    SLOPE_LENGTH,
    SPEED,
    STATES,
    TURN,
    ZETA,
    AxisInput,
    AxisNoise,
    start_covariance,
)
from twin.numerics.discretise import white_jerk
from twin.numerics.kalman import correct, symmetric

Run = tuple[Array, Array]
"""States (samples, k) and covariances (samples, k, k)."""


def odometer(
    config: OdometerConfig, *, dt: float, a_x: Array, r_a: float, speeds: list[tuple[int, float, float, float]]
) -> Run:
    """Speed of a vehicle that neither stands nor slips; speeds: (row, speed, age, variance) in order.

    a_x (samples,): longitudinal acceleration shown, gradient removed [m/s^2]; r_a: its variance.
    """
    x, P = np.zeros(4), np.diag([1e-6, 100.0, 1.0, 0.04])
    F, Q = np.eye(4), np.zeros((4, 4))
    F[:3, :3], Q[:3, :3] = white_jerk(dt=dt, q=config.jerk**2)
    Q[3, 3] = config.bias_walk**2 * dt
    out_x, out_P = [], []
    for i, z in enumerate(a_x):
        x, P = F @ x, symmetric(F @ P @ F.T + Q)
        x, P = _row(x, P, np.array([0.0, 0, 1, 1]), z, r_a, gate=25.0)
        for _, speed, age, r in (entry for entry in speeds if entry[0] == i):
            x, P = _row(x, P, np.array([0.0, 1, -age, 0]), speed, r)
        out_x.append(x)
        out_P.append(P)
    return np.array(out_x), np.array(out_P)


def attitude(
    config: NavigationConfig, imu: Inertial, terms: TrackTerms, *, v: Array, a: Array, standing: BoolArray
) -> Run:
    """Roll and pitch; every sample usable."""
    c, g, dt = config, config.gravity, imu.dt
    x = np.zeros(5)
    P = np.diag(np.square([c.attitude.sd_start, c.attitude.sd_start, c.gyro_bias, c.gyro_bias, 0.05]))
    w2, b2, a2 = c.gyro_noise**2 / 2, c.gyro_bias_walk**2, c.accel_noise**2 / 2
    out_x, out_P = [], []
    for i in range(len(imu)):
        (_, f_y, f_z), (w_x, w_y, w_z) = imu.a[i], imu.w[i]
        phi, theta, rel = x[PHI], x[THETA], x[PHI] - terms.roll[i]
        turn = w_y * np.sin(phi) + w_z * np.cos(phi)
        F = np.eye(5)
        F[PHI, PHI] += dt * np.tan(theta) * (w_y * np.cos(phi) - w_z * np.sin(phi))
        F[PHI, THETA] = dt * turn / np.cos(theta) ** 2
        F[PHI, B_X] = -dt
        F[THETA, PHI] = -dt * turn
        F[THETA, B_Y] = -dt * np.cos(phi)
        F[V_Y, PHI] = -dt * (f_y * np.sin(rel) + f_z * np.cos(rel))
        x = x.copy()
        x[PHI] += dt * (w_x - x[B_X] + np.tan(theta) * turn)
        x[THETA] += dt * ((w_y - x[B_Y]) * np.cos(phi) - w_z * np.sin(phi))
        x[V_Y] += dt * (f_y * np.cos(rel) - f_z * np.sin(rel) - terms.lateral[i])
        P = symmetric(F @ P @ F.T + dt * np.diag([w2, w2, b2, b2, a2]))
        h = np.array([0, -g * np.cos(x[THETA]), 0, 0, 0])
        r = a2 / dt + c.attitude.accel_x.rest**2 + (c.attitude.accel_x.moving / 20 * v[i]) ** 2
        z = imu.a[i, 0] - a[i] + g * np.sin(x[THETA]) + h[THETA] * x[THETA]
        x, P = _row(x, P, h, z, r, gate=c.attitude.gate)
        rest = c.attitude.sd_rest_velocity**2
        density = rest if standing[i] else c.attitude.slope_density**2 * abs(v[i]) + rest
        x, P = _row(x, P, np.eye(5)[V_Y], 0.0, density / dt)
        out_x.append(x)
        out_P.append(P)
    return np.array(out_x), np.array(out_P)


def axis(noise: AxisNoise, given: AxisInput, *, dt: float) -> Run:
    """One axis of the trajectory; every sample is finite."""
    x, P = np.zeros(STATES), start_covariance()
    count = max(1, round(noise.interval / dt))
    samples, turned, offset, last = 0, 0.0, 0.0, None
    out_x, out_P = [], []
    for z, rate, shift, f_x, v, rests in zip(
        given.accel, given.rate, given.offset, given.f_x, given.v, given.standing, strict=True
    ):
        F, Q, u = np.eye(STATES), np.zeros((STATES, STATES)), np.zeros(STATES)
        Q[BIAS, BIAS] = noise.walk * dt
        if rests or abs(v) < noise.slowest:
            F[range(1, 5), range(1, 5)] = 1 - dt
            Q[range(5), range(5)] = dt * np.array([1e-10, 1e-4, 1e-8, 1e-6, 1e-6])
            x, P = F @ x, symmetric(F @ P @ F.T + Q)
            x, P = _row(x, P, np.eye(STATES)[SPEED], 0.0, SD_REST**2)
            samples, turned, offset, last = 0, 0.0, 0.0, None
        else:
            _own_rotation(F, Q, noise, v=v, dt=dt)
            if last is not None:
                F[LAST] = 0.0
                F[LAST, SPEED], F[LAST, TURN], u[LAST] = last[0], 1.0, last[1]
                last = None
            F[PATH, SPEED] = dt
            prior = noise.prior_rest + noise.prior_moving * v**2 + noise.prior_track * v**4
            Q[SPEED, SPEED] = prior * dt**2
            heard = (z - x[BIAS]) ** 2 <= noise.gate * (prior + P[BIAS, BIAS] + noise.accel / dt)
            if heard:
                F[SPEED, SPEED] += dt * f_x / v
                F[SPEED, TURN] = dt * f_x
                F[SPEED, BIAS], F[PATH, BIAS] = -dt, -(dt**2) / 2
                u[SPEED], u[PATH] = dt * z, dt**2 / 2 * z
                Q[SPEED, SPEED] = noise.accel * dt
            x, P = F @ x + u, symmetric(F @ P @ F.T + Q)
            if not heard:
                x, P = _row(x, P, np.eye(STATES)[SPEED], 0.0, SILENT_SLOPE**2 * SLOPE_LENGTH * abs(v) / dt)
                x, P = _row(x, P, np.eye(STATES)[PATH], 0.0, SILENT_PATH**2 * PATH_LENGTH / abs(v) / dt)
            samples, turned, offset = samples + 1, turned + rate * dt, offset + shift
            if samples == count:
                kappa = offset / samples / v
                h = np.zeros(STATES)
                h[SPEED], h[TURN], h[LAST] = 1 / v, 1.0, -1.0
                x, P = _row(x, P, h, turned - kappa, noise.gyro * samples * dt, gate=noise.gate)
                samples, turned, offset, last = 0, 0.0, 0.0, (1 / v, kappa)
            w_cut = noise.k_cut * abs(v)
            x, P = _row(x, P, np.eye(STATES)[PATH], 0.0, (noise.accel + noise.walk / w_cut**2) / w_cut**4 / dt)
        out_x.append(x)
        out_P.append(P)
    return np.array(out_x), np.array(out_P)


def _own_rotation(F: Array, Q: Array, noise: AxisNoise, *, v: float, dt: float) -> None:
    w0, q = noise.k_own * abs(v), noise.own * abs(v)
    A = np.array([[0.0, 1.0], [-(w0**2), -2 * ZETA * w0]])
    F[OWN : TURN + 1, OWN : TURN + 1] = np.eye(2) + A * dt + A @ A * dt**2 / 2
    Q[OWN : TURN + 1, OWN : TURN + 1] = q * np.array([[dt**3 / 3, dt**2 / 2], [dt**2 / 2, dt]])


def _row(x: Array, P: Array, h: Array, z: float, r: float, gate: float = np.inf) -> Run:
    """Correct by one row unless it lies beyond the gate."""
    found = correct(x, P, np.array([z]), h[None], np.array([[r]]))
    return (found.x, found.P) if found.nis <= gate else (x, P)
