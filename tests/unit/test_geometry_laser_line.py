"""The laser's line in images: kernels equal their plain forms, and faults of light do not move it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.laser_cases import BRIGHT, DEGRADED, SPECKLED, off_line, stretches
from twin.geometry.laser import ExtractionSettings, Image, LineExtractor
from twin.geometry.laser.continuity import NONE, Continuity, follow, workspace
from twin.geometry.laser.line import pixel_noise
from twin.geometry.laser.ridges import BAND, add_rows, best_of_bands, choose_ridges
from twin.geometry.laser.smoothing import smooth
from twin.geometry.laser.subpixel import find_centre
from twin.geometry.plain import line as plain
from twin.simulation.rail_head import COLUMNS, ROWS, CameraConfig

EXTRACTOR = LineExtractor(ExtractionSettings())


@pytest.fixture(scope="module")
def image() -> Image:
    stretch = next(stretches(DEGRADED, count=1, length=1, seed=11))
    return stretch.camera.render(stretch.first, stretch.places[0])


def _ridges(image: Image, least: float) -> tuple[np.ndarray, np.ndarray]:
    sums = np.empty((ROWS + 1, COLUMNS), dtype=np.uint16)
    score, place = (np.empty((ROWS // BAND, COLUMNS), dtype=np.int16) for _ in range(2))
    row, light = (np.empty((COLUMNS, 3)) for _ in range(2))
    add_rows(image, sums)
    best_of_bands(sums, score, place)
    choose_ridges(score, place, least, row, light)
    return row, light


def test_ridges_equal_the_plain_ones(image: Image) -> None:
    for got, expected in zip(_ridges(image, 30.0), plain.ridges(image, least=30.0, choices=3), strict=True):
        assert_array_equal(got, expected)


def test_sums_that_wrap_around_change_nothing() -> None:
    white = np.full((ROWS, COLUMNS), 250, dtype=np.uint8)
    white[200:207] = 255
    for got, expected in zip(_ridges(white, 30.0), plain.ridges(white, least=30.0, choices=3), strict=True):
        assert_array_equal(got, expected)


def test_the_path_is_worth_most_among_all_paths() -> None:
    """Every path through a few columns is tried."""
    rng = np.random.default_rng(3)
    prices = Continuity(gap=1.0)
    for _ in range(20):
        columns, choices = 7, 2
        row = rng.integers(20, 60, (columns, choices)).astype(np.float64)
        light = rng.uniform(10, 400, (columns, choices))
        row[rng.random(columns) < 0.3] = -1.0
        path = np.empty(columns, dtype=np.int64)
        value, back = workspace(columns, choices)
        follow(row, light, prices, value, back, path)
        options = [[NONE, *range(choices)] if row[c, 0] >= 0 else [NONE] for c in range(columns)]
        every = np.array(np.meshgrid(*options)).reshape(columns, -1).T
        best = max(plain.path_value(row, light, prices, each) for each in every)
        assert plain.path_value(row, light, prices, path) == pytest.approx(best, abs=1e-12)


def test_centres_equal_the_plain_ones(image: Image) -> None:
    row, _ = _ridges(image, 30.0)
    found = 0
    for c in range(0, COLUMNS, 7):
        if row[c, 0] < 0:
            continue
        got, _, _ = find_centre(image, c, row[c, 0], 2.1, 2.2)
        assert_allclose(got, plain.centre(image, c, row[c, 0], sd=2.1, window=2.2), atol=1e-9)
        found += np.isfinite(got)
    assert found > 50


def test_smoothed_rows_equal_the_plain_ones() -> None:
    rng = np.random.default_rng(5)
    columns = np.arange(300)
    centres = 200 + 40 * np.sin(columns / 40) + 0.2 * rng.standard_normal(300)
    centres[rng.random(300) < 0.1] = np.nan
    centres[120:150] = np.nan
    sd, out = rng.uniform(0.1, 0.3, 300), np.empty((300, 2))
    smooth(centres, sd, 2.5, out)
    rows, errors = plain.smoothed(centres, sd, correlation=2.5)
    assert_allclose(out[:, 0], rows, atol=1e-8)
    known = np.isfinite(centres)
    assert_allclose(out[known, 1], errors[known], rtol=1e-6)


@pytest.mark.parametrize("sd", [1.0, 1.5, 3.0, 6.0])
def test_noise_of_a_pixel_is_found_beside_the_line(sd: float) -> None:
    rng = np.random.default_rng(8)
    noise = np.clip(np.rint(30 + sd * rng.standard_normal((ROWS, COLUMNS))), 0, 255).astype(np.uint8)
    noise[200:210] = 255
    assert pixel_noise(noise) == pytest.approx(np.sqrt(sd**2 + 1 / 12), rel=0.08)


@pytest.mark.parametrize(
    ("config", "limit", "cover"), [(BRIGHT, 0.1, 0.95), (SPECKLED, 0.3, 0.95), (DEGRADED, 0.3, 0.8)]
)
def test_95_percent_of_the_line_are_found_to_a_fraction_of_a_pixel(
    config: CameraConfig, limit: float, cover: float
) -> None:
    off = []
    for stretch in stretches(config, count=8, length=1, seed=12):
        found = EXTRACTOR.extract(stretch.camera.render(stretch.first, stretch.places[0]))
        line = stretch.camera.line(stretch.first / 100, stretch.places[0])
        off.append(off_line(found.column, found.row, line))
        lit = line.pixels[line.brightness > 30]
        lit = lit[(lit >= 20).all(axis=1) & (lit[:, 0] < COLUMNS - 20) & (lit[:, 1] < ROWS - 20)]
        assert np.unique(lit[:, 0].astype(np.int64)).size * cover < found.column.size
    assert np.percentile(np.concatenate(off), 95) < limit


def test_stated_deviations_of_single_columns_are_those_of_speckle() -> None:
    ratios = []
    for stretch in stretches(SPECKLED, count=4, length=1, seed=13):
        found = EXTRACTOR.extract(stretch.camera.render(stretch.first, stretch.places[0]))
        line = stretch.camera.line(stretch.first / 100, stretch.places[0])
        off = off_line(found.column, found.raw_row, line)
        slope = np.gradient(found.row, found.column)
        ratios.append(off * np.hypot(1.0, slope) / found.sd_raw)
    assert np.sqrt(np.mean(np.concatenate(ratios) ** 2)) == pytest.approx(1.0, abs=0.15)


def test_a_saturated_line_has_its_middle_where_it_was() -> None:
    rows = np.arange(ROWS)[:, None]
    light = 2000.0 * np.exp(-0.5 * ((rows - 200.37) / 1.8) ** 2) + np.zeros((1, COLUMNS))
    found = EXTRACTOR.extract(np.clip(light + 4, 0, 255).astype(np.uint8))
    assert found.column.size > COLUMNS - 20
    assert found.saturated.all()
    assert_allclose(found.row, 200.37, atol=0.02)


@pytest.mark.parametrize("level", [0, 17, 255])
def test_an_image_without_line_has_no_points(level: int) -> None:
    assert EXTRACTOR.extract(np.full((ROWS, COLUMNS), level, dtype=np.uint8)).column.size == 0


def test_noise_alone_has_no_points() -> None:
    rng = np.random.default_rng(2)
    for _ in range(5):
        noise = np.clip(np.rint(20 + 3 * rng.standard_normal((ROWS, COLUMNS))), 0, 255).astype(np.uint8)
        assert EXTRACTOR.extract(noise).column.size == 0


def test_an_image_of_another_size_or_depth_is_refused() -> None:
    for wrong in (np.zeros((ROWS, COLUMNS - 1), dtype=np.uint8), np.zeros((ROWS, COLUMNS), dtype=np.uint16)):
        with pytest.raises(ValueError, match="8 bit"):
            EXTRACTOR.extract(wrong)
