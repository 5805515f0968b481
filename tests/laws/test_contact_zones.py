"""What zones of contact must obey: Hertz on a parabola, no jump of the force in any motion, nothing carried twice."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.contact.curve import Curve, Zone, join
from twin.contact.hertz import Material, ellipse_at_approach, ellipse_under_force, stiffness
from twin.contact.locus import Placement, attitude
from twin.contact.pair import Pair, SearchConfig, pair
from twin.contact.points import CAPACITY, Pose, Side
from twin.contact.pressed import minima, press_wheelset
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.seating import WheelsetPair
from twin.contact.zones import (
    ACROSS,
    ALONG,
    DEPTH,
    FORCE,
    ZONE_FIELDS,
    Scan,
    scan_gap,
    scan_room,
    strip_share,
    vertical_force,
    zones,
)
from twin.core.arrays import Array
from twin.numerics.compiled import compiled

STEEL = Material()
WHEEL = wheel_curve(wheel_profile("S1002"))
CANTS = (1 / 40, 1 / 20)
PAIRS = {cant: pair(WHEEL, laid_rail(rail_profile("60E1-EN"), cant=cant)) for cant in CANTS}
RADIUS = 0.46


def cylinder() -> Curve:
    """A wheel of one radius."""
    y = np.linspace(0.70, 0.80, 501)
    return join([Zone(y, np.full_like(y, RADIUS), np.zeros_like(y), np.zeros_like(y))])


def parabola(radius: float, *, apart: float = 0.0) -> Curve:
    """A rail of that radius at its crown, or two of them, their crowns apart and a sharp valley between."""
    crowns = [0.75] if apart == 0.0 else [0.75 - apart / 2, 0.75 + apart / 2]
    edges = [0.72, 0.75, 0.78] if apart else [0.72, 0.78]
    return join(
        [
            Zone(y, -((y - crown) ** 2) / (2 * radius), -(y - crown) / radius, np.full_like(y, -1 / radius))
            for crown, low, high in zip(crowns, edges[:-1], edges[1:], strict=True)
            for y in [np.linspace(low, high, 301)]
        ]
    )


def zone_rows(wheel: Pair, pose: Pose) -> Array:
    room, rows = scan_room(wheel), np.empty((CAPACITY, ZONE_FIELDS))
    place = Placement(attitude(pose.yaw, pose.roll), pose.G_y, pose.G_z)
    scan_gap(wheel, place, room)
    return rows[: zones(wheel, place, 0.0, STEEL.E_star, room, rows)]


@compiled
def _forces(wheel: Pair, poses: Array, scan: Scan, out: Array) -> None:
    """Vertical force over E* of the wheel in every pose (n, 4)."""
    for k in range(poses.shape[0]):
        place = Placement(attitude(poses[k, 2], poses[k, 3]), poses[k, 0], poses[k, 1])
        scan_gap(wheel, place, scan)
        out[k] = vertical_force(wheel, 0.0, scan, 0, scan.places.shape[1] - 1)[0]


def vertical_forces(wheel: Pair, poses: Array) -> Array:
    out = np.empty(len(poses))
    _forces(wheel, poses, scan_room(wheel), out)
    return STEEL.E_star * out


def hertz_force(wheel: Pair, pose: Pose) -> float:
    """Vertical force with a patch of Hertz's at every closed minimum of the gap."""
    points = minima(wheel, pose, Side.LEFT)
    A, B = points.curvature_rolling / 2, (points.curvature_wheel + points.curvature_rail) / 2
    patches = [ellipse_at_approach(*each, STEEL.E_star).N for each in zip(A, B, -points.gap, strict=True)]
    return float(np.sum(patches * np.cos(points.contact_angle)))


def shifted(pose: Pose, y: Array) -> Array:
    """The pose (n, 4) at other lateral positions, all else held."""
    return np.column_stack([y, *(np.full_like(y, value) for value in pose[1:])])


@pytest.mark.parametrize("radius", [0.3, 0.08, 0.013])
def test_a_parabolic_gap_gives_hertzs_force_and_ellipse_wherever_it_lies_in_the_scan(radius: float) -> None:
    wheel = pair(cylinder(), parabola(radius))
    for depth in (1e-6, 2e-5, 1e-4):
        expected = ellipse_at_approach(0.5 / RADIUS, 0.5 / radius, depth, STEEL.E_star)
        for y in np.linspace(0.0, 0.35e-3, 8):
            (row,) = zone_rows(wheel, Pose(y, RADIUS - depth))
            found = ellipse_under_force(row[ALONG], row[ACROSS], row[FORCE], STEEL.E_star)
            # the law is that of a parabola over the arc's length, which on 13 mm is 0.4 % longer than its width
            assert row[FORCE] == pytest.approx(expected.N, rel=5e-3 if radius < 0.02 else 5e-4)
            assert row[DEPTH] == pytest.approx(depth, rel=1e-6)
            assert_allclose([found.a, found.b], [expected.a, expected.b], rtol=3e-3)


