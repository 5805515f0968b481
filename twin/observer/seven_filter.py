"""The observer of seven states as a filter: scheduled by speed, one row at a time, gated; smoothed on request.

The virtual alignment sensor says 0 = xi. Its variance is set in wavelength: for alignment of density q [m^2/m] and a
sensor of density r [m^2 m], waves longer than 2 pi (r / q)^(1/4) are taken for zero; here r = q / Omega_cut^2 per
metre, as the steady filter of a walk forgets over sqrt(r / q) metres.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import expm

from twin.core.arrays import Array, IntArray
from twin.core.estimate import Fusion
from twin.numerics.compiled import compiled
from twin.numerics.discretise import van_loan
from twin.numerics.kalman import correct_scalar, predict_in_place
from twin.numerics.smoothing import rts
from twin.observer.config import SevenConfig
from twin.observer.seven_state import (
    INPUTS,
    SENSOR_NAMES,
    SENSORS,
    STATES,
    V_PSI,
    V_Y,
    V_YF,
    XI,
    SevenParameters,
    seven_model,
)

START_SD = (5e-3, 5e-4, 5e-3, 0.05, 0.01, 0.05, 3e-3)
"""Of the states before the first sample."""


class SevenSchedule(NamedTuple):
    """The observer at speeds slowest * ratio^k, for compiled code."""

    slowest: float
    log_ratio: float
    F: Array
    """(k, 7, 7)"""
    Gamma: Array
    """(k, 7, 8)"""
    Q: Array
    """(k, 7, 7)"""
    C: Array
    """(k, 3, 7)"""
    D: Array
    """(k, 3, 8)"""
    r: Array
    """(k, 4) variances per sample of the sensors and of the virtual one."""


def seven_schedule(parameters: SevenParameters, config: SevenConfig, *, dt: float) -> SevenSchedule:
    """The observer at all speeds, for steps dt [s]."""
    log_ratio = float(np.log1p(config.speed_step))
    count = int(np.ceil(np.log(config.fastest / config.slowest) / log_ratio)) + 1
    parts = [_step(parameters, config, config.slowest * np.exp(k * log_ratio), dt) for k in range(count)]
    return SevenSchedule(config.slowest, log_ratio, *(np.stack(each) for each in zip(*parts, strict=True)))


def _step(p: SevenParameters, config: SevenConfig, V: float, dt: float) -> tuple[Array, ...]:
    """F, Gamma, Q, C, D, r at one speed."""
    prior = config.prior
    model = seven_model(p, V=V, omega_r=prior.omega_r, g=config.gravity)
    q = np.pi * prior.A_a * V  # two-sided density in time of a one-sided spectrum A / (Omega^2 + Omega_r^2)
    L = np.eye(STATES)[:, [V_Y, V_PSI, V_YF, XI]]
    densities = np.array([config.model_y**2 / 2, config.model_psi**2 / 2, config.model_frame**2 / 2, q])
    _, Q = _noise(model.A, L, np.diag(densities), dt)
    held = expm(dt * np.block([[model.A, model.B], [np.zeros((INPUTS, STATES + INPUTS))]]))
    cut = 2 * np.pi / config.cutoff
    r = np.array([config.accel_sd**2, config.gyro_sd**2, config.accel_sd**2, q / (cut * V) ** 2 / dt])
    return held[:STATES, :STATES], held[:STATES, STATES:], Q, model.C, model.D, r


def _noise(A: Array, L: Array, Qc: Array, dt: float) -> tuple[Array, Array]:
    """Step of x' = A x + L w by halves short enough for van_loan(), joined."""
    halvings = max(0, int(np.ceil(np.log2(max(dt * float(np.abs(np.linalg.eigvals(A)).max()), 1e-9)))) + 1)
    Phi, Q = van_loan(A, L, Qc, dt / 2**halvings)
    for _ in range(halvings):
        Phi, Q = Phi @ Phi, Phi @ Q @ Phi.T + Q
    return Phi, (Q + Q.T) / 2


class Heard(NamedTuple):
    """What the observer of seven states is given, sample by sample."""

    t_ns: IntArray
    V: Array
    """(samples,) speed [m/s]."""
    z: Array
    """(samples, 3) specific force across, yaw rate, specific force across at the frame; NaN where missing."""
    u: Array
    """(samples, 8) inputs of seven_state."""


