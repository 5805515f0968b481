"""Wheels that roll evenly, for the tests of short waves and of the sensors on axle boxes and wheels."""

from collections.abc import Iterable
from dataclasses import fields
from itertools import pairwise

import numpy as np

from twin.core.arrays import Array, G
from twin.simulation.short_wave import LEADING_BOGIE, WheelStretch

VEHICLE_RATE = 1000.0
RADIUS = 0.46


def rolling(
    *, V: float, duration: float, s: float = 100.0, Q: float = 50e3, Y: float = 0.0, X: float = 0.0, e: float = 0.0
) -> WheelStretch:
    """Four wheels of a bogie at a constant speed [m/s] and constant loads [N]; boxes at rest."""
    t: Array = np.arange(int(duration * VEHICLE_RATE), dtype=np.float64) / VEHICLE_RATE
    places = np.array([wheel.place for wheel in LEADING_BOGIE])
    contact = s + V * t[:, None] + places
    even = np.ones(contact.shape)
    at_rest = np.zeros((*contact.shape, 3))
    at_rest[..., 2] = G
    return WheelStretch(
        t=t,
        s=contact,
        V=np.full(t.size, V),
        wheel_angle=contact / RADIUS,
        Q=Q * even,
        Y=Y * even,
        X=X * even,
        contact_offset=e * even,
        box_acceleration=at_rest,
    )


def cut(stretch: WheelStretch, at: Iterable[int]) -> list[WheelStretch]:
    """The stretch in parts that begin with the samples named."""
    borders = [0, *at, stretch.t.size]
    whole = {field.name: getattr(stretch, field.name) for field in fields(stretch)}
    return [
        WheelStretch(**{name: values[start:stop] for name, values in whole.items()})
        for start, stop in pairwise(borders)
    ]
