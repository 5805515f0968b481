"""Creep forces against the program CONTACT (half-space, extrapolated to fine grids): 60 Hertzian cases.

The cases lie outside the repository. Where they are absent, five of them, typed in, still bind FASTSIM.
"""

import csv
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.contact.creep import Creepage, CreepForce, Patch, linear_force, saturated_force
from twin.contact.fastsim import fastsim_force, strips, workspace
from twin.contact.kalker import kalker_coefficients, kalker_table
from twin.contact.polach import polach_force
from twin.core.arrays import Array

CASES = Path(__file__).parents[3] / "shared" / "reference" / "contact" / "tangential_hertz_cases.csv"
Law = Callable[[Creepage, Patch], CreepForce]
LIMIT = 0.3 * 50e3
TYPED = (
    # a/b; xi, eta [-], phi [1/mm]; F_x, F_y of CONTACT [N]; a b = 25 mm^2, N 50 kN, mu 0.3, G 82 GPa, nu 0.28
    (0.2, 0.00209303, 0.0, 0.0, -10986.4584, 0.0),
    (1.0, 0.0, 0.000987479, 0.0, 0.0, -6378.0),
    (1.0, 0.0, 0.0, 0.00098342, 0.0, -9089.0),
    (1.0, 0.000865672, 0.000987479, 0.00049171, -4414.0, -11218.0),
    (0.2, 0.0, 0.0, 0.000235353, 0.0, -1357.0),
)


@cache
def cases() -> list[dict[str, float]]:
    if not CASES.exists():
        pytest.skip(f"the reference cases are not here: {CASES.name}")
    with CASES.open(encoding="utf-8") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def given(row: dict[str, float]) -> tuple[Creepage, Patch]:
    patch = Patch(
        row["a_mm"] * 1e-3,
        row["b_mm"] * 1e-3,
        row["Fn_N"],
        row["mu"],
        row["G_MPa"] * 1e6,
        *kalker_coefficients(kalker_table(nu=row["nu"]), row["a_over_b"]),
    )
    return Creepage(row["xi"], row["eta"], row["phi_per_mm"] * 1e3), patch


def column(name: str) -> Array:
    """F_x and F_y (cases, 2) of a program [N]."""
    return np.array([[row[f"Fx_{name}_N"], row[f"Fy_{name}_N"]] for row in cases()])


def forces(law: Law) -> Array:
    return np.array([law(*given(row)) for row in cases()])


def errors(law: Law) -> Array:
    """|dF| / (mu N) against CONTACT (cases,)."""
    return np.asarray(np.linalg.norm(forces(law)[:, :2] - column("CONTACT_extrap"), axis=1) / LIMIT)


def fastsim(cells: int) -> Law:
    grid = strips(n_x=cells, n_y=cells)
    work = workspace(grid)
    return lambda creepage, patch: fastsim_force(creepage, patch, grid, work)


@pytest.mark.parametrize("cells", [20, 40, 200])
def test_fastsim_is_within_0_0245_of_contact_on_average_and_0_115_at_most(cells: int) -> None:
    error = errors(fastsim(cells))
    assert error.mean() <= 0.0245
    assert error.max() <= 0.115


def test_fastsim_equals_an_independent_fastsim_of_400_by_400_cells() -> None:
    F = forces(fastsim(400))
    assert_allclose(F[:, :2], column("FASTSIM3L_parab"), atol=1e-3 * LIMIT)
    M_z = np.array([row["Mz_FASTSIM3L_parab_Nmm"] for row in cases()]) * 1e-3
    assert_allclose(F[:, 2], M_z, atol=1e-3 * LIMIT * 5e-3)


def test_linear_and_saturated_forces_equal_an_independent_computation() -> None:
    F = forces(linear_force)
    assert_allclose(F[:, :2], column("lin"), atol=0.15)
    assert_allclose(F[:, 2], np.array([row["Mz_lin_Nmm"] for row in cases()]) * 1e-3, rtol=1e-5, atol=1e-3)
    assert_allclose(forces(saturated_force)[:, :2], column("linsat"), atol=0.15)


def test_saturated_linear_force_is_good_without_spin_and_unusable_with_it() -> None:
    error = errors(saturated_force)
    with_spin = np.array([row["phi_per_mm"] != 0 for row in cases()])
    assert error[~with_spin].max() < 0.047
    assert error[with_spin].max() > 0.4


def test_polach_lies_between_the_saturated_linear_force_and_fastsim() -> None:
    error = errors(polach_force)
    assert error.mean() < 0.06
    assert errors(fastsim(20)).mean() < error.mean() < errors(saturated_force).mean()


@pytest.mark.parametrize(("shape", "xi", "eta", "phi_per_mm", "F_x", "F_y"), TYPED)
def test_fastsim_meets_typed_cases_of_contact_within_0_115_of_mu_n(
    shape: float, xi: float, eta: float, phi_per_mm: float, F_x: float, F_y: float
) -> None:
    C = kalker_coefficients(kalker_table(nu=0.28), shape)
    patch = Patch(5e-3 * np.sqrt(shape), 5e-3 / np.sqrt(shape), 50e3, 0.3, 82e9, *C)
    F = fastsim(20)(Creepage(xi, eta, phi_per_mm * 1e3), patch)
    assert np.hypot(F.F_x - F_x, F.F_y - F_y) < 0.115 * LIMIT