class Followed(NamedTuple):
    """Filtered samples and the steps between them."""

    x: Array
    P: Array
    F: Array
    Q: Array
    u: Array
    """(samples, 7) x_predicted - F x_before."""

    def smoothed(self) -> tuple[Array, Array]:
        """(samples, 7) and (samples, 7, 7) with all of the run known."""
        return rts(self.x, self.P, self.F, self.Q, self.u)


class SevenStateObserver:
    """Remembers the seven states."""

    def __init__(self, parameters: SevenParameters, config: SevenConfig, *, dt: float) -> None:
        self.schedule = seven_schedule(parameters, config, dt=dt)
        self._gate = config.gate
        self._x, self._P = np.zeros(STATES), np.diag(np.square(START_SD))

    def process(self, heard: Heard) -> tuple[Followed, list[Fusion]]:
        """Follow one block."""
        n, k = heard.V.size, STATES
        out = Followed(
            np.empty((n, k)), np.empty((n, k, k)), np.empty((n, k, k)), np.empty((n, k, k)), np.empty((n, k))
        )
        rows = np.full((SENSORS + 1, n, 3), np.nan)
        _follow(self._x, self._P, self.schedule, heard.V, heard.z, heard.u, self._gate, out, rows)
        fusions = []
        for name, row in zip((*SENSOR_NAMES, "virtual_alignment"), rows, strict=True):
            used, virtual = np.isfinite(row[:, 2]), name == "virtual_alignment"
            gate = np.inf if virtual else self._gate
            columns = (row[used, 0], row[used, 1], row[used, 2] > 0)
            fusions.append(Fusion(f"observer.{name}", heard.t_ns[used], *columns, gate, virtual))
        return out, fusions


@compiled
def place_in(schedule: SevenSchedule, V: float) -> int:
    """Of a speed in the schedule; -1 where it is too slow."""
    if not schedule.slowest <= abs(V):
        return -1
    last: int = schedule.F.shape[0] - 1
    return min(int(np.rint(np.log(abs(V) / schedule.slowest) / schedule.log_ratio)), last)


@compiled
def _follow(
    x: Array, P: Array, schedule: SevenSchedule, V: Array, z: Array, u: Array, gate: float, out: Followed, rows: Array
) -> None:
    """A block; x (7,) and P (7, 7) move on in place; rows (4, samples, 3): innovation, variance, fate."""
    scratch, virtual, driven = np.empty((7, 7)), np.zeros(7), np.empty(7)
    virtual[XI] = 1.0
    for i in range(V.size):
        k = place_in(schedule, V[i])
        F, Q = out.F[i], out.Q[i]
        if k < 0:
            _start(x, P, F, Q)
            out.u[i] = 0.0
        else:
            F[:], Q[:] = schedule.F[k], schedule.Q[k]
            predict_in_place(x, P, F, Q, scratch)
            for a in range(7):
                driven[a] = 0.0
                for b in range(8):
                    driven[a] += schedule.Gamma[k, a, b] * u[i, b]
                x[a] += driven[a]
            out.u[i] = driven
            for j in range(3):
                if np.isfinite(z[i, j]):
                    value = z[i, j]
                    for b in range(8):
                        value -= schedule.D[k, j, b] * u[i, b]
                    innovation, variance, accepted = correct_scalar(
                        x, P, schedule.C[k, j], value, schedule.r[k, j], gate, scratch
                    )
                    rows[j, i, 0], rows[j, i, 1], rows[j, i, 2] = innovation, variance, 1.0 if accepted else 0.0
            innovation, variance, _ = correct_scalar(x, P, virtual, 0.0, schedule.r[k, 3], np.inf, scratch)
            rows[3, i, 0], rows[3, i, 1], rows[3, i, 2] = innovation, variance, 1.0
        out.x[i] = x
        out.P[i] = P


@compiled
def _start(x: Array, P: Array, F: Array, Q: Array) -> None:
    """Too slow to observe: wait as before the first sample, and let no smoother look back across it."""
    x[:] = 0.0
    P[:] = 0.0
    F[:] = 0.0
    for a in range(7):
        P[a, a] = START_SD[a] ** 2
    Q[:] = P
