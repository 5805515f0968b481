"""The laser camera over a rail: its line is where the geometry says, and its faults are light, not geometry."""

import cv2
import numpy as np
import pytest

from twin.core.arrays import Array
from twin.simulation.rail_head import (
    CLEAR,
    COLUMNS,
    ROWS,
    CameraConfig,
    EpisodeConfig,
    Image,
    LineConfig,
    PinholeConfig,
    Rail,
    RailCamera,
    RailPlace,
    RailSectionConfig,
    SensorConfig,
    StrayConfig,
    rail_section,
)

SECTION = rail_section(RailSectionConfig(vertical_wear=1e-3, side_wear=2e-3))
DIM = CLEAR.model_copy(update={"line": LineConfig(speckle=0.0, exposure=200.0, gloss=0.2)})
"""No saturation: a clipped line has its middle elsewhere."""


def _place(rail: Rail) -> Array:
    side = 1.0 if rail == 0 else -1.0
    return np.array([side * 0.756, -0.452, side * 0.008])


def _camera(config: CameraConfig = DIM, *, rail: Rail = 0, seed: int = 3) -> RailCamera:
    return RailCamera(config, rail=rail, section=SECTION, seed=seed)


def _centres(image: Image) -> tuple[Array, Array]:
    """Columns with a line that is whole and bright, and its centre of gravity in each."""
    light = image.astype(np.float64)
    weight = light.sum(axis=0)
    whole = (light[0] == 0) & (light[-1] == 0) & (light.max(axis=0) > 20)
    rows = np.arange(ROWS) @ light
    return np.flatnonzero(whole).astype(np.float64), rows[whole] / weight[whole]


@pytest.mark.parametrize("rail", [0, 1])
def test_line_lies_where_the_section_is_projected(rail: Rail) -> None:
    camera = _camera(rail=rail)
    columns, centres = _centres(camera.render(0, _place(rail)))
    head = SECTION.points_in_body(_place(rail), rail=rail)[(SECTION.z > -0.034) & (SECTION.y < 0.030)]
    pixels = camera.project(head)
    pixels = pixels[np.argsort(pixels[:, 0])]
    inside = (columns > pixels[0, 0]) & (columns < pixels[-1, 0])
    error = centres[inside] - np.interp(columns[inside], pixels[:, 0], pixels[:, 1])
    assert inside.sum() > 400
    assert np.sqrt(np.mean(error**2)) < 0.1
    assert np.abs(error).max() < 0.5


def test_pixels_are_those_of_opencv() -> None:
    """The truth against an independent projection of points in space."""
    camera = _camera()
    truth = camera.truth
    points = np.array([0.7535, -0.45]) + np.random.default_rng(1).uniform(-0.05, 0.03, (50, 2))
    space = np.column_stack([np.zeros(50), points])
    turn, _ = cv2.Rodrigues(np.array(truth.R_cb))
    lens = np.array([truth.k1, truth.k2, 0.0, 0.0])
    expected, _ = cv2.projectPoints(space, turn, -truth.R_cb @ truth.p_b, np.array(truth.K), lens)
    np.testing.assert_allclose(camera.project(points), expected[:, 0], atol=1e-6)


@pytest.mark.parametrize("rail", [0, 1])
def test_homography_leads_undistorted_pixels_back_to_the_plane(rail: Rail) -> None:
    camera = _camera(rail=rail)
    points = SECTION.points_in_body(_place(rail), rail=rail)
    pixels = np.column_stack([camera.truth.undistorted(points), np.ones(points.shape[0])])
    back = pixels @ np.linalg.inv(camera.truth.H).T
    np.testing.assert_allclose(back[:, :2] / back[:, 2:], points, atol=1e-12)


