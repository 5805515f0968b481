"""The short-wave part of the truth as one stage: the vehicle's own motion in, contact forces and box motion out."""

import numpy as np
from pydantic import Field

from twin.core.arrays import Array, frozen
from twin.core.errors import ConfigError
from twin.core.settings import Settings
from twin.simulation.short_wave.interaction import InteractionConfig, RailAndWheels, reduced_rail
from twin.simulation.short_wave.resampling import Resampler
from twin.simulation.short_wave.roughness import (
    RailSurface,
    RoughnessConfig,
    Side,
    WheelRoughnessConfig,
    WheelSurface,
)
from twin.simulation.short_wave.stretch import FastStretch, WheelStretch


class WheelPlace(Settings):
    """Where a wheel of the WheelStretch is."""

    side: Side = Field(description="left or right rail")
    place: float = Field(ge=-50, le=50, description="along the vehicle, forward positive [m]")


LEADING_BOGIE = tuple(WheelPlace(side=side, place=place) for place in (1.28, -1.28) for side in (Side.LEFT, Side.RIGHT))
"""Four wheels of a bogie with a wheelbase of 2.56 m: leading left and right, trailing left and right."""


class ShortWaveConfig(Settings):
    """Everything the truth has at short waves."""

    rails: RoughnessConfig = Field(RoughnessConfig(), description="running surface of the rails")
    wheel: WheelRoughnessConfig = Field(WheelRoughnessConfig(), description="running surface of the wheels")
    interaction: InteractionConfig = Field(InteractionConfig(), description="wheel, contact and track")
    wheels: tuple[WheelPlace, ...] = Field(LEADING_BOGIE, min_length=1, description="in the order of a WheelStretch")
    wheel_radius: float = Field(0.46, gt=0.1, le=0.7, description="of all wheels [m]")


class ShortWaves:
    """Roughness, contact and rail under the wheels; late by eight samples of the vehicle's motion, which follow it."""

    def __init__(self, config: ShortWaveConfig, *, vehicle_rate: float) -> None:
        self._config = config
        radius = config.wheel_radius
        self._resampler = Resampler(from_rate=vehicle_rate, to_rate=config.interaction.rate)
        self._surfaces = {side: RailSurface(config.rails, side) for side in Side}
        self._wheels = [WheelSurface(config.wheel, radius=radius, name=str(j)) for j in range(len(config.wheels))]
        self._columns = {
            side: [j for j, wheel in enumerate(config.wheels) if wheel.side is side]
            for side in Side
            if any(wheel.side is side for wheel in config.wheels)
        }
        self._rails = {side: self._rail(columns) for side, columns in self._columns.items()}
        self._first = 0
        self._t_start: float | None = None

    def process(self, stretch: WheelStretch) -> FastStretch:
        """What the stretch completes, continued."""
        wheels = len(self._config.wheels)
        if stretch.wheels != wheels:
            raise ConfigError(f"the configuration has {wheels} wheels, the stretch {stretch.wheels}")
        if self._t_start is None:
            self._t_start = float(stretch.t[0])
        fine = self._resampler.process(np.column_stack([stretch.V, stretch.s, stretch.wheel_angle, stretch.Q]))
        V, s, angle, Q = fine[:, 0], *np.split(fine[:, 1:], 3, axis=1)
        roughness = self._roughness(s, angle, Q)
        force, acceleration = np.empty_like(Q), np.empty_like(Q)
        for side, columns in self._columns.items():
            motion = self._rails[side].process(
                roughness=np.ascontiguousarray(roughness[:, columns]), load=np.ascontiguousarray(Q[:, columns]), V=V
            )
            force[:, columns], acceleration[:, columns] = motion.force, motion.acceleration
        first, self._first = self._first, self._first + V.size
        return FastStretch(
            first=first,
            t_start=self._t_start,
            rate=self._config.interaction.rate,
            force=frozen(force),
            acceleration=frozen(acceleration),
        )

    def _roughness(self, s: Array, angle: Array, Q: Array) -> Array:
        """(n, wheels) of rail and wheel together, below the patches [m]."""
        radius = self._config.wheel_radius
        out = np.empty_like(s)
        for j, wheel in enumerate(self._config.wheels):
            rail = self._surfaces[wheel.side].felt(s[:, j], Q[:, j], radius=radius)
            out[:, j] = rail + self._wheels[j].felt(angle[:, j], Q[:, j])
        return out

    def _rail(self, columns: list[int]) -> RailAndWheels:
        places = np.array([self._config.wheels[j].place for j in columns])
        return RailAndWheels(self._config.interaction, reduced_rail(self._config.interaction, places=places))
