"""The motion of one mode, as pictures that follow each other, and the shapes of all modes as a table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.animation import PillowWriter
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from twin.core.arrays import Array
from twin.core.errors import ConfigError
from twin.report.table_file import Column
from twin.report.vehicle_topology import FAINT, FILLS, INK, TYRE, box_of, extent
from twin.vehicle.description import Body, Vehicle, wheels_of
from twin.vehicle.linear import Block
from twin.vehicle.modes import Mode

ANIMATION = ".gif"
FRAMES, CYCLE = 40, 2.0
"""Pictures of one oscillation, and how long it takes on the screen [s], whatever its own frequency."""
DRAWN = 0.4
"""Largest displacement in the picture [m] of a full-size vehicle."""
AXLE = 0.08
"""Half the drawn thickness of an axle [m] of a full-size vehicle."""
WIDTH, HEAD = 9.0, 0.7
"""Of the picture, and height of its title [in]."""


class View(NamedTuple):
    """A way to look at the vehicle."""

    words: str
    axes: tuple[int, int]
    """Which of x, y, z points right (or left, seen from behind) and which up."""
    moves: tuple[str, str]
    """Coordinates that move a body along them; none where it is empty."""
    turns: str
    """Coordinate that turns it."""
    sense: int
    """1 where a positive turn is from the first axis to the second one."""


BEHIND = View("from behind, front and rear in one", (1, 2), ("r_y", ""), "roll", 1)
VIEWS: dict[Block, tuple[View, ...]] = {
    "vertical": (View("from the side, running to the right", (0, 2), ("", "r_z"), "pitch", -1),),
    "lateral": (View("from above, running to the right", (0, 1), ("", "r_y"), "yaw", 1), BEHIND),
}


class Moving(NamedTuple):
    """A body in a view, and its patch."""

    body: Body
    view: View
    corners: Array
    """(n, 2) at rest [m]."""
    patch: Polygon


def write_motion(file: Path, vehicle: Vehicle, block: Block, mode: Mode) -> None:
    """Write one oscillation as a GIF that repeats; growth and decay are left out."""
    figure, moving = _drawn(vehicle, block, mode)
    writer = PillowWriter(fps=round(FRAMES / CYCLE))
    try:
        with writer.saving(figure, file, dpi=90):
            for phase in np.linspace(0.0, 2 * np.pi, FRAMES, endpoint=False).tolist():
                displaced = mode.at(phase)
                for each in moving:
                    each.patch.set_xy(_moved(each, displaced, DRAWN * vehicle.scale))
                writer.grab_frame()
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written ({error.strerror}); choose another place") from None


def _drawn(vehicle: Vehicle, block: Block, mode: Mode) -> tuple[Figure, list[Moving]]:
    low, high = extent(vehicle)
    low, high = low - DRAWN * vehicle.scale, high + DRAWN * vehicle.scale
    views = VIEWS[block]
    sizes = [(high - low)[list(view.axes)] for view in views]
    scale = (WIDTH - 0.4) / sizes[0][0]  # all views to one scale
    heights = [size[1] * scale + 0.35 for size in sizes]
    total = sum(heights) + HEAD
    figure, top, moving = Figure(figsize=(WIDTH, total), facecolor="white"), total - HEAD, []
    for view, size, height in zip(views, sizes, heights, strict=True):
        width = size[0] * scale
        place = ((WIDTH - width) / 2 / WIDTH, (top - height) / total, width / WIDTH, (height - 0.35) / total)
        moving += _draw_view(figure.add_axes(place), vehicle, view, (low, high))
        top -= height
    title = f"{mode.name}: {mode.frequency:.2f} Hz, damping {100 * mode.damping:.1f} %"
    figure.suptitle(f"{vehicle.name}\n{title}", y=1 - 0.1 / total, va="top", color=INK, fontsize=11, fontweight="bold")
    return figure, moving


def _draw_view(axes: Axes, vehicle: Vehicle, view: View, limits: tuple[Array, Array]) -> list[Moving]:
    across, up = view.axes
    found = []
    for body in vehicle.bodies:
        if body.parent is not None:
            continue
        corners = _outline(vehicle, body, view)
        axes.add_patch(Polygon(corners, fill=False, edgecolor=FAINT, linewidth=0.8, zorder=1))
        solid = Polygon(corners, facecolor=FILLS[body.kind], edgecolor=INK, linewidth=0.8, alpha=0.7, zorder=2)
        axes.add_patch(solid)
        found.append(Moving(body, view, corners, solid))
    if up == 2:
        axes.axhline(0.0, color=INK, linewidth=1.2)
    (low, high) = limits
    axes.set(xlim=(low[across], high[across]), ylim=(low[up], high[up]), aspect="equal", xticks=[], yticks=[])
    if across == 1:
        axes.invert_xaxis()  # left is left
    axes.spines[:].set_visible(False)
    axes.set_title(view.words, loc="left", color=INK, fontsize=9)
    return found


def _moved(each: Moving, displaced: Mapping[str, float], size: float) -> Array:
    """Corners where a body is; size: of a displacement of 1 in the picture [m]."""
    name, view = each.body.name, each.view
    shift = size * np.array([displaced.get(f"{name}.{word}", 0.0) for word in view.moves])
    turn = view.sense * size * displaced.get(f"{name}.{view.turns}", 0.0)
    centre = np.array(each.body.position)[list(view.axes)]
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray((each.corners - centre) @ np.array([[c, s], [-s, c]]) + centre + shift)


def _outline(vehicle: Vehicle, body: Body, view: View) -> Array:
    """(n, 2) corners of a body at rest: a box, a wheel from the side, or wheels on their axle."""
    if body.wheels is not None:
        return _wheelset_outline(body, view, vehicle.scale)
    low, high = box_of(vehicle, body)
    if body.kind == "carbody" and view.axes[1] == 2:
        low[2] = max(low[2], body.position[2] / 2)  # keeps the view of the bogies clear, as in the topology
    (left, bottom), (right, top) = low[list(view.axes)], high[list(view.axes)]
    return np.array([[left, bottom], [right, bottom], [right, top], [left, top]])


def _wheelset_outline(body: Body, view: View, scale: float) -> Array:
    wheels, centre = wheels_of(body), np.array(body.position)[list(view.axes)]
    r, tyre, axle = wheels.radius, TYRE * scale, AXLE * scale
    if view.axes == (0, 2):
        angle = np.linspace(0.0, 2 * np.pi, 48)
        return np.asarray(centre + r * np.stack((np.cos(angle), np.sin(angle)), axis=1))
    inner, outer = wheels.half_distance - tyre, wheels.half_distance + tyre
    half = [(inner, axle), (inner, r), (outer, r), (outer, -r), (inner, -r), (inner, -axle)]
    along = np.array(half + [(-y, -x) for y, x in half])
    return np.asarray(centre + (along if view.axes[0] == 1 else along[:, ::-1]))


def shape_columns(found: Mapping[Block, Sequence[Mode]]) -> dict[str, Column]:
    """One row for each mode and coordinate; the largest displacement of a mode is 1 m.

    Modes are numbered through both blocks from 1. An angle counts in rad; damping is a share of the critical one.
    """
    numbered = enumerate(((block, mode) for block, modes in found.items() for mode in modes), start=1)
    rows = [
        (block, number, mode, name.rpartition("."), value)
        for number, (block, mode) in numbered
        for name, value in zip(mode.coordinates, mode.shape.tolist(), strict=True)
    ]
    return {
        "block": [block for block, *_ in rows],
        "mode": np.array([number for _, number, *_ in rows], dtype=np.int64),
        "name": [mode.name for _, _, mode, *_ in rows],
        "frequency_Hz": np.array([mode.frequency for _, _, mode, *_ in rows]),
        "damping": np.array([mode.damping for _, _, mode, *_ in rows]),
        "body": [name[0] for *_, name, _ in rows],
        "coordinate": [name[2] for *_, name, _ in rows],
        "unit": ["m" if name[2] in ("r_y", "r_z") else "rad" for *_, name, _ in rows],
        "real": np.array([value.real for *_, value in rows]),
        "imaginary": np.array([value.imag for *_, value in rows]),
    }
