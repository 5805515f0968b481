"""Results held against the truth: the errors a person asks about, each as the bound that holds 95 % of them."""

from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array, IntArray
from twin.core.places import Direction
from twin.numerics.bands import band
from twin.simulation.truth import Truth

SHARE = 0.95


@dataclass(frozen=True, slots=True)
class Passage:
    """What was estimated on the grid of a line. All (points,), at points `step` apart."""

    s: Array
    """Along the line, ascending [m]."""
    t_ns: IntArray
    """When each point was passed by the host's clock [ns]."""
    r_y: Array
    """Left of the design line along increasing kilometres [m]."""
    r_z: Array
    step: float


@dataclass(frozen=True, slots=True)
class Accuracy:
    """95 % of the errors lie within."""

    position: float
    """[m]"""
    lateral: dict[str, float]
    """By wavelength band [m]."""
    vertical: dict[str, float]


def judge(
    passage: Passage, truth: Truth, *, t0_ns: int, direction: Direction, length: float, bands: tuple[str, ...] = ("D1",)
) -> Accuracy:
    """Errors of a passage: of position, and of the path in each wavelength band.

    The path is compared at the moment of passage, so that an error of position counts as such and not twice.
    t0_ns: host time at time zero of the truth [ns]; length: of the line [m].
    """
    t = (passage.t_ns - t0_ns) * 1e-9
    forward = direction is Direction.INCREASING
    s_run = passage.s if forward else length - passage.s
    lateral = passage.r_y * (1 if forward else -1) - np.interp(t, truth.t, truth.r_y)
    vertical = passage.r_z - np.interp(t, truth.t, truth.r_z)
    return Accuracy(
        position=_bound(s_run - np.interp(t, truth.t, truth.s)),
        lateral={name: _bound(band(lateral, step=passage.step, name=name)) for name in bands},
        vertical={name: _bound(band(vertical, step=passage.step, name=name)) for name in bands},
    )


def _bound(errors: Array) -> float:
    """What 95 % of the absolute errors stay below; NaN of none."""
    known = np.abs(errors[np.isfinite(errors)])
    return float(np.quantile(known, SHARE)) if known.size else float("nan")
