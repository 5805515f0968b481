"""Trees of bases and points over a track frame [Ros 2.1], with recursive velocities [Ros 2.3, eqs. 3-4].

Everything is a CasADi expression in the axes t of one track frame; velocities are those against the ground. A basis
grows from another by a turn about one axis, a point from another by a vector that is fixed in some basis: what two of
them share on their way to the root is one and the same expression, and so computed once.
"""

from dataclasses import dataclass
from typing import Self

import casadi as ca

X, Y, Z = 0, 1, 2
"""Axes to turn about."""


@dataclass(frozen=True, slots=True)
class Basis:
    """Three axes: R_tb turns their components into those of the track frame; omega_t is their rate [rad/s]."""

    R_tb: ca.SX
    omega_t: ca.SX

    def turned(self, axis: int, *, angle: ca.SX, rate: ca.SX) -> Self:
        """The basis turned about one of its own axes [Ros eq. 1]."""
        return type(self)(
            R_tb=self.R_tb @ elementary_rotation(axis, angle),
            omega_t=self.omega_t + self.R_tb[:, axis] * rate,
        )

    def spinning(self, axis: int, *, rate: ca.SX) -> Self:
        """The same axes on a body that spins about one of them: only the rate differs."""
        return type(self)(self.R_tb, self.omega_t + self.R_tb[:, axis] * rate)

    def against(self, vector_t: ca.SX) -> ca.SX:
        """Components in this basis of a vector given in track axes."""
        return self.R_tb.T @ vector_t


@dataclass(frozen=True, slots=True)
class Point:
    """A point: r_t from the origin of the track frame [m], v_t against the ground [m/s]."""

    r_t: ca.SX
    v_t: ca.SX

    def carried(self, vector_b: ca.SX, basis: Basis) -> Self:
        """The point at a vector fixed in a basis [Ros eq. 2]."""
        arm_t = basis.R_tb @ vector_b
        return type(self)(self.r_t + arm_t, self.v_t + ca.cross(basis.omega_t, arm_t))


def elementary_rotation(axis: int, angle: ca.SX) -> ca.SX:
    """Rotation about axis X, Y or Z by an angle [rad]: components after the turn into those before."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = ca.SX.eye(3)
    R[i, i] = R[j, j] = ca.cos(angle)
    R[j, i] = ca.sin(angle)
    R[i, j] = -R[j, i]
    return R
