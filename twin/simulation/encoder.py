"""A wheel encoder: true radius, conicity, slip and slide, counts."""

import numpy as np
from pydantic import Field

from twin.core.arrays import Array
from twin.core.settings import Settings
from twin.simulation.carriage import Carriage, TrueVehicle
from twin.simulation.randomness import generator

FINENESS = 5
"""Integration steps of the slip per encoder sample."""


class Slide(Settings):
    """An episode in which the wheel does not roll."""

    s: float = Field(description="arc length of the body's middle at its start [m]")
    duration: float = Field(2.0, gt=0, le=60, description="[s]")
    ratio: float = Field(
        -0.2, ge=-1, le=2, description="wheel speed over train speed, minus one: negative slides, positive slips"
    )


class EncoderConfig(Settings):
    """An incremental encoder on the axle of the leading wheelset."""

    rate: float = Field(200.0, ge=20, le=2000, description="samples per second [Hz]")
    counts: int = Field(2048, ge=16, le=65536, description="counts per turn")
    jitter: float = Field(2e-6, ge=0, le=1e-4, description="sd of the sampling instant [s]; stamped as it happened")
    asymmetry: float = Field(
        0.3,
        ge=0,
        le=1,
        description="share of the conicity's radius change that does not cancel between two wheels",
    )


class EncoderSensor:
    """Wheel angle in whole counts, from the distance the wheel really rolled."""

    def __init__(
        self,
        config: EncoderConfig,
        vehicle: TrueVehicle,
        carriage: Carriage,
        slides: tuple[Slide, ...],
        *,
        seed: int,
    ) -> None:
        self._config, self._vehicle, self._carriage = config, vehicle, carriage
        self._windows = [(carriage.profile.time_at(slide.s), slide) for slide in slides]
        self._jitter = generator(seed, "encoder jitter")
        phase = float(generator(seed, "encoder phase").uniform(0, 2 * np.pi))
        self._origin = phase * vehicle.wheel_radius - float(carriage.profile.position(np.zeros(1))[0])
        self._excess = 0.0
        """Distance the wheel has turned beyond that of a true cylinder that rolls [m]."""

    def process(self, t: Array) -> tuple[Array, Array]:
        """Sampling instants (n,) [s] and wheel angle (n, 1) [rad] at uniform nominal times t (n,), continued."""
        jitter = self._config.jitter * self._jitter.standard_normal(t.size)
        profile = self._carriage.profile
        rolled = profile.position(t) + jitter * profile.speed(t) + self._slip(t)
        angle = (self._origin + rolled) / self._vehicle.wheel_radius
        per_count = 2 * np.pi / self._config.counts
        return t + jitter, (np.floor(angle / per_count) * per_count)[:, None]

    def _slip(self, t: Array) -> Array:
        """(n,) excess distance at the nominal times; integrates up to the next block's first sample."""
        fine = t[0] + np.arange(t.size * FINENESS + 1) / (self._config.rate * FINENESS)
        V = self._carriage.profile.speed(fine)
        offset = self._carriage.offset(self._carriage.profile.position(fine))
        radius = self._config.asymmetry * self._vehicle.conicity * offset / self._vehicle.wheel_radius
        excess = V * (slip_ratio(self._windows, fine) - radius)
        steps = (excess[1:] + excess[:-1]) / (2 * self._config.rate * FINENESS)
        total = np.cumsum(np.concatenate(([self._excess], steps)))
        self._excess = float(total[-1])
        return np.asarray(total[:-1:FINENESS])


def slip_ratio(windows: list[tuple[float, Slide]], t: Array) -> Array:
    """(n,) wheel speed over train speed minus one; every slide rises and falls over a quarter of its duration."""
    total = np.zeros_like(t)
    for start, slide in windows:
        x = np.clip((t - start) / slide.duration, 0.0, 1.0)
        edge = np.clip(4 * np.minimum(x, 1 - x), 0.0, 1.0)
        total += slide.ratio * np.sin(np.pi / 2 * edge) ** 2
    return total
