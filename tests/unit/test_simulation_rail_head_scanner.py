"""The profile scanner over a rail: its points are those of the section, with the errors it is configured to have."""

import numpy as np
import pytest

from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.simulation.rail_head import (
    CLEAN,
    PERFECT,
    EpisodeConfig,
    FanConfig,
    ProfileScanner,
    Rail,
    RailPlace,
    RailSection,
    RailSectionConfig,
    ScannerConfig,
    ScannerErrors,
    SoilingConfig,
    rail_section,
)
from twin.simulation.rail_head.sight import sighting

SECTION = rail_section(RailSectionConfig(vertical_wear=1e-3, side_wear=2e-3))
RATE = 100.0
NOISE_ONLY = PERFECT.model_copy(update={"sd_depth": 30e-6, "sd_across": 20e-6, "grazing_noise": 0.0})
DIRTY = SoilingConfig(
    window=EpisodeConfig(frequency=1.0, shortest=0.2, longest=2.0),
    rail=EpisodeConfig(frequency=3.0, shortest=0.05, longest=0.4),
    glare=EpisodeConfig(frequency=1.0, shortest=0.2, longest=1.0),
)


def _moving(samples: int, rail: Rail = 0) -> tuple[Array, RailPlace]:
    t = np.arange(samples) / RATE
    side = 1.0 if rail == 0 else -1.0
    y, roll = 0.7535 + 5e-3 * np.sin(3 * t), 0.01 * np.cos(2 * t)
    return t, RailPlace(side * y, -0.45 + 4e-3 * np.sin(2 * t), side * roll)


def _scan(config: ScannerConfig, samples: int, *, rail: Rail = 0, section: RailSection = SECTION) -> Array:
    return ProfileScanner(config, rail=rail, section=section, seed=5).process(*_moving(samples, rail))


def _points(row: Array) -> Array:
    """(n, 2) those that were seen."""
    points = row[1:].reshape(-1, 2)
    return points[np.isfinite(points[:, 0])]


def _offsets(points: Array, outline: Array) -> Array:
    """(n,) distances [m] of points (n, 2) from the nearest place of an outline (m, 2)."""
    start, along = outline[:-1], np.diff(outline, axis=0)
    off = points[:, None, :] - start
    share = np.clip(np.sum(off * along, axis=2) / np.sum(along**2, axis=1), 0.0, 1.0)
    return np.asarray(np.sqrt(np.sum((off - share[..., None] * along) ** 2, axis=2)).min(axis=1))


@pytest.mark.parametrize("rail", [0, 1])
def test_points_of_a_perfect_scanner_lie_on_the_section(rail: Rail) -> None:
    rows = _scan(ScannerConfig(errors=PERFECT, soiling=CLEAN), 20, rail=rail)
    _, place = _moving(20, rail)
    for row, at in zip(rows, place.rows, strict=True):
        assert row[0] == rail
        points = _points(row)
        assert points.shape[0] > 130
        assert _offsets(points, SECTION.points_in_body(at, rail=rail)).max() < 1e-9


def test_noise_off_the_section_is_that_of_the_configuration() -> None:
    """A point is off its surface by the part of its noise along the normal; 60 images, sd known to 1 %."""
    clean = _scan(ScannerConfig(errors=PERFECT, soiling=CLEAN), 60)
    noisy = _scan(ScannerConfig(errors=NOISE_ONLY, soiling=CLEAN), 60)
    fan = FanConfig()
    ray = np.array([np.cos(fan.angles(256)), np.sin(fan.angles(256))]).T
    error = (noisy - clean)[:, 1:].reshape(60, 256, 2)
    along, across = np.sum(error * ray, axis=2), error[..., 1] * ray[:, 0] - error[..., 0] * ray[:, 1]
    assert np.nanstd(along) == pytest.approx(NOISE_ONLY.sd_depth, rel=0.04)
    assert np.nanstd(across) == pytest.approx(NOISE_ONLY.sd_across, rel=0.04)
    assert abs(np.nanmean(along)) < 4 * NOISE_ONLY.sd_depth / np.sqrt(np.isfinite(along).sum())
    offsets = np.concatenate(
        [
            _offsets(_points(row), SECTION.points_in_body(at, rail=0))
            for row, at in zip(noisy, _moving(60)[1].rows, strict=True)
        ]
    )
    assert np.sqrt(np.mean(offsets**2)) < NOISE_ONLY.sd_depth


