"""CONTACT's loaded rolling wheels, S1002 on 60E1, and the same wheels by this package.

CONTACT solves the half-space on cells of 0.2 mm and knows neither Hertz nor FASTSIM. It gives forces on the rail with y
to the right and z down, and creepages of the rail against the wheel: F_x on the wheel is -FX, F_y is +FY, xi is -xi,
eta, phi and M_z have its signs. It takes creepages of the mean of the two surfaces' speeds, here the wheelset's counts.
"""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from twin.contact.creep import Friction
from twin.contact.hertz import Material
from twin.contact.pair import Pair, pair
from twin.contact.points import Pose, Side
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.wheel_forces import F_X, F_Y, Motion, N, WheelForces, contact_law, wheel_forces
from twin.core.arrays import Array

CASES = Path(__file__).parents[2] / "shared" / "reference" / "contact" / "contact_wr_full_10kN.csv"
"""96 wheels under 10 kN at 20 m/s; outside the repository."""
MU = 0.3


@cache
def standard_pair(cant: str) -> Pair:
    """S1002 on 60E1-EN laid at 1/40 or 1/20."""
    laid = laid_rail(rail_profile("60E1-EN"), cant=1 / float(cant.removeprefix("1/")))
    return pair(wheel_curve(wheel_profile("S1002")), laid)


class Case(NamedTuple):
    """One wheel of CONTACT's, in the axes of this package and in SI units."""

    cant: str
    y: float
    yaw: float
    roll: float
    omega: float
    wheel: Side
    load: float
    G_z: float
    patches: int
    centre: float
    """Of the normal force of the first patch, across the track [m]."""
    approach: float
    creepage: tuple[float, float, float]
    N: float
    F: tuple[float, float]
    """Longitudinal and in the tangent plane, on the wheel, of the first patch."""
    total: tuple[float, float]
    """F_x and F_y on the wheel, all patches, track axes."""


class Compared(NamedTuple):
    """One of them, and what this package makes of it."""

    case: Case
    found: WheelForces
    height: float

    @property
    def single(self) -> bool:
        """One patch there, and one here."""
        return self.case.patches == 1 and int(np.sum(self.found.patches[:, N] > 0)) == 1

    @property
    def row(self) -> Array:
        """The patch that carries most."""
        return np.asarray(self.found.patches[np.argmax(self.found.patches[:, N])])

    @property
    def centre(self) -> float:
        """Of the normal force of all patches, across the track [m]."""
        return float(np.average(self.found.zones.y, weights=self.found.zones.N))

    @property
    def force_error(self) -> float:
        """|dF| / (mu N) of the tangential force of that patch."""
        return float(np.hypot(*np.subtract(self.row[[F_X, F_Y]], self.case.F)) / (MU * self.case.N))

    @property
    def total_error(self) -> float:
        """|dF| / load of the whole horizontal force."""
        return float(np.hypot(*np.subtract(self.found.wrench[:2], self.case.total)) / self.case.load)


def lowered(case: Case) -> Compared:
    """The wheel at the height at which it carries CONTACT's load, friction included."""
    l_x, l_y = -np.sin(case.yaw) * np.cos(case.roll), np.cos(case.yaw) * np.cos(case.roll)
    motion = Motion(20.0, 0.0, 0.0, *(float(case.omega * each) for each in (l_x, l_y, np.sin(case.roll))))

    law = contact_law(Material(k_v=0.0), Friction(mu=MU))

    def at(G_z: float) -> WheelForces:
        pose = Pose(case.y, G_z, case.yaw, case.roll)
        return wheel_forces(standard_pair(case.cant), pose, motion, law, side=case.wheel)

    height = float(brentq(lambda G_z: at(G_z).wrench.F_z - case.load, case.G_z - 2e-5, case.G_z + 1e-5, xtol=1e-13))
    return Compared(case, at(height), height)


def _read(row: dict[str, str]) -> Case:
    value = {key: float(text) for key, text in row.items() if text and key not in ("cant", "wheel")}
    return Case(
        cant=row["cant"],
        y=value["Gy_mm"] * 1e-3,
        yaw=value["yaw_alpha_rad"],
        roll=value["roll_beta_rad"],
        omega=-value["omega_pitch_rad_s"],
        wheel=Side.LEFT if row["wheel"] == "L" else Side.RIGHT,
        load=value["Fz_N"],
        G_z=value["Gz_mm"] * 1e-3,
        patches=int(value["n_patch"]),
        centre=value["yPN_tr_mm"] * 1e-3,
        approach=value["approach_mm"] * 1e-3,
        creepage=(-value["xi"], value["eta"], value["phi_per_mm"] * 1e3),
        N=value["Fn_N"],
        F=(-value["Fx_N"], value["Fs_N"]),
        total=(-value["FXtot_N"], value["FYtot_N"]),
    )


@cache
def compared() -> list[Compared]:
    """All wheels of CASES."""
    with CASES.open(encoding="utf-8") as file:
        return [lowered(_read(row)) for row in csv.DictReader(file) if row["patch"] == "1"]
