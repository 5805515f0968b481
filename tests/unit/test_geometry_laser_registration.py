"""The fit of a head: kernels equal their plain forms, heads are found in images and points, bad ones are refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.laser_cases import NOMINAL, SPECKLED, calibration_of, stretches, true_head
from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.geometry.laser import (
    FAULTS,
    CameraSight,
    Registration,
    RegistrationSettings,
    ScannerSight,
    SectionSettings,
    Verdict,
    head_section,
    section_of,
)
from twin.geometry.laser.fitting import (
    UNKNOWNS,
    Errors,
    Head,
    Prior,
    Task,
    conclude,
    fit,
    off_section,
    room,
    set_up,
)
from twin.geometry.laser.measured import depth_along, directions
from twin.geometry.laser.registration import BINS
from twin.geometry.laser.wear_model import WEARS, WearSettings, wear_model
from twin.geometry.plain import fitting as plain
from twin.geometry.plain import measured as plain_measured
from twin.simulation.rail_head import (
    CLEAN,
    PERFECT,
    ProfileScanner,
    RailPlace,
    RailSectionConfig,
    ScannerConfig,
    rail_section,
)

SECTION = head_section(SectionSettings())
MODEL = wear_model(WearSettings(), SECTION)
HEAD = Head(float(SECTION.centre[0]), float(SECTION.centre[1]), np.array(SECTION.table), *MODEL.fading)


def _task(seed: int) -> tuple[Task, Array]:
    """Points around a worn head, some of them far off, and unknowns near it."""
    rng = np.random.default_rng(seed)
    angle = np.radians(rng.uniform(-60, 104, 60))
    points = SECTION.points(angle) + NOMINAL[:2] + 0.1e-3 * rng.standard_normal((60, 2))
    points[:5] += 5e-3 * rng.standard_normal((5, 2))
    x = np.concatenate([NOMINAL + 1e-3 * rng.standard_normal(3), 0.3e-3 * rng.standard_normal(WEARS)])
    prior = Prior(rng.standard_normal(WEARS), np.array(MODEL.information))
    moved = 50e-6 * rng.standard_normal((60, 2))
    return Task(np.column_stack([points, moved]), HEAD, prior, Errors(20e-6, 2.5, 0.012)), x


@pytest.mark.parametrize("seed", [5, 6])
def test_information_and_covariance_equal_the_plain_ones(seed: int) -> None:
    task, x = _task(seed)
    normal = room(60)
    set_up(task, x, 0.0, normal)
    excess = 0.2 * np.array(MODEL.information)
    H, P = np.empty((UNKNOWNS, UNKNOWNS)), np.empty((UNKNOWNS, UNKNOWNS))
    assert conclude(normal, excess, H, P)
    H_plain, P_plain = plain.concluded(normal.H, excess, normal.out)
    assert_allclose(H, H_plain, rtol=1e-12)
    assert_allclose(P, P_plain, rtol=1e-6, atol=1e-9 * np.abs(P_plain).max())
    assert not conclude(normal, 10 * np.array(MODEL.information), H, P)


def test_depths_and_directions_equal_the_plain_ones() -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):
        start, turn = SECTION.points(np.radians(rng.uniform(-50, 90, 1)))[0], rng.uniform(0, 2 * np.pi)
        way = np.array([np.cos(turn), np.sin(turn)])
        start = start + 1e-3 * rng.standard_normal(2)
        expected = plain_measured.depth_along(SECTION.outline, start, way)
        assert depth_along(np.array(SECTION.outline), *start, *way) == pytest.approx(expected, abs=1e-12, nan_ok=True)
    out = np.column_stack([rng.standard_normal((80, 2)), rng.choice([-1.0, 0.0, 0.7], 80), rng.uniform(-2, 2, 80)])
    seen = np.zeros(BINS.size - 1, dtype=np.bool_)
    directions(out, BINS, seen)
    assert 0 < seen.sum() < seen.size
    assert np.array_equal(seen, plain_measured.directions(out, BINS))


def test_distances_equal_the_plain_ones() -> None:
    task, x = _task(1)
    row, work = np.empty(8), np.empty((2, 4))
    expected = plain.distances(task, x)
    for i, point in enumerate(task.points):
        _, e, _ = off_section(point[0], point[1], x, HEAD, row, work)
        assert e == pytest.approx(expected[i], abs=1e-10)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_derivatives_on_the_surface_equal_the_plain_ones(seed: int) -> None:
    """On the surface, since the kernel leaves out a term that grows with the distance: 0.04 at half a millimetre.

    What is left is the table's slope between nodes of 1/8 degree, 0.003 at the corner of 13 mm, and the slope of the
    lowering's fading, 0.004 on the face.
    """
    task, x = _task(seed)
    row, work = np.empty(8), np.empty((2, 4))
    for point in task.points:
        for _ in range(30):
            _, e, _ = off_section(point[0], point[1], x, HEAD, row, work)
            point[:2] += e * row[:2]  # against the outward normal
    slopes = plain.derivatives(task, x)
    for i, point in enumerate(task.points):
        first, e, _ = off_section(point[0], point[1], x, HEAD, row, work)
        assert abs(e) < 1e-12
        assert_allclose(row, slopes[i, [0, 1, 2, 3, *range(4 + first, 8 + first)]], atol=5e-3)


def test_cost_equals_the_plain_one() -> None:
    task, x = _task(2)
    assert set_up(task, x, 0.3e-3, room(60)) == pytest.approx(plain.cost(task, x, 0.3e-3), rel=1e-6)


def test_the_fit_ends_where_no_direction_lowers_the_plain_cost() -> None:
    task, x = _task(3)
    fit(task, x, np.array([[1e-3, 20, 1e-9], [0.2e-3, 40, 1e-9]]), room(60))
    lowest = plain.cost(task, x, 0.2e-3)
    for i in range(UNKNOWNS):
        for step in (-20e-6, 20e-6):
            assert plain.cost(task, x + step * np.eye(UNKNOWNS)[i], 0.2e-3) > lowest - 1e-3


@pytest.fixture(scope="module")
def images() -> list[tuple[Array, Array]]:
    """Errors over their stated deviations and in millimetres: y, z, roll, gauge point, running surface."""
    found = []
    for stretch in stretches(SPECKLED, count=8, length=4, seed=31):
        sight = CameraSight(calibration_of(stretch.camera.truth), RegistrationSettings(), rail=stretch.rail)
        for i, place in enumerate(stretch.places):
            fix = sight.find(stretch.camera.render(stretch.first + i, place))
            assert fix.usable, fix.verdict
            gauge, top = true_head(stretch.section, place, stretch.rail)
            error = np.append(fix.place - place, [fix.gauge_y - gauge, fix.top_z - top])
            found.append((error / np.append(np.sqrt(np.diag(fix.P)), [fix.sd_gauge, fix.sd_top]), 1e3 * error))
    return found


def test_gauge_point_and_running_surface_of_worn_heads_are_met_to_a_tenth_of_a_millimetre(images: list) -> None:
    error = np.array([mm for _, mm in images])
    assert np.abs(error[:, 3:]).max() < 0.1
    assert np.sqrt(np.mean(error[:, 3:] ** 2)) < 0.03


def test_errors_in_images_are_those_the_covariance_states(images: list) -> None:
    """Of the wear's shape and not of speckle alone, so the images of one rail share them: eight rails."""
    normalised = np.array([each for each, _ in images])
    assert np.all(np.sqrt(np.mean(normalised**2, axis=0)) < 1.6)


