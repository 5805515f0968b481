"""How every quantity comes out of the rails: from which signal, through which band or weights.

Errors take the same way as values, so that each quantity and its standard deviation share one recipe.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from twin.core.arrays import Array, BoolArray
from twin.geometry.quantities.config import QuantityConfig
from twin.geometry.quantities.offsets import (
    IDENTITY,
    Weights,
    bend_weights,
    chord_weights,
    mean_weights,
    twist_weights,
)
from twin.geometry.quantities.quantity import Kind, Quantity, Rail
from twin.geometry.quantities.waves import VARIANTS, band_of, band_weights, waves
from twin.geometry.rails import RailTrace

Signal = tuple[Kind, Rail]
"""A signal on the grid: level or alignment of a rail, gauge, cross level."""

_RAILS: dict[Kind, dict[Rail, Callable[[RailTrace], Array]]] = {
    Kind.LEVEL: {Rail.LEFT: lambda t: t.z_left, Rail.RIGHT: lambda t: t.z_right, Rail.MEAN: lambda t: t.level},
    Kind.ALIGNMENT: {Rail.LEFT: lambda t: t.y_left, Rail.RIGHT: lambda t: t.y_right, Rail.MEAN: lambda t: t.alignment},
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """One quantity: a signal seen through weights, or through a band where one is named."""

    kind: Kind
    variant: str
    rail: Rail
    unit: str
    signal: Signal
    weights: Weights
    band: str = ""
    """Of twin.numerics.bands; the weights are then its response to an impulse."""

    def of(self, values: Array, *, edge_wavelengths: float) -> Quantity:
        """The quantity of its signal (n,)."""
        result, valid = self._applied(values, edge_wavelengths)
        return Quantity(self.kind, self.variant, self.rail, self.unit, result, valid)

    def _applied(self, values: Array, edge_wavelengths: float) -> tuple[Array, BoolArray]:
        if self.band:
            return waves(values, name=self.band, edge_wavelengths=edge_wavelengths)
        result = self.weights.of(values)
        return result, np.isfinite(result)


def recipes(config: QuantityConfig) -> tuple[Recipe, ...]:
    """All quantities of a configuration, in the order of a report."""
    gauge, cross = (Kind.GAUGE, Rail.NONE), (Kind.CROSS_LEVEL, Rail.NONE)
    cant = Weights(-mean_weights(config.cant_window).taps)
    return (
        *(_wave(kind, rail, variant) for kind in _RAILS for variant in VARIANTS for rail in _RAILS[kind]),
        Recipe(Kind.GAUGE, "", Rail.NONE, "m", gauge, IDENTITY),
        Recipe(Kind.GAUGE, f"{config.gauge_window:g} m mean", Rail.NONE, "m", gauge, mean_weights(config.gauge_window)),
        _wave(Kind.GAUGE, Rail.NONE, "D1"),
        Recipe(Kind.CROSS_LEVEL, "", Rail.NONE, "m", cross, IDENTITY),
        _wave(Kind.CROSS_LEVEL, Rail.NONE, "D1"),
        Recipe(Kind.CANT, "", Rail.NONE, "m", cross, cant),
        *(Recipe(Kind.TWIST, f"{b:g} m", Rail.NONE, "m/m", cross, twist_weights(b)) for b in config.twist_bases),
        *(
            Recipe(kind, chord.name, rail, "m", (kind, rail), chord_weights(chord))
            for kind in _RAILS
            for chord in config.chords
            for rail in (Rail.LEFT, Rail.RIGHT)
        ),
    )


def curvature_recipe(config: QuantityConfig) -> Recipe:
    """What alignment adds to the curvature of the design."""
    bend = bend_weights(config.curvature_base)
    return Recipe(Kind.CURVATURE, "", Rail.NONE, "1/m", (Kind.ALIGNMENT, Rail.MEAN), bend)


def signals(trace: RailTrace, config: QuantityConfig) -> dict[Signal, Array]:
    """The signals recipes start from, each (n,) [m]."""
    found = {(kind, rail): of(trace) for kind, rails in _RAILS.items() for rail, of in rails.items()}
    found[Kind.GAUGE, Rail.NONE] = trace.gauge_deviation
    found[Kind.CROSS_LEVEL, Rail.NONE] = cross_level(trace, cant_base=config.cant_base)
    return found


def cross_level(trace: RailTrace, *, cant_base: float) -> Array:
    """Left minus right rail height with the cant of the design [m]: the rails' plane leans by both angles together."""
    lean = np.arcsin(np.clip(trace.cross_level_deviation / cant_base, -1.0, 1.0))
    if trace.cant_angle_design is not None:
        lean = lean + trace.cant_angle_design
    return np.asarray(cant_base * np.sin(lean))


def with_sd(quantity: Quantity, sd: Array) -> Quantity:
    """The same quantity with its standard deviation (n,)."""
    return replace(quantity, sd=sd)


def _wave(kind: Kind, rail: Rail, variant: str) -> Recipe:
    name = band_of(kind, variant)
    return Recipe(kind, variant, rail, "m", (kind, rail), band_weights(name), name)
