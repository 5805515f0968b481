"""The observer of seven states as the book writes it: what the compiled loop is tested against."""

import numpy as np

from twin.core.arrays import Array
from twin.numerics.kalman import correct, predict
from twin.observer.seven_filter import START_SD, Heard, SevenSchedule
from twin.observer.seven_state import SENSORS, STATES, XI


def follow(schedule: SevenSchedule, heard: Heard, *, gate: float) -> tuple[Array, Array]:
    """States (samples, 7) and covariances (samples, 7, 7); every sample is finite and fast enough."""
    x, P = np.zeros(STATES), np.diag(np.square(START_SD))
    states, covariances = [], []
    for V, z, u in zip(heard.V, heard.z, heard.u, strict=True):
        k = min(round(np.log(V / schedule.slowest) / schedule.log_ratio), len(schedule.F) - 1)
        x, P = predict(x, P, schedule.F[k], schedule.Q[k])
        x = x + schedule.Gamma[k] @ u
        for j in range(SENSORS):
            value = z[j] - schedule.D[k, j] @ u
            found = correct(x, P, np.array([value]), schedule.C[k, j : j + 1], schedule.r[k, j : j + 1, None])
            if found.nis <= gate:
                x, P = found.x, found.P
        found = correct(x, P, np.zeros(1), np.eye(STATES)[XI : XI + 1], schedule.r[k, 3:, None])
        x, P = found.x, found.P
        states.append(x)
        covariances.append(P)
    return np.array(states), np.array(covariances)
