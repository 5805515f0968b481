"""The contact locus: three papers' formulas are one curve, and a mesh of the turned wheel lies on it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.contact.curve import curve_values
from twin.contact.locus import attitude, locus, locus_points, wang_points
from twin.contact.profiles import wheel_curve, wheel_profile
from twin.core.arrays import Array

WHEEL = wheel_curve(wheel_profile("S1002"))
Y_W = np.linspace(0.7075, 0.80, 371)
"""From the flange's side, past its steepest part, to the tread's end."""
ACROSS = (0.695, 0.8005)
"""The wheel's part that is meshed, from behind the flange's tip [m]."""
R, SLOPE, _ = curve_values(WHEEL, Y_W).T.copy()
FLANK = float(np.tan(np.radians(70.0)))


def test_wangs_cones_and_the_common_normal_give_one_curve_to_1e_13_m() -> None:
    rng = np.random.default_rng(1)
    for yaw, roll in rng.uniform(-1, 1, (100, 2)) * np.radians([5.0, 2.0]):
        ours = locus_points(y_w=Y_W, r=R, slope=SLOPE, yaw=yaw, roll=roll)
        wang = wang_points(y_w=Y_W, r=R, slope=SLOPE, yaw=yaw, roll=roll)
        assert_allclose(ours, wang, rtol=0, atol=1e-13)


def test_root_of_falomis_squared_equations_is_the_locus() -> None:
    """[Fal eqs 25 and 46]: one of each two roots satisfies the equation before it was squared."""
    rng = np.random.default_rng(2)
    for yaw, roll in rng.uniform(-1, 1, (100, 2)) * np.radians([1.0, 0.75]):
        t = attitude(yaw, roll)
        x_w = np.array([r * locus(t, slope)[0] for r, slope in zip(R, SLOPE, strict=True)])
        A, C, D = t.r13, t.r11, t.r12 * R * SLOPE
        assert_allclose(A * np.sqrt(R**2 - x_w**2), C * x_w - D, rtol=0, atol=1e-15)  # [Fal eq. 24]
        A_1, C_1, D_1 = t.r21 * t.r32, t.r22 * t.r33 - t.r23 * t.r32, t.r21 * t.r33 * R * SLOPE
        assert_allclose(A_1 * np.sqrt(R**2 - x_w**2), C_1 * x_w + D_1, rtol=0, atol=1e-15)  # [Fal eq. 45]


def lowest_of_mesh(yaw: float, roll: float, y: Array) -> Array:
    """x, z (n, 2) of the lowest place of the turned wheel at each y (n,), from a mesh of its surface.

    Circles of revolution, 0.02 degrees between points, 0.02 mm between circles; straight lines between circles, a
    parabola through the three lowest points.
    """
    y_w = np.arange(ACROSS[0], ACROSS[1], 2e-5)
    r = curve_values(WHEEL, y_w)[:, 0]
    turn = np.radians(np.arange(-18.0, 18.0, 0.02))
    ca, sa, cb, sb = np.cos(yaw), np.sin(yaw), np.cos(roll), np.sin(roll)
    R2 = np.array([[ca, -sa * cb, sa * sb], [sa, ca * cb, -ca * sb], [0.0, sb, cb]])
    x, z = np.empty((2, turn.size, y.size))
    for k, angle in enumerate(turn):
        mesh = R2 @ np.stack([r * np.sin(angle), y_w, -r * np.cos(angle)])
        x[k], z[k] = np.interp(y, mesh[1], mesh[0]), np.interp(y, mesh[1], mesh[2])
    n, k = np.arange(y.size), np.argmin(z, axis=0)
    assert np.all((k > 0) & (k < turn.size - 1))
    fall, bend = (z[k + 1, n] - z[k - 1, n]) / 2, z[k + 1, n] - 2 * z[k, n] + z[k - 1, n]
    return np.column_stack([x[k, n] - fall / bend * (x[k + 1, n] - x[k - 1, n]) / 2, z[k, n] - fall**2 / (2 * bend)])


def lowest_of_locus(yaw: float, roll: float, y: Array) -> Array:
    """x, z (n, 2) on the lowest branch of the locus at each y (n,)."""
    y_w = np.arange(ACROSS[0], ACROSS[1], 5e-6)
    r, slope, _ = curve_values(WHEEL, y_w).T
    points = locus_points(y_w=y_w, r=r, slope=slope, yaw=yaw, roll=roll)
    folds = np.flatnonzero(np.diff(np.sign(np.diff(points[:, 1])))) + 1
    branches = []
    for branch in np.split(points, folds):
        X, Y, Z = branch[np.argsort(branch[:, 1])].T
        branches.append([np.interp(y, Y, X), np.interp(y, Y, Z, np.inf, np.inf)])
    x, z = np.array(branches).transpose(1, 0, 2)
    lowest, n = np.argmin(z, axis=0), np.arange(y.size)
    return np.column_stack([x[lowest, n], z[lowest, n]])


@pytest.mark.parametrize(("yaw_deg", "roll_deg"), [(1.0, 0.0), (1.0, -0.5), (5.0, 0.0), (-5.0, 0.5)])
def test_a_mesh_of_the_turned_wheel_is_lowest_on_the_locus(yaw_deg: float, roll_deg: float) -> None:
    """At 5 degrees the locus folds: the flange hides the fillet from the rail, and its lowest branch is what counts.

    The mesh knows x less well than z: its lowest place is flat.
    """
    yaw, roll = np.radians([yaw_deg, roll_deg])
    middle = locus_points(y_w=Y_W, r=R, slope=SLOPE, yaw=yaw, roll=roll)[:, 1]
    y = np.linspace(np.min(middle) + 1e-3, middle[-1] - 1e-3, 301)
    off = np.abs(lowest_of_locus(yaw, roll, y) - lowest_of_mesh(yaw, roll, y))
    assert np.max(off[:, 1]) < 1e-7
    assert np.quantile(off[:, 0], 0.99) < 5e-5


def test_largest_shift_along_the_track_at_one_degree_is_23_mm_on_the_flank_of_70_degrees() -> None:
    """[Bur, Figure 5]: from the rotated principal profile to the locus."""
    points = locus_points(y_w=Y_W, r=R, slope=SLOPE, yaw=np.radians(1.0), roll=0.0)
    shift = np.abs(points[:, 0] + np.sin(np.radians(1.0)) * Y_W)
    largest = int(np.argmax(shift))
    assert shift[largest] == pytest.approx(23e-3, abs=0.5e-3)
    assert abs(SLOPE[largest]) == pytest.approx(FLANK, rel=2e-3)


def test_burgelmans_second_equation_as_printed_is_0_39_mm_off() -> None:
    """[Bur eq. 2] prints l_y for l_z in the first term of dz."""
    yaw = np.radians(1.0)
    l_x, l_y = -np.sin(yaw), np.cos(yaw)
    m = np.sqrt(1.0 - l_x**2 * (1.0 + SLOPE**2))
    printed = -R / (1.0 - l_x**2) * (l_x**2 * l_y * SLOPE + l_y * m)
    right = locus_points(y_w=Y_W, r=R, slope=SLOPE, yaw=yaw, roll=0.0)[:, 2]
    assert np.max(np.abs(printed - right)) == pytest.approx(0.39e-3, abs=0.02e-3)


def test_a_wheel_too_steep_for_its_yaw_has_no_locus() -> None:
    assert locus(attitude(np.radians(20.0), 0.0), FLANK)[2]
    assert not locus(attitude(np.radians(21.0), 0.0), FLANK)[2]
    points = locus_points(y_w=Y_W[:1], r=R[:1], slope=np.array([FLANK]), yaw=np.radians(21.0), roll=0.0)
    assert np.isnan(points).all()
