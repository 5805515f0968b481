"""What drawings and log books have wrong: estimators are told a line and a train that differ from the true ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from pydantic import Field

from twin.core.arrays import Array
from twin.core.settings import Settings
from twin.core.track import HorizontalElement, VerticalElement
from twin.core.vehicle import Mounting
from twin.simulation.randomness import generator

MOST_OF_AN_ELEMENT = 0.4
"""Share of the shorter neighbour by which a joint of two elements may be off: each keeps a length."""
STEEPEST_GRADIENT, SHARPEST_CURVE, HIGHEST_CANT = 0.08, 0.02, 0.2
"""Largest values a design can have, as in the elements [-], [1/m], [m]."""


class SurveyConfig(Settings):
    """Errors of what estimators are told, as standard deviations; the truth never has them."""

    length: float = Field(0.2, ge=0, le=20, description="sd of an element's length [m]; joints are off, not the sum")
    curvature: float = Field(0.003, ge=0, le=0.2, description="sd of a curve's curvature over its own [-]")
    cant: float = Field(2e-3, ge=0, le=0.05, description="sd of a curve's cant [m]; tangents are told level")
    gradient: float = Field(1e-4, ge=0, le=0.01, description="sd of a gradient [-]")
    start: float = Field(0.5, ge=0, le=500, description="sd of the place where the run starts [m]")
    wheel_radius: float = Field(
        1e-3, ge=0, le=0.02, description="sd of the encoder's wheel radius [m]: worn since it was last turned"
    )
    mounting: float = Field(2e-3, ge=0, le=0.2, description="sd of each coordinate of a sensor's place [m]")
    camera_lens: float = Field(
        0.3, ge=0, le=20, description="sd of focal length and principal point of a camera [pixels]: chessboards"
    )
    camera_turn: float = Field(
        1e-4, ge=0, le=0.02, description="sd of each turn of a camera and of its laser plane [rad], once mounted"
    )
    camera_place: float = Field(
        5e-5, ge=0, le=0.01, description="sd of a camera's place and of its laser plane's distance [m], once mounted"
    )
    seed: int = Field(1, ge=0, description="of these errors; not the run's, so that runs over one line share them")


EXACT = SurveyConfig(
    length=0,
    curvature=0,
    cant=0,
    gradient=0,
    start=0,
    wheel_radius=0,
    mounting=0,
    camera_lens=0,
    camera_turn=0,
    camera_place=0,
)
"""Estimators are told the design and the train as they are."""


@dataclass(frozen=True, slots=True)
class CameraErrors:
    """What a calibration of a camera has wrong."""

    lens: Array
    """(3,) of focal length, column and row of the principal point [pixels]."""
    turn: Array
    """(3,) of the camera about its own axes [rad]."""
    plane_turn: Array
    """(2,) of the laser plane's normal, across itself [rad]."""
    plane_distance: float
    """[m]"""
    place: Array
    """(2,) of the camera, y and z [m]."""


class Survey:
    """One survey of a line and a train: the true values in, what is written down about them out."""

    def __init__(self, config: SurveyConfig) -> None:
        self._config = config

    def horizontal(self, elements: Sequence[HorizontalElement]) -> tuple[HorizontalElement, ...]:
        """The design in plan as drawn."""
        lengths = self._lengths([element.length for element in elements], "plan")
        kappa = [value for each in elements for value in (each.curvature_start, each.curvature_end)]
        cant = [value for each in elements for value in (each.cant_start, each.cant_end)]
        factor = 1 + self._config.curvature * self._by_curve(kappa, "curvature")
        kappa_told = np.clip(kappa * factor, -SHARPEST_CURVE, SHARPEST_CURVE)
        off = self._config.cant * self._by_curve(cant, "cant")
        cant_told = np.clip(np.where(np.array(cant) == 0.0, 0.0, cant + off), -HIGHEST_CANT, HIGHEST_CANT)
        return tuple(
            HorizontalElement(
                length=lengths[i],
                curvature_start=float(kappa_told[2 * i]),
                curvature_end=float(kappa_told[2 * i + 1]),
                cant_start=float(cant_told[2 * i]),
                cant_end=float(cant_told[2 * i + 1]),
            )
            for i in range(len(elements))
        )

    def vertical(self, elements: Sequence[VerticalElement]) -> tuple[VerticalElement, ...]:
        """The design in elevation as drawn; gradients that follow each other unchanged are off alike."""
        lengths = self._lengths([element.length for element in elements], "elevation")
        rng = generator(self._config.seed, "survey gradient")
        told: list[float] = []
        before, off = None, 0.0
        for true in (value for each in elements for value in (each.gradient_start, each.gradient_end)):
            if true != before:
                before, off = true, self._config.gradient * float(rng.standard_normal())
            told.append(float(np.clip(true + off, -STEEPEST_GRADIENT, STEEPEST_GRADIENT)))
        return tuple(
            VerticalElement(length=length, gradient_start=told[2 * i], gradient_end=told[2 * i + 1])
            for i, length in enumerate(lengths)
        )

    def start(self, s: float, *, length: float) -> float:
        """Where the run is said to start [m], on a line of a length [m]."""
        return float(np.clip(s + self._config.start * self._drawn("start"), 0.0, length))

    def wheel_radius(self, radius: float) -> float:
        """As written in the wheel's log book [m], to a hundredth of a millimetre."""
        if self._config.wheel_radius == 0.0:
            return radius
        return round(radius + self._config.wheel_radius * self._drawn("wheel radius"), 5)

    def mounting(self, place: Mounting, *, kind: str) -> Mounting:
        """Where a sensor is said to sit; those of one kind that sit at one place are mounted on one beam."""
        if self._config.mounting == 0.0:
            return place
        off = self._config.mounting * generator(self._config.seed, f"survey {kind} {place}").standard_normal(3)
        x, y, z = np.round(np.array([place.x, place.y, place.z]) + off, 4).tolist()
        return Mounting(x=x, y=y, z=z)

    def camera(self, rail: str) -> CameraErrors:
        """By how much the calibration of a camera is off."""
        config, drawn = self._config, generator(self._config.seed, f"survey camera {rail}").standard_normal(11)
        return CameraErrors(
            lens=config.camera_lens * drawn[:3],
            turn=config.camera_turn * drawn[3:6],
            plane_turn=config.camera_turn * drawn[6:8],
            plane_distance=float(config.camera_place * drawn[8]),
            place=config.camera_place * drawn[9:11],
        )

    def _drawn(self, purpose: str) -> float:
        return float(generator(self._config.seed, f"survey {purpose}").standard_normal())

    def _lengths(self, true: list[float], purpose: str) -> list[float]:
        """Lengths between joints that are off; both ends of the line are known."""
        if self._config.length == 0.0 or not true:
            return true
        most = MOST_OF_AN_ELEMENT * np.minimum(true[:-1], true[1:])
        # a length has two joints: each brings half of its variance
        sd = self._config.length / np.sqrt(2)
        shift = np.clip(sd * generator(self._config.seed, f"survey {purpose}").standard_normal(most.size), -most, most)
        ends = np.cumsum([0.0, *true])
        ends[1:-1] += shift
        return [float(end - start) for start, end in pairwise(ends)]

    def _by_curve(self, values: list[float], purpose: str) -> Array:
        """One normal number for each value, the same within a curve: from one zero to the next."""
        rng = generator(self._config.seed, f"survey {purpose}")
        drawn, current = np.zeros(len(values)), None
        for i, value in enumerate(values):
            if value == 0.0:
                current = None
                continue
            current = float(rng.standard_normal()) if current is None else current
            drawn[i] = current
        return drawn
