"""Knife-edge equivalent profiles: the wheelset moves on its knives as the real one on its rails."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.contact.curve import Curve, Zone, curve_values, join
from twin.contact.knife_edge import (
    BEYOND,
    STANDING,
    UNSETTLED,
    Irregularity,
    KnifeEdge,
    branch_at,
    constraint,
    knife_edge,
    stand_down,
    stand_free,
    stand_on,
)
from twin.contact.pair import pair
from twin.contact.plain import knife_edge as plain
from twin.contact.points import CAPACITY, FIELDS
from twin.contact.profiles import laid_rail, rail_profile, wheel_curve, wheel_profile
from twin.contact.seating import SEATED, SeatingError, WheelsetPair, seat, seat_batch
from twin.contact.shapes import arc, line
from twin.core.arrays import Array

WHEEL = wheel_curve(wheel_profile("S1002"))
RAILS = {
    "1/40": laid_rail(rail_profile("60E1-EN"), cant=1 / 40),
    "1/20": laid_rail(rail_profile("60E1-EN"), cant=1 / 20),
}
ACROSS = np.linspace(-9e-3, 9e-3, 361) + 1.7e-6
"""Over tread and flange, and never just where two branches meet."""
NOMINAL = Irregularity()
ESCALONA = (0.75, 0.0)
"""Knives on the rail's top over the taping line [Esc fig. 5]."""


def wheelset_on(left: Curve, right: Curve) -> WheelsetPair:
    return WheelsetPair(pair(WHEEL, left), pair(WHEEL, right))


WHEELSETS = {cant: wheelset_on(rail, rail) for cant, rail in RAILS.items()}
EDGES = {cant: knife_edge(wheelset) for cant, wheelset in WHEELSETS.items()}
both_cants = pytest.mark.parametrize("cant", ["1/40", "1/20"])


def moved(curve: Curve, *, y: float, z: float) -> Curve:
    """The curve shifted [m], piece by piece."""
    zones = []
    for start, end, c in zip(curve.knots[:-1], curve.knots[1:], curve.coefficients, strict=True):
        at = np.array([0.0, end - start])
        z_i, slope, second = (np.polyval(np.polyder(c[::-1], order), at) for order in range(3))
        zones.append(Zone(start + at, z_i, slope, second).moved(y=y, z=z))
    return join(zones)


def seated(wheelset: WheelsetPair, y: Array) -> Array:
    """Height and roll (n, 2) of the real wheelset."""
    results, rows = np.empty((y.size, 5)), np.empty((2, y.size, CAPACITY, FIELDS))
    seat_batch(wheelset.left, wheelset.right, np.column_stack([y, np.zeros(y.size)]), results, rows[0], rows[1])
    assert np.all(results[:, 4] == SEATED)
    return results[:, (1, 0)]


def standing(edge: KnifeEdge, y: Array, rails: Irregularity = NOMINAL) -> Array:
    """Height and roll (n, 2) on the knives."""
    found = [stand_free(edge.left_wheel, edge.right_wheel, place, rails) for place in y]
    assert all(each.state == STANDING for each in found)
    return np.array([(each.z, each.roll) for each in found])


def rails_off(cant: str, *, gauge: float, level: float) -> tuple[WheelsetPair, Irregularity]:
    """The wheelset on a track with wider gauge and a higher left rail [m], and the same said as irregularity."""
    rail = RAILS[cant]
    wheelset = wheelset_on(moved(rail, y=gauge / 2, z=level / 2), moved(rail, y=gauge / 2, z=-level / 2))
    return wheelset, Irregularity(gauge / 2, level / 2, -gauge / 2, -level / 2)


CASES = [(5e-3, 0.0), (-5e-3, 0.0), (0.0, 5e-3), (5e-3, 5e-3), (-5e-3, -5e-3)]


def worst_off_the_nominal_track(cant: str, edge: KnifeEdge) -> tuple[float, float]:
    """Largest error of height [m] and roll [rad] with the rails up to 5 mm off."""
    errors = []
    for gauge, level in CASES:
        wheelset, rails = rails_off(cant, gauge=gauge, level=level)
        errors.append(np.abs(standing(edge, ACROSS[::4], rails) - seated(wheelset, ACROSS[::4])).max(axis=0))
    z, roll = np.max(errors, axis=0)
    return float(z), float(roll)


