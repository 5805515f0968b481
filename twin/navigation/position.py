"""Position along the track: the encoder's distance, corrected by matching the heading to the design geometry.

The body runs along the design line within millimetres and fractions of a milliradian. So the heading turned by the
gyro, less the heading the design turns over the same stretch, must stay near zero; where the design curves, a
position error delta shows as a heading error kappa delta (1.7 mrad per metre at R 600 m) and a wheel radius error as
its growth. State, in the running direction:

    e_y    lateral offset from the design [m]                 e_y'   = e_psi
    e_psi  heading against the design [rad]                   e_psi' = (w_z - b) / V - rho_h(s)
    delta  position correction, s = d + delta [m]             delta' = scale
    scale  relative error of the wheel radius
    bias   of the vertical gyro [rad/s]

Derivatives along the distance; one step per epoch. Virtual sensors hold e_y and e_psi near zero.
"""

from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array
from twin.core.quality import Quality
from twin.core.track import DesignTrack
from twin.navigation.config import PositionConfig
from twin.navigation.inputs import Inertial, Motion
from twin.numerics.kalman import correct

E_Y, E_PSI, DELTA, SCALE, BIAS = range(5)


@dataclass(frozen=True, slots=True)
class PositionStep:
    """The position filter after one epoch, and the linear step that led there (for smoothing)."""

    x: Array
    """(5,)"""
    P: Array
    """(5, 5)"""
    F: Array
    """(5, 5)"""
    Q: Array
    """(5, 5)"""
    u: Array
    """(5,) x_predicted - F x_before."""
    d_end: float
    """Encoder distance at the end of the epoch [m]."""


class Position:
    """Remembers the match between encoder distance and design."""

    def __init__(
        self, config: PositionConfig, design: DesignTrack, *, start: float, start_sd: float, gyro_bias_walk: float
    ) -> None:
        """start, start_sd: arc length of the inertial sensor before the run and its standard deviation [m]."""
        self._config = config
        self._design = design
        self._bias_walk = gyro_bias_walk
        self._x = np.array([0.0, 0.0, start, 0.0, 0.0])
        c = config
        sd = [c.sd_offset, c.sd_heading, start_sd, c.sd_scale if c.match else 1e-9, c.sd_gyro_bias]
        self._P = np.diag(np.square(sd))
        self._d = 0.0

    def process(self, imu: Inertial, motion: Motion) -> PositionStep:
        """Match one epoch."""
        dt = len(imu) * imu.dt
        w_z = imu.w[:, 2]
        good = np.isfinite(w_z)
        ds = float(motion.d[-1] - self._d) if len(imu) else 0.0
        standing = bool(len(imu)) and bool(motion.quality[-1] & np.uint8(Quality.STANDSTILL))
        if standing:  # what stands does not turn, whatever its gyro says
            F, Q, x_p = np.eye(5), np.diag([0.0, 0.0, 0.0, 0.0, self._bias_walk**2 * dt]), self._x
        else:
            F, Q, x_p = self._predicted(ds, dt, float(w_z[good].mean()) if good.any() else None)
        slipping = float(np.mean((motion.quality & np.uint8(Quality.SLIPPING | Quality.BRIDGED)) != 0)) if dt else 0.0
        Q[DELTA, DELTA] += self._config.slip_noise**2 * slipping * dt
        u = x_p - F @ self._x
        P = F @ self._P @ F.T + Q
        x, P = self._held(x_p, (P + P.T) / 2, ds, float(w_z[good].mean()) if standing and good.any() else None, dt)
        self._x, self._P = x, P
        if len(imu):
            self._d = float(motion.d[-1])
        return PositionStep(x, P, F, Q, u, self._d)

    def _predicted(self, ds: float, dt: float, w_z: float | None) -> tuple[Array, Array, Array]:
        """Transition, its noise, and the state carried over ds, dt; w_z None: the gyro was silent."""
        c, x = self._config, self._x
        middle = np.array([self._d + ds / 2 + x[DELTA] + x[SCALE] * ds / 2])
        step = 0.25
        rho_h = float(self._design.pose(middle).rho_h[0])
        around = self._design.pose(middle + np.array([-step, step])).rho_h
        slope = float(around[1] - around[0]) / (2 * step)
        turned = rho_h * ds * (1 + x[SCALE]) if w_z is None else (w_z - x[BIAS]) * dt
        F = np.eye(5)
        F[E_Y, E_PSI] = ds
        if w_z is not None:
            F[E_PSI, DELTA] = -slope * ds
            F[E_PSI, SCALE] = -rho_h * ds
            F[E_PSI, BIAS] = -dt
        F[DELTA, SCALE] = ds
        length = abs(ds)
        noise = [
            1e-10 * length,
            1e-10 * length + (1e-12 * dt if w_z is not None else 1e-4 * dt),
            c.distance_noise**2 * length,
            c.scale_walk**2 * length,
            self._bias_walk**2 * dt,
        ]
        x_p = x.copy()
        x_p[E_Y] += x[E_PSI] * ds
        x_p[E_PSI] += turned - rho_h * ds * (1 + x[SCALE])
        x_p[DELTA] += x[SCALE] * ds
        return F, np.diag(noise), x_p

    def _held(self, x: Array, P: Array, ds: float, rest_rate: float | None, dt: float) -> tuple[Array, Array]:
        """Virtual sensors per distance run; at standstill the gyro shows its bias."""
        c = self._config
        rows: list[tuple[int, float, float]] = []
        length = abs(ds)
        if c.match and length > 1e-3:
            rows.append((E_PSI, 0.0, c.sd_heading**2 * max(c.heading_length / length, 1.0)))
            rows.append((E_Y, 0.0, c.sd_offset**2 * max(c.offset_length / length, 1.0)))
        if rest_rate is not None and dt > 0:
            rows.append((BIAS, rest_rate, (2e-4) ** 2 / dt))
        if not rows:
            return x, P
        index, z, r = zip(*rows, strict=True)
        correction = correct(x, P, np.array(z), np.eye(5)[list(index)], np.diag(r))
        return correction.x, correction.P
