"""Laws of the registration: it moves with the points, mirrors with the rail, and states its errors honestly."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.laser_cases import NOMINAL
from twin.core.arrays import Array
from twin.geometry.laser import Registration, RegistrationSettings, SectionSettings, head_section
from twin.geometry.laser.wear_model import WearSettings

SECTION = head_section(SectionSettings())
ANGLES = np.radians(np.linspace(-58, 104, 400))
SETTINGS = RegistrationSettings(shared=1.0, sd_point=40e-6, thinned=2)
FREE = SETTINGS.model_copy(update={"sd_roll": 10.0})
"""Nothing known of the roll beforehand: turning the points may turn the fit by all of it."""


def _head(rng: np.random.Generator, *, noise: float = 40e-6) -> Array:
    """Points of an unworn head in its own axes, some off it."""
    points = SECTION.points(ANGLES) + noise * rng.standard_normal((ANGLES.size, 2))
    points[rng.random(ANGLES.size) < 0.03] += 3e-3
    return points


def _placed(points: Array, place: Array) -> Array:
    c, s = np.cos(place[2]), np.sin(place[2])
    return np.asarray(points @ np.array([[c, s], [-s, c]]) + place[:2])


def test_moving_the_points_moves_the_fit_by_the_same() -> None:
    points = _placed(_head(np.random.default_rng(1)), NOMINAL)
    still = np.zeros_like(points)
    first = Registration(SETTINGS, rail=0).find(points, still)
    for shift in ([7e-3, 0.0], [0.0, -11e-3], [-3e-3, 5e-3]):
        moved = Registration(SETTINGS, rail=0).find(points + shift, still)
        assert_allclose(moved.place, first.place + np.array([*shift, 0.0]), atol=2e-8)
        assert moved.gauge_y == pytest.approx(first.gauge_y + shift[0], abs=2e-8)
        assert moved.top_z == pytest.approx(first.top_z + shift[1], abs=2e-8)
        assert_allclose(moved.P, first.P, rtol=1e-3)


def test_turning_the_points_turns_the_fit_by_the_same() -> None:
    points = _head(np.random.default_rng(2))
    still = np.zeros_like(points)
    first = Registration(FREE, rail=0).find(_placed(points, NOMINAL), still)
    for roll in (-0.03, 0.01, 0.04):
        turned = Registration(FREE, rail=0).find(_placed(points, NOMINAL + np.array([0.0, 0.0, roll])), still)
        off = _placed(first.place[None, :2] - NOMINAL[:2], NOMINAL + np.array([0.0, 0.0, roll]))[0]
        assert_allclose(turned.place, [*off, first.place[2] + roll], atol=1e-6)


def test_tilting_sensor_and_plane_together_leaves_the_measured_head_where_it_is() -> None:
    """Running surface and gauge point are those of the plane over both rails, however the sensor is rolled."""
    points = _head(np.random.default_rng(3))
    still = np.zeros_like(points)
    flat = Registration(FREE, rail=0).find(points, still)
    for tilt in (-0.02, 0.02):
        seen = Registration(FREE, rail=0).find(_placed(points, np.array([0.0, 0.0, tilt])), still, tilt=tilt)
        back = _placed(np.array([[seen.gauge_y, seen.gauge_z], [seen.top_y, seen.top_z]]), np.array([0.0, 0.0, -tilt]))
        assert back[0, 0] == pytest.approx(flat.gauge_y, abs=2e-6)
        assert back[1, 1] == pytest.approx(flat.top_z, abs=2e-6)


def test_the_right_rail_is_the_mirror_image_of_the_left() -> None:
    points = _placed(_head(np.random.default_rng(4)), NOMINAL + np.array([2e-3, 1e-3, 6e-3]))
    still, mirror = np.zeros_like(points), np.array([-1.0, 1.0])
    left = Registration(SETTINGS, rail=0).find(points, still)
    right = Registration(SETTINGS, rail=1).find(points * mirror, still)
    assert_allclose(right.place, left.place * [-1, 1, -1])
    assert_allclose(right.P, left.P * np.outer([-1, 1, -1], [-1, 1, -1]))
    assert right.gauge_y == -left.gauge_y
    assert right.top_z == left.top_z
    assert right.wear == left.wear


def test_the_order_of_points_and_an_image_between_do_not_matter() -> None:
    rng = np.random.default_rng(5)
    points = _placed(_head(rng), NOMINAL)
    still = np.zeros_like(points)
    all_points = SETTINGS.model_copy(update={"thinned": 1})
    first = Registration(all_points, rail=0).find(points, still)
    shuffled = Registration(all_points, rail=0).find(points[rng.permutation(len(points))], still)
    assert_allclose(shuffled.place, first.place, atol=1e-7)
    again = Registration(all_points, rail=0)
    again.find(points + 4e-3, still)
    again.forget()
    assert_allclose(again.find(points, still).place, first.place, atol=1e-12)


@pytest.fixture(scope="module")
def drawn() -> Array:
    """(200, 5) errors over their stated deviations: y, z, roll, gauge point, running surface, each fit by itself.

    Heads as the wear model says: lowered by any amount, within the tolerances of rolling.
    """
    settings = SETTINGS.model_copy(update={"wear": WearSettings(sd_top=0.3e-3, sd_gauge=0.3e-3)})
    rng = np.random.default_rng(6)
    nominal = Registration(settings, rail=0).find(SECTION.points(ANGLES), np.zeros((ANGLES.size, 2)))
    found = []
    for _ in range(200):
        place = NOMINAL + rng.standard_normal(3) * [3e-3, 3e-3, 8e-3]
        points = SECTION.points(ANGLES) + 40e-6 * rng.standard_normal((ANGLES.size, 2))
        fix = Registration(settings, rail=0).find(_placed(points, place), np.zeros_like(points), tilt=place[2])
        assert fix.usable, fix.verdict
        head = np.array([[nominal.gauge_y, nominal.gauge_z], [nominal.top_y, nominal.top_z]])
        gauge, top = _placed(head, place)
        c, s = np.cos(place[2]), np.sin(place[2])
        off_gauge = c * (fix.gauge_y - gauge[0]) + s * (fix.gauge_z - gauge[1])
        off_top = c * (fix.top_z - top[1]) - s * (fix.top_y - top[0])
        sd = np.append(np.sqrt(np.diag(fix.P)), [fix.sd_gauge, fix.sd_top])
        found.append(np.append(fix.place - place, [off_gauge, off_top]) / sd)
    return np.array(found)


def test_errors_never_exceed_what_the_covariance_states(drawn: Array) -> None:
    """200 draws: the root mean square of a normal error lies within 10 % of one with a chance of 95 %.

    The covariance holds the tolerance of the section too, which these heads do not use: it may be too large, never
    too small.
    """
    assert np.all(np.sqrt(np.mean(drawn**2, axis=0)) < 1.15)


def test_the_fit_has_no_bias(drawn: Array) -> None:
    assert np.all(np.abs(drawn.mean(axis=0)) < 3.5 * drawn.std(axis=0) / np.sqrt(len(drawn)) + 0.05)
