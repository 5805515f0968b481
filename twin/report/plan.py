"""Coordinates of a line in plan: its design curvature, integrated from a place and a direction.

On the earth (WGS 84), with azimuth a from north to east, curvature kappa to the left, latitude B and longitude L,

    dB/ds = cos(a) / M(B)     dL/ds = sin(a) / (N(B) cos(B))     da/ds = -kappa + sin(a) tan(B) / N(B)

with the radii of curvature M of the meridian and N of the prime vertical; the last term is the turning of north.
"""

import numpy as np

from twin.core.arrays import Array
from twin.core.track import DesignTrack
from twin.report.config import Origin

A, E2 = 6378137.0, 6.69437999014e-3
"""Half axis [m] and squared eccentricity of WGS 84."""
STEP = 1.0
"""Of the integration [m]: in a curve of 100 m radius the middle of a step is 1 mm off the chord."""
_ROUNDS = 3
"""Of putting the latitude found into the radii: each takes the error down by the length over the earth's radius."""


def local_plan(design: DesignTrack, s: Array) -> Array:
    """(n, 2) metres at arc lengths (n,) [m]: x along the line's first direction from s = 0, y to its left."""
    places = _nodes(s)
    heading = _integral(design.curvature(places), places)
    x, y = _integral(np.cos(heading), places), _integral(np.sin(heading), places)
    return np.column_stack((np.interp(s, places, x), np.interp(s, places, y)))


def earth_plan(design: DesignTrack, s: Array, origin: Origin) -> Array:
    """(n, 2) longitude and latitude [deg] at arc lengths (n,) [m]."""
    places = _nodes(s)
    turned = np.radians(origin.azimuth_deg) - _integral(design.curvature(places), places)
    start = np.radians(origin.latitude_deg)
    azimuth, latitude = turned, np.full(places.size, start)
    longitude = np.zeros(places.size)
    for _ in range(_ROUNDS):
        root = np.sqrt(1 - E2 * np.sin(latitude) ** 2)
        M, N = A * (1 - E2) / root**3, A / root
        azimuth = turned + _integral(np.sin(azimuth) * np.tan(latitude) / N, places)
        longitude = _integral(np.sin(azimuth) / (N * np.cos(latitude)), places)
        latitude = start + _integral(np.cos(azimuth) / M, places)
    east = origin.longitude_deg + np.degrees(np.interp(s, places, longitude))
    return np.column_stack((east, np.degrees(np.interp(s, places, latitude))))


def _nodes(s: Array) -> Array:
    """Places of the integration from 0 on, as far as the line is asked for to either side."""
    low, high = min(float(s.min(initial=0.0)), 0.0), max(float(s.max(initial=0.0)), 0.0)
    return STEP * np.arange(np.floor(low / STEP), np.ceil(high / STEP) + 2)


def _integral(values: Array, places: Array) -> Array:
    """Trapezoids from s = 0."""
    sums = np.concatenate(([0.0], np.cumsum((values[1:] + values[:-1]) / 2 * np.diff(places))))
    return np.asarray(sums - np.interp(0.0, places, sums))
