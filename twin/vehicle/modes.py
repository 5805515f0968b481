"""Eigenmodes of a linear vehicle, their names, and the speed at which it begins to hunt."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.core.arrays import Array
from twin.vehicle.description import Vehicle
from twin.vehicle.linear import Block, LinearVehicle, StateSpace

WORDS = {"r_y": "sway", "r_z": "bounce", "roll": "roll", "pitch": "pitch", "yaw": "yaw", "angle": "swing"}
"""What a motion along a coordinate is called."""
SHARED = 0.2
"""Least share of the largest amplitude with which another body takes part in a mode."""
OSCILLATES = 1e-3
"""Least ratio of the damped frequency to the undamped one of a mode that is called an oscillation."""


@dataclass(frozen=True, slots=True)
class Mode:
    """One oscillation x(t) = Re(shape exp(eigenvalue t))."""

    name: str
    eigenvalue: complex
    """[1/s]"""
    coordinates: tuple[str, ...]
    shape: NDArray[np.complex128]
    """Of each coordinate; the largest displacement is 1 m, an angle counting by its radius of gyration."""
    energy: Array
    """Share of each coordinate in the kinetic energy; they sum to 1."""

    @property
    def frequency(self) -> float:
        """Undamped, |eigenvalue| / 2 pi [Hz]."""
        return abs(self.eigenvalue) / (2 * np.pi)

    @property
    def damped_frequency(self) -> float:
        """Of the oscillation as it is seen [Hz]."""
        return abs(self.eigenvalue.imag) / (2 * np.pi)

    @property
    def damping(self) -> float:
        """As a share of the critical one; negative where the oscillation grows."""
        return -self.eigenvalue.real / abs(self.eigenvalue)

    def at(self, phase: float) -> dict[str, float]:
        """Displacement of every coordinate at a phase [rad] of the oscillation, growth left out."""
        values = (self.shape * np.exp(1j * phase)).real
        return dict(zip(self.coordinates, values.tolist(), strict=True))


def modes(vehicle: Vehicle, space: StateSpace) -> list[Mode]:
    """Oscillations of a block, slowest first; what creeps back without oscillating is left out."""
    values, vectors = np.linalg.eig(space.A)
    n = len(space.coordinates)
    found = []
    for place in np.argsort(np.abs(values)):
        value = complex(values[place])
        if value.imag > OSCILLATES * abs(value):
            found.append(_mode(vehicle, space, value, vectors[:n, place]))
    return found


def _mode(vehicle: Vehicle, space: StateSpace, value: complex, shape: NDArray[np.complex128]) -> Mode:
    inertia = np.diag(space.M)
    energy = inertia * np.abs(shape) ** 2
    masses = np.array([vehicle.body(name.rsplit(".", 1)[0]).mass for name in space.coordinates])
    size = np.sqrt(inertia / masses) * np.abs(shape)
    largest = int(size.argmax())
    scaled = shape / (size[largest] * np.exp(1j * np.angle(shape[largest])))
    name = _name(vehicle, space.coordinates, energy, shape)
    return Mode(name, value, space.coordinates, scaled, energy / energy.sum())


def _name(vehicle: Vehicle, coordinates: tuple[str, ...], energy: Array, shape: NDArray[np.complex128]) -> str:
    """The kind of body and the motion with most kinetic energy; whether first and last of several move alike."""
    groups: dict[tuple[str, str], list[int]] = {}
    for place, name in enumerate(coordinates):
        body, word = name.rsplit(".", 1)
        groups.setdefault((vehicle.body(body).kind, word), []).append(place)
    kind, word = max(groups, key=lambda group: energy[groups[group]].sum())
    places = groups[kind, word]
    front, rear = shape[places[0]], shape[places[-1]]
    if len(places) < 2 or min(abs(front), abs(rear)) < SHARED * max(abs(front), abs(rear)):
        return f"{kind} {WORDS[word]}"
    turn = abs(np.angle(front / rear))
    relation = "in phase" if turn < np.pi / 4 else "in counter-phase" if turn > 3 * np.pi / 4 else "out of phase"
    return f"{kind} {WORDS[word]} {relation}"


def all_modes(model: LinearVehicle, speed: float) -> dict[Block, list[Mode]]:
    """Modes of both blocks at a speed [m/s]."""
    return {block: modes(model.vehicle, model.at(speed, block)) for block in ("vertical", "lateral")}


@dataclass(frozen=True, slots=True)
class CriticalSpeed:
    """Where the lateral motion loses its damping."""

    speed: float
    """[m/s]"""
    mode: Mode
    """The undamped one."""


def critical_speed(
    model: LinearVehicle, *, slowest: float = 2.0, fastest: float = 200.0, step: float = 2.0, tolerance: float = 1e-3
) -> CriticalSpeed | None:
    """The first speed at which an oscillation has no damping, or none up to the fastest; all in m/s.

    Speeds are tried in steps, so that an instability that comes and goes within one step is not seen; the place of the
    change is then bisected. A vehicle that hunts already at the slowest speed has that one.
    """
    if least_damped(model, slowest).damping <= 0:
        return CriticalSpeed(slowest, least_damped(model, slowest))
    below = slowest
    for above in np.arange(slowest + step, fastest + step / 2, step).tolist():
        if least_damped(model, above).damping <= 0:
            break
        below = above
    else:
        return None
    while above - below > tolerance:
        middle = (below + above) / 2
        below, above = (below, middle) if least_damped(model, middle).damping <= 0 else (middle, above)
    return CriticalSpeed(above, least_damped(model, above))


def least_damped(model: LinearVehicle, speed: float) -> Mode:
    """The lateral oscillation that grows fastest or decays slowest."""
    found = modes(model.vehicle, model.at(speed, "lateral"))
    return max(found, key=lambda mode: mode.eigenvalue.real)


def root_locus(model: LinearVehicle, speeds: Iterable[float]) -> list[tuple[float, complex]]:
    """Speed [m/s] and eigenvalue [1/s] of every lateral oscillation over speeds."""
    return [(speed, mode.eigenvalue) for speed in speeds for mode in modes(model.vehicle, model.at(speed, "lateral"))]
