"""Strips of images: the line in them is that of the whole image, to the last bit, in good light and bad."""

from functools import lru_cache

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.laser_cases import BRIGHT, DEGRADED, calibration_of, stretches
from twin.geometry.laser import CameraSight, ExtractionSettings, Image, LineExtractor, RegistrationSettings
from twin.geometry.laser.line import Centres
from twin.geometry.laser.ridges import add_rows, best_of_bands
from twin.geometry.laser.strip import Strip, StripSettings, strip_ridges
from twin.simulation.rail_head import CameraConfig

LIGHTS = {"bright": BRIGHT, "service": CameraConfig(), "degraded": DEGRADED}
FIELDS = ("column", "row", "sd", "saturated")


@lru_cache
def images(light: str, count: int = 6) -> tuple[Image, ...]:
    return tuple(
        stretch.camera.render(stretch.first, stretch.places[0])
        for stretch in stretches(LIGHTS[light], count=count, length=1, seed=77)
    )


def extractor() -> LineExtractor:
    return LineExtractor(ExtractionSettings())


@pytest.mark.parametrize("light", LIGHTS)
def test_a_strip_gives_the_line_of_its_image_to_the_last_bit(light: str) -> None:
    finder, cut = extractor(), 0
    for image in images(light):
        strip = finder.cut(image, StripSettings())
        expected = finder.centres(image)
        if strip is None:
            continue
        cut += 1
        found = extractor().centres(strip)
        for name in FIELDS:
            assert_array_equal(getattr(found, name), getattr(expected, name))
    assert cut >= {"bright": 6, "service": 5, "degraded": 2}[light]


def test_a_strip_is_a_tenth_of_its_image() -> None:
    finder = extractor()
    sizes = [strip.pixels.size for image in images("service") if (strip := finder.cut(image, StripSettings()))]
    assert np.mean(sizes) < 512 * 1280 / 10


def test_pixels_of_a_strip_are_those_of_the_image() -> None:
    image = images("bright")[0]
    strip = extractor().cut(image, StripSettings())
    assert strip is not None
    for column in range(0, strip.top.size, 37):
        rows = slice(strip.top[column], strip.top[column] + strip.pixels.shape[0])
        assert_array_equal(strip.pixels[:, column], image[rows, strip.first + column])


def test_a_strip_as_high_as_the_image_has_its_ridges() -> None:
    image = images("service")[1]
    rows, columns = image.shape
    sums = np.empty((rows + 1, columns), dtype=np.uint16)
    score, place = (np.empty((16, columns), dtype=np.int16) for _ in range(2))
    add_rows(image, sums)
    best_of_bands(sums, score, place)
    found, at = (np.empty((16, columns), dtype=np.int16) for _ in range(2))
    strip_ridges(image, np.zeros(columns, dtype=np.int64), 0, rows, found, at)
    assert_array_equal(found, score)
    assert_array_equal(at, place)


def test_without_a_line_the_whole_image_is_kept() -> None:
    dark = np.random.default_rng(1).integers(8, 12, (512, 1280)).astype(np.uint8)
    assert extractor().cut(dark, StripSettings()) is None


def test_a_line_at_the_edge_of_the_image_is_cut_or_kept_whole() -> None:
    finder = extractor()
    for image in images("bright")[:4]:
        for shift in (-180, -120, 150, 250):
            moved = np.roll(image, shift, axis=0)
            strip = finder.cut(moved, StripSettings())
            if strip is not None:
                assert strip.top.min() >= 0
                assert strip.top.max() + strip.pixels.shape[0] <= 512
                assert_array_equal(extractor().centres(strip).row, finder.centres(moved).row)


def test_work_on_strips_leaves_nothing_behind() -> None:
    finder = extractor()
    strips = [strip for image in images("service") if (strip := finder.cut(image, StripSettings()))]
    alone = [extractor().centres(strip) for strip in strips]
    for strip, expected in zip(strips, alone, strict=True):
        assert_array_equal(finder.centres(strip).row, expected.row)


def test_strips_of_another_size_are_refused() -> None:
    strip = Strip((64, 64), 1.0, 0, np.zeros(4, np.int64), np.zeros((40, 4), np.uint8))
    with pytest.raises(ValueError, match="a strip must be of an image of"):
        extractor().centres(strip)


def test_heads_are_the_same_from_image_strip_and_line() -> None:
    stretch = next(iter(stretches(CameraConfig(), count=1, length=6, seed=5)))
    plane, finder = calibration_of(stretch.camera.truth), extractor()
    sights = [CameraSight(plane, RegistrationSettings(), rail=stretch.rail) for _ in range(3)]
    compared = 0
    for number, place in enumerate(stretch.places):
        image = stretch.camera.render(stretch.first + number, place)
        strip = finder.cut(image, StripSettings())
        line: Centres = finder.centres(image)
        fixes = [sight.find(seen) for sight, seen in zip(sights, (image, strip or image, line), strict=True)]
        compared += strip is not None
        for fix in fixes[1:]:
            assert fix.gauge_y == fixes[0].gauge_y
            assert fix.top_z == fixes[0].top_z
            assert fix.verdict == fixes[0].verdict
    assert compared >= 4