def test_vertical_wear_of_2_mm_lowers_the_measured_running_surface_by_2_mm() -> None:
    config = ScannerConfig(errors=PERFECT, soiling=CLEAN)
    place = RailPlace(np.full(1, 0.7535), np.full(1, -0.45), np.zeros(1))
    heights = []
    for wear in (0.0, 2e-3):
        section = rail_section(RailSectionConfig(vertical_wear=wear))
        points = _points(ProfileScanner(config, rail=0, section=section, seed=1).process(np.zeros(1), place)[0])
        heights.append(points[:, 1].max())
    assert heights[0] - heights[1] == pytest.approx(2e-3, abs=2e-6)


def test_mirrored_rails_give_mirrored_points() -> None:
    config = ScannerConfig(errors=PERFECT, soiling=CLEAN)
    left, right = _scan(config, 10, rail=0), _scan(config, 10, rail=1)
    np.testing.assert_array_equal(right[:, 1::2], -left[:, 1::2])
    np.testing.assert_array_equal(right[:, 2::2], left[:, 2::2])


def test_the_two_rails_have_their_own_noise() -> None:
    config = ScannerConfig(errors=NOISE_ONLY, soiling=CLEAN)
    left, right = _scan(config, 50, rail=0), _scan(config, 50, rail=1)
    ideal = _scan(ScannerConfig(errors=PERFECT, soiling=CLEAN), 50)
    a, b = (left - ideal)[:, 2::2], (right - ideal)[:, 2::2]
    both = np.isfinite(a) & np.isfinite(b)
    assert abs(np.corrcoef(a[both], b[both])[0, 1]) < 0.05


def test_output_does_not_depend_on_block_length() -> None:
    config = ScannerConfig(soiling=DIRTY)
    t, place = _moving(300)
    whole = ProfileScanner(config, rail=0, section=SECTION, seed=9).process(t, place)
    stage = ProfileScanner(config, rail=0, section=SECTION, seed=9)
    cuts = np.sort(np.random.default_rng(2).integers(0, 300, size=12))
    parts = [
        stage.process(t[part], RailPlace(place.y[part], place.z[part], place.roll[part]))
        for part in np.split(np.arange(300), cuts)
    ]
    assert np.concatenate(parts).tobytes() == whole.tobytes()


def test_another_seed_gives_other_points() -> None:
    t, place = _moving(3)
    one, other = (ProfileScanner(ScannerConfig(), rail=0, section=SECTION, seed=s).process(t, place) for s in (1, 2))
    assert not np.array_equal(one, other, equal_nan=True)


def test_drop_outs_are_as_many_as_configured() -> None:
    """Of 40 000 points lit, a share of 0.1 is lost, known to 0.0015."""
    errors = PERFECT.model_copy(update={"dropout": 0.1})
    lit = np.isfinite(_scan(ScannerConfig(errors=PERFECT, soiling=CLEAN), 250)[:, 1::2])
    found = np.isfinite(_scan(ScannerConfig(errors=errors, soiling=CLEAN), 250)[:, 1::2])
    assert not np.any(found & ~lit)
    assert 1 - found.sum() / lit.sum() == pytest.approx(0.1, abs=5 * np.sqrt(0.09 / lit.sum()))