@both_cants
@pytest.mark.parametrize("knife", [None, ESCALONA])
def test_on_the_nominal_track_height_and_roll_are_those_of_the_real_wheelset(
    cant: str, knife: tuple[float, float] | None
) -> None:
    edge = knife_edge(WHEELSETS[cant], knife=knife)
    error = np.abs(standing(edge, ACROSS) - seated(WHEELSETS[cant], ACROSS))
    assert np.all(error.max(axis=0) < (0.2e-6, 0.2e-6))


@pytest.mark.parametrize(("cant", "bound"), [("1/40", 1e-6), ("1/20", 25e-6)])
def test_with_rails_5_mm_off_the_error_stays_at_a_micrometre_where_a_branch_has_one_arc(
    cant: str, bound: float
) -> None:
    z, roll = worst_off_the_nominal_track(cant, EDGES[cant])
    assert z < bound
    assert roll < 2 * bound


def test_knives_on_the_railhead_are_a_hundred_times_worse_off_the_nominal_track() -> None:
    z, _ = worst_off_the_nominal_track("1/40", knife_edge(WHEELSETS["1/40"], knife=ESCALONA))
    assert 0.5e-3 < z < 2e-3


def test_escalonas_equations_as_printed_hold_in_our_axes_to_the_square_of_the_roll() -> None:
    edge = knife_edge(WHEELSETS["1/40"], knife=ESCALONA)
    L, r0 = 0.75, 0.46
    for y in (-5e-3, -1e-3, 2e-3, 6.1e-3):
        found = stand_down(edge, y=y, rails=Irregularity(1e-3, -5e-4, 2e-3, 3e-4))
        f_l = branch_at(edge.left_wheel, found.left, found.s_left)[0]
        f_r = branch_at(edge.right_wheel, found.right, found.s_right)[0]
        z, phi, s_l, s_r = found.z - r0, found.roll, found.s_left, -found.s_right  # [Esc] counts both s to the left
        rows = np.array(
            [
                (r0 + f_l) * phi + s_l + y - 1e-3,
                z + L * phi + phi * s_l - f_l + 5e-4,
                (r0 + f_r) * phi + s_r + y - 2e-3,
                z - L * phi + phi * s_r - f_r - 3e-4,
            ]
        )
        assert np.abs(rows).max() <= 0.55 * phi**2 * (L + r0)


def test_the_equivalent_profile_of_a_cone_on_a_round_rail_is_a_cone() -> None:
    tan, head = 0.05, 0.08
    wheel = join([line(start=0.68, end=0.82, value=0.46 + tan * 0.75, slope=-tan)])
    one = pair(wheel, join([arc(start=0.715, end=0.785, centre=(0.75, -head), radius=head)]))
    (branch,) = knife_edge(WheelsetPair(one, one)).left
    assert branch.kind == "tread"
    s = np.linspace(branch.first, branch.last, 300)
    f, slope, second = curve_values(branch.curve, s).T
    assert_allclose(f - f[0], -tan * (s - s[0]), atol=1e-12)
    assert_allclose(slope, -tan, atol=1e-9)
    assert_allclose(second, 0.0, atol=1e-5)


def test_knives_lie_in_the_centres_of_the_rails_arcs() -> None:
    depths = [-branch.knife[1] for branch in EDGES["1/40"].left]
    # R300 on top; R80 and R13 lie below the top by what the arcs beside them fall
    assert_allclose(depths, [0.3000, 0.0804, 0.0156, 0.0156], atol=1e-4)
    assert [branch.kind for branch in EDGES["1/40"].left] == ["tread", "tread", "flange", "flange"]


def handed_over(edge: KnifeEdge, low: float, high: float) -> float:
    """Where between low and high [m] another branch of the left wheel takes over."""
    first = stand_down(edge, y=low).left
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if stand_down(edge, y=middle).left == first else (low, middle)
    return low


@both_cants
def test_where_one_branch_gives_way_to_the_next_both_touch_at_once_as_do_two_points_of_the_real_wheel(
    cant: str,
) -> None:
    edge, y = EDGES[cant], np.linspace(0.0, 6.2e-3, 311)
    carrying = [stand_down(edge, y=place).left for place in y]
    pairs = set()
    for k in np.flatnonzero(np.diff(carrying)):
        place = handed_over(edge, y[k], y[k + 1])
        found = stand_down(edge, y=place)
        for branch in carrying[k : k + 2]:
            off, *_, inside = constraint(edge.left_wheel, branch, place, found.z, found.roll)
            assert inside
            assert abs(off) < 1e-9
        assert np.sort(seat(WHEELSETS[cant], y=place).left.gap)[1] < 0.1e-6
        pairs.add(tuple(edge.left[branch].kind for branch in carrying[k : k + 2]))
    assert pairs == {("tread", "tread"), ("tread", "flange")}