def test_a_scanner_without_errors_is_met_to_hundredths() -> None:
    for rail in (0, 1):
        side = 1.0 if rail == 0 else -1.0
        section = rail_section(RailSectionConfig())
        scanner = ProfileScanner(ScannerConfig(errors=PERFECT, soiling=CLEAN), rail=rail, section=section, seed=1)
        place = NOMINAL * np.array([side, 1.0, side]) + np.array([1e-3, -2e-3, 3e-3])
        row = scanner.process(np.zeros(1), RailPlace(*place[:, None]))[0]
        fix = ScannerSight(RegistrationSettings(), rail=rail).find(row)
        gauge, top = true_head(section, place, rail)
        assert fix.usable
        assert fix.gauge_y == pytest.approx(gauge, abs=0.03e-3)
        assert fix.top_z == pytest.approx(top, abs=0.03e-3)
        assert fix.place[0] == pytest.approx(place[0], abs=0.1e-3)
        assert fix.place[2] == pytest.approx(place[2], abs=0.5e-3)


def test_wear_is_found_within_its_stated_deviation() -> None:
    ratios = []
    for seed, (vertical, side) in enumerate([(0.0, 0.0), (3e-3, 1e-3), (1e-3, 5e-3), (4e-3, 3e-3)]):
        section = rail_section(RailSectionConfig(vertical_wear=vertical, side_wear=side))
        scanner = ProfileScanner(ScannerConfig(soiling=CLEAN), rail=0, section=section, seed=seed)
        row = scanner.process(np.zeros(1), RailPlace(*NOMINAL[:, None]))[0]
        wear = ScannerSight(RegistrationSettings(), rail=0).find(row).wear
        assert wear is not None
        # 14 mm below a lowered surface the truth's side wear has begun to fade
        depth = -section.running_height + 14e-3
        outline = np.flatnonzero((section.y < 0) & (section.z > -0.034))
        unworn = rail_section(RailSectionConfig())
        expected = [float(np.interp(-depth, s.z[outline], s.y[outline])) for s in (section, unworn)]
        ratios.append(
            [(wear.vertical - vertical) / wear.sd_vertical, (wear.side - expected[0] + expected[1]) / wear.sd_side]
        )
        assert wear.side == pytest.approx(expected[0] - expected[1], abs=0.35e-3)
    assert np.abs(ratios).max() < 3.5


