"""Contact points of S1002 on 60E1 against an independent exact solver and against CONTACT.

The reference numbers lie outside the repository (shared/reference/contact); a few of them are typed in here.
"""

import csv
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.contact.methods import Method, locate
from twin.contact.pair import FALOMI_RANGE, Pair, SearchConfig, pair
from twin.contact.points import Pose, Side
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.seating import WheelsetPair, seat
from twin.core.arrays import Array

REFERENCE = Path(__file__).parents[3] / "shared" / "reference" / "contact"
WHEEL = wheel_curve(wheel_profile("S1002"))
CANT = {"1/40": 1 / 40, "1/20": 1 / 20}
METHOD = {"DIFF": Method.DIFFERENCE, "DIST": Method.DISTANCE}
Row = dict[str, str]


def on_rail(variant: str, cant: str, search: SearchConfig | None = None) -> Pair:
    return pair(WHEEL, laid_rail(rail_profile(f"60E1-{variant}"), cant=CANT[cant]), search)


def reference(name: str) -> list[Row]:
    path = REFERENCE / name
    if not path.is_file():
        pytest.skip("no reference numbers of contact beside the repository")
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def pose_of(row: Row, *, yaw: str, roll: str) -> Pose:
    return Pose(float(row["Gy_mm"]) * 1e-3, float(row["Gz_mm"]) * 1e-3, float(row[yaw]), float(row[roll]))


def column(rows: list[Row], name: str) -> Array:
    return np.array([float(row[name]) for row in rows])


TYPED = """
1/40 -9.264784 459.705351 -0.005159633 -0.000121811 DIFF -0.02366360 766.87055498 757.53968063 -0.10000018
1/40 -9.264784 459.705351 -0.005159633 -0.000121811 DIST -0.02366544 766.87131981 757.53944786 -0.09999520
1/20 5.390713 459.153053 0.005626041 0.000751151 DIFF 0.04580007 756.45914577 762.18333555 -0.10000022
1/20 5.390713 459.153053 0.005626041 0.000751151 DIFF 0.28020567 734.70209777 740.42882679 -0.08189272
1/20 5.390713 459.153053 0.005626041 0.000751151 DIFF 0.96045214 720.04782189 725.78079532 0.01786722
1/20 5.390713 459.153053 0.005626041 0.000751151 DIST 0.04577761 756.46351703 762.18593760 -0.09998456
1/20 5.390713 459.153053 0.005626041 0.000751151 DIST 0.27980478 734.72294912 740.44093999 -0.08141952
1/20 5.390713 459.153053 0.005626041 0.000751151 DIST 0.96233507 720.03429558 725.77308496 0.01676537
"""
"""Of geom_random_DIFF_DIST_left_wheel.csv: cant, G_y, G_z, yaw, roll, method, x_w, y_w, y, gap [mm, rad]."""


@pytest.mark.parametrize("text", TYPED.strip().splitlines())
def test_typed_in_points_of_the_exact_solver(text: str) -> None:
    cant, G_y, G_z, yaw, roll, method, *point = text.split()
    pose = Pose(float(G_y) * 1e-3, float(G_z) * 1e-3, float(yaw), float(roll))
    found = locate(on_rail("EN", cant, FALOMI_RANGE), pose, method=METHOD[method])
    gap = found.vertical_gap if method == "DIFF" else found.gap
    points = np.column_stack([found.x_w, found.y_w, found.y, gap]) * 1e3
    nearest = int(np.argmin(np.abs(points[:, 1] - float(point[1]))))
    assert_allclose(points[nearest], [float(value) for value in point], rtol=0, atol=5e-5)


TYPED_SEATINGS = """
1/40 0.0 0.000000000000 459.818019887 753.2261744 459.9070008
1/40 1.0 0.000052864368 459.837419917 740.9650770 460.4533461
"""
"""Of geom_seating_S1002_rail60.csv, EN, yaw 0: cant, y, roll, G_z, y_w and rolling radius left [mm, rad]."""