@both_cants
def test_no_branch_lies_below_its_knife(cant: str) -> None:
    edge, rails = EDGES[cant], Irregularity(1e-3, 2e-3, -1e-3, -1e-3)
    for y in ACROSS[::8]:
        found = stand_down(edge, y=y, rails=rails)
        for i in range(len(edge.left)):
            off, *_, inside = constraint(edge.left_wheel, i, y - rails.y_left, found.z - rails.z_left, found.roll)
            assert off > -1e-9 or not inside


def test_the_constraint_and_the_profile_carry_their_own_derivatives() -> None:
    wheel, rng, h = EDGES["1/40"].left_wheel, np.random.default_rng(0), 1e-7
    for i, branch in enumerate(EDGES["1/40"].left):
        for s in rng.uniform(branch.first + 1e-4, branch.last - 1e-4, 5):
            f = [branch_at(wheel, i, s + d)[0] for d in (-h, h)]
            slopes = [branch_at(wheel, i, s + d)[1] for d in (-h, h)]
            _, slope, second = branch_at(wheel, i, s)
            assert (f[1] - f[0]) / (2 * h) == pytest.approx(slope, abs=1e-6)
            assert (slopes[1] - slopes[0]) / (2 * h) == pytest.approx(second, rel=1e-2, abs=1e-2)
        pose = np.array([-0.5 * (branch.first + branch.last), 0.46, 1e-3])
        derivatives = constraint(wheel, i, *pose)[1:4]
        for k in range(3):
            step = h * np.eye(3)[k]
            rise = constraint(wheel, i, *(pose + step))[0] - constraint(wheel, i, *(pose - step))[0]
            assert rise / (2 * h) == pytest.approx(derivatives[k], abs=1e-5)


def test_the_kernels_equal_the_plain_equations() -> None:
    rng = np.random.default_rng(1)
    for cant in ("1/40", "1/20"):
        edge = EDGES[cant]
        for _ in range(12):
            y, rails = float(rng.uniform(-7e-3, 7e-3)), Irregularity(*rng.uniform(-2e-3, 2e-3, 4))
            free = stand_free(edge.left_wheel, edge.right_wheel, y, rails)
            z, roll, left, right = plain.stand(edge, y=y, rails=rails)
            assert (free.left, free.right, free.state) == (left, right, STANDING)
            assert_allclose((free.z, free.roll), (z, roll), rtol=0, atol=1e-12)
            held = stand_on(edge.left_wheel, edge.right_wheel, left, right, y, rails)
            assert_allclose(held[:2], free[:2], rtol=0, atol=1e-12)
            assert_allclose(held[2:4], free[2:4], rtol=0, atol=1e-10)  # s is that of the step before the last


def test_a_mirrored_track_mirrors_the_seating_also_with_unlike_rails() -> None:
    left, right = RAILS["1/40"], RAILS["1/20"]
    one, other = knife_edge(wheelset_on(left, right)), knife_edge(wheelset_on(right, left))
    for y in (-8e-3, -2e-3, 1e-3, 6.5e-3):
        here = stand_down(one, y=y, rails=Irregularity(1e-3, 2e-3, 3e-4, -1e-3))
        there = stand_down(other, y=-y, rails=Irregularity(-3e-4, -1e-3, -1e-3, 2e-3))
        assert_allclose((there.z, there.roll), (here.z, -here.roll), rtol=0, atol=1e-9)
        assert (there.s_left, there.s_right) == pytest.approx((here.s_right, here.s_left), abs=1e-8)


def test_beyond_the_profiles_and_for_no_number_the_kernels_say_so_and_stay_finite() -> None:
    edge = EDGES["1/40"]
    for y, state in ((1.0, BEYOND), (-0.1, BEYOND), (np.nan, UNSETTLED), (np.inf, UNSETTLED)):
        for found in (
            stand_free(edge.left_wheel, edge.right_wheel, y, NOMINAL),
            stand_on(edge.left_wheel, edge.right_wheel, 0, 0, y, NOMINAL),
        ):
            assert found.state == state
            assert np.all(np.isfinite(found))
    with pytest.raises(SeatingError, match="beyond the ends"):
        stand_down(edge, y=0.05)


def test_a_wheelset_that_does_not_stand_on_its_rails_is_refused() -> None:
    narrow = laid_rail(rail_profile("60E1-EN"), gauge=1.0)
    with pytest.raises(SeatingError, match="do not stand on the rails"):
        knife_edge(wheelset_on(narrow, narrow))
