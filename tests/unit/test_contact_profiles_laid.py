"""Profiles by name, laid in the track, on the axle, and worn."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.contact.curve import curve_at, curve_values
from twin.contact.profiles import Profile, laid_rail, rail_profile, wheel_curve, wheel_profile, worn
from twin.contact.shapes import arc
from twin.core.errors import ConfigError

S1002, EN = wheel_profile("S1002"), rail_profile("60E1-EN")
CANTS = (0.0, 1 / 40, 1 / 20)


@pytest.mark.parametrize(
    ("name", "found"), [("60e1-en", "60E1-EN"), ("60E1-Manchester", "60E1-MB"), ("60E1-UIC", "60E1-UIC")]
)
def test_rails_are_found_by_any_of_their_names(name: str, found: str) -> None:
    assert rail_profile(name).name == found


def test_unknown_name_lists_the_known_ones_and_the_nearest() -> None:
    with pytest.raises(
        ConfigError, match=r"known are 60E1-EN, 60E1-MB, 60E1-UIC, or give a file; did you mean '60E1-EN'\?"
    ):
        rail_profile("60E1EN")


def test_name_with_an_ending_or_a_folder_is_a_file() -> None:
    with pytest.raises(ConfigError, match=r"S1002\.prw: cannot be read"):
        wheel_profile("S1002.prw")
    with pytest.raises(ConfigError, match=r"S1002: cannot be read"):
        wheel_profile(Path("profiles") / "S1002")


def test_wheel_is_no_rail() -> None:
    with pytest.raises(ConfigError, match="'S1002' is a wheel profile where a rail profile belongs"):
        laid_rail(S1002)
    with pytest.raises(ConfigError, match="'60E1-EN' is a rail profile where a wheel profile belongs"):
        wheel_curve(EN)


def test_wheel_has_its_radius_at_the_taping_line() -> None:
    wheel = wheel_curve(S1002, radius=0.42, taping_line=0.76)
    assert curve_at(wheel.packed, 0.76)[0] == pytest.approx(0.42, abs=1e-15)
    assert curve_at(wheel.packed, 0.76 - 0.055)[0] == pytest.approx(0.42 + 0.028, abs=1e-9)


@pytest.mark.parametrize("cant", CANTS)
@pytest.mark.parametrize("gauge", [1.0, 1.435, 1.668])
def test_laid_rail_has_its_top_at_zero_and_its_face_at_half_the_gauge(cant: float, gauge: float) -> None:
    rail = laid_rail(EN, cant=cant, gauge=gauge)
    y = np.linspace(rail.knots[0], rail.knots[-1], 100_001)
    b = curve_values(rail, y)[:, 0]
    assert b.max() == pytest.approx(0.0, abs=1e-11)
    within = y[b >= -0.014]
    # the face may lie on the steep part that is left out: then it is at most R13 (1 - sin 80 degrees) farther
    assert gauge / 2 - 1e-9 <= within[0] <= gauge / 2 + 0.2e-3


def test_face_is_where_a_depth_above_the_cut_is_met() -> None:
    rail = laid_rail(EN, cant=1 / 20, gauge_depth=0.010)
    assert curve_at(rail.packed, 1.435 / 2)[0] == pytest.approx(-0.010, abs=1e-9)


def test_rail_leans_towards_the_track() -> None:
    """Its crown, level before, rises to the field side by the cant, and so its highest point lies there."""
    rail = laid_rail(EN, cant=1 / 20)
    y = np.linspace(rail.knots[0], rail.knots[-1], 100_001)
    b, slope, second = curve_values(rail, y).T
    flat = second > -1 / 0.29  # the crown of R300
    assert slope[flat].mean() == pytest.approx(1 / 20, abs=1e-3)
    assert y[b.argmax()] > y[flat].mean()


@pytest.mark.parametrize("cant", CANTS)
def test_laid_rail_ends_at_80_degrees(cant: float) -> None:
    rail = laid_rail(EN, cant=cant)
    ends = np.degrees(np.arctan(curve_values(rail, rail.knots[[0, -1]])[:, 1]))
    assert ends == pytest.approx([80.0, -80.0], abs=0.05)


def test_no_wear_changes_nothing() -> None:
    s = np.linspace(-0.065, 0.058, 3001)
    same = worn(S1002, y=np.array([-0.02, 0.02]), depth=np.zeros(2))
    assert_allclose(curve_values(same.curve, s), curve_values(S1002.curve, s), rtol=1e-7, atol=1e-8)


def test_even_wear_of_an_arc_is_the_arc_of_the_smaller_radius() -> None:
    ball = Profile("ball", "rail", (arc(start=-0.05, end=0.05, centre=(0.0, -0.08), radius=0.08),))
    gone = worn(ball, y=np.array([-1.0, 1.0]), depth=np.full(2, 2e-3))
    zone = gone.zones[0]
    assert_allclose(np.hypot(zone.y, zone.z + 0.08), 0.078, rtol=0.0, atol=1e-12)
    assert_allclose(zone.slope, -zone.y / (zone.z + 0.08), rtol=0.0, atol=1e-12)
    assert_allclose((1 + zone.slope**2) ** 1.5 / -zone.second, 0.078, rtol=1e-4)


@pytest.mark.parametrize("profile", [S1002, EN], ids=lambda profile: profile.name)
def test_wear_takes_the_depth_normal_to_the_surface_and_nothing_elsewhere(profile: Profile) -> None:
    places, depth = np.linspace(-0.02, 0.02, 9), 1e-3 * np.array([0, 0, 0.2, 0.7, 1.0, 0.4, 0.1, 0, 0])
    gone = worn(profile, y=places, depth=depth)
    before = curve_values(profile.curve, places)
    normal = np.column_stack([-before[:, 1], np.ones(9)]) / np.hypot(1.0, before[:, 1])[:, None]
    expected = np.column_stack([places, before[:, 0]]) - depth[:, None] * normal
    assert_allclose(curve_values(gone.curve, expected[:, 0])[:, 0], expected[:, 1], rtol=0.0, atol=1e-7)
    outside = np.concatenate([np.linspace(-0.034, -0.0205), np.linspace(0.0205, 0.034)])
    assert_allclose(curve_values(gone.curve, outside), curve_values(profile.curve, outside), rtol=1e-6, atol=1e-8)
    y = np.linspace(-0.03, 0.03, 20_001)
    z, slope, _ = curve_values(gone.curve, y).T
    # where wear begins its curvature jumps between two samples: nanometres
    assert np.all(z <= curve_values(profile.curve, y)[:, 0] + 3e-8)
    # the steps of S1002 at zone borders aside, the slope is that of the values
    assert np.median(np.abs(np.gradient(z, y) - slope)) < 1e-6


def test_worn_rail_is_laid_lower_on_its_worn_side() -> None:
    gone = worn(EN, y=np.array([-0.036, -0.03, -0.01]), depth=np.array([2e-3, 2e-3, 0.0]))
    before, after = laid_rail(EN), laid_rail(gone)
    assert curve_at(after.packed, 0.7175 + 0.036)[0] == pytest.approx(0.0, abs=2e-4)
    assert after.knots[-1] < before.knots[-1]  # the gauge is kept: the rest of the rail moves inwards


@pytest.mark.parametrize(
    ("y", "depth", "message"),
    [
        ([0.0], [1e-3], "at least two rising places"),
        ([0.0, 0.0], [1e-3, 1e-3], "at least two rising places"),
        ([0.0, 0.01], [1e-3], "at least two rising places"),
        ([0.0, 0.01], [1e-3, -1e-3], "finite and not negative"),
        ([0.0, 0.01], [np.nan, 0.0], "finite and not negative"),
        ([-0.05, 0.05], [14e-3, 14e-3], "deeper than a radius"),
    ],
)
def test_impossible_wear_is_refused(y: list[float], depth: list[float], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        worn(EN, y=np.array(y), depth=np.array(depth))


@pytest.mark.parametrize("place", [np.nan, np.inf, -np.inf])
def test_place_that_is_no_number_comes_out_as_none_and_reads_nothing_else(place: float) -> None:
    assert not np.isfinite(curve_at(S1002.curve.packed, place)[0])