@pytest.mark.parametrize("text", TYPED_SEATINGS.strip().splitlines())
def test_typed_in_seatings_of_the_exact_solver(text: str) -> None:
    cant, *numbers = text.split()
    y, roll, G_z, y_w, radius = (float(number) for number in numbers)
    on = on_rail("EN", cant)
    seating = seat(WheelsetPair(on, on), y=y * 1e-3)
    k = seating.touching_left
    assert seating.pose.roll == pytest.approx(roll, abs=1e-10)
    assert_allclose(
        [seating.pose.G_z * 1e3, seating.left.y_w[k] * 1e3, seating.left.radius[k] * 1e3],
        [G_z, y_w, radius],
        rtol=0,
        atol=5e-5,
    )


@pytest.mark.parametrize("method", METHOD)
def test_points_of_250_random_poses_lie_within_50_nm_of_the_exact_solver(method: str) -> None:
    rows = [row for row in reference("geom_random_DIFF_DIST_left_wheel.csv") if row["method"] == method]
    pairs = {cant: on_rail("EN", cant, FALOMI_RANGE) for cant in CANT}
    for _, group in groupby(rows, key=lambda row: row["cfg"]):
        points = sorted(group, key=lambda row: float(row["yw_mm"]))
        pose = pose_of(points[0], yaw="alpha_rad", roll="beta_rad")
        found = locate(pairs[points[0]["cant"]], pose, method=METHOD[method])
        assert found.count == len(points) == int(points[0]["n_found"])
        gap = found.vertical_gap if method == "DIFF" else found.gap
        ours = (found.x_w, found.y_w, found.x, found.y, found.z, gap)
        names = ("xw_mm", "yw_mm", "x_tr_mm", "y_rail_mm", "z_rail_mm", "vertical_gap_or_pn_mm")
        for name, values in zip(names, ours, strict=True):
            assert_allclose(values * 1e3, column(points, name), rtol=0, atol=5e-5)
        assert_allclose(found.slope, column(points, "slope_b"), rtol=0, atol=1e-6)


def test_seatings_lie_within_50_nm_of_the_exact_solver() -> None:
    rows = reference("geom_seating_S1002_rail60.csv")
    pairs = {key: on_rail(*key) for key in {(row["rail_variant"], row["cant"]) for row in rows}}
    for row in rows:
        on = pairs[row["rail_variant"], row["cant"]]
        expected = pose_of(row, yaw="yaw_alpha_rad", roll="roll_beta_rad")
        seating = seat(WheelsetPair(on, on), y=expected.G_y, yaw=expected.yaw)
        assert_allclose(seating.pose, expected, rtol=0, atol=5e-8)
        for side, points, k in (
            ("L", seating.left, seating.touching_left),
            ("R", seating.right, seating.touching_right),
        ):
            ours = (points.x_w[k], points.y_w[k], points.x[k], points.y[k], points.z[k], points.radius[k])
            names = ("xw", "yw", "x_tr", "y_tr", "z_tr", "r_roll")
            assert_allclose(
                np.array(ours) * 1e3, [float(row[f"{side}_{name}_mm"]) for name in names], rtol=0, atol=5e-5
            )
        assert seating.radius_difference * 1e3 == pytest.approx(float(row["RRD_rL_minus_rR_mm"]), abs=1e-4)


def test_lightly_loaded_patches_of_contact_lie_on_the_rigid_points() -> None:
    """CONTACT at 20 N: the patch of a light load is centred on the rigid point, but where surfaces are conformal."""
    pairs = {cant: on_rail("EN", cant) for cant in CANT}
    dx, dy = [], []
    for row in reference("contact_wr_location_20N.csv"):
        side = Side.LEFT if row["wheel"] == "L" else Side.RIGHT
        found = locate(pairs[row["cant"]], pose_of(row, yaw="yaw_alpha_rad", roll="roll_beta_rad"), side=side)
        nearest = int(np.argmin(np.abs(found.y * 1e3 - float(row["y_tr_mm"]))))
        dx.append(abs(found.x[nearest] * 1e3 - float(row["x_tr_mm"])))
        dy.append(abs(found.y[nearest] * 1e3 - float(row["y_tr_mm"])))
    assert np.median(dy) <= 1e-3
    assert np.max(dy) <= 30e-3
    assert np.max(dx) <= 1e-3
