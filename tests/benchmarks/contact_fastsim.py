"""Normal and tangential contact: errors against CONTACT and exact Hertz tables, and times in a compiled loop."""

import csv
import sys
from collections.abc import Callable

import numpy as np

from tests.benchmarks.contact_figure import REFERENCE, contact_figure, microseconds
from tests.benchmarks.figure import Figure
from twin.contact.creep import Creepage, CreepForce, Patch, rolling_patch, saturated_force
from twin.contact.fastsim import Strips, fastsim_force, strips, workspace
from twin.contact.hertz import Material, ellipse_at_approach, ellipse_under_force
from twin.contact.kalker import Kalker, kalker_coefficients, kalker_table
from twin.contact.polach import polach_force
from twin.core.arrays import Array
from twin.numerics.compiled import compiled

CALLS = 20_000
FINE = 400
"""Cells a side of the converged FASTSIM."""
Law = Callable[[Creepage, Patch], CreepForce]


@compiled
def _hertz_loop(A: Array, B: Array, approach: Array, E_star: float) -> float:
    total = 0.0
    for i in range(A.shape[0]):
        patch = ellipse_at_approach(A[i], B[i], approach[i], E_star)
        total += patch.a + patch.b + patch.N
    return total


@compiled
def _fastsim_loop(creepages: Array, patch: Patch, grid: Strips, work: Array) -> float:
    total = 0.0
    for i in range(creepages.shape[0]):
        F = fastsim_force(Creepage(creepages[i, 0], creepages[i, 1], creepages[i, 2]), patch, grid, work)
        total += F.F_x + F.F_y + F.M_z
    return total


@compiled
def _polach_loop(creepages: Array, patch: Patch) -> float:
    total = 0.0
    for i in range(creepages.shape[0]):
        F = polach_force(Creepage(creepages[i, 0], creepages[i, 1], creepages[i, 2]), patch)
        total += F.F_x + F.F_y
    return total


@compiled
def _kalker_loop(table: Kalker, shapes: Array) -> float:
    total = 0.0
    for i in range(shapes.shape[0]):
        C11, C22, C23, C33 = kalker_coefficients(table, shapes[i])
        total += C11 + C22 + C23 + C33
    return total


def times() -> list[Figure]:
    """Times of the kernels on random curvatures and creepages, from adhesion to slip."""
    rng, steel = np.random.default_rng(0), Material()
    A, B, approach = rng.uniform(0.5, 2, CALLS), 10 ** rng.uniform(-1, 2, CALLS), rng.uniform(1e-5, 2e-4, CALLS)
    table = kalker_table(nu=steel.nu)
    patch = rolling_patch(ellipse_under_force(1.087, 1.667, 5e4, steel.E_star), 0.3, steel.G, table)
    creepages = rng.standard_normal((CALLS, 3)) * (2e-3, 2e-3, 0.4)
    shapes = 10 ** rng.uniform(-1, 1, CALLS)
    grid = strips(n_x=20, n_y=20)
    work = workspace(grid)
    return [
        contact_figure("hertz_us", microseconds(lambda: _hertz_loop(A, B, approach, steel.E_star), CALLS), "us"),
        contact_figure("kalker_us", microseconds(lambda: _kalker_loop(table, shapes), CALLS), "us"),
        contact_figure("fastsim20_us", microseconds(lambda: _fastsim_loop(creepages, patch, grid, work), CALLS), "us"),
        contact_figure("polach_us", microseconds(lambda: _polach_loop(creepages, patch), CALLS), "us"),
    ]


def forces(law: Law, rows: list[dict[str, float]]) -> Array:
    """F_x and F_y (cases, 2) [N]."""
    tables = {nu: kalker_table(nu=nu) for nu in {row["nu"] for row in rows}}
    found = []
    for row in rows:
        C = kalker_coefficients(tables[row["nu"]], row["a_over_b"])
        patch = Patch(row["a_mm"] * 1e-3, row["b_mm"] * 1e-3, row["Fn_N"], row["mu"], row["G_MPa"] * 1e6, *C)
        found.append(law(Creepage(row["xi"], row["eta"], row["phi_per_mm"] * 1e3), patch)[:2])
    return np.array(found)


def fastsim(cells: int) -> Law:
    """FASTSIM with so many strips and cells."""
    grid = strips(n_x=cells, n_y=cells)
    work = workspace(grid)
    return lambda creepage, patch: fastsim_force(creepage, patch, grid, work)


def creep_errors() -> list[Figure]:
    """|dF| / (mu N) against CONTACT's extrapolated forces, and of 20 x 20 cells against the converged ones."""
    rows = _rows("tangential_hertz_cases.csv")
    limit = np.array([row["mu"] * row["Fn_N"] for row in rows])
    contact = np.array([[row["Fx_CONTACT_extrap_N"], row["Fy_CONTACT_extrap_N"]] for row in rows])
    found = {
        "fastsim_error": forces(fastsim(FINE), rows),
        "fastsim_error_20": forces(fastsim(20), rows),
        "polach_error": forces(polach_force, rows),
        "linear_saturated_error": forces(saturated_force, rows),
    }
    figures = []
    for name, F in found.items():
        error = np.linalg.norm(F - contact, axis=1) / limit
        figures += [
            contact_figure(f"{name}_mean", error.mean(), "mu N"),
            contact_figure(f"{name}_max", error.max(), "mu N"),
        ]
    coarse = np.linalg.norm(found["fastsim_error_20"] - found["fastsim_error"], axis=1) / limit
    return [*figures, contact_figure("fastsim_20_vs_400_max", coarse.max(), "mu N")]


def hertz_error() -> Figure:
    """Worst relative error of the semi-axes against the exact m, n table, whose values have eight decimals."""
    worst, E_star = 0.0, Material().E_star
    for row in _rows("hertz_mn_table.csv"):
        B = 1e3
        A = B * np.tan(np.deg2rad(row["theta_deg"]) / 2) ** 2
        patch = ellipse_under_force(A, B, 4 / 3 * E_star * (A + B) * 1e-9, E_star)  # a force that makes s = 1 mm
        worst = max(worst, abs(patch.a * 1e3 / row["m"] - 1), abs(patch.b * 1e3 / row["n"] - 1))
    return contact_figure("hertz_digits", worst, "relative")


def figures() -> list[Figure]:
    """Times always; errors where the reference numbers are at hand."""
    if not REFERENCE.is_dir():
        print("no reference numbers beside the repository: contact errors are not measured", file=sys.stderr)
        return times()
    return [*times(), *creep_errors(), hertz_error()]


def _rows(name: str) -> list[dict[str, float]]:
    with (REFERENCE / name).open(encoding="utf-8") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