@pytest.mark.parametrize("rail", [0, 1])
def test_camera_axes_are_a_rotation_and_no_mirror_image(rail: Rail) -> None:
    R_cb = _camera(rail=rail).truth.R_cb
    np.testing.assert_allclose(R_cb @ R_cb.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(R_cb) == pytest.approx(1.0)


def test_cameras_of_both_rails_see_mirror_images() -> None:
    lens = PinholeConfig(roll=0.0, pitch=0.0, yaw=0.0, column=(COLUMNS - 1) / 2)
    config = DIM.model_copy(update={"pinhole": lens})
    left, right = (_camera(config, rail=rail).render(0, _place(rail)) for rail in (0, 1))
    assert np.abs(left.astype(np.int64) - right[:, ::-1]).max() <= 1


def test_hidden_sides_give_no_line() -> None:
    """Without dirt and noise, light lies near the projection of what faces the laser, and nowhere else."""
    camera = _camera()
    image = camera.render(0, _place(0))
    hidden = (SECTION.y > 0.0345) & (SECTION.z < -0.016)
    pixels = np.rint(camera.project(SECTION.points_in_body(_place(0), rail=0)[hidden])).astype(np.int64)
    pixels = pixels[(pixels >= 0).all(axis=1) & (pixels[:, 0] < COLUMNS) & (pixels[:, 1] < ROWS)]
    assert pixels.size > 0
    assert image[pixels[:, 1], pixels[:, 0]].max() <= 1


def test_polished_running_band_is_brighter_than_rust() -> None:
    camera = RailCamera(DIM, rail=0, section=rail_section(RailSectionConfig()), seed=1)
    line = camera.line(0.0, np.array([0.7535, -0.45, 0.0]))
    place = np.array([0.7535, -0.45])
    band, rust = camera.project(place + np.array([[-0.003, 0.0], [0.028, 0.0]]))[:, 0]
    columns = line.pixels[:, 0]
    on_band = line.brightness[(np.abs(columns - band) < 20) & (line.brightness > 0)]
    on_rust = line.brightness[(np.abs(columns - rust) < 20) & (line.brightness > 0)]
    assert on_band.mean() > 1.5 * on_rust.mean()


def test_strong_light_saturates() -> None:
    bright = DIM.model_copy(update={"line": LineConfig(exposure=3000.0)})
    image = _camera(bright).render(0, _place(0))
    assert np.count_nonzero(image == 255) > 1000


def test_noise_and_black_level_are_those_of_the_sensor() -> None:
    dark = CLEAR.model_copy(
        update={
            "line": LineConfig(exposure=1.0),
            "sensor": SensorConfig(black=20.0, read=3.0, background=0.0, glare=0.0),
        }
    )
    image = _camera(dark).render(0, _place(0))[:80].astype(np.float64)
    assert image.mean() == pytest.approx(20.0, abs=0.05)
    assert image.std() == pytest.approx(np.sqrt(9.0 + 1 / 12), rel=0.02)


def test_speckle_has_its_contrast_and_follows_seed_and_number() -> None:
    """An image holds some 400 speckles: its contrast is known to 7 %, that of twelve images to 2 %."""
    config = DIM.model_copy(update={"line": LineConfig(speckle=0.3, exposure=100.0, gloss=0.0)})
    clear = _camera(DIM.model_copy(update={"line": LineConfig(speckle=0.0, exposure=100.0, gloss=0.0)}))
    reference = clear.render(0, _place(0)).astype(np.float64)
    lit = reference > 20
    ratios = []
    for seed in (1, 2):
        camera = _camera(config, seed=seed)
        ratios.append(np.array([camera.render(n, _place(0))[lit] / reference[lit] for n in range(12)]))
        assert ratios[-1].std() == pytest.approx(0.3, rel=0.08)
        assert ratios[-1].mean() == pytest.approx(1.0, abs=0.03)
    assert abs(np.corrcoef(ratios[0].ravel(), ratios[1].ravel())[0, 1]) < 0.05
    assert abs(np.corrcoef(ratios[0][0], ratios[0][1])[0, 1]) < 0.2


def test_an_image_depends_on_its_number_and_not_on_those_before() -> None:
    places = RailPlace(np.linspace(0.7535, 0.7565, 4), np.full(4, -0.45), np.zeros(4))
    whole = list(_camera(CameraConfig()).images(10, places))
    again = _camera(CameraConfig())
    for i in (3, 0, 2):
        assert again.render(10 + i, places.rows[i]).tobytes() == whole[i].tobytes()
    assert again.render(11, places.rows[0]).tobytes() != whole[0].tobytes()


def test_ghosts_and_spots_add_light_and_drops_take_it() -> None:
    stray = StrayConfig(spots=3.0, ghost=1.0, drops=EpisodeConfig(frequency=0.0))
    drops = StrayConfig(
        spots=0.0, ghost=0.0, drops=EpisodeConfig(frequency=5.0, shortest=1.0, longest=1.0), drop_radius=200.0
    )
    plain, more, less = (
        [
            _camera(DIM.model_copy(update={"stray": kind})).render(n, _place(0)).astype(np.int64)
            for n in range(0, 500, 50)
        ]
        for kind in (DIM.stray, stray, drops)
    )
    assert all(np.all(b >= a) for a, b in zip(plain, more, strict=True))
    assert sum(b.sum() > a.sum() for a, b in zip(plain, more, strict=True)) >= 8
    assert all(np.all(b <= a) for a, b in zip(plain, less, strict=True))
    assert any(b.sum() < a.sum() for a, b in zip(plain, less, strict=True))


def test_a_rail_out_of_sight_gives_an_image_without_line() -> None:
    assert _camera().render(0, np.array([3.0, -0.45, 0.0])).max() == 0