def test_drop_outs_grow_at_grazing_incidence() -> None:
    """As exp(-cosine / grazing): counted at less and at more than 60 degrees, against the binomial spread."""
    config = ScannerConfig(errors=PERFECT.model_copy(update={"grazing": 0.2}), soiling=CLEAN)
    found = np.isfinite(_scan(config, 300)[:, 1::2])
    _, place = _moving(300)
    cosine = sighting(SECTION, place=place.rows, origin=config.fan.origin, angles=config.fan.angles(256)).cosine
    lit = np.isfinite(_scan(ScannerConfig(errors=PERFECT, soiling=CLEAN), 300)[:, 1::2])
    for part in (lit & (cosine > 0.5), lit & (cosine < 0.5)):
        chance = np.exp(-cosine[part] / 0.2)
        lost = np.count_nonzero(~found[part])
        assert abs(lost - chance.sum()) < 5 * np.sqrt(np.sum(chance * (1 - chance)))
    assert np.exp(-0.5 / 0.2) < np.mean(~found[part]) < 1.0


def test_lost_images_are_rows_without_points_and_as_many_as_configured() -> None:
    errors = PERFECT.model_copy(update={"missing": 0.2})
    rows = _scan(ScannerConfig(errors=errors, soiling=CLEAN), 1000)
    lost = np.isnan(rows[:, 1:]).all(axis=1)
    assert lost.mean() == pytest.approx(0.2, abs=5 * np.sqrt(0.16 / 1000))
    np.testing.assert_array_equal(rows[:, 0], 0.0)


def test_stray_reflections_are_as_many_as_configured() -> None:
    errors = PERFECT.model_copy(update={"outlier": 0.02})
    clean = _scan(ScannerConfig(errors=PERFECT, soiling=CLEAN), 200)[:, 1:]
    stray = _scan(ScannerConfig(errors=errors, soiling=CLEAN), 200)[:, 1:]
    off = np.hypot(*(stray - clean).reshape(200, 256, 2).transpose(2, 0, 1))
    seen = np.isfinite(off)
    share = np.mean(off[seen] > 1e-9)
    assert share == pytest.approx(0.02, abs=5 * np.sqrt(0.02 / seen.sum()))


def test_values_are_whole_steps_of_depth() -> None:
    errors = NOISE_ONLY.model_copy(update={"sd_across": 0.0, "lsb": 50e-6})
    row = _scan(ScannerConfig(errors=errors, soiling=CLEAN), 1)[0]
    depth = np.hypot(*(_points(row) - FanConfig().origin).T) / 50e-6
    np.testing.assert_allclose(depth, np.rint(depth), atol=1e-6)


def test_a_splash_on_the_window_hides_the_same_rays_for_seconds() -> None:
    soiling = CLEAN.model_copy(
        update={"window": EpisodeConfig(frequency=0.5, shortest=3.0, longest=3.0), "window_loss": 1.0}
    )
    t = np.arange(1000) / RATE
    place = RailPlace(np.full(1000, 0.7535), np.full(1000, -0.45), np.zeros(1000))
    rows = ProfileScanner(ScannerConfig(errors=PERFECT, soiling=soiling), rail=0, section=SECTION, seed=4).process(
        t, place
    )
    lit = np.isfinite(
        ProfileScanner(ScannerConfig(errors=PERFECT, soiling=CLEAN), rail=0, section=SECTION, seed=4).process(t, place)
    )
    hidden = (lit & np.isnan(rows))[:, 1::2].mean(axis=0)
    assert hidden.max() > 0.2
    assert np.mean(hidden == 0.0) > 0.3


def test_dirt_on_the_rail_only_raises_points() -> None:
    soiling = CLEAN.model_copy(update={"rail": DIRTY.rail})
    clean = _scan(ScannerConfig(errors=PERFECT, soiling=CLEAN), 300)[:, 1:].reshape(300, 256, 2)
    dirty = _scan(ScannerConfig(errors=PERFECT, soiling=soiling), 300)[:, 1:].reshape(300, 256, 2)
    nearer = np.hypot(*(clean - FanConfig().origin).T) - np.hypot(*(dirty - FanConfig().origin).T)
    assert np.nanmin(nearer) > -1e-12
    assert 0.2e-3 < np.nanmax(nearer) < 4e-3


def test_a_range_that_ends_before_it_begins_is_refused() -> None:
    config = ScannerConfig(errors=ScannerErrors(near=0.4, far=0.3))
    with pytest.raises(ConfigError, match="near must lie below far"):
        ProfileScanner(config, rail=0, section=SECTION, seed=1)
