"""Equivalent conicity from a rolling-radius difference: closed forms, an independent integrator, and odd tables."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from twin.contact.conicity import RollingRadiusDifference, equivalent_conicity
from twin.core.arrays import Array

AMPLITUDE = np.linspace(0.5e-3, 6e-3, 12)


def table(y: Array, delta_r: Array) -> RollingRadiusDifference:
    return RollingRadiusDifference(y=np.asarray(y, float), delta_r=np.asarray(delta_r, float))


def random_table(rng: np.random.Generator) -> RollingRadiusDifference:
    """Rising on the whole, with level and falling pieces and two jumps, not symmetric."""
    y = np.sort(rng.uniform(-8e-3, 8e-3, 60))
    y[[20, 40]] = y[[21, 41]]
    rises = rng.uniform(-0.2, 1.0, 60) * 1e-4
    rises[rng.integers(0, 60, 10)] = 0.0
    delta_r = np.cumsum(rises)
    return table(y, delta_r - delta_r[rng.integers(25, 35)])


@pytest.mark.parametrize("tan_gamma", [1e-6, 0.025, 0.4])
def test_a_cone_has_its_own_conicity_and_klingels_wavelength_at_every_amplitude(tan_gamma: float) -> None:
    y = np.linspace(-7e-3, 7e-3, 41)
    found = equivalent_conicity(table(y, 2 * tan_gamma * y), amplitude=AMPLITUDE, r0=0.5, e=1.1)
    assert_allclose(found.tan_gamma, tan_gamma, rtol=1e-10)
    assert_allclose(found.wavelength, 2 * np.pi * np.sqrt(0.5 * 1.1 / (2 * tan_gamma)), rtol=1e-10)


def test_a_cone_run_from_end_to_end_of_its_table_is_still_a_cone() -> None:
    y = np.arange(-68, 69) * 1e-4
    assert equivalent_conicity(table(y, 0.3 * y), amplitude=np.array([6.8e-3])).tan_gamma == pytest.approx(0.15)


def test_wheels_of_unequal_diameter_move_a_cone_aside_and_leave_its_conicity() -> None:
    y = np.linspace(-9e-3, 9e-3, 181)
    found = equivalent_conicity(table(y, 0.8 * y + 1e-3), amplitude=AMPLITUDE)
    assert_allclose(found.tan_gamma, 0.4, rtol=1e-10)
    assert_allclose(found.centre, -1e-3 / 0.8, rtol=1e-9)


def test_cylinders_between_flanges_follow_from_constant_acceleration() -> None:
    """delta_r = +-c left and right of a jump: a parabola each way, tan(gamma_e) = pi^2 c / (16 amplitude)."""
    c = 2e-3
    found = equivalent_conicity(table(np.array([-8e-3, 0, 0, 8e-3]), np.array([-c, -c, c, c])), amplitude=AMPLITUDE)
    assert_allclose(found.tan_gamma, np.pi**2 * c / (16 * AMPLITUDE), rtol=1e-12)


def test_the_free_way_between_two_jumps_is_what_the_amplitude_has_left() -> None:
    """No force for |y| < a, +-c beyond: two parabolas and a straight way at their speed."""
    c, a = 2e-3, 1e-3
    steps = table(np.array([-8e-3, -a, -a, a, a, 8e-3]), np.array([-c, -c, 0, 0, c, c]))
    beyond = np.array([1e-6, 1e-3, 5e-3])
    half = 2 * np.sqrt(2 * beyond / c) + 2 * a / np.sqrt(2 * c * beyond)
    assert_allclose(equivalent_conicity(steps, amplitude=a + beyond).tan_gamma, np.pi**2 / (2 * half**2), rtol=1e-9)
    free = equivalent_conicity(steps, amplitude=np.array([0.1e-3, 0.9e-3]))
    assert_array_equal(free.tan_gamma, 0.0)
    assert_array_equal(free.wavelength, np.inf)


def test_a_cubic_difference_follows_the_elliptic_integral() -> None:
    """y'' = -b y^3 turns after 2 K(1/2) / (A sqrt(b)); the table approaches it with the square of its step."""
    b = 1e4
    exact = np.pi**2 / 2 * (AMPLITUDE * np.sqrt(b) / (2 * ellipk(0.5))) ** 2
    errors = []
    for points in (201, 401):
        y = np.linspace(-7e-3, 7e-3, points)
        found = equivalent_conicity(table(y, b * y**3), amplitude=AMPLITUDE[-4:])
        errors.append(np.abs(found.tan_gamma / exact[-4:] - 1).max())
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("seed", range(8))
def test_the_wavelength_is_that_of_the_integrated_motion(seed: int) -> None:
    given = random_table(np.random.default_rng(seed))
    found = equivalent_conicity(given, amplitude=np.array([2e-3, 4e-3]), r0=1.0, e=1.0)
    assert np.all(found.tan_gamma > 0.0)
    for amplitude, wavelength, centre in zip(found.amplitude, found.wavelength, found.centre, strict=True):
        motion = solve_ivp(
            lambda _, state: (state[1], -np.interp(state[0], given.y, given.delta_r)),
            (0.0, wavelength / 2),
            (centre - amplitude, 0.0),
            rtol=1e-9,
            atol=1e-12,
            max_step=wavelength / 2000,
        )
        assert motion.y[0, -1] == pytest.approx(centre + amplitude, abs=2e-3 * amplitude)
        assert abs(motion.y[1, -1]) < 3e-3 * np.abs(motion.y[1]).max()


@pytest.mark.parametrize("seed", range(5))
def test_conicity_grows_with_the_difference_and_not_with_track_or_wheel(seed: int) -> None:
    given = random_table(np.random.default_rng(seed))
    once = equivalent_conicity(given, amplitude=AMPLITUDE)
    twice = equivalent_conicity(table(given.y, 2 * given.delta_r), amplitude=AMPLITUDE, r0=0.3, e=1.0)
    mirrored = equivalent_conicity(table(-given.y[::-1], -given.delta_r[::-1]), amplitude=AMPLITUDE)
    moved = equivalent_conicity(table(given.y + 1e-3, given.delta_r), amplitude=AMPLITUDE)
    assert_allclose(twice.tan_gamma, 2 * once.tan_gamma, rtol=1e-9)
    assert_allclose(mirrored.tan_gamma, once.tan_gamma, rtol=1e-9)
    assert_allclose(moved.tan_gamma, once.tan_gamma, rtol=1e-7)
    assert_allclose(moved.centre, once.centre + 1e-3, atol=1e-10)


def test_worn_wheels_that_leave_the_middle_swing_on_one_side_then_not_at_all_then_across() -> None:
    y = np.linspace(-8e-3, 8e-3, 1601)
    hollow = table(y, 1e4 * y**3 - 0.09 * y)  # rests at y = +-3 mm; a motion across needs 3 sqrt(2) = 4.24 mm
    found = equivalent_conicity(hollow, amplitude=np.array([0.1e-3, 2e-3, 3e-3, 4.2e-3, 4.3e-3, 6e-3]))
    assert found.tan_gamma[0] == pytest.approx(0.09, rel=1e-2)  # delta_r' at 3 mm is twice 0.09
    assert abs(found.centre[0]) == pytest.approx(3e-3, rel=1e-2)
    assert found.tan_gamma[1] > 0.0
    assert_array_equal(found.tan_gamma[2:4], 0.0)
    assert np.all(found.tan_gamma[4:] > 0.0)
    assert_allclose(found.centre[4:], 0.0, atol=1e-9)


def test_what_the_table_does_not_reach_is_not_known() -> None:
    y = np.linspace(-5e-3, 3e-3, 81)
    found = equivalent_conicity(table(y, 0.2 * y), amplitude=np.array([2.9e-3, 3e-3, 3.1e-3, 4.1e-3]))
    assert_array_equal(np.isnan(found.tan_gamma), [False, False, True, True])
    assert_array_equal(np.isnan(found.wavelength), np.isnan(found.tan_gamma))


def test_wheels_that_steer_away_everywhere_have_no_motion_in_the_table() -> None:
    y = np.linspace(-5e-3, 5e-3, 101)
    assert np.isnan(equivalent_conicity(table(y, -0.2 * y), amplitude=np.array([2e-3])).tan_gamma).all()


def test_equal_radii_everywhere_are_no_conicity() -> None:
    y = np.linspace(-5e-3, 5e-3, 101)
    found = equivalent_conicity(table(y, np.zeros(101)), amplitude=np.array([1e-3, 5e-3]))
    assert_array_equal(found.tan_gamma, 0.0)


@pytest.mark.parametrize(
    ("y", "delta_r"),
    [([0.0], [0.0]), ([0.0, 1.0], [0.0]), ([1.0, 0.0], [0.0, 0.0]), ([0.0, 0.0], [0.0, 1.0]), ([0.0, np.nan], [0, 0])],
)
def test_a_table_that_is_none_is_refused(y: list[float], delta_r: list[float]) -> None:
    with pytest.raises(ValueError, match="y "):
        table(np.array(y), np.array(delta_r))


@pytest.mark.parametrize("amplitude", [0.0, -1e-3, np.nan])
def test_an_amplitude_that_is_no_length_is_refused(amplitude: float) -> None:
    with pytest.raises(ValueError, match="amplitude"):
        equivalent_conicity(table(np.array([-1.0, 1.0]), np.array([-1.0, 1.0])), amplitude=np.array([amplitude]))
