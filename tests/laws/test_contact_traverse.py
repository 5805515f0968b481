"""A wheelset moved across the track: cones, jumps between two cones, unequal wheels, and wheels beside the rails."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.contact.conicity import equivalent_conicity
from twin.contact.curve import join
from twin.contact.pair import Pair, pair
from twin.contact.shapes import arc, line
from twin.contact.traverse import level, traverse
from twin.core.errors import ConfigError

R0, TAN = 0.46, 0.05
CENTRE = 0.75
"""Of the rolling circle, and of the rail's head [m]."""
HEAD = 0.08
"""Radius of the rail's head [m]."""


def cone(*, radius: float = R0, tan_gamma: float = TAN) -> tuple[float, float]:
    """Value at y_w = 0 and slope of a cone with the radius at the rolling circle."""
    return radius + tan_gamma * CENTRE, -tan_gamma


def on_round_rail(*, radius: float = R0, tan_gamma: float = TAN) -> Pair:
    value, slope = cone(radius=radius, tan_gamma=tan_gamma)
    wheel = join([line(start=0.68, end=0.82, value=value, slope=slope)])
    return pair(wheel, join([arc(start=0.715, end=0.785, centre=(CENTRE, -HEAD), radius=HEAD)]))


def with_a_steeper_cone_inside(*, where: float, steep: float) -> Pair:
    """A wheel whose radius grows faster from `where` inwards: a corner that the rail cannot fill jumps over it."""
    value, slope = cone()
    at = value + slope * where
    inner = line(start=0.68, end=where, value=at + steep * where, slope=-steep)
    wheel = join([inner, line(start=where, end=0.82, value=value, slope=slope)])
    return pair(wheel, join([arc(start=0.715, end=0.785, centre=(CENTRE, -HEAD), radius=HEAD)]))


def test_a_cone_on_round_rails_keeps_its_conicity_whatever_the_diameters() -> None:
    for smaller in (0.0, 1e-3):
        found = traverse(level(on_round_rail(radius=R0 - smaller), on_round_rail()), reach=8e-3)
        assert_allclose(found.delta_r, 2 * TAN * found.y - smaller, atol=1e-12)
    amplitude = np.array([3e-3])
    equal = equivalent_conicity(traverse(level(on_round_rail(), on_round_rail())).difference, amplitude=amplitude)
    assert equal.tan_gamma == pytest.approx(TAN, rel=1e-9)


def test_each_wheel_of_a_pair_of_unlike_cones_gives_its_own_share() -> None:
    found = traverse(level(on_round_rail(tan_gamma=0.1), on_round_rail(tan_gamma=0.02)))
    assert_allclose(np.diff(found.delta_r) / np.diff(found.y), 0.12, rtol=1e-6)


def test_left_and_right_are_mirror_images() -> None:
    one = with_a_steeper_cone_inside(where=0.737, steep=0.2)
    found = traverse(level(one, one))
    assert_allclose(found.y, -found.y[::-1], atol=1e-15)
    assert_allclose(found.right.y_w, -found.left.y_w[::-1], atol=1e-12)
    assert_allclose(found.right.y, -found.left.y[::-1], atol=1e-12)
    assert_allclose(found.delta_r, -found.delta_r[::-1], atol=1e-12)


def test_a_jump_of_the_contact_is_found_where_both_cones_are_equally_low_and_closed_in_to_a_micrometre() -> None:
    """Over a head of radius R a line of slope t is lower than at the crown by R (sqrt(1 + t^2) - 1)."""
    steep, where = 0.2, 0.737
    one = with_a_steeper_cone_inside(where=where, steep=steep)
    expected = CENTRE - where - HEAD * (np.hypot(1.0, steep) - np.hypot(1.0, TAN)) / (steep - TAN)
    found = traverse(level(one, one))
    for wheel, place in ((found.left, expected), (found.right, -expected)):
        (jump,) = np.flatnonzero(np.abs(np.diff(wheel.y_w)) > 1e-3)
        assert found.y[jump] <= place <= found.y[jump + 1]
        assert found.y[jump + 1] - found.y[jump] < 2e-6


def test_positions_in_which_a_wheel_leaves_its_rail_are_left_out() -> None:
    found = traverse(level(on_round_rail(), on_round_rail()), reach=0.08)
    assert np.isfinite(found.delta_r).all()
    inner_end = CENTRE - HEAD * np.sin(np.arctan(TAN)) - 0.68
    assert found.y[-1] == pytest.approx(inner_end, abs=2e-4)
    assert found.y[0] == pytest.approx(-inner_end, abs=2e-4)


def test_wheels_beside_their_rails_are_refused_with_a_remedy() -> None:
    value, slope = cone()
    beside = pair(
        join([line(start=0.58, end=0.66, value=value, slope=slope)]),
        join([arc(start=0.715, end=0.785, centre=(CENTRE, -HEAD), radius=HEAD)]),
    )
    with pytest.raises(ConfigError, match="gauge"):
        traverse(level(beside, beside))
