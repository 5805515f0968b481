"""Figures of vehicles and of the simulation, and the tracks they are measured on."""

import numpy as np

from tests.benchmarks.figure import Figure
from twin.core.track import DesignTrack, HorizontalElement
from twin.simulation.irregularity import IrregularityConfig, realise
from twin.vehicle.running import Rails, RoughRails, faded_in, rails_between

LEAD_IN = 40.0
"""Over which irregularities begin, ahead of the vehicle [m]."""


def named(name: str, value: float, unit: str) -> Figure:
    """One figure under its whole name."""
    return {"name": name, "value": float(value), "unit": unit}


def curved(*, radius: float, cant: float = 0.0, arc: float, transition: float = 100.0) -> DesignTrack:
    """A tangent of 50 m, a clothoid and an arc to the left [m]."""
    kappa = 1 / radius
    return DesignTrack.from_elements(
        [
            HorizontalElement(length=50.0),
            HorizontalElement(length=transition, curvature_end=kappa, cant_end=cant),
            HorizontalElement(length=arc, curvature_start=kappa, curvature_end=kappa, cant_start=cant, cant_end=cant),
        ],
        [],
    )


def straight(length: float) -> DesignTrack:
    """A tangent [m]."""
    return DesignTrack.from_elements([HorizontalElement(length=length)], [])


def rough_rails(design: DesignTrack, *, seed: int, first: float = 15.0) -> Rails:
    """German low irregularities on a design, none before first [m]."""
    drawn = realise(IrregularityConfig(seed=seed), s0=-50.0, length=design.length + 100.0)
    places = np.stack((drawn.y_left, drawn.z_left, drawn.y_right, drawn.z_right), axis=1)
    rough = faded_in(RoughRails(drawn.s0, drawn.step, places), first=first, length=LEAD_IN)
    return rails_between(design, rough, first=-50.0, last=design.length + 50.0)


def rms(values: np.ndarray) -> float:
    """Root of the mean square."""
    return float(np.sqrt(np.mean(np.square(values))))
