"""The wheel encoder on a wheelset that really turns: creep, slip and radius are those of the run."""

import numpy as np

from twin.core.arrays import Array
from twin.simulation.encoder import EncoderConfig, Slide, slip_ratio
from twin.simulation.randomness import generator


class TurningEncoder:
    """Angle of the leading wheelset in whole counts."""

    def __init__(self, config: EncoderConfig, windows: list[tuple[float, Slide]], *, seed: int) -> None:
        self._config, self._windows = config, windows
        self._jitter = generator(seed, "encoder jitter")
        self._phase = float(generator(seed, "encoder phase").uniform(0, 2 * np.pi))
        self._excess = 0.0
        """Angle turned in slides that are not part of the vehicle's motion [rad]."""

    def process(self, t: Array, spin: Array, rate: Array) -> tuple[Array, Array]:
        """Sampling instants (n,) [s] and angle (n, 1) [rad]; spin, rate (n,): angle and its rate at nominal times t."""
        jitter = self._config.jitter * self._jitter.standard_normal(t.size)
        steps = slip_ratio(self._windows, t) * rate / self._config.rate
        excess = self._excess + np.cumsum(steps)
        self._excess = float(excess[-1])
        angle = self._phase + spin + jitter * rate + excess
        per_count = 2 * np.pi / self._config.counts
        return t + jitter, (np.floor(angle / per_count) * per_count)[:, None]
