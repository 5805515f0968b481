"""Dirt on running surface and gauge face: told from steel by its shape and by its brightness."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from twin.core.arrays import Array
from twin.geometry.laser import HeadFix, Registration, RegistrationSettings, SectionSettings, head_section
from twin.geometry.laser.dirt import ANGLES, FIRST, SHAPES, SPACING, SPLINES
from twin.geometry.laser.fitting import spline_weights
from twin.geometry.laser.verdict import Verdict

SECTION = head_section(SectionSettings())
ANGLE = np.radians(np.linspace(-56.0, 106.0, 420))
"""Of the points, from the field side on [rad]."""
PLACE = np.array([0.7535, -0.45])
BRIGHT, RUST = 140.0, 50.0
NOISE = 20e-6


def patch(middle: float, half: float) -> Array:
    """(n,) 1 about an angle, 0 beyond half a width [degrees], round at its edges."""
    return np.clip(2 * (1 - ((np.degrees(ANGLE) - middle) / half) ** 2), 0.0, 1.0)


def worn(depth: float) -> Array:
    """(n,) wear of the gauge side, greatest at the gauge face [m]."""
    return depth * np.exp(-0.5 * ((np.degrees(ANGLE) - 66.0) / 16.0) ** 2)


def light(dirt: Array) -> Array:
    """(n,) brightness: polished between the far field side and the lower corner, dirt as dull as rust."""
    polished = (np.degrees(ANGLE) > -30.0) & (np.degrees(ANGLE) < 92.0) & (dirt == 0)
    return np.where(polished, BRIGHT, RUST)


def seen(registration: Registration, off: Array, peak: Array | None, rng: np.random.Generator) -> HeadFix:
    """One image of a head whose surface is off the section by so much, outside positive (n,) [m]."""
    radius = np.interp(ANGLE, SECTION.angles, SECTION.table[:, 0]) + off + NOISE * rng.standard_normal(ANGLE.size)
    points = PLACE + SECTION.centre + np.column_stack([-radius * np.sin(ANGLE), radius * np.cos(ANGLE)])
    return registration.find(points, np.full_like(points, NOISE / 2), peak=peak)


def fixes(off: Array, peak: Array | None, *, images: int = 3) -> list[HeadFix]:
    """Of some images of one head."""
    registration, rng = Registration(RegistrationSettings(), rail=0), np.random.default_rng(3)
    return [seen(registration, off, peak, rng) for _ in range(images)]


def test_wear_at_angles_is_that_of_the_fits_splines() -> None:
    wear = np.random.default_rng(1).standard_normal(SPLINES)
    weights, slopes = np.empty(4), np.empty(4)
    for angle, shape in zip(ANGLES, SHAPES, strict=True):
        at = (angle - FIRST) / SPACING
        spline_weights(at - int(at), weights, slopes)
        assert shape @ wear == pytest.approx(weights @ wear[int(at) : int(at) + 4])


@pytest.mark.parametrize("depth", [0.0, 1e-3, 4e-3])
@pytest.mark.parametrize("peak", [None, light(np.zeros(ANGLE.size))])
def test_clean_heads_are_steel_however_worn(depth: float, peak: Array | None) -> None:
    assert all(not fix.verdict & Verdict.DIRT for fix in fixes(-worn(depth), peak))


@pytest.mark.parametrize("middle", [-8.0, 3.0, 10.0])
def test_a_coat_on_the_running_surface_is_dirt_by_its_shape_alone(middle: float) -> None:
    for fix in fixes(0.7e-3 * patch(middle, 16.0), None):
        assert not fix.usable


def test_a_thin_coat_on_the_running_surface_is_dirt_where_it_is_dull() -> None:
    coat = 0.25e-3 * patch(8.0, 14.0)
    assert all(fix.verdict & Verdict.DIRT for fix in fixes(coat, light(coat)))
    assert not any(fix.verdict & Verdict.DIRT for fix in fixes(coat, light(np.zeros(ANGLE.size))))


def test_a_coat_on_a_worn_gauge_face_is_dirt_by_its_brightness() -> None:
    coat = 0.6e-3 * patch(66.0, 25.0)
    assert all(fix.verdict & Verdict.DIRT for fix in fixes(coat - worn(4e-3), light(coat)))


def test_a_face_that_no_flange_has_worn_may_be_rusty() -> None:
    rusty = np.where(np.degrees(ANGLE) > 55.0, RUST, light(np.zeros(ANGLE.size)))
    assert not any(fix.verdict & Verdict.DIRT for fix in fixes(np.zeros(ANGLE.size), rusty))


def test_dirt_that_is_gone_is_forgotten() -> None:
    registration, rng = Registration(RegistrationSettings(), rail=0), np.random.default_rng(5)
    clean = -worn(4e-3)
    true = seen(Registration(RegistrationSettings(), rail=0), clean, None, rng)
    for _ in range(5):
        seen(registration, clean + 0.45e-3 * patch(60.0, 30.0), None, rng)
    after = seen(registration, clean, None, rng)
    assert after.usable
    assert_allclose((after.gauge_y, after.top_z), (true.gauge_y, true.top_z), atol=0.1e-3)
