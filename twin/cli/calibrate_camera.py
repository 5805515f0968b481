"""`railtwin calibrate camera`: lens and laser plane of a camera from images of a chessboard."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.console import terminal
from twin.core.errors import ConfigError

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

    from calibration.camera import CameraFound
    from twin.core.arrays import Array

MM = 1e-3
BOARD, SEAT = "Board", "Seat of the camera"

Images = Annotated[list[Path], typer.Argument(metavar="IMAGE", help="Images, or folders of them.", show_default=False)]
Out = Annotated[
    Path, typer.Option("--out", "-o", metavar="FILE", help="Calibration to write, TOML; its picture stands beside.")
]
Corners = Annotated[
    str, typer.Option("--corners", metavar="NxM", help="Inner corners of the board.", rich_help_panel=BOARD)
]
Square = Annotated[
    float, typer.Option("--square", metavar="MM", help="Side of a square, as measured.", rich_help_panel=BOARD)
]
Level = Annotated[
    Path | None,
    typer.Option(
        "--level", metavar="IMAGE", help="Laser line on a straightedge across both rails.", rich_help_panel=SEAT
    ),
]
Looks = Annotated[
    str, typer.Option("--looks", metavar="forward|backward", help="In running direction.", rich_help_panel=SEAT)
]
Place = Annotated[
    str,
    typer.Option("--place", metavar="X,Y,Z", help="Camera from the sensor's origin [mm].", rich_help_panel=SEAT),
]


def camera(
    images: Images,
    out: Out,
    corners: Corners = "9x4",
    square: Square = 8.0,
    level: Level = None,
    looks: Looks = "forward",
    place: Place = "0,0,0",
    force: Annotated[bool, typer.Option("--force", help="Replace the files if they exist.")] = False,
) -> None:
    """Find lens and laser plane of a camera from images of a chessboard.

    How to take them: fix focus and exposure. Hold a flat board still and take two images, POSE.png in daylight with
    the laser off and POSE-laser.png in the dark with the laser on, the line across the squares. Repeat for ten to
    twenty poses: in every part of the image, tilted 15 to 30 degrees to all sides, nearer and farther by the height of
    a rail. Then lay a straightedge across both rails and take one image of the line on it, for --level: it gives the
    sensor's axes, which else are those of the image. `calibrate mounting` finds what is left.

    Example: railtwin calibrate camera poses/ --corners 9x4 --square 8.02 --level bar.png -o camera-left.toml
    """
    from calibration.camera import CameraSeat, calibrate_camera
    from calibration.camera_boards import BoardConfig, image_files, see_poses
    from twin.cli.calibrating import picture_of, refuse_existing, save, save_picture, today
    from twin.geometry.laser import ExtractionSettings

    refuse_existing(out, picture_of(out), force=force)
    across, down = _pair(corners)
    board = BoardConfig.load({"across": across, "down": down, "square": square * MM}, where="--corners, --square")
    seat = CameraSeat.load({"looks": looks, "place": _place(place)}, where="--looks, --place")
    files = [file for file in image_files(images) if level is None or file.resolve() != level.resolve()]
    poses = see_poses(files, board, ExtractionSettings())
    for name, reason in poses.refused.items():
        terminal().warn(f"{name}: {reason}; not used")
    found = calibrate_camera(poses, seat=seat, level=None if level is None else _line(level, poses.rows, poses.columns))
    save(out, found.calibration(date=today(), source=images[0].resolve().name), force=force)
    save_picture(out, _figure(found, title=f"Camera calibration from {images[0].resolve().name}"))
    terminal().show(_table(found))
    terminal().show(f"{out}: written, from {len(poses.found)} boards over {100 * found.coverage:.0f} % of the image")


def _pair(text: str) -> tuple[int, int]:
    across, cross, down = text.lower().partition("x")
    if not (cross and across.isdigit() and down.isdigit()):
        raise ConfigError(f"--corners {text}: write inner corners of the longer and the shorter side, as in 9x4")
    return int(across), int(down)


def _place(text: str) -> list[float]:
    try:
        found = [float(each) * MM for each in text.split(",")]
    except ValueError:
        found = []
    if len(found) != 3:
        raise ConfigError(f"--place {text}: write x forward, y left and z up in mm, as in -250,540,230")
    return found


def _line(file: Path, rows: int, columns: int) -> "Array":
    """Pixels of the line on a straightedge."""
    from calibration.camera_boards import find_line, read_image
    from twin.core.errors import CalibrationError
    from twin.geometry.laser import ExtractionSettings, LineExtractor

    image = read_image(file)
    if image.shape != (rows, columns):
        raise CalibrationError(f"{file}: not of the size of the other images, {columns} x {rows}")
    line = find_line(image, LineExtractor(ExtractionSettings(), rows=rows, columns=columns), stride=4)
    if len(line) < 3:
        raise CalibrationError(f"{file}: no laser line is seen on the straightedge")
    return line[:, :2]


def _table(found: "CameraFound") -> "Table":
    from rich.table import Table

    record, sd = found.record, found.uncertainty
    table = Table("", "unit", "value", "±")
    for name, unit, key, value in (
        ("focal length along columns", "pixels", "focal.0", record.focal[0]),
        ("focal length along rows", "pixels", "focal.1", record.focal[1]),
        ("principal point, column", "pixels", "centre.0", record.centre[0]),
        ("principal point, row", "pixels", "centre.1", record.centre[1]),
        ("distortion k1", "-", "distortion.0", record.distortion[0]),
        ("distortion k2", "-", "distortion.1", record.distortion[1]),
        ("distance of the laser's plane", "m", "plane_distance", record.plane_distance),
    ):
        table.add_row(name, unit, f"{value:.5g}", f"{sd[f'camera.{key}']:.2g}")
    table.add_row("corners, rms", "pixels", f"{found.rms:.3f}", "")
    table.add_row("laser line about its plane, rms", "mm", f"{found.plane_rms / MM:.3f}", "")
    table.add_row("mapped points against each other, largest sd", "mm", f"{found.survey_sd.max() / MM:.3f}", "")
    return table


def _figure(found: "CameraFound", *, title: str) -> "Figure":
    import numpy as np

    from twin.report.calibration_camera import CameraFit, camera_figure

    y_c = np.array(found.record.R_bc)[1]
    poses, bundle = found.poses, found.bundle
    return camera_figure(
        CameraFit(
            title=title,
            size=(poses.columns, poses.rows),
            names=[pose.name for pose in poses.found],
            corners=[pose.corners for pose in poses.found],
            corner_errors=bundle.corner_errors,
            lines=[pose.line[:, :2] for pose in poses.found],
            line_errors=bundle.line_errors,
            line_places=[points @ y_c for points in bundle.line_points_c],
            survey=found.survey,
            survey_sd=found.survey_sd,
        )
    )
