"""Images of a chessboard: corners where it is seen sharply, and the laser's line on it in a second image of the pose.

A pose is a pair of images, the board held still: `name.png` in daylight with the laser off, `name-laser.png` in the
dark with the laser on. A pose without the second one helps the lens alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from pydantic import Field

from twin.core.arrays import Array
from twin.core.errors import CalibrationError
from twin.core.settings import Settings
from twin.geometry.laser import ExtractionSettings, Image, LineExtractor

LASER = "-laser"
"""End of the name of an image that shows the laser's line."""
ENDINGS = (".png", ".bmp", ".tif", ".tiff")
"""Of images without loss; a lossy one moves corners and line."""

WINDOW = 0.3
"""Half width of the window that a corner is found in, in sides of a square as seen."""


class BoardConfig(Settings):
    """The board, and what is asked of an image of it."""

    across: int = Field(9, ge=3, le=50, description="inner corners along the longer side")
    down: int = Field(4, ge=3, le=50, description="inner corners along the shorter side")
    square: float = Field(8e-3, gt=1e-3, le=0.2, description="side of a square [m]: measured, not as printed")
    blurred: float = Field(
        4.0, ge=1.5, le=20, description="width of an edge from 10 to 90 % beyond which an image is blurred [pixels]"
    )
    clear: float = Field(
        0.15, ge=0.02, le=0.4, description="part of a square next to its edges where the line is not used: half of it "
        "lies on the other colour there and its middle is drawn to the brighter one"
    )  # fmt: skip
    stride: int = Field(4, ge=1, le=50, description="columns between two points of the line: speckle is shared by 2.5")


@dataclass(frozen=True, slots=True)
class Pose:
    """A board as one camera sees it."""

    name: str
    corners: Array
    """(corners, 2) column and row [pixels]."""
    sharpness: float
    """Width of its edges [pixels]."""
    line: Array
    """(points, 3) column, row and sd of the row of the laser's line [pixels]; no point where it was not imaged."""


@dataclass(frozen=True, slots=True)
class Poses:
    """What images of a board show."""

    columns: int
    rows: int
    board: BoardConfig
    found: tuple[Pose, ...]
    refused: dict[str, str]
    """Reason why by the image's name."""

    @property
    def points_o(self) -> Array:
        """(corners, 3) places of the corners on the board [m], in the order of a pose's corners."""
        grid = np.stack(np.meshgrid(np.arange(self.board.across), np.arange(self.board.down)), axis=-1).reshape(-1, 2)
        return np.column_stack([grid * self.board.square, np.zeros(len(grid))])


def image_files(named: Iterable[Path]) -> list[Path]:
    """Files, and those of folders, that are images of boards or lines, by name."""
    files: list[Path] = []
    for path in named:
        if not path.exists():
            raise CalibrationError(f"{path}: no such image; name images or the folder they are in")
        files += sorted(path.iterdir()) if path.is_dir() else [path]
    return [file for file in files if file.suffix.lower() in ENDINGS]


def read_image(file: Path) -> Image:
    """(rows, columns) in grey, 8 bit."""
    image = cv2.imread(str(file), cv2.IMREAD_GRAYSCALE)
    if image is None:
        raise CalibrationError(f"{file}: cannot be read as an image; use one of {', '.join(ENDINGS)}")
    return np.ascontiguousarray(image, dtype=np.uint8)


def see_poses(files: Sequence[Path], board: BoardConfig, extraction: ExtractionSettings) -> Poses:
    """Boards and lines in images, which must all be of one size."""
    boards = [file for file in files if not file.stem.endswith(LASER)]
    lasers = {file.stem.removesuffix(LASER): file for file in files if file.stem.endswith(LASER)}
    if not boards:
        raise CalibrationError(f"no image of a board: there must be NAME.png, and NAME{LASER}.png of the same pose")
    rows, columns = read_image(boards[0]).shape
    extractor = LineExtractor(extraction, rows=rows, columns=columns)
    found: list[Pose] = []
    refused: dict[str, str] = {}
    for file in boards:
        image = _of_size(file, (rows, columns))
        corners, sharpness, reason = find_board(image, board)
        if corners is None:
            refused[file.name] = reason
            continue
        line = np.empty((0, 3))
        if (laser := lasers.pop(file.stem, None)) is not None:
            line = find_line(_of_size(laser, (rows, columns)), extractor, board.stride)
            if not len(line):
                refused[laser.name] = "no laser line is seen"
        found.append(Pose(file.stem, corners, sharpness, line))
    refused |= {file.name: "no board was found in the other image of the pose" for file in lasers.values()}
    return Poses(columns, rows, board, tuple(found), refused)


def find_board(image: Image, board: BoardConfig) -> tuple[Array | None, float, str]:
    """Corners (corners, 2) and width of the edges [pixels]; None and the reason where there is no good board."""
    size = (board.across, board.down)
    seen, corners = cv2.findChessboardCornersSB(image, size, flags=cv2.CALIB_CB_EXHAUSTIVE)
    if not seen:
        return None, np.nan, f"no board of {board.across} x {board.down} inner corners is seen as a whole"
    width = float(np.ravel(cv2.estimateChessboardSharpness(image, size, corners)[0])[0])
    if not width <= board.blurred:
        return None, width, f"blurred: edges {width:.1f} pixels wide, at most {board.blurred:g}"
    return _refined(image, np.asarray(corners, dtype=np.float64), board), width, ""


def _refined(image: Image, corners: Array, board: BoardConfig) -> Array:
    """(corners, 2) each by the edges about itself: those that were found lean on their neighbours, and share errors."""
    grid = corners.reshape(board.down, board.across, 2)
    near = min(np.linalg.norm(np.diff(grid, axis=axis), axis=2).min() for axis in (0, 1))
    half = max(round(WINDOW * float(near)), 3)
    ends = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 50, 1e-4)
    refined = cv2.cornerSubPix(image, np.asarray(corners, np.float32).copy(), (half, half), (-1, -1), ends)
    return np.asarray(refined, dtype=np.float64).reshape(-1, 2)


def find_line(image: Image, extractor: LineExtractor, stride: int) -> Array:
    """(points, 3) column, row and sd of the row, some columns apart so that they share no speckle."""
    line = extractor.extract(image)
    return np.column_stack([line.column, line.raw_row, line.sd_raw])[::stride]


def _of_size(file: Path, shape: tuple[int, int]) -> Image:
    image = read_image(file)
    if image.shape != shape:
        raise CalibrationError(
            f"{file}: {image.shape[1]} x {image.shape[0]} pixels, others have {shape[1]} x {shape[0]}: "
            "take images of one camera with one setting"
        )
    return image
