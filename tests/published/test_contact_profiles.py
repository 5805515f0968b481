"""S1002 and the 60E1 variants against their drawings and against an independent solver's profiles and contact points.

Numbers typed here are from ../shared/reference/contact; the files are read too where they are there.
"""

import csv
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.contact.curve import curve_values, join
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.core.arrays import Array

REFERENCE = Path(__file__).parents[3] / "shared" / "reference" / "contact"
MM = 1e-3

# geom_seating: y and z of the left contact point on the rail [mm], angle [rad]; y_w and r on the wheel [mm]
SEATED = {
    ("EN", 40): (
        (753.2261744, -0.0889809, 0.024356426, 753.2261744, 459.9070008),
        (741.9894176, -0.5767549, 0.069426838, 740.9650770, 460.4533461),
        (741.2545251, -0.6312605, 0.078638258, 739.2021460, 460.5838194),
    ),
}


def reference(name: str) -> Path:
    if not (REFERENCE / name).exists():
        pytest.skip(f"no reference data: {name}")
    return REFERENCE / name


def s1002_by_formula(s_mm: Array) -> tuple[Array, Array]:
    """z [mm] and slope of zones B, D, F and H, written out anew from the published table; NaN elsewhere."""
    low_powers = (0.0, -3.358537058e-02, 1.565681624e-03, -2.810427944e-05, 5.844240864e-08)
    tread = (*low_powers, -1.562379023e-08, 5.309217349e-15, -5.957839843e-12, 2.646656573e-13)
    z, slope = np.full_like(s_mm, np.nan), np.full_like(s_mm, np.nan)
    on = (s_mm > -26.0) & (s_mm < 32.15796)
    z[on] = sum(c * s_mm[on] ** k for k, c in enumerate(tread))
    slope[on] = sum(k * c * s_mm[on] ** (k - 1) for k, c in enumerate(tread) if k)
    for low, high, c0, radius, c2, side in (
        (-38.426669071, -35.0, 16.446, 13.0, 26.210665, -1.0),
        (-49.662510381, -39.764473993, 8.834924130, 20.0, 58.558326413, 1.0),
        (-69.68, -62.764705882, 9.519259302, 20.5, 49.5, 1.0),
    ):
        on = (s_mm > low) & (s_mm < high)
        root = np.sqrt(radius**2 - (s_mm[on] + c2) ** 2)
        z[on], slope[on] = c0 + side * root, -side * (s_mm[on] + c2) / root
    return z, slope


def test_s1002_meets_its_formulas_between_the_samples() -> None:
    s_mm = np.random.default_rng(0).uniform(-69.68, 60.0, 20_000)
    z_mm, slope = s1002_by_formula(s_mm)
    known = np.isfinite(z_mm)
    assert np.count_nonzero(known) > 10_000
    found = curve_values(wheel_profile("S1002").curve, s_mm[known] * MM)
    assert_allclose(found[:, 0] / MM, z_mm[known], rtol=0.0, atol=1e-9)
    assert_allclose(found[:, 1], slope[known], rtol=0.0, atol=1e-9)


def test_s1002_has_a_28_mm_flange_a_70_degree_face_and_a_tread_of_1_in_15() -> None:
    s = np.linspace(-69e-3, 60e-3, 200_001)
    z, slope, _ = curve_values(wheel_profile("S1002").curve, s).T
    assert z.max() / MM == pytest.approx(28.0, abs=1e-6)
    assert s[z.argmax()] / MM == pytest.approx(-55.0, abs=1e-2)
    assert np.degrees(np.arctan(slope[s > -50e-3])).min() == pytest.approx(-70.0, abs=1e-6)
    assert slope[-1] == pytest.approx(-1 / 15, abs=1e-9)
    assert float(np.interp(0.0, s, z)) == pytest.approx(0.0, abs=1e-12)


def test_s1002_keeps_the_steps_of_its_published_coefficients_and_has_no_others() -> None:
    zones = wheel_profile("S1002").zones
    steps_mm = {round(b.y[0] / MM, 3): abs(b.z[0] - a.z[-1]) / MM for a, b in pairwise(zones)}
    assert steps_mm.pop(-35.0) == pytest.approx(1.18e-4, rel=0.01)
    assert steps_mm.pop(-26.0) == pytest.approx(3.65e-5, rel=0.01)
    assert max(steps_mm.values()) < 1e-7


