"""Standard deviations of the quantities from the errors of the rails, correlation along the line included.

The error of a rail is the camera's, white from point to point, plus that of the trajectory and roll the camera hangs
on, which is correlated over many metres. With weights w of a quantity and one-sided spectra S over Omega [rad/m],

    var(s) = sum_k w_k^2 sd^2(s + k) + c^2(s) * integral |W(Omega)|^2 S(Omega) dOmega
    c^2(s) = sum_k w_k^2 scale^2(s + k) / sum_k w_k^2

The white part is exact. In the correlated part the scale is taken as slow against the weights: exact for a constant
one, within 3 % where a train brakes from 40 to 10 m/s at 1 m/s^2 and the scale goes with its slowness squared.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array
from twin.geometry.quantities.quantity import Kind, Rail
from twin.geometry.quantities.recipes import Recipe
from twin.geometry.rails import STEP

Spectrum = Callable[[Array], Array]
"""One-sided density over the wave number Omega [rad/m]."""

_NODES = 4000
"""Wave numbers of the integral, evenly in their logarithm."""


@dataclass(frozen=True, slots=True)
class RailErrors:
    """Errors of a RailTrace of n points; the parts are independent of each other."""

    sd_y_left: Array
    """(n,) white error of the camera [m]; the same for the other rail and the height."""
    sd_y_right: Array
    sd_z_left: Array
    sd_z_right: Array
    S_y: Spectrum | None = None
    """Lateral trajectory, shared by both rails [m^2/(rad/m)]; with what roll adds at the height of the rails."""
    S_z: Spectrum | None = None
    """Vertical trajectory, shared by both rails [m^2/(rad/m)]."""
    S_roll: Spectrum | None = None
    """Roll, which moves the rails in height against each other [rad^2/(rad/m)]."""
    scale: Array | None = None
    """(n,) multiplies the correlated errors point by point, as with speed; None for 1."""
    longest: float = 1000.0
    """Longest wave of the spectra [m]."""

    def __post_init__(self) -> None:
        n = self.sd_y_left.shape
        for name in ("sd_y_right", "sd_z_left", "sd_z_right", "scale"):
            values = getattr(self, name)
            if values is not None and values.shape != n:
                raise ValueError(f"RailErrors.{name} has shape {values.shape}, sd_y_left has {n}")


def standard_deviation(recipe: Recipe, errors: RailErrors, *, cant_base: float) -> Array:
    """(n,) standard deviation of a quantity's error, in its unit."""
    white = recipe.weights.squares_of(_white(recipe.signal, errors))
    correlated = _correlated(recipe, errors, cant_base)
    if correlated == 0.0:
        return np.sqrt(white)
    if errors.scale is None:
        return np.sqrt(white + correlated)
    energy = float(np.sum(recipe.weights.taps**2))
    return np.sqrt(white + correlated * recipe.weights.squares_of(errors.scale**2) / energy)


def _white(signal: tuple[Kind, Rail], errors: RailErrors) -> Array:
    """Variance (n,) of the camera's share in a signal."""
    kind, rail = signal
    lateral = kind in (Kind.ALIGNMENT, Kind.GAUGE)
    left, right = (errors.sd_y_left, errors.sd_y_right) if lateral else (errors.sd_z_left, errors.sd_z_right)
    if rail is Rail.LEFT:
        return left**2
    if rail is Rail.RIGHT:
        return right**2
    return (left**2 + right**2) / (4 if rail is Rail.MEAN else 1)


def _correlated(recipe: Recipe, errors: RailErrors, cant_base: float) -> float:
    """Variance of the correlated share in a quantity at scale 1."""
    Omega = np.geomspace(2 * np.pi / errors.longest, np.pi / STEP, _NODES)
    density = np.zeros(_NODES)
    for spectrum, share in _shares(recipe.signal, errors, cant_base):
        if spectrum is not None:
            density += share**2 * spectrum(Omega)
    return float(np.trapezoid(recipe.weights.squared_gain(Omega) * density, Omega))


def _shares(signal: tuple[Kind, Rail], errors: RailErrors, cant_base: float) -> list[tuple[Spectrum | None, float]]:
    """Correlated errors a signal contains, and how much of each."""
    kind, rail = signal
    if kind is Kind.GAUGE:  # both rails are seen from one trajectory
        return []
    if kind is Kind.ALIGNMENT:
        return [(errors.S_y, 1.0)]
    if kind is Kind.CROSS_LEVEL:
        return [(errors.S_roll, cant_base)]
    return [(errors.S_z, 1.0)] + ([] if rail is Rail.MEAN else [(errors.S_roll, cant_base / 2)])
