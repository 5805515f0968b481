"""Design geometry of a track: plan curvature, cant and gradient along the arc length."""

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from pydantic import Field

from twin.core.arrays import Array, frozen
from twin.core.errors import ConfigError
from twin.core.settings import Settings


class HorizontalElement(Settings):
    """A tangent, arc or clothoid: curvature and cant vary linearly along it."""

    length: float = Field(gt=0, description="arc length [m]")
    curvature_start: float = Field(
        0.0, ge=-0.02, le=0.02, description="plan curvature at its start [1/m], left positive"
    )
    curvature_end: float = Field(0.0, ge=-0.02, le=0.02, description="plan curvature at its end [1/m]")
    cant_start: float = Field(
        0.0,
        ge=-0.2,
        le=0.2,
        description="right minus left rail height at its start [m], positive in left curves",
    )
    cant_end: float = Field(0.0, ge=-0.2, le=0.2, description="the same at its end [m]")


class VerticalElement(Settings):
    """A constant gradient or a vertical curve: the gradient varies linearly along it."""

    length: float = Field(gt=0, description="arc length [m]")
    gradient_start: float = Field(0.0, ge=-0.08, le=0.08, description="rise per metre at its start")
    gradient_end: float = Field(0.0, ge=-0.08, le=0.08, description="rise per metre at its end")


@dataclass(frozen=True, slots=True)
class TrackPose:
    """The track frame at given arc lengths: curvatures in the canted frame [1/m], angles [rad]. All (points,)."""

    rho_h: Array
    rho_v: Array
    rho_tw: Array
    rho_tw_rate: Array
    """d rho_tw / ds [1/m^2]"""
    roll: Array
    """phi_t, the cant angle."""
    pitch: Array
    """theta_t: positive downhill."""


@dataclass(frozen=True, slots=True)
class Course:
    """A piecewise linear function of arc length, its corners rounded by a sliding mean over a length."""

    s: Array
    """(knots,) ascending [m]"""
    value: Array
    """(knots,) constant beyond the ends."""
    rounding: float
    """[m]"""
    _slopes: Array = field(init=False, repr=False)
    _sums: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        slopes = np.concatenate(([0.0], np.diff(self.value) / np.diff(self.s), [0.0]))
        steps = np.diff(self.s) * (self.value[1:] + self.value[:-1]) / 2
        object.__setattr__(self, "_slopes", frozen(slopes))
        object.__setattr__(self, "_sums", frozen(np.concatenate(([0.0], np.cumsum(steps)))))

    def __call__(self, s: Array) -> Array:
        half = self.rounding / 2
        return (self._integral(s + half) - self._integral(s - half)) / self.rounding

    def slope(self, s: Array) -> Array:
        """First derivative."""
        half = self.rounding / 2
        return (self._raw(s + half) - self._raw(s - half)) / self.rounding

    def bend(self, s: Array) -> Array:
        """Second derivative."""
        half = self.rounding / 2
        return (self._raw_slope(s + half) - self._raw_slope(s - half)) / self.rounding

    def _raw(self, s: Array) -> Array:
        return np.asarray(np.interp(s, self.s, self.value))

    def _raw_slope(self, s: Array) -> Array:
        return np.asarray(self._slopes[np.searchsorted(self.s, s, side="right")])

    def _integral(self, s: Array) -> Array:
        i = np.clip(np.searchsorted(self.s, s, side="right") - 1, 0, self.s.size - 1)
        inside = np.asarray(s) - self.s[i]
        return np.asarray(self._sums[i] + inside * (self.value[i] + self._raw(s)) / 2)


@dataclass(frozen=True, slots=True)
class DesignTrack:
    """Design centre line. Arc length 0 is the start of the first element and grows with the running direction."""

    curvature: Course
    """plan curvature kappa [1/m], left positive"""
    cant_angle: Course
    """phi_t [rad], negative in a canted left curve"""
    gradient: Course
    """rise per metre"""
    length: float
    """[m]"""

    @classmethod
    def from_elements(
        cls,
        horizontal: list[HorizontalElement],
        vertical: list[VerticalElement],
        *,
        cant_base: float = 1.5,
        rounding: float = 5.0,
    ) -> Self:
        """Join elements end to end. A jump of curvature or cant between two of them is spread over the rounding.

        cant_base: distance over which cant is measured [m]; rounding: length that rounds every corner [m].
        """
        if not horizontal:
            raise ConfigError("a track needs at least one horizontal element")
        s, kappa, cant = _knots(
            [(e.length, e.curvature_start, e.curvature_end, e.cant_start, e.cant_end) for e in horizontal]
        )
        length = float(s[-1])
        if vertical:
            s_v, slope, _ = _knots([(e.length, e.gradient_start, e.gradient_end, 0.0, 0.0) for e in vertical])
        else:
            s_v, slope = np.array([0.0, length]), np.zeros(2)
        return cls(
            curvature=Course(frozen(s), frozen(kappa), rounding),
            cant_angle=Course(frozen(s), frozen(-np.arcsin(cant / cant_base)), rounding),
            gradient=Course(frozen(s_v), frozen(slope), rounding),
            length=length,
        )

    def reversed(self) -> Self:
        """The same track run from its far end: left becomes right, uphill downhill."""

        def turn(course: Course) -> Course:
            return Course(frozen(self.length - course.s[::-1]), frozen(-course.value[::-1]), course.rounding)

        return type(self)(turn(self.curvature), turn(self.cant_angle), turn(self.gradient), self.length)

    def pose(self, s: Array) -> TrackPose:
        """Evaluate the track frame; exact for ZYX angles (yaw, pitch = -atan(gradient), roll = cant angle)."""
        kappa, phi = self.curvature(s), self.cant_angle(s)
        slope, slope_rate = self.gradient(s), self.gradient.slope(s)
        theta = -np.arctan(slope)
        kappa_v = -slope_rate / (1 + slope**2)
        return TrackPose(
            rho_h=kappa * np.cos(theta) * np.cos(phi) - kappa_v * np.sin(phi),
            rho_v=kappa * np.cos(theta) * np.sin(phi) + kappa_v * np.cos(phi),
            rho_tw=self.cant_angle.slope(s) - kappa * np.sin(theta),
            rho_tw_rate=self.cant_angle.bend(s)
            - self.curvature.slope(s) * np.sin(theta)
            - kappa * np.cos(theta) * kappa_v,
            roll=phi,
            pitch=theta,
        )


def _knots(elements: list[tuple[float, float, float, float, float]]) -> tuple[Array, Array, Array]:
    """Knots of two piecewise linear functions; a jump becomes two knots a millimetre apart."""
    end = 0.0
    knots = [(end, elements[0][1], elements[0][3])]
    for length, a0, a1, b0, b1 in elements:
        if (a0, b0) != knots[-1][1:]:
            knots.append((end + 1e-3, a0, b0))
        end += length
        knots.append((end, a1, b1))
    s, first, second = np.array(knots).T
    return s, first, second
