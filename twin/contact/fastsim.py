"""FASTSIM: creep forces and stresses of a Hertzian patch by Kalker's simplified theory [Ign eqs 22-26].

Each strip of the patch is crossed from its leading edge in equal steps of its own chord. The elastic displacement is
in proportion to the traction, with one flexibility for each creepage (Kalker 1982), and traction ends at mu p_n:

    L1 = 8 a / (3 G C11),   L2 = 8 a / (3 G C22),   L3 = pi a sqrt(a/b) / (4 G C23)
    -dp_x/dx = xi/L1 - phi y/L3,   -dp_y/dx = eta/L2 + phi x/L3   (x falls from the leading edge)

Three choices make 20 x 20 cells as good as 400 x 400:

- The traction bound is Kalker's parabola, p_n = 2 N / (pi a b) (1 - x^2/a^2 - y^2/b^2), not Hertz's ellipse as
  [Ign eq. 24] has it: over 60 cases of CONTACT its error is 0.021 of mu N on average, with the ellipse 0.035. A cell
  carries the mean of the parabola, so that a sliding patch gives mu N exactly.
- In units of the bound at the strip's centre all strips have the same bound, 1 - x^2, and differ only in how fast
  traction grows. So one step of all strips is one loop without branches, which the compiler turns into vectors.
- Where the patch slides, traction turns towards the drift d at the rate |d| sin(angle) / bound. Projecting the trial
  traction on the bound [Ign eq. 26b] follows that to first order; `_step` corrects the length of the drift so that it
  does to second. At 20 x 20 the distance to the converged force falls from 0.015 to 0.0025 of mu N.

A patch without force, friction or size, and zero creepage, give zero forces and stresses.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from twin.contact.creep import Creepage, CreepForce, Patch, grips
from twin.core.arrays import Array, BoolArray
from twin.numerics.compiled import compiled

_TINY = 1e-300
"""Keeps a direction of no length from becoming NaN."""


class Strips(NamedTuple):
    """A grid over the unit circle, x from the leading edge, ready for compiled code."""

    y: Array
    """(n_y,) place of each strip, -1..1."""
    chord: Array
    """(n_y,) its half-chord, sqrt(1 - y^2)."""
    weight: Array
    """(n_y,) its share in a force, chord^3 dy; they sum up to 3 pi/8, so that sliding gives mu N."""
    steps: Array
    """(n_x, 6) of each step: length, middle, place reached, bound there, and two numbers of the slip's turning."""


def strips(*, n_x: int = 20, n_y: int = 20) -> Strips:
    """Equal strips, each cut into n_x equal cells; tractions are those of the cells' centres."""
    if min(n_x, n_y) < 2:
        raise ValueError(f"a patch needs 2 strips of 2 cells at least, got n_y = {n_y}, n_x = {n_x}")
    y = (2 * np.arange(n_y) + 1) / n_y - 1
    chord = np.sqrt(1 - y**2)
    weight = chord**3 / np.sum(chord**3) * 3 * np.pi / 8
    cell = 2 / n_x
    x = 1 - cell * (np.arange(n_x) + 0.5)
    x_before = np.concatenate(([1.0], x[:-1]))
    middle = (x + x_before) / 2
    bound, bound_before, bound_middle = (1 - place**2 - cell**2 / 12 for place in (x, x_before, middle))
    shrink = bound_before / bound_middle
    turn = 0.5 / (bound_before * bound_middle)
    shrink[0], turn[0] = 1.0, 0.0  # at the leading edge there is no traction yet that could turn
    return Strips(y, chord, weight, np.stack([x_before - x, middle, x, bound, shrink, turn], axis=1))


def workspace(grid: Strips) -> Array:
    """Memory (7, n_y) for `fastsim_force`; its contents are lost in each call."""
    return np.empty((7, grid.y.size))


