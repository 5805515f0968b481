"""Curves in pieces: the compiled form against scipy's, what lies beyond the ends; zones moved, mirrored and turned."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from twin.contact.curve import Zone, curve_at, curve_values, join, slope_at
from twin.contact.plain.curve import plain_curve, plain_values
from twin.contact.profiles import laid_rail, rail_profile, wheel_profile
from twin.contact.shapes import arc, line, polynomial, refined, trimmed
from twin.core.arrays import Array

PROFILES = {"S1002": wheel_profile("S1002").zones, "60E1-EN": rail_profile("60E1-EN").zones}


def random_zones(rng: np.random.Generator) -> list[Zone]:
    """Zones with steps of value and slope between them, samples 0.02 to 3 mm apart."""
    zones, start = [], -0.05
    for _ in range(4):
        y = start + np.append(0.0, np.cumsum(rng.uniform(2e-5, 3e-3, rng.integers(1, 30))))
        zones.append(Zone(y, *(scale * rng.standard_normal(y.size) for scale in (1e-3, 1.0, 50.0))))
        start = y[-1]
    return zones


def places(rng: np.random.Generator, knots: Array) -> Array:
    """Places within, on the knots and their neighbouring numbers, at the ends and beyond."""
    inside = rng.uniform(knots[0], knots[-1], 5000)
    beyond = np.array([knots[0] - 0.3, knots[0] - 1e-12, knots[-1] + 1e-12, knots[-1] + 0.3])
    return np.concatenate([inside, knots, np.nextafter(knots, 1.0), np.nextafter(knots, -1.0), beyond])


@pytest.mark.parametrize("seed", range(5))
def test_kernel_gives_what_scipy_gives_for_random_zones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    zones = random_zones(rng)
    curve = join(zones)
    y = places(rng, curve.knots)
    expected = plain_values(plain_curve(zones), y)
    scale = np.abs(expected).max(axis=0)
    assert_allclose(curve_values(curve, y) / scale, expected / scale, rtol=0.0, atol=1e-11)


@pytest.mark.parametrize("name", PROFILES)
def test_kernel_gives_what_scipy_gives_for_standard_profiles(name: str) -> None:
    curve = join(PROFILES[name])
    y = places(np.random.default_rng(1), curve.knots)
    expected = plain_values(plain_curve(PROFILES[name]), y)
    found = curve_values(curve, y)
    assert_allclose(found[:, 0], expected[:, 0], rtol=1e-12, atol=1e-15)
    assert_allclose(found[:, 1], expected[:, 1], rtol=1e-10, atol=1e-11)
    assert_allclose(found[:, 2], expected[:, 2], rtol=1e-7, atol=1e-6)


def test_slope_alone_is_the_slope_with_the_rest() -> None:
    curve = join(PROFILES["S1002"])
    for y in places(np.random.default_rng(2), curve.knots)[::37]:
        assert slope_at(curve.packed, y) == pytest.approx(curve_at(curve.packed, y)[1], rel=1e-14)


def test_curve_goes_on_straight_beyond_its_ends() -> None:
    curve = laid_rail(rail_profile("60E1-EN"))
    for end, side in ((curve.knots[0], -1.0), (curve.knots[-1], 1.0)):
        value, slope, _ = curve_at(curve.packed, end)
        for distance in (1e-9, 1e-3, 1.0):
            assert curve_at(curve.packed, end + side * distance) == pytest.approx(
                (value + side * distance * slope, slope, 0)
            )


def test_curve_passes_through_its_samples_with_their_derivatives() -> None:
    zone = random_zones(np.random.default_rng(3))[0]
    assert_allclose(curve_values(join([zone]), zone.y)[:-1], np.column_stack(zone[1:])[:-1], rtol=1e-12)


def test_samples_that_do_not_rise_are_refused() -> None:
    y = np.array([0.0, 1e-3, 1e-3])
    with pytest.raises(ValueError, match="must rise"):
        join([Zone(y, y, y, y)])


def test_turned_arc_is_the_arc_of_the_turned_centre() -> None:
    angle, radius = 0.05, 0.08
    centre = (0.01, -0.07)
    turned = arc(start=-0.03, end=0.03, centre=centre, radius=radius).rotated(angle)
    y_c = np.cos(angle) * centre[0] - np.sin(angle) * centre[1]
    z_c = np.sin(angle) * centre[0] + np.cos(angle) * centre[1]
    height = np.sqrt(radius**2 - (turned.y - y_c) ** 2)
    assert_allclose(turned.z, z_c + height, rtol=0.0, atol=1e-15)
    assert_allclose(turned.slope, -(turned.y - y_c) / height, rtol=0.0, atol=1e-13)
    assert_allclose(turned.second, -(radius**2) / height**3, rtol=1e-11)


def test_mirror_twice_and_there_and_back_change_nothing() -> None:
    zone = PROFILES["S1002"][4]
    for one, other in zip(zone.mirrored().mirrored(), zone, strict=True):
        assert_array_equal(one, other)
    for one, other in zip(zone.rotated(0.1).rotated(-0.1).moved(y=1.0, z=2.0).moved(y=-1.0, z=-2.0), zone, strict=True):
        assert_allclose(one, other, rtol=1e-12, atol=1e-15)


def test_trimmed_and_refined_zones_are_the_same_curve() -> None:
    zones = PROFILES["60E1-EN"]
    y = np.linspace(-0.03, 0.03, 4001)
    whole = curve_values(join(zones), y)
    cut = trimmed(zones, start=-0.031, end=0.0302)
    assert (cut[0].y[0], cut[-1].y[-1]) == (-0.031, 0.0302)
    assert_allclose(curve_values(join(cut), y), whole, rtol=1e-9, atol=1e-12)
    assert_allclose(curve_values(join([refined(zone) for zone in zones]), y), whole, rtol=1e-9, atol=1e-12)


def test_cut_leaves_no_sliver() -> None:
    zones = (line(start=0.0, end=0.01, value=0.0, slope=0.1), polynomial(start=0.01, end=0.05, coefficients=(0.0, 0.1)))
    for end in (0.01 + 1e-7, 0.0299999, 0.03):
        cut = join(trimmed(zones, start=0.001, end=end))
        assert np.diff(cut.knots).min() >= 1e-5
        assert abs(cut.knots[-1] - end) <= 1e-5
