"""Camera calibration against a lens and a laser plane that are known because images were rendered through them."""

import datetime
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.camera import CameraFound, CameraSeat, calibrate_camera, sensor_axes, straight
from calibration.camera_boards import BoardConfig, Poses, find_board, image_files, see_poses
from calibration.camera_bundle import mapped, rigid_motions
from calibration.store import read_calibration, write_calibration
from tests.board_images import ACROSS, COLUMNS, DOWN, ROWS, SQUARE, BoardCamera, board_poses
from twin.cli.calibrate_camera import camera
from twin.cli.toml_text import to_toml
from twin.core.arrays import Array
from twin.core.errors import CalibrationError, ConfigError
from twin.geometry.laser import ExtractionSettings, LaserPlaneCalibration, LineExtractor

CAMERA = BoardCamera()
BOARD = BoardConfig(across=ACROSS, down=DOWN, square=SQUARE)
HEAD = np.stack(np.meshgrid(np.linspace(160, 480, 9), np.linspace(80, 240, 7)), axis=-1).reshape(-1, 2)
"""Pixels that a rail head fills: 90 mm by 50 mm of the laser's plane."""
Y_C = np.cross(CAMERA.n, [0.3, -1.0, 0.1]) / np.linalg.norm(np.cross(CAMERA.n, [0.3, -1.0, 0.1]))
"""Direction of a bar across the rails, in the laser's plane."""


def write_pair(folder: Path, name: str, R: Array, T: Array, rng: np.random.Generator) -> None:
    for end, image in zip(("", "-laser"), CAMERA.images(R, T, rng), strict=True):
        cv2.imwrite(str(folder / f"{name}{end}.png"), image)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path, rng = tmp_path_factory.mktemp("boards"), np.random.default_rng(4)
    for i, (R, T) in enumerate(board_poses(14, seed=4)):
        write_pair(path, f"pose{i:02d}", R, T, rng)
    return path


@pytest.fixture(scope="module")
def poses(folder: Path) -> Poses:
    return see_poses(image_files([folder]), BOARD, ExtractionSettings())


@pytest.fixture(scope="module")
def found(poses: Poses) -> CameraFound:
    return calibrate_camera(poses, seat=CameraSeat())


def deviation(found: CameraFound) -> Array:
    """(11,) lens and plane found less the true ones."""
    true = np.array([*CAMERA.f, *CAMERA.c, *CAMERA.k, *(CAMERA.n / CAMERA.d)])
    return np.concatenate([found.bundle.lens, found.bundle.plane]) - true


def test_lens_and_plane_lie_within_their_stated_uncertainty(found: CameraFound) -> None:
    off, S = deviation(found), found.bundle.S
    assert np.all(np.abs(off) < 3.5 * np.sqrt(np.diag(S)))
    assert 2.6 < off @ np.linalg.solve(S, off) < 26.8  # 99 % of a chi-square with 11 degrees of freedom


def test_points_of_a_rail_head_are_mapped_to_a_tenth_of_a_millimetre_but_for_the_place_of_all(
    found: CameraFound,
) -> None:
    record = found.record
    points_c = (record.points_b(HEAD) - np.array(record.p_b)) @ np.array(record.R_bc)
    true = CAMERA.points(HEAD)
    assert np.linalg.norm(points_c - true, axis=1).max() < 3e-3  # where the camera looks is not known better
    basis = np.linalg.qr(rigid_motions(true))[0]
    off = (points_c - true).ravel()
    shape = (off - basis @ (basis.T @ off)).reshape(-1, 3)
    assert np.linalg.norm(shape, axis=1).max() < 0.1e-3


def test_corners_leave_their_own_noise(found: CameraFound) -> None:
    assert 0.01 < found.rms < 0.06
    assert 0.01e-3 < found.plane_rms < 0.06e-3


