"""What the fitted sensors can see of vehicle and track at a speed, before any run: spectra and Fisher's information.

Sensors on a vehicle that runs over random rails are a stationary process with the spectrum

    S(omega) = G S_w G* + R dt,        G = C (i omega - A)^-1 L

and a record of T seconds knows of parameters theta [Whittle 1953]

    I_kl = T / (4 pi) int tr(S^-1 dS/dtheta_k S^-1 dS/dtheta_l) d omega        over both signs of omega

whose inverse bounds the covariance of every estimate. Of a signal under the wheels, what the sensors leave unknown of
each wave is 1 - g* S^-1 g / s. Nothing here is simulated, and model errors are not in it: real estimates are worse.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from twin.core.arrays import Array
from twin.observer.full_model import FullModel

Complex = NDArray[np.complex128]
RELATIVE_STEP = 1e-3
"""Of a factor, for derivatives of spectra."""


def frequencies(speed: float, *, longest: float, shortest: float, count: int = 120) -> tuple[Array, Array]:
    """Angular frequencies [rad/s] of waves between two lengths [m] at a speed [m/s], and their weights [rad/s]."""
    edges = 2 * np.pi * speed * np.geomspace(1 / longest, 1 / shortest, count + 1)
    return np.sqrt(edges[1:] * edges[:-1]), np.diff(edges)


def transfer(model: FullModel, rows: Array, omega: Array) -> Complex:
    """(frequencies, rows, sources) from white noises of unit density to rows (rows, n) of the states.

    Here delays are exact: what the second bogie meets is what the first one met.
    """
    eye = np.eye(len(model.A))
    G: Complex = np.stack([rows @ np.linalg.solve(1j * w * eye - model.A, model.L) for w in omega])
    if not model.sources:
        return G
    joined = np.zeros((*G.shape[:2], max(source for source, _ in model.sources) + 1), dtype=np.complex128)
    for column, (source, late) in enumerate(model.sources):
        joined[:, :, source] += G[:, :, column] * np.exp(-1j * omega * late)[:, None]
    return joined


def sensor_spectra(model: FullModel, r: Array, omega: Array, *, dt: float) -> Complex:
    """(frequencies, channels, channels) two-sided densities per Hz; r: variances per sample of dt [s]."""
    G = transfer(model, model.C, omega)
    return np.asarray(G @ G.conj().swapaxes(1, 2) + np.diag(r) * dt)


def fisher(
    model: FullModel, changed: Mapping[str, FullModel], r: Array, omega: Array, weights: Array, *, dt: float
) -> Array:
    """(parameters, parameters) information per second; changed: the model with a factor RELATIVE_STEP greater."""
    S = sensor_spectra(model, r, omega, dt=dt)
    slopes = [(sensor_spectra(each, r, omega, dt=dt) - S) / RELATIVE_STEP for each in changed.values()]
    scaled = [np.linalg.solve(S, slope) for slope in slopes]
    products = [[np.einsum("fij,fji->f", a, b).real @ weights for b in scaled] for a in scaled]
    return np.array(products) / (2 * np.pi)


def bounds(information: Array, *, duration: float, prior_sd: float) -> Array:
    """(parameters,) least standard deviations of factors after a record [s], known to prior_sd before."""
    known = information * duration + np.eye(len(information)) / prior_sd**2
    return np.sqrt(np.diagonal(np.linalg.inv(known)))


def unknown_share(model: FullModel, row: Array, r: Array, omega: Array, *, dt: float) -> Array:
    """(frequencies,) of the power of a state, what even a smoother of an endless record leaves unknown: 0 to 1."""
    S = sensor_spectra(model, r, omega, dt=dt)
    seen, sensed = transfer(model, row[None], omega), transfer(model, model.C, omega)
    across = sensed @ seen.conj().swapaxes(1, 2)
    power = (np.abs(seen) ** 2).sum(axis=(1, 2))
    explained = np.einsum("fij,fij->f", across.conj(), np.linalg.solve(S, across)).real
    return np.asarray(1.0 - explained / power)