@dataclass(frozen=True, slots=True)
class PatchField:
    """Stresses and sliding in every cell, arrays (n_y, n_x): strips from right to left, cells from the leading edge."""

    x: Array
    """Of the cell's centre [m]."""
    y: Array
    """[m]"""
    area: Array
    """[m^2]"""
    p_n: Array
    """Normal stress of the traction bound [Pa]."""
    p_x: Array
    """Traction on the wheel [Pa]."""
    p_y: Array
    s_x: Array
    """Sliding velocity of the wheel on the rail [m/s], opposite to the traction; zero where it adheres."""
    s_y: Array
    adhesion: BoolArray

    @property
    def friction_power(self) -> Array:
        """Heat per area and time, -p . s [W/m^2]: never negative."""
        return np.asarray(-(self.p_x * self.s_x + self.p_y * self.s_y))


class _Drift(NamedTuple):
    """How fast traction grows along a strip, in units of the bound per half-chord, for y = 0."""

    x: float
    y: float
    spin_x: float
    spin_y: float
    stress: float
    """mu p_n in the middle of the patch [Pa]."""


@compiled
def _drift(creepage: Creepage, patch: Patch) -> _Drift:
    stress = 2.0 * patch.mu * patch.N / (np.pi * patch.a * patch.b)
    k = patch.G / stress
    spin = 4.0 * k * patch.C23 * creepage.phi / (np.pi * np.sqrt(patch.a / patch.b))
    return _Drift(
        0.375 * k * patch.C11 * creepage.xi,
        0.375 * k * patch.C22 * creepage.eta,
        spin * patch.b,
        spin * patch.a,
        stress,
    )


@compiled
def _step(
    p_x: float, p_y: float, d_x: float, d_y: float, bound: float, shrink: float, turn: float
) -> tuple[float, float, bool]:
    """Traction after a drift (d_x, d_y), and whether the cell slides.

    Sliding with angle A between traction and drift z = |d| / bound turns by z sin A - z^2/2 sin A cos A + ...; the
    direction of p + d (bound before / bound between) (1 + z cos A / 2) does so too. z cos A is limited to -1.
    """
    t_x, t_y = p_x + d_x, p_y + d_y
    stretch = shrink * (1.0 + max(turn * (d_x * p_x + d_y * p_y), -0.5))
    e_x, e_y = p_x + d_x * stretch, p_y + d_y * stretch
    onto_bound = bound / np.sqrt(e_x * e_x + e_y * e_y + _TINY)
    slides = t_x * t_x + t_y * t_y > bound * bound
    return e_x * onto_bound if slides else t_x, e_y * onto_bound if slides else t_y, slides


@compiled
def fastsim_force(creepage: Creepage, patch: Patch, grid: Strips, work: Array) -> CreepForce:
    """Creep force on the wheel; the contents of work (7, n_y) are lost."""
    if not grips(patch):
        return CreepForce(0.0, 0.0, 0.0)
    drift = _drift(creepage, patch)
    n_y, n_x = grid.y.shape[0], grid.steps.shape[0]
    rate_x, rate_y, p_x, p_y, sum_x, sum_y, moment = work[0], work[1], work[2], work[3], work[4], work[5], work[6]
    for j in range(n_y):
        rate_x[j] = (drift.spin_x * grid.y[j] - drift.x) / grid.chord[j]
        rate_y[j] = -drift.y / grid.chord[j]
        p_x[j], p_y[j], sum_x[j], sum_y[j], moment[j] = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n_x):
        length, middle, x, bound, shrink, turn = grid.steps[i]
        spin = -drift.spin_y * middle * length
        for j in range(n_y):
            d_x, d_y = rate_x[j] * length, rate_y[j] * length + spin
            q_x, q_y, _ = _step(p_x[j], p_y[j], d_x, d_y, bound, shrink, turn)
            p_x[j], p_y[j] = q_x, q_y
            sum_x[j] += q_x
            sum_y[j] += q_y
            moment[j] += q_y * x
    F_x, F_y, M_x, M_y = 0.0, 0.0, 0.0, 0.0
    for j in range(n_y):
        F_x += grid.weight[j] * sum_x[j]
        F_y += grid.weight[j] * sum_y[j]
        M_x += grid.weight[j] * grid.y[j] * sum_x[j]
        M_y += grid.weight[j] * grid.chord[j] * moment[j]
    unit = drift.stress * patch.a * patch.b * 2.0 / n_x
    return CreepForce(unit * F_x, unit * F_y, unit * (patch.a * M_y - patch.b * M_x))


