"""The track as the step sees it: the numbers of its frame and where the rails lie off it, at any arc length, compiled.

The turns of the design are read from a table by straight lines: they are piecewise polynomials with corners rounded
over metres, so a step of 0.1 m is right to 1e-8 /m. Its places are read by cubics: straight lines would leave kinks of
micrometres, which springs between two bodies feel. The irregularities are cubic splines through their own grid, so that
slopes, and with them the velocities of wheels that follow the rails, are smooth.
"""

from typing import NamedTuple

import numpy as np
from scipy.ndimage import spline_filter1d

from twin.core.arrays import Array, frozen
from twin.core.errors import ConfigError
from twin.core.track import DesignTrack
from twin.numerics.compiled import compiled
from twin.vehicle.symbolic import PLACE, TURNS, frame_places, frame_turns

DESIGN_STEP = 0.1
"""Of the table of the design [m]."""
TURN_COUNT, PLACE_COUNT = len(TURNS), len(PLACE)


class RoughRails(NamedTuple):
    """Where the rails lie off the design on a uniform grid."""

    s0: float
    """Of the first row [m]."""
    step: float
    """[m]"""
    places: Array
    """(points, 4): y and z of the left rail, y and z of the right one, in track axes [m]."""


class Rails(NamedTuple):
    """A stretch of track for compiled code."""

    s0: float
    step: float
    design: Array
    """(points, 16) in the order of twin.vehicle.symbolic.NUMBERS, then the slopes of the places."""
    rough_s0: float
    rough_step: float
    rough: Array
    """(points + 2, 4) coefficients of the cubic splines of RoughRails.places."""


def rails_between(design: DesignTrack, rough: RoughRails | None, *, first: float, last: float) -> Rails:
    """The track from arc length first to last [m]; without irregularities the rails lie where they should.

    Beyond its ends the design goes on as it is there, and the rails go on parallel to it.
    """
    if not last > first:
        raise ConfigError(f"a stretch of track ends behind its start, got {first:g} to {last:g} m")
    s = np.linspace(first, last, max(2, int(np.ceil((last - first) / DESIGN_STEP)) + 1))
    table = np.ascontiguousarray(np.concatenate((frame_turns(design, s), *frame_places(design, s)), axis=1))
    rough = rough or RoughRails(first, last - first, np.zeros((2, 4)))
    return Rails(first, float(s[1] - s[0]), frozen(table), rough.s0, rough.step, frozen(_coefficients(rough.places)))


def faded_in(rough: RoughRails, *, first: float, length: float) -> RoughRails:
    """The same irregularities, none before first [m] and all of them a length [m] behind: a start without a jump."""
    s = rough.s0 + rough.step * np.arange(rough.places.shape[0])
    share = np.clip((s - first) / length, 0.0, 1.0)
    return rough._replace(places=rough.places * (share**2 * (3 - 2 * share))[:, None])


def _coefficients(places: Array) -> Array:
    """Of the uniform cubic B-spline through the rows, level at both ends."""
    if places.ndim != 2 or places.shape[1] != 4 or places.shape[0] < 2:
        raise ConfigError(f"irregularities need at least two rows of four columns, got {places.shape}")
    inner = np.asarray(spline_filter1d(places, order=3, axis=0, mode="mirror"))
    return np.ascontiguousarray(np.concatenate((inner[1:2], inner, inner[-2:-1])))


