"""From the rails of a run to all quantities: read top to bottom."""

from collections.abc import Sequence

import numpy as np

from twin.core.arrays import Array
from twin.core.places import Places
from twin.geometry.quantities.config import QuantityConfig
from twin.geometry.quantities.curvature import curvature_from_design, curvature_from_heading
from twin.geometry.quantities.line_table import LeftOut, marked_left_out
from twin.geometry.quantities.quantity import Quantity, TrackGeometry
from twin.geometry.quantities.recipes import curvature_recipe, recipes, signals, with_sd
from twin.geometry.quantities.uncertainty import RailErrors, standard_deviation
from twin.geometry.rails import RailTrace


def track_geometry(
    trace: RailTrace,
    config: QuantityConfig,
    *,
    places: Places,
    left_out: Sequence[LeftOut] = (),
    errors: RailErrors | None = None,
    heading: Array | None = None,
) -> TrackGeometry:
    """All quantities of a run, with standard deviations where an error model is given.

    left_out: places that are not judged; heading: (n,) measured [rad], for curvature where there is no design.
    """
    kilometre = places.kilometre(trace.s)
    trace = marked_left_out(trace, kilometre, left_out, low_speed=config.low_speed)
    trace = trace.without_invalid().bridged(config.longest_bridge)
    found: list[Quantity] = []
    values = signals(trace, config)
    for recipe in recipes(config):
        quantity = recipe.of(values[recipe.signal], edge_wavelengths=config.edge_wavelengths)
        if errors is not None:
            quantity = with_sd(quantity, standard_deviation(recipe, errors, cant_base=config.cant_base))
        found.append(quantity)
    found.extend(_curvature(trace, config, errors, heading))
    return TrackGeometry(trace.s, kilometre, trace.flags, tuple(found))


def _curvature(
    trace: RailTrace, config: QuantityConfig, errors: RailErrors | None, heading: Array | None
) -> list[Quantity]:
    quantity = curvature_from_design(trace, config)
    if quantity is None:
        return [] if heading is None else [curvature_from_heading(np.unwrap(heading), config)]
    if errors is not None:
        quantity = with_sd(quantity, standard_deviation(curvature_recipe(config), errors, cant_base=config.cant_base))
    return [quantity]
