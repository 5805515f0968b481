"""Curvature of the track as it lies: of the design with its alignment, or of a measured heading."""

import numpy as np

from twin.core.arrays import Array
from twin.geometry.quantities.config import QuantityConfig
from twin.geometry.quantities.quantity import Kind, Quantity, Rail
from twin.geometry.quantities.recipes import curvature_recipe
from twin.geometry.rails import STEP, RailTrace


def curvature_from_design(trace: RailTrace, config: QuantityConfig) -> Quantity | None:
    """Plan curvature [1/m], left positive: the design's plus the bend of the alignment; None without a design."""
    if trace.curvature_design is None:
        return None
    recipe = curvature_recipe(config)
    values = trace.curvature_design + recipe.weights.of(trace.alignment)
    return Quantity(Kind.CURVATURE, "", Rail.NONE, recipe.unit, values, np.isfinite(values))


def curvature_from_heading(heading: Array, config: QuantityConfig) -> Quantity:
    """Plan curvature [1/m] of a heading (n,) [rad], unwrapped, left positive: what it turns over the base."""
    half = round(config.curvature_base / (2 * STEP))
    values = np.full(heading.size, np.nan)
    if heading.size > 2 * half:
        values[half:-half] = (heading[2 * half :] - heading[: -2 * half]) / (2 * half * STEP)
    return Quantity(Kind.CURVATURE, "", Rail.NONE, "1/m", values, np.isfinite(values))