@pytest.mark.parametrize(
    ("variant", "flank_mm", "depth_mm"),
    [("EN", 35.999811, 14.299958), ("MB", 36.000011, 14.259740), ("UIC", 36.010030, 14.262094)],
)
def test_60e1_flank_touches_where_the_drawing_says(variant: str, flank_mm: float, depth_mm: float) -> None:
    flank = rail_profile(f"60E1-{variant}").zones[-1]
    assert (flank.y[0] / MM, -flank.z[0] / MM) == pytest.approx((flank_mm, depth_mm), abs=1e-6)


@pytest.mark.parametrize("variant", ["EN", "MB", "UIC"])
def test_60e1_is_symmetric_smooth_and_of_three_radii(variant: str) -> None:
    zones = rail_profile(f"60E1-{variant}").zones
    radii = [float(np.median((1 + zone.slope**2) ** 1.5 / -zone.second)) / MM for zone in zones[1:-1]]
    assert radii == pytest.approx([13, 80, 300, 80, 13])
    for a, b in pairwise(zones):
        assert (a.z[-1], a.slope[-1]) == pytest.approx((b.z[0], b.slope[0]), rel=1e-12, abs=1e-12)
    u = np.linspace(0.0, 36e-3, 1001)
    assert_allclose(curve_values(join(zones), u)[:, 0], curve_values(join(zones), -u)[:, 0], atol=1e-15)


@pytest.mark.parametrize(("variant", "cant"), SEATED)
def test_contact_points_of_the_solver_lie_on_wheel_and_laid_rail(variant: str, cant: int) -> None:
    y, z, angle, y_w, r = np.array(SEATED[variant, cant]).T
    rail = curve_values(laid_rail(rail_profile(f"60E1-{variant}"), cant=1 / cant), y * MM)
    assert_allclose(rail[:, 0] / MM, z, rtol=0.0, atol=1e-7)
    assert_allclose(np.arctan(rail[:, 1]), angle, rtol=0.0, atol=1e-8)
    wheel = curve_values(wheel_curve(wheel_profile("S1002")), y_w * MM)
    assert_allclose(wheel[:, 0] / MM, r, rtol=0.0, atol=1e-7)


def test_s1002_is_the_solvers_profile() -> None:
    s, z = np.loadtxt(reference("profile_wheel_S1002.csv"), delimiter=",").T / 1e3  # -26 mm must be the zones' border
    curve = wheel_profile("S1002").curve
    inside = s > curve.knots[0]
    assert_allclose(curve_values(curve, s[inside])[:, 0] / MM, z[inside] / MM, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize(("variant", "atol_mm"), [("EN", 1e-8), ("MB", 1e-7), ("UIC", 1e-8)])
def test_60e1_is_the_solvers_profile(variant: str, atol_mm: float) -> None:
    u, down = np.loadtxt(reference(f"profile_rail_{variant}_60E1_uncanted.csv"), delimiter=",").T * MM
    assert_allclose(curve_values(rail_profile(f"60E1-{variant}").curve, u)[:, 0], -down, rtol=0.0, atol=atol_mm * MM)


@pytest.mark.parametrize("cant", [40, 20])
def test_laid_rail_is_the_solvers_at_all_its_contact_points(cant: int) -> None:
    with reference("geom_random_DIFF_DIST_left_wheel.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["cant"] == f"1/{cant}"]
    y, z, slope = np.array([[float(row[key]) for key in ("y_rail_mm", "z_rail_mm", "slope_b")] for row in rows]).T
    found = curve_values(laid_rail(rail_profile("60E1-EN"), cant=1 / cant), y * MM)
    assert_allclose(found[:, 0] / MM, z, rtol=0.0, atol=1e-8 * np.hypot(1, slope).max())
    assert_allclose(np.arctan(found[:, 1]), np.arctan(slope), rtol=0.0, atol=1e-8)


@pytest.mark.parametrize("variant", ["EN", "MB"])
def test_seated_wheels_of_the_solver_touch_our_laid_rails(variant: str) -> None:
    with reference("geom_seating_S1002_rail60.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["rail_variant"] == variant]
    for cant in {row["cant"] for row in rows}:
        keys = ("L_y_tr_mm", "L_z_tr_mm", "L_contact_angle_rad")
        y, z, angle = np.array([[float(row[key]) for key in keys] for row in rows if row["cant"] == cant]).T
        found = curve_values(laid_rail(rail_profile(f"60E1-{variant}"), cant=1 / float(cant[2:])), y * MM)
        assert_allclose(found[:, 0] / MM, z, rtol=0.0, atol=2e-7 / np.cos(angle).min())
        assert_allclose(np.arctan(found[:, 1]), angle, rtol=0.0, atol=2e-8)