def test_a_bar_across_the_rails_gives_the_axes(found: CameraFound) -> None:
    image = CAMERA.level_image(Y_C, np.random.default_rng(7))
    line = LineExtractor(ExtractionSettings(), rows=ROWS, columns=COLUMNS).extract(image)
    level = np.column_stack([line.column, line.raw_row])[::4]
    R_bc, sd = sensor_axes(found.bundle, seat=CameraSeat(), level=level)
    assert np.allclose(R_bc @ R_bc.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(R_bc) == pytest.approx(1)
    assert abs(R_bc[1] @ Y_C) > np.cos(6e-3)  # as well as it is known where the camera looks
    assert R_bc[2] @ CAMERA.points(HEAD).mean(axis=0) < 0  # up is where the camera is
    assert 0 < sd < 1e-3
    turned, _ = sensor_axes(found.bundle, seat=CameraSeat(looks="backward"), level=level)
    assert np.allclose(turned, R_bc * np.array([[-1], [-1], [1]]))


def test_a_straight_line_is_found_among_points_that_are_none_of_it() -> None:
    rng = np.random.default_rng(1)
    along = np.array([0.8, 0.6, 0.0])
    points = np.linspace(-0.05, 0.05, 80)[:, None] * along + 2e-5 * rng.standard_normal((80, 3))
    points[[10, 40]] += np.array([0.0, 0.0, 8e-3])
    direction, sd = straight(points)
    assert np.arccos(min(abs(direction @ along), 1.0)) < 4 * np.sqrt(2) * sd
    assert sd < 2e-4


def test_a_file_holds_the_record_and_its_uncertainty(found: CameraFound, tmp_path: Path) -> None:
    path = tmp_path / "camera.toml"
    calibration = found.calibration(date=datetime.date(2026, 3, 14), source="boards")
    write_calibration(path, calibration, text_of=to_toml)
    read = read_calibration(path)
    assert LaserPlaneCalibration.load(read.camera, where="camera") == found.record
    sd = read.calibration.uncertainty
    assert abs(found.record.focal[0] - CAMERA.f[0]) < 3.5 * sd["camera.focal.0"]
    assert abs(found.record.plane_distance - CAMERA.d) < 3.5 * sd["camera.plane_distance"]


def test_a_blurred_board_is_refused() -> None:
    R, T = board_poses(1, seed=2)[0]
    blurred = replace(CAMERA, blur=2.5).images(R, T, np.random.default_rng(1))[0]
    corners, _, reason = find_board(blurred, BOARD)
    assert corners is None
    assert "blurred: edges" in reason


def test_too_few_boards_are_refused_with_the_reason_of_each(poses: Poses) -> None:
    few = replace(poses, found=poses.found[:3], refused={"pose07.png": "blurred"})
    with pytest.raises(CalibrationError, match=r"in 3 poses, at least 8 are needed \(pose07\.png: blurred\)"):
        calibrate_camera(few, seat=CameraSeat())


def test_too_few_lines_are_refused(poses: Poses) -> None:
    bare = tuple(replace(pose, line=np.empty((0, 3))) for pose in poses.found[3:])
    with pytest.raises(CalibrationError, match="laser line is seen in 3 poses, at least 5"):
        calibrate_camera(replace(poses, found=poses.found[:3] + bare), seat=CameraSeat())


def test_boards_in_one_half_of_the_image_are_refused(poses: Poses) -> None:
    left = [replace(pose, corners=pose.corners * np.array([0.4, 1.0])) for pose in poses.found]
    with pytest.raises(CalibrationError, match=r"cover \d+ % of the image, at least 60 %"):
        calibrate_camera(replace(poses, found=tuple(left)), seat=CameraSeat())


def test_a_board_that_moved_between_its_two_images_is_refused(poses: Poses) -> None:
    shift = np.array([0.0, 6.0, 0.0])
    moved = [replace(pose, line=pose.line + shift * (-1) ** i) for i, pose in enumerate(poses.found)]
    with pytest.raises(CalibrationError, match=r"line is \d\.\d\d mm \(rms\) from a plane"):
        calibrate_camera(replace(poses, found=tuple(moved)), seat=CameraSeat())


def test_corners_that_fit_no_lens_are_refused(poses: Poses) -> None:
    rng = np.random.default_rng(3)
    bent = [replace(pose, corners=pose.corners + rng.normal(0, 1, pose.corners.shape)) for pose in poses.found]
    with pytest.raises(CalibrationError, match=r"corners are \d\.\d\d pixels"):
        calibrate_camera(replace(poses, found=tuple(bent)), seat=CameraSeat())


def test_a_plane_nearly_through_the_camera_is_refused(poses: Poses) -> None:
    def edge_on(pose_number: int, line: Array) -> Array:
        """The line where a plane 2 cm from the camera cuts the image: nearly the same rows at any distance."""
        row = CAMERA.c[1] + CAMERA.f[1] * (0.02 / 0.4 - 0.04) + 0 * line[:, 1] + 0.2 * (pose_number % 3)
        return np.column_stack([line[:, 0], row, line[:, 2]])

    seen = [replace(pose, line=edge_on(i, pose.line)) for i, pose in enumerate(poses.found)]
    with pytest.raises(CalibrationError, match="nearly through the camera"):
        calibrate_camera(replace(poses, found=tuple(seen)), seat=CameraSeat())


def test_boards_that_are_all_parallel_to_the_image_are_refused(poses: Poses) -> None:
    rng, points_o = np.random.default_rng(6), poses.points_o
    flat = []
    for pose, (_, T) in zip(poses.found, board_poses(len(poses.found), seed=4), strict=True):
        R = cv2.Rodrigues(0.03 * rng.standard_normal(3))[0]
        X = points_o @ R.T + T
        corners = CAMERA.through_lens(X[:, :2] / X[:, 2:]) * CAMERA.f + CAMERA.c
        along = np.linspace(0.2, ACROSS - 1.2, 60)
        line = np.array([np.interp(along, range(ACROSS), corners[ACROSS : 2 * ACROSS, k]) for k in (0, 1)]).T
        noisy = corners + 0.02 * rng.standard_normal(corners.shape)
        flat.append(replace(pose, corners=noisy, line=np.column_stack([line + np.array([0, 8]), np.full(60, 0.2)])))
    with pytest.raises(CalibrationError, match=r"tilted by \d\.\d degrees \(rms\), 10 are needed"):
        calibrate_camera(replace(poses, found=tuple(flat)), seat=CameraSeat())


def test_mapped_points_lie_in_the_plane(found: CameraFound) -> None:
    x = np.concatenate([found.bundle.lens, found.bundle.plane])
    assert np.allclose(mapped(x, HEAD) @ found.bundle.plane, 1)


def test_the_command_writes_the_file_and_its_picture(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "camera.toml"
    camera(images=[folder], out=out, corners="9x4", square=1e3 * SQUARE)
    assert read_calibration(out).calibration.kind == "camera"
    assert cv2.imread(str(tmp_path / "camera.png")) is not None
    with pytest.raises(ConfigError, match=r"camera\.toml: exists"):
        camera(images=[folder], out=out)
    with pytest.raises(ConfigError, match="--corners 9: write inner corners"):
        camera(images=[folder], out=tmp_path / "other.toml", corners="9")
