"""The whole weakly coupled vehicle on irregular rails as one linear system.

    x' = A x + B u + L w        z = C x + D u + noise

x holds the vehicle's block (twin.vehicle.linear) and the irregularities under each bogie (rail_waves), u the numbers of
the design track below every body. Sensors are rows: with the body's coordinates against its own track frame and the
arm (x, y, z) from its centre of mass,

    accel_y = y'' + x psi'' - z phi'' + V^2 (rho_h + x rho_h' - z rho_tw') + g (phi_t + phi)
    accel_z = z'' - x theta'' - V^2 (rho_v + x rho_v')      (standing weight left out)
    rate_x  = phi' + V rho_tw        rate_y = theta' + V rho_v        rate_z = psi' + V rho_h

Wheelsets ride on the rails: their height is the level, their roll that of the rails and of their own shift.
"""

from dataclasses import dataclass

import numpy as np

from twin.core.arrays import Array, G
from twin.observer.config import TrackPrior
from twin.observer.rail_waves import Wave, joined, wave
from twin.observer.sensors import Channel
from twin.vehicle.description import Vehicle, wheels_of
from twin.vehicle.linear import IRREGULARITIES, Block, StateSpace
from twin.vehicle.wheel_rail import Rails, WheelRail

RATES = ("", "_rate", "_acceleration")


@dataclass(frozen=True, slots=True)
class Row:
    """A quantity, or its rate or acceleration: over states, and over inputs."""

    x: Array
    u: Array

    def __add__(self, other: "Row") -> "Row":
        return Row(self.x + other.x, self.u + other.u)

    def __rmul__(self, factor: float) -> "Row":
        return Row(factor * self.x, factor * self.u)


Motion = tuple[Row, Row, Row]
"""A quantity, its rate and its acceleration."""


@dataclass(frozen=True, slots=True)
class FullModel:
    """One block at one speed."""

    speed: float
    A: Array
    B: Array
    L: Array
    """(n, noises) of unit densities."""
    C: Array
    """(channels, n)"""
    D: Array
    """(channels, inputs)"""
    inputs: tuple[str, ...]
    """'body.number' of the track frames."""
    outputs: dict[str, Array]
    """(n,) rows of what is estimated, by name."""
    sources: tuple[tuple[int, float], ...] = ()
    """Of each noise: which one it is in truth, and how much later [s]: bogies run over the same rails. Empty: own."""


@dataclass(frozen=True, slots=True)
class Bogies:
    """Wheelsets by bogie, from the front."""

    groups: tuple[tuple[str, ...], ...]
    behind: tuple[tuple[float, ...], ...]
    """Of each bogie: distances of its wheelsets from its leading one, itself left out [m]."""
    later: tuple[float, ...]
    """Distance of each bogie's leading wheelset from the first one [m]."""

    @classmethod
    def of(cls, vehicle: Vehicle) -> "Bogies":
        """By the frame each wheelset is hung on."""
        frames: dict[str, list[str]] = {}
        for wheelset in vehicle.wheelsets:
            frame = next(element.first for element in vehicle.elements if element.second == wheelset.name)
            frames.setdefault(frame, []).append(wheelset.name)
        places = {wheelset.name: wheelset.position[0] for wheelset in vehicle.wheelsets}
        behind = tuple(tuple(places[group[0]] - places[name] for name in group[1:]) for group in frames.values())
        first = max(places.values())
        later = tuple(first - places[group[0]] for group in frames.values())
        return cls(tuple(tuple(group) for group in frames.values()), behind, later)


def full_model(
    space: StateSpace,
    block: Block,
    vehicle: Vehicle,
    *,
    contacts: dict[str, WheelRail],
    prior: TrackPrior,
    channels: list[Channel],
    lacking: dict[str, float],
    gravity: float = G,
) -> FullModel:
    """A block of the vehicle with its rails.

    lacking: density of what the model lacks of accelerations, by kind of body [m/s^2/sqrt(Hz), rad/s^2/sqrt(Hz)].
    """
    bogies, words = Bogies.of(vehicle), IRREGULARITIES[block]
    waves = [wave(prior, word, V=space.speed, behind=behind) for behind in bogies.behind for word in words]
    A_w, L_w = joined(waves)
    n, k = len(space.A), len(A_w)
    seen = _seen(bogies, words, waves, n, k)
    rough = [name for name in space.inputs if name.endswith(tuple(word + rate for word in words for rate in RATES))]
    columns = [space.inputs.index(name) for name in rough]
    track = [i for i, name in enumerate(space.inputs) if name not in rough]
    over = np.stack([seen[name] for name in rough])
    A = np.block([[space.A, np.zeros((n, k))], [np.zeros((k, n)), A_w]])
    A[:n] += space.B[:, columns] @ over
    B = np.vstack((space.B[:, track], np.zeros((k, len(track)))))
    L = np.zeros((n + k, len(space.coordinates) + L_w.shape[1]))
    for place, name in enumerate(space.coordinates):
        kind = vehicle.body(name.rsplit(".", 1)[0]).kind
        L[len(space.coordinates) + place, place] = lacking[kind] / np.sqrt(2)
    L[n:, len(space.coordinates) :] = L_w
    rows = _Rows(space, vehicle, contacts, A, B, seen, tuple(space.inputs[i] for i in track))
    found = [rows.shown(channel, gravity) for channel in channels]
    C, D = (np.stack([getattr(row, word) for row in found]) if found else np.zeros((0, 0)) for word in ("x", "u"))
    outputs = {name: seen[name] for name in rough if name.endswith(words)}
    outputs |= {name: np.eye(n + k)[place] for place, name in enumerate(space.coordinates)}
    own = [(place, 0.0) for place in range(len(space.coordinates))]
    rails = [(len(own) + k, later / space.speed) for later in bogies.later for k in range(len(words))]
    return FullModel(space.speed, A, B, L, C, D, rows.inputs, outputs, (*own, *rails))