@compiled
def design_at(rails: Rails, s: float, numbers: Array) -> None:
    """Write the twelve numbers of the track frame at s."""
    design, h = rails.design, rails.step
    last = design.shape[0] - 2
    place = (s - rails.s0) / h
    i = min(max(int(place), 0), last)
    t = min(max(place - i, 0.0), 1.0)
    for k in range(TURN_COUNT):
        numbers[k] = design[i, k] + t * (design[i + 1, k] - design[i, k])
    u = 1.0 - t
    a, b = u * u * (1.0 + 2.0 * t), t * t * (3.0 - 2.0 * t)
    a_slope, b_slope = h * t * u * u, -h * t * t * u
    for k in range(TURN_COUNT, TURN_COUNT + PLACE_COUNT):
        m = k + PLACE_COUNT
        numbers[k] = a * design[i, k] + b * design[i + 1, k] + a_slope * design[i, m] + b_slope * design[i + 1, m]
    beyond = (place - i - t) * h
    if beyond != 0.0:
        _go_on(numbers, design[i + int(t), TURN_COUNT + 2 * PLACE_COUNT - 1], beyond)


@compiled
def _go_on(numbers: Array, kappa: float, d: float) -> None:
    """Move the place of an end of the table on by d [m] along an arc of curvature kappa [1/m] and constant gradient."""
    half, pitch = 0.5 * kappa * d, numbers[TURN_COUNT - 1]
    chord = d * np.cos(pitch) * (np.sin(half) / half if half != 0.0 else 1.0)
    heading = numbers[TURN_COUNT + 3] + half
    numbers[TURN_COUNT] += chord * np.cos(heading) - d
    numbers[TURN_COUNT + 1] += chord * np.sin(heading)
    numbers[TURN_COUNT + 2] -= d * np.sin(pitch)
    numbers[TURN_COUNT + 3] += kappa * d


@compiled
def rails_at(rails: Rails, s: float) -> tuple[float, float, float, float]:
    """y and z of the left rail, y and z of the right one, off the design at s [m]."""
    rough = rails.rough
    last = rough.shape[0] - 4
    place = (s - rails.rough_s0) / rails.rough_step
    i = min(max(int(place), 0), last)
    t = min(max(place - i, 0.0), 1.0)
    u = 1.0 - t
    b0, b3 = u * u * u / 6.0, t * t * t / 6.0
    b1, b2 = (4.0 - 3.0 * t * t * (2.0 - t)) / 6.0, (4.0 - 3.0 * u * u * (2.0 - u)) / 6.0
    c0, c1, c2, c3 = rough[i], rough[i + 1], rough[i + 2], rough[i + 3]
    return (
        b0 * c0[0] + b1 * c1[0] + b2 * c2[0] + b3 * c3[0],
        b0 * c0[1] + b1 * c1[1] + b2 * c2[1] + b3 * c3[1],
        b0 * c0[2] + b1 * c1[2] + b2 * c2[2] + b3 * c3[2],
        b0 * c0[3] + b1 * c1[3] + b2 * c2[3] + b3 * c3[3],
    )


class Plane(NamedTuple):
    """The rails under one wheelset: a plane rolled by the cross level, in which they lie off to the side only.

    A sleeper that tilts takes both rail heads with it, so cross level rolls them; each rail keeps its own height.
    """

    roll: float
    """[rad]"""
    level: float
    """Height of its middle [m]."""
    y_left: float
    y_right: float


@compiled
def plane_at(rails: Rails, s: float, half: float) -> Plane:
    """The plane at s of rails whose heads lie half [m] to either side."""
    y_left, z_left, y_right, z_right = rails_at(rails, s)
    return Plane(np.arcsin((z_left - z_right) / (2.0 * half)), 0.5 * (z_left + z_right), y_left, y_right)


@compiled
def in_plane(plane: Plane, y: float, z: float) -> tuple[float, float]:
    """A point of the track frame (y, z) in the axes of the plane [m]."""
    cos, sin = np.cos(plane.roll), np.sin(plane.roll)
    return cos * y + sin * (z - plane.level), cos * (z - plane.level) - sin * y


@compiled
def rails_many(rails: Rails, s: Array) -> Array:
    """(samples, 4) rails_at for every arc length s (samples,)."""
    places = np.empty((s.size, 4))
    for i in range(s.size):
        places[i, 0], places[i, 1], places[i, 2], places[i, 3] = rails_at(rails, s[i])
    return places
