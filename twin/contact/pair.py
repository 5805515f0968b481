"""One wheel on one rail, ready for compiled code, and the left-hand form every kernel works in."""

from typing import NamedTuple

import numpy as np
from pydantic import Field

from twin.contact.curve import Curve, curve_values
from twin.core.arrays import Array, frozen
from twin.core.errors import ConfigError
from twin.core.settings import Settings


class SearchConfig(Settings):
    """Where on wheel and rail a contact is looked for."""

    step: float = Field(
        default=0.35e-3,
        gt=1e-5,
        le=2e-3,
        description="step of the scan across the wheel [m], 0.01 to 2 mm: finer costs time, coarser may miss points",
    )
    wheel: tuple[float, float] | None = Field(
        default=None,
        description="y_w from and to, left wheel [m]; without it from the flange's tip to the field end",
    )
    rail: tuple[float, float] | None = Field(
        default=None, description="y on the rail from and to, left rail [m]; without it the whole profile"
    )


FALOMI_RANGE = SearchConfig(wheel=(0.700, 0.790), rail=(0.720, 0.780))
"""The search range of [Fal 3.1.2]; it ends before the steep side of the gauge corner."""


class Pair(NamedTuple):
    """A left wheel on a left rail. A right pair is held mirrored; its poses and results are mirrored at the door."""

    wheel: Array
    """Radius r(y_w), packed [m]."""
    rail: Array
    """Height b(y), packed [m]."""
    y_w: Array
    """Places of the scan (n,) [m]."""
    r: Array
    slope: Array
    rail_from: float
    rail_to: float


def pair(wheel: Curve, rail: Curve, search: SearchConfig | None = None) -> Pair:
    """A wheel on a rail and the places where contact is looked for."""
    search = search or SearchConfig()
    low, high = search.wheel or (_flange_tip(wheel), float(wheel.knots[-1]))
    rail_from, rail_to = search.rail or (float(rail.knots[0]), float(rail.knots[-1]))
    _check("wheel", low, high, wheel)
    _check("rail", rail_from, rail_to, rail)
    y_w = np.linspace(low, high, int(np.ceil((high - low) / search.step)) + 1)
    r, slope, _ = curve_values(wheel, y_w).T.copy()
    return Pair(wheel.packed, rail.packed, frozen(y_w), frozen(r), frozen(slope), rail_from, rail_to)


def _flange_tip(wheel: Curve) -> float:
    y = np.linspace(wheel.knots[0], wheel.knots[-1], 2000)
    return float(y[np.argmax(curve_values(wheel, y)[:, 0])])


def _check(what: str, low: float, high: float, curve: Curve) -> None:
    first, last = float(curve.knots[0]), float(curve.knots[-1])
    if not first - 1e-9 <= low < high <= last + 1e-9:
        raise ConfigError(
            f"search range of the {what} {low * 1e3:g} to {high * 1e3:g} mm must rise and lie within its profile, "
            f"{first * 1e3:.2f} to {last * 1e3:.2f} mm"
        )