def _seen(bogies: Bogies, words: tuple[str, ...], waves: list[Wave], n: int, k: int) -> dict[str, Array]:
    """(n + k,) rows of every irregularity under every wheelset, with rate and acceleration, by input name."""
    seen, start = {}, n
    each = iter(waves)
    for group in bogies.groups:
        for word in words:
            signal = next(each)
            for wheelset, by_rate in zip(group, signal.rows, strict=True):
                for rate, row in zip(RATES, by_rate, strict=True):
                    whole = np.zeros(n + k)
                    whole[start : start + row.size] = row
                    seen[f"{wheelset}.{word}{rate}"] = whole
            start += signal.A.shape[0]
    return seen


class _Rows:
    """Rows of motions and sensors of one block."""

    def __init__(
        self,
        space: StateSpace,
        vehicle: Vehicle,
        contacts: dict[str, WheelRail],
        A: Array,
        B: Array,
        seen: dict[str, Array],
        inputs: tuple[str, ...],
    ) -> None:
        self._space, self._vehicle, self._contacts = space, vehicle, contacts
        self._A, self._B, self._seen, self.inputs = A, B, seen, inputs

    def motion(self, body: str, word: str) -> Motion:
        """Of a coordinate, free or held by the rails."""
        name = f"{body}.{word}"
        if name in self._space.coordinates:
            return self._free(name)
        if word == "r_z":
            return self._rough(body, "level")
        if word == "roll" and body in self._contacts:
            return self._riding_roll(body)
        raise KeyError(f"no motion '{name}'")

    def _free(self, name: str) -> Motion:
        place, n = self._space.coordinates.index(name), len(self._space.coordinates)
        unit, none = np.eye(len(self._A)), np.zeros(len(self.inputs))
        fast = Row(self._A[n + place], self._B[n + place])
        return Row(unit[place], none), Row(unit[n + place], none), fast

    def _rough(self, wheelset: str, word: str) -> Motion:
        none = np.zeros(len(self.inputs))
        position, rate, acceleration = (Row(self._seen[f"{wheelset}.{word}{each}"], none) for each in RATES)
        return position, rate, acceleration

    def _riding_roll(self, wheelset: str) -> Motion:
        wheels = wheels_of(self._vehicle.body(wheelset))
        unit = np.eye(3)
        by_y, by_alignment, by_cross = self._contacts[wheelset].roll(unit[0], Rails(unit[1], unit[2]), wheels)
        parts = (
            self.motion(wheelset, "r_y"),
            self._rough(wheelset, "alignment"),
            self._rough(wheelset, "cross_level"),
        )
        position, rate, acceleration = (
            float(by_y) * y + float(by_alignment) * xi + float(by_cross) * c for y, xi, c in zip(*parts, strict=True)
        )
        return position, rate, acceleration

    def number(self, body: str, word: str) -> Row:
        """A number of the body's track frame."""
        row = np.zeros(len(self.inputs))
        row[self.inputs.index(f"{body}.{word}")] = 1.0
        return Row(np.zeros(len(self._A)), row)

    def shown(self, channel: Channel, g: float) -> Row:
        """What a channel shows."""
        body, V, (x, _, z) = channel.body, self._space.speed, channel.at
        if channel.shown == "accel_y":
            roll = self.motion(body, "roll")
            lateral = self.motion(body, "r_y")[2] + x * self.motion(body, "yaw")[2] + (-z) * roll[2]
            turning = self.number(body, "rho_h") + x * self.number(body, "rho_h_slope")
            turning += (-z) * self.number(body, "rho_tw_slope")
            return lateral + V**2 * turning + g * (self.number(body, "roll") + roll[0])
        if channel.shown == "accel_z":
            up = self.motion(body, "r_z")[2]
            if x:
                up += (-x) * self.motion(body, "pitch")[2]
            return up + (-(V**2)) * (self.number(body, "rho_v") + x * self.number(body, "rho_v_slope"))
        word, number = {"rate_x": ("roll", "rho_tw"), "rate_y": ("pitch", "rho_v"), "rate_z": ("yaw", "rho_h")}[
            channel.shown
        ]
        return self.motion(body, word)[1] + V * self.number(body, number)
