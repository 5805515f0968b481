"""The section of a rail: drawn dimensions, wear, and what a fan of light meets of it."""

from pathlib import Path

import numpy as np
import pytest

from twin.contact.curve import curve_values
from twin.contact.profiles import laid_rail, rail_profile
from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.simulation.rail_head import FanConfig, RailSection, RailSectionConfig, rail_section
from twin.simulation.rail_head.sight import seen_from, sighting, surface_points

FAN = FanConfig()
NOMINAL = np.array([FAN.nominal_y, FAN.nominal_z, 0.0])


def _section(**wear: float) -> RailSection:
    return rail_section(RailSectionConfig(**wear))


def _height(section: RailSection, y: Array) -> Array:
    """Of the running surface at rising y [m]."""
    top = section.z > -12e-3
    return np.interp(y, section.y[top], section.z[top])


def test_head_is_the_rail_that_wheels_run_on() -> None:
    section = _section()
    laid = laid_rail(rail_profile("60E1-EN"), gauge=1.435)
    y = np.linspace(-0.030, 0.030, 601)
    shift = 1.435 / 2 - section.gauge_face()
    expected = curve_values(laid, y + shift)[:, 0] + section.running_height
    np.testing.assert_allclose(_height(section, y), expected, atol=1e-6)


def test_rail_has_the_height_and_widths_of_the_drawing() -> None:
    section = _section(cant=0.0)
    assert section.running_height == pytest.approx(0.0, abs=1e-7)
    assert section.z.min() == pytest.approx(-0.172)
    assert np.ptp(section.y) == pytest.approx(0.150)
    assert section.gauge_face() == pytest.approx(-0.036, abs=2e-5)
    below_head = np.abs(section.y[(section.z < -0.05) & (section.z > -0.14)])
    assert below_head.min() == pytest.approx(0.0165 / 2)


def test_vertical_wear_of_2_mm_lowers_the_running_surface_by_2_mm() -> None:
    y = np.linspace(-0.025, 0.025, 101)
    np.testing.assert_allclose(_height(_section(), y) - _height(_section(vertical_wear=2e-3), y), 2e-3, atol=1e-9)


def test_side_wear_of_3_mm_moves_the_gauge_face_by_3_mm() -> None:
    assert _section(side_wear=3e-3).gauge_face() - _section().gauge_face() == pytest.approx(3e-3, abs=1e-6)


@pytest.mark.parametrize(("vertical", "side"), [(8e-3, 0.0), (0.0, 10e-3), (8e-3, 10e-3)])
def test_the_deepest_wear_takes_material_only_and_folds_nothing(vertical: float, side: float) -> None:
    new, worn = _section(), _section(vertical_wear=vertical, side_wear=side)
    top = int(new.z.argmax())
    levels = np.linspace(-0.0338, worn.running_height - 1e-4, 200)
    for side_of, outwards in ((slice(top, None, -1), -1), (slice(top, None), 1)):
        head = new.z[side_of] > -0.034
        assert np.all(np.diff(worn.z[side_of][head]) < 0)
        reach = [np.interp(-levels, -one.z[side_of][head], outwards * one.y[side_of][head]) for one in (new, worn)]
        assert np.all(reach[1] <= reach[0] + 1e-6)
    turns = np.diff(np.arctan2(np.diff(worn.z), np.diff(worn.y)))[new.z[1:-1] > -0.034]
    assert np.abs(turns).max() < 0.3


def test_wear_leaves_field_side_web_and_foot_as_they_were() -> None:
    new, worn = _section(), _section(vertical_wear=3e-3, side_wear=4e-3)
    low = new.z < -0.036
    np.testing.assert_array_equal(worn.y[low], new.y[low])
    np.testing.assert_array_equal(worn.z[low], new.z[low])
    np.testing.assert_array_equal(worn.y[new.y > 0.0], new.y[new.y > 0.0])


def test_mirrored_rails_are_mirrored() -> None:
    section = _section(vertical_wear=1e-3, side_wear=2e-3)
    left = section.points_in_body(np.array([0.75, -0.45, 0.02]), rail=0)
    right = section.points_in_body(np.array([-0.75, -0.45, -0.02]), rail=1)
    np.testing.assert_array_equal(right, left * [-1, 1])


def test_a_positive_roll_lifts_the_left_of_a_rail() -> None:
    section = _section()
    level, rolled = (section.points_in_body(np.array([0.0, 0.0, roll]), rail=1) for roll in (0.0, 0.01))
    lifted = rolled[:, 1] - level[:, 1]
    np.testing.assert_allclose(lifted, 0.01 * level[:, 0], atol=1e-5)


def test_a_laser_on_the_gauge_side_lights_running_surface_and_gauge_face_but_no_hidden_side() -> None:
    section = _section()
    angles = FAN.angles(2001)
    lit = sighting(section, place=NOMINAL[None, :], origin=FAN.origin, angles=angles)
    points = surface_points(FAN.origin, angles, lit.distance[0]) - NOMINAL[:2]
    points = points[np.isfinite(points[:, 0])]
    depth = -points[:, 1]
    on_face = (points[:, 0] < -0.034) & (depth < 0.036)
    assert on_face.any()
    assert depth[on_face].max() > 0.034
    assert not np.any((points[:, 0] > 0.034) & (depth > 0.012))
    underside = (points[:, 0] < -0.010) & (depth > 0.040) & (depth < 0.060)
    assert not underside.any()
    assert np.nanmin(lit.cosine) > 0.0


def test_first_hits_are_those_of_a_search_over_all_segments() -> None:
    """An independent way: every ray against every segment, the nearest crossing."""
    section = _section(side_wear=4e-3)
    place, angles = np.array([[0.748, -0.455, 0.02]]), FAN.angles(61)
    lit = sighting(section, place=place, origin=FAN.origin, angles=angles)
    outline = section.points_in_body(place[0], rail=0)
    start, along = outline[:-1] - FAN.origin, np.diff(outline, axis=0)
    for k, angle in enumerate(angles):
        ray = np.array([np.cos(angle), np.sin(angle)])
        across = ray[0] * along[:, 1] - ray[1] * along[:, 0]
        reach = (start[:, 0] * along[:, 1] - start[:, 1] * along[:, 0]) / across
        share = (start[:, 0] * ray[1] - start[:, 1] * ray[0]) / across
        hits = reach[(reach > 0) & (share >= 0) & (share <= 1)]
        expected = hits.min() if hits.size else np.nan
        np.testing.assert_allclose(lit.distance[0, k], expected, atol=1e-12)


def test_an_eye_on_the_other_side_does_not_see_the_gauge_face() -> None:
    section = _section()
    points = section.points_in_body(NOMINAL, rail=0)
    head = points[section.z > -0.034]
    across, depth = head[:, 0] - NOMINAL[0], NOMINAL[1] - head[:, 1]
    eye = NOMINAL[:2] + np.array([0.3, 0.3])
    seen = seen_from(section, place=NOMINAL, eye=eye, points=head)
    assert seen[np.abs(across) < 0.02].all()
    assert not seen[(across < 0) & (depth > 0.016)].any()


def test_a_profile_that_reaches_into_the_underside_is_refused(tmp_path: Path) -> None:
    u_mm = np.linspace(-34.0, 34.0, 69)
    z_mm = -45.0 * (u_mm / 34.0) ** 6
    path = tmp_path / "deep.csv"
    path.write_text("\n".join(f"{u:.3f},{z:.3f}" for u, z in zip(u_mm, z_mm, strict=True)))
    with pytest.raises(ConfigError, match="cut its sides"):
        rail_section(RailSectionConfig(profile=path))
