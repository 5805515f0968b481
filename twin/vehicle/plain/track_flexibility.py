"""The endless track on an even support in closed form, at rest and under a moving force.

A force exp(i omega t) that travels with V deflects the rail by w(xi) exp(i omega t) at the distance xi ahead of it. A
wave exp(i (omega t + k xi)) shakes the material with Omega = omega - V k. Rail, pad and ballast become polynomials in
k, the deflection a ratio n(k) / d(k), and by residues

    w(xi) = +i sum n / d' exp(i k xi) over roots d(k) = 0 with Im k > 0,   xi >= 0,
    w(xi) = -i sum n / d' exp(i k xi) over those with Im k < 0,            xi <= 0.

At omega = 0 this is the steady deflection under a moving load, at V = 0 the receptance of textbooks [Thompson, Railway
Noise and Vibration, 2009, ch. 3]. It needs a loss, or no wave that runs away freely: else roots are real.
"""

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

from twin.core.arrays import Array
from twin.vehicle.track_flexibility.parameters import ContinuousSupport, Layer, Rail


def moving_receptance(
    rail: Rail, support: ContinuousSupport, *, omega: float, V: float, xi: Array
) -> NDArray[np.complex128]:
    """Deflection (places,) [m/N] at xi (places,) [m] ahead of a unit force; omega [rad/s], V [m/s]."""
    k = Polynomial([0.0, 1.0])
    Omega = omega - V * k
    numerator, denominator = _rail_over_support(rail, _support(support, Omega), k, Omega)
    roots = denominator.roots()
    share = 1j * numerator(roots) / denominator.deriv()(roots)
    ahead = roots.imag > 0
    waves = np.exp(1j * np.where(ahead, roots, 0.0) * np.maximum(xi, 0.0)[:, None])
    wakes = np.exp(1j * np.where(ahead, 0.0, roots) * np.minimum(xi, 0.0)[:, None])
    return np.asarray(np.where((xi >= 0.0)[:, None], waves * (share * ahead), -wakes * (share * ~ahead)).sum(axis=1))


def _support(support: ContinuousSupport, Omega: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Dynamic stiffness under the rail as a ratio: pad and mass on ballast in series."""
    pad = _layer(support.pad, Omega)
    if support.ballast is None:
        return pad, Polynomial([1.0])
    below = _layer(support.ballast, Omega) - support.mass * Omega**2
    return pad * below, pad + below


def _layer(layer: Layer, Omega: Polynomial) -> Polynomial:
    return layer.stiffness * (1 + 1j * layer.loss_factor) + 1j * layer.damping * Omega


def _rail_over_support(
    rail: Rail, support: tuple[Polynomial, Polynomial], k: Polynomial, Omega: Polynomial
) -> tuple[Polynomial, Polynomial]:
    """Deflection per force as a ratio of polynomials of the wave number."""
    over, under = support
    lossy = 1 + 1j * rail.loss_factor
    EI = lossy * rail.bending_stiffness
    if rail.shear_stiffness is None:
        return under, (EI * k**4 - rail.mass * Omega**2) * under + over
    shear = lossy * rail.shear_stiffness
    # rotation: (E I k^2 + shear - rho I Omega^2) theta = shear i k w; deflection: shear (k^2 w + i k theta) + ... = f
    turning = EI * k**2 + shear - rail.rotary_inertia * Omega**2
    free = turning * (shear * k**2 - rail.mass * Omega**2) - shear**2 * k**2
    return turning * under, free * under + turning * over