def test_the_share_of_a_strip_depends_on_the_ratio_of_curvatures_alone_and_fades_with_b() -> None:
    A = 1.1
    shares = [strip_share(A, B) for B in (0.06, 0.6, 6.0, 60.0)]
    assert np.all(np.diff(shares) > 0)
    assert strip_share(A, 6.0) == pytest.approx(strip_share(2 * A, 12.0), rel=1e-12)
    assert strip_share(A, -5.0) == strip_share(A, 0.0) < shares[0]
    k_h = stiffness(A, 6.0, STEEL.E_star)
    assert STEEL.E_star * strip_share(A, 6.0) * 4 / 3 * 6.0**-0.5 == pytest.approx(k_h, rel=1e-12)


def test_two_parabolas_carry_the_sum_apart_and_less_than_it_once_they_overlap() -> None:
    wheel = pair(cylinder(), parabola(0.08, apart=6e-3), SearchConfig(step=1e-4))
    single = [ellipse_at_approach(0.5 / RADIUS, 0.5 / 0.08, depth, STEEL.E_star).N for depth in (4e-5, 1.2e-4)]
    apart, merged = (zone_rows(wheel, Pose(0.0, RADIUS - depth)) for depth in (4e-5, 1.2e-4))
    assert len(apart) == 2
    assert apart[:, FORCE].sum() == pytest.approx(2 * single[0], rel=2e-3)
    assert len(merged) == 1
    assert 1.5 * single[1] < merged[0, FORCE] < 1.99 * single[1]


@pytest.mark.parametrize("cant", CANTS)
@pytest.mark.parametrize("load", [1e4, 6e4, 1.2e5])
def test_the_force_of_a_wheel_that_shifts_by_2_um_changes_by_less_than_4_percent_on_tread_and_root(
    load: float, cant: float
) -> None:
    """And its change by less than 0.5 %: it has no jumps. Against the flange 2 um are 5 um of penetration, and more."""
    wheelset = WheelsetPair(PAIRS[cant], PAIRS[cant])
    for y in np.arange(-8e-3, 5.6e-3, 5e-4):
        pose = press_wheelset(wheelset, y=y, loads=(load, load), material=STEEL)[0].pose
        force = vertical_forces(PAIRS[cant], shifted(pose, np.arange(y - 2.5e-4, y + 2.5e-4, 2e-6)))
        assert np.all(np.abs(np.diff(force)) < 0.04 * np.maximum(force[1:], load))
        assert np.all(np.abs(np.diff(force, 2)) < 0.005 * np.maximum(force[2:], load))


def test_where_a_pressed_minimum_vanishes_hertz_jumps_by_its_load_and_zones_do_not() -> None:
    wheel = PAIRS[1 / 40]
    pose = Pose(0.5e-3, 0.45978, 0.0, 0.0)
    y = np.arange(0.3e-3, 0.9e-3, 2e-6)
    hertz = np.array([hertz_force(wheel, Pose(*row)) for row in shifted(pose, y)])
    force = vertical_forces(wheel, shifted(pose, y))
    assert np.abs(np.diff(hertz)).max() > 1e5
    assert np.abs(np.diff(force)).max() < 500.0


@pytest.mark.parametrize("cant", CANTS)
@pytest.mark.parametrize("way", ["height", "roll", "yaw"])
def test_the_force_halves_its_steps_with_the_steps_of_the_pose(way: str, cant: float) -> None:
    """So it is continuous in all of them: a jump would stay as it is."""
    wheelset, rng = WheelsetPair(PAIRS[cant], PAIRS[cant]), np.random.default_rng(0)
    column, reach = {"height": (1, 1e-5), "yaw": (2, 2e-3), "roll": (3, 2e-5)}[way]
    for _ in range(20):
        y = rng.uniform(-7e-3, 7e-3)
        pose = press_wheelset(wheelset, y=y, loads=(6e4, 6e4), material=STEEL)[0].pose
        largest = []
        for count in (100, 400, 1600):
            poses = np.tile(np.array(pose), (count, 1))
            poses[:, column] += np.linspace(-reach, reach, count)
            largest.append(np.abs(np.diff(vertical_forces(PAIRS[cant], poses))).max())
        assert largest[1] < 0.5 * largest[0] + 1.0
        assert largest[2] < 0.5 * largest[1] + 1.0


@pytest.mark.parametrize(("y", "ripple"), [(-5e-3, 2e-3), (0.0, 2e-3), (3e-3, 2e-3), (6e-3, 1e-2), (7e-3, 1e-2)])
def test_where_the_scan_lies_on_the_wheel_hardly_matters(y: float, ripple: float) -> None:
    rail = laid_rail(rail_profile("60E1-EN"), cant=1 / 40)
    pose = press_wheelset(WheelsetPair(PAIRS[1 / 40], PAIRS[1 / 40]), y=y, loads=(6e4, 6e4), material=STEEL)[0].pose
    tip = PAIRS[1 / 40].y_w[0]
    shifts = np.linspace(0.0, 0.35e-3, 12)
    forces = [
        vertical_forces(pair(WHEEL, rail, SearchConfig(wheel=(tip + shift, 0.8))), np.array([pose]))[0]
        for shift in shifts
    ]
    assert np.ptp(forces) < ripple * np.mean(forces)