def _points(seed: int = 0) -> Array:
    angle = np.radians(np.linspace(-55, 103, 500))
    return SECTION.points(angle) + NOMINAL[:2] + 30e-6 * np.random.default_rng(seed).standard_normal((500, 2))


def test_reasons_are_given_for_what_is_missing() -> None:
    points = _points()
    local = points - NOMINAL[:2]

    def verdict(seen: Array) -> Verdict:
        found = Registration(RegistrationSettings(), rail=0)
        return found.find(points[seen], np.zeros((int(seen.sum()), 2))).verdict

    assert not verdict(np.ones(500, dtype=bool)) & FAULTS
    assert verdict(np.arange(500) < 8) & Verdict.FEW_POINTS
    assert verdict(local[:, 0] < 0) & Verdict.FIELD_MISSING
    assert verdict(np.abs(local[:, 1] + 13e-3) > 7e-3) & Verdict.GAUGE_MISSING
    assert verdict(np.abs(local[:, 0] - 7e-3) > 8e-3) & Verdict.TOP_MISSING


def test_a_white_line_is_called_saturated() -> None:
    points = _points()
    fix = Registration(RegistrationSettings(), rail=0).find(points, np.zeros((500, 2)), np.ones(500, dtype=np.bool_))
    assert fix.verdict & Verdict.SATURATED


def test_points_that_are_no_rail_are_refused() -> None:
    rng = np.random.default_rng(4)
    for kind in (rng.uniform(-0.04, 0.04, (400, 2)), np.column_stack([np.linspace(-0.04, 0.04, 400), np.zeros(400)])):
        fix = Registration(RegistrationSettings(), rail=0).find(kind + NOMINAL[:2], np.zeros((400, 2)))
        assert not fix.usable


def test_no_points_at_all_are_a_verdict_and_no_exception() -> None:
    fix = Registration(RegistrationSettings(), rail=1).find(np.full((256, 2), np.nan), np.zeros((256, 2)))
    assert fix.verdict & Verdict.FEW_POINTS
    assert np.isnan(fix.place).all()
    assert fix.wear is None


def test_a_section_that_hides_itself_is_refused() -> None:
    outline = np.array([[-0.036, -0.05], [-0.03, 0.0], [-0.01, -0.005], [-0.02, -0.001], [0.0, 0.0], [0.036, -0.05]])
    with pytest.raises(ConfigError, match="one surface in every direction"):
        section_of(outline, cant=1 / 40, middle=28e-3)