@compiled
def _fill_tractions(creepage: Creepage, patch: Patch, grid: Strips, p_x: Array, p_y: Array, excess: Array) -> None:
    """Tractions (n_y, n_x) [Pa] and by how much, as a share, the drift alone would exceed the bound; 0 in adhesion."""
    drift = _drift(creepage, patch)
    for j in range(grid.y.shape[0]):
        stress = drift.stress * grid.chord[j] ** 2
        rate_x = (drift.spin_x * grid.y[j] - drift.x) / grid.chord[j]
        rate_y = -drift.y / grid.chord[j]
        q_x, q_y = 0.0, 0.0
        for i in range(grid.steps.shape[0]):
            length, middle, _, bound, shrink, turn = grid.steps[i]
            d_x, d_y = rate_x * length, rate_y * length - drift.spin_y * middle * length
            t_x, t_y = q_x + d_x, q_y + d_y
            q_x, q_y, slides = _step(q_x, q_y, d_x, d_y, bound, shrink, turn)
            p_x[j, i], p_y[j, i] = stress * q_x, stress * q_y
            beyond = (t_x * q_x + t_y * q_y) / (bound * bound) - 1.0
            # over the length of the step: the first one is half as long
            excess[j, i] = max(beyond, 0.0) / (length * grid.chord[j]) if slides else 0.0


def patch_field(creepage: Creepage, patch: Patch, *, speed: float, grid: Strips) -> PatchField:
    """Stresses and sliding of a patch that rolls at a speed [m/s]: what wear needs.

    Sliding is opposite to traction and in proportion to the drift that the bound cuts off [Ign eq. 26b]. Three
    flexibilities leave the factor open; it is set so that friction turns into heat what the creepages feed in,
    -V (F_x xi + F_y eta + M_z phi). With s as in eq. 26b the wear index of [Ign eq. 27] needs the sign -p . s / V.
    A patch so little loaded that no cell slides (the slip is shorter than half a cell) has no sliding.
    """
    shape = (grid.y.size, len(grid.steps))
    p_x, p_y, excess = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    if grips(patch):
        _fill_tractions(creepage, patch, grid, p_x, p_y, excess)
    chord, u = grid.chord[:, None], grid.steps[:, 2]
    bound = chord**2 * grid.steps[:, 3]
    area = np.broadcast_to(patch.a * patch.b * 2 / shape[1] * (grid.weight / grid.chord**2)[:, None], shape)
    x = patch.a * chord * u
    y = np.broadcast_to(patch.b * grid.y[:, None], shape)
    p_0 = 2 * patch.N / (np.pi * patch.a * patch.b) if grips(patch) else 0.0
    fed = -abs(speed) * np.sum(
        area * (p_x * (creepage.xi - creepage.phi * y) + p_y * (creepage.eta + creepage.phi * x))
    )
    spent = np.sum(area * excess * (p_x**2 + p_y**2))
    factor = max(fed, 0.0) / spent if spent > 0 else 0.0
    return PatchField(
        x=x,
        y=y,
        area=area,
        p_n=p_0 * bound,
        p_x=p_x,
        p_y=p_y,
        s_x=-factor * excess * p_x,
        s_y=-factor * excess * p_y,
        adhesion=excess == 0.0,
    )
