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
        description="step of the scan along the wheel's profile [m], 0.01 to 2 mm: finer costs time, coarser misses",
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

HEADROOM = 2e-5
"""Of the rail's top [m]: an arc of 13 mm radius rises by 1 um above a chord of 0.35 mm, one of 2 mm radius by 8 um."""


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
    second: Array
    rail_from: float
    rail_to: float
    rail_top: float
    """No part of the rail lies higher [m]."""


def pair(wheel: Curve, rail: Curve, search: SearchConfig | None = None) -> Pair:
    """A wheel on a rail and the places where contact is looked for."""
    search = search or SearchConfig()
    low, high = search.wheel or (_flange_tip(wheel), float(wheel.knots[-1]))
    rail_from, rail_to = search.rail or (float(rail.knots[0]), float(rail.knots[-1]))
    _check("wheel", low, high, wheel)
    _check("rail", rail_from, rail_to, rail)
    y_w = _places(wheel, low, high, search.step)
    r, slope, second = (frozen(each) for each in curve_values(wheel, y_w).T.copy())
    return Pair(wheel.packed, rail.packed, frozen(y_w), r, slope, second, rail_from, rail_to, _top(rail))


def _places(wheel: Curve, low: float, high: float, step: float) -> Array:
    """Places from low to high, equally far apart along the wheel's surface: the flange gets as many as it is high."""
    y = np.linspace(low, high, 4000)
    slope = curve_values(wheel, y)[:, 1]
    along = np.append(0.0, np.cumsum(0.5 * (np.hypot(1.0, slope[1:]) + np.hypot(1.0, slope[:-1])) * np.diff(y)))
    return np.interp(np.linspace(0.0, along[-1], int(np.ceil(along[-1] / step)) + 1), along, y)


def _top(rail: Curve) -> float:
    """The highest sample, and what a curve may rise above two samples or a wheel sink between two places of a scan."""
    return float(curve_values(rail, np.linspace(rail.knots[0], rail.knots[-1], 4000))[:, 0].max()) + HEADROOM


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
