"""Picture of a camera's calibration: errors of corners, the area covered, the laser's line about its plane."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from twin.core.arrays import Array
from twin.report.units import MM

INK, FAINT, MAIN, MARK = "#1f2933", "#c5ccd3", "#0b5fa5", "#c2410c"
ARROW = 0.06
"""Length of the rms error as drawn, in parts of the image's width."""


@dataclass(frozen=True, slots=True)
class CameraFit:
    """What corners and lines left over. One entry for every pose."""

    title: str
    size: tuple[int, int]
    """Columns and rows of an image."""
    names: Sequence[str]
    corners: Sequence[Array]
    """(corners, 2) column and row [pixels]."""
    corner_errors: Sequence[Array]
    """(corners, 2) [pixels]"""
    lines: Sequence[Array]
    """(points, 2) [pixels]"""
    line_errors: Sequence[Array]
    """(points,) from the plane, of those believed [m]."""
    line_places: Sequence[Array]
    """(points,) across the laser's plane, of the same [m]."""
    survey: Array
    """(n, 2) pixels where the mapping was judged."""
    survey_sd: Array
    """(n,) of points mapped there [m]."""


def camera_figure(fit: CameraFit) -> Figure:
    """Errors of corners and the mapping's uncertainty over the image above, by pose and along the line below."""
    figure = Figure(figsize=(12.0, 7.6), layout="constrained", facecolor="white")
    (errors, mapping), (poses, plane) = figure.subplots(2, 2)
    _corner_errors(errors, fit)
    _mapping(mapping, fit, figure)
    _by_pose(poses, fit)
    _plane(plane, fit)
    figure.suptitle(fit.title, color=INK, fontsize=13, fontweight="bold")
    return figure


def _corner_errors(axes: Axes, fit: CameraFit) -> None:
    corners, off = np.concatenate(fit.corners), np.concatenate(fit.corner_errors)
    rms = float(np.sqrt(np.mean(np.sum(off**2, axis=1))))
    scale = ARROW * fit.size[0] / max(rms, 1e-9)
    axes.quiver(
        *corners.T, *(scale * off).T, color=MAIN, angles="xy", scale_units="xy", scale=1, width=0.0018, headwidth=4
    )
    axes.set_title(f"Corners: seen less expected, rms {rms:.3f} pixels", loc="left", color=INK, fontsize=11)
    start = 0.03 * fit.size[0]
    axes.plot([start, start + rms * scale], [-0.06 * fit.size[1]] * 2, color=MARK, linewidth=2, clip_on=False)
    axes.text(start + rms * scale * 1.2, -0.06 * fit.size[1], f"{rms:.3f} pixels", color=MARK, va="center")
    _image(axes, fit, room=0.12)


def _mapping(axes: Axes, fit: CameraFit, figure: Figure) -> None:
    for line in fit.lines:
        axes.plot(*line.T, ".", color=FAINT, markersize=2)
    drawn = axes.scatter(fit.survey[:, 0], fit.survey[:, 1], c=fit.survey_sd * MM, s=30, cmap="viridis", marker="s")
    figure.colorbar(drawn, ax=axes, label="sd of a mapped point [mm]", shrink=0.8)
    axes.set_title("Laser lines, and what the mapping is good for", loc="left", color=INK, fontsize=11)
    _image(axes, fit, room=0.0)


def _by_pose(axes: Axes, fit: CameraFit) -> None:
    rms = [float(np.sqrt(np.mean(np.sum(off**2, axis=1)))) for off in fit.corner_errors]
    place = np.arange(len(rms))
    axes.bar(place, rms, color=MAIN, width=0.7)
    axes.set_xticks(place, list(fit.names), rotation=60, ha="right", fontsize=8)
    _finish(axes, "Corners by pose", "", "rms error [pixels]")
    axes.grid(visible=False, axis="x")


def _plane(axes: Axes, fit: CameraFit) -> None:
    for place, off in zip(fit.line_places, fit.line_errors, strict=True):
        axes.plot(place * MM, off * MM, ".", markersize=3)
    rms = float(np.sqrt(np.mean(np.concatenate(list(fit.line_errors)) ** 2)))
    axes.axhline(0.0, color=INK, linewidth=0.6)
    _finish(
        axes,
        f"Laser line about its plane, rms {rms * MM:.3f} mm",
        "y in sensor axes [mm], from the camera",
        "distance from the plane [mm]",
    )


def _image(axes: Axes, fit: CameraFit, *, room: float) -> None:
    """Axes as an image has them: rows down."""
    columns, rows = fit.size
    axes.set(xlim=(0, columns), ylim=(rows, -room * rows), aspect="equal")
    axes.set_xlabel("column [pixels]")
    axes.set_ylabel("row [pixels]")
    axes.tick_params(color=FAINT)


def _finish(axes: Axes, title: str, x: str, y: str) -> None:
    axes.set_title(title, loc="left", color=INK, fontsize=11)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(color=FAINT, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(color=FAINT)
